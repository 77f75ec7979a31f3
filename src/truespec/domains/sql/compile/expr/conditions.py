"""AND, OR, NOT, IS, comparisons and BETWEEN."""

from __future__ import annotations

import contextlib
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.expr.membership import check_one_family, quantified, tuples_equal
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import COMPARISONS, Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir import spans
from truespec.domains.sql.ir.comparisons import compare, equal, null_safe_equal
from truespec.domains.sql.ir.kinds import BOOL
from truespec.domains.sql.ir.logic import FALSE, conj, disj
from truespec.domains.sql.ir.truth import logical_and, logical_not, logical_or, truth, where_false, where_true
from truespec.domains.sql.ir.values import Val
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def _and(reader: Reader, node: exp.And, scope: Scope) -> Val:
    parts = list(node.flatten())
    if not reader.dialect.quotients_may_be_infinite:
        return logical_and([reader.condition(part, scope) for part in parts])
    tests: dict[int, Val] = {}
    saved = reader.beside
    try:
        # A quotient that is none where another test fails is read after that test, wherever it stands.
        for last in (False, True):
            for place in [place for place in range(len(parts)) if place not in tests]:
                with contextlib.suppress(*(() if last else (Unsupported,))):
                    tests[place] = reader.condition(parts[place], scope)
                    reader.beside = (*reader.beside, tests[place])
    finally:
        reader.beside = saved
    return logical_and([tests[place] for place in range(len(parts))])


def _or(reader: Reader, node: exp.Or, scope: Scope) -> Val:
    return logical_or([reader.condition(part, scope) for part in node.flatten()])


def _xor(reader: Reader, node: exp.Xor, scope: Scope) -> Val:
    left, right = reader.condition(node.this, scope), reader.condition(node.expression, scope)
    return Val(disj(left.null, right.null), left.val != right.val, BOOL)


def _not(reader: Reader, node: exp.Not, scope: Scope) -> Val:
    return logical_not(reader.condition(node.this, scope))


def _is(reader: Reader, node: exp.Is, scope: Scope) -> Val:
    result = _is_plain(reader, node, scope)
    return logical_not(result) if node.args.get("negate") else result


def _is_plain(reader: Reader, node: exp.Is, scope: Scope) -> Val:
    value = reader.value(node.this, scope)
    match node.expression.unnest():
        case exp.Null():
            return Val(FALSE, value.null, BOOL)
        case exp.Boolean() as wanted:
            test = truth(reader.dialect, value)
            return Val(FALSE, where_true(test) if wanted.this else where_false(test), BOOL)
    other = reader.value(node.expression, scope)
    if reader.dialect.is_compares_values:
        return Val(FALSE, null_safe_equal(reader.world, value, other), BOOL)
    raise Unsupported(f"sql: IS {node.expression.sql()[:40]}")


def _null_safe_equal(reader: Reader, node: exp.NullSafeEQ | exp.NullSafeNEQ, scope: Scope) -> Val:
    if reader.dialect.is_compares_values and isinstance(node.expression.unnest(), exp.Boolean):
        # As after IS, SQLite takes TRUE and FALSE on the right for the tests of truth.
        return _is_plain(reader, exp.Is(this=node.this, expression=node.expression), scope)
    pairs = pairs_of(reader, node.this, node.expression, scope)
    return Val(FALSE, conj(*(null_safe_equal(reader.world, a, b) for a, b in pairs)), BOOL)


def _null_safe_unequal(reader: Reader, node: exp.NullSafeNEQ, scope: Scope) -> Val:
    return logical_not(_null_safe_equal(reader, node, scope))


def comparison(reader: Reader, node: exp.Binary, scope: Scope) -> Val:
    operator = COMPARISONS[type(node)]
    right = node.expression
    if isinstance(right, exp.All | exp.Any):
        return quantified(reader, node, operator, right, scope)
    left = node.this
    if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple):
        same = tuples_equal(reader, pairs_of(reader, left, right, scope))
        if operator == "=":
            return same
        if operator == "<>":
            return logical_not(same)
        return _tuples_ordered(reader, operator, pairs_of(reader, left, right, scope))
    return compare(reader.world, operator, _compared(reader, left, scope), _compared(reader, right, scope))


def _compared(reader: Reader, node: Any, scope: Scope) -> Val:
    """One side of a comparison, where an interval as written is one of so many microseconds."""
    interval = node.unnest()
    if isinstance(interval, exp.Interval) and reader.dialect.moments_differ_by_spans:
        amount, unit = interval.this, interval.args.get("unit")
        if isinstance(amount, exp.Literal) and isinstance(unit, exp.Var):
            span = spans.written(amount.this, unit.name)
            if span is not None:
                return span
    return reader.value(node, scope)


def _tuples_ordered(reader: Reader, operator: str, pairs: list[tuple[Val, Val]]) -> Val:
    """The first pair that is not equal decides: `(a, b) < (c, d)` is `a < c OR a = c AND b < d`."""
    if reader.dialect.tuples_compare_as_wholes and not all(
        z3.is_false(v.null) for pair in pairs for v in pair
    ):
        raise Unsupported(
            "sql: an order of tuples that may hold NULLs, as wholes in which NULLs have a place"
        )
    *first, last = pairs
    found = compare(reader.world, operator, *last)
    for left, right in reversed(first):
        tie = logical_and([equal(reader.world, left, right), found])
        found = logical_or([compare(reader.world, operator.rstrip("="), left, right), tie])
    return found


def pairs_of(reader: Reader, left: Any, right: Any, scope: Scope) -> list[tuple[Val, Val]]:
    if not isinstance(left, exp.Tuple) or not isinstance(right, exp.Tuple):
        return [(reader.value(left, scope), reader.value(right, scope))]
    if len(left.expressions) != len(right.expressions):
        raise SpecificationError(ReasonCode.TYPE, "tuples of unequal width are compared")
    return [
        (reader.value(a, scope), reader.value(b, scope))
        for a, b in zip(left.expressions, right.expressions, strict=True)
    ]


def _between(reader: Reader, node: exp.Between, scope: Scope) -> Val:
    value = reader.value(node.this, scope)
    low, high = (_compared(reader, node.args[end], scope) for end in ("low", "high"))
    check_one_family(reader, "BETWEEN", [value, low, high])
    return logical_and([compare(reader.world, ">=", value, low), compare(reader.world, "<=", value, high)])


READERS: Readers = {
    exp.And: _and,
    exp.Or: _or,
    exp.Xor: _xor,
    exp.Not: _not,
    exp.Is: _is,
    exp.NullSafeEQ: _null_safe_equal,
    exp.NullSafeNEQ: _null_safe_unequal,
    exp.Between: _between,
}
