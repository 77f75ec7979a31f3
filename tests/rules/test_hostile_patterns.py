"""Patterns of rules and schemas are matched in bounded time; what cannot be is not evaluated."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from truespec.rules.compare import compare, health
from truespec.rules.language import load_file, load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.rules.packs import pack
from truespec.rules.schemas import MOST_COMPILED, call_fits, validator
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.event import events
from truespec.verdict import Incomplete, SpecificationError

SOURCE = Source("test", "f", "0", "0")
LONG = "a" * 40_000 + "!"
PFFF = "{message: assistant, text: {contains: pfff}}"
PLAIN = f"- {{id: polite, text: t, formal: {{template: absence, a: {PFFF}}}}}"


def trace(*messages: Message, tools: tuple[ToolSchema, ...] | None = None) -> Trace:
    return Trace("t", messages, SOURCE, None, tools)


def rule(condition: str) -> str:
    return f"- {{id: r, text: t, formal: {{template: absence, a: {condition}}}}}\n{PLAIN}"


@pytest.mark.parametrize(
    ("condition", "said", "status"),
    [
        ("{message: user, text: {matches: '(a+)+$'}}", LONG, "pass"),
        ("{message: user, text: {matches: '(a+)+!$'}}", LONG, "fail"),
        ("{message: user, text: {matches: '^(A+)+$', ignore_case: true}}", LONG, "pass"),
        (r"{message: user, text: {matches: '^(\w+)+\1$'}}", LONG, "not_evaluated"),
        (r"{message: user, text: {matches: '(\w)\1'}}", "letter", "fail"),
    ],
)
def test_texts(condition: str, said: str, status: str) -> None:
    first, second = RuleSet(load_rules(rule(condition))).check(trace(Message("user", said)))
    assert (first.status, second.status) == (status, "pass")
    assert bool(first.reason) is (status == "not_evaluated")


def test_names_and_arguments() -> None:
    rules = RuleSet(
        load_rules(
            rule("{call: {matches: '(a+)+'}}")
            + "\n- {id: s, text: t, "
            + "formal: {template: absence, a: {call: any, args: {q: {matches: '^(a+)+$'}}}}}"
        )
    )
    call = Message("assistant", None, (ToolCall(LONG, {"q": LONG}, "1"),))
    assert [f.status for f in rules.check(trace(call))] == ["pass", "pass", "pass"]


def test_a_rule_that_cannot_be_followed_leaves_the_monitor_and_says_so() -> None:
    monitor = Monitor(load_rules(rule(r"{message: any, text: {matches: '^(\w+)+\1$'}}")))
    assert monitor.observe(Message("user", "hello")) == []
    assert monitor.observe(Message("user", LONG)) == []
    assert list(monitor.not_evaluated) == ["r"]
    assert [v.rule_id for v in monitor.would_break(Message("assistant", "pfff"))] == ["polite"]
    assert [v.rule_id for v in monitor.observe(Message("assistant", "pfff"))] == ["polite"]


def test_schemas() -> None:
    def fits(schema: object, value: object) -> bool:
        return validator(schema)(value)

    catastrophic = "^(a+)+$"
    assert not fits({"pattern": catastrophic}, LONG)
    assert not fits({"pattern": catastrophic, "not": {"const": 1}}, LONG)  # left to the library
    assert fits({"patternProperties": {catastrophic: {"type": "null"}}}, {LONG: 1})
    assert not fits({"patternProperties": {catastrophic: {}}, "additionalProperties": False}, {LONG: 1})
    assert not fits({"patternProperties": {"^a": {}}, "unevaluatedProperties": False}, {"b": 1})
    with pytest.raises(Incomplete):
        fits({"patternProperties": {catastrophic: {}}, "unevaluatedProperties": False}, {LONG: 1})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#", "oneOf": [{}]},
        {"properties": {"q": {"pattern": r"\p{L}"}}},
    ],
)
def test_a_schema_that_cannot_be_followed_is_not_evaluated(schema: dict[str, object]) -> None:
    tools = (ToolSchema("f", schema),)
    call = Message("assistant", None, (ToolCall("f", {"q": "x"}, "1"),))
    found = {
        f.rule.id: f
        for f in RuleSet([*pack("argument_schema"), *load_rules(PLAIN)]).check(trace(call, tools=tools))
    }
    assert found["polite"].status == "pass"
    assert {f.status for name, f in found.items() if name != "polite"} == {"not_evaluated"}


def test_schemas_of_many_traces_are_not_kept_for_ever() -> None:
    from truespec.rules import schemas

    for number in range(MOST_COMPILED + 10):
        tools = (ToolSchema("f", {"properties": {f"p{number}": {}}}),)
        for event in events(trace(Message("assistant", None, (ToolCall("f", {}, "1"),)), tools=tools)):
            if event.kind == "call":
                assert call_fits(event)
    assert len(schemas._compiled) <= MOST_COMPILED


def test_rules_with_catastrophic_patterns_are_compared() -> None:
    hard, polite = load_rules(rule("{message: user, text: {matches: '(((a{60}){60}){60}){60}(b+)+$'}}"))
    easy, _ = load_rules(rule("{message: user, text: {matches: 'b$'}}"))
    began = time.process_time()
    assert health(hard, seconds=0.2).status in ("unknown", "sound")
    for other in (easy, polite):
        assert compare(hard, other, seconds=0.2).relation != "equal"
    assert time.process_time() - began < 10.0, "millions of states, were the limit not looked at"


def test_mental_arithmetic_reads_long_sums() -> None:
    (calculator,) = (r for r in pack("calculator"))
    rules = RuleSet([calculator])
    for text in ("1" * 100_000 + "=", "1+" * 50_000 + "=", "1," * 50_000 + "=", "1+1=" + " " * 100_000):
        (found,) = rules.check(trace(Message("assistant", text)))
        assert found.status == "pass"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [x]\nrules: [*a, *a]\n", "mine.yml: aliases (*name) are not read; use 'define', or quote"),
        ("- id: a\n  text: [unclosed\n", "mine.yml: no YAML:"),
        ("!!python/object/apply:os.getcwd []", "mine.yml: no YAML:"),
        ("- [" + "x, " * 5_000 + "]", "mine.yml: rule 1: expected a mapping, found ['x'"),
        ("- {id: a, text: t, severity: huge}", "mine.yml: rule 'a': severity is one of"),
    ],
)
def test_a_mistake_in_a_rule_file_is_named_with_its_file(text: str, said: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        load_rules(text, "mine.yml")
    assert str(caught.value).startswith(said)
    assert len(str(caught.value)) < 700


def test_a_rule_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SpecificationError, match=r"mine.yml: not UTF-8 at byte 0"):
        load_file(tmp_path / "mine.yml")
