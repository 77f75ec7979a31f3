"""One strategy of the portfolio, tried on a right and on a wrong candidate."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import needs
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import THEOREM, assumptions, opening
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Session
from truespec.solvers.limit import Limit


def opened() -> Iterator[Session]:
    """A session that knows the portfolio, ended afterwards."""
    needs.tool("coqc")
    prelude = [one.text for one in read_context({"signature": "(x : Z) : Prop"}).prelude]
    session = Session([*prelude, "Require Truespec.Portfolio."], library())
    session.ready()
    yield session
    session.kill()


def pair(signature: str, oracle: str, candidate: str, preamble: str = "") -> Layout:
    """The layout of two texts, each a body or with its definitions."""
    texts = [
        screen(
            body if body.startswith(("Fixpoint", "Definition")) else f"Definition spec {signature} := {body}."
        )
        for body in (oracle, candidate)
    ]
    given = {"preamble": preamble} if preamble else {}
    return Layout(read_context({"signature": signature, **given}), *texts)


def proves_only_the_right_one(
    session: Session, tactic: str, signature: str, oracle: str, right: str, wrong: str, preamble: str = ""
) -> None:
    """Assert that the tactic proves the right candidate, on no axiom but `classic`, and not the wrong one."""
    for candidate, proves in ((right, True), (wrong, False)):
        layout = pair(signature, oracle, candidate, preamble)
        session.back_to(session.base)
        dialogue = Dialogue(session, Limit.start(240.0), threading.Event())
        stated = (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout), THEOREM)
        for sentence in stated:
            dialogue.must(sentence)
        assert dialogue.tries(f"{tactic}.", 6.0) == proves, candidate
        if proves:
            assert dialogue.may("Qed.")
            assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))
