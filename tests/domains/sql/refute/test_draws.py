"""Databases that are drawn: full enough, and shaped by what the schema and the queries ask for."""

from __future__ import annotations

import datetime
from dataclasses import fields, replace
from itertools import pairwise

import pytest
import sqlglot

from truespec.domains.sql.engines.script import Database, Value
from truespec.domains.sql.refute.draws import Style
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.schema import read_schema

BOOKINGS = """
CREATE TABLE rooms (id INT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('single', 'double', 'suite')),
    rate INT NOT NULL CHECK (rate > 0));
CREATE TABLE bookings (id INT PRIMARY KEY, room INT NOT NULL REFERENCES rooms (id),
    inn DATE NOT NULL CHECK (inn BETWEEN '2000-01-01' AND '2099-12-31'),
    gone DATE NOT NULL CHECK (gone BETWEEN '2000-01-01' AND '2099-12-31'), CHECK (gone > inn))
"""
EDGES = """
CREATE TABLE parts (id INT PRIMARY KEY);
CREATE TABLE bom (above INT NOT NULL REFERENCES parts (id), below INT NOT NULL REFERENCES parts (id),
    PRIMARY KEY (above, below))
"""
WALK = (
    "WITH RECURSIVE x(a, b) AS (SELECT above, below FROM bom UNION ALL"
    " SELECT x.a, m.below FROM x JOIN bom m ON m.above = x.b) SELECT a, b FROM x"
)


def drawn(ddl: str, query: str, dialect: str, many: int = 200) -> list[Database]:
    generator = Generator(read_schema(ddl, dialect), [sqlglot.parse_one(query, read=dialect)], 1)
    return [generator.draw() for _ in range(many)]


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_few_tables_are_empty_for_their_checks(dialect: str) -> None:
    found = drawn(BOOKINGS, "SELECT * FROM bookings", dialect)
    assert sum(not database.tables["bookings"] for database in found) < 60  # 160 without regard to CHECKs
    assert sum(len(database.tables["bookings"]) > 2 for database in found) > 40


def _has_cycle(edges: set[tuple[Value, Value]]) -> bool:
    while edges:
        ends = {below for _, below in edges} - {above for above, _ in edges}
        if not ends:
            return True
        edges = {(above, below) for above, below in edges if below not in ends}
    return False


def test_rows_that_a_recursion_walks_make_cycles_seldom() -> None:
    found = [{(a, b) for a, b in database.tables["bom"]} for database in drawn(EDGES, WALK, "duckdb")]
    walked = [edges for edges in found if len(edges) > 1]
    assert len(walked) > 50
    assert sum(map(_has_cycle, walked)) < len(walked) / 2


def test_days_follow_on_each_other_now_and_then() -> None:
    ddl = "CREATE TABLE plays (id INT PRIMARY KEY, day DATE NOT NULL)"
    streaks = 0
    for database in drawn(ddl, "SELECT day FROM plays", "postgres"):
        days = sorted({datetime.date.fromisoformat(str(day)) for _, day in database.tables["plays"]})
        steps = [(later - earlier).days for earlier, later in pairwise(days)]
        streaks += any(one == other == 1 for one, other in pairwise(steps))
    assert streaks > 10


def test_texts_that_are_read_as_dates_are_dates() -> None:
    ddl = "CREATE TABLE games (id INT PRIMARY KEY, played_on TEXT NOT NULL)"
    query = "WITH g AS (SELECT played_on AS d FROM games) SELECT julianday(d) FROM g"
    values = [row[1] for database in drawn(ddl, query, "sqlite") for row in database.tables["games"]]
    assert sum(str(value)[:2] == "20" for value in values) > 0.8 * len(values)


def test_texts_whose_case_is_folded_come_in_both_cases() -> None:
    ddl = "CREATE TABLE guests (id INT PRIMARY KEY, country TEXT NOT NULL)"
    query = "SELECT UPPER(country), COUNT(*) FROM guests GROUP BY UPPER(country)"
    both = 0
    for database in drawn(ddl, query, "duckdb"):
        texts = {str(text) for _, text in database.tables["guests"]}
        both += any(text.lower() != text and text.lower() in texts for text in texts)
    assert both > 10


def test_a_style_makes_what_draws_values_once_and_a_wider_one_makes_its_own() -> None:
    style = Style(spread=2, nulls=0.0, literal=0.5, offset=0, constancy=0.0)
    many, near = style.of_many(), style.near()
    assert style.of_many() is many
    assert style.near() is near
    assert (many.spread, near.literal) == (12, 0.95)
    assert style.widened(1).of_many().spread == 13


def test_a_style_of_more_values_is_otherwise_the_same() -> None:
    style = Style(spread=2, nulls=0.25, literal=0.5, offset=3, constancy=0.75, ways={"a": 1}, fixed={"a": 7})
    for number, one in enumerate(fields(Style)):  # each field with a value of its own
        if one.init and one.type in ("float", "bool", "int"):
            setattr(style, one.name, number)
    style.turns["t"] = 1
    literal = style.literal * 0.7
    assert style.widened(4, fresh=False) == replace(style, spread=style.spread + 4, literal=literal)
    fresh = replace(style, spread=style.spread + 4, literal=literal, constancy=0.0, ways={}, fixed={})
    assert style.widened(4) == fresh
    assert style.widened(4).turns is style.turns
    assert style.near() == replace(style, literal=0.95)


def test_a_key_that_queries_name_values_of_is_filled_for_each_parent() -> None:
    ddl = """CREATE TABLE g (id INT PRIMARY KEY);
        CREATE TABLE a (g INT NOT NULL REFERENCES g (id), y INT NOT NULL, v INT, PRIMARY KEY (g, y))"""
    found = drawn(ddl, "SELECT g FROM a WHERE y = 1990 OR y = 2020", "postgres")
    full = [
        database
        for database in found
        if len(database.tables["g"]) > 2
        and {row[:2] for row in database.tables["a"]}
        == {(row[0], year) for row in database.tables["g"] for year in (1990, 2020)}
    ]
    assert len(full) > 2, len(full)  # none where each row is drawn by itself
