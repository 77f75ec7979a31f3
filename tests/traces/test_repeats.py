"""The rules by which a history's messages are the same as known ones, and where they do not apply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truespec.traces.importers.conventions import RawSpan
from truespec.traces.importers.pairing import in_order, paired
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.repeats import joined, renamed, without_empty
from truespec.traces.importers.reprs import of_repr
from truespec.traces.importers.spans import conversation
from truespec.traces.ledger import Ledger
from truespec.traces.trace import Message, ToolCall


def call(identifier: str | None, order: str = "A17") -> ToolCall:
    return ToolCall("look", {"order": order}, id=identifier)


def asked(*calls: ToolCall) -> Message:
    return Message("assistant", None, calls)


def result(text: str | None, identifier: str | None = None) -> Message:
    return Message("tool", text, call_id=identifier)


def test_a_call_under_another_identifier_is_known_only_where_its_own_is_missing() -> None:
    said = [call("call_1"), call("call_2", "B42")]
    known = {"call_1": None, "call_2": None}
    assert renamed([asked(call("fc_1"), call("fc_2", "B42"))], said, known) == {
        "fc_1": "call_1",
        "fc_2": "call_2",
    }
    assert renamed([asked(call("call_1")), asked(call("fc_1"))], said, known) == {}
    assert renamed([asked(call("fc_1", "C99"))], said, known) == {}
    # Two equal calls stand for two.
    assert renamed([asked(call("fc_1"), call("fc_2"))], said, known) == {"fc_1": "call_1"}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Observation:\nsent A17\nsent B42", True),
        ("sent A17", True),
        ("sent A17, and the refund of 20 euros was refused", False),
        ("Observation:", False),
        ("", False),
        (None, False),
    ],
)
def test_a_message_that_joins_known_results_is_none_of_its_own(text: str | None, same: bool) -> None:
    assert joined(text, ["sent A17", "sent B42", ""]) is same


def test_empty_results_go_only_where_they_cannot_be_brought_to_calls() -> None:
    ledger = Ledger()
    pairs = [asked(call("a"), call("b")), result(""), result("sent")]
    assert without_empty(pairs, (), ledger, "here") == pairs
    assert not ledger.results.dropped
    joint = [asked(call("a"), call("b")), result("")]
    assert without_empty(joint, (), ledger, "here") == joint[:1]
    done = [asked(call("a")), result("")]
    assert without_empty(done, ["a"], ledger, "here") == done[:1]
    assert sum(ledger.results.dropped.values()) == 2


def test_results_of_unknown_identifiers_answer_in_order_or_not_at_all() -> None:
    ledger = Ledger()
    messages = [asked(call("x")), asked(call("y")), result("1", "c1"), result("2", "c2")]
    assert [m.call_id for m in in_order(messages, ledger)[2:]] == ["x", "y"]
    alone = [asked(call("x"), call("y")), result("1", "c1")]
    assert in_order(alone, ledger) == alone
    named = [asked(call("x")), result("1", "x"), result("2", "c2")]
    assert in_order(named, ledger) == named


def test_a_result_without_an_identifier_answers_the_calls_just_before_it_first() -> None:
    made = paired([asked(call("a")), result("done", "z"), asked(call("b")), result("sent")], Ledger())
    assert made[3].call_id == "b"


@pytest.mark.parametrize(
    "text",
    [
        "Call(x=__import__('os').system('true'))",
        "Call(x=[y for y in z])",
        "Call('positional')",
        "Call(x=" + "[" * 500 + "]" * 500 + ")",
        "Call(x=1",
        "look(here) and there",
    ],
)
def test_only_plain_objects_are_read_from_their_repr(text: str) -> None:
    assert of_repr(text) is None


def test_a_member_of_an_enumeration_inside_a_text_stays_as_it_is() -> None:
    made = of_repr("ChatMessage(_role=<Role.USER: 'user'>, _content=['<Role.USER: \\'user\\'>'])")
    assert made == {"role": "user", "content": ["<Role.USER: 'user'>"]}


@pytest.mark.parametrize(
    "value",
    [
        "Step(call=ToolCall(name=look, n=1))",
        json.dumps({"said": "{'tool_calls': [{'function': look}]}"}),
        "{'tool_calls': [Call]}",
    ],
)
def test_a_call_in_an_unread_form_is_said(value: str) -> None:
    notes = Notes()
    conversation([RawSpan("a", None, "step", 1, {"x.log": value})], notes)
    assert "mentions a call in an unread form" in str(notes.ledger.problems)


def test_model_calls_that_hold_no_messages_are_said() -> None:
    notes = Notes()
    chat: dict[str, Any] = {"gen_ai.operation.name": "chat"}
    asks = {**chat, "gen_ai.input.messages": json.dumps([{"role": "user", "content": "hi"}])}
    conversation([RawSpan("a", None, "chat", 1, chat), RawSpan("b", None, "chat", 2, asks)], notes)
    assert notes.ledger.rules["a model call's span without any message is passed over"] == 1
    assert notes.ledger.rules["a model call's span without a reply adds none"] == 1
