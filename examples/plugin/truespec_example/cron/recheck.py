"""The meaning of a schedule by its definition, moment by moment: nothing is shared with `schedule.py`."""

from __future__ import annotations

from collections.abc import Mapping

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.verdict import Answer, Counterexample, Relation, Verdict

NAME = "moment-by-moment reading of truespec_example.cron.recheck"
_MONTH_LENGTHS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


def fires_at(text: str, moment: Mapping[str, object], both: bool) -> bool:
    """Whether a schedule fires at a moment: month, day, weekday, hour and minute."""
    minute, hour, day, month, weekday = text.split()
    at = {name: int(str(value)) for name, value in moment.items()}
    on_day = _allows(day, at["day"], 1, 31)
    on_weekday = _allows(weekday, at["weekday"], 0, 7) or (at["weekday"] == 0 and _allows(weekday, 7, 0, 7))
    if both or day[0] == "*" or weekday[0] == "*":
        today = on_day and on_weekday
    else:
        today = on_day or on_weekday
    return (
        today
        and _allows(month, at["month"], 1, 12)
        and _allows(hour, at["hour"], 0, 23)
        and _allows(minute, at["minute"], 0, 59)
    )


def _allows(field: str, value: int, least: int, greatest: int) -> bool:
    for part in field.split(","):
        span, _, step = part.partition("/")
        low, _, high = span.partition("-")
        first = least if span == "*" else int(low)
        last = int(high) if high else greatest if span == "*" or step else first
        if first <= value <= last and (value - first) % int(step or "1") == 0:
            return True
    return False


def _year(text: str, both: bool) -> list[int]:
    """For each month, day and weekday, the minutes at which a schedule fires, as the bits of a number."""
    minute, hour, *_ = text.split()
    day_bits = 0
    for number in range(24 * 60):
        if _allows(hour, number // 60, 0, 23) and _allows(minute, number % 60, 0, 59):
            day_bits |= 1 << number
    some = {"hour": (day_bits.bit_length() - 1) // 60, "minute": (day_bits.bit_length() - 1) % 60}
    return [
        day_bits if fires_at(text, {"month": month, "day": day, "weekday": weekday, **some}, both) else 0
        for month in range(1, 13)
        for day in range(1, _MONTH_LENGTHS.get(month, 31) + 1)
        for weekday in range(7)
    ]


def recheck(oracle: str, candidate: str, both: bool, verdict: Verdict) -> Recheck:
    """Compare the two at every minute of every kind of day."""
    left, right = _year(oracle, both), _year(candidate, both)
    lost = any(mine & ~other for mine, other in zip(left, right, strict=True))
    added = any(other & ~mine for mine, other in zip(left, right, strict=True))
    found = (Answer.REFUTED if lost or added else Answer.EQUIVALENT, _relation(lost, added))
    if found != (verdict.answer, verdict.relation):
        return Recheck(RecheckStatus.FAILED, NAME, f"found {found[0].value}, {found[1]}")
    if isinstance(verdict.evidence, Counterexample):
        point = verdict.evidence.point
        if fires_at(oracle, point, both) == fires_at(candidate, point, both):
            return Recheck(RecheckStatus.FAILED, NAME, f"the two agree at {dict(point)}")
    return Recheck(RecheckStatus.CONFIRMED, NAME)


def _relation(lost: bool, added: bool) -> Relation | None:
    if lost and added:
        return Relation.INCOMPARABLE
    return Relation.STRONGER if lost else Relation.WEAKER if added else None
