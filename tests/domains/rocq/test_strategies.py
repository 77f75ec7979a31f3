"""Each strategy proves the right candidate of its cases in `strategies.yml` and not the wrong one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import needs
from cases import read_yaml
from truespec.domains.rocq.conjectures import SUGGESTED, conjectured
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.domain import NO_CACHE
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import PREPARATION, THEOREM, assumptions, opening
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.strategies import STRATEGIES
from truespec.solvers.limit import Limit

CASES = read_yaml(Path(__file__).with_name("strategies.yml"))
SENTENCES = ("Fixpoint", "Definition", "Inductive")
"""How a text begins that is no body alone."""
RIGHT_SECONDS = 6.0
"""Processor seconds that a proof may take."""
WRONG_SECONDS = 0.1
"""Those spent on a wrong candidate: the kernel accepts no proof of it, however long one is looked for."""


def opened() -> Session:
    prelude = [one.text for one in read_context({"signature": "(x : Z) : Prop"}).prelude]
    session = Session([*prelude, "Require Truespec.Portfolio.", *NO_CACHE], library())
    session.ready()
    return session


@dataclass(frozen=True, slots=True)
class Proofs:
    """A session that keeps each proof in a module of its own."""

    session: Session
    modules: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def proofs() -> Iterator[Proofs]:
    """The proofs of all cases; at the end, none of them rests on more than `classic`."""
    needs.tool("coqc")
    proofs = Proofs(opened())
    yield proofs
    if proofs.modules:  # at once, since Rocq looks through the whole library each time
        dialogue = Dialogue(proofs.session, Limit.start(240.0), threading.Event())
        theorems = ", ".join(f"{name}.Truespec_equivalent" for name in proofs.modules)
        dialogue.must(f"Definition theorems := ({theorems}).")
        assumptions(dialogue.must("Print Assumptions theorems."))
    proofs.session.kill()


@pytest.fixture(scope="module")
def attempts() -> Iterator[Session]:
    """A session for wrong candidates, which may have to be ended."""
    needs.tool("coqc")
    session = opened()
    yield session
    session.kill()


def module_of(case: dict[str, str]) -> str:
    return f"Case_{CASES.index(case)}"


def layout_of(case: dict[str, str], candidate: str) -> Layout:
    texts = [
        screen(body if body.startswith(SENTENCES) else f"Definition spec {case['signature']} := {body}.")
        for body in (case["oracle"], candidate)
    ]
    context: dict[str, object] = {key: case[key] for key in ("signature", "preamble") if key in case}
    return Layout(read_context(context), *texts)


def stated(session: Session, case: dict[str, str], candidate: str) -> Dialogue:
    """A dialogue in which the theorem on the case's oracle and a candidate is to be proved."""
    layout = layout_of(case, candidate)
    dialogue = Dialogue(session, Limit.start(240.0), threading.Event())
    dialogue.must(f"Module {module_of(case)}.")
    for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout), THEOREM):
        dialogue.must(sentence)
    return dialogue


@pytest.mark.slow  # the first one pays for the sessions of all
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_it_proves_the_right_candidate_and_not_the_wrong_one(
    proofs: Proofs, attempts: Session, case: dict[str, str]
) -> None:
    before = proofs.session.state
    try:
        dialogue = stated(proofs.session, case, case["right"])
        assert dialogue.tries(f"{case['tactic']}.", RIGHT_SECONDS)
        assert dialogue.may("Qed.")
        dialogue.must(f"End {module_of(case)}.")
    except BaseException:
        proofs.session.back_to(before)
        raise
    proofs.modules.append(module_of(case))
    if not attempts.back_to(attempts.base):
        attempts.kill()
        attempts.ready()
    dialogue = stated(attempts, case, case["wrong"])
    with contextlib.suppress(Interrupted):  # a tactic that does not stop in time has not proved it either
        assert not dialogue.tries(f"{case['tactic']}.", WRONG_SECONDS)


@pytest.mark.slow
def test_samples_suggest_how_a_state_tells_another(attempts: Session) -> None:
    (case,) = (case for case in CASES if case["tactic"].startswith(SUGGESTED))
    if not attempts.back_to(attempts.base):
        attempts.kill()
        attempts.ready()
    dialogue = stated(attempts, case, case["right"])
    dialogue.must("Abort.")
    law = conjectured(dialogue, layout_of(case, case["right"]), THEOREM)
    assert law is not None
    assert {"Truespec_oracle.after", "Truespec_candidate.go"} <= {*law.replace("(", " ").split()}
    assert dialogue.may("Qed.")


def test_cases_name_strategies() -> None:
    named = {case["tactic"].removeprefix(f"{PREPARATION}; ").partition(" ")[0] for case in CASES}
    assert named <= {one.name for one in STRATEGIES} | {SUGGESTED}
    assert len({case["name"] for case in CASES}) == len(CASES)
