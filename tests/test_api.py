"""The Python interface: lazy streams of pairs, threads, tasks, forks, rewards, notebooks."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import truespec
from truespec.verdict import ReasonCode, unknown

SLOW = ("(a|b)*a(a|b){18}", "(a|b)*a(a|b){18}b?")
"""Two patterns that take longer than the limits here."""


def pairs(count: int, read: list[int] | None = None) -> Iterator[dict[str, Any]]:
    for number in range(count):
        if read is not None:
            read.append(number)
        yield {
            "id": f"p{number}",
            "domain": "regex",
            "oracle": "a" * number,
            "candidate": "a" * number + "b?",
        }


def test_verify_many_is_lazy_in_and_lazy_out() -> None:
    read: list[int] = []
    told: list[tuple[int, int | None]] = []
    results = truespec.verify_many(
        pairs(500, read), jobs=2, timeout=20.0, progress=lambda *done: told.append(done)
    )
    assert read == []
    name, verdict = next(results)
    assert name in {"p0", "p1", "p2", "p3"}
    assert verdict.answer.value == "refuted"
    assert len(read) < 20, "two ahead for each worker"
    results.close()  # type: ignore[attr-defined]
    assert told == [(1, None)]


def test_verify_many_answers_every_pair_of_every_domain() -> None:
    given: list[dict[str, Any]] = list(pairs(20))
    given.append({"id": "f", "domain": "fol", "oracle": "∀x P(x)", "candidate": "∀y P(y)"})
    given.append({"id": "o", "domain": "regex", "oracle": "(a", "candidate": "a"})
    context = {"variables": {"a": {"type": "int"}}}
    given.append({"id": "a", "domain": "arith", "oracle": "a+a", "candidate": "2*a", "context": context})
    told: list[tuple[int, int | None]] = []
    found = dict(truespec.verify_many(given, jobs=2, timeout=30.0, progress=lambda *done: told.append(done)))
    assert found.keys() == {record["id"] for record in given}
    assert found["f"].answer is found["a"].answer is truespec.Answer.EQUIVALENT
    assert found["o"].reason is not None
    assert found["o"].reason.code is truespec.ReasonCode.ORACLE
    assert told[-1] == (23, 23)


def test_a_record_that_is_no_pair_is_named() -> None:
    results = truespec.verify_many([{"id": "x", "domain": "regex", "oracle": "a"}], jobs=1)
    with pytest.raises(truespec.UsageError, match="pair 1: a pair without 'candidate'"):
        list(results)


def test_a_call_about_one_domain_does_not_wait_for_another() -> None:
    """One slow call keeps its own worker busy; others are answered meanwhile."""
    with truespec.Verifier(jobs=1, timeout=60.0) as verifier:
        verifier.verify("fol", "P(a)", "P(a)")
        verifier.verify("regex", "a", "a")
        ended: list[float] = []

        def slow() -> None:
            verifier.verify("regex", *SLOW, timeout=3.0)
            ended.append(time.monotonic())

        thread = threading.Thread(target=slow)
        thread.start()
        time.sleep(0.2)
        verdict = verifier.verify("fol", "∀x P(x)", "∀y P(y)")
        answered = time.monotonic()
        thread.join()
    assert verdict.answer.value == "equivalent"
    assert answered < ended[0]


def test_many_threads_share_one_verifier() -> None:
    answers: dict[int, str] = {}

    def ask(number: int) -> None:
        text = "a" * (number + 1)
        answers[number] = truespec.verify(
            "regex", text, text if number % 2 else text + "b", timeout=30.0
        ).answer.value

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {n: "equivalent" if n % 2 else "refuted" for n in range(24)}


def test_tasks_go_on_while_workers_decide() -> None:
    async def story() -> tuple[list[str], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        slow = truespec.averify("regex", *SLOW, timeout=1.0)
        calls = [truespec.averify("regex", "a" * n, "a" * n, timeout=30.0) for n in range(6)]
        found = await asyncio.gather(slow, *calls)
        ticking.cancel()
        return [verdict.answer.value for verdict in found], ticks

    answers, ticks = asyncio.run(story())
    assert answers[1:] == ["equivalent"] * 6
    assert ticks > 5


def test_a_closed_verifier_says_so_and_leaves_no_process() -> None:
    with truespec.Verifier(jobs=1) as verifier:
        verifier.verify("regex", "a", "a", timeout=30.0)
        list(verifier.verify_many(pairs(2)))
        held = [*verifier._pools[0]._workers, *verifier._shares["regex"].idle[0]._workers]
        pids = [worker._process.pid for worker in held]
    assert len(pids) == 2
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
    with pytest.raises(truespec.UsageError, match="closed"):
        verifier.verify("regex", "a", "a")


def test_a_fork_starts_its_own_workers() -> None:
    truespec.verify("regex", "a", "a", timeout=30.0)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = 0 if truespec.verify("regex", "a", "b", timeout=30.0).answer.value == "refuted" else 1
        finally:
            from truespec import api

            api._default.close()
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert truespec.verify("regex", "a", "b", timeout=30.0).answer.value == "refuted"


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("So it is\n```\na*\n```", 1.0),
        ("First\n```\na+\n```\nno:\n```regex\na*\n```\n", 1.0),
        ("```\na+\n```", 0.0),
        ("```\n(a\n```", 0.0),
        ("a*", 0.0),
        ("", 0.0),
    ],
)
def test_a_reward_is_of_the_whole_reply(completion: str, expected: float) -> None:
    assert truespec.reward("regex", oracle="a*", completion=completion, timeout=30.0) == expected


def test_an_unusable_oracle_names_what_was_assumed() -> None:
    given = {"schema": "CREATE TABLE t (a NO SUCH TYPE)"}
    with pytest.raises(truespec.OracleError, match="dialect mysql is assumed"):
        truespec.verify("sql", oracle="SELECT a FROM t", candidate="SELECT a FROM t", context=given)


def test_a_reward_names_a_wrong_call_whatever_the_reply_says() -> None:
    with pytest.raises(truespec.ContextError, match="'flags'"):
        truespec.reward("regex", oracle="a", completion="no block", context={"flgas": "i"})
    with pytest.raises(truespec.UsageError, match="unknown domain"):
        truespec.reward("regx", oracle="a", completion="no block")


def test_a_reward_blames_no_model_for_an_unusable_oracle() -> None:
    assert truespec.reward("regex", "a*", "a*", timeout=30.0, tolerant=True) == 1.0
    with pytest.raises(truespec.OracleError):
        truespec.reward("regex", "(a", "```\na\n```", timeout=30.0)
    with pytest.raises(truespec.UsageError, match="completion"):
        truespec.reward("regex", "a", None)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"jobs": True}, {"timeout": 0}, {"timeout": "4"}])
def test_wrong_settings_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(truespec.UsageError, match="number of"):
        truespec.Verifier(**wrong)


def test_a_verdict_shows_itself_in_a_notebook() -> None:
    verdict = unknown("regex", ReasonCode.UNSUPPORTED, "<script>alert(1)</script>" + "x" * 1000)
    page = verdict._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert len(page) < 1500
    found = truespec.verify("regex", "a", "\ud800", timeout=30.0)
    found._repr_html_().encode("utf-8")
    assert found.to_dict() == found.to_json()
