"""Symbolic predicates such as `B1(X, Y)` over rows, as SQL.

A predicate that may be any function of its rows' values is a table that may hold any rows: it is true of the
rows that the table holds. Two queries are equal for every predicate exactly when they are equal for every
content of these tables.
"""

from __future__ import annotations

import re
from typing import Any

import sqlglot
from sqlglot import exp

from truespec.benchmark.sources._sql import Table

_PREDICATE = re.compile(r"B\d*", re.IGNORECASE)


def written_out(queries: list[str], tables: list[Table], dialect: str) -> tuple[list[str], list[Table]]:
    """The queries, and the tables with those of the predicates; `ValueError` for what cannot be read."""
    predicates: dict[str, Table] = {}
    texts: list[str] = []
    for query in queries:
        tree = sqlglot.parse_one(query, read=dialect)
        for call in list(tree.find_all(exp.Anonymous)):
            if not _PREDICATE.fullmatch(str(call.name)):
                raise ValueError(f"{call.sql(dialect)} is no predicate")
            columns = [
                (str(row.name), name, kind)
                for row in call.expressions
                for name, kind in _columns(_source(call, str(row.name)), tables).items()
            ]
            name = f"HOLDS_{call.name}".upper()
            kinds = {f"C{place}": kind for place, (_, _, kind) in enumerate(columns)}
            if any(kind.startswith(("VARCHAR", "ENUM")) for kind in kinds.values()):
                raise ValueError(f"{call.name} is given texts, and collations call different texts equal")
            table = predicates.setdefault(name, Table(name, kinds))
            if table.columns != kinds:
                raise ValueError(f"{call.name} is given rows of several kinds")
            same = " AND ".join(
                f"{name}.C{place} <=> {row}.{column}" for place, (row, column, _) in enumerate(columns)
            )
            call.replace(sqlglot.parse_one(f"EXISTS (SELECT 1 FROM {name} WHERE {same})", read=dialect))
        texts.append(tree.sql(dialect))
    if not predicates:
        raise ValueError("no predicate")
    return texts, [*tables, *predicates.values()]


def _source(node: Any, alias: str) -> Any:
    """What a name ranges over, in the innermost query around a node that declares it."""
    around = node.find_ancestor(exp.Select)
    while around is not None:
        sources = [around.args.get("from_"), *(around.args.get("joins") or ())]
        for source in sources:
            if source is not None and str(source.this.alias_or_name).upper() == alias.upper():
                return source.this
        around = around.find_ancestor(exp.Select)
    raise ValueError(f"{alias} is no row")


def _columns(source: Any, tables: list[Table]) -> dict[str, str]:
    """The columns of a table, or of a derived table that repeats one."""
    inner = source.find(exp.Table)
    if inner is None or (isinstance(source, exp.Subquery) and not source.this.is_star):
        raise ValueError(f"{source.sql()} has no columns of its own")
    for table in tables:
        if table.name.upper() == str(inner.name).upper():
            return table.columns
    raise ValueError(f"{inner.sql()} is no table")
