"""Requests that may go on from one another are compared; those that cannot are told at a glance."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from truespec.traces.importers import growing
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, Source, Trace


def trace(*texts: str) -> Trace:
    """A conversation of a user and an assistant in turn."""
    roles = ("user", "assistant")
    messages = tuple(Message(roles[place % 2], text) for place, text in enumerate(texts))
    return Trace("t", messages, Source("openai", "log.jsonl", "0", "1"))


def test_the_same_request_and_those_of_others_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    continues = growing._continues

    def noted(later: Trace, keys: list[tuple[Any, ...]], earlier: growing._Entry) -> bool:
        compared.append(later)
        return continues(later, keys, earlier)

    monkeypatch.setattr(growing, "_continues", noted)
    same = [trace("hi") for _ in range(100)]
    others = [trace(f"hi {number}", "hello") for number in range(100)]
    assert len(list(growing.grown([*same, *others], Ledger()))) == 200
    assert not compared


def test_nothing_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(5)
    glance = growing._alike
    joined = 0
    for _ in range(200):
        items = [trace(*random.choices("ab", k=random.randrange(5))) for _ in range(12)]
        monkeypatch.setattr(growing, "_alike", glance)
        quick, told = Ledger(), Ledger()
        found = list(growing.grown(items, quick))
        monkeypatch.setattr(growing, "_alike", lambda waiting, _: list(waiting))
        assert list(growing.grown(items, told)) == found
        assert quick.rules == told.rules
        joined += len(items) - len(found)
    assert joined > 100
