"""Inflation with answers that no judge is asked about, and means that keep judges apart."""

from __future__ import annotations

from typing import Any

from truespec.judges.judgement import Judgement
from truespec.metrics.judging import judge_rates
from truespec.metrics.table import Table
from truespec.reports.bench import tables
from truespec.verdict import Answer

REPLY = {"text": "", "input_tokens": 1, "output_tokens": 1, "cost": None, "seconds": 0.0}


def _answer(task: str, answer: str, *, model: str = "m", candidate: str | None = "a") -> dict[str, Any]:
    base = {"task": task, "domain": "regex", "model": model, "epoch": 0}
    verdict = {"answer": answer, "relation": None, "reason": None, "seconds": 0.1}
    form = {"candidate": candidate, "strict": candidate is not None, "reply": REPLY}
    return {**base, **form, "verdict": verdict}


def _judged(task: str, judgement: str, *, model: str = "m", judge: str = "j") -> dict[str, Any]:
    base = {"task": task, "domain": "regex", "model": model, "epoch": 0}
    scores = [3 if judgement == "accept" else 0]
    about = {"kind": "formalization", "judge": judge, "scores": scores, "replies": [REPLY]}
    return {**base, **about, "judgement": judgement}


def _named(answers: list[dict[str, Any]], judgements: list[dict[str, Any]]) -> dict[str, Table]:
    return {table.name: table for table in tables(answers, judgements)}


def test_answers_without_a_specification_lower_the_verifiers_success_alone() -> None:
    # The judge accepts 1 of 2 judged answers; the verifier proves 1 of 4 answers.
    empty = [_answer(task, "invalid", candidate=None) for task in ("c", "d")]
    answers = [_answer("a", "equivalent"), _answer("b", "refuted"), *empty]
    found = _named(answers, [_judged("a", "accept"), _judged("b", "reject")])
    inflation = found["inflation-formalization"].rows[0][1:]
    assert [cell.split(" (")[0] for cell in inflation] == ["+25.0%", "+25.0%", "+0.0%"]
    pooled = found["judges-pooled"]
    row = dict(zip(pooled.columns, pooled.rows[0], strict=True))
    shown = [row[name].split(" (")[0] for name in ("inflation", "on judged answers alone")]
    assert shown == ["+25.0%", "+0.0%"]
    assert found["cost"].rows[0][1] == "2", "what was not judged is no judgement"
    thresholds = found["thresholds"].rows
    assert all("/1," in cell for row in thresholds for cell in row[1:]), "nor has it a score"
    assert found["malformed-formalization"].rows[0][1].startswith("0.0% (0/2")


def test_an_answer_that_is_not_judged_counts_in_no_rate_of_the_judge() -> None:
    asked = [(Answer.EQUIVALENT, Judgement.ACCEPT), (Answer.REFUTED, Judgement.REJECT)]
    alone = judge_rates(asked)
    rates = judge_rates([*asked, (Answer.INVALID, None), (Answer.INVALID, None)])
    assert (rates.inflation, rates.inflation_judged) == (0.25, 0.0)
    assert alone.inflation == alone.inflation_judged == 0.0
    for name in ("far", "frr", "precision", "judge_success", "malformed", "invalid_accepted"):
        assert getattr(rates, name) == getattr(alone, name)


def test_no_mean_is_taken_over_different_judges() -> None:
    answers = [_answer("a", "refuted", model=model) for model in ("m", "n")]
    judgements = [
        _judged("a", judgement, model=model, judge=judge)
        for model in ("m", "n")
        for judge, judgement in (("lenient", "accept"), ("strict", "reject"))
    ]
    rows = _named(answers, judgements)["judges"].rows
    means = {row[0]: row[1].split(" (")[0] for row in rows if row[0].startswith("Mean")}
    assert means == {
        "Mean over models judged by lenient": "100.0%",
        "Mean over models judged by strict": "0.0%",
    }
