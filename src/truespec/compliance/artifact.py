"""The artifact of one trace: what was asked of the agent, what was found, and the score.

`scoring` says how scores are made, `roots` which violations are one act.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.compliance.roots import Overlaps, causal, no_overlaps, rooted
from truespec.compliance.scoring import DEFAULT, Result, Scoring, aggregate, results_of
from truespec.rules.monitor import Finding
from truespec.rules.rule import SEVERITIES
from truespec.traces.trace import Trace
from truespec.version import __version__

SCHEMA = Path(__file__).with_name("artifact.schema.json")
"""The published JSON Schema of an artifact."""


def artifact(
    trace: Trace,
    findings: Sequence[Finding],
    scoring: Scoring = DEFAULT,
    overlaps: Overlaps = no_overlaps,
    judged: Mapping[str, Result] | None = None,
) -> dict[str, Any]:
    """The artifact of a trace, as plain JSON values; `judged` holds judges' results by evaluator."""
    findings = rooted(findings, trace)
    results = results_of(findings, scoring, judged)
    outcome = trace.outcome
    total = aggregate(results)
    total["causal"] = causal(results, {one.rule.id: one.rule for one in findings}, trace, overlaps, scoring)
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
        "aggregate": total,
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
