"""The replies to a run's calls: recorded ones, and those that a keeper makes within the run's limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from truespec.executors.calls import Lazily, run_calls
from truespec.executors.keeper import kept_calls
from truespec.executors.pace import Limits, NotAsked, Pace
from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError
from truespec.models.registry import open_model
from truespec.store.calls import CallLedger
from truespec.store.runs import Run

NO_LIMITS = Limits()

Progress = Callable[[str, int, int], None]
"""Called with the stage, how much is done, and how much there is."""


def quiet(stage: str, done: int, total: int) -> None:
    """Progress that is not shown."""


@dataclass
class Failures:
    """Calls that were made and failed for good; a resumed run makes them again."""

    count: int = 0
    """How many."""
    first: str = ""
    """What the first one said."""
    unasked: int = 0
    """How many were not made, since the spending cap would be passed."""
    why: str = ""
    """What the cap said."""
    spent: float = 0.0
    """US dollars for all calls of the folder, as far as they are known."""

    def add(self, other: Failures) -> None:
        """Count the failures of further calls of the same folder."""
        self.count += other.count
        self.first = self.first or other.first
        self.unasked += other.unasked
        self.why = self.why or other.why
        self.spent = max(self.spent, other.spent)


def gather(
    run: Run,
    stage: str,
    calls: Sequence[Call],
    concurrency: int,
    progress: Progress,
    given: Mapping[str, Model] | None,
    limits: Limits,
) -> tuple[dict[Call, Reply], Failures]:
    """The replies to all calls that succeed; models that need no call are not opened.

    Every model that has to be called is opened first, so that a wrong name stops before any call. A keeper
    makes the calls, so that they survive this process; where models are given that no name opens, they are
    made here, without limits.
    """
    replies: dict[Call, Reply] = {}
    failures = Failures()
    with ExitStack() as stack:
        ledger = stack.enter_context(CallLedger(run.calls))
        pace = Pace(limits, sum(limits.cost(model, reply) or 0.0 for model, reply in ledger.replies()))
        if given:
            models = Lazily(stack)
            models.update(given)
            results = run_calls(calls, models, ledger, concurrency=concurrency)
        else:
            for name in dict.fromkeys(call.model for call in ledger.unanswered(calls)):
                open_model(name).close()
            results = kept_calls(calls, ledger, run.calls, concurrency=concurrency, pace=pace)
        for done, (call, reply) in enumerate(results, 1):
            if isinstance(reply, NotAsked):
                failures.unasked += 1
                failures.why = failures.why or str(reply)
            elif isinstance(reply, ModelError):
                failures.count += 1
                failures.first = failures.first or str(reply)
            else:
                replies[call] = reply
            shown = f"{stage} (US$ {pace.spent:.2f} spent)" if pace.spent else stage
            progress(shown, done, len(calls))
        failures.spent = pace.spent
    return replies, failures
