"""Outputs of derived tables and of common table expressions that nothing in the statement reads.

An output is read where its name stands anywhere outside the SELECT that puts it out, qualified or not, and
where a star or a NATURAL join outside may stand for it. Names that two tables share count for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlglot import exp

_READ = "read outside"
"""The note at such a SELECT that names what is read of it."""


def mark(query: exp.Expr) -> None:
    """Note at the SELECTs of a whole query that have windows which columns are named outside of them."""
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
