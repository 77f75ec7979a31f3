"""Counts and times over judged candidates, and the summary record that holds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truespec.reports.entry import Entry, Judged
from truespec.verdict import Answer, Relation
from truespec.version import __version__


@dataclass(frozen=True, slots=True)
class Times:
    """Wall times of pairs, in seconds."""

    median: float
    """Half of the pairs took no longer."""
    p99: float
    """99 of 100 pairs took no longer."""
    longest: float
    """No pair took longer."""
    total: float
    """All pairs together."""

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Times | None:
        """The times of some pairs; None where there are no pairs."""
        ordered = sorted(seconds)
        if not ordered:
            return None
        return cls(_rank(ordered, 0.5), _rank(ordered, 0.99), ordered[-1], sum(ordered))

    def to_json(self) -> dict[str, float]:
        """The `seconds` of the summary."""
        return {
            "median": round(self.median, 6),
            "p99": round(self.p99, 6),
            "longest": round(self.longest, 6),
            "total": round(self.total, 6),
        }


def _rank(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed (nearest rank)."""
    position = -(-len(ordered) * share // 1)  # the ceiling
    return ordered[max(0, int(position) - 1)]


@dataclass(frozen=True, slots=True)
class Totals:
    """What a set of entries came to."""

    tasks: int
    """How many tasks there are."""
    answers: Mapping[str, int]
    """Candidates by answer, every answer named."""
    relations: Mapping[str, int]
    """Refuted candidates by their relation to the oracle, every relation named."""
    reasons: Mapping[str, int]
    """Unknown and invalid candidates by reason code, only those that occur."""
    agree: int
    """Verdicts that are the expected ones."""
    disagree: int
    """Verdicts that are not."""
    times: Times | None
    """Times of the pairs; None where there are none."""

    @property
    def candidates(self) -> int:
        """How many candidates were judged."""
        return sum(self.answers.values())

    @property
    def expected(self) -> int:
        """For how many candidates an answer was expected."""
        return self.agree + self.disagree

    def to_json(self) -> dict[str, object]:
        """A record of counts, as `summary.schema.json` describes it."""
        return {
            "tasks": self.tasks,
            "candidates": self.candidates,
            "answers": dict(self.answers),
            "relations": dict(self.relations),
            "reasons": dict(self.reasons),
            "expected": {"agree": self.agree, "disagree": self.disagree},
            "seconds": self.times.to_json() if self.times else None,
        }


def totals(entries: Sequence[Entry]) -> Totals:
    """The totals of these entries."""
    judged = [one for entry in entries for one in entry.judged]
    answers = Counter(one.verdict.answer for one in judged)
    relations = Counter(one.verdict.relation for one in judged if one.verdict.relation)
    reasons = Counter(one.verdict.reason.code.value for one in judged if one.verdict.reason)
    return Totals(
        tasks=len(entries),
        answers={answer.value: answers[answer] for answer in Answer},
        relations={relation.value: relations[relation] for relation in Relation},
        reasons=dict(sorted(reasons.items())),
        agree=sum(one.agrees is True for one in judged),
        disagree=sum(one.agrees is False for one in judged),
        times=Times.of(one.verdict.seconds for one in judged),
    )


def by_domain(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries of each domain, domains in the order of the alphabet."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.domain, []).append(entry)
    return dict(sorted(found.items()))


def disagreements(entries: Iterable[Entry]) -> list[tuple[Entry, Judged]]:
    """The candidates whose verdict is not the expected one."""
    return [(entry, one) for entry in entries for one in entry.judged if one.agrees is False]


def summarise(entries: Sequence[Entry], run: Mapping[str, object]) -> dict[str, object]:
    """The summary record: `run` (how and where it ran), counts in all and by domain, and every verdict."""
    return {
        "format": "truespec-summary/1",
        "version": __version__,
        "run": dict(run),
        "total": totals(entries).to_json(),
        "domains": {name: totals(some).to_json() for name, some in by_domain(entries).items()},
        "disagreements": [
            {"id": one.id, "expected": one.expected, "answer": one.verdict.answer.value}
            for _, one in disagreements(entries)
        ],
        "verdicts": [
            {"id": one.id, "task": entry.id, "expected": one.expected, **one.verdict.to_json()}
            for entry in entries
            for one in entry.judged
        ],
    }
