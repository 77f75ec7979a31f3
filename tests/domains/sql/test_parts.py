"""Proofs by parts: what both queries compute alike on the way stands for any table in the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sql_pairs import by_parts
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.sql.prove import parts
from truespec.solvers.limit import Limit
from truespec.verdict import Proof, equivalent

SCHEMA = (
    "CREATE TABLE c (id INT PRIMARY KEY, name VARCHAR(30) NOT NULL); "
    "CREATE TABLE o (id INT PRIMARY KEY, cid INT, amt INT, d DATE NOT NULL, st VARCHAR(10) NOT NULL, "
    "FOREIGN KEY (cid) REFERENCES c(id))"
)
DIALECTS = ("mysql", "postgres", "sqlite", "duckdb")
TOTALS = "SELECT cid, SUM(amt) AS t, COUNT(*) AS k FROM o GROUP BY cid"
RUNNING = (
    "SELECT cid, t, SUM(t) OVER (ORDER BY cid) AS s, t - LAG(t) OVER (ORDER BY cid) AS u FROM m "
    "WHERE cid IS NOT NULL"
)
NUMBERED = "SELECT id, cid, ROW_NUMBER() OVER (PARTITION BY cid ORDER BY amt) AS n FROM o"


def over(part: str, rest: str) -> str:
    return f"WITH m AS ({part}) {rest}"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("one", "other", "rest", "last"),
    [
        (
            TOTALS,
            "SELECT COUNT(id) AS k, SUM(x.amt) AS t, x.cid FROM o AS x WHERE 1 = 1 GROUP BY x.cid",
            RUNNING,
            RUNNING,
        ),
        (TOTALS, TOTALS, "SELECT a.cid, b.t FROM m a JOIN m b ON a.cid = b.cid", "SELECT cid, t FROM m"),
        (TOTALS, "SELECT cid, SUM(amt) AS t FROM o GROUP BY cid", RUNNING, RUNNING),
    ],
    ids=["columns in another order", "a key", "a column that only one has"],
)
def test_what_both_compute_stands_for_any_table(
    dialect: str, one: str, other: str, rest: str, last: str
) -> None:
    if last != rest:
        last += " WHERE cid IS NOT NULL"
    found = by_parts(dialect, SCHEMA, over(one, rest), over(other, last))
    assert found is not None
    assert "the part 'm' of the oracle is 'm' of the candidate" in found.steps
    assert len(found.parts) == 1


def test_several_parts_of_one_query_may_be_one_table() -> None:
    oracle = (
        "WITH p AS (SELECT cid, MAX(amt) AS x, COUNT(*) AS k FROM o GROUP BY cid) SELECT cid, x, k FROM p"
    )
    candidate = (
        "WITH p AS (SELECT cid, MAX(amt) AS x FROM o GROUP BY cid), "
        "q AS (SELECT COUNT(*) AS n, cid AS who FROM o GROUP BY cid) "
        "SELECT p.cid, p.x, q.n FROM p JOIN q ON p.cid = q.who UNION ALL "
        "SELECT p.cid, p.x, q.n FROM p JOIN q ON p.cid IS NULL AND q.who IS NULL"
    )
    found = by_parts("sqlite", SCHEMA, oracle, candidate)
    assert found is not None
    assert found.steps[:2] == (
        "the part 'p' of the oracle is 'p' of the candidate",
        "the part 'p' of the oracle is 'q' of the candidate",
    )
    lost = by_parts("sqlite", SCHEMA, oracle, candidate.partition(" UNION ALL")[0])
    assert lost is None, "a group of NULL joins nothing"


@pytest.mark.parametrize(
    ("one", "other", "rest"),
    [
        (TOTALS, TOTALS.replace("COUNT(*)", "COUNT(amt)"), "SELECT cid, t, k FROM m"),
        (TOTALS, TOTALS + " HAVING COUNT(*) > 1", "SELECT COUNT(*) FROM m"),
        (TOTALS, TOTALS.replace("GROUP BY cid", "GROUP BY cid, st"), "SELECT cid FROM m"),
        ("SELECT id, cid FROM o", "SELECT cid AS id, id AS cid FROM o", "SELECT id FROM m"),
        ("SELECT DISTINCT cid FROM o", "SELECT cid FROM o", "SELECT cid FROM m"),
    ],
)
def test_parts_that_differ_are_not_taken_for_one(one: str, other: str, rest: str) -> None:
    assert by_parts("sqlite", SCHEMA, over(one, rest), over(other, rest)) is None


@pytest.mark.parametrize(
    ("part", "one", "other"),
    [
        (TOTALS, "SELECT cid, t FROM m", "SELECT cid, t FROM m WHERE k > 1"),
        (TOTALS, "SELECT cid FROM m", "SELECT cid FROM m WHERE cid IS NOT NULL"),
        (TOTALS, "SELECT k FROM m", "SELECT DISTINCT k FROM m"),
        (TOTALS, "SELECT a.cid FROM m a JOIN m b ON a.k = b.k", "SELECT cid FROM m"),
        (TOTALS, "SELECT cid FROM m", "SELECT m.cid FROM m JOIN c ON c.id = m.cid"),
        (TOTALS, "SELECT SUM(k) FROM m", "SELECT COUNT(*) FROM m"),
        ("SELECT cid, st FROM o", "SELECT cid, st FROM m", "SELECT DISTINCT cid, st FROM m"),
    ],
)
def test_the_rest_is_proved_of_every_table_with_these_facts(part: str, one: str, other: str) -> None:
    assert by_parts("sqlite", SCHEMA, over(part, one), over(part, other)) is None


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("part", "rest"),
    [
        (NUMBERED, "SELECT a.id FROM m a JOIN m b ON a.id = b.id AND a.n = b.n"),
        ("SELECT id, amt FROM o ORDER BY amt LIMIT 3", "SELECT COUNT(*) FROM m a JOIN m b ON a.id = b.id"),
        ("SELECT id, NULL AS v FROM o", "SELECT id, v FROM m"),
        ("SELECT id, '5' AS v FROM o", "SELECT id, v FROM m"),
    ],
    ids=["ROW_NUMBER of ties", "LIMIT of ties", "NULL without a type", "a literal without a type"],
)
def test_no_part_is_a_choice_or_has_types_that_depend_on_what_stands_beside(
    dialect: str, part: str, rest: str
) -> None:
    found = by_parts(dialect, SCHEMA, over(part, rest), over(part, rest))
    # In PostgreSQL a literal is a text in a derived table.
    assert (found is not None) == (dialect == "postgres" and "'5'" in part)


def test_columns_of_unlike_kinds_do_not_correspond() -> None:
    rest = "SELECT id, v / 2 FROM m"
    for other in ("SUM(amt)", "amt * 1.0"):
        pair = "SELECT id, MAX(amt) AS v FROM o GROUP BY id", f"SELECT id, {other} AS v FROM o GROUP BY id"
        assert by_parts("postgres", SCHEMA, over(pair[0], rest), over(pair[1], rest)) is None


def test_a_part_reads_no_query_around_it() -> None:
    query = "SELECT c.id, (SELECT SUM(x.amt) FROM (SELECT amt FROM o WHERE {}) x) AS s FROM c"
    assert by_parts("sqlite", SCHEMA, query.format("o.cid = c.id"), query.format("c.id = o.cid")) is None
    plain = query.format("o.cid = 1"), query.format("1 = o.cid")
    assert by_parts("sqlite", SCHEMA, *plain) is not None


def test_a_name_means_what_is_in_scope() -> None:
    outer = "WITH m AS (SELECT id FROM o), p AS ({}) SELECT id FROM p"
    pair = outer.format("WITH m AS (SELECT id FROM c) SELECT id FROM m"), outer.format("SELECT id FROM m")
    assert by_parts("sqlite", SCHEMA, *pair) is None


def test_a_choice_of_the_engine_is_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check is what refuses it: both sides may choose alike, so that the parts are proved the same."""
    part = "SELECT cid, amt FROM o GROUP BY cid"
    pair = (
        over(part, "SELECT cid, amt FROM m WHERE cid > 1"),
        over(part, "SELECT cid, amt FROM m WHERE 1 < cid"),
    )
    assert by_parts("mysql", SCHEMA, *pair) is None
    monkeypatch.setattr(parts, "leaves_choices", lambda prover: False)
    assert by_parts("mysql", SCHEMA, *pair) is not None


def verdict_of(oracle: str, candidate: str) -> Any:
    found = by_parts("sqlite", SCHEMA, oracle, candidate)
    assert found is not None
    certificate: Any = {"trace": found.trail, "parts": list(found.parts), "steps": list(found.steps)}
    return equivalent("sql", "bag algebra", Proof("correspondence of rows", ("z3",), (), certificate))


def test_a_proof_by_parts_is_followed_again_part_by_part() -> None:
    pair = over(TOTALS, RUNNING), over(TOTALS.replace("FROM o", "FROM o AS x"), RUNNING)
    context = {"dialect": "sqlite", "schema": SCHEMA}
    verdict = verdict_of(*pair)

    def again(oracle: str, candidate: str, found: Any) -> RecheckStatus:
        return load("sql").recheck(oracle, candidate, context, found, Limit.start(120.0)).status

    assert again(*pair, verdict) is RecheckStatus.CONFIRMED
    record = verdict.evidence.certificate["parts"][0]
    for spoiled in (
        {**record, "trace": record["trace"][:-1]},
        {**record, "trace": record["trace"] + "1"},
        {**record, "columns": [0, 1, 9]},
        {**record, "candidate": "1:7"},
        {**record, "oracle": record["candidate"]},
        "part",
    ):
        certificate = {**verdict.evidence.certificate, "parts": [spoiled]}
        other = replace(verdict, evidence=replace(verdict.evidence, certificate=certificate))
        assert again(*pair, other) is not RecheckStatus.CONFIRMED, spoiled
    certificate = {**verdict.evidence.certificate, "parts": []}
    other = replace(verdict, evidence=replace(verdict.evidence, certificate=certificate))
    assert again(*pair, other) is not RecheckStatus.CONFIRMED
    assert again(pair[0], pair[1].replace("SUM(amt)", "MAX(st)"), verdict) is not RecheckStatus.CONFIRMED
