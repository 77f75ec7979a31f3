"""ORDER BY of a rank: by the keys of its window, and by the rank after them.

`ORDER BY r`, r the RANK, DENSE_RANK or ROW_NUMBER of a window ordered by k and without PARTITION BY, sorts
as `ORDER BY k, r` does: of two rows of the window, the one that k sorts first has the lower r, and where k
ties, r decides on both sides. With PARTITION BY p this is so behind keys that include p, which leave rows of
one partition to compare. Another order of r turns each key of k around, its NULLs as well. What the rows are
joined with, and which of them are left, makes no difference: an order compares two rows. An outer join does,
since r and k are NULL beside a row without a partner, and groups do, in which there is no k. A star beside
the window is read where it stands for columns of tables alone, none of which is called r.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.schema import Table

_RANKS = (exp.Rank, exp.DenseRank, exp.RowNumber)

Columns = dict[str, set[str]]
"""What the tables of a schema hold: lower names of columns by the lower name of the table."""


def by_keys(query: exp.Expr, tables: Iterable[Table]) -> exp.Expr | None:
    """The query with the keys of its ranks in ORDER BY; None where it is ordered by no rank that is read.

    `tables` are those of the schema.
    """
    if not isinstance(query, exp.Select) or query.args.get("order") is None or query.args.get("distinct"):
        return None
    columns = {table.name.lower(): {one.name.lower() for one in table.columns} for table in tables}
    copy = query.copy()
    keys: list[exp.Ordered] = []
    changed = False
    for key in copy.args["order"].expressions:
        added = list(_keys(copy, key, keys, columns))
        changed = changed or bool(added)
        keys += [*added, key]
    if not changed:
        return None
    copy.args["order"].set("expressions", keys)
    return copy


def sort_by_same_outputs(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether both queries are ordered by the outputs at the same places, each in the same direction."""
    first, second = _places(one), _places(other)
    return None not in first and first == second


def _places(query: exp.Expr) -> list[tuple[int, bool, bool] | None]:
    """Which output each sort key is, if it is one, and how it is sorted."""
    if not isinstance(query, exp.Select):
        return [None]
    items = [item.unalias() for item in query.expressions]
    found: list[tuple[int, bool, bool] | None] = []
    for key in query.args["order"].expressions:
        meant = _meant(query, key.this)
        places = [place for place, item in enumerate(items) if item is meant or item == meant]
        ways = bool(key.args.get("desc")), bool(key.args.get("nulls_first"))
        found.append((places[0], *ways) if places else None)
    return found


def _keys(
    query: exp.Select, key: exp.Ordered, before: Sequence[exp.Ordered], columns: Columns
) -> Iterator[exp.Ordered]:
    """The keys of the window that a sort key is a rank of."""
    node = _meant(query, key.this)
    if isinstance(node, exp.Window):
        yield from _of_window(query, node, key, [_meant(query, other.this) for other in before])
    elif isinstance(node, exp.Column):
        body, source = _body(query, node)
        item = None if body is None else _item(body, node.name)
        if body is None or not isinstance(item, exp.Window):
            return
        if body.is_star and not _tells_star(query, body, node.name.lower(), columns):
            return
        others = [_meant(query, other.this) for other in before]
        shown = [
            _item(body, other.name) or (_starred(body, other.name, columns) if body.is_star else None)
            for other in others
            if isinstance(other, exp.Column) and (not other.table or other.table.lower() == source.lower())
        ]
        for place, inner in enumerate(list(_of_window(body, item, key, shown)), 1):
            name = f"key {place} of {node.name}"
            body.append("expressions", exp.alias_(inner.this, name, quoted=True))
            inner.set("this", exp.column(exp.to_identifier(name, quoted=True), table=source or None))
            yield inner


def _tells_star(query: exp.Select, body: exp.Select, name: str, columns: Columns) -> bool:
    """Whether the plain star of a derived table stands for columns of tables alone, none of this name."""
    common = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    read = [table.name.lower() for table in body.find_all(exp.Table)]
    stars = [star for item in body.expressions for star in item.find_all(exp.Star) if not _counted(star)]
    plain = len(list(body.find_all(exp.Select))) == 1 and not any(any(star.args.values()) for star in stars)
    return plain and all(one in columns and one not in common and name not in columns[one] for one in read)


def _counted(star: exp.Star) -> bool:
    return isinstance(star.parent, exp.Count)


def _starred(body: exp.Select, name: str, columns: Columns) -> exp.Expr | None:
    """The column that the star over one table puts out under a name."""
    clause = body.args.get("from_")
    if clause is None or body.args.get("joins") or name.lower() not in columns[clause.this.name.lower()]:
        return None
    return exp.column(name)


def _of_window(
    query: exp.Select, window: exp.Window, key: exp.Ordered, before: Sequence[Any]
) -> Iterator[exp.Ordered]:
    """The keys of a rank's window, turned around where the rank is."""
    order = window.args.get("order")
    parts = window.args.get("partition_by") or []
    if not isinstance(window.this, _RANKS) or order is None or window.args.get("alias"):
        return
    if not all(part in before for part in parts) or not all(
        _is_column(query, name) for inner in order.expressions for name in inner.find_all(exp.Column)
    ):
        return
    if not all(inner.find(exp.Column) for inner in order.expressions):
        return  # a constant of a window would be the number of an output
    turned = bool(key.args.get("desc"))
    for inner in order.expressions:
        copy = inner.copy()
        copy.set("desc", bool(inner.args.get("desc")) != turned)
        copy.set("nulls_first", bool(inner.args.get("nulls_first")) != turned)
        yield copy


def _is_column(query: exp.Select, name: exp.Column) -> bool:
    """Whether a name in a window is no output of another meaning."""
    item = None if name.table else _item(query, name.name)
    if not isinstance(item, exp.Column) or not item.table:
        return item is None or (isinstance(item, exp.Column) and item.name.lower() == name.name.lower())
    merging = any(join.method or join.args.get("using") for join in query.args.get("joins") or [])
    return item.name.lower() == name.name.lower() and not merging


def _meant(query: exp.Select, node: exp.Expr) -> exp.Expr:
    """What a sort key stands for: an output by its number or name, or the expression itself."""
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        place = int(node.this) - 1
        return query.expressions[place].unalias() if place < len(query.expressions) else node
    item = _item(query, node.name) if isinstance(node, exp.Column) and not node.table else None
    return node if item is None else item


def _item(query: exp.Select, name: str) -> exp.Expr | None:
    """The output of a name; None where there is none, or several."""
    found = [item.unalias() for item in query.expressions if item.alias_or_name.lower() == name.lower()]
    return found[0] if len(found) == 1 else None


def _body(query: exp.Select, column: exp.Column) -> tuple[exp.Select | None, str]:
    """The derived table, or the common table expression, that a column is of, and its name, if it has one."""
    start, joins = query.args.get("from_"), query.args.get("joins") or []
    sources = [] if start is None else [start.this, *(join.this for join in joins)]
    if query.args.get("group") is not None or any(join.side or join.method for join in joins):
        return None, ""
    if any(part.find(exp.Star) for part in query.expressions) or (len(sources) > 1 and not column.table):
        return None, ""
    for source in sources:
        name = str(source.alias_or_name)
        if column.table and name.lower() != column.table.lower():
            continue
        body = source.this if isinstance(source, exp.Subquery) else _expression(query, source)
        alias = source.args.get("alias")
        plain = isinstance(body, exp.Select) and not body.args.get("distinct")
        if plain and (name or len(sources) == 1) and not (alias is not None and alias.columns):
            return body, name
    return None, ""


def _expression(query: exp.Select, source: Any) -> Any:
    """The common table expression of this query that a table stands for, where it is read once."""
    clause = query.args.get("with_")
    if clause is None or clause.args.get("recursive") or not isinstance(source, exp.Table):
        return None
    found = [cte for cte in clause.expressions if cte.alias.lower() == source.name.lower()]
    read = [table for table in query.find_all(exp.Table) if table.name.lower() == source.name.lower()]
    if len(found) != 1 or len(read) != 1 or source.db or found[0].args["alias"].columns:
        return None
    return found[0].this
