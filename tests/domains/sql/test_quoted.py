"""SQLite's texts in double quotes: what is read as a text is one for the engine too."""

from __future__ import annotations

import sqlite3

import pytest
from sqlglot import exp

import sql_pairs
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.verdict import SpecificationError, Undecided

DDL = "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, n INT); CREATE TABLE u (id INT, city TEXT, t TEXT)"
ROWS = """
INSERT INTO t VALUES (1, 'Kyle', 3), (2, 'name', 4), (3, 'q', 1), (4, 'count(*)', NULL), (5, '1', 1),
  (6, 'id', 0), (7, 'u', 5), (8, 'x"y', 2), (9, NULL, 9), (10, 'zz', 2), (11, 'column1', 2), (12, 'city', 7);
INSERT INTO u VALUES (1, 'Kyle', 'q'), (2, 'zz', 'zz'), (7, 'city', 't'), (5, 'q', 'column1'), (9, NULL, '1')
"""
NAMES = ["Kyle", "kyle", "NAME", "q", "count(*)", "1", "id", "u", 'x""y', "rowid", "true", "city", "zz", "t"]
NAMES += ["name:1", "id:1", "column1", "column2", "n+1", "a\u00e9", "current_date"]
QUERIES = [
    'SELECT id FROM t WHERE name = "{}"',
    'SELECT id FROM t WHERE name IN ("{}", \'zz\') ORDER BY "{}", id',
    'SELECT id FROM t AS q WHERE name LIKE "{}" OR "{}" = \'q\'',
    'SELECT id, "{}" FROM t',
    'SELECT name AS q FROM t WHERE "{}" = name',
    'SELECT n AS q, COUNT(*) FROM t GROUP BY "{}"',
    'SELECT n, COUNT(*) FROM t GROUP BY n HAVING "{}" > 1',
    'SELECT * FROM (SELECT count(*) FROM t) WHERE "{}" = 12',
    'SELECT * FROM (SELECT n+1 FROM t) WHERE "{}" = 4',
    'SELECT * FROM (SELECT "{}", id FROM t) WHERE "{}" = \'Kyle\'',
    'SELECT s.id FROM (SELECT n AS q, id FROM t) s WHERE "{}" = 3',
    'SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id AND "{}" = city)',
    'SELECT id FROM t WHERE n > (SELECT count(*) FROM u WHERE city = "{}")',
    'WITH w(zz) AS (SELECT id FROM t) SELECT * FROM w WHERE "{}" = 2',
    'WITH w AS (SELECT 1) SELECT * FROM w WHERE "{}" = 1',
    'SELECT * FROM (VALUES (1), (2)) WHERE "{}" = 1',
    'SELECT t.id FROM t LEFT JOIN u ON t.id = u.id AND "{}" = city',
    'SELECT t.id FROM t LEFT JOIN (SELECT id, "{}" FROM u) v ON t.id = v.id WHERE "{}" = \'zz\'',
    'SELECT SUBSTR("{}", 1, 2) FROM t UNION SELECT city FROM u ORDER BY 1',
    'SELECT "{}" FROM t UNION ALL SELECT city FROM u ORDER BY "{}"',
    "SELECT COUNT(*) FROM (SELECT name, name FROM t) s WHERE \"{}\" = 'Kyle'",
    "SELECT COUNT(*) FROM (SELECT * FROM t, u) s WHERE \"{}\" = 'zz'",
    'SELECT COUNT(*) FROM (VALUES (1, "{}"), (2, "zz")) x WHERE "{}" = \'zz\'',
    'SELECT id FROM t WHERE EXISTS (SELECT "{}" FROM u) AND name = (SELECT "{}")',
    'SELECT CASE "{}" WHEN name THEN 1 ELSE 0 END FROM t',
]


def run(text: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(f"{DDL};{ROWS}")
        found = connection.execute(text).fetchall()
        return found if "ORDER BY" in text else sorted(found, key=repr)


def test_what_is_read_as_a_text_is_one_for_sqlite() -> None:
    texts = accepted = 0
    schema = read_schema(DDL, "sqlite")
    for query in QUERIES:
        for name in NAMES:
            text = query.replace("{}", name)
            try:
                tree = read_query(text, schema, Settings())
            except (SpecificationError, Undecided):
                continue
            accepted += 1
            places = sorted(
                (node.meta["start"], node.meta["end"], str(node.this))
                for node in tree.find_all(exp.Literal)
                if node.is_string and text[node.meta.get("start", 0)] == '"'
            )
            plain = text
            for start, end, string in reversed(places):
                plain = f"{plain[:start]}'{string}'{plain[end + 1 :]}"
            texts += bool(places)
            assert run(plain) == run(text), text
    assert accepted > 250
    assert texts > 60, "few names are read as texts, and this test is blind"


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ('SELECT id FROM t WHERE name = "Kyle"', "SELECT id FROM t WHERE 'Kyle' = name"),
        ('SELECT id FROM t WHERE name LIKE "%w%"', "SELECT t.id FROM t WHERE name LIKE '%w%'"),
        ('SELECT "zz", id FROM t', "SELECT 'zz', id FROM t"),
        (
            'SELECT COUNT(*) FROM u WHERE city IN ("Rome", "Oslo")',
            "SELECT COUNT(*) FROM u WHERE city = 'Oslo' OR city = \"Rome\"",
        ),
    ],
)
def test_texts_in_double_quotes_are_proved(oracle: str, candidate: str) -> None:
    assert sql_pairs.proved("sqlite", DDL, oracle, candidate)


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ('SELECT id FROM t WHERE name = "Name"', "SELECT id FROM t WHERE name = 'Name'"),
        ('SELECT n AS kyle FROM t WHERE n = "Kyle"', "SELECT n FROM t WHERE n = 'Kyle'"),
        ('SELECT id FROM t WHERE "rowid" = 1', "SELECT id FROM t WHERE 'rowid' = 1"),
    ],
)
def test_a_name_that_something_is_called_is_no_text(oracle: str, candidate: str) -> None:
    assert not sql_pairs.proved("sqlite", DDL, oracle, candidate)


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_other_engines_have_no_texts_in_double_quotes(dialect: str) -> None:
    tree = read_query(
        'SELECT id FROM t WHERE name = "Kyle"', read_schema(DDL, dialect), Settings(), ask=False
    )
    assert not list(tree.find_all(exp.Literal))


@pytest.mark.parametrize("name", ["[Kyle]", "`Kyle`"])
def test_brackets_and_backticks_hold_names(name: str) -> None:
    text = f"SELECT id FROM t WHERE name = {name}"
    with pytest.raises(SpecificationError, match="Kyle"):
        read_query(text, read_schema(DDL, "sqlite"), Settings())
    tree = read_query(text, read_schema(DDL, "sqlite"), Settings(), ask=False)
    assert not list(tree.find_all(exp.Literal))
