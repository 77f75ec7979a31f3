"""The artifact of one trace: what was asked of the agent, what was found, and the score.

`scoring` says how scores are made, `roots` which violations are one act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truespec.compliance.roots import Overlaps, causal, no_overlaps, rooted
from truespec.compliance.scoring import DEFAULT, Result, Scoring, aggregate, results_of
from truespec.rules.failures import failures_of
from truespec.rules.finding import Finding, Status
from truespec.rules.rule import SEVERITIES, Rule
from truespec.traces.trace import Trace
from truespec.version import __version__

if TYPE_CHECKING:
    from truespec.compliance.evaluators.answer import Judged

SCHEMA = Path(__file__).with_name("artifact.schema.json")
"""The published JSON Schema of an artifact."""


def artifact(
    trace: Trace,
    findings: Sequence[Finding],
    scoring: Scoring = DEFAULT,
    overlaps: Overlaps = no_overlaps,
    judged: Mapping[str, Judged] | None = None,
) -> dict[str, Any]:
    """The artifact of a trace, as plain JSON values; `judged` holds what judges found, by evaluator."""
    findings = rooted(findings, trace)
    judged = judged or {}
    # Rules for other environments were not given for this trace.
    given = [finding for finding in findings if finding.rule.speaks_of(trace.domain)]
    results = results_of(given, scoring, {name: one.result for name, one in judged.items()})
    outcome = trace.outcome
    known = {finding.rule.id: finding.rule for finding in findings}
    asked = {rule.id: (rule, one.result) for one in judged.values() for rule in one.items}
    rules = {**known, **{name: rule for name, (rule, _) in asked.items()}}
    total = aggregate(results)
    total["causal"] = causal(results, rules, trace, overlaps, scoring)
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
        "rules": [rule.summary() for rule in rules.values()],
        "results": [result.record() for result in results],
        "aggregate": total,
        "checks": [
            *(_check(finding) for finding in findings if finding.rule.id not in asked),
            *(_judged_check(rule, result) for rule, result in asked.values()),
        ],
        "failed_calls": _failed_calls(trace, findings),
        "messages": len(trace.messages),
        "usage": _usage(trace),
        "version": __version__,
    }


def _failed_calls(trace: Trace, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The calls that counted as failed, with the words that say so."""
    failures = failures_of(finding.rule for finding in findings)
    return [
        {
            "message_index": one.message_index,
            "tool": one.tool,
            "by": one.failure.by,
            "evidence": one.failure.evidence,
        }
        for one in failures.failed_calls(trace)
    ]


def _usage(trace: Trace) -> dict[str, Any]:
    """What the run took, as far as its source says: the agent's cost, seconds, calls."""
    known = {"cost": trace.metadata.get("agent_cost"), "seconds": trace.metadata.get("duration")}
    return {
        **{key: value if isinstance(value, (int, float)) else None for key, value in known.items()},
        "calls": sum(len(m.calls) for m in trace.messages if m.role == "assistant"),
    }


def _check(finding: Finding) -> dict[str, Any]:
    """What a monitor says of a rule."""
    return {
        "rule_id": finding.rule.id,
        "status": finding.status,
        "violations": len(finding.violations),
        "activations": finding.activations,
        **({"reason": finding.reason} if finding.reason else {}),
        **({"elsewhere": True} if finding.elsewhere else {}),
        **({"notes": list(finding.notes)} if finding.notes else {}),
    }


def _judged_check(rule: Rule, result: Result) -> dict[str, Any]:
    """What a judge says of a rule."""
    count = sum(v.rule_id == rule.id for v in result.violations)
    if result.score is None:
        status = {"status": Status.NOT_EVALUATED, "reason": result.reasoning}
    else:
        status = {"status": Status.FAIL if count else Status.PASS}
    return {"rule_id": rule.id, **status, "violations": count, "activations": 1, "by": "judge"}


def worst(record: Mapping[str, Any]) -> str | None:
    """The worst severity among an artifact's violations; None where there are none."""
    found = [v["severity"] for result in record["results"] for v in result["violations"]]
    return max(found, key=SEVERITIES.index, default=None)
