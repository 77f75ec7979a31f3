"""CASE, IF, COALESCE and NULLIF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.dialects.dialect import Dialect, Mixing
from truespec.domains.sql.ir.comparisons import as_dated, equal, less
from truespec.domains.sql.ir.dates import moment, read_date
from truespec.domains.sql.ir.kinds import (
    ALWAYS_NULL,
    BOOL,
    DATE,
    DATED,
    DATETIME,
    INT,
    NULL_KIND,
    NUMBERS,
    TEXT,
    Kind,
)
from truespec.domains.sql.ir.logic import FALSE, Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.opaque import text_of
from truespec.domains.sql.ir.symbols import is_not, operands
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import NULL, Val, null_of, numeric, to_real, together, united
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def merged(dialect: Dialect, values: Sequence[Val]) -> list[Val]:
    """The branches of a CASE as one kind."""
    untyped = ALWAYS_NULL if dialect.nulls_are_untyped else {NULL_KIND}
    kinds = {value.kind for value in values} - {*untyped}
    if not kinds and dialect.nulls_are_untyped:
        return [NULL] * len(values)
    if not kinds:
        goal = TEXT  # as PostgreSQL and MariaDB have it; it meets no other type
    elif len(kinds) == 1:
        goal = next(iter(kinds))
    elif kinds <= {*NUMBERS, BOOL}:
        if BOOL in kinds and dialect.boolean_beside_number is Mixing.NOT_READ:
            raise Unsupported("sql: branches of Boolean and of numeric type")
        if BOOL in kinds and dialect.boolean_beside_number is Mixing.REFUSED:
            raise SpecificationError(ReasonCode.TYPE, "branches of Boolean and of numeric type")
        numbers = {INT if kind == BOOL else kind for kind in kinds}
        goal = united(numbers, typed_by_value=dialect.numbers_typed_by_value)
    elif kinds == {TEXT, DATED}:
        goal = DATED
    elif dialect.mixed_branches_are_texts and kinds <= {TEXT, DATE, INT, BOOL}:
        goal = TEXT
    else:
        raise Unsupported(f"sql: branches of types {' and '.join(sorted(map(str, kinds)))}")
    done = []
    for value in values:
        if value.kind in untyped:
            done.append(null_of(goal))
        elif goal == INT:
            done.append(numeric(value))
        elif goal in NUMBERS:
            done.append(replace(to_real(value), kind=goal))
        elif goal == DATED:
            done.append(as_dated(value))
        elif goal == TEXT and value.kind != TEXT:
            done.append(text_of(dialect, numeric(value) if value.kind == BOOL else value))
        else:
            done.append(value)
    return done


def _typed(reader: Reader, nodes: Sequence[Any], values: Sequence[Val]) -> list[Val]:
    """The branches of a CASE: a text as it stands is a day or a moment where all others are."""
    values = list(values)
    others = {value.kind for value in values} - {TEXT, *ALWAYS_NULL}
    if not reader.dialect.literals_take_type or others not in ({DATE}, {DATETIME}):
        return values
    for place, (node, value) in enumerate(zip(nodes, values, strict=False)):
        if value.kind == TEXT and isinstance(node.unnest(), exp.Literal) and value.literal is not None:
            if others == {DATE}:
                values[place] = _day_written(reader, value)
            else:
                values[place] = moment(read_date(reader.world, value.literal))
    return values


def choose(test: Formula, yes: Val, no: Val) -> Val:
    """A value by cases; both of one kind."""
    kind = yes.kind if yes.kind != NULL_KIND else no.kind
    return Val(ite(test, yes.null, no.null), _extreme_or(kind, test, yes.val, no.val), kind)


def _extreme_or(kind: Kind, test: Formula, yes: Expr, no: Expr) -> Expr:
    """`yes` or `no`; the lesser, or the greater, of a value and an integer or a day is written in one way.

    Which of the two is taken where they are equal does not matter: `CASE WHEN x < 5 THEN 5 ELSE x END` is
    `CASE WHEN x > 5 THEN x ELSE 5 END`.
    """
    value, number = (no, yes) if z3.is_int_value(yes) else (yes, no)
    inner = test.arg(0) if is_not(test) else test
    sides = operands(inner) if any(is_order(inner) for is_order in _ORDERS) else ()
    known = {value.get_id(), number.get_id()} == {side.get_id() for side in sides}
    if kind not in (INT, DATE) or not known or not z3.is_int_value(number) or z3.is_int_value(value):
        return ite(test, yes, no)
    first_is_less = (z3.is_lt(inner) or z3.is_le(inner)) is not is_not(test)
    least = first_is_less is bool(sides[0].eq(yes))
    return ite(value < number if least else number < value, value, number)


_ORDERS = (z3.is_lt, z3.is_le, z3.is_gt, z3.is_ge)


def _case(reader: Reader, node: exp.Case, scope: Scope) -> Val:
    operand = None if node.this is None else reader.value(node.this, scope)
    tests: list[Formula] = []
    results: list[Val] = []
    for branch in node.args["ifs"]:
        with reader.where(*map(neg, tests)):
            if operand is None:
                test = where_true(reader.condition(branch.this, scope))
            else:
                test = where_true(equal(reader.world, operand, reader.value(branch.this, scope)))
            with reader.where(test):
                results.append(reader.value(branch.args["true"], scope))
        tests.append(test)
    default = node.args.get("default")
    with reader.where(*map(neg, tests)):
        results.append(NULL if default is None else reader.value(default, scope))
    default_node = [] if default is None else [default]
    written = [*(branch.args["true"] for branch in node.args["ifs"]), *default_node]
    results = merged(reader.dialect, _typed(reader, written, results))
    value = results[-1]
    for test, result in zip(reversed(tests), reversed(results[:-1]), strict=True):
        value = choose(test, result, value)
    return value


def _if(reader: Reader, node: exp.If, scope: Scope) -> Val:
    test = where_true(reader.condition(node.this, scope))
    default = node.args.get("false")
    with reader.where(neg(test)):
        other = NULL if default is None else reader.value(default, scope)
    with reader.where(test):
        value = reader.value(node.args["true"], scope)
    yes, no = merged(reader.dialect, _typed(reader, [node.args["true"], default], [value, other]))
    return choose(test, yes, no)


def _coalesce(reader: Reader, node: exp.Coalesce, scope: Scope) -> Val:
    parts = [node.this, *node.expressions]
    values = merged(reader.dialect, _typed(reader, parts, [reader.value(part, scope) for part in parts]))
    result = values[-1]
    for value in reversed(values[:-1]):
        result = choose(value.null, result, Val(FALSE, value.val, value.kind))
    return reader.typed(result)


def _nullif(reader: Reader, node: exp.Nullif, scope: Scope) -> Val:
    left, right = reader.value(node.this, scope), reader.value(node.expression, scope)
    if left.kind in ALWAYS_NULL and not reader.dialect.nulls_are_untyped:
        raise Unsupported("sql: NULLIF of a NULL without a type")
    same = where_true(equal(reader.world, left, right))
    if left.kind in NUMBERS and right.kind in NUMBERS and not reader.dialect.numbers_typed_by_value:
        left, _ = together(left, right)
    return Val(disj(left.null, same), left.val, left.kind)


def _extreme(reader: Reader, node: exp.Greatest | exp.Least, scope: Scope) -> Val:
    """GREATEST and LEAST of numbers, days, moments or texts; a literal beside a day is one.

    Where the collation merges texts, or moments show their digits, engines choose among equals.
    """
    values = [reader.value(part, scope) for part in (node.this, *node.expressions)]
    if any(value.kind == DATE for value in values) and reader.dialect.text_literals_convert:
        values = [_day_written(reader, value) for value in values]
    values = merged(reader.dialect, values)
    dialect = reader.dialect
    kinds = {*NUMBERS, DATE}
    kinds |= set() if dialect.collation_merges_texts else {TEXT}
    kinds |= set() if dialect.moments_have_precision or dialect.dates_are_texts else {DATETIME}
    if values[0].kind not in kinds:
        raise Unsupported(f"sql: {type(node).__name__.upper()} of values of type {values[0].kind.shown}")
    result = values[0]
    for value in values[1:]:
        low, high = (value, result) if isinstance(node, exp.Greatest) else (result, value)
        test = less(reader.world, low, high).val
        best = _extreme_or(result.kind, test, result.val, value.val)
        if not reader.dialect.greatest_skips_nulls:
            result = Val(disj(result.null, value.null), best, result.kind)
            continue
        best = ite(result.null, value.val, ite(value.null, result.val, best))
        result = Val(conj(result.null, value.null), best, result.kind)
    return result


def _day_written(reader: Reader, value: Val) -> Val:
    """A literal as a day; `Unsupported` for one with a time of day, which would make all of them moments."""
    if value.kind != TEXT or value.literal is None:
        return value
    read = read_date(reader.world, value.literal)
    if read.kind != DATE:
        raise Unsupported(f"sql: the text {value.literal[:40]!r} beside a day")
    return read


READERS: Readers = {
    exp.Greatest: _extreme,
    exp.Least: _extreme,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
}
