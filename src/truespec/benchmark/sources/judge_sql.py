"""Pairs of queries with the recorded verdicts of five language models on their equivalence.

Upstream publishes no schemas. They are read off the queries here: every table with the columns that are
named, a text where a column meets a text, a number otherwise, no constraint at all. Pairs whose columns
cannot be distinguished that way, or that are written in T-SQL, are left out.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.benchmark.sources._sql import Table, home, rows, schema
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

# Its warnings are about texts that end as skipped records.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

FILES = ("equi_join.csv", "equi_sdss.csv", "equi_sqlshare.csv")
"""The published files."""
JUDGES = ("gpt4", "gpt3.5", "llama3", "mistralai", "gemini")
"""Columns with the models' verdicts, YES or NO."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A pair for each record; its label is upstream's, given by construction and not verified."""
    base = home(folder, FILES[0], "recorded verdicts")
    for name in FILES:
        if not (base / name).exists():
            continue
        for number, row in rows(base / name):
            origin = Origin("judge-sql", name, f"record {number}")
            oracle, candidate = (
                row.get(column, "").replace("_x000D_", "").strip().rstrip(";").strip()
                for column in ("SQL_Statement", "Equivalent_Queries")
            )
            try:
                ddl = infer([oracle, candidate])
            except (SqlglotError, RecursionError) as error:
                yield Skipped(origin, f"not in PostgreSQL's dialect: {str(error).splitlines()[0]}")
                continue
            except LookupError as error:
                yield Skipped(origin, f"no schema can be read off: {error.args[0]}")
                continue
            verdicts = {judge: row.get(judge, "").strip() for judge in JUDGES}
            label = {"original": row.get("Original", "").strip(), "judges": verdicts}
            yield PairRecord(
                f"judge-sql-{name.removesuffix('.csv')}-{number}",
                "sql",
                {"schema": ddl, "dialect": "postgres"},
                oracle,
                candidate,
                origin,
                label,
                {"method": row.get("Modification_Method", "").strip()},
            )


def infer(queries: list[str]) -> str:
    """The DDL of the tables that queries read; `LookupError` for a column whose table is not named."""
    tables: dict[str, Table] = {}
    texts: set[tuple[str, str]] = set()
    links: list[tuple[tuple[str, str], tuple[str, str]]] = []
    for query in queries:
        tree = sqlglot.parse_one(query, read="postgres")
        if not isinstance(tree, exp.Query):
            raise LookupError("the text is no query")
        derived = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
        derived |= {str(sub.alias).lower() for sub in tree.find_all(exp.Subquery) if sub.alias}
        aliases: dict[str, str] = {}
        for node in tree.find_all(exp.Table):
            if node.db or not str(node.name).isidentifier():
                raise LookupError(f"the table {node.sql()}")
            if str(node.name).lower() not in derived:
                tables.setdefault(str(node.name).lower(), Table(str(node.name).lower()))
                aliases[str(node.alias_or_name).lower()] = str(node.name).lower()
        for named in tree.find_all(exp.Column):
            place = _place(named, aliases, derived)
            if place:
                tables[place[0]].columns.setdefault(place[1], "INT")
                _meet(named, place, texts, links, aliases, derived)
    for _ in range(len(links)):
        before = len(texts)
        for one, other in links:
            if one in texts or other in texts:
                texts |= {one, other}
        if len(texts) == before:
            break
    for table, column in texts:
        tables[table].columns[column] = "VARCHAR(255)"
    empty = [table.name for table in tables.values() if not table.columns]
    if empty or not tables:
        raise LookupError(f"no column of {', '.join(empty) or 'any table'} is named")
    return schema(list(tables.values()), "")


def _place(column: exp.Column, aliases: dict[str, str], derived: set[str]) -> tuple[str, str] | None:
    """The table and column that are meant; None for a column of a derived table."""
    name, table = str(column.name).lower(), str(column.table).lower()
    if table in aliases:
        return aliases[table], name
    if table:
        if table in derived:
            return None
        raise LookupError(f"{table}.{name}")
    if derived or len(set(aliases.values())) != 1:
        raise LookupError(f"the table of {name}")
    return next(iter(aliases.values())), name


def _meet(
    column: Any,
    place: tuple[str, str],
    texts: set[tuple[str, str]],
    links: list[tuple[tuple[str, str], tuple[str, str]]],
    aliases: dict[str, str],
    derived: set[str],
) -> None:
    """Note what a column is compared with."""
    around = column.parent
    if isinstance(around, exp.Like | exp.ILike | exp.In | exp.EQ | exp.NEQ | exp.GT | exp.LT | exp.Between):
        others = [
            around.args.get("expression"),
            around.args.get("this"),
            *(around.args.get("expressions") or ()),
        ]
        others += [around.args.get("low"), around.args.get("high")]
        for other in others:
            if isinstance(other, exp.Literal) and other.is_string:
                texts.add(place)
            if isinstance(other, exp.Column) and other is not column:
                there = _place(other, aliases, derived)
                if there:
                    links.append((place, there))
