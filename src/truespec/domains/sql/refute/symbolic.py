"""Values of SQL as Z3 terms, read loosely: enough to propose rows, never to prove anything.

Numbers are integers or rationals, texts Z3's strings, dates days, moments seconds. Where types meet,
a literal is read as the other side's type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import z3

from truespec.domains.sql.refute.literals import as_date, numeric_prefix
from truespec.solvers.z3 import standing

SECONDS = 86_400
"""Seconds in a day."""
TRUE, FALSE = standing(lambda: z3.BoolVal(True)), standing(lambda: z3.BoolVal(False))
_PARTS = {"%Y": r"(?P<y>\d{4})", "%m": r"(?P<m>\d{2})", "%d": r"(?P<d>\d{2})", "%c": r"(?P<m>\d{1,2})"}


class Beyond(Exception):
    """A construct that has no reading here."""


@dataclass(frozen=True, slots=True)
class Value:
    null: Any
    """Whether it is NULL."""
    value: Any
    """The value elsewhere."""
    kind: str
    """`number`, `text`, `date` (days), `moment` (seconds), `truth`, or `written` and a format of dates."""
    literal: str | None = None
    """The characters of a text literal."""


def number_of(text: str) -> Value:
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise Beyond from error
    if not number.is_finite() or not -12 <= number.adjusted() <= 12:
        raise Beyond
    whole = number == number.to_integral_value()
    return Value(FALSE, z3.IntVal(int(number)) if whole else z3.RealVal(str(number)), "number")


def real(value: Any) -> Any:
    return z3.ToReal(value) if value.is_int() else value


def as_number(value: Value) -> Value:
    if value.kind == "number":
        return value
    if value.kind == "null":
        return Value(TRUE, z3.IntVal(0), "number")
    if value.kind == "truth":
        return Value(value.null, z3.If(value.value, z3.IntVal(1), z3.IntVal(0)), "number")
    if value.literal is not None:
        return number_of(numeric_prefix(value.literal))
    if re.fullmatch(r"written (%\w)+", value.kind):
        return Value(value.null, value.value, "number")
    raise Beyond


def as_day(value: Value) -> Value:
    if value.kind == "date":
        return value
    if value.kind == "moment":
        return Value(value.null, value.value / SECONDS, "date")
    day = as_date(value.literal) if value.literal is not None else None
    if day is None:
        raise Beyond
    return Value(FALSE, z3.IntVal(day.toordinal()), "date")


def as_moment(value: Value) -> Value:
    if value.kind == "moment":
        return value
    clock = re.search(r"[ T](\d{1,2}):(\d{2})(?::(\d{2}))?", value.literal or "")
    seconds = 0
    if clock:
        seconds = int(clock.group(1)) * 3600 + int(clock.group(2)) * 60 + int(clock.group(3) or 0)
    day = as_day(value)
    return Value(day.null, day.value * SECONDS + seconds, "moment")


def truth_of(value: Value) -> Value:
    if value.kind == "truth":
        return value
    number = as_number(value)
    return Value(number.null, number.value != 0, "truth")


def is_true(value: Value) -> Any:
    return z3.And(z3.Not(value.null), value.value)


def negation(value: Value) -> Value:
    return Value(value.null, z3.Not(value.value), "truth")


def conjunction(values: Any) -> Value:
    parts = list(values)
    false = z3.Or(*(z3.And(z3.Not(part.null), z3.Not(part.value)) for part in parts))
    true = z3.And(*map(is_true, parts))
    return Value(z3.Not(z3.Or(false, true)), true, "truth")


def choice(test: Any, yes: Value, no: Value) -> Value:
    if yes.kind == "null":
        return Value(z3.Or(test, no.null), no.value, no.kind)
    if no.kind == "null":
        return Value(z3.Or(z3.Not(test), yes.null), yes.value, yes.kind)
    one, other = alike(yes, no)
    return Value(z3.If(test, one.null, other.null), z3.If(test, one.value, other.value), one.kind)


def alike(one: Value, other: Value) -> tuple[Value, Value]:
    """Both as values of one kind."""
    kinds = {one.kind, other.kind}
    if len(kinds) == 1 and one.kind != "number":
        return one, other
    if "null" in kinds:
        there = other if one.kind == "null" else one
        nothing = Value(TRUE, there.value, there.kind)
        return (nothing, there) if one.kind == "null" else (there, nothing)
    for mine, yours, swapped in ((one, other, False), (other, one, True)):
        if mine.kind.startswith("written") and yours.literal is not None:
            read = _read_written(yours.literal, mine.kind.removeprefix("written "))
            return (read, mine) if swapped else (mine, read)
    if "moment" in kinds:
        return as_moment(one), as_moment(other)
    if "date" in kinds:
        return as_day(one), as_day(other)
    return as_number(one), as_number(other)


def _read_written(text: str, form: str) -> Value:
    """A text as the number that its parts make."""
    pattern = re.escape(form).replace("\\-", "-")
    for part, digits in _PARTS.items():
        pattern = pattern.replace(part, digits)
    found = re.fullmatch(pattern, text)
    if found is None:
        raise Beyond
    number = 0
    for part in re.findall(r"%\w", form):
        number = number * 100 + int(found.group({"%Y": "y", "%m": "m", "%c": "m", "%d": "d"}[part]))
    return Value(FALSE, z3.IntVal(number), f"written {form}")


def compared(operator: str, left: Value, right: Value) -> Value:
    one, other = alike(left, right)
    a, b = one.value, other.value
    null = z3.Or(one.null, other.null)
    match operator:
        case "=":
            return Value(null, a == b, "truth")
        case "<>":
            return Value(null, a != b, "truth")
    if one.kind == "truth":
        raise Beyond
    if operator in (">", ">="):
        a, b = b, a
    return Value(null, a < b if operator in ("<", ">") else a <= b, "truth")


def like_pattern(pattern: str, escape: str) -> Any:
    """A LIKE pattern as a regular expression."""
    any_character = z3.Range(" ", "~")
    parts: list[Any] = []
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if character == escape and place + 1 < len(pattern):
            place += 1
            parts.append(z3.Re(z3.StringVal(pattern[place])))
        elif character == "%":
            parts.append(z3.Star(any_character))
        elif character == "_":
            parts.append(any_character)
        else:
            parts.append(z3.Re(z3.StringVal(character)))
        place += 1
    if not parts:
        return z3.Re(z3.StringVal(""))
    return z3.Concat(*parts) if len(parts) > 1 else parts[0]


def unlike(one: Value, other: Value) -> Any:
    """Whether two values differ, NULL being like NULL."""
    return z3.Or(one.null != other.null, z3.And(z3.Not(one.null), one.value != other.value))
