"""A trace as a value: it travels to workers and checks itself when it arrives."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from truespec.traces.trace import Message, Source, ToolCall, Trace

CALL = ToolCall("refund", {"order": 7}, "c1", raw='{"order": 7}')
TRACE = Trace(
    "t",
    (
        Message("user", "Refund order 7.", extra={"turn": 0}),
        Message("assistant", None, (CALL,), reasoning="first"),
        Message("tool", "done", call_id="c1", tool="refund", error=False, requestor="user", name="shop"),
    ),
    Source("x", "f", "0", "0"),
)


def test_it_arrives_as_it_was_sent() -> None:
    assert pickle.loads(pickle.dumps(TRACE)) == TRACE


def test_messages_and_calls_are_packed_without_a_search_for_their_fields(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []

    def fields(of: object) -> tuple[dataclasses.Field[object], ...]:
        asked.append(of)
        return found(of)  # type: ignore[arg-type]

    found = dataclasses.fields
    monkeypatch.setattr(dataclasses, "fields", fields)
    pickle.loads(pickle.dumps(TRACE.messages))
    assert not asked


def test_a_message_that_was_changed_on_the_way_is_refused() -> None:
    packed = pickle.dumps(TRACE.messages[0]).replace(b"user", b"usex")
    with pytest.raises(ValueError, match="a message's role is one of"):
        pickle.loads(packed)
