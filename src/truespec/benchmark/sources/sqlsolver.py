"""SQLSolver's pairs: two lines each, a query and its rewriting, all meant to be equal.

They come with one schema, Calcite's; pairs over other tables are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.benchmark.sources._sql import home
from truespec.benchmark.sources.verieql import plain
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

SCHEMA = "*calcite_test.base.schema.sql"
"""The published schema."""
PAIRS = ("calcite_calcite_tests", "db_rule_instances_spark_tests", "no_order_by_tests_*")
"""The published pair files."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A pair for every two lines."""
    base = home(folder, "calcite_calcite_tests", "pairs of SQLSolver")
    schemas = sorted(base.glob(SCHEMA)) or sorted(base.rglob(SCHEMA))
    ddl = _ddl(schemas[0].read_text(encoding="utf-8")) if schemas else ""
    known = {name.lower() for name in re.findall(r"CREATE TABLE (\w+)", ddl, re.IGNORECASE)}
    for path in [path for pattern in PAIRS for path in sorted(base.glob(pattern))]:
        lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
        queries = [(number, line.rstrip(";")) for number, line in enumerate(lines, 1) if line]
        if len(queries) % 2:
            yield Skipped(
                Origin("sqlsolver", path.name, f"line {queries[-1][0]}"), "a query without its pair"
            )
        for (number, oracle), (_, candidate) in zip(queries[::2], queries[1::2], strict=False):
            origin = Origin("sqlsolver", path.name, f"line {number}")
            missing = (_tables(oracle) | _tables(candidate)) - known
            if missing:
                yield Skipped(origin, f"no schema is published for {', '.join(sorted(missing))}")
                continue
            yield PairRecord(
                f"sqlsolver-{path.name}-{number}",
                "sql",
                {"schema": ddl, "dialect": "postgres"},
                plain(oracle, "postgres"),
                plain(candidate, "postgres"),
                origin,
                "equivalent",
            )


def _ddl(written: str) -> str:
    """The published DDL with names as PostgreSQL folds them."""
    text = re.sub(r"\s+", " ", written.replace("`", "").replace('"', ""))
    # PostgreSQL has no TINYINT, and takes its Booleans for no numbers; Calcite's SLACKER is a Boolean.
    return re.sub(r"\btinyint\b", "boolean", text, flags=re.IGNORECASE).strip().rstrip(";")


def _tables(query: str) -> set[str]:
    """The tables a query reads, less its own WITH names; empty where it does not parse."""
    try:
        tree = sqlglot.parse_one(plain(query, "postgres"), read="postgres")
    except (SqlglotError, RecursionError):
        return set()
    own = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
    return {str(table.name).lower() for table in tree.find_all(exp.Table)} - own - {""}
