"""Expressions that a dialect writes in its own way, for the tests on rounding."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
"""Units of time."""


def as_it_is(number: exp.Expr) -> exp.Expr:
    """The number itself: any type rounds to a number of digits."""
    return number


def to_decimal(number: exp.Expr) -> exp.Expr:
    """The number as one of PostgreSQL's NUMERIC, which alone rounds to a number of digits there."""
    return exp.cast(number, "DECIMAL(60, 30)", dialect="postgres")


def called(
    name: str, prepared: Callable[[exp.Expr], exp.Expr] = as_it_is
) -> Callable[[exp.Expr, exp.Expr], exp.Expr]:
    """The call of a function of a number and a number of digits."""
    return lambda number, digits: exp.Anonymous(this=name, expressions=[prepared(number), digits])


def overflowing(value: exp.Expr) -> exp.Expr:
    """A number beyond every double; in MariaDB most other errors are but warnings in a SELECT."""
    exponent = exp.Add(this=exp.Literal.number(400), expression=exp.Abs(this=value))
    wrong = exp.Anonymous(this="POW", expressions=[exp.Literal.number(10), exponent])
    return exp.cast(wrong, "DECIMAL(40, 9)", dialect="mysql")


def failing_json(value: exp.Expr) -> exp.Expr:
    """A text that is no JSON."""
    opened = exp.DPipe(this=exp.Literal.string("{"), expression=exp.cast(value, "TEXT", dialect="sqlite"))
    return exp.Anonymous(this="json", expressions=[opened])


def failing_cast(value: exp.Expr) -> exp.Expr:
    """A text that is no number, cast to one."""
    letter = exp.DPipe(this=exp.Literal.string("x"), expression=exp.cast(value, "TEXT"))
    return exp.cast(letter, "DECIMAL(18, 9)")


def formatted(value: exp.Expr) -> exp.Expr:
    """A value of PostgreSQL as a literal, with the blanks at the end that a CAST of CHAR takes away."""
    return exp.Anonymous(this="FORMAT", expressions=[exp.Literal.string("%L"), value])


def in_bytes(value: exp.Expr) -> exp.Expr:
    """The bytes of a value's text in MariaDB, which no collation calls equal."""
    return exp.cast(value, "BINARY", dialect="mysql")


def text_in_bytes(value: exp.Expr) -> exp.Expr:
    """The bytes of a value's text in DuckDB."""
    return exp.Anonymous(this="ENCODE", expressions=[exp.cast(value, "TEXT")])


def quoted(value: exp.Expr) -> exp.Expr:
    """A value of SQLite as a literal, which tells its type."""
    return exp.Anonymous(this="QUOTE", expressions=[value])
