"""Traces checked side by side: each worker compiles the rules once, artifacts come in order."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Protocol

from truespec.compliance.artifact import artifact
from truespec.compliance.final_state import FinalStates
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.run import check_all, key_of
from truespec.compliance.scoring import DEFAULT, Scoring
from truespec.executors.pool import Job, Workers
from truespec.rules.monitor import RuleSet
from truespec.rules.rule import Rule
from truespec.traces.files import Problem
from truespec.traces.trace import Trace
from truespec.verdict import ReasonCode

SECONDS = 600.0
"""The wall limit for one trace: thousands of times what a long one takes."""
FEW = 20
"""Fewer traces are checked in this process: workers take longer to start."""
HELD = 500
"""Artifacts that wait for an earlier trace; bounds memory."""


class _Checker:
    """The work of one worker: the rules travel as values and are compiled where they arrive."""

    def __init__(self, rules: Sequence[Rule], scoring: Scoring, states: FinalStates | None) -> None:
        self._rules, self._scoring, self._states = tuple(rules), scoring, states
        self._compiled: tuple[RuleSet, ProvedOverlaps] | None = None

    def __call__(self, trace: Trace, seconds: float) -> dict[str, Any] | Problem:
        if self._compiled is None:
            gc.set_threshold(100_000, 20, 50)  # traces are many small values that all stay
            compiled = RuleSet(self._rules)
            self._compiled = compiled, ProvedOverlaps(compiled.rules)
        rules, overlaps = self._compiled
        findings = [*rules.check(trace), *(self._states.findings(trace) if self._states else ())]
        return artifact(trace, findings, self._scoring, overlaps)


def _failed(trace: Trace, code: ReasonCode, detail: str, seconds: float) -> Problem:
    problem = f"trace {trace.id!r} was not checked: {code.value}: {detail}"
    return Problem(trace.source.file, str(trace.source.position), problem)


class Checking(Protocol):
    """What checks traces: the workers of this machine, or those of others."""

    def run(self, jobs: Iterable[Job[int, Trace] | None]) -> Iterator[tuple[int, Made]]:
        """Each number with what its trace came to, as it comes; None instead of a job asks for patience."""


Made = dict[str, Any] | Problem
"""An artifact, or why there is none."""
Executor = Callable[
    [Callable[[Trace, float], Made], Callable[[Trace, ReasonCode, str, float], Made], int],
    AbstractContextManager[Checking],
]
"""From what workers do, what a failure comes to, and a number of workers to what checks."""


def _here(
    function: Callable[[Trace, float], Made],
    failed: Callable[[Trace, ReasonCode, str, float], Made],
    jobs: int,
) -> Workers[Trace, Made]:
    return Workers(function, failed, (), jobs=jobs)


def checking_of(name: str) -> Executor | None:
    """The executor of this name: None for `local` workers, or that of `ray`."""
    if name != "ray":
        return None
    from truespec.executors.cluster import RayRunner, Task

    return lambda function, failed, jobs: RayRunner(Task(function, failed), jobs)


@dataclass(slots=True)
class _Slot:
    key: str
    made: dict[str, Any] | Problem | None = None
    new: bool = True


def check_side_by_side(
    stream: Iterable[Trace | Problem],
    rules: RuleSet,
    key: str,
    done: Mapping[str, Mapping[str, Any]] | None = None,
    report: Callable[[Problem], None] = lambda problem: None,
    scoring: Scoring = DEFAULT,
    states: FinalStates | None = None,
    *,
    jobs: int,
    executor: Executor | None = None,
) -> Iterator[tuple[dict[str, Any], bool]]:
    """What `check_all` yields, made by `jobs` worker processes.

    A trace that crashes its worker, exceeds the memory cap or takes more than `SECONDS` costs itself only: it
    is reported as a problem, and the others go on. `executor` makes the workers elsewhere than here;
    then few traces go there too.
    """
    stream = iter(stream)
    first: list[Trace | Problem] = []
    try:
        first.extend(islice(stream, FEW if jobs > 1 and executor is None else 0))
    except BaseException:
        # Interrupted while looking ahead: what was read is checked first, so that nothing is lost.
        yield from check_all(first, rules, key, done, report, scoring, states)
        raise
    if executor is None and (jobs == 1 or len(first) < FEW):
        yield from check_all(chain(first, stream), rules, key, done, report, scoring, states)
        return
    stream = chain(first, stream)
    slots: deque[_Slot] = deque()
    waiting: dict[int, _Slot] = {}

    def work() -> Iterator[Job[int, Trace] | None]:
        for number, item in enumerate(stream):
            if isinstance(item, Problem):
                report(item)
                continue
            mine = key_of({"sha256": item.source.sha256, "position": item.source.position}, key)
            known = (done or {}).get(mine)
            while len(slots) >= HELD:
                yield None
            if known is not None:
                slots.append(_Slot(mine, dict(known), new=False))
                continue
            waiting[number] = _Slot(mine)
            slots.append(waiting[number])
            yield Job(number, item, SECONDS)

    def ready() -> Iterator[tuple[dict[str, Any], bool]]:
        while slots and slots[0].made is not None:
            slot = slots.popleft()
            if isinstance(slot.made, Problem):
                report(slot.made)
            elif slot.made is not None:
                yield {**slot.made, "key": slot.key}, slot.new

    source = work()
    with (executor or _here)(_Checker(rules.rules, scoring, states), _failed, jobs) as pool:
        while True:
            # Where every artifact was kept, there is no job to wait for: the window is emptied here.
            for number, made in pool.run(source):
                waiting.pop(number).made = made
                yield from ready()
            if not slots:
                return
            yield from ready()
