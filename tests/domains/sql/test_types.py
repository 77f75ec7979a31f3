"""Values of different types that the prover must keep apart, as the engines' results do."""

from __future__ import annotations

import duckdb
import pytest

from sql_pairs import proved

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
