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
from truespec.rules.monitor import RuleSet
from truespec.rules.schemas import type_at
from truespec.rules.toolcheck import mistakes
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace

CAP = (
    "- {id: cap, text: At most 100., formal: {template: absence, a: {call: pay, args: {amount: {gt: 100}}}}}"
)


def tool(kind: Any) -> ToolSchema:
    return ToolSchema("pay", {"type": "object", "properties": {"amount": {"type": kind}}})


def checked(amount: Any, *tools: ToolSchema) -> tuple[str, tuple[str, ...]]:
    call = ToolCall("pay", {"amount": amount}, "1")
    trace = Trace("t", (Message("assistant", None, (call,)),), Source("x", "", "", ""), tools=tools or None)
    (finding,) = RuleSet(load_rules(CAP)).check(trace)
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
        assert status == "pass"
        assert "is no number, so the condition does not hold" in notes[0]
    assert checked("200")[0] == "pass"
    assert checked("50", tool("integer"))[0] == "pass"


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
