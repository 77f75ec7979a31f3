"""tau2-bench's airline: what its tools do to flights, users and reservations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from truespec.worlds.world import Refused, Row, State, World

NOW = "2024-05-15T15:00:00"
"""The moment at which every conversation of the environment takes place."""
NEW_RESERVATIONS = ("HATHAT", "HATHAU", "HATHAV")
"""The names that new reservations get, in turn."""
NEW_CERTIFICATES = tuple(f"certificate_{3221322 + number}" for number in range(3))
"""The names that new certificates get, in turn."""
INSURANCE_PRICE = 30
"""US dollars for each passenger."""
BAG_PRICE = 50
"""US dollars for each bag that is not free."""


def _user(state: State, key: Any) -> Row:
    user = state.get("users", key)
    if user is None:
        raise Refused(f"User {key} not found")
    return user


def _reservation(state: State, key: Any) -> Row:
    reservation = state.get("reservations", key)
    if reservation is None:
        raise Refused(f"Reservation {key} not found")
    return reservation


def _flight(state: State, key: Any) -> Row:
    flight = state.get("flights", key)
    if flight is None:
        raise Refused(f"Flight {key} not found")
    return flight


def _seats(state: State, flight: Mapping[str, Any], cabin: Any, people: int) -> Mapping[str, Any]:
    """The day of a flight that has so many seats left in the cabin."""
    number, date = flight["flight_number"], flight["date"]
    day = _flight(state, number)["dates"].get(date)
    if day is None:
        raise Refused(f"Flight {number} not found on date {date}")
    if day["status"] != "available":
        raise Refused(f"Flight {number} not available on date {date}")
    if day["available_seats"][cabin] < people:
        raise Refused(f"Not enough seats on flight {number}")
    return day  # type: ignore[no-any-return]


def _leg(state: State, flight: Mapping[str, Any], price: Any) -> Row:
    """A flight as a reservation keeps it."""
    number = flight["flight_number"]
    there = _flight(state, number)
    return {
        "flight_number": number,
        "origin": there["origin"],
        "destination": there["destination"],
        "date": flight["date"],
        "price": price,
    }


def _people(passengers: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Passengers as a reservation keeps them."""
    return [{part: one[part] for part in ("first_name", "last_name", "dob")} for one in passengers]


def get_user_details(state: State, given: Mapping[str, Any]) -> Row:
    """The record of a user."""
    return _user(state, given["user_id"])


def get_reservation_details(state: State, given: Mapping[str, Any]) -> Row:
    """The record of a reservation."""
    return _reservation(state, given["reservation_id"])


def _check_payments(user: Row, payments: Sequence[Mapping[str, Any]], total: float) -> None:
    for payment in payments:
        method = user["payment_methods"].get(payment["payment_id"])
        if method is None:
            raise Refused(f"Payment method {payment['payment_id']} not found")
        if method["source"] in ("gift_card", "certificate") and method["amount"] < payment["amount"]:
            raise Refused(f"Not enough balance in payment method {payment['payment_id']}")
    paid = sum(payment["amount"] for payment in payments)
    if paid != total:
        raise Refused(f"Payment amount does not add up, total price is {total}, but paid {paid}")


def book_reservation(state: State, given: Mapping[str, Any]) -> Row:
    """Book flights, pay for them, and take the seats."""
    user_id, passengers, flights = given["user_id"], _people(given["passengers"]), given["flights"]
    user = _user(state, user_id)
    free = [name for name in NEW_RESERVATIONS if not state.has("reservations", name)]
    if not free:
        raise Refused("Too many reservations")
    people, cabin = len(passengers), given["cabin"]
    days = [_seats(state, flight, cabin, people) for flight in flights]
    total = sum(day["prices"][cabin] for day in days) * people
    if given["insurance"] == "yes":
        total += INSURANCE_PRICE * people
    total += BAG_PRICE * given["nonfree_baggages"]
    payments = [{part: one[part] for part in ("payment_id", "amount")} for one in given["payment_methods"]]
    _check_payments(user, payments, total)
    user = state.edit("users", user_id)
    for payment in payments:
        name = payment["payment_id"]
        method = user["payment_methods"][name]
        if method["source"] == "gift_card":
            method["amount"] -= payment["amount"]
        elif method["source"] == "certificate":
            del user["payment_methods"][name]
    for flight in flights:
        day = state.edit("flights", flight["flight_number"])["dates"][flight["date"]]
        day["available_seats"][cabin] -= people
    user["reservations"].append(free[0])
    made = {
        "reservation_id": free[0],
        "user_id": user_id,
        "origin": given["origin"],
        "destination": given["destination"],
        "flight_type": given["flight_type"],
        "cabin": cabin,
        "flights": [
            _leg(state, flight, day["prices"][cabin]) for flight, day in zip(flights, days, strict=True)
        ],
        "passengers": passengers,
        "payment_history": payments,
        "created_at": NOW,
        "total_baggages": given["total_baggages"],
        "nonfree_baggages": given["nonfree_baggages"],
        "insurance": given["insurance"],
        "status": None,
    }
    return state.add("reservations", free[0], made)


def cancel_reservation(state: State, given: Mapping[str, Any]) -> Row:
    """Cancel a reservation and pay back what was paid. The seats are not given back."""
    key = given["reservation_id"]
    _reservation(state, key)
    reservation = state.edit("reservations", key)
    history = reservation["payment_history"]
    history.extend([{"payment_id": one["payment_id"], "amount": -one["amount"]} for one in history])
    reservation["status"] = "cancelled"
    return reservation


def _pay(state: State, reservation: Row, payment_id: Any, total: float) -> None:
    """Pay for a change of a reservation; less than nothing is paid back."""
    user_id = reservation["user_id"]
    method = _user(state, user_id)["payment_methods"].get(payment_id)
    if method is None:
        raise Refused("Payment method not found")
    if method["source"] == "certificate":
        raise Refused("Certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < total:
            raise Refused("Gift card balance is not enough")
        state.edit("users", user_id)["payment_methods"][payment_id]["amount"] -= total
    if total != 0:
        reservation["payment_history"].append({"payment_id": payment_id, "amount": total})


def update_reservation_baggages(state: State, given: Mapping[str, Any]) -> Row:
    """Add bags; those that are not free are paid for."""
    key = given["reservation_id"]
    before = _reservation(state, key)
    total = BAG_PRICE * max(0, given["nonfree_baggages"] - before["nonfree_baggages"])
    reservation = _paid(state, key, given["payment_id"], total)
    reservation["total_baggages"] = given["total_baggages"]
    reservation["nonfree_baggages"] = given["nonfree_baggages"]
    return reservation


def _paid(state: State, key: str, payment_id: Any, total: float) -> Row:
    """The reservation to change once the change is paid for; refused, nothing is changed."""
    reservation = state.edit("reservations", key)
    _pay(state, reservation, payment_id, total)
    return reservation


def update_reservation_flights(state: State, given: Mapping[str, Any]) -> Row:
    """Change flights or cabin; a flight that stays keeps its price. Seats stay as they are."""
    key, cabin = given["reservation_id"], given["cabin"]
    before = _reservation(state, key)
    people = len(before["passengers"])
    kept = {(leg["flight_number"], leg["date"]): leg for leg in before["flights"] if cabin == before["cabin"]}
    legs = []
    for flight in given["flights"]:
        old = kept.get((flight["flight_number"], flight["date"]))
        price = old["price"] if old else _seats(state, flight, cabin, people)["prices"][cabin]
        legs.append(_leg(state, flight, price))
    total = sum(leg["price"] for leg in legs) - sum(leg["price"] for leg in before["flights"])
    reservation = _paid(state, key, given["payment_id"], total * people)
    reservation["flights"] = legs
    reservation["cabin"] = cabin
    return reservation


def update_reservation_passengers(state: State, given: Mapping[str, Any]) -> Row:
    """Give other names for as many passengers."""
    key, passengers = given["reservation_id"], _people(given["passengers"])
    if len(passengers) != len(_reservation(state, key)["passengers"]):
        raise Refused("Number of passengers does not match")
    reservation = state.edit("reservations", key)
    reservation["passengers"] = passengers
    return reservation


def send_certificate(state: State, given: Mapping[str, Any]) -> str:
    """Give a user a certificate."""
    user_id, amount = given["user_id"], given["amount"]
    methods = _user(state, user_id)["payment_methods"]
    name = next((one for one in NEW_CERTIFICATES if one not in methods), None)
    if name is None:
        raise Refused("Too many certificates")
    state.edit("users", user_id)["payment_methods"][name] = {
        "source": "certificate",
        "id": name,
        "amount": amount,
    }
    return f"Certificate {name} added to user {user_id} with amount {amount}."


WORLD = World(
    "airline",
    ("flights", "users", "reservations"),
    {
        tool.__name__: tool
        for tool in (
            book_reservation,
            cancel_reservation,
            send_certificate,
            update_reservation_baggages,
            update_reservation_flights,
            update_reservation_passengers,
        )
    },
    {tool.__name__: tool for tool in (get_user_details, get_reservation_details)},
    frozenset(
        (
            "calculate",
            "get_flight_status",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
            "think",
            "transfer_to_human_agents",
        )
    ),
)
"""The model."""
