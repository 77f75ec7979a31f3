"""Generated conversations call the agent's own tools with arguments that fit, and do what they promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import needs
from truespec.cli.rules_words import explain
from truespec.extraction.examples import find_examples, scenario
from truespec.extraction.fitting import fitting, misfits, with_fitting_arguments
from truespec.rules.compare import Toolbox
from truespec.rules.language import load_rules
from truespec.rules.ruleset import RuleSet
from truespec.rules.schemas import validator
from truespec.rules.sets import set_text
from truespec.traces.importers.registry import read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.record import to_line
from truespec.traces.trace import Message, Source, ToolCall, ToolSchema, Trace

SCHEMAS: list[dict[str, Any]] = [
    {"type": "string", "pattern": "^[A-Z]{3}-\\d{2}$"},
    {"type": "string", "pattern": "^a*$", "minLength": 3},
    {"type": "string", "format": "date"},
    {"type": "string", "minLength": 40, "maxLength": 41},
    {"type": "string", "enum": ["x", "y"]},
    {"type": "integer", "minimum": 7, "multipleOf": 5},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
    {"type": ["null", "boolean"]},
    {"type": "array", "minItems": 3, "items": {"type": "integer", "minimum": 2}},
    {"anyOf": [{"type": "integer", "minimum": 9}, {"type": "null"}]},
    {"type": "object", "properties": {"a": {"type": "object", "required": ["b"]}}, "required": ["a", "c"]},
    {"allOf": [{"type": "integer"}, {"minimum": 4}]},
    {"type": "string", "default": "as usual"},
    {},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_a_value_fits_its_schema(schema: dict[str, Any]) -> None:
    assert validator(schema)(fitting(schema, schema))


def test_references_are_followed_and_a_value_that_is_none_is_left_alone() -> None:
    root = {"$defs": {"n": {"type": "integer", "minimum": 3}}}
    assert fitting({"$ref": "#/$defs/n"}, root) == 3
    never = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a$", "minLength": 5}}}
    tool = ToolSchema("book", {**never, "required": ["a"]})
    trace = Trace(
        "t",
        (Message("assistant", None, (ToolCall("book", {}, "c"),)),),
        Source("", "", "", ""),
        tools=(tool,),
    )
    assert with_fitting_arguments(trace) == trace
    assert misfits(trace) == ["book"]


TOOLS = [
    {
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {
                "order": {"type": "string", "pattern": "^#W\\d{4}$"},
                "seats": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            },
            "required": ["order", "seats"],
            "additionalProperties": False,
        },
    },
    {"name": "look", "parameters": {"type": "object", "properties": {"order": {"type": "string"}}}},
]
RULES = """
- id: once
  text: Book each order once.
  formal: {when: {call: book}, bind: {o: args.order}, require: "X G !again",
    define: {again: {call: book, args: {order: $o}}}}
- id: look-first
  text: Look before you book.
  formal: {template: precedence, a: {call: look}, b: {call: book}}
"""


def test_equal_values_stay_equal() -> None:
    tools = tool_schemas(TOOLS)
    assert tools is not None
    for rule in load_rules(RULES, "r"):
        found = find_examples(rule, Toolbox(tools))
        for expected, trace in (("pass", found.keeps), ("fail", found.breaks)):
            assert trace is not None
            assert not misfits(trace)
            (finding,) = RuleSet([rule]).check(trace)
            assert finding.status == expected


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom"])
def test_each_scenario_does_what_it_promises(domain: str, tmp_path: Path) -> None:
    folder = needs.sources("traces") / "tau2" / "domains" / domain
    target = tmp_path / "scenarios.jsonl"
    call = ["--pack", domain, "--tools", str(folder / "tools.json"), "--timeout", "20"]
    ran = CliRunner().invoke(
        explain, [*call, "--types", str(folder / "tool_types.json"), "--scenarios", str(target)]
    )
    assert ran.exit_code == 0, ran.output
    rules = {rule.id: rule for rule in load_rules(set_text(domain), domain)}
    traces = [trace for trace in read(target) if isinstance(trace, Trace)]
    assert len(traces) >= 30
    unfit = 0
    for trace in traces:
        about: Any = trace.metadata["scenario"]
        (finding,) = RuleSet([rules[about["rule"]]]).check(trace)
        assert finding.status == {"keeps": "pass", "breaks": "fail"}[about["expected"]], trace.id
        assert (about["arguments"] == "fit") is (not misfits(trace)), trace.id
        unfit += about["arguments"] != "fit"
    assert unfit <= len(traces) // 4, "most rules say nothing about arguments"


def test_a_scenario_says_which_arguments_do_not_fit() -> None:
    tools = tool_schemas(TOOLS)
    rule = load_rules(RULES, "r")[0]
    calls = (ToolCall("book", {"order": 3}, "c"),)
    trace = Trace("t", (Message("assistant", None, calls),), Source("", "", "", ""), tools=tools)
    about: Any = scenario(rule, trace, "keeps").metadata["scenario"]
    assert about["arguments"] == "of book do not fit the tool's schema"
    assert json.loads(to_line(scenario(rule, trace, "keeps")))["metadata"]["scenario"]["expected"] == "keeps"
