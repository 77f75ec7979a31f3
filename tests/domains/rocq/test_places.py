"""Functions and cuts read at places: Z3 proves the right candidate of a case in `places.yml` alone."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import needs
from cases import read_yaml
from truespec.domains.rocq import smt
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import OutOfTime

pytestmark = pytest.mark.slow
CASES = read_yaml(Path(__file__).with_name("places.yml"))
SECONDS = 300.0
"""The limit of a reduction and of a proof."""
WRONG_SECONDS = 0.5
"""How long a proof of a wrong candidate is looked for."""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    needs.tool("coqc")
    prelude = [sentence.text for sentence in read_context({"signature": "(x : Z) : Prop"}).prelude]
    made = Session([*prelude, *smt.LOAD], library())
    yield made
    made.kill()


def answer(session: Session, case: dict[str, str], candidate: str, seconds: float) -> Outcome:
    """What Z3 says of the pair as a whole."""
    session.ready()
    oracle, other = (
        screen(text if "Definition" in text else f"Definition spec {case['signature']} := {text}.")
        for text in (case["oracle"], candidate)
    )
    layout = Layout(read_context({"signature": case["signature"]}), oracle, other)
    try:
        formula = smt.reduce(Dialogue(session, Limit.start(SECONDS), threading.Event()), layout)
    finally:
        assert session.back_to(session.base)
    with smt.Z3(smt.smtlib(formula)) as asked:
        return asked.outcome(Limit.start(seconds), threading.Event())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_right_candidate_is_proved(
    session: Session, case: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smt, "REDUCTION_SECONDS", 10.0)  # a busy machine takes more processor time
    assert answer(session, case, case["right"], SECONDS) is Outcome.UNSAT


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_wrong_candidate_is_not_proved(session: Session, case: dict[str, str]) -> None:
    with contextlib.suppress(OutOfTime):
        assert answer(session, case, case["wrong"], WRONG_SECONDS) is not Outcome.UNSAT
