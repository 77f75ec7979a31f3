"""The second and the third check of a formal part."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from benchmarks._planted_faults import SCRIPTS, Truth, planted, run, truths
from benchmarks._rule_readers import conversation_of, reply_of

from truespec.executors.extract import Extractor
from truespec.extraction.confirm import questions
from truespec.extraction.examples import as_lines, status
from truespec.extraction.near import MOST, near_misses
from truespec.extraction.read import Extracted, routed
from truespec.extraction.write import summary, to_yaml
from truespec.models.call import Call
from truespec.models.contract import Model
from truespec.models.function import FunctionModel
from truespec.rules.compare import Toolbox, compare
from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.store.calls import CallLedger
from truespec.traces import Source, ToolSchema, Trace

TOOLS = (
    ToolSchema("look_up", {"type": "object"}, "Look an order up.", "read"),
    ToolSchema("change", {"type": "object"}, "Change an order.", "write"),
)
PROMPT = "Ask the user to confirm before you change an order."
AGREED = {"message": "user", "text": {"words": ["yes"]}}
CHANGE = {"call": "change"}
RIGHT = {"template": "precedence", "a": AGREED, "b": CHANGE}
SAME = {"when": CHANGE, "require": "O agreed", "define": {"agreed": AGREED}}
INVERTED = {"when": CHANGE, "require": "!(O agreed)", "define": {"agreed": AGREED}}
TRACE = Trace("t", (), Source("test", "f", "0", "0"), system_prompt=PROMPT, tools=TOOLS)


def _rule(formal: dict[str, Any]) -> Rule:
    (rule,) = load_rules(json.dumps([{"id": "confirm", "text": PROMPT, "formal": formal}]))
    return rule


def _script(first: Any, again: Any, third: Any = None) -> Callable[[Call], str]:
    """Extracts the first formal part, then the second; reads conversations by the right one."""

    def reply(call: Call) -> str:
        name = call.subject.split("/")[1]
        if name == "output":
            rule = {"id": "confirm", "text": PROMPT, "quote": PROMPT, "formal": first}
            return json.dumps({"rules": [rule]})
        if name in ("transition", "forbidden_edge"):
            return json.dumps({"rules": [], "edges": []})
        answer = reply_of(call, _rule(RIGHT))
        return json.dumps({"formal": third if name == "settle" else again, "kept": answer, "answer": answer})

    return reply


def _extract(path: Path, script: Callable[[Call], str], second: Callable[[Call], str] | None = None) -> Any:
    models: dict[str, Model] = {"m": FunctionModel("m", script)}
    if second is not None:
        models["n"] = FunctionModel("n", second)
    with CallLedger(path / "calls.sqlite") as ledger:
        extractor = Extractor(
            models,
            ledger,
            "m",
            categories=("output",),
            second="n" if second is not None else "",
        )
        extractor.extract([TRACE])
    (policy,) = extractor.policies.values()
    return policy


def _states(one: Extracted) -> list[tuple[str, str]]:
    return [(check.name, check.status) for check in one.checks]


def test_a_rule_is_deterministic_when_all_three_checks_agree(tmp_path: Path) -> None:
    policy = _extract(tmp_path, _script(RIGHT, SAME))
    (one,) = policy.extraction.rules
    assert one.route == "deterministic"
    assert _states(one) == [
        ("examples", "passed"),
        ("second formalisation", "passed"),
        ("conversations", "passed"),
    ]
    counts = summary(policy.extraction)
    assert counts["checks"]["conversations"] == {"passed": 1}
    assert counts["checked_rules"][0]["second formalisation"]["status"] == "passed"
    assert "# check conversations: passed" in to_yaml(policy.extraction)


def test_a_formula_that_is_inverted_twice_is_found_by_reading_conversations(tmp_path: Path) -> None:
    policy = _extract(tmp_path, _script(INVERTED, INVERTED))
    (one,) = policy.extraction.rules
    assert (one.route, one.rule.formal, one.examples) == ("semantic", None, None)
    assert _states(one)[1:] == [("second formalisation", "passed"), ("conversations", "failed")]
    # The conversations are a question for a person, and the formal part is kept for them.
    text = to_yaml(policy.extraction)
    assert "# question for a person: kept or broken?" in text
    assert "# not taken: " in text
    (rule,) = load_rules(text)
    assert rule.kind == "semantic"
    (record,) = summary(policy.extraction)["checked_rules"]
    assert record["not_taken"] == [INVERTED]
    assert record["conversations"]["conversations"]


@pytest.mark.parametrize(("first", "again"), [(INVERTED, RIGHT), (RIGHT, INVERTED)])
def test_a_conversation_settles_two_formulas_that_differ(tmp_path: Path, first: Any, again: Any) -> None:
    policy = _extract(tmp_path, _script(first, again, SAME))
    (one,) = policy.extraction.rules
    assert one.route == "deterministic"
    assert compare(one.rule, _rule(RIGHT)).relation == "equal"
    assert one.formal == RIGHT
    assert one.proposed == (INVERTED,)
    assert "confirm the" in one.checks[1].detail


def test_without_a_third_formula_that_agrees_the_rule_goes_to_judges(tmp_path: Path) -> None:
    (one,) = _extract(tmp_path, _script(INVERTED, RIGHT, INVERTED)).extraction.rules
    assert one.route == "semantic"
    assert _states(one)[1:] == [("second formalisation", "failed")]
    assert one.checks[1].conversations
    assert list(one.proposed) == [INVERTED, RIGHT]


def test_a_rule_that_the_second_formalisation_finds_beyond_programs_is_semantic(tmp_path: Path) -> None:
    (one,) = _extract(tmp_path, _script(RIGHT, None)).extraction.rules
    assert one.route == "semantic"
    assert "no formal part" in one.why
    assert list(one.proposed) == [RIGHT]


def test_a_call_that_fails_is_no_check(tmp_path: Path) -> None:
    script = _script(RIGHT, SAME)

    def failing(call: Call) -> str:
        if call.subject.endswith("/2"):
            raise ValueError("no answer")
        return script(call)

    policy = _extract(tmp_path, failing)
    (one,) = policy.extraction.rules
    assert one.route == "semantic"
    assert _states(one)[-1] == ("conversations", "not made")
    assert list(policy.lost) == ["conversations of confirm"]


def test_a_second_model_formalises_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def second(call: Call) -> str:
        asked.append(call.subject.split("/")[1])
        return json.dumps({"formal": SAME})

    (one,) = _extract(tmp_path, _script(RIGHT, "unused"), second).extraction.rules
    assert one.route == "deterministic"
    assert asked == ["formalise"]


def test_near_misses_are_rules_of_another_meaning_for_the_most_part() -> None:
    misses = near_misses(_rule(RIGHT))
    assert 0 < len(misses) <= MOST
    relations = [compare(_rule(RIGHT), miss, Toolbox(TOOLS)).relation for _, miss in misses]
    assert relations.count("equal") < len(misses) / 2
    assert misses[0][0] == "inverted"
    assert near_misses(replace(_rule(RIGHT), kind="semantic", formal=None)) == ()


def test_a_tool_or_an_argument_that_the_formula_forgot_shows_in_a_conversation() -> None:
    names = ("get_user", "get_order", "refund", "find_user")
    tools = Toolbox(tuple(ToolSchema(n, {"type": "object", "properties": {"born": {}}}) for n in names))
    both = {"template": "precedence", "a": {"result": "find_user"}, "b": {"call": ["get_user", "get_order"]}}
    unborn = {"template": "absence", "a": {"call": "get_user", "args": {"born": {"exists": False}}}}
    for right, wrong in (
        (both, {**both, "b": {"call": ["get_order"]}}),
        (unborn, {"template": "absence", "a": {"call": "get_user"}}),
    ):
        semantic = replace(_rule(wrong), kind="semantic", formal=None)
        asked = questions(routed(semantic, wrong, tools), tools)
        meant = _rule(right)
        read = [(status(meant, q.kept), status(meant, q.broken)) for q in asked]
        assert set(read) > {("pass", "fail")}, "a reader of the right rule disagrees somewhere"


def test_each_question_holds_one_conversation_that_the_formula_keeps() -> None:
    semantic = replace(_rule(RIGHT), kind="semantic", formal=None)
    one = routed(semantic, RIGHT, Toolbox(TOOLS))
    asked = questions(one, Toolbox(TOOLS))
    assert len(asked) > 2
    assert {question.expected for question in asked[:2]} == {"A", "B"}
    for question in asked:
        assert (status(one.rule, question.kept), status(one.rule, question.broken)) == ("pass", "fail")
        for trace in question.shown:
            again = conversation_of(as_lines(trace))
            assert as_lines(again) == as_lines(trace)
            assert status(one.rule, again) == status(one.rule, trace)


@pytest.fixture(scope="module")
def some() -> list[Truth]:
    return truths(["telecom"])[:9]


def test_planted_faults_are_caught_and_right_rules_kept(some: list[Truth]) -> None:
    wrong = planted(some)
    assert {case.kind for case in wrong} == {"inverted", "off by one", "wrong scope", "strong for weak"}
    for script in SCRIPTS[:2]:
        made = run(script, some, wrong)
        assert made.planted.total() >= 20
        assert made.caught >= 0.95, made.named
        assert made.lost <= 1, made.named
