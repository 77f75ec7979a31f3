"""Counterexamples on the engine, from the text that the verdict records."""

from __future__ import annotations

import pytest

import needs
from truespec.domains.registry import load
from truespec.domains.sql.engines import mariadb_session
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample

pytestmark = pytest.mark.live
NO_INDEX = "CREATE TABLE p (a INT, b INT); CREATE TABLE c (b INT, FOREIGN KEY (b) REFERENCES p (b))"
INDEX = "CREATE TABLE p (a INT, b INT UNIQUE); CREATE TABLE c (b INT, FOREIGN KEY (b) REFERENCES p (b))"


@pytest.mark.parametrize(("schema", "refused"), [(NO_INDEX, True), (INDEX, False)])
def test_a_schema_that_the_engine_refuses_is_told_with_its_message(schema: str, refused: bool) -> None:
    """MariaDB wants an index on the columns that a foreign key refers to."""
    needs.tool("mariadbd")
    pair = Pair("sql", "SELECT a FROM p", "SELECT a FROM p WHERE a > 1", {"schema": schema})
    verdict = verify_pair(pair, 60.0)
    assert verdict.answer is Answer.REFUTED
    assert isinstance(verdict.evidence, Counterexample)
    note = str(verdict.evidence.extra.get("schema_note", ""))
    assert ("Foreign key constraint is incorrectly formed" in note) is refused
    again = load("sql").recheck(pair.oracle, pair.candidate, pair.context, verdict, Limit.start(30.0))
    assert again.detail == note


def test_a_query_that_changes_its_session_leaves_the_pair_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that gets past every refusal is planted where queries run."""
    needs.tool("mariadbd")
    fetch = mariadb_session.Reader.fetch

    def planted(reader: mariadb_session.Reader, query: str) -> tuple[list[tuple[object, ...]], list[str]]:
        reader._connection.query("SET SESSION sql_select_limit=0")
        return fetch(reader, query)

    context = {"schema": "CREATE TABLE t (a INT)"}
    pair = Pair("sql", "SELECT a FROM t", "SELECT a FROM t WHERE a > 1", context)
    with monkeypatch.context() as patch:
        patch.setattr(mariadb_session.Reader, "fetch", planted)
        verdict = verify_pair(pair, 60.0)
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.reason is not None
    assert "sql_select_limit" in verdict.reason.detail
    assert verify_pair(pair, 60.0).answer is Answer.REFUTED
