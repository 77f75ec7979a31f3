"""Values as numbers to compute with."""

from __future__ import annotations

from collections.abc import Sequence

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.dialects.dialect import Mixing
from truespec.domains.sql.ir.comparisons import PLAIN_NUMBER
from truespec.domains.sql.ir.dates import number_of_day
from truespec.domains.sql.ir.kinds import ALWAYS_NULL, BOOL, DATE, NULL_KIND, TEXT
from truespec.domains.sql.ir.logic import Expr, Formula, conj, ite, neg
from truespec.domains.sql.ir.symbols import constants, reads_rows
from truespec.domains.sql.ir.truth import where_false
from truespec.domains.sql.ir.values import Val, number, numeric, to_real
from truespec.domains.sql.rules import rounding
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def arithmetic_operand(reader: Reader, node: exp.Expr, scope: Scope) -> Val:
    """A number to compute with; MariaDB makes a fraction of a text or a NULL, whatever its digits."""
    return operand(reader, reader.value(node, scope))


def operand(reader: Reader, value: Val) -> Val:
    """A value as a number to compute with."""
    read = as_number(reader, value)
    fraction = value.kind in (TEXT, NULL_KIND) and reader.dialect.texts_compute_as_fractions
    return to_real(read) if fraction else read


def no_error(reader: Reader, bad: Formula, what: str, scope: Scope, *, stops: bool = True) -> None:
    """Refuse an error that may occur; the tests of the CASEs around it may rule it out, and the group's rows.

    They rule out no error of constants: a planner computes these before it runs the query. What does not
    stop the query may occur where nobody reads the value.
    """
    bad = z3.simplify(bad)
    if not reader.dialect.errors_raise or z3.is_false(bad):
        return
    known = computed = conj(scope.given(constants(bad)), *reader.guards)
    reader.aggregates.note_signs(bad if reader.aggregates.names_in(bad) else known)
    if not stops and not reader.finite_only:
        known = conj(scope.used(), *reader.guards, *(neg(where_false(test)) for test in reader.beside))
    if not reads_rows(bad) or not reader.world.holds(known, neg(bad)):
        raise Unsupported(f"sql: {what} may occur, which {reader.dialect.name} does not answer with NULL")
    if not stops and not reader.finite_only:
        reader.quotients.append((computed, bad))


def finite(reader: Reader) -> None:
    """Refuse the pair where a quotient may be infinite: what is read now fails there, as a CAST does.

    A test beside it, or in a WHERE around a part, is no help: a planner may ask it later.
    """
    if reader.finite_only or not reader.dialect.quotients_may_be_infinite:
        return
    reader.finite_only = True
    if not all(reader.world.holds(known, neg(bad)) for known, bad in reader.quotients):
        raise Unsupported("sql: a CAST that fails on infinite numbers, beside a quotient that may be one")


def only_operand(reader: Reader, node: exp.Expr, scope: Scope) -> Val:
    """A number that no other operand gives a type."""
    value = reader.value(node, scope)
    check_typed(reader, [value])
    if value.kind == DATE:
        raise Unsupported("sql: a date where a number is needed, and no other number beside it")
    return operand(reader, value)


def check_typed(reader: Reader, values: Sequence[Val]) -> None:
    if not reader.dialect.nulls_are_untyped and all(value.kind in ALWAYS_NULL for value in values):
        raise Unsupported("sql: arithmetic on NULLs without a type")


def as_number(reader: Reader, value: Val) -> Val:
    if value.kind == TEXT and value.literal is not None and PLAIN_NUMBER.match(value.literal):
        if reader.dialect.literals_take_type and "." in value.literal:
            raise Unsupported("sql: a text with a fraction, which takes the type of the number beside it")
        return number(value.literal.lstrip("+"))
    if value.kind == BOOL and reader.dialect.boolean_beside_number is Mixing.NOT_READ:
        raise Unsupported("sql: arithmetic on a Boolean")
    if value.kind == BOOL and reader.dialect.boolean_beside_number is Mixing.REFUSED:
        raise SpecificationError(ReasonCode.TYPE, "arithmetic on a Boolean")
    if value.kind == DATE and reader.dialect.dates_compute_as_numbers:
        return number_of_day(value)
    return numeric(value)


def truncated(left: Expr, right: Expr) -> Expr:
    """Integer division toward zero."""
    if z3.is_int_value(right) and right.as_long() > 0:
        return ite(left >= 0, left / right, -((-left) / right))
    size = ite(left >= 0, left, -left) / ite(right >= 0, right, -right)
    return ite((left >= 0) == (right >= 0), size, -size)


def rounded(reader: Reader, value: Val, digits: int) -> Expr:
    return rounding.rounded(reader.world, reader.aggregates, to_real(value).val, digits)
