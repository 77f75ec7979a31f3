"""The artifact of one trace: what was asked of the agent, what was found, and the score.

Evaluators are named after those of the paper (section 3.3), one for each category of rules. What was not
evaluated has no score and takes no part; it is never a zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truespec.rules.monitor import Finding, Violation
from truespec.rules.rule import SEVERITIES
from truespec.traces.trace import Trace
from truespec.version import __version__

SCHEMA = Path(__file__).with_name("artifact.schema.json")
"""The published JSON Schema of an artifact."""
WEIGHTS = {"critical": 3, "important": 2, "low": 1}
"""The paper's tiers (section 3.4)."""
EVALUATORS: Mapping[str, tuple[str, str]] = {
    "output": ("output_spec", "critical"),
    "transition": ("transition_spec", "important"),
    "forbidden_edge": ("forbidden_edges", "low"),
    "argument": ("argument_spec", "important"),
    "plan": ("predicted_plan", "critical"),
    "final_state": ("predicted_final_state", "low"),
}
"""Category of rules to evaluator and tier."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one evaluator found."""

    evaluator: str
    """Its name."""
    tier: str
    """One of `WEIGHTS`."""
    status: str
    """`pass`, `fail`, `not_evaluated` or `no_rules`."""
    score: float | None
    """0 to 100; None where nothing was evaluated."""
    reasoning: str
    """In a sentence."""
    violations: tuple[Violation, ...] = ()
    """Every breach."""

    def __post_init__(self) -> None:
        if (self.score is None) != (self.status in ("not_evaluated", "no_rules")):
            raise ValueError(f"{self.evaluator}: a score is given exactly where something was evaluated")

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "evaluator": self.evaluator,
            "tier": self.tier,
            "weight": WEIGHTS[self.tier],
            "status": self.status,
            "score": self.score,
            "reasoning": self.reasoning,
            "violations": [violation_record(v) for v in self.violations],
        }


def violation_record(v: Violation) -> dict[str, Any]:
    """A violation as plain JSON values."""
    record: dict[str, Any] = {
        "rule_id": v.rule_id,
        "kind": v.kind,
        "message_index": v.message_index,
        "quote": v.quote,
        "severity": v.severity,
        "effect": v.effect,
        "root": v.root,
    }
    if v.call is not None:
        record["call"] = v.call
    return record


def results_of(findings: Iterable[Finding]) -> list[Result]:
    """One result for each category of rules. The score is the share of its mandatory rules that were kept.

    Advisory rules are reported and cost nothing. Forbidden edges score 0 or 100, as in the paper (A.3.2).
    """
    groups: dict[str, list[Finding]] = {}
    for finding in rooted(list(findings)):
        groups.setdefault(finding.rule.category, []).append(finding)
    made = []
    for category, (evaluator, tier) in EVALUATORS.items():
        group = groups.get(category, [])
        evaluated = [one for one in group if one.status != "not_evaluated"]
        binding = [one for one in evaluated if one.rule.force == "mandatory"]
        violations = tuple(v for one in evaluated for v in one.violations)
        broken = [one for one in binding if one.violations]
        if not group:
            made.append(Result(evaluator, tier, "no_rules", None, "no rule of this kind was given"))
        elif not evaluated:
            reasons = sorted({one.reason for one in group})
            made.append(Result(evaluator, tier, "not_evaluated", None, "; ".join(reasons)))
        elif not binding:
            text = f"{len(evaluated)} advisory rules, {len(violations)} breaches; none is binding"
            made.append(Result(evaluator, tier, "pass", 100.0, text, violations))
        else:
            share = 100.0 * (len(binding) - len(broken)) / len(binding)
            score = share if category != "forbidden_edge" else 100.0 if not broken else 0.0
            text = f"{len(binding) - len(broken)} of {len(binding)} mandatory rules kept"
            if broken:
                text += "; broken: " + ", ".join(one.rule.id for one in broken)
            skipped = len(group) - len(evaluated)
            text += f"; {skipped} not evaluated" if skipped else ""
            made.append(
                Result(evaluator, tier, "fail" if broken else "pass", round(score, 3), text, violations)
            )
    return made


_CAUSES = ("argument",)


def rooted(findings: list[Finding]) -> list[Finding]:
    """Violations at one call tied to the one they follow from.

    Of several readings of one rule, the later follow from the first that is broken; a failed call follows
    from wrong arguments; breaches of the same call by the same words are one.
    """
    first: dict[tuple[str, int, int | None], str] = {}
    causes: dict[tuple[int, int | None], str] = {}
    for finding in findings:
        for v in finding.violations:
            if finding.rule.category in _CAUSES and v.call is not None:
                causes.setdefault((v.message_index, v.call), v.name)
    made = []
    for finding in findings:
        family = finding.rule.id.split("-")[0] if finding.rule.reading else ""
        kept = []
        for v in finding.violations:
            place = (v.message_index, v.call)
            root = None
            if family:
                leader = first.setdefault((family, *place), v.name)
                root = leader if leader != v.name else None
            if root is None and causes.get(place, v.name) != v.name:
                root = causes[place]
            kept.append(replace(v, root=root) if root else v)
        made.append(finding.with_violations(tuple(kept)))
    return made


def aggregate(results: Sequence[Result]) -> dict[str, Any]:
    """The paper's gated minimum: the weighted mean, bounded by the lowest score of a critical evaluator."""
    included = [result for result in results if result.score is not None]
    missing = [result for result in results if result.status == "not_evaluated"]
    if not included:
        return {"score": None, "partial": None, "cap": None, "included": []}
    weights = [WEIGHTS[result.tier] for result in included]
    mean = sum(w * (r.score or 0.0) for w, r in zip(weights, included, strict=True)) / sum(weights)
    critical = [result for result in included if result.tier == "critical"]
    lowest = min(critical, key=lambda result: result.score or 0.0, default=None)
    score, cap = mean, None
    if lowest is not None and (lowest.score or 0.0) < mean:
        score, cap = lowest.score or 0.0, lowest.evaluator
    value = round(score, 3)
    return {
        "score": None if missing else value,
        "partial": value if missing else None,
        "cap": cap,
        "included": [result.evaluator for result in included],
    }


def artifact(trace: Trace, findings: Sequence[Finding]) -> dict[str, Any]:
    """The artifact of a trace, as plain JSON values."""
    results = results_of(findings)
    outcome = trace.outcome
    return {
        "trace_id": trace.id,
        "source": {
            "format": trace.source.format,
            "file": trace.source.file,
            "sha256": trace.source.sha256,
            "position": trace.source.position,
        },
        "model": trace.model,
        "domain": trace.domain,
        "task_id": trace.task_id,
        "prompt_sha256": trace.prompt_sha256,
        "outcome": {"reward": outcome.reward, "parts": outcome.parts, "ended": outcome.ended},
        "rules": [finding.rule.summary() for finding in findings],
        "results": [result.record() for result in results],
        "aggregate": aggregate(results),
        "checks": [
            {
                "rule_id": finding.rule.id,
                "status": finding.status,
                "violations": len(finding.violations),
                "activations": finding.activations,
                **({"reason": finding.reason} if finding.reason else {}),
            }
            for finding in findings
        ],
        "messages": len(trace.messages),
        "version": __version__,
    }


def worst(record: Mapping[str, Any]) -> str | None:
    """The worst severity among an artifact's violations; None where there are none."""
    found = [v["severity"] for result in record["results"] for v in result["violations"]]
    return max(found, key=SEVERITIES.index, default=None)
