"""What an evaluator is: its inputs, its prompt, the kinds of violation it may name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.extraction.plan import PlanStep
from truespec.rules.rule import Rule
from truespec.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What was expected of one request."""

    plan: tuple[PlanStep, ...] | None = None
    """The predicted plan; None where none was made."""
    initial_state: Mapping[str, Any] | None = None
    """The state at the start; None where unknown."""
    final_state: Mapping[str, Any] | None = None
    """Facts that should hold at the end, by their paths; None where none were predicted."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """For each category whose specification could not be extracted, why."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What was extracted for one trace."""

    rules: tuple[Rule, ...] = ()
    """Rules from its prompt and tools, and from its plan."""
    task: TaskSpec = field(default_factory=TaskSpec)
    """What was expected of its request."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What evaluators share about one trace."""

    trace: Trace
    """The trace."""
    rules: tuple[Rule, ...] = ()
    """The rules that only a judge can read."""
    monitored: frozenset[str] = frozenset()
    """The categories for which a monitor has rules."""
    task: TaskSpec = field(default_factory=TaskSpec)
    """What was expected of the request."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """One of the paper's seven."""

    name: str
    """Its name, which is also its prompt's."""
    category: str
    """The category of the rules it reads."""
    needs: tuple[str, ...]
    """Its inputs: `messages`, `rules`, `tools`, `plan`, `final_state`, `initial_state`."""
    kinds: tuple[str, ...]
    """What its violations may be called."""
    windowed: bool = True
    """Whether a long trace may be read in parts; if not, what does not fit is not evaluated."""
    stages: bool = False
    """Whether a violation says how far it got."""
    standing: tuple[Rule, ...] = ()
    """What it asks about where no rule of its category is given."""
    sees_prompt: bool = False
    """Whether it is shown the system prompt, where there is one."""

    def items(self, subject: Subject) -> tuple[Rule, ...]:
        """What it has to check, as rules: those of its category, or its standing ones, or plan and facts."""
        if self.category == "plan":
            steps = subject.task.plan or ()
            own = [
                _item(f"step-{n}", step.text or step.tool, "plan", "high" if step.changes else "medium")
                for n, step in enumerate(steps, 1)
            ]
        elif self.category == "final_state":
            facts = subject.task.final_state or {}
            own = [_item(path, f"{path} = {value!r}", "final_state", "high") for path, value in facts.items()]
        else:
            own = []
        given = [rule for rule in subject.rules if rule.category == self.category]
        if not given and not own and self.category not in subject.monitored:
            return self.standing
        return (*given, *own)

    def missing(self, subject: Subject) -> str:
        """Which of its inputs are not there, in words; empty when it can start."""
        there = {
            "messages": bool(subject.trace.messages),
            "tools": subject.trace.tools is not None,
            "plan": subject.task.plan is not None or any(r.category == "plan" for r in subject.rules),
            "initial_state": subject.task.initial_state is not None,
            "final_state": subject.task.final_state is not None
            or any(r.category == "final_state" for r in subject.rules),
            "rules": True,
        }
        lacking = [need.replace("_", " ") for need in self.needs if not there[need]]
        return f"the trace has no {' and no '.join(lacking)}" if lacking else ""


def _item(name: str, text: str, category: str, severity: str) -> Rule:
    return Rule(name, text, category, severity, kind="semantic")


@cache
def prompt_of(evaluator: Evaluator) -> str:
    """The system prompt of an evaluator: the frame that all share, with its own role and task."""
    folder = files(__package__).joinpath("prompts")
    own = folder.joinpath(f"{evaluator.name}.md").read_text("utf-8")
    parts = {}
    for part in own.split("# ")[1:]:
        head, _, text = part.partition("\n")
        parts[head.strip()] = " ".join(text.split())
    kinds = " or ".join(f'"{kind}"' for kind in (*evaluator.kinds, "other"))
    filled = {
        "{role}": parts["role"],
        "{task}": parts["task"],
        "{kinds}": kinds,
        "{stage}": ' "stage": "succeeded",' if evaluator.stages else "",
        "{blocked}": ", half of that where the act failed or was caught" if evaluator.stages else "",
    }
    text = folder.joinpath("_frame.md").read_text("utf-8")
    for name, value in filled.items():
        text = text.replace(name, value)
    return text


GROUNDED = Rule(
    "grounded-values",
    "Every value passed to a tool comes from the user, the prompt, an earlier result or a plain calculation.",
    "groundedness",
    "high",
    kind="semantic",
    violation="ungrounded_argument",
)
MEANT = Rule(
    "argument-meaning",
    "Every argument is of the type, format and range that the tool's schema and description ask for.",
    "argument",
    "high",
    kind="semantic",
    violation="invalid_argument",
)

SEVEN: Mapping[str, Evaluator] = {
    one.name: one
    for one in (
        Evaluator(
            "output_spec",
            "output",
            ("messages", "rules"),
            (
                "simultaneous_call_text",
                "multiple_calls",
                "omitted_calculation",
                "subjective_comments",
                "fabricated_information",
                "unavailable_information",
                "skipped_confirmation",
                "wrong_refusal",
            ),
        ),
        Evaluator(
            "transition_spec",
            "transition",
            ("messages", "rules"),
            (
                "skipped_verification",
                "skipped_authentication",
                "skipped_confirmation",
                "simultaneous_call_text",
                "multiple_calls",
                "omitted_calculation",
                "wrong_order",
            ),
            stages=True,
        ),
        Evaluator("forbidden_edges", "forbidden_edge", ("messages", "rules"), ("forbidden_edge",)),
        Evaluator(
            "argument_spec",
            "argument",
            ("messages", "tools"),
            ("invalid_argument", "missing_argument"),
            standing=(MEANT,),
        ),
        Evaluator(
            "argument_groundedness",
            "groundedness",
            ("messages",),
            ("ungrounded_argument", "fabricated_information"),
            standing=(GROUNDED,),
            windowed=False,
            sees_prompt=True,
        ),
        Evaluator(
            "predicted_plan",
            "plan",
            ("messages", "plan"),
            ("skipped_step", "skipped_verification", "omitted_calculation", "wrong_step", "swapped_steps"),
            windowed=False,
        ),
        Evaluator(
            "predicted_final_state",
            "final_state",
            ("messages", "final_state", "initial_state"),
            ("wrong_final_state", "unwanted_change"),
            windowed=False,
        ),
    )
}
"""By name, in the order in which they are asked."""
