"""Reading schedules: `minute hour day-of-month month day-of-week`, each a list of ranges with steps."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truespec.verdict import Place, ReasonCode, SpecificationError, Unsupported

FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of month", 1, 31),
    ("month", 1, 12),
    ("day of week", 0, 7),
)
"""Each field with its least and its greatest value; 0 and 7 are both Sunday."""
_PART = re.compile(r"(?:(\*)|(\d{1,4})(?:-(\d{1,4}))?)(?:/(\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a job fires."""

    text: str
    """As written."""
    minutes: frozenset[int]
    """0 to 59."""
    hours: frozenset[int]
    """0 to 23."""
    days: frozenset[int]
    """Days of the month."""
    months: frozenset[int]
    """1 to 12."""
    weekdays: frozenset[int]
    """0 to 6, from Sunday."""
    any_day: bool
    """Whether the day of the month is unrestricted."""
    any_weekday: bool
    """Whether the day of the week is unrestricted."""


def read(text: str) -> Schedule:
    """Read a schedule; `SpecificationError` names the field and its place."""
    if text.strip().startswith("@"):
        raise Unsupported("a nickname such as @daily: write the five fields out")
    found = list(re.finditer(r"\S+", text))
    if len(found) != len(FIELDS):
        raise SpecificationError(ReasonCode.SYNTAX, f"{len(found)} fields: expected 5, e.g. '0 12 * * 1'")
    values = []
    for match, (name, least, greatest) in zip(found, FIELDS, strict=True):
        values.append(_field(match[0], name, least, greatest, Place.at(text, match.start())))
    minutes, hours, days, months, weekdays = values
    any_day, any_weekday = found[2][0].startswith("*"), found[4][0].startswith("*")
    return Schedule(
        text, minutes, hours, days, months, frozenset(d % 7 for d in weekdays), any_day, any_weekday
    )


def _field(text: str, name: str, least: int, greatest: int, place: Place) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise SpecificationError(
                ReasonCode.SYNTAX, f"{part!r:.40} in the {name}: expected e.g. *, 5, 1-5 or */15", place
            )
        star, low, high, step = match.groups()
        first = least if star else int(low)
        last = greatest if star or (step and not high) else int(high or low)
        if not least <= first <= last <= greatest or step == "0" * len(step or "x"):
            raise SpecificationError(
                ReasonCode.SCOPE,
                f"{part!r:.40} in the {name}: expected values from {least} to {greatest}",
                place,
            )
        values.update(range(first, last + 1, int(step or 1)))
    return frozenset(values)
