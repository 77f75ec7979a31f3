# ruff: noqa: E501 (a table of rules)
"""What `rules check` and `rules diff` prove, against enumeration of short traces."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from truespec.cli.rules import rules as command
from truespec.rules.compare import Inclusion, Toolbox, automaton, compare, conflict, health, included
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.rules.rule import Rule
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace

TOOLS = ("a", "b", "c")
TOOLBOX = Toolbox(tuple(ToolSchema(name) for name in TOOLS))
WORDS = [word for length in range(6) for word in itertools.product(TOOLS, repeat=length)]


def rule(formal: str) -> Rule:
    return load_rules(f"- {{id: x, text: t, formal: {formal}}}")[0]


def keeps(checked: RuleSet, word: tuple[str, ...]) -> bool:
    messages = tuple(Message("assistant", None, (ToolCall(tool, {}),)) for tool in word)
    (finding,) = checked.check(Trace("t", messages, Source("test", "f", "0", "0")))
    return finding.status == "pass"


UNARY = ("existence", "absence", "init", "last")
BINARY = (
    "response", "precedence", "alternate_response", "alternate_precedence", "chain_response", "chain_precedence",
    "not_coexistence", "not_succession", "not_chain_succession", "responded_existence", "succession",
)  # fmt: skip


def test_comparisons_agree_with_enumeration() -> None:
    rng = random.Random(5)
    decided = 0
    for _ in range(60):
        made = []
        for _ in range(2):
            if rng.random() < 0.3:
                made.append(
                    f"{{template: {rng.choice(UNARY)}, a: {{call: {rng.choice(TOOLS)}}}, over: calls}}"
                )
            else:
                a, b = rng.sample(TOOLS, 2)
                made.append(
                    f"{{template: {rng.choice(BINARY)}, a: {{call: {a}}}, b: {{call: {b}}}, over: calls}}"
                )
        left, right = rule(made[0]), rule(made[1])
        sets = [{w for w in WORDS if keeps(checked, w)} for checked in (RuleSet([left]), RuleSet([right]))]
        wanted = (
            "equal" if sets[0] == sets[1]
            else "stronger" if sets[0] < sets[1]
            else "weaker" if sets[1] < sets[0]
            else "incomparable"
        )  # fmt: skip
        found = compare(left, right, TOOLBOX)
        assert found.relation == wanted, (made, found)
        decided += 1
    assert decided == 60


def test_nearly_all_pairs_of_built_in_rules_are_decided() -> None:
    listed = all_packs()
    found = [compare(a, b).relation for a, b in itertools.combinations(listed, 2)]
    assert found.count("unknown") <= 1
    assert all(health(one).status == "sound" for one in listed)


@pytest.mark.parametrize(
    ("left", "right", "relation"),
    [
        ("{template: precedence, a: {call: x}, b: {call: y}}", "{when: {call: y}, require: 'O before', define: {before: {call: x}}}", "equal"),
        ("{template: absence, a: {call: pay, args: {amount: {gt: 100}}}}", "{template: absence, a: {call: pay, args: {amount: {gt: 200}}}}", "stronger"),
        ("{template: absence, a: {call: pay, args: {amount: {ge: 5, le: 4}}}}", "{formula: 'true'}", "equal"),
        ("{template: absence, a: {call: pay, args: {amount: {gt: 1.0, lt: 1.2}}}}", "{formula: 'true'}", "stronger"),
        ("{template: absence, a: {call: pay, args: {amount: {gt: 1, lt: 2, type: integer}}}}", "{formula: 'true'}", "equal"),
        ("{template: absence, a: {call: {type: write}}}", "{template: absence, a: {call: any}}", "weaker"),
        ("{template: absence, a: {message: user, text: {matches: 'ab+'}}}", "{template: absence, a: {message: user, text: {matches: 'abb'}}}", "stronger"),
        (
            "{when: {call: pay}, bind: {o: args.order}, define: {seen: {call: look, args: {order: $o}}}, require: 'O seen'}",
            "{when: {call: pay}, bind: {o: args.order}, define: {seen: {call: look, args: {order: $o}}}, require: 'Y O seen'}",
            "equal",
        ),
        (
            "{when: {call: pay}, bind: {o: args.order}, define: {seen: {call: look, args: {order: $o}}}, require: 'Y seen'}",
            "{when: {call: pay}, bind: {o: args.order}, define: {seen: {call: look, args: {order: $o}}}, require: 'O seen'}",
            "stronger",
        ),
    ],
)  # fmt: skip
def test_meanings(left: str, right: str, relation: str) -> None:
    assert compare(rule(left), rule(right)).relation == relation


def test_ill_rules_are_found() -> None:
    assert health(rule("{formula: 'F x & G !x', define: {x: {call: a}}}")).status == "unsatisfiable"
    assert health(rule("{formula: 'G(x -> x)', define: {x: {call: a}}}")).status == "vacuous"
    assert health(rule("{template: absence, a: {call: zzz}}"), TOOLBOX).status == "idle"
    assert health(rule("{template: existence, a: {call: zzz}}"), TOOLBOX).status == "unsatisfiable"
    assert conflict(
        rule("{template: response, a: {call: a}, b: {call: b}}"),
        rule("{template: not_succession, a: {call: a}, b: {call: b}}"),
    )
    assert conflict(rule("{template: existence, a: {call: a}}"), rule("{template: absence, a: {call: a}}"))
    assert not conflict(
        rule("{template: response, a: {call: a}, b: {call: b}}"),
        rule("{template: precedence, a: {call: a}, b: {call: b}}"),
    )


def test_a_refuted_implication_comes_with_a_replayed_trace() -> None:
    found = included(
        rule("{template: precedence, a: {call: a}, b: {call: b}}"), rule("{template: absence, a: {call: b}}")
    )
    assert found.holds is False
    assert [event.tool for event in found.witness] == ["a", "b"]


def test_without_replays_only_proofs_are_found() -> None:
    first, some = rule("{template: init, a: {call: a}}"), rule("{template: existence, a: {call: a}}")
    assert included(first, some, replays=False) == Inclusion(True)
    assert included(some, first).holds is False
    assert included(some, first, replays=False) == Inclusion(None)


def test_the_automaton_of_a_rule_is_minimal() -> None:
    made = automaton(rule("{template: precedence, a: {call: a}, b: {call: b}}"))
    assert made is not None
    assert len(made.accepting) == 3


def test_commands(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yml", tmp_path / "new.yml"
    entry = "- {{id: {0}, text: t, formal: {{template: absence, a: {{call: pay, args: {{amount: {{gt: {1}}}}}}}}}}}\n"
    old.write_text(entry.format("p", 10) + entry.format("q", 10) + entry.format("r", 1))
    new.write_text(entry.format("p", 20) + entry.format("q", 10) + entry.format("s", 1))
    result = CliRunner().invoke(command, ["diff", str(old), str(new)])
    assert result.exit_code == 1
    assert "p: weaker" in result.output
    assert "q: equal" in result.output
    assert "r: removed" in result.output
    assert "s: added" in result.output
    result = CliRunner().invoke(command, ["check", "--rules", str(old)])
    assert result.exit_code == 0
    assert "p is implied by r" in result.output
    result = CliRunner().invoke(command, ["compile", "--pack", "confirmation"])
    assert result.exit_code == 0
    assert '"states": 3' in result.output


def test_nothing_happens_is_a_trace_too() -> None:
    """A rule that forbids every event is kept by the empty trace."""
    assert health(rule("{formula: 'G false'}")).status == "sound"
    assert health(rule("{formula: 'F true'}")).status == "sound"
    assert compare(rule("{formula: 'G false'}"), rule("{formula: 'F true'}")).relation == "incomparable"
