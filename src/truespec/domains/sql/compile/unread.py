"""What of a derived table or of a common table expression the rest of the statement reads.

An output is read where its name stands anywhere outside the SELECT that puts it out, qualified or not, and
where a star or a NATURAL join outside may stand for it. Names that two tables share count for both.

Of several references to one common table expression, each reads the columns that are named with its alias, or
with none, and all where a star may stand for its columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

_READ = "read outside"
"""The note at such a SELECT that names what is read of it."""
_OTHERS = "read by others"
"""The note at a reference to a common table expression that names what the other references read."""


def mark(query: exp.Expr) -> None:
    """Note what the rest of a whole query reads, at SELECTs with windows and at references."""
    _mark_references(query)
    if query.find(exp.Window) is None:
        return
    names, wild = Counter(_names(query)), _wild(query)
    for node in query.find_all(exp.Select):
        if _is_part(node) and any(item.find(exp.Window) for item in node.expressions):
            if _wild(node) == wild:
                node.meta[_READ] = frozenset(names - Counter(_names(node)))


def unread(node: exp.Select, outputs: list[str]) -> frozenset[str]:
    """The outputs of these names that nothing reads; copies of the node keep the note."""
    read = node.meta.get(_READ) if node.meta else None
    if read is None or node.args.get("distinct"):
        return frozenset()
    return frozenset(name for name in outputs if name and name not in read)


def read_by_others(reference: exp.Table) -> frozenset[str] | None:
    """What the other references to the same common table expression read; None where that is not known."""
    return reference.meta.get(_OTHERS) if reference.meta else None


def _mark_references(query: exp.Expr) -> None:
    """Note at each of several references to a common table expression what the others read."""
    named = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    found: dict[str, list[exp.Table]] = {}
    for table in query.find_all(exp.Table) if named else ():
        if table.name.lower() in named:
            found.setdefault(table.name.lower(), []).append(table)
    for tables in found.values():
        if len(tables) > 1:
            reads = [_read_of(table) for table in tables]
            for place, table in enumerate(tables):
                others = [names for other, names in enumerate(reads) if other != place]
                if all(names is not None for names in others):
                    table.meta[_OTHERS] = frozenset[str]().union(*(names or () for names in others))


def _read_of(table: exp.Table) -> frozenset[str] | None:
    """The columns that may be read of one reference to a table, in the SELECT around it; None for all."""
    alias, home = (table.alias or table.name).lower(), table.parent_select
    found: set[str] = set()
    if home is None:
        return None
    for node in home.walk():
        if isinstance(node, exp.Column) and node.table.lower() in ("", alias):
            if isinstance(node.this, exp.Star):
                return None
            found.add(node.name.lower())
        elif isinstance(node, exp.Join):
            if _reads_all(node):
                return None
            found |= {name.name.lower() for name in node.args.get("using") or ()}
        elif isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count | exp.Column):
            if node.parent_select is home:
                return None
    return frozenset(found)


def _is_part(node: exp.Select) -> bool:
    """Whether a SELECT is all of a derived table or of a common table expression, by names of its own."""
    above = node.parent
    if isinstance(above, exp.Subquery):
        inside = isinstance(above.parent, exp.From | exp.Join)
        alias = above.args.get("alias")
        return inside and alias is not None and not alias.columns
    return isinstance(above, exp.CTE) and not above.args["alias"].columns


def _wild(query: exp.Expr) -> int:
    """How many parts of a query may stand for columns that they do not name."""
    return sum(map(_reads_all, query.walk()))


def _reads_all(node: exp.Expr) -> bool:
    if isinstance(node, exp.Star):
        return not isinstance(node.parent, exp.Count)
    return isinstance(node, exp.Join) and str(node.args.get("method") or "").upper() == "NATURAL"


def _names(query: exp.Expr) -> Iterator[str]:
    """The names of columns that a query mentions, each as often as it stands there."""
    for node in query.walk():
        if isinstance(node, exp.Column):
            yield node.name.lower()
        elif isinstance(node, exp.Join):
            yield from (name.name.lower() for name in node.args.get("using") or ())
