"""Orders that a query gives to the rows it reads, which an engine may keep where it has a choice.

SQL promises no order of the rows of a derived table. PostgreSQL, DuckDB and SQLite keep the one that ORDER
BY gives them, and PostgreSQL's manual relies on it: `STRING_AGG(s, ',')`, `LIMIT 1` or `ROW_NUMBER() OVER ()`
above such rows takes them in that order, and in any order above rows that are not sorted. So a choice above
them is not the choice that the engine has elsewhere.
"""

from __future__ import annotations

from sqlglot import exp


def sorts_what_it_reads(query: exp.Expr) -> bool:
    """Whether ORDER BY stands in a part of FROM, in a WITH, in a part of a set operation, or below LIMIT."""
    orders = (order for order in query.find_all(exp.Order) if isinstance(order.parent, exp.Query))
    return any(_is_read(order.parent) for order in orders if order.parent is not query)


def _is_read(query: exp.Expr | None) -> bool:
    """Whether a query gives rows to another one, or to its own LIMIT, rather than a value or a condition."""
    while query is not None and isinstance(query.parent, exp.Subquery):
        query = query.parent
        if query.args.get("limit") or query.args.get("offset"):
            return True
    return query is not None and isinstance(
        query.parent, exp.From | exp.Join | exp.Lateral | exp.CTE | exp.SetOperation
    )
