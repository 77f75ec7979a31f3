"""Monitors on line, the pytest plugin, packs, and what hostile input costs."""

from __future__ import annotations

import gc
import json
import random
import weakref
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from truespec.rules.coded_checks import CODED
from truespec.rules.language import SCHEMA, load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.rules.packs import FOLDER, all_packs, pack, pack_names, pack_text
from truespec.rules.reading import read_predicate
from truespec.rules.schemas import call_fits, validator
from truespec.testing import Complies, assert_complies
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.event import events
from truespec.verdict import SpecificationError, UsageError

ASK_FIRST = """
- {id: ask-first, text: Ask before you book.,
   formal: {template: precedence, a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
- {id: report, text: Tell the user how it went.,
   formal: {template: response, a: {result: book}, b: {message: assistant, says: true}}}
"""
SOURCE = Source("test", "f", "0", "0")


def book(identifier: str = "c1") -> Message:
    return Message("assistant", None, (ToolCall("book", {"seat": 3}, identifier),))


def test_an_agent_is_stopped_before_the_act() -> None:
    """The tool-calling loop of the manual."""
    monitor = Monitor(load_rules(ASK_FIRST))
    done: list[str] = []
    wishes = [book(), Message("assistant", "Shall I book?"), book("c2"), Message("assistant", "Booked.")]
    replies = iter(["Yes."])
    for wish in wishes:
        if monitor.would_break(wish):
            done.append("stopped")
            continue
        assert monitor.observe(wish) == []
        for call in wish.calls:
            done.append(call.name)
            monitor.observe(Message("tool", "ok", call_id=call.id))
        if not wish.calls and (reply := next(replies, None)):
            monitor.observe(Message("user", reply))
    assert done == ["stopped", "book"]
    assert monitor.finish() == []


def test_what_is_owed_at_the_end_is_told_at_the_end() -> None:
    monitor = Monitor(load_rules(ASK_FIRST))
    for message in (Message("user", "yes"), book(), Message("tool", "ok", call_id="c1")):
        assert monitor.observe(message) == []
    assert [v.rule_id for v in monitor.finish()] == ["report"]


BOUND = """
- {id: once, text: Refund an order once., formal: {when: {call: refund}, bind: {order: args.id},
   define: {same: {call: refund, args: {id: $order}}}, require: "!Y(O same)"}}
- {id: tell, text: Name what you refund., formal: {when: {call: refund}, bind: {order: args.id},
   define: {told: {message: assistant, text: {contains: $order}}}, require: "O told"}}
- {id: read, text: Read again what was refunded., formal: {when: {call: refund}, bind: {order: args.id},
   define: {read: {call: get, args: {id: $order}}, over: {message: user, text: {contains: Fine}}},
   require: "F (read | over)"}}
"""


class Arguments(dict[str, Any]):
    """What a weak reference can be made to."""


@pytest.mark.parametrize(("last", "unread"), [("Bye.", 3), ("Fine.", 0)])
def test_a_check_keeps_no_trace_alive(last: str, unread: int) -> None:
    """Not even until garbage is collected: workers would hold the traces of whole files."""
    rules = RuleSet(load_rules(BOUND))
    calls = [("refund", "a"), ("refund", "b"), ("get", "a"), ("refund", "c"), ("refund", "a")]
    given = [Arguments(id=name) for _, name in calls]
    kept = [weakref.ref(arguments) for arguments in given]
    said = [Message("assistant", None, (ToolCall(tool, given.pop(0)),)) for tool, _ in calls]
    gc.disable()
    try:
        trace = Trace("t", (*said, Message("user", last)), SOURCE)
        found = rules.check(trace)
        assert [len(finding.violations) for finding in found] == [1, 4, unread]
        del trace, said, found
        assert [reference() for reference in kept] == [None] * 5
    finally:
        gc.enable()


def test_on_line_and_off_line_agree() -> None:
    rng = random.Random(11)
    rules = [r for r in all_packs() if r.id not in ("grounded-arguments",)]
    tools = (ToolSchema("look", kind="read"), ToolSchema("book", kind="write"))
    for _ in range(60):
        messages: list[Message] = []
        for n in range(rng.randrange(1, 12)):
            kind = rng.randrange(3)
            if kind == 0:
                messages.append(Message("user", rng.choice(["yes", "no", "Go ahead."])))
            elif kind == 1:
                messages.append(Message("assistant", rng.choice(["1 + 1 = 2", "Hm."])))
            else:
                call = ToolCall(rng.choice(["look", "book"]), {"order_id": rng.choice("ab")}, f"c{n}")
                messages += [
                    Message("assistant", None, (call,)),
                    Message("tool", rng.choice(["ok", "Error"]), call_id=call.id),
                ]
        trace = Trace("t", tuple(messages), SOURCE, tools=tools)
        off = sorted((v.rule_id, v.message_index) for f in RuleSet(rules).check(trace) for v in f.violations)
        monitor = Monitor(rules, Trace("t", (), SOURCE, tools=tools))
        on = [v for m in messages for v in monitor.observe(m)] + monitor.finish()
        assert sorted((v.rule_id, v.message_index) for v in on) == off


def test_a_rule_that_needs_the_result_of_a_call_cannot_stop_it() -> None:
    rules = load_rules("- {id: x, text: t, formal: {template: absence, a: {call: any, failed: true}}}")
    with pytest.raises(ValueError, match="speak of a result event"):
        Monitor(rules)


def test_the_plugin(tmp_path: Path, truespec_rules: object) -> None:
    file = tmp_path / "rules.yml"
    file.write_text(ASK_FIRST)
    call = {"id": "c", "function": {"name": "book", "arguments": "{}"}}
    good: list[dict[str, Any]] = [
        {"role": "user", "content": "yes"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    rules = truespec_rules(file, packs=["loops"])  # type: ignore[operator]
    assert isinstance(rules, Complies)
    rules.assert_complies(good)
    with pytest.raises(AssertionError, match=r"message 0: ask-first \(medium, none\): book\(\{\}\)"):
        rules.assert_complies(good[1:])
    (tmp_path / "t.json").write_text(json.dumps(good[1:]))
    with pytest.raises(AssertionError, match="ask-first"):
        assert_complies(tmp_path / "t.json", file)


@pytest.mark.parametrize("name", pack_names())
def test_packs_are_documented_and_fit_the_published_schema(name: str) -> None:
    text = pack_text(name)
    assert text.startswith("# ")
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(yaml.safe_load(text))
    assert pack(name)


def test_packs_are_configured_by_their_parameters() -> None:
    (rule,) = pack("one_call_per_message", {"least_breach": 3})
    calls = tuple(ToolCall("a", {}) for _ in range(2))
    (finding,) = RuleSet([rule]).check(Trace("t", (Message("assistant", None, calls),), SOURCE))
    assert finding.status == "pass"
    with pytest.raises(SpecificationError, match="no parameter 'shoe'"):
        pack("one_call_per_message", {"shoe": 3})
    with pytest.raises(UsageError, match="no pack"):
        pack("../secret")
    assert FOLDER.is_dir()


def test_negated_replies_are_an_extra_reading() -> None:
    def broken(reply: str) -> set[str]:
        tools = (ToolSchema("book", kind="write"),)
        trace = Trace("t", (Message("user", reply), book()), SOURCE, tools=tools)
        return {f.rule.id for f in RuleSet(pack("confirmation")).check(trace) if f.violations}

    assert broken("Yes, go ahead.") == set()
    assert broken("No, do not proceed.") == {"confirm-unless-refused"}
    assert broken("No problem, yes.") == set()
    assert broken("Hello.") == {
        "confirm-ever",
        "confirm-last-turn",
        "confirm-unless-refused",
        "confirm-strictly",
        "confirm-each",
    }


BAD = [
    "[", "a: *b", "rules: 3", "- 3", "- {id: x}", "- {id: x, text: t, formal: {}}",
    "- {id: x, text: t, formal: {template: shoe}}",
    "- {id: x, text: t, formal: {template: response, a: {call: y}}}",
    "- {id: x, text: t, formal: {formula: 'G('}}",
    "- {id: x, text: t, formal: {formula: 'G y'}}",
    "- {id: x, text: t, severity: bad}",
    "- {id: x, text: t, formal: {template: absence, a: {text: {matches: '('}}}}",
    "- {id: x, text: t, formal: {template: absence, a: {args: {y: {gt: [1]}}}}}",
    "- {id: x, text: t, formal: {template: absence, n: 1000, a: {call: y}}}",
    "- {id: x, text: t, formal: {template: absence, a: {call: y, args: {z: $v}}}}",
    "- {id: x, text: t, formal: {template: absence, a: {coded: shoe}}}",
    "- {id: x, text: t, formal: {template: absence, a: loop, define: {loop: {not: loop}}}}",
    "- {id: x, text: t}\n- {id: x, text: t}",
    "x: " + "[" * 2000,
    "truespec_rules: 9\nrules: []",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_rule_files_are_refused_in_words(text: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        load_rules(text, "r.yml")
    assert len(str(caught.value)) > 10


VALUES = [
    None,
    True,
    0,
    1,
    1.0,
    2.5,
    "",
    "ab",
    "abc",
    [],
    [1],
    ["a", 2],
    {},
    {"a": 1},
    {"a": "x", "b": None},
    {"c": {"a": 1}},
]
SCHEMAS = [
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": ["integer", "null"]},
    {"type": "integer", "minimum": 1},
    {"anyOf": [{"type": "number", "exclusiveMaximum": 2}, {"type": "array", "minItems": 1}]},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
    {"type": "object", "additionalProperties": {"type": "object", "required": ["a"]}},
    {"enum": ["ab", None, True]},
    {"const": "ab"},
    {"items": {"type": "integer"}},
    {"pattern": "^a"},
    {"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}},
    {"not": {"type": "string"}},
    {"enum": [1, 2.5]},
    {"allOf": [{"type": "number"}, {"maximum": 1}]},
    True,
    False,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_compiled_schemas_agree_with_the_library(schema: object) -> None:
    library = jsonschema.Draft202012Validator(schema)  # type: ignore[arg-type]
    for value in VALUES:
        assert validator(schema)(value) == library.is_valid(value), value


def test_a_call_with_an_argument_the_tool_does_not_name_does_not_fit() -> None:
    tool = ToolSchema("book", {"type": "object", "properties": {"seat": {"type": "integer"}}})
    for arguments, fits in (
        ({"seat": 3}, True),
        ({"seat": "3"}, False),
        ({"seat": 3, "row": 1}, False),
        ({}, True),
    ):
        trace = Trace(
            "t", (Message("assistant", None, (ToolCall("book", arguments),)),), SOURCE, tools=(tool,)
        )
        assert [call_fits(e) for e in events(trace) if e.kind == "call"] == [fits]


def test_every_coded_check_finds_its_own_example() -> None:
    for name, kind in CODED.items():
        if kind.example is None:  # it depends on what came before
            continue
        assert kind.example["kind"] in ("message", "call")
        assert read_predicate({"coded": name}, "test") == ("coded", name, "{}")


@pytest.mark.parametrize(
    ("phrases", "quotes"),
    [
        ("words", ["query=10.2979/tex.1", "url=https://x.org/9876"]),
        ("whole", ["query=the (L1vXCYZAYYM) 2008 video, 10.2979/tex.1; url=https://x.org/9876"]),
        ("skip", ["url=https://x.org/9876"]),
    ],
)
def test_a_text_of_several_words_is_read_word_by_word(phrases: str, quotes: list[str]) -> None:
    asked = {"query": "the (L1vXCYZAYYM) 2008 video, 10.2979/tex.1", "url": "https://x.org/9876"}
    messages = (
        Message("user", "What is in the video L1vXCYZAYYM?"),
        Message("assistant", None, (ToolCall("search", asked, "1"),)),
    )
    (found,) = RuleSet(pack("groundedness", {"phrases": phrases})).check(Trace("t", messages, SOURCE))
    assert [quote for v in found.violations for quote in v.quote.split("; ")] == "; ".join(quotes).split("; ")


def test_a_value_that_the_schema_lists_is_grounded() -> None:
    listed = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["4g_only", "5g_only"]}}}
    messages = (Message("assistant", None, (ToolCall("set", {"mode": "4g_only", "line": "L1002"}, "1"),)),)
    trace = Trace("t", messages, SOURCE, None, (ToolSchema("set", listed),))
    (found,) = RuleSet(pack("groundedness")).check(trace)
    assert [v.quote for v in found.violations] == ["line=L1002"]
    (found,) = RuleSet(pack("groundedness", {"schemas": False})).check(trace)
    assert [v.quote for v in found.violations] == ["mode=4g_only; line=L1002"]
