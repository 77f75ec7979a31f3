"""The analyses on corpora in which the answer is known by construction."""

from __future__ import annotations

import random

import pytest

from truespec.analysis.classifier import classifiers, follows
from truespec.analysis.corpus import AGGREGATE, Row, lost
from truespec.analysis.digest import digest
from truespec.analysis.mean import mean, spearman
from truespec.analysis.missed import hidden
from truespec.analysis.outcomes import composite, parts_of
from truespec.analysis.profiles import standings, traits
from truespec.analysis.recorded import Recorded, standing, word_of
from truespec.analysis.trends import trend


def row(
    number: int,
    reward: float | None = 1.0,
    score: float | None = 100.0,
    binding: dict[str, int] | None = None,
    model: str = "m",
    prompt: str | None = "p",
    domain: str = "shop",
    advisory: dict[str, int] | None = None,
) -> Row:
    scores = {} if score is None else {AGGREGATE: score, "output_spec": score}
    parts = None if reward is None else 100 * reward
    return Row(
        f"t{number}", "f", model, domain, str(number), reward, parts, scores, binding or {}, advisory or {},
        prompt, 10, 0.5, 2.0,
    )  # fmt: skip


def test_parts_that_exist_are_weighted_equally() -> None:
    outcome = {
        "db_check": {"db_match": False},
        "communicate_checks": [{"met": True}, {"met": False}],
        "action_checks": [{"action_match": True}],
        "nl_assertions": [],
        "env_assertions": [{"met": False}],
    }
    assert parts_of(outcome) == {"database": 0.0, "communication": 0.5, "actions": 1.0}
    assert composite(outcome) == 50.0
    assert composite({"db_check": None, "action_checks": "broken", "nl_assertions": [7]}) is None


def test_a_score_that_tells_failures_is_told_from_one_that_does_not() -> None:
    rng = random.Random(1)
    rows = [row(n, float(n % 2), 90.0 if n % 2 else 40.0, {} if n % 2 else {"k": 1}) for n in range(200)]
    found = {one.name: one for one in classifiers(rows)}
    areas = [found[name].auc for name in (AGGREGATE, "violations")]
    assert [area and area.value for area in areas] == [1.0, 1.0]
    assert found[AGGREGATE].curve[0].caught.value == 1.0
    noise = classifiers([row(n, float(n % 2), rng.uniform(0, 100)) for n in range(400)])[0]
    assert noise.auc is not None
    assert noise.auc.interval.low < 0.5 < noise.auc.interval.high


def test_differences_between_groups_do_not_count_within_them() -> None:
    """One model fails always and scores low, the other never: the pooled AUC is a difference of models."""
    rows = [row(n, 0.0, 20.0 + n % 3, model="a") for n in range(30)]
    rows += [row(n, 1.0, 80.0 + n % 3, model="b") for n in range(30)]
    rows += [row(n, float(n % 2), 50.0, model="c") for n in range(40)]
    found = classifiers(rows)[0]
    assert found.auc is not None
    assert found.auc.value > 0.9
    assert found.within == 0.5


def test_the_aggregate_follows_the_outcome_where_it_does() -> None:
    rows = [row(n, n / 40, float(n)) for n in range(40)] + [row(99, None), row(98, 1.0, None)]
    found = follows(rows)
    assert found.rank is not None
    assert (found.rank.value, found.total) == (1.0, 40)
    assert [round(c.value) for _, c in found.quarters] == [11, 36, 61, 86]
    assert (lost(rows).incomplete, lost(rows).unlabelled, lost(rows).traces) == (1, 1, 42)


def test_what_perfect_outcomes_hide() -> None:
    rows = [row(n, 1.0, binding={"text": 2} if n < 3 else {}) for n in range(10)]
    rows += [row(n, 0.0, binding={"text": 1}) for n in range(5)] + [row(50, None, binding={"text": 1})]
    rows.append(row(51, 1.0, advisory={"hint": 4}))
    found = hidden(rows)
    assert (found.solved.hits, found.solved.total) == (3, 11)
    assert (found.failed.hits, found.failed.total) == (5, 5)
    assert [(kind, binding, p.hits, times) for kind, binding, p, times in found.kinds] == [
        ("text", True, 3, 6),
        ("hint", False, 1, 4),
    ]


def test_a_model_of_its_own_is_found_and_prompts_are_flagged() -> None:
    def corpus(prompt: str) -> list[Row]:
        rows = [row(n, binding={"text": 1} if n < 35 else {}, model="a", prompt=prompt) for n in range(40)]
        rows += [row(n, binding={"text": 1} if n < 5 else {}, model="b") for n in range(40)]
        return rows + [row(n, binding={"text": 1} if n < 4 else {}, model="c") for n in range(40)]

    same = {t.model: t for t in traits(corpus("p"))}
    assert same["a"].significant
    assert same["a"].confounds == ()
    assert same["a"].others.total == 80
    other = {t.model: t for t in traits(corpus("q"))}
    assert other["a"].confounds == ("prompt",)
    assert not other["b"].significant  # compared with c alone, which had its prompt
    assert (other["b"].others.total, other["b"].confounds) == (40, ())


def test_chance_is_rarely_called_a_difference() -> None:
    rng = random.Random(3)
    false = 0
    for _ in range(30):
        rows = [
            row(n, binding={k: 1 for k in "abcdef" if rng.random() < 0.3}, model=m)
            for m in "xyz"
            for n in range(30)
        ]
        false += any(t.significant for t in traits(rows))
    assert false <= 4


def test_standings() -> None:
    (one, other) = standings([row(1, 1.0, 80.0), row(2, 0.0, 100.0), row(3, model="n")], lambda r: r.model)
    assert (one.name, one.traces, other.name) == ("m", 2, "n")
    assert one.scores[AGGREGATE].value == 90.0
    assert one.scores[AGGREGATE].interval.high == 100.0
    assert one.reward is not None
    assert one.cost is not None
    assert (one.reward.value, one.cost.value) == (50.0, 0.5)


def test_regressions_between_runs() -> None:
    before = [row(n, score=100.0) for n in range(40)]
    now = [row(n, score=70.0 if n < 20 else 100.0, binding={"text": 1} if n < 20 else {}) for n in range(40)]
    found = trend(before, now)
    assert [c.kind for c in found.regressions] == ["text"]
    assert len(found.worse) == 20
    assert not trend(before, before).regressions
    back = trend(now, before)
    assert back.changes[0].significant
    assert not back.regressions


def test_the_digest_counts_roots_and_ranks_them() -> None:
    def violation(
        rule: str, severity: str, root: str | None = None, effect: str = "took_effect"
    ) -> dict[str, object]:
        return {"rule_id": rule, "kind": "k", "message_index": 1, "quote": "q", "severity": severity,
                "effect": effect, "root": root}  # fmt: skip

    artifact = {
        "trace_id": "t", "model": "m", "outcome": {"reward": 1.0},
        "rules": [{"id": name, "text": name, "force": force} for name, force in
                  (("low", "mandatory"), ("high", "mandatory"), ("advice", "advisory"))],
        "results": [{"violations": [violation("low", "low"), violation("low", "low", "high@1"),
                                    violation("high", "high"), violation("advice", "critical")]}],
    }  # fmt: skip
    entries = digest([artifact, artifact])
    assert [e.rule for e in entries] == ["high", "low", "advice"]
    assert (entries[1].traces, entries[1].violations, entries[1].solved) == (2, 2, 2)


@pytest.mark.parametrize(
    ("word", "passed"),
    [("pass", True), ("Satisfactory.", True), ("COMPLIANT", True), ("fail", False), ("not_satisfied", False),
     ("incorrect", False), ("perhaps", None), (None, None)],
)  # fmt: skip
def test_words_of_judges(word: object, passed: bool | None) -> None:
    assert word_of(word) is passed


def test_a_verdict_that_is_no_word_is_not_evaluated() -> None:
    verdicts = [Recorded("a", True, True, None, 0.1), Recorded("b", False, False, None, 0.1)]
    found = standing("j", [*verdicts, Recorded("c", None, True, None, 0.1)])
    assert (found.agreed.hits, found.agreed.total, found.unread) == (2, 2, 1)
    assert found.auc is not None
    assert found.auc.value == 1.0
    assert found.cost == pytest.approx(0.3)


def test_ranks() -> None:
    found = spearman([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    assert found is not None
    assert found.value == -1.0
    tied = spearman([1, 1, 2, 2], [1, 2, 3, 4])
    assert tied is not None
    assert tied.value == pytest.approx(0.8944, abs=1e-4)
    assert spearman([1, 1, 1, 1], [1, 2, 3, 4]) is None
    assert mean([]) is None
