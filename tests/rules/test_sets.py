"""The hand-written rule sets: quotes that stand where they say, and no rule that cannot be kept or broken."""

from __future__ import annotations

import pytest

import needs
from truespec.rules.compare import compare, health
from truespec.rules.monitor import RuleSet
from truespec.rules.sets import all_sets, rule_set, set_names
from truespec.traces import Trace
from truespec.traces.importers.registry import read

FILES = {
    "airline": "airline__claude-sonnet-4.5.json.gz",
    "retail": "retail__gpt-4.1.json.gz",
    "telecom": "telecom__gpt-4o.json.gz",
}


def traces(name: str) -> list[Trace]:
    folder = needs.sources("traces/tau2")
    return [item for item in read(folder / FILES[name]) if isinstance(item, Trace)]


def test_every_set_is_for_its_environment_and_names_are_unique() -> None:
    assert set_names() == ["airline", "retail", "telecom"]
    rules = all_sets()
    assert len({rule.id for rule in rules}) == len(rules)
    for name in set_names():
        for rule in rule_set(name):
            assert rule.domains == (name,)
            assert rule.id.startswith(name + "-")
            assert (rule.quote is None) is (rule.category == "argument" and rule.id.endswith("-arguments"))


@pytest.mark.parametrize("name", FILES)
def test_quotes_stand_at_their_places_in_the_prompt(name: str) -> None:
    trace = traces(name)[0]
    assert trace.system_prompt is not None
    for rule in rule_set(name):
        if rule.quote is not None:
            at = rule.position
            assert at is not None
            assert at.prompt_sha256 == trace.prompt_sha256
            assert trace.system_prompt[at.start : at.end] == rule.quote
            assert len(rule.quote) <= 120


@pytest.mark.parametrize("name", FILES)
def test_no_rule_is_vacuous_or_impossible(name: str) -> None:
    for rule in rule_set(name):
        if rule.formal is not None:
            assert health(rule, seconds=1.0).status in ("sound", "unknown"), rule.id


@pytest.mark.parametrize("name", FILES)
def test_sets_tell_traces_apart(name: str) -> None:
    """Formal rules are evaluated on every trace of their environment, and none is broken by nearly all."""
    rules = RuleSet(all_sets())
    listed = traces(name)
    broken = dict.fromkeys((rule.id for rule in rules.rules), 0)
    for trace in listed:
        for finding in rules.check(trace):
            mine = finding.rule.formal is not None and finding.rule.domains == (name,)
            assert (finding.status != "not_evaluated") is mine
            broken[finding.rule.id] += finding.status == "fail"
    assert sum(broken.values()) > 0
    # Claude puts several calls into one message nearly always: the one rule that is broken throughout.
    assert all(count < 0.95 * len(listed) for rule, count in broken.items() if not rule.endswith("one-call"))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("airline-payment-known", "airline-certificate-amount"),
        ("airline-payment-known", "airline-grounded"),
        ("airline-change-payment-known", "airline-change-payment-kind"),
        ("retail-nothing-after-items", "retail-payment-known"),
        ("retail-payment-known", "retail-refund"),
    ],
)
def test_rules_bound_to_data_are_told_apart_by_a_trace(left: str, right: str) -> None:
    rules = {rule.id: rule for rule in all_sets()}
    found = compare(rules[left], rules[right])
    assert found.relation == "incomparable"
    assert found.left_only
    assert found.right_only


def test_to_identify_before_reading_does_not_imply_to_identify_before_acting() -> None:
    rules = {rule.id: rule for rule in all_sets()}
    reading, acting = rules["retail-identify-before-reading"], rules["retail-identify-before-acting"]
    assert compare(reading, acting).relation == "incomparable"
