"""Examples of rules whose conditions keep registers, and of rules that only forbid, as monitors see them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truespec.extraction.examples import as_lines, find_examples, status
from truespec.rules.compare import Toolbox, examples, health
from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.rules.witness import describe
from truespec.traces import ToolSchema
from truespec.verdict import SpecificationError

BIG = {"call": "refund", "so_far": {"of": {"call": "refund"}, "sum": "amount", "gt": 500, "same": "customer"}}
MORE = {"arg": "amount", "gt": "order.total", "result": "get_order", "same": {"order": "order_id"}}
LOOKS_BACK: dict[str, dict[str, Any]] = {
    "at most the total": {"template": "absence", "a": {"call": "refund", "against_result": MORE}},
    "exactly the result": {
        "template": "absence",
        "a": {"call": "refund", "against_result": {"arg": "amount", "ne": "", "result": "total"}},
    },
    "at least the total, from 100 on": {
        "template": "absence",
        "a": {
            "call": "pay",
            "args": {"amount": {"ge": 100}},
            "against_result": {"arg": "amount", "lt": "a.b", "result": "look"},
        },
    },
    "a sum alone": {"template": "absence", "a": {"so_far": BIG["so_far"]}},
    "a sum": {"template": "absence", "a": BIG},
    "a count": {
        "template": "absence",
        "a": {"call": "send", "so_far": {"of": {"call": "send"}, "gt": 3, "same": "to"}},
    },
    "a count of messages": {
        "template": "absence",
        "a": {"message": "user", "so_far": {"of": {"message": "user"}, "ge": 4}},
    },
    "time": {
        "template": "absence",
        "a": {"call": "refund", "elapsed": {"since": {"message": "user"}, "gt": 60}},
    },
    "not too soon": {
        "template": "absence",
        "a": {"call": "poll", "elapsed": {"since": {"call": "poll"}, "lt": 10}},
    },
    "then a person": {"when": BIG, "require": "O asked", "define": {"asked": {"result": "ask", "ok": True}}},
    "then a report": {"template": "response", "a": BIG, "b": {"call": "report"}},
}


def _rule(formal: dict[str, Any]) -> Rule:
    (rule,) = load_rules(json.dumps([{"id": "r", "text": "t", "formal": formal}]))
    return rule


@pytest.mark.parametrize("formal", LOOKS_BACK.values(), ids=LOOKS_BACK)
def test_a_rule_with_registers_has_a_conversation_of_each_kind(formal: dict[str, Any]) -> None:
    rule = _rule(formal)
    found = find_examples(rule, seconds=20.0)
    assert found.keeps is not None
    assert found.breaks is not None
    assert status(rule, found.keeps) == "pass"
    assert status(rule, found.breaks) == "fail"


def test_a_rule_with_registers_that_was_kept_and_broken_is_sound() -> None:
    for formal in LOOKS_BACK.values():
        assert health(_rule(formal), seconds=20.0).status == "sound", formal
    never = {"call": "refund", "so_far": {"of": {"call": "refund"}, "lt": 0}}
    assert health(_rule({"template": "absence", "a": never}), seconds=0.5).status == "unknown"


def test_a_template_that_is_misspelt_names_the_nearest() -> None:
    with pytest.raises(SpecificationError, match="no template 'absense'; did you mean 'absence'"):
        _rule({"template": "absense", "a": {"call": "f"}})


def test_examples_stand_at_the_bound() -> None:
    kept, broken = examples(_rule(LOOKS_BACK["a sum"]), seconds=20.0)
    assert [event.args["amount"] for event in (*kept, *broken)] == [500, 501]
    kept, broken = examples(_rule(LOOKS_BACK["a count"]), seconds=20.0)
    assert (len(kept), len(broken)) == (1, 4)
    found = find_examples(_rule(LOOKS_BACK["time"]), seconds=20.0)
    assert found.breaks is not None
    assert "61 seconds pass" in as_lines(found.breaks)


def test_examples_use_the_tools_of_the_agent() -> None:
    tools = Toolbox((ToolSchema("get_order"), ToolSchema("refund")))
    runs = examples(_rule(LOOKS_BACK["at most the total"]), tools, 20.0)
    assert {event.tool for run in runs for event in run} == {"get_order", "refund"}


def test_what_keeps_a_rule_that_only_forbids_is_nearly_forbidden() -> None:
    said = {"message": "assistant", "text": {"words": ["promise"]}}
    kept, _ = examples(_rule({"template": "absence", "a": said}))
    assert [describe(event) for event in kept] == ["assistant message saying 'a'"]
    kept, broken = examples(_rule({"template": "absence", "a": {"call": "refund", "args": {"x": {"gt": 3}}}}))
    assert [event.tool for event in (*kept, *broken)] == ["refund", "refund"]
    assert broken[0].args == {"x": 4}


def test_what_breaks_a_rule_is_no_empty_conversation() -> None:
    _, broken = examples(_rule({"template": "existence", "a": {"call": "close"}}))
    assert [event.kind for event in broken] == ["message"]
