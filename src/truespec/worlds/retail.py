"""tau2-bench's shop: what its tools do to products, users and orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from truespec.worlds.world import Refused, Row, State, World

REASONS = ("no longer needed", "ordered by mistake")
"""Why an order may be cancelled."""
ADDRESS = ("address1", "address2", "city", "state", "country", "zip")
"""The parts of an address."""


def _user(state: State, key: Any) -> Row:
    user = state.get("users", key)
    if user is None:
        raise Refused("User not found")
    return user


def _order(state: State, key: Any) -> Row:
    order = state.get("orders", key)
    if order is None:
        raise Refused("Order not found")
    return order


def _method(state: State, user_id: str, key: Any) -> Row:
    method: Row | None = _user(state, user_id)["payment_methods"].get(key)
    if method is None:
        raise Refused("Payment method not found")
    return method


def _charge(state: State, user_id: str, key: str, amount: float) -> None:
    """Take an amount from a gift card; other methods have no balance. Less than nothing is paid back."""
    if _method(state, user_id, key)["source"] == "gift_card":
        card = state.edit("users", user_id)["payment_methods"][key]
        card["balance"] = round(card["balance"] - amount, 2)


def _covers(method: Mapping[str, Any], amount: float, message: str) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise Refused(message)


def _pending(order: Mapping[str, Any]) -> bool:
    """Whether an order can still be changed; that its items were changed is part of its status."""
    return "pending" in order["status"]


def get_user_details(state: State, given: Mapping[str, Any]) -> Row:
    """The record of a user."""
    return _user(state, given["user_id"])


def get_order_details(state: State, given: Mapping[str, Any]) -> Row:
    """The record of an order."""
    return _order(state, given["order_id"])


def get_product_details(state: State, given: Mapping[str, Any]) -> Row:
    """The record of a product with its variants."""
    product = state.get("products", given["product_id"])
    if product is None:
        raise Refused("Product not found")
    return product


def cancel_pending_order(state: State, given: Mapping[str, Any]) -> Row:
    """Cancel an order and pay back what was paid."""
    key = given["order_id"]
    if _order(state, key)["status"] != "pending":
        raise Refused("Non-pending order cannot be cancelled")
    if given["reason"] not in REASONS:
        raise Refused("Invalid reason")
    order = state.edit("orders", key)
    refunds = []
    for payment in order["payment_history"]:
        method, amount = payment["payment_method_id"], payment["amount"]
        refunds.append({"transaction_type": "refund", "amount": amount, "payment_method_id": method})
        _charge(state, order["user_id"], method, -amount)
    order["status"] = "cancelled"
    order["cancel_reason"] = given["reason"]
    order["payment_history"].extend(refunds)
    return order


def _exchanged(
    state: State, order: Mapping[str, Any], old: Sequence[str], new: Sequence[str]
) -> tuple[list[tuple[str, Row]], float]:
    """For each item the variant that takes its place, and by how much they are dearer."""
    there = Counter(item["item_id"] for item in order["items"])
    for item, wanted in Counter(old).items():
        if there[item] < wanted:
            raise Refused(f"{item} not found")
    if len(old) != len(new):
        raise Refused("The number of items to be exchanged should match")
    pairs, dearer = [], 0.0
    for item_id, new_id in zip(old, new, strict=True):
        item = next(one for one in order["items"] if one["item_id"] == item_id)
        product = state.get("products", item["product_id"]) or {}
        variant = product.get("variants", {}).get(new_id)
        if variant is None or not variant["available"]:
            raise Refused(f"New item {new_id} not found or available")
        pairs.append((item_id, variant))
        dearer += variant["price"] - item["price"]
    return pairs, round(dearer, 2)


def exchange_delivered_order_items(state: State, given: Mapping[str, Any]) -> Row:
    """Ask for other variants in place of delivered items."""
    key, method = given["order_id"], given["payment_method_id"]
    before = _order(state, key)
    if before["status"] != "delivered":
        raise Refused("Non-delivered order cannot be exchanged")
    _, dearer = _exchanged(state, before, given["item_ids"], given["new_item_ids"])
    _covers(
        _method(state, before["user_id"], method),
        dearer,
        "Insufficient gift card balance to pay for the price difference",
    )
    order = state.edit("orders", key)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(given["item_ids"])
    order["exchange_new_items"] = sorted(given["new_item_ids"])
    order["exchange_payment_method_id"] = method
    order["exchange_price_difference"] = dearer
    return order


def modify_pending_order_address(state: State, given: Mapping[str, Any]) -> Row:
    """Send an order elsewhere."""
    key = given["order_id"]
    if not _pending(_order(state, key)):
        raise Refused("Non-pending order cannot be modified")
    order = state.edit("orders", key)
    order["address"] = {part: given[part] for part in ADDRESS}
    return order


def modify_pending_order_items(state: State, given: Mapping[str, Any]) -> Row:
    """Put other variants into an order; that is possible once."""
    key, method = given["order_id"], given["payment_method_id"]
    before = _order(state, key)
    if before["status"] != "pending":
        raise Refused("Non-pending order cannot be modified")
    pairs, dearer = _exchanged(state, before, given["item_ids"], given["new_item_ids"])
    if any(item_id == variant["item_id"] for item_id, variant in pairs):
        raise Refused("The new item id should be different from the old item id")
    user_id = before["user_id"]
    _covers(_method(state, user_id, method), dearer, "Insufficient gift card balance to pay for the new item")
    order = state.edit("orders", key)
    order["payment_history"].append(
        {
            "transaction_type": "payment" if dearer > 0 else "refund",
            "amount": abs(dearer),
            "payment_method_id": method,
        }
    )
    _charge(state, user_id, method, dearer)
    for item_id, variant in pairs:
        item = next(one for one in order["items"] if one["item_id"] == item_id)
        item["item_id"] = variant["item_id"]
        item["price"] = variant["price"]
        item["options"] = variant["options"]
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(state: State, given: Mapping[str, Any]) -> Row:
    """Pay for an order by another method and pay back the old one."""
    key, method = given["order_id"], given["payment_method_id"]
    before = _order(state, key)
    if not _pending(before):
        raise Refused("Non-pending order cannot be modified")
    user_id = before["user_id"]
    new = _method(state, user_id, method)
    history = before["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise Refused("There should be exactly one payment for a pending order")
    amount, old = history[0]["amount"], history[0]["payment_method_id"]
    if old == method:
        raise Refused("The new payment method should be different from the current one")
    _covers(new, amount, "Insufficient gift card balance to pay for the order")
    order = state.edit("orders", key)
    order["payment_history"].extend(
        [
            {"transaction_type": "payment", "amount": amount, "payment_method_id": method},
            {"transaction_type": "refund", "amount": amount, "payment_method_id": old},
        ]
    )
    _charge(state, user_id, method, amount)
    _charge(state, user_id, old, -amount)
    return order


def modify_user_address(state: State, given: Mapping[str, Any]) -> Row:
    """Change a user's own address."""
    key = given["user_id"]
    _user(state, key)
    user = state.edit("users", key)
    user["address"] = {part: given[part] for part in ADDRESS}
    return user


def return_delivered_order_items(state: State, given: Mapping[str, Any]) -> Row:
    """Ask for delivered items to be taken back."""
    key, method = given["order_id"], given["payment_method_id"]
    before = _order(state, key)
    if before["status"] != "delivered":
        raise Refused("Non-delivered order cannot be returned")
    source = _method(state, before["user_id"], method)["source"]
    if source != "gift_card" and method != before["payment_history"][0]["payment_method_id"]:
        raise Refused("Payment method should be the original payment method")
    there = Counter(item["item_id"] for item in before["items"])
    for item, wanted in Counter(given["item_ids"]).items():
        if there[item] < wanted:
            raise Refused("Some item not found")
    order = state.edit("orders", key)
    order["status"] = "return requested"
    order["return_items"] = sorted(given["item_ids"])
    order["return_payment_method_id"] = method
    return order


WORLD = World(
    "retail",
    ("products", "users", "orders"),
    {
        tool.__name__: tool
        for tool in (
            cancel_pending_order,
            exchange_delivered_order_items,
            modify_pending_order_address,
            modify_pending_order_items,
            modify_pending_order_payment,
            modify_user_address,
            return_delivered_order_items,
        )
    },
    {tool.__name__: tool for tool in (get_user_details, get_order_details, get_product_details)},
    frozenset(
        (
            "calculate",
            "find_user_id_by_email",
            "find_user_id_by_name_zip",
            "get_item_details",
            "list_all_product_types",
            "think",
            "transfer_to_human_agents",
        )
    ),
)
"""The model."""
