"""What an evaluator is: its inputs, its prompt, the kinds of violation it may name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """One of the paper's seven: a file of its own, and a line in `registry.py`."""

    name: str
    """Its name."""
    category: str
    """The category of the rules it reads."""
    tier: str
    """Its tier by default: `critical`, `important` or `low`."""
    needs: tuple[str, ...]
    """Its inputs: `messages`, `rules`, `tools`, `plan`, `final_state`, `initial_state`."""
    kinds: tuple[str, ...]
    """What its violations may be called."""
    role: str
    """What its judge reads about what it does."""
    task: str
    """What its judge has to decide."""
    windowed: bool = True
    """Whether a long trace may be read in parts; if not, what does not fit is not evaluated."""
    stages: bool = False
    """Whether a violation says how far it got."""
    standing: tuple[Rule, ...] = ()
    """What it asks about where no rule of its category is given."""
    sees_prompt: bool = False
    """Whether it is shown the system prompt, where there is one."""
    all_or_nothing: bool = False
    """Whether it scores 0 or 100."""
    promoted: bool = False
    """Whether an outcome failure makes it critical."""
    own: Callable[[TaskSpec], Iterable[Rule]] = lambda task: ()
    """What was expected of the request, as items to check."""
    rereads: Callable[[str, str], bool] | None = None
    """Whether an item of the judge (its id) is what a monitor's rule (its id) is about, where both read the
    same things. The lower of their scores then counts, and a violation that both found costs once."""

    def items(self, subject: Subject) -> tuple[Rule, ...]:
        """What it has to check, as rules: those of its category and what was expected, or standing ones."""
        own = tuple(self.own(subject.task))
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


def item(name: str, text: str, category: str, severity: str) -> Rule:
    """A thing to check as a rule that only a judge can read."""
    return Rule(name, text, category, severity, kind="semantic")


@cache
def prompt_of(evaluator: Evaluator) -> str:
    """The system prompt of an evaluator: the frame that all share, with its own role and task."""
    folder = Path(__file__).with_name("prompts")
    kinds = " or ".join(f'"{kind}"' for kind in (*evaluator.kinds, "other"))
    filled = {
        "{role}": evaluator.role,
        "{task}": evaluator.task,
        "{kinds}": kinds,
        "{stage}": ' "stage": "succeeded",' if evaluator.stages else "",
        "{blocked}": ", half of that where the act failed or was caught" if evaluator.stages else "",
    }
    text = folder.joinpath("_frame.md").read_text("utf-8")
    for name, value in filled.items():
        text = text.replace(name, value)
    return text
