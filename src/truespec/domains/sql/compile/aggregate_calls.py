"""Aggregate functions over the rows of a group or a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.classes import classes_of
from truespec.domains.sql.compile.denotations import each_output, nullable_columns
from truespec.domains.sql.compile.listings import LISTS, listed
from truespec.domains.sql.compile.picked import PICKS, chosen_value, picked
from truespec.domains.sql.compile.quantiles import QUANTILES, quantile
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import GroupScope, Scope, WindowScope
from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import Bag, Group, Term, fresh_values, normal
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import BOOL, INT, NULL_KIND, NUMBERS, REAL, TEXT
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj, disj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val, to_real
from truespec.domains.sql.rules import choices, filled_group
from truespec.verdict import Unsupported

Members = list[tuple[Term, Scope]]
"""Rows of a group or a window, each with the scope of an aggregate's argument."""


def aggregate(reader: Reader, node: Any, scope: Scope) -> Val:
    """An aggregate in the scope of its group."""
    while isinstance(scope, WindowScope):
        scope = scope.inner
    if not isinstance(scope, GroupScope):
        raise Unsupported(f"sql: the aggregate {node.sql()[:40]} outside its group")
    # Rows may be sorted by the argument, or by a key of it, before they are joined and WHERE is tested.
    after = node.find(exp.Distinct, exp.Order) is None
    members = [(term, scope.scope_of(reader.world, term, after=after)) for term in scope.members.terms]
    return filled_group.of(aggregate_over(reader, node, members, scope.operator), scope.filled)


def aggregate_over(reader: Reader, node: Any, members: Members, operator: Operator | None = None) -> Val:
    """An aggregate over rows, each with the scope of its argument; `operator` chooses for their group."""
    with reader.where(alone=True):
        return _over(reader, node, members, operator)


def _over(reader: Reader, node: Any, members: Members, operator: Operator | None) -> Val:
    if isinstance(node, exp.Filter):
        kept = []
        for term, scope in members:
            test = where_true(reader.condition(node.expression.this, scope))
            kept.append((replace(term, cond=conj(term.cond, test)), scope))
        return aggregate_over(reader, node.this, kept)  # the operator chooses among all rows
    name, argument = type(node).__name__, node.this
    if isinstance(node, LISTS):
        return listed(reader, node, members, operator)
    if isinstance(node, PICKS) or (isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.Mode)):
        return picked(reader, node, members, operator)
    if isinstance(node, QUANTILES):
        return quantile(reader, node, members)
    if isinstance(node, PAIRED):
        return _of_pairs(reader, node, members)
    distinct = isinstance(argument, exp.Distinct)
    arguments = argument.expressions if distinct else [argument]
    if name == "Count" and not distinct and (argument is None or isinstance(argument, exp.Star)):
        return reader.aggregates.count(Bag(tuple(replace(t, outs=()) for t, _ in members)))
    if name == "Count" and getattr(node, "expressions", None):
        raise Unsupported("sql: COUNT of several columns")
    if name == "Count" and len(arguments) > 1:
        return _count_tuples(reader, arguments, members)
    if name == "Count" and distinct and isinstance(arguments[0], exp.Tuple):
        return _count_tuples(reader, arguments[0].expressions, members, nulls=True)
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
            if operator is not None and _merged(reader, bag):
                return chosen_value(reader, bag, operator, f"{choices.ANY_ORDER} {name.upper()}")
            return reader.aggregates.extreme(name.upper(), bag)
        case "StddevPop" | "VariancePop" | "StddevSamp" | "Stddev" | "Variance" if not distinct:
            root, sample = name.startswith("Stddev"), not name.endswith("Pop")
            return _variance(reader, bag, root=root, sample=sample)
        case "LogicalAnd" | "LogicalOr" if all(t.outs[0].kind == BOOL for t in bag.terms):
            return _quantified(reader, bag, name == "LogicalAnd")
        case "BitwiseAndAgg" | "BitwiseOrAgg" | "BitwiseXorAgg" | "LogicalAnd" | "LogicalOr":
            if not reader.dialect.bit_aggregates_read:
                raise Unsupported(f"sql: the aggregate {name.upper()}")
            if name in ("BitwiseAndAgg", "BitwiseOrAgg") and all(t.outs[0].kind == INT for t in bag.terms):
                return _idempotent(reader, name, bag)
            return reader.aggregates.unknown(name, reader.aggregates.distinct(bag) if distinct else bag)
    raise Unsupported(f"sql: the aggregate {name.upper()}")


PAIRED = (exp.Corr, exp.CovarPop, exp.CovarSamp, exp.RegrSlope, exp.RegrIntercept, exp.RegrR2)
"""Aggregates of pairs of numbers."""


def _of_pairs(reader: Reader, node: Any, members: Members) -> Val:
    """CORR and the like: a function of the bag of pairs of which neither number is NULL."""
    terms = []
    for term, scope in members:
        pair = [reader.value(part, scope) for part in (node.this, node.expression)]
        if any(value.kind not in NUMBERS for value in pair):
            raise Unsupported(f"sql: {type(node).__name__.upper()} of values that are no numbers")
        cond = conj(term.cond, *(neg(value.null) for value in pair))
        terms.append(replace(term, cond=cond, outs=tuple(Val(FALSE, to_real(v).val, REAL) for v in pair)))
    return reader.aggregates.whole(type(node).__name__, Bag(tuple(terms)), REAL)


def _merged(reader: Reader, bag: Bag) -> bool:
    """Whether the greatest text may be written in several ways, of which the engine chooses one."""
    filled = reader.aggregates.filled(bag)
    texts = all(term.outs[0].kind == TEXT for term in filled.terms) and not reader.world.enums
    return texts and reader.dialect.collation_merges_texts and not reader.aggregates.exact(filled)


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


def _idempotent(reader: Reader, name: str, bag: Bag) -> Val:
    """BIT_AND and BIT_OR: a function of the set of values, and the value itself where there is one alone."""
    filled = reader.aggregates.filled(bag)
    if reader.aggregates.agree(filled):
        return reader.aggregates.any(filled)
    return reader.aggregates.unknown(name, reader.aggregates.distinct(filled))


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


def _count_tuples(
    reader: Reader, arguments: Sequence[exp.Expr], members: Members, *, nulls: bool = False
) -> Val:
    """How many tuples differ; `nulls`: those with a NULL count too, which is then one value."""
    terms = []
    for term, scope in members:
        outs = tuple(reader.value(a, scope) for a in arguments)
        cond = term.cond
        if not nulls:
            cond = conj(cond, *(neg(out.null) for out in outs))
            outs = tuple(replace(out, null=FALSE) for out in outs)
        terms.append(replace(term, cond=cond, outs=outs))
    if not terms:
        return Val(FALSE, z3.IntVal(0), INT)
    classes = classes_of(reader, coerced([Bag(tuple(terms))], reader.dialect)[0])
    values = fresh_values(reader.world, classes.terms[0].outs, nullable_columns(classes))
    body = each_output(classes, normal)
    return reader.aggregates.count(Bag((Term((), (Group(values, body),), TRUE, ()),)))
