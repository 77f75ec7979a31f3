"""CAST."""

from __future__ import annotations

from dataclasses import replace

import z3
from sqlglot import exp

from truespec.domains.sql import fractions
from truespec.domains.sql.compile.expr.numbers import finite, rounded
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.dialects.dialect import DecimalCast
from truespec.domains.sql.ir import ordered_types
from truespec.domains.sql.ir.dates import day, day_of_zoned, moment, read_date
from truespec.domains.sql.ir.kinds import (
    ALWAYS_NULL,
    BOOL,
    DATE,
    DATED,
    DATETIME,
    INT,
    LOOSE,
    MOMENTS,
    NUMBERS,
    REAL,
    TEXT,
    ZONED,
    Kind,
    Sealed,
    padded,
)
from truespec.domains.sql.ir.logic import FALSE, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.opaque import opaque, strict, text_of
from truespec.domains.sql.ir.quotients import reduced
from truespec.domains.sql.ir.symbols import constants, operands
from truespec.domains.sql.ir.values import Val, null_of, numeric, to_real
from truespec.domains.sql.places import place_of
from truespec.domains.sql.rules.rounding import integer, scale_of
from truespec.domains.sql.schema_types import Kind as Column
from truespec.verdict import Unsupported

_Type = exp.DataType.Type
MIXED = "sql: CAST to an integer beside DOUBLE and DECIMAL, which the engine rounds differently"
_TOO_NARROW = {
    "text.digits2": frozenset(),
    "text.digits4": frozenset({_Type.TINYINT}),
    "text.digits6": frozenset({_Type.TINYINT, _Type.SMALLINT}),
}
"""The functions that write a number in digits, and the integers that do not hold all of so many digits."""
_INTEGERS = frozenset({_Type.TINYINT, _Type.SMALLINT, _Type.MEDIUMINT, _Type.INT, _Type.BIGINT})
"""Types to which a cast of an integer that fits changes nothing."""


def _cast(reader: Reader, node: exp.Cast, scope: Scope) -> Val:
    value, written = reader.value(node.this, scope), node.to.this
    if value.kind in ALWAYS_NULL:
        return null_of(_kind_written(reader, node.to))
    if written in _INTEGERS or written in exp.DataType.FLOAT_TYPES or written is _Type.DECIMAL:
        found = _to_number(reader, node, value, scope)
    elif written in exp.DataType.TEXT_TYPES:
        found = _to_text(reader, node.to, value)
    elif written in exp.DataType.UNSIGNED_INTEGER_TYPES:
        raise Unsupported(f"sql: CAST to {_shown(reader, node.to)}, which turns signs over")
    else:
        found = _to_moment(reader, node.to, value)
    if found is None and written is _Type.BOOLEAN and value.kind == BOOL:
        return value
    if found is None and written is _Type.BOOLEAN and value.kind == INT and reader.dialect.has_boolean_type:
        return Val(value.null, value.val != 0, BOOL)
    if found is None:
        raise Unsupported(f"sql: CAST of {value.kind} to {_shown(reader, node.to)}")
    return found


def _shown(reader: Reader, to: exp.DataType) -> str:
    return to.sql(reader.dialect.name)


def _sizes(to: exp.DataType) -> list[int]:
    """The numbers in parentheses behind a type."""
    return [int(part.name) for part in to.expressions if part.name.isdigit()]


def _to_number(reader: Reader, node: exp.Cast, value: Val, scope: Scope) -> Val | None:
    to, written = node.to, node.to.this
    if written in _INTEGERS and value.kind in (INT, BOOL):
        return numeric(value)
    if written in _INTEGERS and z3.is_app(value.val) and value.val.decl().name() in _TOO_NARROW:
        if written in _TOO_NARROW[value.val.decl().name()]:
            raise Unsupported(f"sql: CAST to {_shown(reader, to)} of a text of more digits")
        return Val(value.null, value.val.arg(0), INT)  # a number written in digits, zeros before it
    if written in _INTEGERS and value.kind in (TEXT, DATED) and not reader.dialect.errors_raise:
        # The number that the text begins with, or 0.
        return strict(reader.dialect, "cast INTEGER", [value], INT)
    if value.kind not in NUMBERS:
        return None
    if written in _INTEGERS:
        finite(reader)
        return _whole(reader, node, value, conj(scope.given(constants(value.val)), neg(value.null)))
    if written in exp.DataType.FLOAT_TYPES:
        return to_real(value)
    if value.kind != INT:
        finite(reader)
    sizes = _sizes(to)
    match reader.dialect.decimal_cast:
        case DecimalCast.CLAMPED:
            return _clamped(reader, value, *(sizes or [10]))
        case DecimalCast.BY_VALUE:
            return replace(to_real(value), kind=LOOSE)
    if value.kind == INT:
        return to_real(value)
    if not sizes and reader.dialect.bare_decimal_keeps_number:
        return to_real(value)
    return Val(value.null, rounded(reader, value, sizes[1] if len(sizes) > 1 else 0), REAL)


def _whole(reader: Reader, node: exp.Cast, value: Val, given: Formula) -> Val | None:
    """A number that is proved to be whole, or cut where the dialect cuts, or rounded."""
    number = to_real(value).val
    whole = integer(number)
    if whole is not None:
        return Val(value.null, whole, INT)
    parts = operands(number) if z3.is_div(number) else ()
    if parts and z3.is_to_real(parts[0]) and z3.is_rational_value(parts[1]):
        by = parts[1].as_fraction()
        above = parts[0].arg(0)
        if by.denominator == 1 and by > 0 and reader.world.holds(given, above % int(by) == 0):
            return Val(value.null, above / int(by), INT)
    if reader.dialect.casts_cut:
        size = z3.ToInt(ite(number >= 0, number, -number))
        return Val(value.null, ite(number >= 0, size, -size), INT)
    if scale_of(reader.world, reader.aggregates, number) == 0:
        return Val(value.null, number, LOOSE)  # as a sum of integers, which has no term that is an integer
    whole = z3.ToInt(number)
    if reader.world.holds(given, number == z3.ToReal(whole)):
        return Val(value.null, whole, INT)
    return _nearest(reader, node, value)


def _nearest(reader: Reader, node: exp.Cast, value: Val) -> Val | None:
    """The nearest integer to a fraction: halves of DECIMAL go away from zero, halves of DOUBLE to even.

    Where ROUND makes this difference too, a CAST does what it does; elsewhere the form of the expression
    tells.
    """
    if reader.dialect.rounds_by_type:
        if not reader.one_sort:
            raise Unsupported(MIXED)
        reader.makes_whole = True
        return _rounded(reader, value)
    sort = fractions.sort_of(node.this, reader.world.schema)
    if sort is Column.DECIMAL:
        return _rounded(reader, value)
    if sort is Column.FLOAT:
        to_even = z3.Function("round to even", z3.RealSort(), z3.IntSort())
        return Val(value.null, to_even(reduced(to_real(value).val)[0]), INT)
    return None


def _rounded(reader: Reader, value: Val) -> Val:
    """A number as ROUND makes it whole."""
    number = rounded(reader, value, 0)
    whole = integer(number)
    return Val(value.null, z3.ToInt(number) if whole is None else whole, INT)


def _clamped(reader: Reader, value: Val, digits: int, scale: int = 0) -> Val:
    """A number rounded to the scale, and the nearest one that fits where it does not."""
    val = rounded(reader, value, scale)
    most = z3.Q(10**digits - 1, 10**scale)
    return Val(value.null, ite(val > most, most, ite(val < -most, -most, val)), REAL)


def _to_text(reader: Reader, to: exp.DataType, value: Val) -> Val | None:
    written, sizes = to.this, _sizes(to)
    if reader.dialect.char_is_padded and written in (_Type.CHAR, _Type.NCHAR) and value.kind == TEXT:
        size = sizes[0] if sizes else 1
        if value.literal is not None and len(value.literal) <= size:
            return Val(FALSE, reader.world.text(value.literal.rstrip(" ")), padded(size))
        return opaque(reader.dialect, f"cast CHAR({size})", [value], padded(size))
    if written.value in reader.dialect.casts_not_read:
        raise Unsupported(f"sql: CAST to {_shown(reader, to)}, which cuts or pads, or lacks characters")
    if value.kind == DATED:
        return opaque(reader.dialect, "cast TEXT", [value], TEXT)
    if value.kind in (DATE, INT) and not sizes:
        return text_of(reader.dialect, value)
    if isinstance(value.kind, Sealed) and not sizes and reader.dialect.functions_of_shown_types_read:
        return strict(reader.dialect, "cast TEXT", [value], TEXT)
    if value.kind == BOOL and not sizes and reader.dialect.has_boolean_type:
        written_as = (reader.world.text("true"), reader.world.text("false"))
        return Val(value.null, ite(value.val, *written_as), TEXT)
    if value.kind != TEXT:
        return None
    if not sizes:
        return reader.typed(value)
    return opaque(reader.dialect, f"cast {_shown(reader, to)}", [value], TEXT)


def _to_moment(reader: Reader, to: exp.DataType, value: Val) -> Val | None:
    converts = value.kind == TEXT and value.literal is not None and reader.dialect.text_literals_convert
    if to.this in (_Type.DATE, _Type.DATE32):
        if converts:
            return day(read_date(reader.world, str(value.literal)))
        if value.kind in MOMENTS:
            return day(value)
        if value.kind == ZONED:
            return day_of_zoned(value)
    if to.this is _Type.TIME and not to.expressions and value.kind == DATETIME:
        return time_of(reader, value)
    if to.this is _Type.TIME and not to.expressions and reader.dialect.literals_take_type:
        return ordered_types.written(value, ordered_types.TIME_OF_DAY, reader.dialect)
    moments = [_Type.DATETIME, _Type.TIMESTAMP]
    moments += [_Type.TIMESTAMPNTZ] if reader.dialect.parser_renames_timestamp else []
    moments += [_Type.TIMESTAMPTZ] if reader.dialect.zoned_moment_is_moment else []
    if to.this in moments and converts and not to.expressions:
        return moment(read_date(reader.world, str(value.literal)))
    if to.this in moments and value.kind in MOMENTS:
        if to.expressions or (value.kind == DATETIME and reader.world.fractional):
            raise Unsupported("sql: CAST to a moment of other precision")
        return moment(value)
    return None


def time_of(reader: Reader, value: Val) -> Val:
    """The time of day of a moment."""
    if reader.world.fractional:
        raise Unsupported("sql: the time of a moment, beside columns of other precision")
    return strict(reader.dialect, "time of a moment", [value], ordered_types.TIME_OF_DAY)


def _time(reader: Reader, node: exp.Time, scope: Scope) -> Val:
    value = reader.value(node.this, scope)
    if value.kind != DATETIME or reader.dialect.dates_are_texts or node.args.get("zone") is not None:
        raise Unsupported(f"sql: TIME of a value of type {value.kind}")
    return time_of(reader, value)


def _kind_written(reader: Reader, to: exp.DataType) -> Kind:
    """The kind of the type that a CAST names; `Unsupported` where there is none."""
    dialect, written = reader.dialect, to.this
    moments = (_Type.DATETIME, _Type.TIMESTAMP)
    if (
        written.value in dialect.null_casts_not_read
        or (dialect.moment_precision_not_read and written in moments and to.expressions)
        or to.args.get("nested")
    ):
        raise Unsupported(f"sql: CAST of NULL to {_shown(reader, to)}")
    if written in _INTEGERS:
        return INT
    if written in exp.DataType.TEXT_TYPES:
        size = next(iter(_sizes(to)), 1)
        return padded(size) if written in (_Type.CHAR, _Type.NCHAR) and dialect.char_is_padded else TEXT
    if written in exp.DataType.FLOAT_TYPES or written is _Type.DECIMAL:
        return LOOSE if dialect.numbers_typed_by_value else REAL
    if written in (_Type.DATE, *moments, _Type.BOOLEAN) and dialect.dates_are_texts:
        return LOOSE  # the affinity of such names is NUMERIC
    if written is _Type.DATE:
        return DATE
    if written in moments:
        return DATETIME
    if written is _Type.TIMESTAMPNTZ and dialect.parser_renames_timestamp and not to.expressions:
        return DATETIME
    if written is _Type.BOOLEAN:
        return BOOL
    raise Unsupported(f"sql: CAST of NULL to {_shown(reader, to)}")


def _timestamp(reader: Reader, node: exp.Timestamp, scope: Scope) -> Val:
    """TIMESTAMP('2024-01-01'), which is the literal TIMESTAMP '2024-01-01' as a call."""
    text = node.this
    if not (reader.dialect.zoned_moment_is_moment and isinstance(text, exp.Literal) and text.is_string):
        raise Unsupported("sql: TIMESTAMP of what is no literal", place_of(node))
    if len([part for part in node.args.values() if part]) > 1:
        raise Unsupported("sql: TIMESTAMP of several values", place_of(node))
    return reader.value(exp.Cast(this=text.copy(), to=exp.DataType.build("TIMESTAMPTZ")), scope)


def _try_cast(reader: Reader, node: exp.TryCast, scope: Scope) -> Val:
    """TRY_CAST of a text to an integer: NULL where it is none of the type; nothing else is known of it."""
    value = reader.value(node.this, scope)
    if node.to.this not in _INTEGERS or value.kind != TEXT:
        raise Unsupported(f"sql: TRY_CAST of {value.kind} to {_shown(reader, node.to)}")
    found = opaque(reader.dialect, f"try cast {_shown(reader, node.to)}", [replace(value, null=FALSE)], INT)
    return Val(disj(value.null, found.null), found.val, INT)


READERS: Readers = {
    exp.Cast: _cast,
    exp.TryCast: _try_cast,
    exp.Timestamp: _timestamp,
    exp.Time: _time,
}
