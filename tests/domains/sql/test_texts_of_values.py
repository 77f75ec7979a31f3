"""Moments, moved literals and keys whose text, or whose syntax, MariaDB tells apart."""

from __future__ import annotations

import pytest

import needs
from sql_pairs import proved, told_apart

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, m DATETIME, n DATETIME(3), d DATE, c VARCHAR(9), a INT)
"""
WHOLE = SCHEMA.replace("(3)", "")
ROWS = [
    "INSERT INTO t VALUES (1, '2020-01-31 10:00:00', '2020-01-31 10:00:00', '2020-01-31', 'é', 1)",
    "INSERT INTO t VALUES (2, NULL, NULL, NULL, 'ab', NULL), (3, NULL, NULL, NULL, '😀', NULL)",
]
TEXTS = ("CONCAT({}, '')", "LENGTH({})", "LEFT({}, 30)", "HEX({})", "SUBSTRING({}, 12)")
UNION = "SELECT {} FROM (SELECT {} AS k, id FROM t UNION ALL SELECT n, id FROM t WHERE 1 = 0) q WHERE id = 1"
APART = [
    *(
        (f"SELECT {x.format('m')} FROM t WHERE m = n", f"SELECT {x.format('n')} FROM t WHERE m = n")
        for x in TEXTS
    ),
    *(
        (
            f"SELECT {x.format('COALESCE(m, n)')} FROM t WHERE m IS NOT NULL",
            f"SELECT {x.format('m')} FROM t WHERE m IS NOT NULL",
        )
        for x in TEXTS
    ),
    (UNION.format("CONCAT(k, '')", "m"), "SELECT CONCAT(m, '') FROM t WHERE id = 1"),
    # A text moved by an interval is a text.
    ("SELECT DATE_ADD('2020-01-31', INTERVAL 1 DAY) = '2020-2-1'", "SELECT 1"),
    ("SELECT '2020-01-31' + INTERVAL 1 DAY <> '2020-2-1'", "SELECT 0"),
    ("SELECT ADDDATE('2020-01-31', 1) IN ('2020-2-1')", "SELECT 1"),
    ("SELECT DATE_ADD('2020-01-31', INTERVAL 1 DAY) BETWEEN '2020-2-1' AND '2020-2-1'", "SELECT 1"),
    ("SELECT CASE DATE_SUB('2020-02-01', INTERVAL 1 DAY) WHEN '2020-1-31' THEN 1 ELSE 0 END", "SELECT 1"),
    ("SELECT MAX(DATE_SUB('2020-02-01', INTERVAL 1 DAY)) = '2020-1-31'", "SELECT 1"),
    (
        "SELECT id FROM t WHERE COALESCE(d, '2020-01-31' + INTERVAL 1 DAY) < '2020-2-1'",
        "SELECT id FROM t WHERE d <= '2020-01-31'",
    ),
    # DATE() drops the time of day, in front of an interval too.
    ("SELECT DATE_ADD(DATE(m), INTERVAL 1 DAY) FROM t", "SELECT DATE_ADD(m, INTERVAL 1 DAY) FROM t"),
    ("SELECT EXTRACT(HOUR FROM DATE(m)) FROM t", "SELECT EXTRACT(HOUR FROM m) FROM t"),
    # Functions that the parser writes alike.
    (
        "SELECT COUNT(*) FROM t GROUP BY LENGTH(c), CHAR_LENGTH(c)",
        "SELECT COUNT(*) FROM t GROUP BY LENGTH(c)",
    ),
    ("SELECT CHAR_LENGTH(c) FROM t GROUP BY LENGTH(c)", "SELECT LENGTH(c) FROM t GROUP BY LENGTH(c)"),
]


@pytest.mark.parametrize(("oracle", "candidate"), APART)
def test_what_the_engine_tells_apart_is_not_proved(oracle: str, candidate: str) -> None:
    assert not proved("mysql", SCHEMA, oracle, candidate)


@pytest.mark.live
@pytest.mark.parametrize(("oracle", "candidate"), APART)
def test_the_engine_tells_them_apart(oracle: str, candidate: str) -> None:
    needs.tool("mariadbd")
    assert told_apart("mysql", [SCHEMA, *ROWS], oracle, candidate)


ALIKE = [
    *(
        (
            f"SELECT {x.format('COALESCE(m, n)')} FROM t WHERE m IS NOT NULL",
            f"SELECT {x.format('m')} FROM t WHERE m IS NOT NULL",
        )
        for x in TEXTS
    ),
    ("SELECT DATE_ADD('2020-01-31', INTERVAL 1 DAY) = '2020-02-01'", "SELECT 1"),
    ("SELECT DATE_ADD('2020-1-31 9:30', INTERVAL 1 DAY)", "SELECT '2020-02-01 09:30:00'"),
    ("SELECT DATE_SUB('2020-3-31', INTERVAL 1 MONTH)", "SELECT '2020-02-29'"),
    (
        "SELECT id FROM t WHERE d > DATE_SUB('2020-02-01', INTERVAL 1 DAY)",
        "SELECT id FROM t WHERE d >= '2020-02-01'",
    ),
    (
        "SELECT id FROM t WHERE d BETWEEN DATE_SUB('2020-02-01', INTERVAL 1 MONTH) AND '2020-02-01'",
        "SELECT id FROM t WHERE d <= '2020-02-01' AND d >= '2020-01-01'",
    ),
    (
        "SELECT id FROM t WHERE DATEDIFF('2020-02-01', d) < 30",
        "SELECT id FROM t WHERE d > DATE_SUB('2020-02-01', INTERVAL 30 DAY)",
    ),
    (
        "SELECT id FROM t WHERE YEAR(DATE_ADD('2020-12-31', INTERVAL 1 DAY)) = YEAR(d)",
        "SELECT id FROM t WHERE YEAR(d) = 2021",
    ),
    ("SELECT DATEDIFF(DATE(n), DATE(m)) FROM t", "SELECT DATEDIFF(n, m) FROM t"),
    ("SELECT length(C) FROM t GROUP BY LENGTH(t.c)", "SELECT DISTINCT LENGTH(c) FROM t"),
    ("SELECT A + 1 FROM t GROUP BY t.a + 1 ORDER BY a + 1", "SELECT DISTINCT a + 1 FROM t ORDER BY 1"),
]


@pytest.mark.parametrize(("oracle", "candidate"), ALIKE)
def test_what_the_engine_holds_alike_is_proved(oracle: str, candidate: str) -> None:
    assert proved("mysql", WHOLE, oracle, candidate)


@pytest.mark.live
@pytest.mark.parametrize(("oracle", "candidate"), ALIKE)
def test_the_engine_holds_them_alike(oracle: str, candidate: str) -> None:
    needs.tool("mariadbd")
    assert not told_apart("mysql", [WHOLE, *ROWS], oracle, candidate)
