"""Aggregate functions over the rows of a group or a window."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.classes import classes_of
from truespec.domains.sql.compile.denotations import each_output
from truespec.domains.sql.compile.ordering import sort_key, sort_of
from truespec.domains.sql.compile.quantiles import QUANTILES, quantile
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import GroupScope, Scope, WindowScope
from truespec.domains.sql.ir.bags import Bag, Group, Term, fresh_values, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import BOOL, DATE, INT, NULL_KIND, NUMBERS, REAL, TEXT
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj, disj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val, identical, to_real
from truespec.verdict import Nondeterministic, Unsupported

Members = list[tuple[Term, Scope]]
"""Rows of a group or a window, each with the scope of an aggregate's argument."""


def aggregate(reader: Reader, node: Any, scope: Scope) -> Val:
    """An aggregate in the scope of its group."""
    while isinstance(scope, WindowScope):
        scope = scope.inner
    if not isinstance(scope, GroupScope):
        raise Unsupported(f"sql: the aggregate {node.sql()[:40]} outside its group")
    members = [(term, scope.scope_of(term)) for term in scope.members.terms]
    return aggregate_over(reader, node, members)


def aggregate_over(reader: Reader, node: Any, members: Members) -> Val:
    """An aggregate over rows, each with the scope of its argument."""
    with reader.where(alone=True):
        return _over(reader, node, members)


def _over(reader: Reader, node: Any, members: Members) -> Val:
    if isinstance(node, exp.Filter):
        kept = []
        for term, scope in members:
            test = where_true(reader.condition(node.expression.this, scope))
            kept.append((replace(term, cond=conj(term.cond, test)), scope))
        return aggregate_over(reader, node.this, kept)
    name, argument = type(node).__name__, node.this
    if isinstance(node, exp.GroupConcat):
        return _joined(reader, node, members)
    if isinstance(node, QUANTILES):
        return quantile(reader, node, members)
    distinct = isinstance(argument, exp.Distinct)
    arguments = argument.expressions if distinct else [argument]
    if name == "Count" and not distinct and (argument is None or isinstance(argument, exp.Star)):
        return reader.aggregates.count(Bag(tuple(replace(t, outs=()) for t, _ in members)))
    if name == "Count" and getattr(node, "expressions", None):
        raise Unsupported("sql: COUNT of several columns")
    if name == "Count" and len(arguments) > 1:
        return _count_tuples(reader, arguments, members)
    if len(arguments) != 1 or isinstance(arguments[0], exp.Order | exp.Limit | exp.Star | None):
        raise Unsupported(f"sql: {node.sql()[:60]}")
    for key, part in node.args.items():
        if key not in ("this", "big_int") and part:
            raise Unsupported(f"sql: {node.sql()[:60]}")
    # MIN and MAX tell an ENUM from its text, others do not.
    read = reader.output if name in ("Min", "Max") else reader.value
    terms = [replace(t, outs=(read(arguments[0], s),)) for t, s in members]
    if not terms:
        if name != "Count":
            raise Unsupported(f"sql: {name.upper()} over no rows, whose type is not known")
        return Val(FALSE, z3.IntVal(0), INT)
    (bag,) = coerced([Bag(tuple(terms))], reader.dialect)
    if name in ("Sum", "Avg") and any(t.outs[0].kind not in {*NUMBERS, BOOL, NULL_KIND} for t in bag.terms):
        raise Unsupported(f"sql: {name.upper()} of a value of type {bag.terms[0].outs[0].kind}")
    if distinct and name in ("Count", "Sum", "Avg"):
        bag = reader.aggregates.distinct(bag)
    match name:
        case "Count":
            return reader.aggregates.count(reader.aggregates.filled(bag))
        case "Sum":
            return reader.aggregates.sum(bag)
        case "Avg":
            return reader.aggregates.average(bag)
        case "Min" | "Max":
            return reader.aggregates.extreme(name.upper(), bag)
        case "StddevPop" | "VariancePop" | "StddevSamp" | "Variance" if not distinct:
            root, sample = name.startswith("Stddev"), not name.endswith("Pop")
            return _variance(reader, bag, root=root, sample=sample)
        case "AnyValue" if reader.aggregates.agree(reader.aggregates.filled(bag)):
            return reader.aggregates.any(reader.aggregates.filled(bag))
        case "LogicalAnd" | "LogicalOr" if all(t.outs[0].kind == BOOL for t in bag.terms):
            return _quantified(reader, bag, name == "LogicalAnd")
        case "BitwiseAndAgg" | "BitwiseOrAgg" | "BitwiseXorAgg" | "LogicalAnd" | "LogicalOr":
            if not reader.dialect.bit_aggregates_read:
                raise Unsupported(f"sql: the aggregate {name.upper()}")
            return reader.aggregates.unknown(name, reader.aggregates.distinct(bag) if distinct else bag)
    raise Unsupported(f"sql: the aggregate {name.upper()}")


def _quantified(reader: Reader, bag: Bag, every: bool) -> Val:
    """BOOL_AND and BOOL_OR: whether no value is false, or some value is true; NULL where all are NULL."""
    filled = reader.aggregates.filled(bag).terms
    some = Bag(tuple(replace(term, outs=()) for term in filled))
    telling = [
        replace(term, cond=conj(term.cond, neg(term.outs[0].val) if every else term.outs[0].val), outs=())
        for term in filled
    ]
    found = exists(reader.world, Bag(tuple(telling)))
    return Val(neg(exists(reader.world, some)), neg(found) if every else found, BOOL)


def _joined(reader: Reader, node: exp.GroupConcat, members: Members) -> Val:
    """GROUP_CONCAT and STRING_AGG in an order: a function of the bag of values with their sort keys.

    Without a separator, commas join them. There is no text where there is no value. Values that sort alike
    have to be written alike, or the engine chooses.
    """
    inner, separator = node.this, node.args.get("separator")
    if not isinstance(inner, exp.Order) or not (separator is None or isinstance(separator, exp.Literal)):
        raise Unsupported("sql: the aggregate GROUP_CONCAT without ORDER BY and a literal separator")
    if not members:
        raise Unsupported("sql: the aggregate GROUP_CONCAT over no rows")
    value, keys = inner.this, inner.expressions
    if isinstance(value, exp.Distinct):
        if len(value.expressions) != 1 or len(keys) != 1 or value.expressions[0] != keys[0].this:
            raise Unsupported("sql: the aggregate GROUP_CONCAT of distinct values in another order")
        value = value.expressions[0]
    own = len(keys) == 1 and value == keys[0].this
    bag = _in_own_order(reader, value, members) if own else _in_order(reader, value, keys, members)
    kind = bag.terms[0].outs[0].kind
    merged = own and reader.dialect.collation_merges_texts
    if kind not in (INT, DATE) and (kind != TEXT or merged):
        raise Unsupported(f"sql: the aggregate GROUP_CONCAT of values of type {kind.shown}, which may tie")
    if reader.dialect.dates_are_texts and kind == DATE:
        raise Unsupported("sql: the aggregate GROUP_CONCAT of dates")
    if isinstance(inner.this, exp.Distinct):
        bag = reader.aggregates.distinct(bag)
    ways = [f"{'descending' if key.args.get('desc') else 'ascending'}" for key in keys]
    if not own:
        ways = [f"{w} NULLs {sort_of(key).nulls_first}" for w, key in zip(ways, keys, strict=True)]
    label = f"joined {' and '.join(ways)} by {(',' if separator is None else separator.this)!r}"
    chosen = replace(reader.aggregates.unknown(label, bag), null=FALSE)
    found = opaque(reader.dialect, "text of the " + label, [chosen], TEXT)
    some = exists(reader.world, Bag(tuple(replace(term, outs=()) for term in bag.terms)))
    return Val(neg(some), found.val, TEXT)


def _in_own_order(reader: Reader, value: exp.Expr, members: Members) -> Bag:
    terms = [replace(t, outs=(reader.value(value, s),)) for t, s in members]
    return reader.aggregates.filled(coerced([Bag(tuple(terms))], reader.dialect)[0])


def _in_order(reader: Reader, value: exp.Expr, keys: Sequence[exp.Ordered], members: Members) -> Bag:
    """The values that are not NULL, each with its sort keys; refused where values that differ may tie."""
    for key in keys:
        column = key.this.unnest()
        if key.this.find(exp.Column) is None:
            raise Unsupported("sql: the aggregate GROUP_CONCAT by a constant, or by a position")
        if isinstance(column, exp.Column) and column != value and column.name.lower() == value.name.lower():
            raise Unsupported(f"sql: the aggregate GROUP_CONCAT by a name of its value, {column.sql()!r}")
    terms = []
    for term, scope in members:
        sorts = [sort_key(reader, key, reader.output(key.this, scope)) for key in keys]
        terms.append(replace(term, outs=(reader.value(value, scope), *sorts)))
    bag = reader.aggregates.filled(coerced([Bag(tuple(terms))], reader.dialect)[0])
    world = reader.world
    for one, other in itertools.combinations_with_replacement(bag.terms, 2):
        copy = renamed(world, other)
        tied = [null_safe_equal(world, a, b) for a, b in zip(one.outs[1:], copy.outs[1:], strict=True)]
        both = conj(condition(world, one), condition(world, copy), *tied)
        if not world.holds(both, identical(one.outs[0], copy.outs[0])):
            raise Nondeterministic("sql: GROUP_CONCAT where values that differ may tie")
    return bag


def _variance(reader: Reader, bag: Bag, *, root: bool, sample: bool) -> Val:
    """The variance by its sums, and the root of it; that of a sample is NULL for a single value."""
    filled = reader.aggregates.filled(bag)
    squares = each_output(filled, lambda out: Val(FALSE, to_real(out).val * to_real(out).val, REAL))
    total, number = to_real(reader.aggregates.sum(filled)), to_real(reader.aggregates.count(filled))
    square = to_real(reader.aggregates.sum(squares))
    divisor = number.val - 1 if sample else number.val
    null = disj(total.null, number.val <= 1) if sample else total.null
    value = Val(null, (square.val - total.val * total.val / number.val) / divisor, REAL)
    return opaque(reader.dialect, "root", [value], REAL) if root else value


def _count_tuples(reader: Reader, arguments: Sequence[exp.Expr], members: Members) -> Val:
    terms = []
    for term, scope in members:
        outs = tuple(reader.value(a, scope) for a in arguments)
        cond = conj(term.cond, *(neg(out.null) for out in outs))
        terms.append(replace(term, cond=cond, outs=tuple(replace(o, null=FALSE) for o in outs)))
    if not terms:
        return Val(FALSE, z3.IntVal(0), INT)
    classes = classes_of(reader, coerced([Bag(tuple(terms))], reader.dialect)[0])
    values = fresh_values(reader.world, classes.terms[0].outs, [False] * len(arguments))
    return reader.aggregates.count(Bag((Term((), (Group(values, classes),), TRUE, ()),)))
