"""All questions about a list of rules, within one budget."""

from __future__ import annotations

import time

from truespec.rules.language import load_rules
from truespec.rules.review import SPENT, review
from truespec.rules.sets import rule_set

NEED = "- {id: need, text: T., formal: {template: precedence, a: {call: look}, b: {call: refund}}}\n"
NEVER = "- {id: never, text: T., formal: {template: absence, a: {call: look}}}\n"


def test_without_time_every_answer_is_unknown_with_the_reason() -> None:
    reviewed = review(load_rules(NEED + NEVER), budget=0.0)
    assert {state.reason for state in reviewed.states.values()} == {SPENT}
    assert [pair.relation.reason for pair in reviewed.pairs] == [SPENT]


def test_two_rules_that_contradict_each_other() -> None:
    (pair,) = review(load_rules(NEED + NEVER)).pairs
    assert (pair.relation.relation, pair.conflict) == ("contradictory", True)


def test_the_airline_rules_are_reviewed_within_the_budget() -> None:
    began = time.process_time()  # what a busy machine does not change
    reports: list[tuple[str, int, int]] = []
    reviewed = review(rule_set("airline"), budget=5.0, report=lambda *told: reports.append(told))
    assert time.process_time() - began < 15
    assert len(reviewed.pairs) == 210
    assert reports
    assert all(0 <= done <= total for _, done, total in reports)
