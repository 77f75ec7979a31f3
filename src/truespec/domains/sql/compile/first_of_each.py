"""DISTINCT ON: the first row of each group of rows."""

from __future__ import annotations

from dataclasses import replace

import z3
from sqlglot import exp

from truespec.domains.sql.compile.classes import distinct_rows
from truespec.domains.sql.compile.grouping_sets import Items
from truespec.domains.sql.compile.ordering import limit_of, output_position, sort_key, sort_of
from truespec.domains.sql.compile.output_names import inline
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Denotation, Scope
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.kinds import UNTYPED
from truespec.domains.sql.ir.logic import conj
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.places import place_of
from truespec.verdict import Nondeterministic, Unsupported


def first_of_each(
    reader: Reader, node: exp.Select, items: Items, terms: list[tuple[Term, Scope]]
) -> Denotation:
    """The first row, by ORDER BY, of the rows that agree in the keys of DISTINCT ON.

    Where no rows of a group tie, it is the row that ROW_NUMBER numbers 1. Else, and beside a query that
    takes values by their place, each output is what FIRST_VALUE makes of it in the window of the group,
    which is refused where rows that differ in it may tie; one row of a group stays, since all its rows put
    out the same. A window sees the rows before
    QUALIFY, DISTINCT ON those after it: the two together are refused.
    """
    order = node.args.get("order")
    if order is None:
        raise Unsupported("sql: DISTINCT ON without ORDER BY", place_of(node.args["distinct"]))
    if node.args.get("qualify") is not None:
        raise Unsupported("sql: DISTINCT ON beside QUALIFY", place_of(node.args["distinct"]))
    on = node.args["distinct"].args["on"]
    written = list(on.expressions) if isinstance(on, exp.Tuple) else [on.unnest()]
    width = len(items)
    if not reader.compares_values:
        ties, reader.numbers_ties = reader.numbers_ties, False
        try:
            return _numbered(reader, node, items, terms, written)
        except Nondeterministic:
            pass
        finally:
            reader.numbers_ties = ties
    rows = []
    for term, scope in terms:
        expressions = [_expression(reader, part, items, scope) for part in written]
        keys = [_ordered(reader, key, items, scope) for key in order.expressions]

        shown = [_first(item, expressions, keys) for _, item in items]
        sorted_by = [_first(key.this, expressions, keys) for key in keys]
        outs: list[Val] = [reader.typed(reader.output(item, scope)) for item in shown]
        outs += [
            sort_key(reader, key, reader.output(v, scope)) for key, v in zip(keys, sorted_by, strict=True)
        ]
        outs += [reader.output(part, scope) for part in expressions]
        rows.append(Term(term.rows, term.groups, term.cond, tuple(replace(out, sides=None) for out in outs)))
    (bag,) = coerced([Bag(tuple(rows))], reader.dialect, UNTYPED)
    bag = distinct_rows(reader, bag).cut(width + len(order.expressions))
    return Denotation(
        tuple(name for name, _ in items), bag, tuple(map(sort_of, order.expressions)), limit_of(node)
    )


def _numbered(
    reader: Reader,
    node: exp.Select,
    items: Items,
    terms: list[tuple[Term, Scope]],
    written: list[exp.Expr],
) -> Denotation:
    """The rows that ROW_NUMBER numbers 1 in their groups; `Nondeterministic` where rows may tie."""
    order = node.args["order"]
    rows = []
    for term, scope in terms:
        keys = [_ordered(reader, key, items, scope) for key in order.expressions]
        number = exp.Window(
            this=exp.RowNumber(),
            partition_by=[_expression(reader, part, items, scope).copy() for part in written],
            order=exp.Order(expressions=[key.copy() for key in keys]),
        )
        first = reader.value(number, scope).val == z3.IntVal(1)
        outs = [reader.typed(reader.output(item, scope)) for _, item in items]
        outs += [sort_key(reader, key, reader.output(key.this, scope)) for key in keys]
        shown = tuple(replace(out, sides=None) for out in outs)
        rows.append(Term(term.rows, term.groups, conj(term.cond, first), shown))
    (bag,) = coerced([Bag(tuple(rows))], reader.dialect, UNTYPED)
    return Denotation(
        tuple(name for name, _ in items), bag, tuple(map(sort_of, order.expressions)), limit_of(node)
    )


def _first(value: exp.Expr, by: list[exp.Expr], keys: list[exp.Ordered]) -> exp.Expr:
    """FIRST_VALUE of an expression in the window of its group; what all its rows agree in is itself."""
    if value in by:
        return value
    return exp.Window(
        this=exp.FirstValue(this=value.copy()),
        partition_by=[part.copy() for part in by],
        order=exp.Order(expressions=[key.copy() for key in keys]),
    )


def _expression(reader: Reader, node: exp.Expr, items: Items, scope: Scope) -> exp.Expr:
    """What a key stands for: an output by its number or name, or an expression of the row."""
    position = output_position(node, [name for name, _ in items])
    if position is not None and (not isinstance(node, exp.Column) or scope.find(node) is None):
        return items[position][1]
    return inline(reader, node, dict(items), scope)


def _ordered(reader: Reader, key: exp.Ordered, items: Items, scope: Scope) -> exp.Ordered:
    copy = key.copy()
    copy.set("this", _expression(reader, key.this, items, scope).copy())
    return copy
