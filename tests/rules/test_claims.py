# ruff: noqa: E501 (tables of rules)
"""What `rules check` claims of rules that differ at the borders of texts, values, names and results."""

from __future__ import annotations

import dataclasses
import math

import pytest

from truespec.rules.compare import compare, conflict, health, included
from truespec.rules.language import load_rules, read_rule
from truespec.rules.monitor import RuleSet
from truespec.rules.rule import Formal, Rule
from truespec.traces import Message, Source, ToolCall, Trace
from truespec.verdict import SpecificationError


def rule(formal: str, name: str = "x", **fields: str) -> Rule:
    more = "".join(f", {key}: {value}" for key, value in fields.items())
    return load_rules(f"- {{id: {name}, text: t, formal: {formal}{more}}}")[0]


def never(condition: str) -> Rule:
    return rule(f"{{template: absence, a: {condition}}}")


def status_of(condition: str) -> str:
    """What is said of a rule that forbids events of a kind: idle where there are none."""
    return health(never(condition)).status


REFUND, ORDER = "{tool: {matches: '.*refund.*'}}", "{tool: {matches: '.*order.*'}}"


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        # Names that several patterns match at once.
        (f"{{kind: call, all: [{REFUND}, {ORDER}]}}", "sound"),
        (f"{{kind: call, all: [{REFUND}, {ORDER}, {{tool: {{matches: '[a-z]{{20}}'}}}}]}}", "sound"),
        (f"{{kind: result, all: [{REFUND}, {{not: {ORDER}}}]}}", "sound"),
        (f"{{kind: call, all: [{REFUND}, {{tool: {{matches: '[^f]*'}}}}]}}", "idle"),
        ("{kind: call, all: [{tool: {matches: 'a+'}}, {tool: {matches: '(aa)*'}}, {tool: {matches: '(aaa)*'}}]}", "sound"),
        ("{kind: call, all: [{tool: {matches: '(aa)+'}}, {tool: {matches: 'a(aa)*'}}]}", "idle"),
        # Names that patterns leave over.
        ("{call: {not: {matches: '.*_tool'}}}", "sound"),
        ("{call: {not: {matches: 'other_tool.*'}}}", "sound"),
        ("{call: {not: {matches: 'some_other_tool|other_tool'}}}", "sound"),
        ("{call: {not: {matches: '.*'}}}", "sound"),  # a name with a line break
        ("{call: {not: {matches: '(?s).*'}}}", "idle"),
        ("{call: {not: {matches: '(?s).+'}}}", "sound"),
        ("{call: {not: [other_tool, some_other_tool]}}", "sound"),
        ("{call: any, all: [{tool: book}, {tool: {matches: 'b.*k'}}]}", "sound"),
        ("{call: any, all: [{tool: book}, {tool: {matches: 'c.*'}}]}", "idle"),
        # A result whose tool nobody knows.
        ("{kind: result, not: {tool: {matches: '(?s).*'}}}", "sound"),
        ("{kind: call, not: {tool: {matches: '(?s).*'}}}", "idle"),
        ("{kind: result, not: {any: [{tool: book}, {tool: {not: book}}]}}", "idle"),
        ("{kind: result, type: write, not: {tool: {matches: '(?s).*'}}}", "idle"),
        ("{kind: result, args: {x: 1}, not: {tool: {matches: '(?s).*'}}}", "idle"),
        ("{kind: result, fits_schema: false}", "sound"),
        # Who asked: a source may name others than the agent and the user.
        ("{kind: call, by: system}", "sound"),
        ("{kind: call, not: {by: [assistant, user, system]}}", "sound"),
        ("{kind: message, not: {by: [assistant, user, system]}}", "idle"),
        # What is said.
        (r'{message: user, says: true, text: {contains: "\n"}}', "sound"),
        (r'{message: user, says: false, text: {contains: "\n"}}', "sound"),
        (r'{message: user, says: false, text: {contains: "\u200b"}}', "idle"),  # no blank for Python
        (r'{message: user, says: false, text: {contains: "\u2003"}}', "sound"),
        (r"{message: user, says: false, text: {matches: '\S'}}", "idle"),
        (r"{message: user, says: false, text: {matches: '\x1c'}}", "sound"),
        (r"{result: any, says: true}", "idle"),
        (r"{result: any, says: false, text: {contains: a}}", "sound"),
        ("{message: any, text: {matches: 'a$', not: {matches: 'a\\Z'}}}", "sound"),  # before a last line break
        ("{message: any, text: {equals: ab, not: {contains: b}}}", "idle"),
        ("{message: any, text: {contains: ab, not: {matches: '^.*ab'}}}", "sound"),
        # Case.
        ("{message: any, text: {contains: Σ, ignore_case: true, not: {contains: σ}}}", "sound"),
        ("{message: any, text: {contains: ς, ignore_case: true, not: {matches: '[ςΣ]'}}}", "idle"),
        ("{message: any, text: {matches: '^Σ$', not: {contains: σ, ignore_case: true}}}", "idle"),
        ("{message: any, text: {matches: '^AΣ\\Z', not: {contains: σ, ignore_case: true}}}", "sound"),
        ("{message: any, text: {matches: '^AΣ\\Z', not: {contains: ς, ignore_case: true}}}", "idle"),
        ("{message: any, text: {matches: 'AΣA', not: {contains: σ, ignore_case: true}}}", "idle"),
        ("{message: any, text: {contains: ß, ignore_case: true, not: {contains: ß}}}", "sound"),  # ẞ
        ("{message: any, text: {contains: İ, ignore_case: true, not: {contains: İ}}}", "sound"),
        ("{message: any, text: {equals: İ, not: {contains: i, ignore_case: true}}}", "idle"),
        ("{message: any, text: {contains: k, ignore_case: true, not: {matches: '[kK]'}}}", "sound"),  # the kelvin sign
        ("{message: any, text: {matches: '(?i)k', not: {contains: k, ignore_case: true}}}", "idle"),
        ("{message: any, text: {matches: '(?i)s', not: {contains: s, ignore_case: true}}}", "sound"),  # the long s
        ("{message: any, text: {equals: 'Yes', ignore_case: true, not: {equals: 'Yes'}}}", "sound"),
        # Values.
        ("{call: f, args: {items: {eq: [1, 2]}}}", "sound"),
        ("{call: f, args: {items: {eq: [1, 2], contains: 2, min_length: 2, max_length: 2}}}", "sound"),
        ("{call: f, args: {items: {eq: [1, 2], contains: 3}}}", "idle"),
        ("{call: f, args: {items: {contains: 1, ne: [1], max_length: 1}}}", "idle"),
        ("{call: f, args: {items: {eq: [1, [2, {a: null}]]}}}", "sound"),
        ("{call: f, args: {items: {eq: [true], contains: 1}}}", "idle"),
        ("{call: f, args: {x: {eq: {a: [1, {b: 2}]}, ne: {a: [1.0, {b: 2.0}]}}}}", "idle"),
        ("{call: f, args: {x: {eq: {a: 1}, ne: {a: true}}}}", "sound"),
        ("{call: f, args: {x: {eq: 1, type: integer}}}", "sound"),
        ("{call: f, args: {x: {eq: 1, not_in: [1.0]}}}", "idle"),
        ("{call: f, args: {x: {in: [1.0, 2.5], type: integer}}}", "sound"),
        ("{call: f, args: {x: {gt: 1, lt: 2, type: integer}}}", "idle"),
        ("{call: f, args: {x: {gt: 1, lt: 1.0000000000000002}}}", "idle"),  # neighbours
        ("{call: f, args: {x: {gt: 1, lt: 1.0000000000000004}}}", "sound"),
        ("{call: f, args: {x: {gt: 9007199254740992, lt: 9007199254740994}}}", "sound"),
        ("{call: f, args: {x: {type: number, not_in: [0], eq: 0}}}", "idle"),
        (f"{{call: f, args: {{x: {{gt: 1{'0' * 400}, lt: 1{'0' * 399}1, type: integer}}}}}}", "idle"),
        (f"{{call: f, args: {{x: {{gt: 1{'0' * 400}, type: integer}}}}}}", "sound"),
        ("{call: f, args: {x: {type: number}}, not: {args: {x: {le: 0}}}, all: [{not: {args: {x: {gt: 0}}}}]}", "sound"),  # NaN
        ("{call: f, args: {x: {gt: b, lt: ba}}}", "sound"),  # b and a control character
        ('{call: f, args: {x: {gt: b, lt: "b\\0"}}}', "idle"),
        ("{call: f, args: {x: {matches: '^a', gt: b}}}", "idle"),
        ("{call: f, args: {x: {type: string, min_length: 3, max_length: 2}}}", "idle"),
        ("{call: f, args: {x: {min_length: 2.5, max_length: 3}}}", "sound"),
        ("{call: f, args: {'*.id': {eq: 1}, '*.id ': {exists: false}}, all: [{args: {'*.id': {eq: 2}}}]}", "sound"),
        ("{call: f, args: {x: {eq: 1}}, all: [{args: {x: {eq: 2}}}]}", "idle"),
        ("{call: f, args: {a.0: 1, a.1: 2}}", "sound"),
        # A text that writes a number is read as one where the tool's schema has a number.
        ("{call: f, args: {x: {gt: 0.001, max_length: 1}}}", "unknown"),
        ("{call: f, args: {x: {gt: 1.0e-300, max_length: 1}}}", "unknown"),
        ("{call: f, args: {x: {ge: 0, matches: '^0'}}}", "unknown"),
        ("{call: f, args: {x: {eq: 10, contains: '1'}}}", "unknown"),
        ("{call: f, args: {x: {in: [1, 2], type: string}}}", "unknown"),
        ("{call: f, args: {'x.*': {lt: 0, max_length: 2}}}", "unknown"),
        ("{call: f, args: {x: {gt: 0, matches: '^a'}}}", "idle"),
        ("{call: f, args: {x: {gt: 0, min_length: 300}}}", "unknown"),  # blanks around it
        ("{call: f, args: {x: {gt: 0, type: array}}}", "idle"),
        # Counts.
        ("{kind: call, calls: 0}", "idle"),
        ("{kind: message, calls: 0}", "sound"),
        ("{kind: call, calls: {min: 2000000}}", "sound"),
        ("{kind: result, calls: {min: 1}}", "idle"),
    ],
)  # fmt: skip
def test_events_that_can_be(condition: str, status: str) -> None:
    assert status_of(condition) == status


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ({"gt": math.inf}, "idle"),
        ({"ge": math.inf}, "sound"),
        ({"lt": -math.inf}, "idle"),
        ({"gt": -math.inf, "lt": math.inf}, "sound"),
        ({"eq": math.nan}, "idle"),
        ({"ge": math.nan}, "idle"),
        ({"type": "number", "not_in": [math.nan]}, "sound"),
        ({"eq": [math.nan]}, "idle"),
        ({"min_length": math.inf}, "idle"),
        ({"max_length": math.inf}, "sound"),
        ({"min_length": math.nan}, "idle"),
    ],
)
def test_numbers_that_no_rule_file_holds(conditions: dict[str, object], status: str) -> None:
    """A rule that is made in Python, and arguments of a trace, may hold infinities and NaN."""
    formal = {"template": "absence", "a": {"call": "f", "args": {"x": conditions}}}
    assert health(read_rule({"id": "x", "text": "t", "formal": formal}, "made")).status == status


def test_some_call_of_both_can_be_kept() -> None:
    both = f"{{kind: call, all: [{REFUND}, {ORDER}]}}"
    assert health(rule(f"{{formula: 'F x', define: {{x: {both}}}}}")).status == "sound"
    assert (
        health(rule("{formula: 'F x', define: {x: {kind: call, not: {tool: {matches: '(?s).*'}}}}}")).status
        == "unsatisfiable"
    )


TRUE_ONE = ("{call: f, args: {x: true}}", "{call: f, args: {x: 1}}")


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        (*TRUE_ONE, "incomparable"),
        ("{call: f, args: {x: {in: [true, 2]}}}", "{call: f, args: {x: {in: [1, 2]}}}", "incomparable"),
        ("{call: f, args: {x: {eq: [true]}}}", "{call: f, args: {x: {eq: [1]}}}", "incomparable"),
        ("{call: f, args: {x: 1}}", "{call: f, args: {x: 1.0}}", "equal"),
        ("{call: f, args: {x: [1]}}", "{call: f, args: {x: [1.0]}}", "equal"),
        # Where the schema has a number, the text "1" equals 1, and its type is string.
        ("{call: f, args: {x: {eq: 1}}}", "{call: f, args: {x: {type: integer}}}", "unknown"),
        ("{call: f, args: {x: {gt: 5}}}", "{call: f, args: {x: {ge: 6}}}", "stronger"),
        ("{call: f, args: {x: {gt: 5, type: integer}}}", "{call: f, args: {x: {ge: 6, type: integer}}}", "equal"),
        ("{call: {matches: '(get|find)_.*'}}", "{call: {matches: 'get_.*|find_.*'}}", "equal"),
        ("{message: any, text: {contains: ab}}", "{message: any, text: {matches: 'a(?=b)'}}", "equal"),
        ("{message: any, text: {contains: straße, ignore_case: true}}", "{message: any, text: {matches: '(?i)straße'}}", "weaker"),  # the long s
        ("{message: any, text: {contains: s, ignore_case: true}}", "{message: any, text: {matches: '(?i)s'}}", "weaker"),
        ("{message: any, says: true}", r"{message: any, text: {matches: '\S'}}", "equal"),
    ],
)  # fmt: skip
def test_what_is_forbidden(left: str, right: str, relation: str) -> None:
    assert compare(never(left), never(right)).relation == relation


def test_true_and_one_are_told_apart_in_one_set() -> None:
    checked = RuleSet([never(condition) for condition in TRUE_ONE])
    for value, wanted in ((True, ["fail", "pass"]), (1, ["pass", "fail"]), (1.0, ["pass", "fail"])):
        call = Message("assistant", None, (ToolCall("f", {"x": value}),))
        found = checked.check(Trace("t", (call,), Source("test", "f", "0", "0")))
        assert [finding.status for finding in found] == wanted


BOOKED = "when: {call: book}, bind: {o: args.order}, define: {done: {call: done}, same: {call: done, args: {order: $o}}}"


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        # A demand on the whole trace is none on every event.
        ("{template: existence, a: {call: done}}", f"{{{BOOKED}, require: 'F done'}}", False),
        ("{template: existence, a: {call: done}}", f"{{{BOOKED}, require: 'F done | F same'}}", False),
        ("{template: init, a: {call: done}}", f"{{{BOOKED}, require: 'O done | O same'}}", True),
        ("{template: init, a: {call: done}}", f"{{{BOOKED}, require: 'Y done | Y same'}}", False),
        ("{template: last, a: {call: done}}", f"{{{BOOKED}, require: 'F done | F same'}}", True),
        ("{formula: 'F a & G !b', define: {a: {call: done}, b: {call: book}}}", f"{{{BOOKED}, require: 'F same'}}", True),
        (f"{{{BOOKED}, require: 'F same'}}", "{template: existence, a: {call: done}}", False),
        (f"{{{BOOKED}, require: 'F same'}}", "{template: response, a: {call: book}, b: {call: done}}", True),
        (f"{{{BOOKED}, require: 'F same'}}", "{when: {call: book}, require: 'F d', define: {d: {call: done, args: {order: {exists: true}}}}}", None),
    ],
)  # fmt: skip
def test_whole_traces_beside_bound_names(left: str, right: str, relation: bool | None) -> None:
    found = included(rule(left), rule(right))
    assert found.holds is relation or (relation is False and found.holds is None)
    assert relation is not True or found.holds


def test_names_of_bound_values_do_not_matter_but_their_origin_does() -> None:
    made = "{{when: {{call: pay}}, bind: {{{0}: args.{1}}}, define: {{s: {{call: look, args: {{id: ${0}}}}}}}, require: 'O s'}}"
    assert compare(rule(made.format("a", "x")), rule(made.format("b", "x"))).relation == "equal"
    assert compare(rule(made.format("a", "x")), rule(made.format("a", "y"))).relation in (
        "incomparable",
        "unknown",
    )


FAILED = "{{template: absence, a: {{call: book, failed: true}}, results: {0}}}"


@pytest.mark.parametrize(
    ("condition", "relation"),
    [
        ("{call: book, failed: true}", "unknown"),
        ("{call: book, ok: true}", "unknown"),
        ("{call: book, not: {ok: true}}", "unknown"),
        ("{kind: call, not: {any: [{ok: true}, {failed: true}]}}", "unknown"),
        ("{result: book, failed: true}", "equal"),  # a result speaks for itself
        ("{call: book}", "equal"),
    ],
)
def test_ways_of_pairing_results(condition: str, relation: str) -> None:
    near, last = (rule(f"{{template: absence, a: {condition}, results: {r}}}") for r in ("nearest", "last"))
    assert compare(near, last).relation == relation
    assert compare(last, last).relation == "equal"


def test_pairing_tells_rules_apart_on_a_trace() -> None:
    """An identifier that is used again: what the comparison has to allow for."""
    near, last = rule(FAILED.format("nearest"), "near"), rule(FAILED.format("last"), "last")
    call = Message("assistant", None, (ToolCall("book", {}, "1"),))
    messages = (
        call,
        Message("tool", "x", call_id="1", error=False),
        call,
        Message("tool", "x", call_id="1", error=True),
    )
    found = RuleSet([near, last]).check(Trace("t", messages, Source("test", "f", "0", "0")))
    assert [len(finding.violations) for finding in found] == [1, 2]


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        ("airline", "airline", "equal"),
        ("airline", "retail", "incomparable"),
        ("[]", "retail", "stronger"),
        ("[airline, retail]", "retail", "stronger"),
        ("retail-workflow", "retail", "weaker"),
        ("retailer", "retail", "incomparable"),
    ],
)
def test_environments(left: str, right: str, relation: str) -> None:
    formal = "{template: absence, a: {call: book}}"
    assert compare(rule(formal, domains=left), rule(formal, domains=right)).relation == relation


def test_rules_for_different_environments_do_not_contradict_each_other() -> None:
    do, dont = "{template: existence, a: {call: a}}", "{template: absence, a: {call: a}}"
    assert conflict(rule(do, domains="airline"), rule(dont, domains="retail")) is False
    assert conflict(rule(do, domains="airline"), rule(dont)) is True


DIFFERENT = {
    "predicates": ("{formula: 'F a', define: {a: {call: a}}}", "{formula: 'F a', define: {a: {call: b}}}"),
    "obligations": ("{when: {call: a}, require: 'X true'}", "{when: {call: a}, require: 'Y true'}"),
    "bind": (
        "{when: {call: a}, bind: {v: args.x}, define: {s: {call: b, args: {x: $v}}}, require: 'O s'}",
        "{when: {call: a}, bind: {v: args.y}, define: {s: {call: b, args: {x: $v}}}, require: 'O s'}",
    ),
    "over": ("{formula: 'X true', over: calls}", "{formula: 'X true', over: messages}"),
    "pairing": (FAILED.format("nearest"), FAILED.format("last")),
}
"""Rules that differ in one field of their formal part alone, and in meaning."""


def test_every_field_of_a_rule_reaches_the_comparison() -> None:
    fields = {field.name for field in dataclasses.fields(Formal)} - {"template"}  # that is for people
    assert fields == DIFFERENT.keys(), "a new field of the formal part needs a pair of rules here"
    for name, (left, right) in DIFFERENT.items():
        one, two = rule(left).formal, rule(right).formal
        assert one is not None
        assert two is not None
        differing = {field for field in fields if getattr(one, field) != getattr(two, field)}
        assert differing == {name}
        assert compare(rule(left), rule(right)).relation not in ("equal", "stronger", "weaker"), name
    known = {field.name for field in dataclasses.fields(Rule)}
    told = {"id", "text", "category", "severity", "force", "quote", "position", "reading", "violation"}
    told |= {"required", "action", "hint"}
    # Whether a trace keeps a rule depends on these; all else is about the rule.
    assert known - told == {"kind", "formal", "domains", "failures"}, (
        "a new field of a rule: does its meaning depend on it?"
    )


def test_what_counts_as_failed_reaches_the_comparison() -> None:
    formal = "{template: absence, a: {call: pay, failed: true}}"
    text = f"rules: [{{id: x, text: T., formal: {formal}}}]"
    (plain,) = load_rules(text)
    (other,) = load_rules(text + "\nfailures: {pay: never}")
    assert compare(plain, plain).relation == "equal"
    assert compare(plain, other).relation not in ("equal", "stronger", "weaker")
    (same,) = load_rules(text.replace("pay, failed: true", "pay"))
    (there,) = load_rules(text.replace("pay, failed: true", "pay") + "\nfailures: {pay: never}")
    assert compare(same, there).relation == "equal", "the rule does not ask for outcomes"


@pytest.mark.parametrize(
    "condition",
    [
        "{call: f, args: {x: {min_length: three}}}",
        "{call: f, args: {x: {max_length: true}}}",
        "{call: f, args: {x: {gt: true}}}",
        "{call: f, args: {x: {eq: {1: a, b: c}}}}",
        "{message: any, text: {contains: a, ignore_case: maybe}}",
    ],
)
def test_bad_operands_are_refused(condition: str) -> None:
    with pytest.raises(SpecificationError, match="rule 'x'"):
        never(condition)
