"""Databases made from others: they keep what the schema declares, and lead to what draws hardly meet."""

from __future__ import annotations

import sqlite3

import pytest
import sqlglot

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.result import Rows
from truespec.domains.sql.engines.script import Database, create_statements, insert_statements
from truespec.domains.sql.refute import search as searching
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.guide import Guide
from truespec.domains.sql.refute.mutate import Mutator, Tables
from truespec.domains.sql.refute.search import search
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit

LEAGUE = """
CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE game (
  id INTEGER PRIMARY KEY, home INT NOT NULL REFERENCES club (id), away INT NOT NULL REFERENCES club (id),
  goals INT NOT NULL CHECK (goals >= 0), again INT REFERENCES game (id), CHECK (home <> away)
)
"""
QUERY = "SELECT c.name, g.goals, g.again FROM club c JOIN game g ON g.home = c.id WHERE g.away > 1"
ROADS = "CREATE TABLE road (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, CHECK (a <> b))"
WITHIN = (
    "WITH RECURSIVE x(town, n) AS (SELECT 'Ulm', 0 UNION"
    " SELECT b, n + 1 FROM x JOIN road ON a = town WHERE n < {}) SELECT DISTINCT town FROM x"
)
STAYS = "CREATE TABLE stay (id INTEGER PRIMARY KEY, room INT NOT NULL, came TEXT NOT NULL)"
PAUSES = (
    "SELECT COUNT(*) AS n FROM stay s JOIN stay t ON s.room = t.room"
    " WHERE strftime('%s', t.came) - strftime('%s', s.came) {} 2700"
)


def mutator(ddl: str, query: str) -> tuple[Generator, Mutator]:
    trees = [sqlglot.parse_one(query, read="sqlite")]
    generator = Generator(read_schema(ddl, "sqlite"), trees, 1)
    return generator, Mutator(generator, trees, 2)


def test_changes_keep_what_the_schema_declares() -> None:
    generator, made = mutator(LEAGUE, QUERY)
    schema = read_schema(LEAGUE, "sqlite")
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    for statement in create_statements(schema):
        connection.execute(statement)
    database, seen = generator.draw(), set()
    for _ in range(300):
        database = made.changed(database)
        seen.add(repr(database.tables))
        connection.execute("BEGIN")
        for statement in insert_statements(database, schema):
            connection.execute(statement)  # the engine vouches for keys, references and CHECKs
        connection.execute("ROLLBACK")
    assert len(seen) > 200


def test_the_same_seed_makes_the_same_changes() -> None:
    (generator, one), (_, other) = mutator(LEAGUE, QUERY), mutator(LEAGUE, QUERY)
    database = generator.draw()
    assert [one.changed(database) for _ in range(20)] == [other.changed(database) for _ in range(20)]


def test_a_row_that_refers_to_another_follows_its_key() -> None:
    generator, made = mutator(LEAGUE, QUERY)
    tables: Tables = {"club": [(1, "a"), (2, "b")], "game": [(1, 1, 2, 0, None)]}
    assert made._put(tables, "club", 0, (7, "a"))
    assert tables["game"] == [(1, 7, 2, 0, None)]
    assert generator.tables["game"].holds(tables["game"], tables)


def test_only_what_shows_something_new_is_kept() -> None:
    generator, made = mutator(LEAGUE, QUERY)
    guide = Guide(made, 1)
    assert guide.propose() is None
    database = Database({"club": ((1, "a"),), "game": ()})
    guide.note(database, [Rows(((1,),)), Rows(((1,),))])
    assert len(guide._kept) == 1
    guide.note(generator.draw(), [Rows(((1,),)), Rows(((1,),))])
    assert len(guide._kept) == 1
    guide.note(generator.draw(), [Rows(((1,), (1,))), Rows(((1,),))])
    assert len(guide._kept) == 2
    assert guide.propose() is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ddl", "oracle", "candidate"),
    [(ROADS, WITHIN.format(4), WITHIN.format(5)), (STAYS, PAUSES.format("<"), PAUSES.format("<="))],
    ids=["a chain of five", "exactly so many seconds"],
)
def test_changes_lead_where_draws_do_not(
    ddl: str, oracle: str, candidate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = read_schema(ddl, "sqlite")

    def found() -> bool:
        return (
            search(oracle, candidate, schema, "auto", Settings(), Limit.start(60), 900).refutation is not None
        )

    assert found()
    monkeypatch.setattr(searching, "GUIDED", 0.0)
    assert not found()
