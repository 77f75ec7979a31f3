"""Choices that an engine makes in a subquery: anew for each row of the enclosing queries."""

from __future__ import annotations

import pytest

import needs
from sql_pairs import proved, told_apart

SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, h INT NOT NULL);
CREATE TABLE u (id INT PRIMARY KEY, h INT NOT NULL, g INT NOT NULL, v INT NOT NULL, c VARCHAR(9) NOT NULL)
"""
ROWS = [
    "INSERT INTO t VALUES (1, 1), (2, 2)",
    "INSERT INTO u VALUES (1, 1, 1, 10, 'a'), (2, 2, 1, 20, 'a ')",
]


def several(subquery: str) -> str:
    """Whether a subquery has several values for the rows of `t`."""
    return f"SELECT COUNT(DISTINCT q) > 1 FROM (SELECT t.id, ({subquery}) AS q FROM t) z WHERE q IS NOT NULL"


def some_rows(condition: str) -> str:
    """Whether a condition holds in some rows of `t` and not in others."""
    return f"SELECT COUNT(*) > 0 AND COUNT(*) < (SELECT COUNT(*) FROM t) FROM t WHERE {condition}"


GROUP = "SELECT u.v FROM u WHERE u.h = t.h AND u.g = 1 GROUP BY u.g"
APART = [
    several(GROUP),
    several("SELECT LENGTH(u.c) FROM u WHERE u.h = t.h AND u.c = 'a' GROUP BY u.c"),
    several("SELECT DISTINCT CONCAT(u.c, '.') FROM u WHERE u.h = t.h AND u.c = 'a'"),
    some_rows(f"10 IN ({GROUP})"),
    some_rows(f"10 = ANY ({GROUP})"),
    some_rows(f"EXISTS (SELECT 1 FROM t x WHERE x.id = t.id AND 10 = ({GROUP}))"),
    # Its siblings: what else a subquery has a symbol for.
    several("SELECT COUNT(*) FROM u WHERE u.id <= t.h"),
    several("SELECT COUNT(DISTINCT u.v) FROM u WHERE u.id <= t.h"),
    several("SELECT SUM(u.v) FROM u WHERE u.h = t.h"),
    several("SELECT AVG(u.v) FROM u WHERE u.h = t.h"),
    several("SELECT MAX(u.v) FROM u WHERE u.h = t.h"),
    several("SELECT STDDEV_POP(u.v) FROM u WHERE u.id <= t.h"),
    several("SELECT u.v FROM u WHERE u.id = t.h"),
    several("SELECT u.v FROM u WHERE u.h = t.h ORDER BY u.v LIMIT 1"),
    several("SELECT u.v FROM u WHERE u.h >= t.h ORDER BY u.id LIMIT 1"),
    several("SELECT SUM(q.v) FROM (SELECT id, h, v FROM u ORDER BY id LIMIT 2) q WHERE q.h = t.h"),
    several("SELECT MAX(w.r) FROM (SELECT h, ROW_NUMBER() OVER (ORDER BY id) AS r FROM u) w WHERE w.h = t.h"),
]


@pytest.mark.parametrize(
    "oracle",
    [
        *APART,
        # An engine may use the condition on the row outside before it chooses.
        several("SELECT LENGTH(u.c) FROM u WHERE u.g = 1 GROUP BY u.c HAVING LENGTH(u.c) = t.h"),
    ],
)
def test_a_symbol_does_not_forget_the_rows_outside(oracle: str) -> None:
    assert not proved("mysql", SCHEMA, oracle, "SELECT 0")


@pytest.mark.live
@pytest.mark.parametrize("oracle", APART)
def test_the_engine_has_several(oracle: str) -> None:
    needs.tool("mariadbd")
    assert told_apart("mysql", [*SCHEMA.split(";"), *ROWS], oracle, "SELECT 0")


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        # Whatever is chosen, it is one of the rows.
        (
            f"SELECT t.id FROM t WHERE ({GROUP}) IS NULL",
            "SELECT t.id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.h = t.h AND u.g = 1)",
        ),
        (
            f"SELECT t.id, ({GROUP}) FROM t WHERE 10 = ALL (SELECT u.v FROM u WHERE u.h = t.h)",
            "SELECT t.id, (SELECT MAX(u.v) FROM u WHERE u.h = t.h AND u.g = 1) FROM t "
            "WHERE 10 = ALL (SELECT u.v FROM u WHERE u.h = t.h)",
        ),
    ],
)
def test_what_holds_whatever_is_chosen_is_proved(oracle: str, candidate: str) -> None:
    assert proved("mysql", SCHEMA, oracle, candidate)


@pytest.mark.parametrize(
    ("of_rows", "decided"),
    [
        ("SELECT GROUP_CONCAT(v) FROM {rows} q", False),
        ("SELECT v FROM {rows} q LIMIT 1", False),
        ("SELECT id, LAG(v) OVER (ORDER BY h) FROM {rows} q", False),
        ("SELECT v FROM {rows} q ORDER BY id LIMIT 1", True),
        (
            "SELECT h FROM (SELECT h, ROW_NUMBER() OVER (PARTITION BY h) AS n FROM {rows} q) z WHERE n = 1",
            True,
        ),
    ],
)
def test_an_engine_may_keep_the_order_of_what_is_read(of_rows: str, decided: bool) -> None:
    plain, ordered = (of_rows.replace("{rows}", rows) for rows in ("u", "(SELECT * FROM u ORDER BY v)"))
    assert proved("sqlite", SCHEMA, plain, ordered) is decided
    assert proved("sqlite", SCHEMA, plain, plain.replace(" q", " x"))


JOINED = "(SELECT GROUP_CONCAT(c) AS x FROM u)"


@pytest.mark.parametrize(
    ("dialect", "oracle", "candidate"),
    [
        ("duckdb", "(SELECT v FROM u ORDER BY id) LIMIT 1", "SELECT v FROM u LIMIT 1"),
        # Each of two lists of the same texts is in an order of its own.
        ("sqlite", f"SELECT p.x, q.x FROM {JOINED} p CROSS JOIN {JOINED} q", f"SELECT x, x FROM {JOINED} p"),
        ("sqlite", f"SELECT id, {JOINED} FROM t", f"SELECT id, {JOINED[:-1]} WHERE id = id) FROM t"),
    ],
)
def test_no_choice_is_another_one(dialect: str, oracle: str, candidate: str) -> None:
    assert not proved(dialect, SCHEMA, oracle, candidate)
