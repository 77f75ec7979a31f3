"""Recursive WITH: what is proved by induction on the rounds, in every dialect that has it."""

from __future__ import annotations

import pytest

from sql_pairs import proved

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
