"""Whether the world ends up as predicted."""

from __future__ import annotations

from collections.abc import Iterator

from truespec.compliance.evaluators.contract import Evaluator, TaskSpec, item
from truespec.rules.rule import Rule


def _facts(task: TaskSpec) -> Iterator[Rule]:
    """The facts that should hold at the end."""
    for path, value in (task.final_state or {}).items():
        yield item(path, f"{path} = {value!r}", "final_state", "high")


EVALUATOR = Evaluator(
    name="predicted_final_state",
    category="final_state",
    tier="low",
    needs=("messages", "final_state", "initial_state"),
    kinds=("wrong_final_state", "unwanted_change"),
    role="You check whether a conversation ended with the world as it should be.",
    task=(
        "`<initial_state>` holds the state at the start, `<final_state>` the facts that should hold at the "
        "end, `<trace>` the conversation. Decide for each fact from the calls and their results whether it "
        "holds at the end. A change that should not have been made is a critical violation. What no call or "
        "result tells you about is not a violation; say so in the checklist. Cite the call or the message "
        "that made the fact fail, or, where something was never done, the last message."
    ),
    windowed=False,
    promoted=True,
    own=_facts,
)
