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
    """The query with each window that it names written out.

    `OVER w` is the definition of w as it stands; `OVER (w ...)` has its keys and adds an order or a frame.
    """
    if not node.args.get("windows"):
        return node
    copy = node.copy()
    copy.parent = node.parent
    written: dict[str, exp.Window] = {}
    used: set[str] = set()
    for definition in copy.args["windows"]:
        name = definition.name.lower()
        if name in written:
            raise Unsupported("sql: two windows of one name", place_of(definition))
        if definition.args.get("alias"):
            # Only windows before this one: SQLite takes no notice of a name that comes later.
            used.add(_extend(definition, written))
        written[name] = definition
    parts: list[Any] = [*copy.expressions, copy.args.get("order"), copy.args.get("qualify")]
    for window in _own_windows([part for part in parts if part is not None]):
        if window.args.get("alias") is None:
            continue
        if _has_parts(window):
            used.add(_extend(window, written))
            continue
        used.add(_take(window, written, ("partition_by", "order", "spec")))
    if used != set(written):
        # Whether an engine computes what nobody asks for is not known here.
        raise Unsupported("sql: a named window that nothing uses", place_of(node))
    copy.set("windows", None)
    return copy


def _take(window: exp.Window, written: dict[str, exp.Window], keys: tuple[str, ...]) -> str:
    """Put these parts of the window that this one names in its own; the name."""
    name = str(window.args["alias"].name.lower())
    if name not in written:
        raise Unsupported(f"sql: the window {name!r} of another query, or of a later place", place_of(window))
    window.set("alias", None)
    for key in keys:
        part = written[name].args.get(key)
        window.set(key, [one.copy() for one in part] if isinstance(part, list) else part and part.copy())
    return name


def _extend(window: exp.Window, written: dict[str, exp.Window]) -> str:
    """Put the keys of the window that this one builds on in it; the name.

    A partition of its own is refused: DuckDB alone takes one, where the other has none.
    """
    base = written.get(window.args["alias"].name.lower())
    both = base is not None and base.args.get("order") and window.args.get("order")
    if window.args.get("partition_by") or both or (base is not None and base.args.get("spec")):
        raise Unsupported("sql: a window that replaces parts of another one", place_of(window))
    taken = ("partition_by",) if window.args.get("order") else ("partition_by", "order")
    return _take(window, written, taken)


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
