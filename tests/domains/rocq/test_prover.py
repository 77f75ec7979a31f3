"""The portfolio goes on where a process ends; an undecided pair gives each part's reason."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq import domain
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.library import library
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import PREPARATION, prove
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Reply, Session
from truespec.domains.rocq.strategies import STRATEGIES
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Incomplete, OutOfMemory, OutOfTime

SIGNATURE = {"signature": "(x y : Z) : Prop"}
ORACLE = "Definition spec (x y : Z) : Prop := x < y."
CANDIDATE = "Definition spec (x y : Z) : Prop := y > x."


class Frail(Session):
    """A process that is killed under the first strategies it is given."""

    deaths = 3

    def say(
        self, sentence: str, seconds: float, stop: threading.Event | None = None, work: float | None = None
    ) -> Reply:
        if sentence.startswith("by_") and self.deaths:
            self.deaths -= 1
            assert self._process is not None
            os.kill(self._process.pid, signal.SIGKILL)
        return super().say(sentence, seconds, stop, work)


def test_a_process_that_is_killed_under_a_strategy_leaves_the_others_their_turn() -> None:
    needs.tool("coqc")
    context = read_context(SIGNATURE)
    layout = Layout(context, screen(ORACLE), screen(CANDIDATE))
    session = Frail([*(one.text for one in context.prelude), "Require Truespec.Portfolio."], library())
    try:
        session.ready()
        found = prove(session, layout, Limit(200.0, time.monotonic()), threading.Event())
    finally:
        session.kill()
    assert found.tactic in {strategy.name for strategy in STRATEGIES}
    assert session.deaths == 0


def test_a_premise_is_taken_first_and_the_recheck_takes_it_too() -> None:
    needs.tool("coqc")
    raw = {"signature": "(n : Z) (r : list Z) : Prop"}
    oracle, candidate = (
        f"Definition spec (n : Z) (r : list Z) : Prop := {body}."
        for body in (
            "1 <= n -> Sorted Z.lt r /\\ forall d, In d r <-> 0 < d /\\ (d | n)",
            "n < 1 \\/ r = filter (fun d => n mod d =? 0) (map Z.of_nat (seq 1 (Z.to_nat n)))",
        )
    )
    verdict = verify_pair(Pair("rocq", oracle, candidate, raw), 200.0)
    assert verdict.answer is Answer.EQUIVALENT
    assert verdict.method.startswith(f"{PREPARATION}; by_")
    checked = load("rocq").recheck(oracle, candidate, raw, verdict, Limit.start(200))
    assert checked.status is RecheckStatus.CONFIRMED


def test_an_undecided_pair_gives_the_reason_of_each_part() -> None:
    ends: dict[str, Exception] = {
        "prover": OutOfMemory("Rocq's memory cap was reached"),
        "refuter": Incomplete("no drawn input"),
    }
    told = domain._undecided(ends)
    assert isinstance(told, OutOfMemory)
    assert str(told) == "prover: Rocq's memory cap was reached; refuter: no drawn input"
    late = OutOfTime("no decision within 4 s")
    assert domain._undecided({**ends, "refuter": late}) is late


@pytest.mark.slow
def test_the_others_wait_while_an_accepted_proof_is_looked_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rocq walks through its whole library for that; two more processes would work for nothing meanwhile."""
    needs.tool("coqc")
    sent: list[tuple[Session, str]] = []
    send = Session._send

    def noted(session: Session, sentence: str) -> None:
        sent.append((session, sentence))
        send(session, sentence)

    monkeypatch.setattr(Session, "_send", noted)
    oracle = "Definition spec (x r : Z) : Prop := r = Z.abs x."
    candidate = "Definition spec (x r : Z) : Prop := r >= 0 /\\ (r = x \\/ r = - x)."
    verdict = verify_pair(Pair("rocq", oracle, candidate, {"signature": "(x r : Z) : Prop"}), 200.0)
    assert verdict.answer is Answer.EQUIVALENT
    looks = [at for at, (_, sentence) in enumerate(sent) if "Assumptions Truespec_equivalent" in sentence]
    prover = sent[looks[-1]][0]
    after = [session for session, said in sent[looks[-1] :] if "BackTo" not in said]
    meanwhile = [session for session in after if session is not prover]
    # One sentence each may have been on its way.
    assert all(meanwhile.count(session) <= 1 for session in meanwhile)
