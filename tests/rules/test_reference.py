"""The reference page of the rule language is true: its files are read, its examples are as it says."""

from __future__ import annotations

import re

from needs import ROOT
from truespec.rules.compare import health
from truespec.rules.given import examples_of, run
from truespec.rules.language import load_rules
from truespec.rules.reading import _KEYS, _OPERATORS
from truespec.rules.templates import TEMPLATES

PAGE = (ROOT / "docs/rules.md").read_text("utf-8")
(FILE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)


def test_every_example_of_the_page_is_as_given() -> None:
    wrong = [
        f"{outcome.example.rule.id}: {outcome.status}: {outcome.detail}"
        for outcome in map(run, examples_of(FILE, "docs/rules.md"))
        if outcome.status != "as given"
    ]
    assert wrong == []


def test_the_formal_policies_each_with_examples() -> None:
    rules = load_rules(FILE, "docs/rules.md")
    formal = [rule for rule in rules if rule.formal is not None]
    assert len(formal) == 23
    kinds = {(example.rule.id, example.keeps) for example in examples_of(FILE, "docs/rules.md")}
    assert {(rule.id, True) for rule in formal} <= kinds
    assert {rule.id for rule in formal if (rule.id, False) not in kinds} == {"one-call-at-a-time"}


def test_every_policy_can_be_kept_and_broken() -> None:
    for rule in load_rules(FILE, "docs/rules.md"):
        if rule.formal is not None and not rule.formal.bind:
            # Rules with registers are beyond comparison; concrete runs show that they can be kept and broken.
            assert health(rule).status == "sound", rule.id


def test_the_page_names_all_that_the_language_has() -> None:
    for template in TEMPLATES:
        assert f"`{template}`" in PAGE, template
    for operator in set(_OPERATORS) - {"eq"}:
        assert re.search(rf"\b{operator}\b", PAGE), operator
    # `kind`, `by`, `tool` and `coded` are for packs; the bound forms are shown with `bind`.
    for key in set(_KEYS) - {"kind", "by", "tool", "type", "coded", "mentions", "tool_is", "args_are"}:
        assert re.search(rf"\b{key}\b", PAGE), key
