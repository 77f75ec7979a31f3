"""Arguments of other types than a rule asks for: read by the tool's schema, told, and refused beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.guard.guard import Guard
from truespec.rules.language import load_rules
from truespec.rules.monitor import Monitor, RuleSet
from truespec.rules.schemas import type_at
from truespec.rules.toolcheck import mistakes
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace

CAP = (
    "- {id: cap, text: At most 100., formal: {template: absence, a: {call: pay, args: {amount: {gt: 100}}}}}"
)


def tool(kind: Any) -> ToolSchema:
    return ToolSchema("pay", {"type": "object", "properties": {"amount": {"type": kind}}})


def trace_of(*calls: ToolCall, tools: tuple[ToolSchema, ...] = ()) -> Trace:
    messages = tuple(Message("assistant", None, (call,)) for call in calls)
    return Trace("t", messages, Source("x", "", "", ""), tools=tools or None)


def checked(amount: Any, *tools: ToolSchema, rules: str = CAP) -> tuple[str, tuple[str, ...]]:
    trace = trace_of(ToolCall("pay", {"amount": amount}, "1"), tools=tools)
    (finding,) = RuleSet(load_rules(rules)).check(trace)
    assert len(finding.violations) == (finding.status == "fail")
    return finding.status.value, finding.notes


def test_a_text_is_read_as_a_number_only_where_the_schema_says_number() -> None:
    assert checked(200) == ("fail", ())
    for amount in ("200", " 2e2", "200.5", "+200"):
        status, notes = checked(amount, tool("number"))
        assert status == "fail"
        assert "is read as a number" in notes[0]
    for kind, amount in (("string", "200"), ("number", "many"), (["string", "number"], "200")):
        status, notes = checked(amount, tool(kind))
        assert status == "not_evaluated"
        assert "is no number, so it cannot be compared" in notes[0]
    assert checked("50", tool("integer"))[0] == "pass"


@pytest.mark.parametrize(
    ("condition", "value", "status"),
    [
        ("{gt: 100}", "200", "not_evaluated"),
        ("{gt: 100}", [200], "not_evaluated"),
        ("{gt: 100}", None, "pass"),
        ("{lt: '2026-01-01'}", 1767225600, "not_evaluated"),
        ("{matches: '@evil[.]example$'}", ["a@evil.example"], "not_evaluated"),
        ("{matches: '@evil[.]example$'}", "a@good.example", "pass"),
        ("{contains: evil}", {"to": "evil"}, "not_evaluated"),
        ("{min_length: 3}", 4711, "not_evaluated"),
        ("5", "5", "not_evaluated"),
        ("5", "\uff15", "not_evaluated"),
        ("5", "five", "pass"),
        ("5", True, "pass"),
        ("'5'", 5, "not_evaluated"),
        ("'5'", 6, "pass"),
        ("{in: [1, 2]}", "2", "not_evaluated"),
        ("{not_in: [EUR, USD]}", "EUR", "pass"),
        ("{type: string}", 5, "pass"),
    ],
)
def test_a_value_of_another_type_is_not_a_rule_kept(condition: str, value: Any, status: str) -> None:
    cap = CAP.replace("{gt: 100}", condition).replace("cap", "r")
    assert checked(value, rules=cap)[0] == status
    monitor = Monitor(load_rules(cap))
    monitor.observe(Message("assistant", None, (ToolCall("pay", {"amount": value}, "1"),)))
    assert ("r" in monitor.not_evaluated) == (status == "not_evaluated")


@pytest.mark.parametrize(
    "formal",
    [
        "template: absence, a: {call: pay, args: {amount: {gt: 100}}}",
        "template: absence, a: {call: pay, not: {args: {amount: {le: 100}}}}",
        "when: {call: pay}, bind: {o: args.order}, require: '!Y(O same)', "
        "define: {same: {call: pay, args: {order: $o}}}",
        "template: absence, a: {call: pay, so_far: {of: {call: any}, sum: amount, gt: 500}}",
        "template: absence, a: {call: pay, so_far: {of: {call: pay, args: {amount: {gt: 100}}}, gt: 1}}",
        "template: absence, a: {call: pay, against_result: {arg: amount, gt: total, result: look}}",
    ],
)
def test_arguments_that_are_no_json_object_are_not_a_rule_kept(formal: str) -> None:
    rules = load_rules(f"- {{id: r, text: t, formal: {{{formal}}}}}")
    damaged = ToolCall("pay", None, "1", raw='{"amount": 200')
    (finding,) = RuleSet(rules).check(trace_of(damaged))
    assert "no JSON object" in finding.reason
    (other,) = RuleSet(load_rules("- {id: r, text: t, formal: {template: absence, a: {call: look}}}")).check(
        trace_of(damaged)
    )
    assert other.status == "pass"


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"amount": 200, "id": 1}, "fail"),
        ({"amount": 20, "id": 1}, "pass"),
        ({}, "pass"),
        (None, "pass"),
        ('{"amount": 200}', "not_evaluated"),
        ([{"amount": 200}], "not_evaluated"),
        (7, "not_evaluated"),
    ],
)
@pytest.mark.parametrize(
    "formal",
    [
        "template: absence, a: {call: pay, args: {order.amount: {gt: 100}}}",
        "when: {call: pay, args: {order.amount: {gt: 100}}}, require: never, define: {never: {call: none}}",
        "template: absence, a: {call: pay, so_far: {of: {call: pay}, sum: order.amount, gt: 100}}",
        "when: {call: pay}, bind: {o: args.order.id}, require: '!big | !same', "
        "define: {same: {args: {order.id: $o}}, big: {args: {order.amount: {gt: 100}}}}",
    ],
)
def test_a_path_that_cannot_be_followed_is_not_a_rule_kept(formal: str, order: Any, status: str) -> None:
    rules = load_rules(f"- {{id: r, text: t, formal: {{{formal}}}}}")
    (finding,) = RuleSet(rules).check(trace_of(ToolCall("pay", {"order": order}, "1")))
    assert finding.status == status, finding.reason
    assert Guard(rules).decide("pay", {"order": order}).allowed == (status == "pass")


@pytest.mark.parametrize(
    "condition",
    [
        "so_far: {of: {call: pay}, gt: 1, same: order.id}",
        "against_result: {arg: order.amount, gt: total, result: look, missing: false}",
        "against_result: {arg: amount, gt: total, result: look, same: order.id, missing: false}",
    ],
)
def test_registers_say_which_path_they_could_not_follow(condition: str) -> None:
    rules = load_rules(f"- {{id: r, text: t, formal: {{template: absence, a: {{call: pay, {condition}}}}}}}")
    for order, known in (({"id": 1, "amount": 2}, True), ('{"id": 1, "amount": 200}', False)):
        (finding,) = RuleSet(rules).check(trace_of(ToolCall("pay", {"order": order, "amount": 5}, "1")))
        assert (finding.status == "pass") == known
        assert known or "that can be read" in finding.reason


def test_an_argument_that_has_to_be_absent_below_a_text_is_not_known() -> None:
    rules = load_rules(
        "- {id: r, text: t, formal: {when: {call: pay}, require: ok, "
        "define: {ok: {args: {order.discount: {exists: false}}}}}}"
    )
    for order, status in (('{"discount": 5}', "not_evaluated"), ({}, "pass"), ({"discount": 5}, "fail")):
        (finding,) = RuleSet(rules).check(trace_of(ToolCall("pay", {"order": order}, "1")))
        assert finding.status == status


def test_conditions_inside_a_count_say_what_they_could_not_compare() -> None:
    rules = load_rules(
        "- {id: r, text: t, formal: {template: absence, a: {call: pay, "
        "so_far: {of: {call: pay, args: {amount: {gt: 100}}}, gt: 1}}}}"
    )
    calls = [ToolCall("pay", {"amount": "200"}, str(n)) for n in range(3)]
    assert RuleSet(rules).check(trace_of(*calls))[0].status == "not_evaluated"
    assert RuleSet(rules).check(trace_of(*calls, tools=(tool("number"),)))[0].status == "fail"


LATER = """
- {id: r, text: t, formal: {template: absence, a: {call: pay, args: {amount: {gt: 100}}}}}
- {id: s, text: t, formal: {template: absence, a: {call: pay,
    so_far: {of: {call: pay}, sum: amount, gt: 100}}}}
"""


def test_what_was_broken_before_stays_broken() -> None:
    calls = (ToolCall("pay", {"amount": 200}, "1"), ToolCall("pay", {"amount": "many"}, "2"))
    for finding in RuleSet(load_rules(LATER)).check(trace_of(*calls)):
        assert finding.status == "fail"
        assert [v.message_index for v in finding.violations] == [0]
        assert "is no number" in finding.reason
    at_once = Monitor(load_rules(LATER)).observe(Message("assistant", None, calls))
    assert {v.rule_id for v in at_once} == {"r", "s"}


def test_a_guard_does_not_let_a_value_pass_that_it_cannot_compare() -> None:
    unknown = Guard(load_rules(CAP)).decide("pay", {"amount": "200"})
    assert not unknown.allowed
    assert "is no number" in unknown.message
    assert not Guard(load_rules(CAP), tools=[tool("number")]).decide("pay", {"amount": "200"}).allowed
    assert Guard(load_rules(CAP), tools=[tool("number")]).decide("pay", {"amount": "20"}).allowed
    assert Guard(load_rules(CAP)).decide("pay", {}).allowed


SCHEMA = {
    "properties": {
        "a": {"type": "number"},
        "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "c": {"$ref": "#/$defs/c"},
        "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"type": "integer"}}}},
        "f": {"enum": ["x", 1]},
        "g": {},
    },
    "$defs": {"c": {"type": "object", "properties": {"h": {"type": "boolean"}}}},
    "type": "object",
}


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("a", {"number"}),
        ("b", {"string", "null"}),
        ("c.h", {"boolean"}),
        ("c.i", None),
        ("d.*.e", {"integer"}),
        ("d.0.e", {"integer"}),
        ("f", {"string", "integer"}),
        ("g", {"any"}),
        ("x", None),
        ("a.b", None),
    ],
)
def test_types_at_a_path(path: str, kinds: set[str] | None) -> None:
    assert type_at(SCHEMA, path) == kinds


RULES = """truespec_rules: 1
define:
  big: {call: pay, args: {amont: {gt: 100}}}
rules:
  - id: typo
    text: t
    formal:
      template: absence
      a:
        call: [pay, refnd]
        args:
          amount: {gt: "100"}
          note: {lt: 5}
  - {id: fine, text: t, formal: {template: absence, a: {call: pay, args: {note: {matches: x}}}}}
  - {id: type, text: t, formal: {template: absence, a: {call: pay, args: {amount: {type: string}}}}}
  - {id: truth, text: t, formal: {template: absence, a: {call: pay, args: {note: yes}}}}
"""
TOOLS = [
    {"name": "pay", "parameters": {"properties": {"amount": {"type": "number"}, "note": {"type": "string"}}}},
    {"name": "refund", "parameters": {"properties": {"amount": {"type": "number"}}}},
]


def test_rules_check_refuses_what_does_not_fit_the_tools(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(RULES)
    (tmp_path / "t.json").write_text(json.dumps(TOOLS))
    arguments = ["rules", "check", str(tmp_path / "r.yml"), "--tools", str(tmp_path / "t.json")]
    result = CliRunner().invoke(truespec, arguments)
    assert result.exit_code == 1
    lines = [line.partition("r.yml, ")[2] for line in result.stderr.splitlines()[:-1]]
    assert lines == [
        "line 3: definition 'big': pay takes no argument 'amont'; did you mean 'amount'?",
        "line 10: rule 'typo': there is no tool 'refnd'; did you mean 'refund'?",
        "line 12: rule 'typo': the argument 'amount' is number, but gt compares with the text '100'; "
        "leave out the quotes",
        "line 13: rule 'typo': the argument 'note' is string, but lt compares with the number 5; "
        "write it in quotes if the texts are meant",
        "line 15: rule 'type': the argument 'amount' is number, but type asks for string",
        "line 16: rule 'truth': the argument 'note' is string, but eq compares with yes, "
        "which YAML reads as true or false; quote it to mean the text",
    ]


def test_the_built_in_rule_sets_fit_no_tools_but_their_own() -> None:
    assert not list(mistakes(CAP, [tool("number")]))
    assert [one.line for one in mistakes(CAP, [ToolSchema("look")])] == [1]


HISTORY = """truespec_rules: 1
failures:
  refnd: never
rules:
  - id: a
    text: t
    formal:
      template: absence
      a: {call: pay, against_result: {arg: amont, gt: total, result: lok, same: {order: id}}}
  - {id: b, text: t, formal: {template: absence, a: {so_far: {of: {call: pay}, sum: amont, gt: 1}}}}
  - {id: c, text: t, formal: {template: absence, a: {call: {matches: "refnd.*"}}}}
  - {id: d, text: t, formal: {template: absence, a: {call: {matches: "p.*"}}}}
  - id: e
    text: t
    formal: {template: absence, a: {result: pay, ok: true}}
    kept:
    - [user: "pay", call: {pay: {}}, error: "refused"]
    broken:
    - [call: pay, result: "paid"]
    - [call: {pya: {}}, result: "paid"]
"""


def test_arguments_of_registers_patterns_failures_and_examples_are_held_against_the_tools() -> None:
    parameters = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    tools = [ToolSchema("pay", {**parameters, "additionalProperties": False}), ToolSchema("look")]
    assert [str(one).partition(";")[0] for one in mistakes(HISTORY, tools)] == [
        "line 3: failures: there is no tool 'refnd'",
        "line 9: rule 'a': pay takes no argument 'amont'",
        "line 9: rule 'a': pay takes no argument 'order'",
        "line 9: rule 'a': there is no tool 'lok'",
        "line 10: rule 'b': pay takes no argument 'amont'",
        "line 11: rule 'c': no tool matches 'refnd.*'",
        "line 20: rule 'e': broken: there is no tool 'pya'",
    ]


def test_examples_of_rules_about_types_need_them(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(
        "- {id: w, text: t, formal: {template: absence, a: {call: {type: write}}},"
        " kept: [[call: look]], broken: [[call: pay]]}"
    )
    (tmp_path / "types.json").write_text('{"pay": "write", "look": "read"}')
    test = ["rules", "test", str(tmp_path / "r.yml")]
    alone = CliRunner().invoke(truespec, test)
    assert alone.exit_code == 3
    assert alone.stdout.count("not evaluated") == 2
    types = ["--types", str(tmp_path / "types.json")]
    assert CliRunner().invoke(truespec, [*test, *types]).exit_code == 0
    explained = CliRunner().invoke(truespec, ["rules", "explain", str(tmp_path / "r.yml"), *types])
    assert "give --tools too" in str(explained.exception)


@pytest.mark.parametrize("name", ["Pay", "p\u0430y", "mcp__shop__pay", "functions.pay", "pa\u200by"])
def test_a_tool_that_is_written_like_the_one_that_a_rule_names(name: str) -> None:
    calls = (ToolCall(name, {"amount": 200}, "1"),)
    (finding,) = RuleSet(load_rules(CAP)).check(trace_of(*calls))
    assert finding.status == "not_evaluated"
    assert "is written like 'pay', which the rule names" in finding.reason
    (finding,) = RuleSet(load_rules(CAP)).check(trace_of(*calls, tools=(ToolSchema(name),)))
    assert finding.status == "pass", "the agent has such a tool, and it is another one"
    (finding,) = RuleSet(load_rules(CAP)).check(trace_of(ToolCall("repay", {"amount": 200}, "1")))
    assert finding.status == "pass"
