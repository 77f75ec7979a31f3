"""CHECK conditions are facts where the prover reads them as the engine does, and no facts elsewhere."""

from __future__ import annotations

import sqlite3

import pytest

from sql_pairs import proved
from truespec.domains.sql.assumed import assumptions
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query

ALL = ("mysql", "postgres", "sqlite", "duckdb")
ROUNDED = "CREATE TABLE t (id INT PRIMARY KEY, x NUMERIC(9, 2) NOT NULL, f DOUBLE PRECISION NOT NULL, {})"
EVERY = "SELECT id FROM t"


@pytest.mark.parametrize("dialect", ALL)
def test_the_text_of_a_check_is_kept_without_comments(dialect: str) -> None:
    ddl = """CREATE TABLE t (a INT CHECK (a > 0) NOT NULL, s VARCHAR(20) DEFAULT 'CHECK (x)',
        CONSTRAINT c CHECK ((CAST(a AS DECIMAL) < 9) -- nine
        OR s IN ('(', ')')), CHECK(a<>5)); CREATE TABLE u (b INT, CHECK ( b > 1 ))"""
    t, u = read_schema(ddl, dialect).tables
    assert [" ".join(text.split()) for text in (*t.checks, *u.checks)] == [
        "a > 0",
        "(CAST(a AS DECIMAL) < 9) OR s IN ('(', ')')",
        "a<>5",
        "b > 1",
    ]


def test_a_cast_to_decimal_divides_integers_in_sqlite() -> None:
    ddl = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, CHECK (CAST(a AS DECIMAL) / 2 = 1))"
    base = sqlite3.connect(":memory:")
    base.executescript(f"{ddl}; INSERT INTO t VALUES (1, 3)")
    assert base.execute(f"{EVERY} WHERE a = 2").fetchall() == []
    assert not proved("sqlite", ddl, EVERY, f"{EVERY} WHERE a = 2")


def test_an_interval_that_is_more_than_a_number_and_a_unit() -> None:
    ddl = "CREATE TABLE t (id INT PRIMARY KEY, d DATE NOT NULL, m TIMESTAMP NOT NULL, CHECK (m > {}))"
    ddl = ddl.format("d + INTERVAL '{}'")
    later = f"{EVERY} WHERE m > d + INTERVAL '1 day'"
    assert proved("postgres", ddl.format("1 day"), EVERY, later)
    ago = ddl.format("1 day ago")
    rows = [ago, "INSERT INTO t VALUES (1, '2020-01-02', '2020-01-02')"]
    assert [len(engine("postgres").replay(rows, query, Settings())) for query in (EVERY, later)] == [1, 0]
    assert not proved("postgres", ago, EVERY, later)


def test_a_name_that_is_a_function_too() -> None:
    ddl = """CREATE TABLE t (id INT PRIMARY KEY, "user" TEXT NOT NULL, CHECK ({} <> 'bob'))"""
    other = f"""{EVERY} WHERE "user" <> 'bob'"""
    assert proved("postgres", ddl.format('"user"'), EVERY, other)
    assert not proved("postgres", ddl.format("user"), EVERY, other)


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
@pytest.mark.parametrize(
    ("checks", "oracle", "candidate"),
    [
        ("CHECK (x = f), CHECK (ROUND(x) <> ROUND(f))", EVERY, f"{EVERY} WHERE id < id"),
        ("CHECK (x = f)", "SELECT ROUND(x) FROM t", "SELECT ROUND(f) FROM t"),
        (
            "CHECK (ROUND(x) = 3 AND x = 5 / 2.0), CHECK (ROUND(f) = 2)",
            f"{EVERY} WHERE x = f",
            f"{EVERY} WHERE id < id",
        ),
    ],
)
def test_roundings_that_a_check_brings_together(
    dialect: str, checks: str, oracle: str, candidate: str
) -> None:
    assert not proved(dialect, ROUNDED.format(checks), oracle, candidate)


@pytest.mark.parametrize("dialect", ["mysql", "postgres"])
def test_roundings_that_no_check_brings_together(dialect: str) -> None:
    ddl = ROUNDED.format("CHECK (x > 0), CHECK (f BETWEEN 0 AND 100)")
    assert proved(dialect, ddl, "SELECT ROUND(x) FROM t", "SELECT ROUND(x) FROM t WHERE x >= 0")
    assert proved(dialect, ddl, "SELECT f FROM t", "SELECT f FROM t WHERE f >= 0 AND x > 0")


def test_a_proof_rests_on_the_columns_of_its_checks() -> None:
    schema = read_schema(ROUNDED.format("CHECK (id < f)"), "postgres")
    tree = read_query("SELECT id FROM t", schema, Settings(), ask=False)
    assert "the numbers of t.f are finite" in assumptions([tree], schema, Settings())


@pytest.mark.parametrize("dialect", ALL)
def test_plain_checks_are_facts(dialect: str) -> None:
    ddl = """CREATE TABLE Orders (id INT PRIMARY KEY, a INT NOT NULL CHECK (a > 0), s VARCHAR(9) NOT NULL,
        CONSTRAINT c CHECK (s IN ('a', 'b') -- two
        AND Orders.a BETWEEN 1 AND 8))"""
    tested = "SELECT id FROM orders WHERE a >= 1 AND s <> 'c' AND a < 9"
    assert proved(dialect, ddl, "SELECT id FROM Orders", tested)
    assert not proved(dialect, ddl, "SELECT id FROM Orders", f"{tested} AND a < 8")


@pytest.mark.parametrize("dialect", ["postgres", "sqlite", "duckdb"])
def test_checks_of_quoted_names_are_facts(dialect: str) -> None:
    ddl = 'CREATE TABLE "Order" (id INT PRIMARY KEY, "check" INT NOT NULL, CHECK ("check" > 0))'
    assert proved(dialect, ddl, 'SELECT id FROM "Order"', 'SELECT id FROM "Order" o WHERE o."check" >= 1')
