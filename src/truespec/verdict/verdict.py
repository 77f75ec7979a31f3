"""The verdict on one pair of specifications, and its record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from truespec.verdict.answer import Answer, Relation
from truespec.verdict.evidence import JSON, Bounded, Counterexample, Evidence, Proof, evidence_from_json
from truespec.verdict.reason import OF_INVALID, OF_UNKNOWN, Reason, ReasonCode
from truespec.version import __version__

_CONTRADICTIONS = ((Relation.STRONGER, (False, True)), (Relation.WEAKER, (True, False)))
"""A relation, and what oracle and candidate can then not be at one input."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was concluded about a candidate, why, and at what cost.

    >>> unknown("regex", ReasonCode.TIMEOUT, "no decision within 4 s").answer.value
    'unknown'
    """

    domain: str
    """`arith`, `sql`, `fol`, `regex` or `rocq`."""
    answer: Answer
    """The conclusion."""
    method: str
    """The procedure that concluded, e.g. `derivatives`; for an undecided pair the one that stopped."""
    evidence: Evidence | None = None
    """A proof for *equivalent*, a counterexample for *refuted*, a finished bound for *unknown*."""
    reason: Reason | None = None
    """Why there is no decision, or why the candidate is invalid; null for a decided pair."""
    relation: Relation | None = None
    """How a refuted candidate relates to the oracle; null where not decided or not defined."""
    notes: Mapping[str, JSON] = field(default_factory=dict)
    """Observations beside the answer that are no part of it, e.g. a renaming that makes the two equal."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the answer's truth depends on besides the texts: versions of tables, engines and provers."""
    seconds: float = 0.0
    """Wall time of the pair once a worker took it up; set-up and queueing are not in it."""
    version: str = __version__
    """The version of truespec that concluded."""

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise ValueError(f"a verdict of {self.answer.value!r} {problem}")

    def _problem(self) -> str:
        match self.answer:
            case Answer.EQUIVALENT:
                if not isinstance(self.evidence, Proof):
                    return f"carries its proof, not {self.evidence!r}"
            case Answer.REFUTED:
                if not isinstance(self.evidence, Counterexample):
                    return f"carries its counterexample, not {self.evidence!r}"
            case Answer.UNKNOWN:
                if self.reason is None or self.reason.code not in OF_UNKNOWN:
                    return f"states why it is undecided, not {self.reason!r}"
                if not isinstance(self.evidence, Bounded | None):
                    return f"carries at most a finished bound, not {self.evidence!r}"
            case Answer.INVALID:
                if self.reason is None or self.reason.code not in OF_INVALID:
                    return f"states what is wrong with the candidate, not {self.reason!r}"
                if self.evidence is not None:
                    return "carries no evidence"
        if self.answer in (Answer.EQUIVALENT, Answer.REFUTED) and self.reason is not None:
            return "is decided and has no reason"
        if self.relation is not None and self.answer is not Answer.REFUTED:
            return "has no relation: only a refuted candidate has one"
        if isinstance(self.evidence, Counterexample):
            values = self.evidence.oracle_value, self.evidence.candidate_value
            if self.relation and (self.relation, values) in _CONTRADICTIONS:
                return f"says {self.relation.value!r}, which its own counterexample denies"
        if not self.method:
            return "names its method"
        if not self.seconds >= 0:
            return f"takes a time in seconds, not {self.seconds!r}"
        return ""

    def within(self, environment: Mapping[str, str]) -> Verdict:
        """The same verdict with the environment in which it was found."""
        return replace(self, environment=dict(environment)) if environment else self

    def assuming(self, assumed: Mapping[str, str]) -> Verdict:
        """The same verdict with a note of what the context left out: fields with the values taken."""
        return replace(self, notes={**self.notes, "assumed": dict(assumed)}) if assumed else self

    def timed(self, seconds: float) -> Verdict:
        """The same verdict with its wall time in seconds."""
        return replace(self, seconds=seconds)

    def to_json(self) -> dict[str, object]:
        """The verdict record (`verdict.schema.json`), without the pair's `id`."""
        return {
            "domain": self.domain,
            "answer": self.answer.value,
            "relation": self.relation.value if self.relation else None,
            "method": self.method,
            "evidence": self.evidence.to_json() if self.evidence else None,
            "reason": self.reason.to_json() if self.reason else None,
            "seconds": round(self.seconds, 6),
            "version": self.version,
            **({"environment": dict(self.environment)} if self.environment else {}),
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def to_dict(self) -> dict[str, object]:
        """The same record under the name that notebooks expect."""
        return self.to_json()

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        from truespec.verdict.html import as_html

        return as_html(self.to_json())

    @classmethod
    def from_json(cls, record: Mapping[str, object]) -> Verdict:
        """Read a verdict record; `ValueError` or `KeyError` says which field is missing or contradictory."""
        relation, evidence, reason = record.get("relation"), record.get("evidence"), record.get("reason")
        if not isinstance(evidence, Mapping | None) or not isinstance(reason, Mapping | None):
            raise ValueError("'evidence' and 'reason' of a verdict record are objects or null")
        notes = record.get("notes") or {}
        if not isinstance(notes, Mapping):
            raise ValueError(f"'notes' of a verdict record is an object, not {notes!r}")
        environment = record.get("environment") or {}
        if not isinstance(environment, Mapping) or not all(isinstance(v, str) for v in environment.values()):
            raise ValueError(f"'environment' of a verdict record maps names to versions, not {environment!r}")
        seconds = record["seconds"]
        if not isinstance(seconds, int | float):
            raise ValueError(f"'seconds' of a verdict record is a number, not {seconds!r}")
        return cls(
            domain=str(record["domain"]),
            answer=Answer(record["answer"]),
            method=str(record["method"]),
            evidence=evidence_from_json(evidence),
            reason=Reason.from_json(reason) if reason else None,
            relation=Relation(relation) if relation else None,
            notes=notes,
            environment=environment,
            seconds=float(seconds),
            version=str(record["version"]),
        )


def equivalent(domain: str, method: str, proof: Proof) -> Verdict:
    """A proved pair."""
    return Verdict(domain, Answer.EQUIVALENT, method, proof)


def refuted(
    domain: str, method: str, counterexample: Counterexample, relation: Relation | None = None
) -> Verdict:
    """A pair with a replayed counterexample."""
    return Verdict(domain, Answer.REFUTED, method, counterexample, relation=relation)


def unknown(
    domain: str, code: ReasonCode, detail: str, *, method: str = "none", bounded: Bounded | None = None
) -> Verdict:
    """An undecided pair and why."""
    return Verdict(domain, Answer.UNKNOWN, method, bounded, Reason(code, detail))


def invalid(domain: str, code: ReasonCode, detail: str) -> Verdict:
    """A candidate that is no specification and why."""
    return Verdict(domain, Answer.INVALID, "parse", reason=Reason(code, detail))
