"""Names of columns merged by USING or NATURAL, which MariaDB looks up among the outputs first."""

from __future__ import annotations

import pytest

import needs
from sql_pairs import proved, told_apart

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT);
CREATE TABLE u (a INT PRIMARY KEY, c VARCHAR(9))
"""
ROWS = [
    "INSERT INTO t VALUES (1, 1, 6), (2, 6, 5), (3, 7, 5), (4, 9, 6)",
    "INSERT INTO u VALUES (1, 'x'), (9, 'y')",
]
JOINS = ("t LEFT JOIN u USING (a)", "t NATURAL LEFT JOIN u")
ON = "t LEFT JOIN u ON t.a = u.a"
APART = [
    ("SELECT u.a, COUNT(*) FROM {} GROUP BY a", "SELECT u.a, COUNT(*) FROM {} GROUP BY t.a, u.a"),
    ("SELECT t.b AS a, COUNT(*) FROM {} GROUP BY a", "SELECT MIN(t.b), COUNT(*) FROM {} GROUP BY t.a"),
    ("SELECT u.a AS q, t.id FROM {} HAVING a > 6", "SELECT u.a, t.id FROM {} WHERE t.a > 6"),
    ("SELECT t.b - 5 AS a, t.id FROM {} HAVING a > 3", "SELECT t.b - 5, t.id FROM {} WHERE t.a > 3"),
    (
        "SELECT u.a, COUNT(*) OVER (PARTITION BY a) FROM {}",
        "SELECT u.a, COUNT(*) OVER (PARTITION BY t.a) FROM {}",
    ),
    (
        "SELECT u.a AS q, t.id, COUNT(*) OVER (ORDER BY a) FROM {}",
        "SELECT u.a, t.id, COUNT(*) OVER (ORDER BY t.a) FROM {}",
    ),
    (
        "SELECT k FROM (SELECT u.a, COUNT(*) AS k FROM {} GROUP BY a) q",
        "SELECT COUNT(*) FROM {} GROUP BY t.a, u.a",
    ),
    (
        "SELECT i FROM (SELECT u.a AS q, t.id AS i FROM {} ORDER BY a, t.id LIMIT 1) z",
        "SELECT i FROM (SELECT u.a AS q, t.id AS i FROM {} ORDER BY t.a, t.id LIMIT 1) z",
    ),
    (
        "SELECT u.a AS q, t.id FROM {} ORDER BY a, t.id",
        "SELECT u.a AS q, t.id FROM {} ORDER BY t.a, t.id",
    ),
]


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize(("oracle", "candidate"), APART)
def test_an_output_comes_before_a_merged_column(oracle: str, candidate: str, join: str) -> None:
    pair = oracle.format(join), candidate.format(ON)
    assert not proved("mysql", SCHEMA, *pair, order="list")


@pytest.mark.live
@pytest.mark.parametrize(("oracle", "candidate"), APART)
def test_the_engine_does_so(oracle: str, candidate: str) -> None:
    needs.tool("mariadbd")
    assert told_apart("mysql", [*SCHEMA.split(";"), *ROWS], oracle.format(JOINS[0]), candidate.format(ON))


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("SELECT a, COUNT(*) FROM {} GROUP BY a", "SELECT t.a, COUNT(*) FROM {} GROUP BY t.a"),
        ("SELECT t.a, COUNT(*) FROM {} GROUP BY a", "SELECT t.a, COUNT(*) FROM {} GROUP BY t.a"),
        ("SELECT c, COUNT(*) FROM {} GROUP BY a, c", "SELECT u.c, COUNT(*) FROM {} GROUP BY t.a, u.c"),
        ("SELECT a AS q, t.id FROM {} HAVING a > 6", "SELECT t.a, t.id FROM {} WHERE t.a > 6"),
        ("SELECT u.a, COUNT(*) FROM {} GROUP BY u.a", "SELECT u.a, COUNT(*) FROM {} GROUP BY 1"),
        ("SELECT * FROM {} ORDER BY a, t.id", "SELECT t.a, t.id, t.b, u.c FROM {} ORDER BY t.a, t.id"),
        ("SELECT u.a FROM {} WHERE a > 3", "SELECT u.a FROM {} WHERE t.a > 3"),
    ],
)
def test_other_names_are_read(oracle: str, candidate: str, join: str) -> None:
    assert proved("mysql", SCHEMA, oracle.format(join), candidate.format(ON), order="list")
