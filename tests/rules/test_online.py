"""Monitors on line: what they foresee is what they then find, and what they cannot know they say."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from truespec.rules.language import load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.rules.packs import all_packs, pack
from truespec.rules.rule import Rule
from truespec.rules.witness import kept
from truespec.testing import Complies, RuleNotEvaluated, assert_complies
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.event import events
from truespec.traces.trace import TraceError

SOURCE = Source("test", "f", "0", "0")
TOOLS = (ToolSchema("look", kind="read"), ToolSchema("book", kind="write"), ToolSchema("pay", kind="write"))
BOUND = """
- {id: once-each, text: t, formal: {when: {call: book}, bind: {o: args.order}, require: "X G !again",
    define: {again: {call: book, args: {order: $o}}}}}
- {id: looked-up, text: t, formal: {when: {call: book}, bind: {o: args.order}, require: "O seen",
    define: {seen: {result: look, args: {order: $o}}}}}
- {id: answered, text: t, formal: {when: {call: pay}, bind: {o: args.order}, require: "!other U done",
    define: {done: {result: pay, args: {order: $o}}, other: {call: pay, args: {order: $o}}}}}
- {id: mixed, text: t, formal: {when: {call: pay}, bind: {o: args.order},
    require: "Y O seen & F (b & O seen)",
    define: {seen: {call: look, args: {order: $o}}, b: {call: book, args: {order: $o}}}}}
- {id: another, text: t, formal: {when: {call: book}, bind: {o: args.order}, require: "X X !other | H !other",
    define: {other: {call: any, not: {args: {order: $o}}}}}}
- {id: told, text: t, formal: {when: {call: book}, bind: {o: args.order}, require: "F told",
    define: {told: {message: assistant, mentions: $o}}}}
- {id: items, text: t, formal: {when: {call: book}, bind: {i: args.items.*}, require: "O seen",
    define: {seen: {call: look, args: {items.*: $i}}}}}
- {id: twins, text: t, formal: {over: calls, when: {call: any}, bind: {t: tool, a: args},
    require: "X G !same",
    define: {same: {call: any, tool_is: $t, args_are: $a}}}}
"""


def conversation(rng: random.Random, length: int) -> Iterator[Message]:
    """Messages as an agent with two orders and a few tools may produce them."""
    called: list[str] = []
    for n in range(length):
        kind = rng.randrange(5)
        if kind == 0:
            yield Message("user", rng.choice(["yes", "no", "Go ahead with a.", "b"]))
        elif kind == 1:
            yield Message("assistant", rng.choice(["1 + 1 = 2", "Hm.", "order a", "b is done"]))
        elif kind == 2 and called:
            answered = rng.choice([None, rng.choice(called), "nobody"])
            yield Message("tool", rng.choice(["ok", "Error"]), call_id=answered)
        else:
            calls = []
            for k in range(rng.choice([1, 1, 2])):
                identifier = rng.choice([None, f"c{n}.{k}", "again"])
                arguments = {"order": rng.choice("ab"), "items": rng.sample("xyz", rng.randrange(3))}
                if rng.randrange(5) == 0:
                    del arguments["order"]
                calls.append(ToolCall(rng.choice(["look", "book", "pay"]), arguments, identifier))
                called += [identifier] if identifier else []
            yield Message("assistant", rng.choice([None, "Now."]), tuple(calls))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_foreseen_is_what_is_found_then(seed: int) -> None:
    rng = random.Random(seed)
    rules = [*all_packs(), *load_rules(BOUND)]
    monitor = Monitor(rules, Trace("t", (), SOURCE, tools=TOOLS))
    for message in conversation(rng, 30):
        others = list(conversation(rng, 2))
        for other in others:
            monitor.look_ahead(other)
        foreseen, owed = monitor.would_break(message), monitor.owed()
        assert monitor.owed() == owed
        assert sorted(map(repr, foreseen)) == sorted(map(repr, monitor.observe(message)))
    assert sorted(map(repr, monitor.owed())) == sorted(map(repr, monitor.finish()))


@pytest.mark.parametrize("seed", range(120))
def test_bound_names_mean_what_the_definition_says(seed: int) -> None:
    rng = random.Random(seed)
    rules = load_rules(BOUND)
    trace = Trace("t", tuple(conversation(rng, rng.randrange(1, 25))), SOURCE, tools=TOOLS)
    stream = list(events(trace))
    for finding in RuleSet(rules).check(trace):
        assert (finding.status == "pass") == kept(finding.rule, trace, stream), finding


def without_results(messages: tuple[Message, ...]) -> Trace:
    return Trace("t", messages, SOURCE, tools=TOOLS)


@pytest.mark.parametrize("seed", range(60))
def test_on_line_and_off_line_agree_on_repeated_and_missing_identifiers(seed: int) -> None:
    messages = tuple(conversation(random.Random(seed), 25))
    rules = load_rules(BOUND)
    off = sorted(
        (v.rule_id, v.message_index, v.call)
        for f in RuleSet(rules).check(without_results(messages))
        for v in f.violations
    )
    monitor = Monitor(rules, without_results(()))
    found = [v for m in messages for v in monitor.observe(m)] + monitor.finish()
    assert sorted((v.rule_id, v.message_index, v.call) for v in found) == off


DELETE = Message("assistant", None, (ToolCall("delete_everything", {}, "1"),))


def test_a_monitor_says_what_it_cannot_evaluate() -> None:
    monitor = Monitor(pack("confirmation"))
    assert set(monitor.not_evaluated) == {rule.id for rule in pack("confirmation")}
    outlook = monitor.look_ahead(DELETE)
    assert outlook.violations == ()
    assert "which write" in outlook.not_evaluated["confirm-ever"]


def test_domains_hold_on_line() -> None:
    rules = load_rules("- {id: r, text: t, domains: retail, formal: {template: absence, a: {call: any}}}")
    retail, airline = (Trace("t", (), SOURCE, domain=name) for name in ("retail", "airline"))
    assert [v.rule_id for v in Monitor(rules, retail).would_break(DELETE)] == ["r"]
    elsewhere = Monitor(rules, airline)
    assert elsewhere.would_break(DELETE) == []
    assert (elsewhere.not_evaluated, list(elsewhere.elsewhere)) == ({}, ["r"])
    assert list(Monitor(rules).not_evaluated) == ["r"]


def test_a_rule_that_needs_the_last_result_is_not_evaluated_on_line() -> None:
    rules = load_rules("- {id: r, text: t, formal: {template: absence, a: {call: any}, results: last}}")
    assert "complete trace" in Monitor(rules).not_evaluated["r"]


def test_a_text_that_is_never_sent_costs_no_rule() -> None:
    hard = (
        r"- {id: r, text: t, formal: {template: absence, a: {message: any, text: {matches: '^(\w+)+\1$'}}}}"
    )
    monitor = Monitor(load_rules(hard))
    hostile = Message("assistant", "a" * 40_000 + "!")
    assert list(monitor.look_ahead(hostile).not_evaluated) == ["r"]
    assert monitor.not_evaluated == {}
    assert [v.rule_id for v in monitor.would_break(Message("assistant", "aa"))] == ["r"]
    monitor.observe(hostile)
    assert list(monitor.not_evaluated) == ["r"]


def test_a_check_of_an_agent_fails_where_a_mandatory_rule_could_not_be_evaluated() -> None:
    call = {"id": "c", "function": {"name": "delete_everything", "arguments": "{}"}}
    talk = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    rules = Complies(pack("confirmation"))
    with pytest.raises(AssertionError, match="confirm-ever: not evaluated: nobody says which tools"):
        rules.assert_complies(talk)
    with pytest.raises(AssertionError, match=r"confirm-ever \(high, none\): delete_everything"):
        rules.assert_complies(talk, types={"delete_everything": "write"})
    free = [replace(rule, required=False) for rule in pack("confirmation")]
    with pytest.warns(RuleNotEvaluated, match="confirm-ever"):
        assert_complies(talk, free)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_complies(talk, free, types={"delete_everything": "read"})


def test_whether_a_rule_is_required_stands_in_its_file() -> None:
    def needed(more: str) -> bool:
        (rule,) = load_rules(f"- {{id: r, text: t, {more}}}")
        assert isinstance(rule, Rule)
        return rule.needed

    formal = "formal: {template: absence, a: {call: x}}"
    assert needed(formal)
    assert not needed(f"{formal}, force: advisory")
    assert not needed("kind: semantic")
    assert needed("required: true")
    assert not needed(f"{formal}, required: false")


REFUND: list[object] = [
    [{"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "refund", "input": {}}]}],
    [{"type": "function_call", "name": "refund", "arguments": "{}", "call_id": "x"}],
    [{"role": "assistant", "function_call": {"name": "refund", "arguments": "{}"}}],
    [{"type": "ai", "content": "", "tool_calls": [{"name": "refund", "args": {}, "id": "x"}]}],
    [{"role": "model", "parts": [{"functionCall": {"name": "refund", "args": {}}}]}],
    {
        "messages": [
            {"role": "assistant", "tool_calls": [{"function": {"name": "refund", "arguments": "{}"}}]}
        ]
    },
    {"choices": [{"message": {"role": "assistant", "tool_calls": [{"function": {"name": "refund"}}]}}]},
    [Message("assistant", None, (ToolCall("refund", {}),))],
]


@pytest.mark.parametrize("messages", REFUND)
def test_messages_of_any_provider_are_held_against_rules(messages: Any) -> None:
    rules = load_rules("- {id: never, text: t, formal: {template: absence, a: {call: refund}}}")
    with pytest.raises(AssertionError, match="never"):
        assert_complies(messages, rules)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"content": "x"}],
        [{"role": "user", "content": {"a": 1}}],
        [{"role": "assistant", "content": "x", "tool_calls": "refund"}],
        [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}],
    ],
)
def test_messages_that_cannot_be_read_comply_with_nothing(messages: Any) -> None:
    with pytest.raises(TraceError):
        assert_complies(
            messages, load_rules("- {id: never, text: t, formal: {template: absence, a: {call: x}}}")
        )
