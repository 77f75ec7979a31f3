"""How hard a proof is looked for, and what comes before the next step."""

from __future__ import annotations

import pytest

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.effort import BRIEF, FULL, Pause
from truespec.domains.sql.prove.parts import OF_PART, OF_REST
from truespec.domains.sql.prove.proof import prove, prove_briefly
from truespec.domains.sql.refute.refutation import Refutation
from truespec.domains.sql.refute.search import Hunt
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer

CONTEXT = {"dialect": "sqlite", "schema": "CREATE TABLE emp (id INT PRIMARY KEY, sal INT);"}
LEFT = "SELECT id FROM emp WHERE sal > 1"
RIGHT = "SELECT e.id FROM emp e JOIN emp f ON e.id = f.id WHERE f.sal >= 2"


def test_a_proof_comes_before_databases_from_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def propose(self: Hunt, limit: Limit) -> Refutation | None:
        raise AssertionError("the pair is proved without")

    monkeypatch.setattr(Hunt, "propose", propose)
    monkeypatch.setattr("truespec.domains.sql.decide.prove_briefly", lambda *_: (None, True))
    assert verify_pair(Pair("sql", LEFT, RIGHT, CONTEXT), 600.0).answer is Answer.EQUIVALENT


def test_a_proof_goes_on_where_it_was_after_another_one() -> None:
    schema = read_schema(CONTEXT["schema"], "sqlite")
    left, right, other = (
        read_query(text, schema, Settings()) for text in (LEFT, RIGHT, "SELECT MAX(sal) FROM emp")
    )
    limit, taken = Limit.start(600.0), []

    def meanwhile() -> Limit:
        taken.append(prove(other, other.copy(), schema, "auto", Settings(), limit))
        return limit

    pause = Pause(Limit.start(0.0), meanwhile)
    trace, hopeful = prove_briefly(left, right, schema, "auto", Settings(), limit, pause)
    assert pause.over
    assert taken
    assert not hopeful
    assert trace is not None
    assert trace == prove(left, right, schema, "auto", Settings(), limit)


def test_the_more_statements_were_left_open_the_less_is_spent_on_the_next() -> None:
    spent = [FULL.after(unanswered) for unanswered in range(100)]
    assert spent[0] == FULL.statement
    assert spent == sorted(spent, reverse=True)
    assert spent[-1] == FULL.least >= BRIEF.statement
    for each in (BRIEF, OF_PART, OF_REST):
        assert each.after(100) == each.statement, "what is cut short soon is asked alike"
