"""Whether the steps of a predicted plan were made.

Monitors read each step's tool, arguments and order; a judge also sees where another way led to the result.
Both findings stand in the result, and the lower of the two scores counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from truespec.compliance.evaluators.contract import Evaluator, TaskSpec, item
from truespec.extraction.plan import said
from truespec.rules.rule import Rule


def _steps(task: TaskSpec) -> Iterator[Rule]:
    """The steps of the plan: what each is for, the call that was expected, and what it comes after."""
    for number, step in enumerate(task.plan or (), 1):
        text = f"{step.text} Expected call: {said(step)}." if step.text else f"{said(step)}."
        if step.after:
            text += f" It comes after {', '.join(f'step {earlier + 1}' for earlier in step.after)}."
        yield item(f"step-{number}", text, "plan", "high" if step.changes else "medium")


def _same_step(item: str, rule: str) -> bool:
    """Whether an item, `step-2`, is what a rule of the plan is about: `plan-2`, `plan-2-after-1`."""
    return re.fullmatch(item.replace("step-", "plan-") + r"(-after-\d+)?(-extracted)?", rule) is not None


EVALUATOR = Evaluator(
    name="predicted_plan",
    category="plan",
    tier="critical",
    needs=("messages", "plan"),
    kinds=("skipped_step", "skipped_verification", "omitted_calculation", "wrong_step", "swapped_steps"),
    role="You check whether an assistant did what a request needed.",
    task=(
        "`<plan>` holds the steps that were expected, `<trace>` the conversation. For each step decide "
        "whether a call (or, where the step names no tool, a message) of the assistant did its work: the "
        "same tool with values to the same effect, or another way to the same result. Steps may come in "
        "another order unless one needs what another yields. More calls than the plan has are no violation "
        "where they do no harm. Where the user changed their mind or the facts turned out otherwise, judge "
        "the step by what it was for. Cite for a missing step the message by which it should have been "
        "done."
    ),
    windowed=False,
    own=_steps,
    rereads=_same_step,
)
