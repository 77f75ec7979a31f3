"""Scores and their aggregate (section 3.4 of the paper), and the second score without double counting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import needs
from truespec.compliance import roots
from truespec.compliance.artifact import artifact
from truespec.compliance.evaluators.answer import Judged
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.scoring import DEFAULT, Result, Scoring, aggregate, read_scoring, results_of
from truespec.rules.compare import Inclusion, included
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet, Status, Violation
from truespec.rules.packs import pack
from truespec.rules.rule import Rule
from truespec.rules.sets import rule_set
from truespec.traces import Message, Outcome, Source, ToolCall, ToolSchema, Trace
from truespec.traces.importers.registry import read
from truespec.verdict import UsageError

SOURCE = Source("test", "f", "0", "0")


def result(name: str, score: float | None, status: str = "") -> Result:
    return Result(
        name, DEFAULT.tiers[name], Status(status or ("pass" if score == 100 else "fail")), score, "because"
    )


def test_one_critical_evaluator_at_40_bounds_all_others_at_100() -> None:
    scores = dict.fromkeys(DEFAULT.tiers, 100.0) | {"output_spec": 40.0}
    total = aggregate([result(name, score) for name, score in scores.items()])
    assert total["score"] == 40.0
    assert total["cap"] == "output_spec"
    assert total["partial"] is None


def test_the_mean_is_weighted_3_2_1_and_only_critical_scores_bound_it() -> None:
    total = aggregate(
        [result("output_spec", 90.0), result("transition_spec", 0.0), result("forbidden_edges", 100.0)]
    )
    assert total["score"] == pytest.approx((3 * 90 + 2 * 0 + 100) / 6, abs=1e-3)
    assert total["cap"] is None


@pytest.mark.parametrize("critical", ["output_spec", "predicted_plan"])
def test_a_critical_evaluator_that_was_not_evaluated_leaves_a_partial(critical: str) -> None:
    others = [result(name, 100.0) for name in DEFAULT.tiers if name != critical]
    total = aggregate([*others, result(critical, None, "not_evaluated")])
    assert total["score"] is None
    assert total["partial"] == 100.0
    assert total["missing"] == [critical]
    assert critical not in total["included"]


def test_a_lesser_one_and_one_without_rules_are_left_out() -> None:
    total = aggregate(
        [
            result("output_spec", 100.0),
            result("argument_spec", None, "not_evaluated"),
            result("predicted_plan", None, "no_rules"),
        ]
    )
    assert (total["score"], total["partial"], total["included"]) == (100.0, None, ["output_spec"])
    nothing = aggregate(results_of([]))
    assert (nothing["score"], nothing["partial"], nothing["included"]) == (None, None, [])


def conversation(
    *messages: Message, tools: tuple[ToolSchema, ...] | None = None, reward: float = 1.0
) -> Trace:
    return Trace("t", messages, SOURCE, tools=tools, outcome=Outcome(reward))


def checked(text: str, trace: Trace, scoring: Scoring = DEFAULT) -> dict[str, Any]:
    rules = RuleSet(load_rules(text))
    return artifact(trace, rules.check(trace), scoring, ProvedOverlaps(rules.rules))


def by_name(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["evaluator"]: one for one in record["results"]}


CALL = Message("assistant", "Let me see.", (ToolCall("book", {"seat": "12A"}, "c1"),))
DONE = Message("tool", "done", call_id="c1")
FAILED = Message("tool", "Error: no seat", call_id="c1", error=True)


@pytest.mark.parametrize(
    ("severity", "answer", "score"),
    [
        ("critical", DONE, 40.0),
        ("high", DONE, 80.0),
        ("medium", DONE, 80.0),
        ("low", DONE, 96.0),
        ("critical", FAILED, 70.0),
        ("low", FAILED, 98.0),
    ],
)
def test_what_a_violation_costs(severity: str, answer: Message, score: float) -> None:
    rule = f"- {{id: x, text: t, severity: {severity}, formal: {{template: absence, a: {{call: book}}}}}}"
    record = checked(rule, conversation(CALL, answer))
    assert by_name(record)["output_spec"]["score"] == score
    assert record["aggregate"]["score"] == score


def test_scores_end_at_zero_and_advice_costs_nothing() -> None:
    rule = "- {id: x, text: t, severity: critical, FORCE formal: {template: absence, a: {call: book}}}"
    calls = [Message("assistant", None, (ToolCall("book", {"n": n}),)) for n in range(5)]
    assert checked(rule.replace("FORCE", ""), conversation(*calls))["aggregate"]["score"] == 0.0
    advice = checked(rule.replace("FORCE", "force: advisory,"), conversation(*calls))
    assert advice["aggregate"]["score"] == 100.0
    assert len(by_name(advice)["output_spec"]["violations"]) == 5


def test_a_forbidden_edge_is_all_or_nothing() -> None:
    rule = (
        "- {id: e, text: t, category: forbidden_edge, severity: low, "
        "formal: {template: forbidden_edge, a: {call: look}, b: {call: book}}}"
    )
    look = Message("assistant", None, (ToolCall("look", {}),))
    assert by_name(checked(rule, conversation(look, CALL, FAILED)))["forbidden_edges"]["score"] == 0.0
    assert by_name(checked(rule, conversation(CALL, DONE, look)))["forbidden_edges"]["score"] == 100.0


def test_the_final_state_is_critical_where_the_outcome_is_wrong() -> None:
    rule = (
        "- {id: s, text: t, category: final_state, severity: SEVERITY, "
        "formal: {template: absence, a: {result: book, ok: true}}}\n"
        "- {id: o, text: t, formal: {template: absence, a: {call: never}}}"
    )
    wrong = checked(rule.replace("SEVERITY", "critical"), conversation(CALL, DONE))
    assert by_name(wrong)["predicted_final_state"]["tier"] == "critical"
    assert by_name(wrong)["predicted_final_state"]["weight"] == 3
    assert (wrong["aggregate"]["score"], wrong["aggregate"]["cap"]) == (40.0, "predicted_final_state")
    slip = checked(rule.replace("SEVERITY", "low"), conversation(CALL, DONE))
    assert by_name(slip)["predicted_final_state"]["tier"] == "low"
    right = checked(rule.replace("SEVERITY", "critical"), conversation(CALL, FAILED))
    assert by_name(right)["predicted_final_state"]["tier"] == "low"


def test_a_perfect_reward_with_text_beside_calls_and_no_recheck_is_bounded() -> None:
    """The paper's example (section 2): the outcome is right, the procedure is not."""
    rules = """
- {id: text-xor-call, text: Speak or act., category: output, severity: low, violation: simultaneous_call_text,
   formal: {template: absence, a: {message: assistant, says: true, calls: {min: 1}}}}
- {id: recheck, text: Look again., category: plan, severity: medium, violation: skipped_verification,
   formal: {template: response, a: {result: cancel, ok: true}, b: {call: details}}}
- {id: order, text: Look first., category: transition,
   formal: {template: precedence, a: {call: details}, b: {call: cancel}}}
"""
    messages = []
    for step, tool in enumerate(["details", "details", "cancel", "cancel"]):
        messages.append(
            Message("assistant", "One moment.", (ToolCall(tool, {"id": f"R{step}"}, f"c{step}"),))
        )
        messages.append(Message("tool", "{}", call_id=f"c{step}"))
    record = checked(rules, conversation(*messages, reward=1.0))
    scores = {name: one["score"] for name, one in by_name(record).items() if one["score"] is not None}
    assert record["outcome"]["reward"] == 1.0
    assert scores == {"output_spec": 84.0, "transition_spec": 100.0, "predicted_plan": 60.0}
    assert record["aggregate"]["score"] == 60.0
    assert record["aggregate"]["cap"] == "predicted_plan"
    kinds = {v["kind"] for one in record["results"] for v in one["violations"]}
    assert kinds == {"simultaneous_call_text", "skipped_verification"}


def test_one_act_under_two_rules_is_charged_once_in_the_causal_score() -> None:
    twice = """
- {id: as-output, text: Speak or act., category: output, severity: high,
   formal: {template: absence, a: {message: assistant, says: true, calls: {min: 1}}}}
- {id: as-transition, text: Never both., category: transition, severity: high,
   formal: {formula: "G !both", define: {both: {message: assistant, says: true, calls: {min: 1}}}}}
"""
    record = checked(twice, conversation(CALL, DONE))
    assert [by_name(record)[name]["score"] for name in ("output_spec", "transition_spec")] == [80.0, 80.0]
    assert record["aggregate"]["score"] == 80.0
    causal = record["aggregate"]["causal"]
    assert causal["scores"] == {"output_spec": 80.0, "transition_spec": 100.0}
    assert (causal["violations"], causal["roots"]) == (2, 1)
    (group,) = causal["collapsed"]
    assert "proved equal" in group["why"][0]
    assert causal["score"] == 80.0


def test_what_no_proof_ties_together_stays_apart() -> None:
    two = """
- {id: speaks, text: t, category: output, severity: high,
   formal: {template: absence, a: {message: assistant, says: true, calls: {min: 1}}}}
- {id: see, text: t, category: transition, severity: high,
   formal: {template: absence, a: {message: assistant, text: "Let me"}}}
"""
    causal = checked(two, conversation(CALL, DONE))["aggregate"]["causal"]
    assert (causal["violations"], causal["roots"], causal["collapsed"]) == (2, 2, [])
    assert causal["difference"].startswith("none")


def test_an_implication_that_a_trace_refutes_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RuleSet(
        load_rules(
            """
- {id: speaks, text: t, formal: {template: absence, a: {message: assistant, says: true, calls: {min: 1}}}}
- {id: greets, text: t, formal: {template: absence, a: {message: assistant, text: {contains: Hello}}}}
"""
        )
    )
    tried: list[tuple[str, str]] = []

    def noted(left: Rule, right: Rule, *arguments: Any, **options: Any) -> Inclusion:
        tried.append((left.id, right.id))
        return included(left, right, *arguments, **options)

    monkeypatch.setattr(roots, "included", noted)
    overlaps = ProvedOverlaps(rules.rules)
    overlaps.see(rules.check(conversation(CALL, DONE)))
    assert overlaps("speaks", "greets") == ""
    assert tried == [("speaks", "greets")]
    overlaps = ProvedOverlaps(rules.rules)
    overlaps.see(rules.check(conversation(CALL, DONE)))
    overlaps.see(rules.check(conversation(Message("assistant", "Hello."))))
    assert overlaps("greets", "speaks") == ""
    assert len(tried) == 1


def test_one_call_that_breaks_two_rules_and_what_follows_from_it() -> None:
    """An invented argument: ungrounded, unconfirmed, and used again by the next call."""
    rules = """
- {id: grounded, text: t, category: groundedness, severity: high,
   formal: {template: absence, a: {call: any, coded: {ungrounded: {min_length: 4, skip: []}}}}}
- {id: ask, text: t, category: transition, severity: critical,
   formal: {template: precedence, a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
- {id: no-notes, text: t, category: output, severity: high,
   formal: {template: absence, a: {call: note}}}
"""
    book = Message("assistant", None, (ToolCall("book", {"seat": "X9999"}, "c1"),))
    note = Message("assistant", None, (ToolCall("note", {"about": "seat X9999 is taken"}, "c2"),))
    record = checked(
        rules, conversation(Message("user", "book it"), book, DONE, note, tools=(ToolSchema("book", {}),))
    )
    causal = record["aggregate"]["causal"]
    assert (causal["violations"], causal["roots"]) == (4, 1)
    assert causal["scores"]["transition_spec"] == 40.0
    assert causal["scores"]["output_spec"] == 100.0
    assert causal["scores"]["argument_groundedness"] == 100.0
    assert record["aggregate"]["score"] < causal["score"]
    assert causal["difference"].startswith("+")


def test_a_judges_deduction_stands_beside_the_monitors() -> None:
    rule = "- {id: x, text: t, severity: low, formal: {template: absence, a: {call: book}}}\n"
    rule += "- {id: kind, text: Be kind., kind: semantic}"
    rules = RuleSet(load_rules(rule))
    trace = conversation(CALL, DONE)
    unkind = Violation("kind", "subjective_comments", 0, "Let me see.", "low", "none")
    kind = (rules.rules[1],)
    said = Result("output_spec", "critical", Status.FAIL, 85.0, "unkind", (unkind,), judged=85.0)
    judged = {"output_spec": Judged(said, kind)}
    record = artifact(trace, rules.check(trace), judged=judged)
    output = by_name(record)["output_spec"]
    assert (output["score"], output["status"], len(output["violations"])) == (81.0, "fail", 2)
    assert {one["rule_id"]: one["status"] for one in record["checks"]} == {"x": "fail", "kind": "fail"}
    lost = {
        "output_spec": Judged(Result("output_spec", "critical", Status.NOT_EVALUATED, None, "silent"), kind)
    }
    assert by_name(artifact(trace, rules.check(trace), judged=lost))["output_spec"]["score"] is None


def test_every_number_can_be_set() -> None:
    scoring = read_scoring({"penalties": {"low": 10}, "blocked": 0, "tiers": {"output_spec": "low"}})
    rule = "- {id: x, text: t, severity: low, formal: {template: absence, a: {call: book}}}"
    record = checked(rule, conversation(CALL, DONE), scoring)
    assert (by_name(record)["output_spec"]["tier"], record["aggregate"]["score"]) == ("low", 90.0)
    assert checked(rule, conversation(CALL, FAILED), scoring)["aggregate"]["score"] == 100.0
    mistakes: tuple[Any, ...] = (
        {"penalty": 1},
        {"tiers": {"output": "low"}},
        {"tiers": {"output_spec": "high"}},
        [],
        {"blocked": -1},
    )
    for wrong in mistakes:
        with pytest.raises(UsageError):
            read_scoring(wrong)


def test_readings_and_repeats_are_charged_once() -> None:
    write = ToolSchema("book", kind="write")
    once = conversation(CALL, DONE, tools=(write,))
    rules = RuleSet(pack("confirmation"))
    record = artifact(once, rules.check(once))
    assert by_name(record)["transition_spec"]["score"] == 80.0
    again = conversation(CALL, DONE, CALL, DONE, tools=(write,))
    assert by_name(artifact(again, rules.check(again)))["transition_spec"]["score"] == 80.0
    other = Message("assistant", None, (ToolCall("book", {"seat": "12B"}, "c2"),))
    more = conversation(CALL, DONE, other, tools=(write,))
    assert by_name(artifact(more, rules.check(more)))["transition_spec"]["score"] == 60.0


def test_rules_for_another_environment_leave_no_gap() -> None:
    """They were not given for this trace: nothing is missing, least of all from a critical evaluator."""
    rules = """
- {id: there, text: t, category: output, domains: [airline], formal: {template: absence, a: {call: book}}}
- {id: here, text: t, category: transition, domains: [retail], formal: {template: absence, a: {call: fly}}}
"""
    record = checked(rules, replace(conversation(CALL, DONE), domain="retail-workflow"))
    assert by_name(record)["output_spec"]["status"] == "no_rules"
    assert by_name(record)["transition_spec"]["status"] == "pass"
    assert (record["aggregate"]["score"], record["aggregate"]["partial"]) == (100.0, None)
    assert {check["rule_id"]: check["status"] for check in record["checks"]}["there"] == "not_evaluated"


def test_real_traces_with_a_perfect_reward_are_bounded_by_what_they_said_beside_calls() -> None:
    folder = needs.sources("traces/tau2")
    rules = RuleSet([*rule_set("airline"), *pack("recheck")])
    bounded = 0
    for item in read(folder / "airline__claude-opus-4.6.json.gz"):
        if not isinstance(item, Trace) or item.outcome.reward != 1.0:
            continue
        record = artifact(item, rules.check(item))
        output = by_name(record)["output_spec"]
        kinds = {v["kind"] for one in record["results"] for v in one["violations"]}
        if {"simultaneous_call_text", "skipped_verification"} <= kinds:
            bounded += 1
            assert record["aggregate"]["score"] <= output["score"] < 100
            assert record["aggregate"]["cap"] in ("output_spec", None)
            assert record["aggregate"]["causal"]["score"] >= record["aggregate"]["score"]
    assert bounded >= 5
