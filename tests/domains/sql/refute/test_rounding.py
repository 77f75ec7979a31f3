"""No refutation rests on rounding or overflow: arithmetic is exact in this contract."""

from __future__ import annotations

import pytest
import sqlglot

import needs
import truespec
from searches import shorten
from truespec.domains.sql.engines.accept import read_settings
from truespec.domains.sql.refute.rounding import MOVES, Arithmetic
from truespec.domains.sql.refute.search import Hunt, search
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import ReasonCode

SCHEMA = "CREATE TABLE t (a INT, r DOUBLE PRECISION)"
TOOLS = {"mysql": "mariadbd", "postgres": "postgres"}
ALWAYS_TRUE = [
    "POWER(2, 0.5) * POWER(2, 0.5) = 2",
    "SQRT(a * a) = ABS(a)",
    "EXP(LN(2)) = 2",
    "SIN(0.5) * SIN(0.5) + COS(0.5) * COS(0.5) = 1",
    "1e16 + a - 1e16 = a",
    "1e20 + 1 > 1e20",
    "0.1e0 + 0.2e0 = 0.3e0",
    "(a + 0.5e0) / 3.0e0 * 3.0e0 = a + 0.5e0",
    "CAST(a AS DOUBLE PRECISION) / 7 * 7 = a",
    "a * 1e18 / 1e18 = a",
    "(r + 1e17) - 1e17 = r",
]
"""Conditions that hold of every number, and that floating point breaks on some."""


DATABASES = 60
"""Each condition is tried on so many: without the guard, the first 40 refute 18 of the 44, as 250 do."""


@pytest.mark.live
@pytest.mark.parametrize("dialect", ["mysql", "postgres", "sqlite", "duckdb"])
@pytest.mark.parametrize("condition", ALWAYS_TRUE)
def test_a_condition_that_always_holds_is_never_refuted(
    condition: str, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorten(monkeypatch, "sql", DATABASES)
    if dialect in TOOLS:
        needs.tool(TOOLS[dialect])
    present = "SELECT a FROM t WHERE a IS NOT NULL AND r IS NOT NULL"
    pair = Pair("sql", f"{present} AND {condition}", present, {"schema": SCHEMA, "dialect": dialect})
    verdict = verify_pair(pair, 20.0)
    if verdict.reason is not None and verdict.reason.code is ReasonCode.ORACLE:
        return  # the engine itself refuses the text
    assert verdict.answer.value in ("equivalent", "unknown"), verdict


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("SELECT a FROM t WHERE a * 2 > 10", "SELECT a FROM t WHERE a * 2 >= 10"),
        ("SELECT POWER(a, 2) FROM t", "SELECT POWER(a, 3) FROM t"),
        ("SELECT r + 0.5 FROM t", "SELECT r + 0.25 FROM t"),
    ],
)
def test_differences_of_exact_numbers_are_still_found(oracle: str, candidate: str) -> None:
    context = {"schema": SCHEMA, "dialect": "sqlite"}
    verdict = truespec.verify("sql", oracle=oracle, candidate=candidate, context=context, timeout=20.0)
    assert verdict.answer.value == "refuted", verdict


@pytest.mark.parametrize(
    ("oracle", "candidate"),
    [
        ("SELECT SUM(a) / COUNT(*) FROM t", "SELECT SUM(a) // COUNT(*) FROM t"),
        ("SELECT SUM(a) / 2 FROM t", "SELECT SUM(CASE WHEN a > 1 THEN a END) // 2 FROM t"),
        ("SELECT b, (a + 1) / 2 FROM u", "SELECT b, (a + 1) // 2 FROM u"),
    ],
)
def test_a_quotient_of_integers_differs_from_an_integer_division(oracle: str, candidate: str) -> None:
    schema = "CREATE TABLE t (a INT); CREATE TABLE u (a INT, b INT)"
    context = {"schema": schema, "dialect": "duckdb"}
    verdict = truespec.verify("sql", oracle=oracle, candidate=candidate, context=context, timeout=20.0)
    assert verdict.answer.value == "refuted", verdict


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x // 2 FROM (SELECT SUM(r) AS a FROM t) AS s(x)",
        "SELECT SUM(a) // 2 FROM (SELECT r AS a FROM t)",
        "SELECT SUM(a) // 2 FROM (SELECT a FROM t UNION ALL SELECT r FROM t)",
        "SELECT SUM(r) FROM t",
        "SELECT a + 9007199254740993 FROM t",
    ],
)
def test_what_is_named_like_a_column_of_integers_may_round_all_the_same(query: str) -> None:
    schema = read_schema(SCHEMA, "duckdb")
    trees = [sqlglot.parse_one(text, read="duckdb") for text in (query, "SELECT r / 2 FROM t")]
    assert Arithmetic.of(trees, schema).is_inexact(trees[0])


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@pytest.mark.parametrize(
    ("term", "rounds"),
    [
        ("EXTRACT(EPOCH FROM (e - d))", False),
        ("EXTRACT(EPOCH FROM (e - INTERVAL '1' DAY) - d)", False),
        ("EXTRACT(EPOCH FROM (e - d)) + r", True),
        ("(CAST(e AS DATE) - CAST(d AS DATE)) + r", True),
        ("EXTRACT(EPOCH FROM (x.e - x.e))", True),
    ],
)
def test_a_difference_of_moments_does_not_round(term: str, rounds: bool, dialect: str) -> None:
    schema = read_schema("CREATE TABLE t (d TIMESTAMP, e TIMESTAMP, r DOUBLE PRECISION)", dialect)
    source = "(SELECT r AS e FROM t) x" if "x." in term else "t"
    tree = sqlglot.parse_one(f"SELECT {term} FROM {source}", read=dialect)
    assert Arithmetic.of([tree], schema).is_inexact(tree) is rounds


@pytest.mark.parametrize("dialect", ["mysql", "postgres", "duckdb"])
@pytest.mark.parametrize(
    ("term", "rounds"),
    [
        ("SUM(p)", False),
        ("SUM(a * p) - COALESCE(SUM(CASE WHEN a > 1 THEN p ELSE 0.5 END), 0) + COUNT(*)", False),
        ("MAX(d + INTERVAL '1' DAY)", False),
        ("SUM(p * p)", True),
        ("SUM(p + 1e0)", True),
        ("SUM(p + r)", True),
        ("SUM(p) / 2", True),
        ("SUM(q)", True),
        ("ROUND(SUM(p), 1)", True),
    ],
)
def test_sums_of_decimals_do_not_round_where_types_are_kept(term: str, rounds: bool, dialect: str) -> None:
    schema = read_schema("CREATE TABLE t (a INT, d DATE, p DECIMAL(9, 2), r DOUBLE PRECISION)", dialect)
    tree = sqlglot.parse_one(f"SELECT {term} FROM (SELECT *, r AS q FROM t) x", read=dialect)
    assert Arithmetic.of([tree], schema).is_inexact(tree) is rounds


DIFFERENT = (
    "SELECT s.kind, ROUND(100.0 * SUM(CASE WHEN NOT EXISTS (SELECT 1 FROM m WHERE m.s = s.id) THEN 1 ELSE 0"
    " END) / COUNT(*), 1) AS share FROM s GROUP BY s.kind"
)
SITES = "CREATE TABLE s (id INT PRIMARY KEY, kind INT); CREATE TABLE m (id INT PRIMARY KEY, s INT)"


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_question_what_rounds_grows_by_copies_not_by_powers(dialect: str) -> None:
    schema = read_schema(SITES, dialect)
    tree = sqlglot.parse_one(DIFFERENT, read=dialect)
    arithmetic = Arithmetic.of([tree, tree], schema)
    for text in (arithmetic.refusing_inexact(tree), arithmetic.moved(tree, MOVES[0])):
        assert 2 <= str(text).count("EXISTS") <= 7 * len(arithmetic.sites(tree))


def test_a_rounded_share_over_a_subquery_is_told_apart() -> None:
    candidate = DIFFERENT.replace("m.s = s.id", "m.s = s.id AND m.id > 2")
    schema = read_schema(SITES, "duckdb")
    found = search(DIFFERENT, candidate, schema, "bag", read_settings(None, "duckdb"), Limit.start(60.0), 40)
    assert found.refutation is not None, found


BORDERS = [
    ("FLOOR((1 - a / 10.0) * 10)", "FLOOR((10 - a) / 10.0 * 10)"),
    ("(1 - a / 10.0) * 10 > 10 - a", "(10 - a) / 10.0 * 10 > 10 - a"),
    (
        "FLOOR((1 - a / 10.0) * 10), FLOOR((10 - a) / 10.0 * 10)",
        "FLOOR((10 - a) / 10.0 * 10), FLOOR((10 - a) / 10.0 * 10)",
    ),
    ("FLOOR(a / 10.0 - (10 - a) / 10.0 - (a + a - 10) / 10.0)", "FLOOR(0.0 * a)"),
]
"""Outputs that are equal, and that are cut or compared just where a number in binary falls short."""


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize(("oracle", "candidate"), BORDERS)
def test_a_number_at_the_border_of_a_cut_tells_nothing_apart(
    oracle: str, candidate: str, dialect: str
) -> None:
    schema = read_schema("CREATE TABLE t (a INT CHECK (a BETWEEN 6 AND 9))", dialect)
    one, other = (f"SELECT {output} FROM t" for output in (oracle, candidate))
    found = search(one, other, schema, "bag", read_settings(None, dialect), Limit.start(60.0), 60)
    assert found.refutation is None, found
    assert found.rounded, found


def test_what_is_too_large_to_be_asked_is_said_with_its_place() -> None:
    inner = "(SELECT MAX(a) FROM t) / 3.0"
    many = " + ".join([inner] * 16)
    oracle, candidate = f"SELECT {many} AS s FROM t", f"SELECT 1 + {many} AS s FROM t"
    schema = read_schema(SCHEMA, "sqlite")
    trees = [read_query(text, schema, read_settings(None, "sqlite")) for text in (oracle, candidate)]
    hunt = Hunt((oracle, candidate), trees, schema, "bag", read_settings(None, "sqlite"))
    assert hunt.go(Limit.start(60.0), 12).rounded
    (said,) = hunt.unasked()
    assert said.endswith("(oracle, column 8)"), said


def test_a_long_sum_is_read_in_one_pass() -> None:
    terms = " + ".join(["a"] * 60)
    context = {"schema": SCHEMA, "dialect": "duckdb"}
    pair = Pair("sql", f"SELECT {terms} FROM t", f"SELECT ({terms}) + 0 FROM t", context)
    verdict = verify_pair(pair, 60.0)
    assert verdict.answer.value == "equivalent", verdict
