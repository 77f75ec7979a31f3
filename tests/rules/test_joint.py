"""Sets of rules that cannot be kept together, though each two can."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from click.testing import CliRunner

from truespec.cli.rules import rules as group
from truespec.rules.compare import conflict
from truespec.rules.joint import conflicts
from truespec.rules.language import load_rules
from truespec.rules.packs import all_packs
from truespec.rules.rule import Rule

THREE = """
- {id: a-then-b, text: T., formal: {template: response, a: {call: a}, b: {call: b}}}
- {id: b-then-c, text: T., formal: {template: response, a: {call: b}, b: {call: c}}}
- {id: nothing-after-a, text: T., formal: {template: not_succession, a: {call: a}, b: {call: c}}}
- {id: other, text: T., formal: {template: absence, a: {call: x}}}
"""


def rules(text: str) -> list[Rule]:
    return list(load_rules(text))


def test_three_rules_of_which_each_two_are_compatible() -> None:
    listed = rules(THREE)
    for one, two in itertools.combinations(listed, 2):
        assert conflict(one, two) is False, (one.id, two.id)
    found = conflicts(listed)
    assert [(one.rules, one.about) for one in found.found] == [
        (("a-then-b", "b-then-c", "nothing-after-a"), "a-then-b")
    ]
    assert found.undecided == ""


def test_fewer_of_them_are_no_conflict() -> None:
    listed = rules(THREE)
    for left in range(3):
        assert conflicts([rule for number, rule in enumerate(listed) if number != left]).found == ()


def test_demands_of_the_whole_conversation() -> None:
    found = conflicts(
        rules("""
- {id: do, text: T., formal: {template: choice, a: {call: a}, b: {call: b}}}
- {id: no-a, text: T., formal: {template: absence, a: {call: a}}}
- {id: no-b, text: T., formal: {template: absence, a: {call: b}}}
- {id: free, text: T., formal: {template: absence, a: {call: c}}}
""")
    )
    assert [(one.rules, one.about) for one in found.found] == [(("do", "no-a", "no-b"), "")]


def test_rules_of_different_environments_do_not_meet() -> None:
    text = "- {{id: {0}, text: T., domains: {1}, formal: {{template: {2}, a: {{call: a}}}}}}\n"
    apart = text.format("do", "airline", "existence") + text.format("dont", "retail", "absence")
    assert conflicts(rules(apart)).found == ()
    together = text.format("do", "airline", "existence") + text.format("dont", "airline", "absence")
    assert [one.rules for one in conflicts(rules(together)).found] == [("do", "dont")]


def test_what_has_no_part_is_named() -> None:
    found = conflicts(rules("- {id: polite, text: Be polite.}"))
    assert found.left_out == ("polite",)


def test_of_the_packs_one_rule_forbids_what_starts_another() -> None:
    """No call fails where `no-failed-call` is kept; all else fits together."""
    (found,) = conflicts(all_packs(), seconds=60.0, total=600.0).found
    assert found.rules == ("no-failed-call", "no-stop-at-error")
    assert found.about == "no-stop-at-error"


def test_the_command_names_the_set(tmp_path: Path) -> None:
    (tmp_path / "r.yml").write_text(THREE)
    result = CliRunner().invoke(group, ["check", str(tmp_path / "r.yml")])
    assert result.exit_code == 1
    together = "contradictory together: a-then-b, b-then-c, nothing-after-a: nothing that starts a-then-b"
    assert together in result.output
    result = CliRunner().invoke(group, ["check", str(tmp_path / "r.yml"), "--json"])
    assert json.loads(result.output)["sets"][0]["blocks"] == "a-then-b"
