"""SELECT: outputs, aliases, DISTINCT and sort keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.classes import distinct_rows
from truespec.domains.sql.compile.first_of_each import first_of_each
from truespec.domains.sql.compile.grouping import grouped
from truespec.domains.sql.compile.grouping_sets import Items
from truespec.domains.sql.compile.ordering import limit_of, output_position, sort_key, sort_keys, sort_of
from truespec.domains.sql.compile.output_names import inline
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import (
    Denotation,
    Position,
    RowScope,
    Scope,
    Source,
    WindowScope,
    fingerprint,
)
from truespec.domains.sql.compile.series import spelled_out
from truespec.domains.sql.compile.shorthands import group_by_all, items_of, with_windows
from truespec.domains.sql.compile.sources import from_clause
from truespec.domains.sql.compile.tied_windows import read_rows
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.kinds import UNTYPED
from truespec.domains.sql.ir.logic import conj
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported

_NOT_READ = ("connect", "match", "cluster", "distribute", "into", "locks", "kind", "pivots")
"""Parts of a SELECT that are refused."""


def select(reader: Reader, node: exp.Select, parent: Scope | None) -> Denotation:
    """What a SELECT denotes."""
    for part in _NOT_READ:
        if node.args.get(part):
            raise Unsupported(f"sql: {part.upper()}", place_of(node.args[part]))
    node = with_windows(node)
    source = from_clause(reader, node, parent)
    items = items_of(node, source)
    if reader.dialect.names_prefer_outputs:
        _check_merged(node, source, items)
    keys = sort_keys(node.args.get("order"), len(items))
    terms = _terms(reader, node, source, parent, items)
    distinct = node.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        return first_of_each(reader, node, items, _qualified(reader, node, items, terms))
    read = partial(_rows, reader, node, items, keys)
    rows, positions = read_rows(reader, node, [name for name, _ in items], read, terms)
    (bag,) = coerced([Bag(tuple(rows))], reader.dialect, UNTYPED)
    bag = spelled_out(reader.world, bag) if rows else Bag(())
    if distinct is not None:
        kept = [(key, p) for key, p in zip(keys, positions, strict=False) if p is not None]
        bag = distinct_rows(reader, bag.cut(len(items))).mapped(
            lambda outs: (*outs, *(sort_key(reader, key, outs[p]) for key, p in kept))
        )
    return Denotation(tuple(name for name, _ in items), bag, tuple(map(sort_of, keys)), limit_of(node))


def _rows(
    reader: Reader,
    node: exp.Select,
    items: Items,
    keys: Sequence[exp.Ordered],
    terms: list[tuple[Term, Scope]],
) -> tuple[list[Term], list[int | None]]:
    """The rows with their outputs and sort keys, and which outputs these are, if any."""
    rows: list[Term] = []
    positions: list[int | None] = []  # the same in every term
    for term, scope in _qualified(reader, node, items, terms):
        positions = [_order_position(key.this, items, scope) for key in keys]
        hidden = node.args.get("distinct") is None
        outs = _outputs(reader, items, keys, positions, scope, hidden_keys=hidden)
        rows.append(Term(term.rows, term.groups, term.cond, outs))
    return rows, positions


def _terms(
    reader: Reader, node: exp.Select, source: Source, parent: Scope | None, items: Items
) -> list[tuple[Term, Scope]]:
    """The rows or groups that outputs are computed for, each with its scope."""
    having, order = node.args.get("having"), node.args.get("order")
    group = group_by_all(reader, node, source, items, _has_aggregate)
    searched = [item for _, item in items] + (
        [] if order is None else [key.this for key in order.expressions]
    )
    searched += [part.this for part in (having, node.args.get("qualify")) if part is not None]
    aggregated = any(map(_has_aggregate, searched))
    if group is None and not aggregated and (having is None or reader.dialect.having_filters_rows):
        after = reader.is_whole and having is None and node.args.get("qualify") is None
        after = after and not _sorts_early(node, items)
        return _plain(reader, source, parent, items, having, after=after)
    return grouped(reader, source, parent, items, group, having, searched)


def _sorts_early(node: exp.Select, items: Items) -> bool:
    """Whether a planner may compute what rows are sorted by before it joins them, and so before WHERE.

    PostgreSQL does where parallel workers sort one table's rows. A test of one table is made as it is read.
    """
    clause, where = node.args.get("from_"), node.args.get("where")
    given = {cte.alias.lower() for cte in node.root().find_all(exp.CTE)}
    table = None if clause is None else clause.this
    alone = isinstance(table, exp.Table) and table.name.lower() not in given and not node.args.get("joins")
    if alone and (where is None or where.find(exp.Query) is None):
        return False
    outputs, names, order = [item for _, item in items], [name for name, _ in items], node.args.get("order")
    keys = []
    for key in [] if order is None else order.expressions:
        position = output_position(key.this, names)
        keys.append(key.this if position is None else outputs[position])
    for part in outputs + keys:
        for window in part.find_all(exp.Window):
            sorts = window.args.get("order")
            keys += window.args.get("partition_by") or []
            keys += [] if sorts is None else [key.this for key in sorts.expressions]
    if node.args.get("distinct") is not None:
        keys += outputs
    return any(not isinstance(key.unnest(), exp.Column | Position) for key in keys)


def _qualified(
    reader: Reader, node: exp.Select, items: Items, terms: list[tuple[Term, Scope]]
) -> list[tuple[Term, Scope]]:
    """The rows that QUALIFY leaves: a condition that is tested after windows are computed over all rows."""
    clause = node.args.get("qualify")
    if clause is None:
        return terms
    kept = []
    for term, scope in terms:
        test = where_true(reader.condition(inline(reader, clause.this, dict(items), scope), scope))
        kept.append((replace(term, cond=conj(term.cond, test)), scope))
    return kept


def _outputs(
    reader: Reader,
    items: Items,
    keys: Sequence[exp.Ordered],
    positions: Sequence[int | None],
    scope: Scope,
    *,
    hidden_keys: bool,
) -> tuple[Val, ...]:
    """The outputs of one row, and after them its sort keys; `hidden_keys`: these may be no outputs."""
    # A Boolean's short form serves its own expression: rules that rewrite outputs do not see it.
    outs = tuple(replace(reader.typed(reader.output(item, scope)), sides=None) for _, item in items)
    extra = []
    for key, position in zip(keys, positions, strict=True):
        if position is not None:
            value = outs[position]
        elif hidden_keys:
            value = reader.output(inline(reader, key.this, dict(items), scope), scope)
        else:
            raise Unsupported("sql: ORDER BY of what DISTINCT has dropped", place_of(key))
        extra.append(sort_key(reader, key, value))
    return (*outs, *extra)


def _check_merged(node: exp.Select, source: Source, items: Items) -> None:
    """No key is the bare name of a column merged by USING that is another output's, or its column's.

    MariaDB looks such a name up among the outputs first, in GROUP BY, HAVING, ORDER BY and windows.
    """
    merged = {name.column: i for i, name in enumerate(source.names) if not (name.table or name.hidden)}
    if not merged:
        return
    keys: list[Any] = [node.args.get(part) for part in ("group", "having", "order")]
    for part in [item for _, item in items] + [key for key in keys if key is not None]:
        for window in part.find_all(exp.Window):
            keys += [*(window.args.get("partition_by") or []), window.args.get("order")]
    for key in keys:
        for column in () if key is None else key.find_all(exp.Column):
            name = column.name.lower()
            if column.table or name not in merged:
                continue
            for output, item in items:
                if output == name or (isinstance(item.unnest(), exp.Column) and item.name.lower() == name):
                    _check_same(column, merged[name], item.unnest(), source)


def _check_same(column: exp.Column, position: int, item: exp.Expr, source: Source) -> None:
    """Raise `Unsupported` unless an output is the merged column that has this name."""
    other: int | None = None
    if isinstance(item, Position):
        other = int(item.this[1:])
    elif isinstance(item, exp.Column):
        other = Scope(source.names, (), None).find(item)
    for term in source.bag.terms:
        one, two = term.outs[position], None if other is None else term.outs[other]
        if two is None or not (one.val.eq(two.val) and one.null.eq(two.null)):
            raise Unsupported(
                f"sql: the name {column.name!r} of a column that a join merges, beside the output "
                f"{item.sql()[:40]!r}",
                place_of(column),
            )


def _order_position(node: exp.Expr, items: Items, scope: Scope) -> int | None:
    """The output that a sort key is, by number, name or expression."""
    position = output_position(node, [name for name, _ in items])
    if position is not None:
        return position
    node = node.unnest()
    for i, (_, item) in enumerate(items):
        item = item.unnest()
        if item == node:
            return i
        if isinstance(node, exp.Column):
            here = scope.find(node)
            if here is not None and fingerprint(item, scope) == f"#{here}":
                return i
    return None


def _plain(
    reader: Reader,
    source: Source,
    parent: Scope | None,
    items: Items,
    having: exp.Having | None,
    *,
    after: bool,
) -> list[tuple[Term, Scope]]:
    """The rows of a query without groups; HAVING is a second WHERE over the output names.

    `after`: nothing else is computed before WHERE has been tested.
    """
    terms = list(source.bag.terms)
    if having is not None:
        kept = []
        for term in terms:
            scope = Scope(source.names, term.outs, parent)
            node = inline(reader, having.this, dict(items), scope)
            test = where_true(reader.condition(node, scope))
            kept.append(replace(term, cond=conj(term.cond, test)))
        terms = kept

    def siblings() -> list[tuple[Term, Scope]]:
        copies = [renamed(reader.world, term) for term in terms]
        return [(copy, row_scope(copy)) for copy in copies]

    row_scope = partial(_row_scope, reader, source, parent, after)
    return [(term, WindowScope(row_scope(term), siblings, term)) for term in terms]


def _row_scope(reader: Reader, source: Source, parent: Scope | None, after: bool, term: Term) -> RowScope:
    return RowScope(reader.world, source.names, term, parent, after=after)


_WINDOW_ONLY = (
    "Rank",
    "DenseRank",
    "RowNumber",
    "Lag",
    "Lead",
    "FirstValue",
    "LastValue",
    "NthValue",
    "Ntile",
    "PercentRank",
    "CumeDist",
)
"""Functions that the parser takes for aggregates and that only windows have."""


def _has_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate of this query occurs: not below a subquery, not as a window function."""
    todo: list[exp.Expr] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, exp.Window):
            inner = part.this
            while isinstance(inner, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
                todo += [inner.expression] if inner.args.get("expression") else []
                inner = inner.this
            todo += list(inner.iter_expressions())
            todo += part.args.get("partition_by") or []
            if part.args.get("order"):
                todo.append(part.args["order"])
            continue
        if isinstance(part, exp.AggFunc) and type(part).__name__ not in _WINDOW_ONLY:
            return True
        if not isinstance(part, exp.Query):
            todo += list(part.iter_expressions())
    return False
