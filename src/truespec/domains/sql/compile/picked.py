"""Aggregates that pick a value: ARG_MAX, FIRST and LAST in an order, MODE, ANY_VALUE.

ARG_MAX leaves out rows in which the value or the key is NULL; FIRST and LAST do not, ANY_VALUE and MODE leave
out NULLs. Where rows that tie agree in the value it is that value; else the engine chooses (rule `choices`),
which is read where the group's operator may choose, and not in a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.ordering import sort_key, sort_of
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import Bag, Term, normal, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import NULL_KIND
from truespec.domains.sql.ir.logic import conj, neg
from truespec.domains.sql.ir.values import Val, check_compared
from truespec.domains.sql.rules import choices
from truespec.domains.sql.rules.first_rows import Sort, before
from truespec.verdict import Nondeterministic, Unsupported

PICKS = (exp.ArgMax, exp.ArgMin, exp.First, exp.Last, exp.Mode, exp.AnyValue)
"""Nodes that pick a value; MODE may also stand before WITHIN GROUP."""

Members = list[tuple[Term, Scope]]
"""Rows of a group, each with the scope of the arguments."""


def picked(reader: Reader, node: Any, members: Members, operator: Operator | None) -> Val:
    """The value that such an aggregate picks; NULL where there is none to pick from."""
    if not members:
        raise Unsupported("sql: a value picked from no rows")
    if isinstance(node, exp.ArgMax | exp.ArgMin):
        return _by_key(reader, node, members)
    if isinstance(node, exp.WithinGroup):
        order = node.expression
        if not isinstance(order, exp.Order) or len(order.expressions) != 1 or node.this.this is not None:
            raise Unsupported(f"sql: {node.sql()[:60]}")
        return _mode(reader, order.expressions[0].this, members, operator)
    inner, keys = node.this, []
    if isinstance(inner, exp.Order):
        inner, keys = inner.this, inner.expressions
    if isinstance(inner, exp.Distinct) or any(part for key, part in node.args.items() if key != "this"):
        raise Unsupported(f"sql: {node.sql()[:60]}")
    if isinstance(node, exp.Mode):
        return _mode(reader, inner, members, operator)
    if isinstance(node, exp.AnyValue):
        return _any_value(reader, inner, members, operator)
    if not keys:
        raise Nondeterministic(f"sql: {node.sql()[:40]} without an order")
    sorts = [sort_of(key) for key in keys]
    if isinstance(node, exp.Last):
        sorts = [Sort(not sort.descending, not sort.nulls_first) for sort in sorts]
    terms = []
    for term, scope in members:
        places = [sort_key(reader, key, reader.output(key.this, scope)) for key in keys]
        terms.append(replace(term, outs=(reader.value(inner, scope), *places)))
    return _edge(reader, node, terms, sorts)


def _by_key(reader: Reader, node: exp.ArgMax | exp.ArgMin, members: Members) -> Val:
    if node.args.get("count") or isinstance(node.this, exp.Distinct):
        raise Unsupported(f"sql: {node.sql()[:60]}")
    terms = []
    for term, scope in members:
        value, key = reader.value(node.this, scope), reader.output(node.expression, scope)
        place = sort_key(reader, node.expression, key)
        cond = conj(term.cond, neg(value.null), neg(place.null))
        terms.append(replace(term, cond=cond, outs=(value, place)))
    return _edge(reader, node, terms, [Sort(isinstance(node, exp.ArgMax), False)])


def _edge(reader: Reader, node: exp.Expr, terms: list[Term], sorts: Sequence[Sort]) -> Val:
    """The value of the row that no other one sorts before."""
    world = reader.world
    rows = coerced([Bag(tuple(terms))], reader.dialect)[0].terms
    for row in rows:
        check_compared(row.outs[1:])
    ends = []
    for row in rows:
        earlier = []
        for other in rows:
            copy = renamed(world, other)
            test = before(world, copy.outs[1:], row.outs[1:], sorts)
            earlier.append(replace(copy, cond=conj(copy.cond, test), outs=()))
        first = neg(exists(world, Bag(tuple(earlier))))
        ends.append(replace(row, cond=conj(row.cond, first), outs=row.outs[:1]))
    bag = Bag(tuple(ends))
    if not reader.aggregates.agree(bag):
        raise Nondeterministic(f"sql: {node.sql()[:40]} where rows may tie")
    among = Bag(tuple(replace(row, outs=()) for row in rows))
    return reader.aggregates.any(bag, among)


def _column(reader: Reader, value: exp.Expr, members: Members) -> Bag:
    terms = [replace(term, outs=(reader.value(value, scope),)) for term, scope in members]
    bag = coerced([Bag(tuple(terms))], reader.dialect)[0]
    if any(term.outs[0].kind == NULL_KIND for term in bag.terms):
        raise Unsupported("sql: a value picked from NULLs")
    return bag


def _any_value(reader: Reader, value: exp.Expr, members: Members, operator: Operator | None) -> Val:
    bag = _column(reader, value, members)
    filled = reader.aggregates.filled(bag)
    if reader.aggregates.agree(filled):
        return reader.aggregates.any(filled)
    return chosen_value(reader, bag, operator, f"{choices.ANY_ORDER} any value")


def _mode(reader: Reader, value: exp.Expr, members: Members, operator: Operator | None) -> Val:
    """The most frequent value: of several, the engine chooses one."""
    bag = _column(reader, value, members)
    check_compared(term.outs[0] for term in bag.terms)
    return chosen_value(reader, bag, operator, f"{choices.ANY_ROW} mode")


def chosen_value(reader: Reader, bag: Bag, operator: Operator | None, function: str) -> Val:
    """A value that is not NULL which the engine chooses in a group; NULL where all are."""
    if operator is None or len(operator.members) != len(bag.terms):
        raise Nondeterministic(f"sql: a value that the engine chooses ({function.rpartition(' ')[2]})")
    column = tuple(normal(term.outs[0]) for term in bag.terms)
    found = choices.choose(reader.aggregates, operator, column, function)
    filled = reader.aggregates.filled(bag)
    some = exists(reader.world, Bag(tuple(replace(term, outs=()) for term in filled.terms)))
    return Val(neg(some), found.val, found.kind)
