"""Queries that differ by what they call their own parts alone."""

from __future__ import annotations

import pytest

from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.sql.domain import Sql
from truespec.domains.sql.renamed import same_but_for_names
from truespec.domains.sql.text.query import read_query, rendered
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer

DDL = "CREATE TABLE t (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, s VARCHAR(9) NOT NULL, d DATE)"

SAME = [
    (
        "mysql",
        "WITH y AS (SELECT s, MAX(a) AS n FROM t GROUP BY s) SELECT c.s, p.n FROM y c JOIN y AS p ON p.s<c.s",
        "WITH z AS (SELECT s, MAX(a) m FROM t GROUP BY s) SELECT x.s, w.m FROM z AS x JOIN z w ON w.s<x.s;",
    ),
    ("sqlite", "SELECT a AS n FROM t ORDER BY n", "SELECT a m FROM t ORDER BY m"),
    ("postgres", "SELECT p.a FROM t p, t q WHERE p.id < q.b", "SELECT q.a FROM t q, t p WHERE q.id < p.b"),
    ("duckdb", "SELECT COUNT(*) AS n FROM t AS u", "SELECT count(*) how_many FROM t v"),
    ("postgres", "SELECT v.x FROM (VALUES (1), (2)) AS v(x)", "SELECT w.y FROM (VALUES (1), (2)) w (y)"),
]
OTHER = [
    ("mysql", "SELECT b AS _rowid FROM t GROUP BY _rowid", "SELECT b AS n FROM t GROUP BY n"),
    ("duckdb", "SELECT TYPEOF(CAST(NULL AS STRUCT(a INT)))", "SELECT TYPEOF(CAST(NULL AS STRUCT(A INT)))"),
    ("sqlite", "SELECT p.a FROM t p JOIN t q ON p.id = q.b", "SELECT q.a FROM t p JOIN t q ON p.id = q.b"),
    ("sqlite", "SELECT a AS u, b AS v FROM t ORDER BY u", "SELECT a AS u, b AS v FROM t ORDER BY v"),
    ("sqlite", "SELECT a AS b FROM t ORDER BY b", "SELECT a AS c FROM t ORDER BY c"),
    ("sqlite", "SELECT a AS n FROM t WHERE n > 1", "SELECT a AS id FROM t WHERE id > 1"),
    ("sqlite", "SELECT a AS rowid FROM t WHERE rowid > 1", "SELECT a AS n FROM t WHERE n > 1"),
    ("sqlite", "SELECT a AS u, b AS v FROM t ORDER BY u, v", "SELECT a AS u, b AS u FROM t ORDER BY u, u"),
    (
        "sqlite",
        "SELECT s AS binary FROM t ORDER BY s COLLATE binary",
        "SELECT s AS nocase FROM t ORDER BY s COLLATE nocase",
    ),
    ("mysql", "SELECT d + INTERVAL 1 DAY AS day FROM t", "SELECT d + INTERVAL 1 MONTH AS month FROM t"),
    ("mysql", "SELECT EXTRACT(YEAR FROM d) AS year FROM t", "SELECT EXTRACT(MONTH FROM d) AS month FROM t"),
    ("mysql", "SELECT CAST(a AS CHAR) AS n FROM t", "SELECT CAST(a AS DATE) AS n FROM t"),
    (
        "sqlite",
        "SELECT n FROM (SELECT a AS 'n', b AS 'm' FROM t)",
        "SELECT m FROM (SELECT a AS 'n', b AS 'm' FROM t)",
    ),
    (
        "mysql",
        'SELECT n FROM (SELECT a AS "n", b AS "m" FROM t) q',
        'SELECT m FROM (SELECT a AS "n", b AS "m" FROM t) q',
    ),
    ("mysql", "SELECT a AS `n` FROM t ORDER BY n", "SELECT a AS `m` FROM t ORDER BY n"),
    (
        "postgres",
        "SELECT q::text AS r FROM (SELECT a AS x FROM t) q",
        "SELECT p::text AS r FROM (SELECT a AS y FROM t) p",
    ),
    (
        "postgres",
        "SELECT COUNT(q.*) AS n FROM (SELECT a AS x FROM t) q",
        "SELECT COUNT(p.*) AS n FROM (SELECT a AS y FROM t) p",
    ),
    ("postgres", "SELECT MAX(a) AS max FROM t", "SELECT MIN(a) AS min FROM t"),
    (
        "postgres",
        "SELECT q.to_json FROM (SELECT a AS x FROM t) q, (SELECT 1 AS to_json) r",
        "SELECT q.to_json FROM (SELECT a AS y FROM t) q, (SELECT 1 AS to_json) r",
    ),
    ("postgres", "SELECT q.to_jsonb FROM (SELECT 1 AS x) q", "SELECT q.to_jsonb FROM (SELECT 1 AS y) q"),
    ("duckdb", "SELECT q.to_json() FROM (SELECT 1 AS x) q", "SELECT q.to_json() FROM (SELECT 1 AS y) q"),
    ("sqlite", "SELECT a FROM t AS left JOIN t AS u", "SELECT a FROM t left JOIN t AS u"),
    ("sqlite", "SELECT a FROM t AS natural JOIN t AS u", "SELECT a FROM t natural JOIN t AS u"),
    ("postgres", "SELECT a AS isnull FROM t", "SELECT a isnull FROM t"),
    ("postgres", "SELECT d + INTERVAL '1' AS day FROM t", "SELECT d + INTERVAL '1' day FROM t"),
    ("duckdb", "SELECT q FROM (SELECT a AS x FROM t) q", "SELECT p FROM (SELECT a AS y FROM t) p"),
    (
        "duckdb",
        "SELECT COLUMNS('x.*') FROM (SELECT a AS x1, b AS y1 FROM t)",
        "SELECT COLUMNS('x.*') FROM (SELECT a AS y1, b AS x1 FROM t)",
    ),
    ("duckdb", "SELECT {'k': n} FROM (SELECT a AS n FROM t)", "SELECT {'k': m} FROM (SELECT a AS m FROM t)"),
    ("duckdb", "SELECT a AS n FROM t", "SELECT b AS n FROM t"),
    ("duckdb", "SELECT alias(n) FROM (SELECT a AS n FROM t)", "SELECT alias(m) FROM (SELECT a AS m FROM t)"),
    ("duckdb", "SELECT struct_pack(n) FROM (SELECT 1 AS n)", "SELECT struct_pack(m) FROM (SELECT 1 AS m)"),
    ("postgres", "SELECT xmlforest(n) FROM (SELECT 1 AS n) q", "SELECT xmlforest(m) FROM (SELECT 1 AS m) q"),
    (
        "postgres",
        "SELECT (SELECT 1 FROM (SELECT CASE WHEN a > 1 THEN 2 END FROM t) q) FROM (SELECT 1 AS n) r",
        "SELECT (SELECT 1 FROM (SELECT CASE WHEN a > 1 THEN 2 END FROM t) q) FROM (SELECT 1 AS m) r",
    ),
    (
        "duckdb",
        "SELECT n FROM (SELECT a AS n, b AS n FROM t)",
        "SELECT m FROM (SELECT a AS m, b AS m FROM t)",
    ),
    (
        "duckdb",
        "SELECT q.n FROM (VALUES (1)) q, (SELECT 2 AS n) r",
        "SELECT q.m FROM (VALUES (1)) q, (SELECT 2 AS m) r",
    ),
]


def _same(dialect: str, one: str, other: str) -> bool:
    domain = load("sql")
    assert isinstance(domain, Sql)
    context = domain.read_context({"schema": DDL, "dialect": dialect}, one)
    sides = [
        (text, read_query(text, context.schema, context.settings, ask=False))
        for text in (rendered(text, dialect) for text in (one, other))
    ]
    return same_but_for_names(sides[0], sides[1], context.schema)


@pytest.mark.parametrize(("dialect", "one", "other"), SAME)
def test_names_that_a_query_gives_do_not_count(dialect: str, one: str, other: str) -> None:
    assert _same(dialect, one, other)
    assert _same(dialect, other, one)


@pytest.mark.parametrize(("dialect", "one", "other"), OTHER)
def test_names_that_mean_anything_else_do(dialect: str, one: str, other: str) -> None:
    assert not _same(dialect, one, other)
    assert not _same(dialect, other, one)


def test_such_queries_are_equivalent_whatever_text_of_a_group_the_engine_takes() -> None:
    dialect, one, other = SAME[0]
    context = {"schema": DDL, "dialect": dialect}
    verdict = verify_pair(Pair("sql", one, other, context), 4.0)
    assert (verdict.answer, verdict.method) == (Answer.EQUIVALENT, "identity")
    recheck = load("sql").recheck(one, other, context, verdict, Limit.start(4.0))
    assert recheck.status is RecheckStatus.CONFIRMED
