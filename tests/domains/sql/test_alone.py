"""A proof depends on its two queries alone, not on what the process proved before."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
import z3

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir import asking
from truespec.domains.sql.ir.symbols import constants
from truespec.domains.sql.prove.proof import ProofTrace, prove
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import begin_anew, check

NO_SETTINGS = Settings()
SCHEMA = read_schema("CREATE TABLE emp (id INT PRIMARY KEY, sal INT, boss INT NOT NULL);", "sqlite")
BEFORE = "SELECT id FROM (SELECT id, sal, LAG(sal) OVER (ORDER BY id) AS p FROM emp) q WHERE sal > p"
BETWEEN = "NOT EXISTS (SELECT 1 FROM emp y WHERE x.id < y.id AND y.id < e.id)"
SMALLER = "SELECT 1 FROM emp x WHERE x.id < e.id AND x.sal < e.sal"
EARLIER = f"SELECT id FROM emp e WHERE EXISTS ({SMALLER} AND {BETWEEN})"
LEFT = "SELECT boss, SUM(sal) FROM emp WHERE sal > 1 GROUP BY boss"
RIGHT = """SELECT DISTINCT boss, (SELECT SUM(sal) FROM emp f WHERE f.boss = e.boss AND sal >= 2)
FROM emp e WHERE sal > 1"""


def proof(oracle: str, candidate: str) -> ProofTrace | None:
    left, right = (read_query(text, SCHEMA, NO_SETTINGS) for text in (oracle, candidate))
    return prove(left, right, SCHEMA, "auto", NO_SETTINGS, Limit.start(600.0))


def test_a_proof_takes_the_same_steps_whatever_was_proved_before(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[dict[str, Any]] = []

    def noted(solver: Any, limit: Limit) -> Any:
        outcome = check(solver, limit)
        taken = solver.statistics()
        counted = ("conflicts", "decisions", "propagations")
        steps.append({key: taken.get_key_value(key) for key in taken.keys() if key in counted})  # noqa: SIM118
        return outcome

    monkeypatch.setattr(asking, "check", noted)
    first = proof(BEFORE, EARLIER)
    assert first is not None
    alone, steps = steps, []
    assert proof(LEFT, RIGHT) is not None
    steps.clear()
    assert proof(BEFORE, EARLIER) == first
    assert steps == alone


def test_what_is_remembered_ends_with_its_context() -> None:
    one = z3.Int("one")
    assert constants(one + 1) == {"one"}
    begin_anew()
    other = z3.Int("other")
    assert constants(other + 1) == {"other"}, "Z3 gives the numbers of the old context again"


ASKED = """
import sys
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir import asking
from truespec.domains.sql.prove.proof import prove_briefly
from truespec.domains.sql.schema import read_schema
from truespec.domains.sql.text.query import read_query
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import check

def noted(solver, limit):
    print(solver.sexpr())
    return check(solver, limit)

asking.check = noted
schema = read_schema("CREATE TABLE emp (id INT PRIMARY KEY, sal INT);", "sqlite")
left, right = (read_query(text, schema, Settings()) for text in sys.argv[1:])
prove_briefly(left, right, schema, "auto", Settings(), Limit.start(600.0))
"""
NUMBERED = "(SELECT id, sal, ROW_NUMBER() OVER (ORDER BY id) AS k FROM emp)"


def test_a_proof_asks_the_same_however_python_hashes_texts() -> None:
    pair = (
        "SELECT id FROM (SELECT id, sal, LAG(sal, 1, 0) OVER (ORDER BY id) AS p FROM emp) q WHERE sal > p",
        f"SELECT x.id FROM {NUMBERED} x LEFT JOIN {NUMBERED} y ON x.k = y.k + 1"
        " WHERE x.sal > COALESCE(y.sal, 0)",
    )
    asked = [
        subprocess.run(
            [sys.executable, "-c", ASKED, *pair],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "2")
    ]
    assert asked[0].count("declare-sort") > 3
    assert len(set(asked)) == 1
