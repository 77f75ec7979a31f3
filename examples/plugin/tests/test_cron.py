"""The laws that a domain obeys, on schedules drawn at random."""

from __future__ import annotations

import random

import pytest
from truespec_example.cron.schedule import FIELDS

from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Relation, Verdict


def decide(oracle: str, candidate: str, **context: object) -> Verdict:
    return verify_pair(Pair("cron", oracle, candidate, context), 5.0)


@pytest.mark.parametrize(
    ("oracle", "candidate", "answer", "relation"),
    [
        ("*/15 * * * *", "0,15,30,45 * * * *", Answer.EQUIVALENT, None),
        ("0 12 * * 0", "0 12 * * 7", Answer.EQUIVALENT, None),
        ("0 0 30 2 *", "5 5 31 4 *", Answer.EQUIVALENT, None),
        ("0 12 * * 1-5", "0 12 * * 1-4", Answer.REFUTED, Relation.STRONGER),
        ("0 12 29 2 *", "0 12 28-29 2 *", Answer.REFUTED, Relation.WEAKER),
        ("0 12 13 * *", "0 13 12 * *", Answer.REFUTED, Relation.INCOMPARABLE),
        ("0 12 * * *", "0 25 * * *", Answer.INVALID, None),
        ("0 12 * * *", "0 12 * *", Answer.INVALID, None),
    ],
)
def test_a_pair_has_its_verdict(
    oracle: str, candidate: str, answer: Answer, relation: Relation | None
) -> None:
    verdict = decide(oracle, candidate)
    assert (verdict.answer, verdict.relation) == (answer, relation), verdict


def test_two_fields_for_days_are_joined_as_the_context_says() -> None:
    assert decide("0 0 13 * 5", "0 0 13 * *").answer is Answer.REFUTED
    assert decide("0 0 13 * 5", "0 0 13 * *").relation is Relation.STRONGER
    assert decide("0 0 13 * 5", "0 0 13 * *", days="both").relation is Relation.WEAKER


def draw(rng: random.Random) -> str:
    def field(least: int, greatest: int) -> str:
        low = rng.randint(least, greatest)
        some = f"{low}-{rng.randint(low, greatest)}/{rng.randint(1, 9)}"
        return rng.choice(["*", f"*/{rng.randint(1, 40)}", str(low), some, f"{low},{some}"])

    return " ".join(field(least, greatest) for _, least, greatest in FIELDS)


@pytest.mark.parametrize("seed", range(6))
def test_drawn_schedules_obey_the_laws(seed: int) -> None:
    rng, domain = random.Random(seed), load("cron")
    schedule = draw(rng)
    for other in [schedule, draw(rng), *domain.rewritings(schedule, {}), *domain.mutants(schedule, {})]:
        verdict = decide(schedule, other)
        checked = domain.recheck(schedule, other, {}, verdict, Limit.start(5))
        assert checked.status is RecheckStatus.CONFIRMED, (schedule, other, checked)
        assert decide(other, schedule).answer is verdict.answer
    for rewriting in domain.rewritings(schedule, {}):
        assert decide(schedule, rewriting).answer is Answer.EQUIVALENT, (schedule, rewriting)
