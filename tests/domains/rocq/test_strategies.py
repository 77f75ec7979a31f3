"""Each strategy proves the right candidate of its cases in `strategies.yml` and not the wrong one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import needs
from cases import read_yaml
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.domain import NO_CACHE
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import THEOREM, assumptions, opening
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.strategies import STRATEGIES
from truespec.solvers.limit import Limit

CASES = read_yaml(Path(__file__).with_name("strategies.yml"))
SENTENCES = ("Fixpoint", "Definition")
"""How a text begins that is no body alone."""
RIGHT_SECONDS = 6.0
"""Processor seconds that a proof may take."""
LEAST_SECONDS = 0.1
"""The least that is spent on a wrong candidate, else as long as the right one took."""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = [one.text for one in read_context({"signature": "(x : Z) : Prop"}).prelude]
    session = Session([*prelude, "Require Truespec.Portfolio.", *NO_CACHE], library())
    session.ready()
    yield session
    session.kill()


def stated(session: Session, case: dict[str, str], candidate: str) -> Dialogue:
    """A dialogue in which the theorem on the case's oracle and a candidate is to be proved."""
    texts = [
        screen(body if body.startswith(SENTENCES) else f"Definition spec {case['signature']} := {body}.")
        for body in (case["oracle"], candidate)
    ]
    context: dict[str, object] = {key: case[key] for key in ("signature", "preamble") if key in case}
    layout = Layout(read_context(context), *texts)
    if not session.back_to(session.base):
        session.kill()
        session.ready()
    dialogue = Dialogue(session, Limit.start(240.0), threading.Event())
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout), THEOREM):
        dialogue.must(sentence)
    return dialogue


@pytest.mark.slow  # the first one pays for the session of all
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_it_proves_the_right_candidate_and_not_the_wrong_one(session: Session, case: dict[str, str]) -> None:
    dialogue = stated(session, case, case["right"])
    before = session.worked()
    assert dialogue.tries(f"{case['tactic']}.", RIGHT_SECONDS)
    took = session.worked() - before
    assert dialogue.may("Qed.")
    assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))  # `classic` at most
    dialogue = stated(session, case, case["wrong"])
    with contextlib.suppress(Interrupted):  # a tactic that does not stop in time has not proved it either
        assert not dialogue.tries(f"{case['tactic']}.", max(LEAST_SECONDS, took))


def test_cases_name_strategies() -> None:
    assert {case["tactic"] for case in CASES} <= {one.name for one in STRATEGIES}
    assert len({case["name"] for case in CASES}) == len(CASES)
