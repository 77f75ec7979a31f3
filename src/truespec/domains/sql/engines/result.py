"""What a query yields: rows or a run-time error, and when two results are the same."""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from truespec.verdict.evidence import JSON

Cell: TypeAlias = "bool | int | float | Decimal | str | bytes | None"
"""A value of a result. Dates and times are their ISO text; a Boolean is its own kind and no number."""
Row = tuple[Cell, ...]

TOLERANCE = 1e-9
"""Numbers this close, relatively, differ at most by rounding, and no refutation rests on rounding."""

_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?", re.ASCII)
EXACT_DIGITS = 9
"""A fraction inside a structure that has more digits after the point may have been rounded."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a query returned, in the order it returned them."""

    rows: tuple[Row, ...]
    """One tuple of cells per row."""
    columns: tuple[str, ...] = ()
    """The names the engine gave; they take no part in comparisons."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run-time error, such as a scalar subquery of two rows."""

    message: str
    """What the engine said."""


Outcome = Rows | Failure


def cell(value: object) -> Cell:
    """A value as a driver returned it, as a cell."""
    match value:
        case None | bool() | int() | float() | Decimal() | str():
            return value
        case bytes() | bytearray() | memoryview():
            raw = bytes(value)
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError:
                return raw
        case datetime.datetime():
            return value.isoformat(sep=" ")
        case datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            seconds = value.total_seconds()
            sign, rest = ("-" if seconds < 0 else ""), abs(seconds)
            whole = int(rest)
            text = f"{sign}{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
            return text if rest == whole else f"{text}.{rest - whole:.6f}".replace(".0.", ".")
        case dict() | list() | tuple():
            return nested(value)
    lower, upper, bounds = (getattr(value, name, None) for name in ("lower", "upper", "bounds"))
    if isinstance(bounds, str) and len(bounds) == 2:
        return f"{bounds[0]}{nested(lower)}, {nested(upper)}{bounds[1]}"
    return str(value)  # a UUID, an address, an empty range


def nested(value: object) -> str:
    """A structure, map or list as a text: numbers by value, keys in one order.

    All fractions that may have been rounded look alike: no refutation rests on one inside a structure.

    >>> nested({"b": [Decimal("1.0")], "a": 1}) == nested({"a": 1, "b": [1]})
    True
    """
    match value:
        case dict():
            members = sorted(f"{nested(key)}: {nested(part)}" for key, part in value.items())
            return "{" + ", ".join(members) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(nested, value)) + "]"
        case bool():
            return repr(value)
        case float() if not value.is_integer():
            return "fraction"
        case int() | float() | Decimal():
            exact = Decimal(value)
            if not exact.is_finite() or exact == exact.to_integral_value():
                return str(int(exact)) if exact.is_finite() else str(exact)
            return "fraction" if exact != round(exact, EXACT_DIGITS) else str(exact.normalize())
    return repr(cell(value))


def rows(found: Iterable[Sequence[object]], columns: Sequence[str] = ()) -> Rows:
    """A driver's rows as a result."""
    return Rows(tuple(tuple(map(cell, row)) for row in found), tuple(columns))


def same(left: Outcome, right: Outcome, *, ordered: bool, tolerance: float = TOLERANCE) -> bool:
    """Whether two outcomes are equal: as lists if `ordered`, else as bags; errors equal errors.

    Numbers are equal by value up to a relative `tolerance`, texts bytewise, NULL equals NULL, columns by
    position.
    """
    if isinstance(left, Failure) or isinstance(right, Failure):
        return isinstance(left, Failure) and isinstance(right, Failure)
    if len(left.rows) != len(right.rows):
        return False
    if left.rows == right.rows and _all_plain(left.rows) and _all_plain(right.rows):
        return True
    if ordered:
        return all(_same_row(one, other, tolerance) for one, other in zip(left.rows, right.rows, strict=True))
    return _same_bag(left.rows, right.rows, tolerance)


def folded(outcome: Outcome, *, letters: bool) -> Outcome:
    """An outcome whose texts are the same where they write one number.

    With `letters`, also where a collation without case and accents calls them equal.
    """
    if not isinstance(outcome, Rows):
        return outcome
    rows = tuple(tuple(_folded(value, letters) for value in row) for row in outcome.rows)
    return Rows(rows, outcome.columns)


def _folded(value: Cell, letters: bool) -> Cell:
    if not isinstance(value, str):
        return value
    if _NUMBER.fullmatch(value):
        return str(Decimal(value).normalize())
    return unaccented(value.casefold()).rstrip(" ") if letters else value


def unaccented(text: str) -> str:
    """The text without its accents, which MariaDB's collation calls equal."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _same_bag(left: Sequence[Row], right: Sequence[Row], tolerance: float) -> bool:
    there, here = Counter(map(_key, left)), Counter(map(_key, right))
    if there == here:
        return True
    # Rows that differ exactly may still be equal up to rounding: match what is left one to one.
    rest = list((here - there).elements())
    for row in (there - here).elements():
        match = next((other for other in rest if _same_row(row, other, tolerance)), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


def _all_plain(found: Sequence[Row]) -> bool:
    return not any(isinstance(value, bool) for row in found for value in row)


def _key(row: Row) -> Row:
    # True == 1 in Python; a Boolean gets a key that no number has.
    return tuple(str(value).encode() if isinstance(value, bool) else value for value in row)


def _same_row(left: Row, right: Row, tolerance: float) -> bool:
    return len(left) == len(right) and all(
        _same_cell(one, other, tolerance) for one, other in zip(left, right, strict=True)
    )


def _same_cell(left: Cell, right: Cell, tolerance: float) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float | Decimal) and isinstance(right, int | float | Decimal):
        if left == right:
            return True
        one, other = float(left), float(right)
        return abs(one - other) <= tolerance * max(abs(one), abs(other), 1e-3)
    return type(left) is type(right) and left == right


def to_json(outcome: Outcome) -> JSON:
    """The outcome as a verdict record shows it; numbers that JSON would round become their text."""
    if isinstance(outcome, Failure):
        return {"error": outcome.message}
    return [[_json_cell(value) for value in row] for row in outcome.rows]


def _json_cell(value: Cell) -> JSON:
    match value:
        case Decimal():
            if value == value.to_integral_value():
                return _json_cell(int(value))
            return str(value.normalize())
        case bytes():
            return value.hex()
        case bool() | str() | None:
            return value
        case int():
            return value if abs(value) <= 2**53 else str(value)
    return value if math.isfinite(value) else str(value)
