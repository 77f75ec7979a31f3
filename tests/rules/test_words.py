"""Rules in plain English, the examples of rule files, and rules against reference rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.rules import rules
from truespec.rules.language import load_rules
from truespec.rules.packs import pack, pack_names
from truespec.rules.sets import rule_set, set_names
from truespec.rules.words import in_english

FILE = """
define:
  asked: {message: user, text: {contains: "yes"}}
rules:
- id: ask-first
  text: Ask before a refund.
  formal: {template: precedence, a: asked, b: {call: refund}}
  kept:
  - [user: "yes", call: {refund: {amount: 3}}]
  - [user: "no"]
  broken:
  - [user: "no", call: refund, result: "done"]
- id: polite
  text: Be polite.
"""


def english(formal: str) -> str:
    (rule,) = load_rules(f"- {{id: r, text: T., formal: {formal}}}")
    return in_english(rule)


@pytest.mark.parametrize(
    ("formal", "expected"),
    [
        ("{template: absence, a: {call: rm}}", "There is never a call of rm."),
        (
            "{template: response, a: {call: a}, b: {call: b}}",
            "At each call of a: a call of b happens later (or is this event).",
        ),
        (
            "{template: chain_precedence, a: {call: a}, b: {call: b}}",
            "At each call of b: the event before is a call of a.",
        ),
        (
            "{template: existence, a: {message: user}}",
            "In the conversation as a whole: a user message happens later (or is this event).",
        ),
        (
            "{when: {call: pay, args: {amount: {gt: 100}}}, require: 'O ok', define: {ok: {message: user}}}",
            "At each call of pay whose amount is more than 100: "
            "a user message happened before (or is this event).",
        ),
        (
            "{formula: 'G(a -> X(b))', define: {a: {call: a}, b: {result: b, failed: true}}}",
            "At each call of a: the next event is a result of b that failed.",
        ),
    ],
)
def test_the_english_says_what_the_formula_says(formal: str, expected: str) -> None:
    assert english(formal) == expected


def test_an_inverted_formula_reads_inverted() -> None:
    right = english("{template: precedence, a: {message: user}, b: {call: pay}}")
    wrong = english("{template: precedence, a: {call: pay}, b: {message: user}}")
    assert right.startswith("At each call of pay: a user message happened before")
    assert wrong.startswith("At each user message: a call of pay happened before")


def test_every_built_in_rule_has_words() -> None:
    built_in = [rule for name in pack_names() for rule in pack(name)]
    built_in += [rule for name in set_names() for rule in rule_set(name)]
    for rule in built_in:
        text = in_english(rule)
        assert text.endswith((".", rule.text)), rule.id
        assert "('" not in text, f"{rule.id}: a raw predicate in {text}"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(rules, list(arguments))


def test_explain_shows_a_run_of_each_kind(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(FILE)
    (tmp_path / "tools.json").write_text('[{"name": "refund", "parameters": {"type": "object"}}]')
    result = run("explain", str(tmp_path / "r.yml"), "--tools", str(tmp_path / "tools.json"), "--json")
    first, second = map(json.loads, result.output.splitlines())
    assert first["kept"][-1].startswith("assistant's call of refund")
    assert len(first["kept"]) == 2
    assert len(first["broken"]) == 1
    assert second["english"] == "A judge is asked: Be polite."
    assert "ask-first: Ask before a refund." in run("explain", str(tmp_path / "r.yml")).output


def test_the_examples_of_a_file_are_run(tmp_path: Path) -> None:
    path = tmp_path / "r.yml"
    path.write_text(FILE)
    result = run("test", str(path))
    assert (result.exit_code, result.output) == (0, "3 examples, 3 as given\n")
    path.write_text(FILE.replace("b: {call: refund}", "b: {call: other}"))
    result = run("test", str(path))
    assert result.exit_code == 1
    assert "wrong         ask-first, broken 1: nothing in it starts the rule" in result.output
    path.write_text(FILE.replace('user: "yes", call', 'user: "nope", call'))
    result = run("test", str(path))
    assert result.exit_code == 1
    assert "ask-first, kept 1: broken at message 2" in result.output


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ("[]", "a list of steps"),
        ("[user: yes]", "quote it"),
        ("[result: x]", "without a call"),
        ("[says: x]", "expected one of user"),
        ("[call: {a: {}, b: {}}]", "one tool with its arguments"),
    ],
)
def test_a_wrong_example_names_its_step(tmp_path: Path, steps: str, says: str) -> None:
    path = tmp_path / "r.yml"
    path.write_text(FILE.replace('[user: "no"]', steps))
    result = run("test", str(path))
    assert "kept 2" in str(result.exception)
    assert says in str(result.exception)


def test_rules_are_verified_against_reference_rules(tmp_path: Path) -> None:
    reference, candidate = tmp_path / "reference.yml", tmp_path / "candidate.yml"
    reference.write_text(FILE)
    same = "{when: {call: refund}, require: 'O asked'}"
    candidate.write_text(FILE.replace("{template: precedence, a: asked, b: {call: refund}}", same))
    result = run("verify", str(candidate), str(reference), "--json")
    answers = [json.loads(line)["answer"] for line in result.output.splitlines()]
    assert answers == ["equivalent", "unknown"]
    assert result.exit_code == 3
    candidate.write_text(FILE.replace("template: precedence", "template: response"))
    first = json.loads(run("verify", str(candidate), str(reference), "--json").output.splitlines()[0])
    assert (first["answer"], first["relation"]) == ("refuted", "incomparable")
    assert first["candidate_only"]
    assert first["reference_only"]
    candidate.write_text("[]")
    result = run("verify", str(candidate), str(reference))
    assert result.exit_code == 1
    assert "missing    ask-first" in result.output


def test_what_is_built_in_is_listed_and_shown() -> None:
    listed = json.loads(run("list", "--json").output)
    assert {one["name"] for one in listed} == {*pack_names(), *set_names()}
    assert "acts" in next(one for one in listed if one["name"] == "confirmation")["parameters"]
    assert "template" in run("show", "confirmation").output
    assert "no pack 'nothing'" in str(run("show", "nothing").exception)
