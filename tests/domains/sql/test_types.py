"""Values of different types that the prover must keep apart, as the engines' results do."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from sql_pairs import proved
from truespec.domains.sql.schema import read_schema
from truespec.verdict import OracleError

TRUTHS = "CREATE TABLE t (id INT PRIMARY KEY, q BOOLEAN, a INT, f DOUBLE PRECISION)"
NUMBER = "CASE WHEN q THEN 1 WHEN NOT q THEN 0 END"
"""The Boolean `q` as 1 or 0."""


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize(
    ("truth", "number"),
    [
        ("SELECT q FROM t", f"SELECT {NUMBER} FROM t"),
        ("SELECT DISTINCT q FROM t", f"SELECT DISTINCT {NUMBER} FROM t"),
        ("SELECT q FROM t GROUP BY id, q", f"SELECT {NUMBER} FROM t"),
        ("SELECT COUNT(*) > 0 FROM t", "SELECT CASE WHEN COUNT(*) > 0 THEN 1 ELSE 0 END FROM t"),
        (
            "SELECT EXISTS (SELECT 1 FROM t)",
            "SELECT CASE WHEN EXISTS (SELECT 1 FROM t) THEN 1 ELSE 0 END",
        ),
        (
            "SELECT (SELECT q FROM t WHERE q IS NOT NULL ORDER BY q LIMIT 1)",
            f"SELECT MIN({NUMBER}) FROM t",
        ),
        ("SELECT q FROM t UNION SELECT q FROM t", f"SELECT {NUMBER} FROM t UNION SELECT {NUMBER} FROM t"),
        ("SELECT FIRST_VALUE(q) OVER (PARTITION BY id) FROM t", f"SELECT {NUMBER} FROM t"),
        ("SELECT * FROM (VALUES (TRUE), (FALSE)) v", "SELECT * FROM (VALUES (1), (0)) v"),
        ("SELECT q FROM t WHERE q", "SELECT 1 FROM t WHERE q"),
    ],
)
def test_a_boolean_is_no_number(dialect: str, truth: str, number: str) -> None:
    assert not proved(dialect, TRUTHS, truth, number)


def test_the_largest_boolean_of_duckdb_is_one() -> None:
    largest = "SELECT MAX(q) FROM t", f"SELECT MAX({NUMBER}) FROM t"
    base = duckdb.connect()
    base.execute(TRUTHS)
    base.execute("INSERT INTO t VALUES (1, TRUE, 0, 0)")
    assert [str(base.execute(query).fetchall()) for query in largest] == ["[(True,)]", "[(1,)]"]
    assert not proved("duckdb", TRUTHS, *largest)
    assert proved("duckdb", TRUTHS, largest[0], "SELECT MAX(q AND TRUE) FROM t")
    mixed = "SELECT q FROM t UNION ALL SELECT a FROM t", f"SELECT {NUMBER} FROM t UNION ALL SELECT a FROM t"
    assert not proved("duckdb", TRUTHS, *mixed)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT q FROM t WHERE a > 3", "SELECT NOT NOT q FROM t WHERE 3 < a"),
        ("SELECT COUNT(*) > 0 FROM t", "SELECT NOT COUNT(*) <= 0 FROM t"),
        ("SELECT CAST(q AS INT) FROM t", f"SELECT {NUMBER} FROM t"),
        ("SELECT a FROM t", "SELECT a * 1.0 FROM t"),
        ("SELECT id FROM t ORDER BY q", f"SELECT id FROM t ORDER BY {NUMBER}"),
        ("SELECT NULL FROM t", "SELECT CASE WHEN id < id THEN q END FROM t"),
        ("SELECT NULL UNION ALL SELECT q FROM t", "SELECT q AND q FROM t UNION ALL SELECT NULL"),
    ],
)
def test_booleans_are_compared_with_booleans(dialect: str, one: str, other: str) -> None:
    assert proved(dialect, TRUTHS, one, other)


@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_elsewhere_a_boolean_is_1_or_0(dialect: str) -> None:
    number = "CASE WHEN a > 3 THEN 1 WHEN a <= 3 THEN 0 END"
    assert proved(dialect, TRUTHS, "SELECT a > 3 FROM t", f"SELECT {number} FROM t")
    assert proved(dialect, TRUTHS, "SELECT MAX(a > 3) FROM t", f"SELECT MAX({number}) FROM t")


@pytest.mark.parametrize(
    ("dialect", "oracle", "candidate"),
    [
        ("postgres", "SELECT COALESCE(a, CAST(NULL AS FLOAT)) / 2 FROM t", "SELECT a / 2 FROM t"),
        ("postgres", "SELECT COALESCE(a, CAST(NULL AS DECIMAL)) / 2 FROM t", "SELECT a / 2 FROM t"),
        (
            "postgres",
            "SELECT v / 2 FROM (SELECT a AS v FROM t UNION ALL SELECT CAST(NULL AS FLOAT)) x",
            "SELECT v / 2 FROM (SELECT a AS v FROM t UNION ALL SELECT NULL) x",
        ),
        (
            "duckdb",
            "SELECT CONCAT(COALESCE(a, CAST(NULL AS FLOAT)), '') FROM t",
            "SELECT CONCAT(a, '') FROM t",
        ),
        (
            "mysql",
            "SELECT CONCAT(COALESCE(a, CAST(NULL AS DECIMAL(9, 2)))) FROM t",
            "SELECT CONCAT(COALESCE(a, NULL)) FROM t",
        ),
    ],
)
def test_a_null_of_a_type_makes_fractions_of_integers(dialect: str, oracle: str, candidate: str) -> None:
    assert not proved(dialect, TRUTHS, oracle, candidate)


@pytest.mark.parametrize("dialect", ["mysql", "postgres", "sqlite", "duckdb"])
def test_a_null_of_a_type_is_null(dialect: str) -> None:
    kind = "SIGNED" if dialect == "mysql" else "INT"
    assert proved(
        dialect, TRUTHS, f"SELECT COALESCE(a, CAST(NULL AS {kind})) + 1 FROM t", "SELECT 1 + a FROM t"
    )
    assert proved(dialect, TRUTHS, "SELECT CAST(NULL AS DECIMAL(9, 2)) FROM t", "SELECT NULL FROM t")


DATES = """CREATE TABLE t (id INT PRIMARY KEY, d DATE, m DATETIME, n DATE NOT NULL, s TEXT);
    CREATE TABLE u (id INT PRIMARY KEY, s TEXT, d DATE)"""
SAVED = """INSERT INTO t VALUES (1, '2020', '2020-01-01 10:00:00', '2020-01-05', 'x'),
    (2, '2020-01-31', '9.5', '02020', 'x'), (3, '', '2020', '1e3', NULL);
    INSERT INTO u VALUES (1, '2020', '2020'), (2, '2020-01-31', '2020-01-31')"""


def rows(query: str) -> list[str]:
    """The result on SQLite, where dates like numbers have become numbers."""
    base = sqlite3.connect(":memory:")
    base.executescript(f"{DATES}; {SAVED}")
    return sorted(map(repr, base.execute(query)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT t.d FROM t JOIN u ON t.d = u.s", "SELECT u.s FROM t JOIN u ON t.d = u.s"),
        ("SELECT id FROM t WHERE d = '2020' AND d = '02020'", "SELECT id FROM t WHERE id < id"),
        ("SELECT id FROM t WHERE COALESCE(d, '') = '2020'", "SELECT id FROM t WHERE d = '2020'"),
        ("SELECT id FROM t WHERE NULLIF(d, '') = '2020'", "SELECT id FROM t WHERE d = '2020'"),
        (
            "SELECT id FROM t WHERE IIF(id = 1, d, NULL) = '2020'",
            "SELECT id FROM t WHERE id = 1 AND d = '2020'",
        ),
        ("SELECT MAX(d) = '2020' FROM t WHERE id = 1", "SELECT MAX(d = '2020') FROM t WHERE id = 1"),
        ("SELECT id FROM t WHERE m = ' 9.50 '", "SELECT id FROM t WHERE m = ' 9.50 ' AND m = 'x'"),
        ("SELECT id FROM t WHERE n IN ('+2.020e3', '1')", "SELECT id FROM t WHERE n IN ('1')"),
    ],
)
def test_a_date_of_sqlite_like_a_number_is_one(one: str, other: str) -> None:
    assert rows(one) != rows(other)
    assert not proved("sqlite", DATES, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT id FROM t WHERE d > '2020-01-31'", "SELECT id FROM t WHERE NOT d <= '2020-01-31'"),
        (
            "SELECT id FROM t WHERE d BETWEEN '2020-01-01' AND '2020-01-31'",
            "SELECT id FROM t WHERE d >= '2020-01-01' AND '2020-01-31' >= d",
        ),
        (
            "SELECT id FROM t WHERE d IN ('2020-01-31', '')",
            "SELECT id FROM t WHERE d = '' OR d = '2020-01-31'",
        ),
        ("SELECT id FROM t WHERE m < '2020-01-31 10:00'", "SELECT id FROM t WHERE '2020-01-31 10:00' > m"),
        ("SELECT d FROM t WHERE d = '2020-01-31'", "SELECT '2020-01-31' FROM t WHERE d = '2020-01-31'"),
        ("SELECT t.d FROM t JOIN u ON t.d = u.d", "SELECT u.d FROM u, t WHERE t.d = u.d"),
        (
            "SELECT id FROM t WHERE d IN (SELECT d FROM u)",
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.d = t.d)",
        ),
        ("SELECT d, COUNT(*) FROM t GROUP BY d", "SELECT d, COUNT(id) FROM t GROUP BY d"),
        ("SELECT DISTINCT d FROM t", "SELECT d FROM t UNION SELECT d FROM t"),
        (
            "SELECT MIN(n), MAX(n) FROM t",
            "SELECT (SELECT n FROM t ORDER BY n LIMIT 1), (SELECT n FROM t ORDER BY n DESC LIMIT 1)",
        ),
        (
            "SELECT id FROM t WHERE n = (SELECT MAX(n) FROM t)",
            "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.n > t.n)",
        ),
        ("SELECT COALESCE(d, '') FROM t", "SELECT CASE WHEN d IS NULL THEN '' ELSE d END FROM t"),
        ("SELECT id FROM t WHERE d LIKE '2020-%'", "SELECT id FROM t WHERE NOT d NOT LIKE '2020-%'"),
        (
            "SELECT id FROM t WHERE SUBSTR(d, 1, 4) = '2020'",
            "SELECT id FROM t WHERE '2020' = SUBSTR(d, 1, 4)",
        ),
        ("SELECT CAST(d AS VARCHAR(3)) FROM t", "SELECT CAST(d AS TEXT) FROM t"),
    ],
)
def test_dates_of_sqlite_are_read_beside_dates(one: str, other: str) -> None:
    assert rows(one) == rows(other)
    assert proved("sqlite", DATES, one, other)


def test_other_types_of_sqlite_that_hold_numbers() -> None:
    with pytest.raises(OracleError, match="the type STR,"):
        read_schema("CREATE TABLE t (s STR)", "sqlite")
    ddl = "CREATE TABLE t (id INT PRIMARY KEY, e ENUM)"
    assert not proved("sqlite", ddl, "SELECT id FROM t", "SELECT id FROM t WHERE e IS NULL")
