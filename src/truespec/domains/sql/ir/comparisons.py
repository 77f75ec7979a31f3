"""How a dialect compares two values: conversions first, then equality and order."""

from __future__ import annotations

import re
from collections.abc import Callable

import z3

from truespec.domains.sql.dialects.dialect import Mixing
from truespec.domains.sql.ir import monotone_days, spans
from truespec.domains.sql.ir.cases import case_taken_off
from truespec.domains.sql.ir.dates import (
    day,
    day_within,
    moment,
    moment_of_number,
    read_date,
    zoned,
    zoned_less,
)
from truespec.domains.sql.ir.facts import DAY_TEXT
from truespec.domains.sql.ir.kinds import (
    ALWAYS_NULL,
    BOOL,
    DATE,
    DATED,
    DATETIME,
    INT,
    MOMENTS,
    NUMBERS,
    REAL,
    SPAN,
    TEXT,
    ZONED,
    Padded,
)
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.ordered_types import is_ordered, number_of, rank, written
from truespec.domains.sql.ir.symbols import name_of
from truespec.domains.sql.ir.truth import logical_not
from truespec.domains.sql.ir.values import Val, check_compared, computed, number, numeric, to_real
from truespec.domains.sql.ir.world import World
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z", re.ASCII)
"""Texts that every dialect reads as the same number."""
_LIKE_NUMBER = re.compile(
    r"[ \t\n\v\f\r]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t\n\v\f\r]*\Z", re.ASCII | re.I
)
"""Texts that SQLite makes numbers where a column asks for them."""


def comparable(world: World, left: Val, right: Val) -> tuple[Val, Val]:
    """Both values as one kind, by the dialect's conversions; `Unsupported` where they are not modelled."""
    check_compared((left, right))
    left, right = computed(left), computed(right)
    if TEXT in (left.kind, right.kind) and world.dialect.mixed_branches_are_texts:
        left, right = _as_days(world, left, right)
    if ZONED in (left.kind, right.kind) and world.dialect.truncated_date_is_zoned:
        left, right = _zoned_pair(world, left, right)
    if DATETIME in (left.kind, right.kind):
        days = [value if value.kind == DATE else day_within(value) for value in (left, right)]
        if days[0] is not None and days[1] is not None:
            return days[0], days[1]
    if left.kind == right.kind:
        return left, right
    kinds = {left.kind, right.kind}
    if kinds <= {*NUMBERS, BOOL}:
        if BOOL in kinds and world.dialect.boolean_beside_number is Mixing.NOT_READ:
            raise Unsupported("sql: a Boolean compared with a number")
        if BOOL in kinds and world.dialect.boolean_beside_number is Mixing.REFUSED:
            raise SpecificationError(ReasonCode.TYPE, "a Boolean is compared with a number")
        left, right = numeric(left), numeric(right)
        return (left, right) if left.kind == right.kind else (to_real(left), to_real(right))
    if kinds == MOMENTS:
        return moment(left), moment(right)
    if kinds == {DATE, INT} and world.dialect.dates_compute_as_numbers:
        left, right = (moment(v) if v.kind == DATE else moment_of_number(v) for v in (left, right))
        return left, right
    if DATED in kinds:
        return as_dated(left), as_dated(right)
    if TEXT in kinds and kinds & MOMENTS:
        text, other = (left, right) if left.kind == TEXT else (right, left)
        if text.literal is None:
            raise Unsupported("sql: a text compared with a date")
        date = read_date(world, text.literal)
        if other.kind == DATE and world.dialect.literals_take_type:
            date = day(date)  # there the text takes the column's type, which drops its time of day
        other, date = comparable(world, other, date)
        return (date, other) if left is text else (other, date)
    if kinds == {TEXT, SPAN}:
        text, other = (left, right) if left.kind == TEXT else (right, left)
        span = spans.of_text(text.literal or "")
        if span is None or not world.dialect.text_literals_convert:
            raise Unsupported("sql: a text compared with an interval")
        return (span, other) if left is text else (other, span)
    if TEXT in kinds and kinds & NUMBERS:
        text, other = (left, right) if left.kind == TEXT else (right, left)
        plain = (text.literal or "").strip(" ")
        if world.dialect.literals_take_type and "." in plain:
            raise Unsupported("sql: a text with a fraction, which takes the type of the number beside it")
        if PLAIN_NUMBER.match(plain) and world.dialect.text_literals_convert:
            read = number(plain.lstrip("+"))
        elif world.dialect.text_columns_convert and text.literal is None and not world.enums:
            read = Val(text.null, z3.Function("number", text.val.sort(), z3.RealSort())(text.val), REAL)
        else:
            raise Unsupported("sql: a text compared with a number")
        read, other = comparable(world, read, other)
        return (read, other) if left is text else (other, read)
    if TEXT in kinds and any(isinstance(kind, Padded) for kind in kinds):
        text, other = (left, right) if left.kind == TEXT else (right, left)
        if text.literal is None:
            raise Unsupported("sql: a CHAR(n) compared with another text")
        read = Val(FALSE, world.text(text.literal.rstrip(" ")), other.kind)
        return (read, other) if left is text else (other, read)
    for value, other in ((left, right), (right, left)):
        read_as = written(value, other.kind, world.dialect) if is_ordered(other.kind) else None
        year = number_of(other, value) if read_as is None else None
        if year is not None:
            return (value, year) if value is left else (year, value)
        if read_as is not None:
            return (read_as, other) if value is left else (other, read_as)
    raise Unsupported(f"sql: a comparison of {left.kind} with {right.kind}")


def _zoned_pair(world: World, left: Val, right: Val) -> tuple[Val, Val]:
    """Two values of which one is a moment with a zone: a day beside it is its first moment in UTC.

    Where both are first moments of days, they compare as the days do. A moment without a zone is one in UTC,
    the session's zone: beside the first moment of a day, both are moments without a zone.
    """
    sides = []
    for value in (left, right):
        if value.kind == TEXT and value.literal is not None and DAY_TEXT.match(value.literal):
            value = read_date(world, value.literal)
        sides.append(zoned(value) if value.kind == DATE else value)
    days = [day_within(value) if value.kind == ZONED else None for value in sides]
    if days[0] is not None and days[1] is not None:
        return days[0], days[1]
    if DATETIME in (sides[0].kind, sides[1].kind):
        sides = [value if found is None else moment(found) for value, found in zip(sides, days, strict=True)]
    return sides[0], sides[1]


def _as_days(world: World, left: Val, right: Val) -> tuple[Val, Val]:
    """Texts that the engine has written for days, as days: `YYYY-MM-DD` sorts as the days do."""
    if not any(value.kind == TEXT and value.literal is None for value in (left, right)):
        return left, right
    days = [value.val if value.kind == DATE else written_day(world, value) for value in (left, right)]
    if days[0] is None or days[1] is None:
        return left, right
    return Val(left.null, days[0], DATE), Val(right.null, days[1], DATE)


def written_day(world: World, value: Val) -> Expr | None:
    """The day that a text is written for, by its form; None for any other text."""
    if value.kind != TEXT:
        return None
    literals = {text.get_id(): literal for literal, text in world.texts.items()}

    def day_of(text: Expr) -> Expr | None:
        if z3.is_app_of(text, z3.Z3_OP_ITE):
            yes, no = day_of(text.arg(1)), day_of(text.arg(2))
            return None if yes is None or no is None else ite(text.arg(0), yes, no)
        if text.num_args() == 1 and text.decl().name() == "text:date":
            return text.arg(0)
        literal = literals.get(text.get_id(), "")
        if not DAY_TEXT.match(literal):
            return None
        try:
            return read_date(world, literal).val
        except Unsupported:
            return None

    return day_of(value.val)


def written_text(world: World, value: Val) -> str | None:
    """The characters of a text that is a literal, by its form; None for any other value."""
    if value.literal is not None or not is_written(value):
        return value.literal
    return next((text for text, const in world.texts.items() if const.eq(value.val)), None)


def is_written(value: Val) -> bool:
    """Whether a value is a text that is a literal."""
    return value.kind == TEXT and z3.is_const(value.val) and name_of(value.val).startswith("text!")


def _written_days(world: World, left: Val, right: Val) -> tuple[str, str] | None:
    """Two texts that are both written as days are; None for any others."""
    if not (is_written(left) and is_written(right)):
        return None
    one, other = written_text(world, left), written_text(world, right)
    if one is None or other is None or not (DAY_TEXT.match(one) and DAY_TEXT.match(other)):
        return None
    return one, other


def as_dated(value: Val) -> Val:
    """A value beside one of kind `DATED`."""
    if value.kind == TEXT and value.literal is not None and not _LIKE_NUMBER.match(value.literal):
        return Val(value.null, value.val, DATED)
    if value.kind != DATED:
        raise Unsupported("sql: a column of dates beside a number, or a text that SQLite may make one")
    return value


def equal(world: World, left: Val, right: Val) -> Val:
    """The `=` of the dialect."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return Val(TRUE, FALSE, BOOL)
    month = _month_of(left, right) or _month_of(right, left)
    if month is not None:
        return month
    left, right = comparable(world, left, right)
    days = _written_days(world, left, right)
    if days is not None:
        return Val(disj(left.null, right.null), z3.BoolVal(days[0] == days[1]), BOOL)
    if left.kind == right.kind == TEXT and world.dialect.collation_merges_texts:
        left, right = _compared_without_case(left, right), _compared_without_case(right, left)
    same = world.key_expression(left) == world.key_expression(right)
    threshold = _threshold(left, right, monotone_days.equated)
    if threshold is not None:
        return Val(disj(left.null, right.null), threshold, BOOL)
    if z3.is_bool(left.val):
        same = left.val == right.val
    null = disj(left.null, right.null)
    return Val(null, z3.simplify(same) if _constant(left, right) else same, BOOL)


def _compared_without_case(value: Val, other: Val) -> Val:
    """A text as the collation sees it beside a literal."""
    return value if other.literal is None else case_taken_off(value, other.literal)


def _threshold(left: Val, right: Val, read: Callable[[Expr, Expr], Formula | None]) -> Formula | None:
    """What a comparison with a literal says of the day that a value is computed from, where that is known."""
    if left.kind not in NUMBERS | MOMENTS:
        return None
    if left.kind == DATETIME:
        days = [day_within(value) for value in (left, right)]
        return None if days[0] is None or days[1] is None else read(days[0].val, days[1].val)
    return read(left.val, right.val)


def _constant(left: Val, right: Val) -> bool:
    return all(z3.is_int_value(v.val) or z3.is_rational_value(v.val) for v in (left, right))


def _month_of(text: Val, literal: Val) -> Val | None:
    """`DATE_FORMAT(d, '%Y-%m') = '2020-02'` as a statement about the month."""
    if literal.literal is None or text.kind != TEXT or text.val.decl().name() != "text.yearmonth":
        return None
    match = re.match(r"([0-9]{4})-(0[1-9]|1[0-2])\Z", literal.literal)
    if not match:
        return None
    goal = int(match[1]) * 12 + int(match[2])
    return Val(text.null, text.val.arg(0) == z3.IntVal(goal), BOOL)


def less(world: World, left: Val, right: Val) -> Val:
    """The `<` of the dialect."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return Val(TRUE, FALSE, BOOL)
    left, right = comparable(world, left, right)
    null = disj(left.null, right.null)
    if left.kind in (TEXT, DATED) or isinstance(left.kind, Padded):
        if world.enums and not world.dialect.expressions_lose_type:
            raise Unsupported("sql: an order of texts beside ENUM columns, which order by position")
        days = _written_days(world, left, right)
        if days is not None:
            return Val(null, z3.BoolVal(days[0] < days[1]), BOOL)
        return Val(null, world.collation(left.val) < world.collation(right.val), BOOL)
    sooner = zoned_less(left, right) if left.kind == ZONED else None
    if sooner is not None:
        return Val(null, sooner, BOOL)
    if left.kind == BOOL:
        return Val(null, conj(neg(left.val), right.val), BOOL)
    if is_ordered(left.kind):
        return Val(null, rank(left.val, left.kind) < rank(right.val, right.kind), BOOL)
    if left.kind not in {*NUMBERS, *MOMENTS, SPAN}:
        raise Unsupported(f"sql: an order of values of type {left.kind.shown}")
    threshold = _threshold(left, right, monotone_days.compared)
    if threshold is not None:
        return Val(null, threshold, BOOL)
    below = left.val < right.val
    return Val(null, z3.simplify(below) if _constant(left, right) else below, BOOL)


def compare(world: World, operator: str, left: Val, right: Val) -> Val:
    """A comparison by its operator."""
    match operator:
        case "=":
            return equal(world, left, right)
        case "<>":
            return logical_not(equal(world, left, right))
        case "<":
            return less(world, left, right)
        case ">":
            return less(world, right, left)
        case "<=":
            return logical_not(less(world, right, left))
        case _:
            return logical_not(less(world, left, right))


def null_safe_equal(world: World, left: Val, right: Val) -> Formula:
    """Whether grouping puts both values together."""
    if left.kind in ALWAYS_NULL or right.kind in ALWAYS_NULL:
        return conj(left.null, right.null)
    same = equal(world, left, right)
    return disj(conj(left.null, right.null), conj(neg(left.null), neg(right.null), same.val))
