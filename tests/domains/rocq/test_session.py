"""A session that still loads obeys the pair's limit, and is not started again for that."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import needs
from truespec.domains import verify
from truespec.domains.registry import load
from truespec.domains.rocq import session as sessions
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.session import Dead, Interrupted, OpeningRefused, Session
from truespec.solvers.limit import Limit, present
from truespec.verdict import OutOfTime, ReasonCode

OPENING = ["Require Import ZArith.", "Definition one := 1.", "Definition two := 2."]
CONTEXT = {"signature": "(x : Z) : Prop"}


@pytest.fixture
def session() -> Iterator[Session]:
    needs.tool("coqc")
    made = Session(OPENING)
    yield made
    made.kill()


def process(session: Session) -> int:
    assert session._process is not None
    return session._process.pid


def test_a_limit_that_ends_while_a_session_loads_leaves_it_loading(session: Session) -> None:
    session.until = time.monotonic()
    with pytest.raises(Interrupted):
        session.ready()
    assert session.loading
    first = process(session)
    session.until = float("inf")
    session.ready()
    assert process(session) == first
    # Each opening sentence was read once.
    assert session.say("Check (one + two).", 200.0).ok
    assert session.base == 1 + len(OPENING)


def test_the_heap_may_lie_in_large_pages(session: Session) -> None:
    session.ready()
    environment = Path(f"/proc/{process(session)}/environ").read_bytes().split(b"\0")
    assert b"GLIBC_TUNABLES=glibc.malloc.hugetlb=1" in environment


def test_an_answer_that_is_no_longer_wanted_ends_the_wait(session: Session) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        session.ready(stop)
    session.ready(threading.Event())
    assert session.say("Check two.", 200.0).ok


def test_a_sentence_that_ends_at_once_is_waited_for(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal while Rocq answers may end its process."""
    session.ready()
    assert session._process is not None
    monkeypatch.setattr(session._process, "send_signal", lambda signal: session.kill())
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        session.say("Definition three := 3.", 200.0, stop)
    assert session.say("Check three.", 200.0).ok


def test_a_session_that_does_not_start_in_time_is_ended(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "STARTUP_SECONDS", 0.0)
    with pytest.raises(Dead, match="not ready after 0 s of waiting"):
        session.ready()
    assert not session.running


def test_time_in_which_nobody_waits_is_no_start_up(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.until = time.monotonic()
    with pytest.raises(Interrupted):
        session.ready()
    # Others had their turn. A clock of all modules would put off what other threads wait for.
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 2 * sessions.STARTUP_SECONDS)
    monkeypatch.setattr(sessions, "time", later)
    session.until = float("inf")
    session.ready()
    assert session.say("Check two.", 200.0).ok


def test_a_refused_opening_sentence_is_named() -> None:
    needs.tool("coqc")
    session = Session(["Definition one := 1.", "Definition two := missing."])
    with pytest.raises(OpeningRefused, match="missing"):
        session.ready()
    assert not session.running


def test_parsing_ends_with_the_limit_of_the_pair_and_the_next_pair_is_read() -> None:
    needs.tool("coqc")
    domain = load("rocq")
    text = "Definition spec (x : Z) : Prop := 0 <= x /\\ x = x + 0."
    context = domain.read_context(CONTEXT, text)
    with present(Limit(0.0, time.monotonic())), pytest.raises(OutOfTime):
        domain.parse(text, context)
    assert domain.parse(text, context).text == text


def test_the_set_up_of_a_process_is_charged_to_no_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.tool("coqc")
    domain = load("rocq")
    order: list[str] = []

    class Seen(Limit):
        @classmethod
        def start(cls, seconds: float) -> Limit:
            order.append("limit")
            return Limit.start(seconds)

    monkeypatch.setattr(domain, "_set_up", False)
    monkeypatch.setattr(domain, "warm_up", lambda: order.append("set up"))
    monkeypatch.setattr(verify, "Limit", Seen)
    text = "Definition spec (x : Z) : Prop := missing = x."
    verdict = verify.verify_pair(verify.Pair("rocq", text, text, CONTEXT), 200.0)
    assert verdict.reason is not None
    assert verdict.reason.code is ReasonCode.ORACLE
    assert order == ["set up", "limit"]


@pytest.mark.parametrize(("tactic", "accepted"), [("exact I.", True), ("exact one.", False)])
def test_a_tactic_that_ends_while_it_is_being_stopped_counts_by_what_it_did(
    session: Session, monkeypatch: pytest.MonkeyPatch, tactic: str, accepted: bool
) -> None:
    session.ready()
    dialogue = Dialogue(session, Limit.start(200.0), threading.Event())
    dialogue.must("Goal True.")

    def late(deadline: float, stop: threading.Event | None, worked: float | None = None) -> str | None:
        monkeypatch.undo()
        # Rocq has answered, to the end: a signal while it prints ends it. The answer is found to be too late.
        while not session._buffer.endswith(b"</prompt>"):
            session._read(200.0)
        return None

    monkeypatch.setattr(session, "_prompt_by", late)
    assert dialogue.tries(tactic, 5.0) is accepted
    assert dialogue.may("Qed.") is accepted
