"""Figures of a run over traces: who broke what how often, by model and environment, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truespec.compliance.run import UNINFORMATIVE_SHARE, UNINFORMATIVE_TRACES
from truespec.metrics.proportion import Proportion
from truespec.rules.rule import SEVERITIES


@dataclass(frozen=True, slots=True)
class Share:
    """k of n, with Wilson's interval; n may be 0, and then nothing is known."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.k / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's score interval (1927)."""
        if not self.n:
            return None
        found = Proportion(self.k, self.n).wilson()
        assert found is not None
        return found.low, found.high

    def __str__(self) -> str:
        if self.interval is None:
            return "–"
        low, high = self.interval
        return f"{100 * self.k / self.n:.0f} % [{100 * low:.0f}–{100 * high:.0f}]"


@dataclass
class Group:
    """Traces of one model in one environment."""

    model: str
    domain: str
    traces: int = 0
    rewards: list[float] = field(default_factory=list)
    prompts: dict[str, int] = field(default_factory=dict)
    breaking: dict[str, int] = field(default_factory=dict)
    """Traces that break a rule, by rule."""
    spoken: dict[str, int] = field(default_factory=dict)
    """Traces on which the rule was evaluated, by rule."""
    binding: int = 0
    """Traces that break a mandatory rule."""
    solved: int = 0
    solved_breaking: int = 0
    other: int = 0
    other_breaking: int = 0

    @property
    def prompt(self) -> str:
        """The prompts' hashes, the most frequent first."""
        ordered = sorted(self.prompts, key=lambda key: -self.prompts[key])
        return ", ".join(key[:8] for key in ordered[:2]) + (" …" if len(ordered) > 2 else "")

    @property
    def reward(self) -> float | None:
        """The mean reward; None where none was given."""
        return sum(self.rewards) / len(self.rewards) if self.rewards else None


def grouped(artifacts: Iterable[Mapping[str, Any]]) -> list[Group]:
    """The groups of a run, by environment and model."""
    groups: dict[tuple[str, str], Group] = {}
    for one in artifacts:
        key = (one["domain"] or "–", one["model"] or "–")
        group = groups.setdefault(key, Group(key[1], key[0]))
        group.traces += 1
        prompt = one["prompt_sha256"] or "unknown"
        group.prompts[prompt] = group.prompts.get(prompt, 0) + 1
        binding = {rule["id"] for rule in one["rules"] if rule["force"] == "mandatory"}
        broken = False
        for check in one["checks"]:
            if check["status"] == "not_evaluated":
                continue
            name = check["rule_id"]
            group.spoken[name] = group.spoken.get(name, 0) + 1
            if check["violations"]:
                group.breaking[name] = group.breaking.get(name, 0) + 1
                broken = broken or name in binding
        group.binding += broken
        reward = one["outcome"].get("reward")
        if reward is not None:
            group.rewards.append(reward)
            if reward >= 1.0:
                group.solved += 1
                group.solved_breaking += broken
            else:
                group.other += 1
                group.other_breaking += broken
    return [groups[key] for key in sorted(groups)]


def same_prompt(groups: Sequence[Group]) -> dict[str, bool | None]:
    """For each environment, whether all models were given one prompt; None where a prompt is unknown."""
    found: dict[str, bool | None] = {}
    for domain in {group.domain for group in groups}:
        prompts = {key for group in groups if group.domain == domain for key in group.prompts}
        found[domain] = None if "unknown" in prompts else len(prompts) == 1
    return found


def rule_totals(artifacts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each rule: traces it was evaluated on, traces that break it, breaches, what took effect."""
    rules: dict[str, dict[str, Any]] = {}
    for one in artifacts:
        for rule in one["rules"]:
            rules.setdefault(
                rule["id"],
                {"rule": rule, "n": 0, "k": 0, "breaches": 0, "effects": {}, "skipped": 0, "spoken": 0},
            )
        for check in one["checks"]:
            entry = rules[check["rule_id"]]
            if check["status"] == "not_evaluated":
                entry["skipped"] += 1
                continue
            entry["n"] += 1
            entry["spoken"] += bool(check["activations"] or check["violations"])
            entry["k"] += bool(check["violations"])
            entry["breaches"] += check["violations"]
        for result in one["results"]:
            for v in result["violations"]:
                effects = rules[v["rule_id"]]["effects"]
                effects[v["effect"]] = effects.get(v["effect"], 0) + 1
    for entry in rules.values():
        entry["share"] = Share(entry["k"], entry["n"])
        entry["dull"] = (
            entry["spoken"] >= UNINFORMATIVE_TRACES and entry["k"] >= UNINFORMATIVE_SHARE * entry["spoken"]
        )
    return list(rules.values())


def first_to_fix(
    artifacts: Iterable[Mapping[str, Any]], rules: Iterable[Mapping[str, Any]], most: int = 10
) -> list[dict[str, Any]]:
    """The broken rules that matter most, with three traces each: the graver first, then what took effect.

    Accepted violations, advisory rules and rules that nearly every trace breaks are left out.
    """
    broken: dict[str, list[tuple[Mapping[str, Any], int]]] = {}
    counts: dict[str, Counter[str]] = {}
    for one in artifacts:
        seen = set()
        for result in one["results"]:
            for v in result["violations"]:
                if "accepted" in v:
                    continue
                counts.setdefault(v["rule_id"], Counter())[v["effect"]] += 1
                if v["rule_id"] not in seen:
                    seen.add(v["rule_id"])
                    broken.setdefault(v["rule_id"], []).append((one, v["message_index"]))
    found = []
    for entry in rules:
        rule = entry["rule"]
        traces = broken.get(rule["id"], [])
        if not traces or entry["dull"] or rule["force"] == "advisory":
            continue
        effects = counts[rule["id"]]
        weight = (SEVERITIES.index(rule["severity"]), effects["took_effect"], len(traces))
        found.append((weight, {**entry, "examples": traces[:3], "traces": len(traces), "open": effects}))
    found.sort(key=lambda row: row[0], reverse=True)
    return [row for _, row in found[:most]]
