"""Artifacts as rows of figures, and what an analysis loses of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.analysis.outcomes import composite

AGGREGATE = "aggregate"
"""How the aggregate score is named beside those of evaluators."""


@dataclass(frozen=True, slots=True)
class Row:
    """One trace."""

    trace_id: str
    """Its name in its source."""
    file: str
    """Its source."""
    model: str
    """Who acted; `–` where unknown."""
    domain: str
    """Where; `–` where unknown."""
    task: str | None
    """On what."""
    reward: float | None
    """The outcome; None where unknown."""
    composite: float | None
    """The composite outcome score, 0 to 100."""
    scores: Mapping[str, float]
    """The aggregate, where complete, and the score of each evaluator that has one."""
    binding: Mapping[str, int]
    """Violations of mandatory rules by kind."""
    advisory: Mapping[str, int]
    """Violations of advisory rules by kind."""
    prompt: str | None
    """The hash of the prompt."""
    size: int
    """Messages."""
    cost: float | None
    """What the agent's model cost, in the source's currency."""
    seconds: float | None
    """How long the run took."""
    key: str = ""
    """The key of its artifact."""
    first: tuple[str, int] | None = None
    """The rule and the message of the first violation of a mandatory rule that follows from no other."""
    evaluated: frozenset[str] = frozenset()
    """The rules of which something is known."""

    @property
    def solved(self) -> bool | None:
        """Whether the outcome is perfect; None where unknown."""
        return None if self.reward is None else self.reward >= 1.0

    @property
    def complete(self) -> bool:
        """Whether every critical evaluator was evaluated."""
        return AGGREGATE in self.scores


def row_of(artifact: Mapping[str, Any]) -> Row:
    """The row of an artifact."""
    force = {rule["id"]: rule["force"] for rule in artifact["rules"]}
    counts: dict[str, Counter[str]] = {"mandatory": Counter(), "advisory": Counter()}
    first: tuple[str, int] | None = None
    for result in artifact["results"]:
        for v in result["violations"]:
            kept = force.get(v["rule_id"], "mandatory")
            counts[kept][v["kind"]] += 1
            if kept == "mandatory" and v["root"] is None and (first is None or v["message_index"] < first[1]):
                first = (v["rule_id"], v["message_index"])
    scores = {r["evaluator"]: float(r["score"]) for r in artifact["results"] if r["score"] is not None}
    if artifact["aggregate"]["score"] is not None:
        scores[AGGREGATE] = float(artifact["aggregate"]["score"])
    outcome, usage = artifact["outcome"], artifact.get("usage") or {}
    return Row(
        artifact["trace_id"],
        artifact["source"]["file"],
        artifact["model"] or "–",
        artifact["domain"] or "–",
        artifact["task_id"],
        outcome.get("reward"),
        composite(outcome.get("parts") or {}),
        scores,
        counts["mandatory"],
        counts["advisory"],
        artifact["prompt_sha256"],
        artifact.get("messages", 0),
        usage.get("cost"),
        usage.get("seconds"),
        artifact["key"],
        first,
        frozenset(one["rule_id"] for one in artifact["checks"] if one["status"] != "not_evaluated"),
    )


@dataclass(frozen=True, slots=True)
class Lost:
    """What an analysis could not use."""

    traces: int
    """All traces."""
    incomplete: int
    """Those in which a critical evaluator was not evaluated."""
    unlabelled: int
    """Those without an outcome."""
    without_parts: int
    """Those whose outcome has no parts, and so no composite score."""

    def __str__(self) -> str:
        return (
            f"{self.traces} traces; {self.incomplete} incomplete, {self.unlabelled} without an outcome, "
            f"{self.without_parts} without parts of an outcome"
        )


def lost(rows: Sequence[Row]) -> Lost:
    """What is missing of the rows."""
    return Lost(
        len(rows),
        sum(not row.complete for row in rows),
        sum(row.reward is None for row in rows),
        sum(row.composite is None for row in rows),
    )


def evaluators(rows: Iterable[Row]) -> list[str]:
    """The names of scores that occur, the aggregate first."""
    found = {name for row in rows for name in row.scores}
    return [name for name in (AGGREGATE, *sorted(found - {AGGREGATE})) if name in found]


def by_group(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows of each environment and model, in this order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.domain, row.model), []).append(row)
    return {key: groups[key] for key in sorted(groups)}
