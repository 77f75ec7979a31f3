"""All small databases: none is missing, none breaks a key, and what they tell apart is found."""

from __future__ import annotations

import itertools

import pytest
import sqlglot

from truespec.domains.sql.engines.contract import BadDatabase, Settings
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.engines.script import insert_statements
from truespec.domains.sql.refute.bounded import Space, space
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.search import Hunt
from truespec.domains.sql.schema import read_schema
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Bounded

DDL = "CREATE TABLE p (id INT PRIMARY KEY, v INT); CREATE TABLE c (p INT, FOREIGN KEY (p) REFERENCES p (id))"
SCHEMA = read_schema(DDL, "sqlite")
JOIN = "SELECT p.id FROM p JOIN c ON c.p = p.id WHERE v = 1"


def whole(*queries: str) -> Space:
    trees = [sqlglot.parse_one(query, read="sqlite") for query in queries]
    found = space(SCHEMA, trees, Generator(SCHEMA, trees, 1))
    assert found is not None
    return found


def test_every_database_within_the_bound_is_there_once() -> None:
    found = whole(JOIN)
    rows = {
        table: list(itertools.product(*(pool for (name, _), pool in found.pools.items() if name == table)))
        for table in ("p", "c")
    }
    expected = set()
    for size, children in itertools.product(range(found.rows + 1), repeat=2):
        for parents in itertools.combinations_with_replacement(rows["p"], size):
            keys = [row[0] for row in parents]
            if len(set(keys)) < len(keys):
                continue
            for below in itertools.combinations_with_replacement(rows["c"], children):
                if all(row[0] is None or row[0] in keys for row in below):
                    expected.add((tuple(sorted(parents, key=repr)), tuple(sorted(below, key=repr))))
    met = [
        tuple(tuple(sorted(database.tables[name], key=repr)) for name in ("p", "c"))
        for database in found.databases
    ]
    assert len(met) == len(set(met)) > 20
    assert set(met) == expected


def test_the_engine_accepts_all_of_them() -> None:
    for database in whole(JOIN).databases:
        try:
            engine("sqlite").run(SCHEMA, insert_statements(database, SCHEMA), ["SELECT 1"], Settings())
        except BadDatabase as error:
            pytest.fail(f"{database}: {error}")


@pytest.mark.parametrize(
    ("candidate", "differs"),
    [
        ("SELECT DISTINCT p.id FROM p JOIN c ON c.p = p.id WHERE v = 1", True),
        ("SELECT p.id FROM p JOIN c ON c.p = p.id", True),
        ("SELECT c.p FROM c JOIN p ON c.p = p.id AND p.v = 1", False),
        ("SELECT p.id FROM p JOIN c ON c.p = p.id WHERE v = 1 LIMIT 1", True),
    ],
)
def test_a_sweep_refutes_or_states_its_bound(candidate: str, differs: bool) -> None:
    texts = (JOIN, candidate)
    trees = [sqlglot.parse_one(text, read="sqlite") for text in texts]
    refutation, bound = Hunt(texts, trees, SCHEMA, "auto", Settings()).sweep(Limit.start(30))
    assert (refutation is not None) == differs
    assert (bound is not None) == (not differs)
    if bound is not None:
        assert bound["rows_per_table"] == 2
        assert bound["databases"] == len(whole(*texts).databases)


def test_an_unknown_pair_states_its_bound() -> None:
    length = "SELECT id FROM p WHERE LENGTH(CAST(v AS TEXT)) > 2"
    other = "SELECT id FROM p WHERE SUBSTR(CAST(v AS TEXT), 3, 1) <> ''"
    found = verify_pair(Pair("sql", length, other, {"schema": DDL, "dialect": "sqlite"}), 60.0)
    assert found.answer.value == "unknown", found
    assert isinstance(found.evidence, Bounded)
