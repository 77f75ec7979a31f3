"""Clauses that stand for others: windows by name, GROUP BY ALL, stars with exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.grouping_sets import Items
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Position, Scope, Source
from truespec.domains.sql.places import place_of
from truespec.domains.sql.stars import star_of
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def with_windows(node: exp.Select) -> exp.Select:
    """The query with each window that it names written out: `OVER w` is the definition of w as it stands.

    A window that is built on another one, `OVER (w ...)`, keeps its name and is refused where it is read.
    """
    if not node.args.get("windows"):
        return node
    copy = node.copy()
    copy.parent = node.parent
    written: dict[str, exp.Window] = {}
    for definition in copy.args["windows"]:
        name = definition.name.lower()
        if definition.args.get("alias") or name in written:
            raise Unsupported("sql: a window that is built on another one", place_of(definition))
        written[name] = definition
    used: set[str] = set()
    parts: list[Any] = [*copy.expressions, copy.args.get("order"), copy.args.get("qualify")]
    for window in _own_windows([part for part in parts if part is not None]):
        if window.args.get("alias") is None or _has_parts(window):
            continue
        name = window.args["alias"].name.lower()
        if name not in written:
            raise Unsupported(f"sql: the window {name!r} of another query", place_of(window))
        used.add(name)
        window.set("alias", None)
        for key in ("partition_by", "order", "spec"):
            part = written[name].args.get(key)
            window.set(key, [one.copy() for one in part] if isinstance(part, list) else part and part.copy())
    if used != set(written):
        # Whether an engine computes what nobody asks for is not known here.
        raise Unsupported("sql: a named window that nothing uses", place_of(node))
    copy.set("windows", None)
    return copy


def _has_parts(window: exp.Window) -> bool:
    """Whether the window has parentheses: the parser gives it a list of keys there, be it empty."""
    return any(window.args.get(key) is not None for key in ("partition_by", "order", "spec", "first"))


def _own_windows(parts: list[exp.Expr]) -> list[exp.Window]:
    """The windows of these expressions, without those of subqueries."""
    found: list[exp.Window] = []
    while parts:
        part = parts.pop()
        if isinstance(part, exp.Query):
            continue
        if isinstance(part, exp.Window):
            found.append(part)
        parts += list(part.iter_expressions())
    return found


def items_of(node: exp.Select, source: Source) -> Items:
    """Output names and expressions; stars become columns, or what they put in the place of one."""
    items: Items = []
    for item in node.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        star = star_of(inner)
        if star is None:
            items.append((str(item.unnest().alias_or_name).lower(), inner))
            continue
        hits = [
            (i, n)
            for i, n in enumerate(source.names)
            if (n.table == star.table if star.table else not n.hidden)
        ]
        if not hits:
            raise SpecificationError(ReasonCode.SCOPE, f"{inner.sql()} stands for no column")
        columns = [n.column for _, n in hits]
        for name in (*star.replaced, *star.renamed):
            if columns.count(name) != 1:
                raise Unsupported(f"sql: the column {name!r} in the list of a star", place_of(inner))
        for i, n in hits:
            shown = star.offers(n.column)
            if shown is not None:
                items.append((shown, star.replaced.get(n.column, Position(this=f"#{i}"))))
    return items


def group_by_all(
    reader: Reader,
    node: exp.Select,
    source: Source,
    items: Items,
    has_aggregate: Callable[[exp.Expr], bool],
) -> exp.Group | None:
    """GROUP BY; ALL stands for the outputs that hold columns and no aggregate, in DuckDB.

    Where there is none, rows are not grouped unless an aggregate asks for it; that is refused, and so are
    outputs of which it is not plain whether a column is theirs.
    """
    group = node.args.get("group")
    if group is None or not group.args.get("all"):
        return group
    others = [key for key, part in group.args.items() if part and key != "all"]
    if others or not reader.dialect.groups_by_all_outputs or node.args.get("qualify"):
        raise Unsupported("sql: GROUP BY ... ALL", place_of(group))
    own = Scope(source.names, (), None)
    keys = []
    for number, (_, item) in enumerate(items, 1):
        if item.find(exp.Query, exp.Window) is not None:
            raise Unsupported("sql: GROUP BY ALL beside a subquery or a window", place_of(group))
        if has_aggregate(item):
            continue
        columns = list(item.find_all(exp.Column))
        if any(own.find(column) is None for column in columns):
            raise Unsupported("sql: GROUP BY ALL beside names that are no columns", place_of(group))
        if columns or isinstance(item, Position):
            keys.append(exp.Literal.number(number))
    if keys:
        return exp.Group(expressions=keys)
    if not any(has_aggregate(item) for _, item in items):
        raise Unsupported("sql: GROUP BY ALL of constants", place_of(group))
    return None
