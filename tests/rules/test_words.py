"""Rules in plain English, the examples of rule files, and rules against reference rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from truespec.cli.rules import rules
from truespec.rules.given import examples_of
from truespec.rules.language import load_rules
from truespec.rules.packs import pack, pack_names, pack_text
from truespec.rules.sets import rule_set, set_names
from truespec.rules.words import in_english
from truespec.verdict import SpecificationError

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
    assert f"wrong         {path}: ask-first, broken 1: nothing in it starts the rule" in result.output
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
    # The examples are comments, so that the output is still a rule file.
    shown = run("show", "confirmation").output
    assert "# Examples" in shown
    assert "#   broken " in shown
    assert [rule.id for rule in load_rules(shown)] == [
        rule.id for rule in load_rules(pack_text("confirmation"))
    ]
    assert "no pack or rule set 'nothing'" in str(run("show", "nothing").exception)
    assert "did you mean 'airline'?" in str(run("show", "airlines").exception)


def test_what_is_built_in_is_listed_with_an_example_of_each_kind() -> None:
    listed = json.loads(run("list", "--examples", "--json").output)
    for one in listed:
        assert set(one["examples"]) == set(one["rules"])
    (confirmation,) = [one for one in listed if one["name"] == "confirmation"]
    for runs in confirmation["examples"].values():
        assert runs["kept"]
        assert runs["broken"]
    assert "broken " in run("list", "--examples").output


@pytest.mark.parametrize(
    ("text", "told", "place"),
    [
        ("- id: no\n  text: t\n", 'line 1, column 7: YAML reads no as true or false; write "no"', (1, 7)),
        ("- {id: 12, text: t}", 'YAML reads 12 as a number; write "12"', (1, 8)),
        ("- id: a\n  text:\n", "YAML reads an empty value as nothing", (2, 8)),
        (
            "- id: a\n  text: t\n  formal:\n    template: init\n    a: {message: any, text: {words: [no]}}\n",
            'line 5, column 38: YAML reads no as true or false; write "no"',
            (5, 38),
        ),
        ("- id: a\n  text: t\n  formal: {template: absence, a: {call: *}}\n", 'write "*"', (3, 41)),
        (
            "- id: a\n  text: t\n  formal: {template: absence, a: {call: *any}}\n",
            "quote a text that begins with *",
            (3, 41),
        ),
        ("- id: a\n  text: never: ever\n", "a text that holds ': ' is quoted", (2, 14)),
        ("- id: a\n\ttext: t\n", "indent with spaces", (2, 1)),
    ],
)
def test_where_yaml_misleads_the_error_says_what_to_write(
    text: str, told: str, place: tuple[int, int]
) -> None:
    with pytest.raises(SpecificationError) as caught:
        load_rules(text)
    assert told in str(caught.value)
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.column) == place


def test_hints_are_about_the_rule_that_is_wrong_and_in_examples_too() -> None:
    flagged = (
        "- {id: a, text: t, required: yes}\n- {id: b, text: t, kept: [[user: yes]]}\n- {id: c, txt: t}\n"
    )
    with pytest.raises(SpecificationError) as caught:
        load_rules(flagged)
    assert "YAML reads" not in str(caught.value)
    with pytest.raises(SpecificationError, match=r'line 2, column 34: YAML reads yes .* write "yes"'):
        examples_of(flagged.replace("txt", "text"), "f")
