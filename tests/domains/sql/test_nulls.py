"""NULLs that have a type: it decides the type of what stands beside them, as a column's does."""

from __future__ import annotations

import pytest

from sql_pairs import proved, told_apart
from truespec.domains.registry import load
from truespec.domains.sql.prove.proof import prove
from truespec.solvers.limit import Limit
from truespec.verdict import Unsupported

ROWS = "INSERT INTO t VALUES (1, 2, 'x', '2020-01-31', TRUE), (2, 10, 'y', '2020-02-29', FALSE)"


def schema(dialect: str) -> str:
    truth = "BOOLEAN" if dialect != "mysql" else "INT"
    return f"CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, b VARCHAR(9), d DATE, c {truth})"


TOLD_APART = [
    ("postgres", "COALESCE(CAST(NULL AS TIMESTAMP), d)", "d"),
    ("duckdb", "COALESCE(CAST(NULL AS TIMESTAMP), d)", "d"),
    ("mysql", "COALESCE(CAST(NULL AS DATETIME), d)", "d"),
    ("postgres", "CASE WHEN id > 0 THEN d ELSE NULL::timestamp END", "d"),
    ("postgres", "COALESCE(NULLIF(NULL::timestamp, CAST(d AS TIMESTAMP)), d)", "d"),
    ("postgres", "LAG(d, 1, NULL::timestamp) OVER (ORDER BY id)", "LAG(d) OVER (ORDER BY id)"),
    ("mysql", "MAX(COALESCE(CAST(NULL AS CHAR), n))", "MAX(n)"),
    ("mysql", "MAX(COALESCE(CAST(NULL AS BINARY), n))", "MAX(n)"),
    ("mysql", "MAX(COALESCE(IF(n = 1, NULL, NULL), n))", "MAX(n)"),
    ("mysql", "CONCAT(COALESCE(ROUND(NULL, 2), n))", "CONCAT(n)"),
    ("mysql", "CONCAT(COALESCE((SELECT 1.5 FROM t WHERE 1 = 0), n))", "CONCAT(n)"),
    ("duckdb", "COALESCE(CAST(NULL AS INTEGER), c)", "c"),
    ("duckdb", "CONCAT(COALESCE(EXTRACT(YEAR FROM CAST(NULL AS DATE)), n), '')", "CONCAT(n, '')"),
    ("postgres", "COALESCE((SELECT 1.5 WHERE FALSE), n) / 4", "n / 4"),
    ("postgres", "COALESCE((SELECT 1.5 LIMIT 0), n) / 4", "n / 4"),
    ("postgres", "COALESCE((SELECT CAST(NULL AS TIMESTAMP) FROM t WHERE FALSE), d)", "d"),
]
"""An output whose type comes from a NULL, and one without it."""


@pytest.mark.parametrize(("dialect", "typed", "plain"), TOLD_APART)
def test_the_type_of_a_null_counts(dialect: str, typed: str, plain: str) -> None:
    queries = [f"SELECT {output} FROM t" for output in (typed, plain)]
    assert told_apart(dialect, [schema(dialect), ROWS], *queries)
    assert not proved(dialect, schema(dialect), *queries)


@pytest.mark.parametrize(
    ("dialect", "typed", "plain"),
    [
        ("duckdb", "SELECT CAST(NULL AS INTEGER)", "SELECT NULL"),
        ("duckdb", "SELECT n FROM t WHERE FALSE", "SELECT NULL WHERE FALSE"),
        ("duckdb", "(SELECT n FROM t LIMIT 0)", "(SELECT NULL LIMIT 0)"),
    ],
)
def test_a_side_of_nulls_or_of_nothing_gives_a_union_its_type(dialect: str, typed: str, plain: str) -> None:
    queries = [f"SELECT c FROM t UNION ALL {side}" for side in (typed, plain)]
    assert told_apart(dialect, [schema(dialect), ROWS], *queries)
    assert not proved(dialect, schema(dialect), *queries)


@pytest.mark.parametrize("kind", ["REAL", "NUMERIC", "DECIMAL(9, 2)", "TEXT"])
def test_a_null_gives_a_column_of_sqlite_its_affinity(kind: str) -> None:
    query = f"SELECT x / 4 FROM (SELECT CAST(NULL AS {kind}) AS x UNION ALL SELECT n FROM t) v WHERE x > 0"
    assert not proved("sqlite", schema("sqlite"), query, "SELECT n / 4 FROM t WHERE n > 0")


def test_a_null_of_reals_makes_reals_of_integers_in_sqlite() -> None:
    query = "SELECT x / 4 FROM (SELECT CAST(NULL AS REAL) AS x UNION ALL SELECT n FROM t) v WHERE x > 0"
    assert told_apart("sqlite", [schema("sqlite"), ROWS], query, "SELECT n / 4 FROM t WHERE n > 0")


@pytest.mark.parametrize(
    ("dialect", "typed", "plain"),
    [
        ("postgres", "COALESCE(CAST(NULL AS CHAR(5)), b) = 'x'", "b = 'x'"),
        ("mysql", "COALESCE(CAST(NULL AS TIME), d) = '2020-01-31'", "d = '2020-01-31'"),
    ],
)
def test_the_type_of_a_null_counts_in_a_comparison(dialect: str, typed: str, plain: str) -> None:
    queries = [f"SELECT id FROM t WHERE {condition}" for condition in (typed, plain)]
    assert not proved(dialect, schema(dialect), *queries)
    assert proved(dialect, schema(dialect), queries[1], f"{queries[1]} AND {plain}")


def test_a_null_column_of_a_derived_table_is_not_united_in_mariadb() -> None:
    query = "SELECT MAX(COALESCE(x, n)) FROM (SELECT DISTINCT NULL AS x FROM t) v JOIN t ON 1 = 1"
    assert not proved("mysql", schema("mysql"), query, "SELECT MAX(n) FROM t")


def test_nulls_united_with_nulls_are_no_numbers_in_mariadb() -> None:
    query = "SELECT MAX(x) FROM ((SELECT NULL AS x UNION SELECT NULL) UNION ALL SELECT n FROM t) v"
    assert told_apart("mysql", [schema("mysql"), ROWS], query, "SELECT MAX(n) FROM t")
    assert not proved("mysql", schema("mysql"), query, "SELECT MAX(n) FROM t")


@pytest.mark.parametrize(
    ("dialect", "one", "other"),
    [
        ("postgres", "COALESCE(CAST(NULL AS DATE), d)", "d"),
        ("postgres", "COALESCE(CAST(NULL AS VARCHAR(3)), b)", "b"),
        ("postgres", "CAST(NULL AS CHAR(4))", "NULL"),
        ("postgres", "CAST(NULL AS TIMESTAMP(0))", "CASE WHEN n < n THEN b END"),
        ("postgres", "COALESCE((SELECT 1 WHERE FALSE), n)", "n"),
        ("postgres", "(SELECT d FROM t WHERE FALSE)", "NULL"),
        ("duckdb", "COALESCE(CAST(NULL AS BOOLEAN), c)", "c"),
        ("mysql", "COALESCE(CAST(NULL AS SIGNED), n)", "n"),
        ("mysql", "IF(n = 1, NULL, NULL)", "NULL"),
        ("mysql", "IF(n = 1, NULL, n)", "CASE WHEN n <> 1 THEN n END"),
        ("sqlite", "COALESCE(CAST(NULL AS INT), n)", "n"),
    ],
)
def test_a_null_of_the_same_type_changes_nothing(dialect: str, one: str, other: str) -> None:
    assert proved(dialect, schema(dialect), f"SELECT {one} FROM t", f"SELECT {other} FROM t")


@pytest.mark.parametrize("dialect", ["postgres", "duckdb", "mysql", "sqlite"])
@pytest.mark.parametrize("column", ["n", "b", "d", "c"])
def test_a_null_without_a_type_takes_that_of_the_other_side(dialect: str, column: str) -> None:
    sides = f"SELECT {column} FROM t", "SELECT NULL"
    assert proved(dialect, schema(dialect), " UNION ALL ".join(sides), " UNION ALL ".join(reversed(sides)))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT n FROM t WHERE c = 1",
        "SELECT COALESCE(c, 0) FROM t",
        "SELECT CASE WHEN n = 1 THEN 0 ELSE c END FROM t",
    ],
)
def test_duckdb_runs_booleans_beside_numbers(query: str) -> None:
    domain = load("sql")
    read = domain.read_context({"dialect": "duckdb", "schema": schema("duckdb")}, query)
    tree = domain.parse(query, read).tree
    with pytest.raises(Unsupported, match="Boolean"):
        prove(tree, tree, read.schema, read.order, read.settings, Limit.start(60))
