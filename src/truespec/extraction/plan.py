"""A predicted plan: the calls that a request takes, as rules that a monitor checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truespec.rules.language import read_formal
from truespec.rules.rule import Rule

MOST = 50
"""A plan with more equal calls asks for this many."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One call of a plan."""

    tool: str
    """The tool."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments whose values are known; others may be anything."""
    text: str = ""
    """What the step is for, in words."""
    after: tuple[int, ...] = ()
    """The steps, by number from 0, that have to come before it."""
    changes: bool = False
    """Whether it changes the world; a change that is left out is a severe breach."""


def plan_rules(steps: Sequence[PlanStep], prefix: str = "plan") -> tuple[Rule, ...]:
    """The plan as rules: every step is made, as often as the plan has it, and after those it depends on.

    More calls than the plan has are no breach: a plan says what is needed.
    """
    rules: list[Rule] = []
    seen: list[Any] = []
    for number, step in enumerate(steps):
        call = _call(step)
        seen.append(call)
        times = seen.count(call)
        if times == sum(_call(other) == call for other in steps):
            formal = {"template": "existence", "a": call, "n": min(times, MOST)}
            what = step.text or said(step)
            rules.append(_rule(f"{prefix}-{number + 1}", what, step, "skipped_step", formal))
        for earlier in step.after:
            if not 0 <= earlier < len(steps) or earlier == number:
                raise ValueError(
                    f"step {number + 1} of the plan comes after step {earlier + 1}, which is none"
                )
            formal = {"template": "precedence", "a": _call(steps[earlier]), "b": call}
            text = f"{said(step)} comes after {said(steps[earlier])}."
            name = f"{prefix}-{number + 1}-after-{earlier + 1}"
            rules.append(_rule(name, text, step, "swapped_steps", formal))
    return tuple(rules)


def _call(step: PlanStep) -> dict[str, Any]:
    arguments = {name: {"eq": value} for name, value in step.arguments.items() if "." not in name}
    return {"call": step.tool, **({"args": arguments} if arguments else {})}


def said(step: PlanStep) -> str:
    """A step as the call that it expects."""
    given = ", ".join(f"{name}={value!r}" for name, value in step.arguments.items())
    return f"{step.tool}({given})"


def _rule(name: str, text: str, step: PlanStep, violation: str, formal: Mapping[str, Any]) -> Rule:
    return Rule(
        id=name,
        text=text,
        category="plan",
        severity="high" if step.changes else "medium",
        formal=read_formal(formal, name, {}),
        violation=violation,
    )
