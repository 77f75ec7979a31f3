"""Recursive WITH: what is proved by induction on the rounds, in every dialect that has it."""

from __future__ import annotations

import pytest

from sql_pairs import by_parts, proved

SCHEMA = "CREATE TABLE emp (id INT PRIMARY KEY, boss INT, name VARCHAR(10), pay DECIMAL(8, 2))"
DIALECTS = ("mysql", "postgres", "sqlite", "duckdb")
NUMBERS = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r"
TREE = (
    "WITH RECURSIVE r AS (SELECT id, boss FROM emp WHERE id = 1 UNION ALL "
    "SELECT e.id, e.boss FROM emp e JOIN r ON e.boss = r.id) SELECT COUNT(*) FROM r"
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("oracle", "candidate", "equal"),
    [
        (
            NUMBERS,
            NUMBERS.replace("n < 5", "NOT n >= 5").replace("SELECT n FROM r", "SELECT r.n FROM r"),
            True,
        ),
        (NUMBERS, NUMBERS.replace("n < 5", "n <= 5"), False),
        (NUMBERS, NUMBERS.replace("SELECT 1 AS", "SELECT 2 AS"), False),
        (NUMBERS, NUMBERS.replace("n + 1", "n + 2"), False),
        (TREE, TREE.replace("emp e JOIN r ON e.boss = r.id", "r, emp e WHERE r.id = e.boss"), True),
        (TREE, TREE.replace("UNION ALL", "UNION"), False),
        (TREE, TREE.replace("e.boss = r.id", "e.id = r.boss"), False),
        (TREE, TREE.replace("COUNT(*)", "COUNT(id)"), True),
        (TREE, TREE.replace("COUNT(*)", "COUNT(boss)"), False),
    ],
)
def test_recursions_are_one_where_they_begin_and_go_on_alike(
    dialect: str, oracle: str, candidate: str, equal: bool
) -> None:
    assert oracle != candidate
    assert proved(dialect, SCHEMA, oracle, candidate) is equal


RISING = "CREATE TABLE w (id INT PRIMARY KEY, m INT REFERENCES w(id), k INT NOT NULL, CHECK (m < id))"
FALLING = RISING.replace("CHECK (m < id)", "CHECK (m > 0)")
DOWN = (
    "WITH RECURSIVE d AS (SELECT id, 0 AS l FROM w WHERE id = 1 UNION ALL "
    "SELECT w.id, d.l + 1 FROM d JOIN w ON w.m = d.id) SELECT id, l FROM d"
)
UP = (
    "WITH RECURSIVE u AS (SELECT id, id AS a, m, 0 AS l FROM w UNION ALL "
    "SELECT u.id, w.id, w.m, u.l + 1 FROM u JOIN w ON w.id = u.m) SELECT id, l FROM u WHERE a = 1"
)
OVER = tuple(
    text.replace(".id) SELECT", ".id AND w.k = 1) SELECT").replace("u.m) SELECT", "u.m AND w.k = 1) SELECT")
    for text in (DOWN, UP)
)
FROM = (OVER[0].replace("id = 1", "id = 1 AND k = 1"), OVER[1].replace("w UNION", "w WHERE k = 1 UNION"))
BELOW = (
    "WITH RECURSIVE d(t, i) AS (SELECT m, id FROM w WHERE m IS NOT NULL UNION ALL "
    "SELECT d.t, w.id FROM d JOIN w ON w.m = d.i) SELECT t, COUNT(*) FROM d GROUP BY t"
)
ABOVE = (
    "WITH RECURSIVE u AS (SELECT id, m FROM w UNION ALL SELECT u.id, w.m FROM u JOIN w ON w.id = u.m) "
    "SELECT m, COUNT(*) FROM u WHERE m IS NOT NULL GROUP BY m"
)


@pytest.mark.parametrize(
    ("schema", "oracle", "candidate", "equal"),
    [
        (RISING, DOWN, UP, True),
        # One may end where the other does not.
        (FALLING, DOWN, UP, False),
        # Only the rows that are walked to are chosen.
        (RISING, *OVER, False),
        (RISING, *FROM, True),
        (RISING, DOWN, DOWN.replace("UNION ALL", "UNION"), True),
        # Both end just where nobody is above himself.
        (FALLING, BELOW, ABOVE, True),
        (FALLING, BELOW, ABOVE.replace("w UNION", "w WHERE m > 1 UNION"), False),
    ],
)
def test_a_tree_is_walked_down_or_up(schema: str, oracle: str, candidate: str, equal: bool) -> None:
    assert proved("postgres", schema, oracle, candidate) is equal


@pytest.mark.parametrize(
    ("dialect", "query"),
    [
        # MariaDB and DuckDB fit later rounds into the types of the first part.
        ("mysql", "WITH RECURSIVE r AS (SELECT name FROM emp UNION SELECT name FROM r) SELECT 1 FROM r"),
        ("duckdb", "WITH RECURSIVE r AS (SELECT pay FROM emp UNION SELECT pay / 2 FROM r) SELECT 1 FROM r"),
        # An order or a limit inside decides which rows a round sees.
        (
            "sqlite",
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r ORDER BY 1 LIMIT 3) "
            "SELECT 1 FROM r",
        ),
        # A name is looked up where it is declared later.
        ("sqlite", "WITH RECURSIVE q AS (SELECT n FROM r), r AS (SELECT 1 AS n) SELECT 1 FROM q"),
    ],
)
def test_what_is_no_plain_recursion_is_not_read(dialect: str, query: str) -> None:
    assert not proved(dialect, SCHEMA, query, query.replace("SELECT 1 FROM", "SELECT 1 + 0 FROM"))


PATHS = "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(5) NOT NULL, u VARCHAR(20) NOT NULL, c CHAR(5), p INT)"
DOWN = (
    "WITH RECURSIVE r AS (SELECT id, {} AS k FROM t WHERE p IS NULL "
    "UNION ALL SELECT d.id, {} FROM r JOIN t d ON d.p = r.id) SELECT {} FROM r"
)
NARROW = (
    "WITH RECURSIVE r AS (SELECT id FROM t WHERE p IS NULL "
    "UNION ALL SELECT d.id FROM r JOIN t d ON d.p = r.id) SELECT id FROM r"
)
BIG = "(SELECT id, p, CONCAT(u, u) AS s FROM t)"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Another width, or no such column: one query fails where a text is too long, and the other does not.
        (
            DOWN.format("CAST(s AS CHAR(99))", "CONCAT(r.k, d.s)", "id, k"),
            DOWN.format("CAST(s AS CHAR(9))", "CONCAT(r.k, d.s)", "id, k"),
        ),
        (DOWN.format("s", "CONCAT(r.k, d.s)", "id"), NARROW),
        (DOWN.format("s", "d.u", "id"), NARROW),
        # What is read of a name may be another query's.
        (DOWN.format("s", "d.s", "id").replace("JOIN t d", f"JOIN {BIG} d"), NARROW),
        # CHAR(n) loses the blanks at its end.
        (
            DOWN.format("c", "CONCAT(d.s, ' ')", "id, k"),
            DOWN.format("CAST(c AS CHAR(6))", "CONCAT(d.s, ' ')", "id, k"),
        ),
    ],
)
def test_texts_that_outgrow_their_column(one: str, other: str) -> None:
    assert not proved("mysql", PATHS, one, other)
    assert by_parts("mysql", PATHS, one, other) is None


def test_texts_that_have_room() -> None:
    assert proved("mysql", PATHS, DOWN.format("s", "d.s", "id"), NARROW)
    assert proved("mysql", PATHS, DOWN.format("CAST(s AS CHAR(20))", "LEFT(d.u, 9)", "id"), NARROW)
