"""Whether rows tie in a window on one database: a query that counts them.

Where no row has a peer, a window numbers rows in one way only, whatever comes before and after it.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def question(window: Any, query: Any) -> exp.Expr | None:
    """A query that counts the rows with a peer in a window of a query; None where it cannot be written.

    RANK counts the rows before a row, COUNT those up to its last peer. The query is asked with the WITH
    clauses around it, and only where it stands in FROM or WITH: what stands elsewhere may refer to rows
    around it. Nor is it asked where a name may mean an output, which is not there any more.
    """
    around = clauses_around(query)
    if around is None or names_output(query):
        return None
    rank, count = window.copy(), window.copy()
    rank.set("this", exp.Anonymous(this="RANK", expressions=[]))
    count.set("this", exp.Count(this=exp.Star()))
    for copy in (rank, count):
        copy.set("spec", None)
    kept: dict[str, Any] = {
        part: value.copy() if isinstance(value, exp.Expr) else [one.copy() for one in value]
        for part, value in query.args.items()
        if part in KEPT and value
    }
    for named in kept.get("windows", ()):
        named.set("spec", None)
    numbers = [exp.alias_(rank, "first_peer"), exp.alias_(count, "last_peer")]
    inner = exp.Select(expressions=numbers, **kept)
    # Without an order, all rows of a partition are peers, and RANK is 1.
    outer = exp.select("COUNT(*)").from_(inner.subquery("numbered")).where("last_peer > first_peer")
    return with_clauses(outer, around, [])


def with_clauses(query: exp.Expr, around: list[Any], more: list[exp.CTE]) -> exp.Expr:
    """A query behind the tables of WITH clauses, and some more; it is changed."""
    tables = [*(table.copy() for clause in around for table in clause.expressions), *more]
    if tables:
        recursive = any(clause.args.get("recursive") for clause in around)
        query.set("with_", exp.With(expressions=tables, recursive=recursive))
    return query


KEPT = frozenset({"from_", "joins", "laterals", "where", "group", "having", "windows"})
"""The parts of a query that say which rows its windows see."""


def names_output(query: Any) -> bool:
    """Whether a window, GROUP BY or HAVING names what may be an output that is no column of the name."""
    computed = {
        str(output.alias).lower()
        for output in query.expressions
        if isinstance(output, exp.Alias)
        and not (
            isinstance(output.this, exp.Column) and str(output.this.name).lower() == output.alias.lower()
        )
    }
    parts = [*query.find_all(exp.Window), query.args.get("group"), query.args.get("having")]
    return any(
        not column.table and str(column.name).lower() in computed
        for part in parts
        if part is not None
        for column in part.find_all(exp.Column)
    )


def clauses_around(query: Any, *, anywhere: bool = False) -> list[Any] | None:
    """The WITH clauses that a query sees, the outermost first; None where it may refer to rows around it.

    With `anywhere` it may: an engine that is asked on its own then knows no such column.
    """
    found: list[Any] = []
    names: set[str] = set()
    node = query
    while node is not None:
        clause = node.args.get("with_") if isinstance(node, exp.Query) else None
        if clause is not None:
            own = {str(table.alias).lower() for table in clause.expressions}
            if own & names:
                return None
            names |= own
            found.insert(0, clause)
        if not (anywhere or _stands_alone(node)) or (
            isinstance(node, exp.CTE) and _reads(query, str(node.alias))
        ):
            return None
        node = node.parent
    return found


def _stands_alone(node: Any) -> bool:
    """Whether a node on the way to the root lets what is below it refer to no rows around it."""
    if node.parent is None:
        return True
    if isinstance(node, exp.Subquery):
        return isinstance(node.parent, exp.From | exp.Join | exp.Subquery | exp.SetOperation | exp.CTE)
    if isinstance(node, exp.Query):
        return isinstance(node.parent, exp.CTE | exp.Subquery | exp.SetOperation)
    return isinstance(node, exp.From | exp.Join | exp.CTE | exp.With)


def _reads(query: Any, name: str) -> bool:
    """Whether a query reads a table of this name: a recursion's own rows are not there to be asked."""
    return any(str(table.name).lower() == name.lower() for table in query.find_all(exp.Table))
