"""Fractions that an engine holds as DOUBLE: halves go to the even number, texts have exponents."""

from __future__ import annotations

import pytest

import needs
from sql_pairs import proved, told_apart

SCHEMA = "CREATE TABLE t (id INT PRIMARY KEY, x DECIMAL(10, 2), a INT, b INT, f DOUBLE PRECISION)"
EQUAL = SCHEMA.replace("f DOUBLE", "CHECK (x IS NOT NULL), CHECK (f IS NOT NULL), CHECK (x = f), f DOUBLE")
ROWS = ["INSERT INTO t VALUES (1, 2.5, 5, 25, 2.5), (2, 4.5, 100000000, 5, 4.5), (3, 0, 1, 0, -0.5)"]
TOOLS = {"mysql": "mariadbd", "postgres": "psql"}


def pair(one: str, other: str, rest: str = "") -> tuple[str, str]:
    return f"SELECT {one} FROM t{rest}", f"SELECT {other} FROM t{rest}"


APART = [
    ("mysql", *pair("ROUND(x + '0')", "ROUND(x)")),
    ("mysql", *pair("ROUND(x * ('1'))", "ROUND(x)")),
    ("mysql", *pair("ROUND(x * 1e0)", "ROUND(x)")),
    ("mysql", *pair("ROUND(POW(x, 1))", "ROUND(x)")),
    ("mysql", *pair("ROUND(COALESCE(x, 1e0))", "ROUND(x)", " WHERE x IS NOT NULL")),
    ("mysql", *pair("ROUND(IF(a > 0, x, 1e0))", "ROUND(x)", " WHERE a > 0")),
    ("mysql", *pair("ROUND(a / '2')", "ROUND(a / 2)")),
    ("mysql", *pair("ROUND(POW(a, 1) / 2)", "ROUND(a * 0.5)")),
    ("mysql", *pair("ROUND(b * '1', -1)", "ROUND(b, -1)")),
    ("mysql", "SELECT ROUND(x + k) FROM t, (SELECT '0' AS k) q", "SELECT ROUND(x) FROM t"),
    (
        "mysql",
        "SELECT ROUND(v) FROM (SELECT x AS v FROM t UNION ALL SELECT 1e0 FROM t WHERE 1 = 0) q",
        "SELECT ROUND(x) FROM t",
    ),
    ("mysql", *pair("CONCAT(POW(a, 2), '')", "CONCAT(a * a, '')")),
    ("mysql", *pair("CONCAT(a * '100000000', '')", "CONCAT(a * 100000000, '')")),
    ("postgres", *pair("ROUND(POWER(a, 1) / 2)", "ROUND(a / 2.0)")),
    ("postgres", *pair("ROUND(CEIL(a) / 2)", "ROUND(a / 2.0)")),
    ("postgres", *pair("ROUND(FLOOR(a) / 2)", "ROUND(a / 2.0)")),
    ("postgres", *pair("ROUND(ROUND(a) / 2)", "ROUND(a / 2.0)")),
]


@pytest.mark.parametrize(("dialect", "oracle", "candidate"), APART)
def test_what_is_rounded_or_written_otherwise_is_not_proved(
    dialect: str, oracle: str, candidate: str
) -> None:
    assert not proved(dialect, SCHEMA, oracle, candidate)


@pytest.mark.live
@pytest.mark.parametrize(("dialect", "oracle", "candidate"), APART)
def test_the_engine_tells_them_apart(dialect: str, oracle: str, candidate: str) -> None:
    needs.tool(TOOLS[dialect])
    assert told_apart(dialect, [SCHEMA, *ROWS], oracle, candidate)


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_the_queries_are_seen_together(dialect: str) -> None:
    """One query names the DOUBLE alone, the other the DECIMAL, and a constraint says that they are equal."""
    needs.tool(TOOLS[dialect])
    assert proved(dialect, EQUAL, "SELECT x + x FROM t", "SELECT f + f FROM t")
    assert not proved(dialect, EQUAL, "SELECT ROUND(x) FROM t", "SELECT ROUND(f) FROM t")


@pytest.mark.parametrize(
    ("dialect", "oracle", "candidate"),
    [
        ("mysql", *pair("ROUND(SQRT(POW(a - b, 2)), 2)", "ROUND(SQRT(POW(b - a, 2)), 2)")),
        ("mysql", *pair("ROUND(SQRT(MIN(POW(a - b, 2))), 2)", "ROUND(SQRT(MIN((b - a) * (b - a))), 2)")),
        ("mysql", *pair("ROUND(STDDEV_POP(a), 2)", "ROUND(STD(a + 0), 2)")),
        ("mysql", *pair("ROUND(AVG(x), 2)", "ROUND(SUM(x) / COUNT(x), 2)")),
        ("mysql", *pair("ROUND(AVG(f), 2)", "ROUND(SUM(f) / COUNT(f), 2)")),
        ("mysql", *pair("'1', ROUND(AVG(x), 2)", "'1', ROUND(SUM(x) / COUNT(x), 2)")),
        ("mysql", *pair("POW(a, 2)", "a * a")),
        ("mysql", *pair("a + '1'", "1 + a")),
        ("mysql", *pair("CONCAT(FLOOR(a), '%')", "CONCAT(a, '%')")),
        ("mysql", *pair("CONCAT(FLOOR(x / 5) % 2, '%')", "CONCAT(FLOOR(0.2 * x) % 2, '%')")),
        ("mysql", *pair("FLOOR(x / 5) * 5", "5 * FLOOR(x / 5)")),
        ("postgres", *pair("ROUND(a / 2.0)", "ROUND(a * 0.5)")),
        ("postgres", *pair("ROUND(CEIL(x))", "CEIL(x)")),
        ("postgres", *pair("ROUND(POWER(x, 2), 1)", "ROUND(x * x, 1)")),
    ],
)
def test_what_is_of_one_sort_is_proved(dialect: str, oracle: str, candidate: str) -> None:
    assert proved(dialect, SCHEMA, oracle, candidate)
