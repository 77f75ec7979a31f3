"""Traces checked side by side: each worker compiles the rules once, artifacts come in order."""

from __future__ import annotations

import contextlib
import gc
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from truespec.compliance.artifact import artifact
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.run import check_all, key_of
from truespec.compliance.scoring import DEFAULT, Scoring
from truespec.executors.artifact_file import Rendered
from truespec.executors.forked import keep_memory, may_fork
from truespec.executors.pool import MEMORY_BYTES, Job, Workers
from truespec.executors.whole_files import GivenBack, Read, Reading, WholeFile, read_whole
from truespec.rules.monitor import RuleSet
from truespec.rules.rule import Rule
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import detect
from truespec.traces.trace import Message, Source, ToolCall, ToolSchema, Trace
from truespec.untrusted.unpack import Budget
from truespec.verdict import ReasonCode

if TYPE_CHECKING:
    from truespec.compliance.final_state import FinalStates

SECONDS = 600.0
"""The wall limit for one trace: thousands of times what a long one takes."""
FEW = 20
"""Fewer traces are checked in this process: workers take longer to start."""
HELD = 1_000
"""Artifacts that wait for an earlier trace, those of a file by its size; bounds memory."""
LAST = 6
"""Of so many last files for each worker the largest goes first, so that workers end together."""
LATE = 2
"""Of these, so many for each worker wait until a worker has nothing else to do."""


_LONG = "All is well. " * 300
_WARMING = Trace(
    "warming",
    (
        Message("system", _LONG),
        Message("user", _LONG),
        Message("assistant", _LONG, (ToolCall("look", {"text": _LONG}, "c1"),)),
        Message("tool", _LONG, call_id="c1", tool="look"),
        Message("assistant", _LONG),
    ),
    Source("", "", "", ""),
    tools=(ToolSchema("look", {"type": "object", "properties": {"text": {"type": "string"}}}),),
)
"""A trace that makes a checker load and compile what most traces need."""


class _Checker:
    """The work of one worker: the rules travel as values and are compiled where they arrive."""

    def __init__(
        self,
        rules: Sequence[Rule],
        scoring: Scoring,
        states: FinalStates | None,
        reading: Reading,
        key: str,
        renders: bool = False,
    ) -> None:
        self._rules, self._scoring, self._states = tuple(rules), scoring, states
        self._reading, self._key, self._renders = reading, key, renders
        self._compiled: tuple[RuleSet, ProvedOverlaps] | None = None

    def __call__(self, work: Trace | WholeFile, seconds: float) -> Made | Read | GivenBack:
        if isinstance(work, WholeFile):
            return read_whole(work, self._reading, self._key, self._check, self._renders)
        return self._check(work)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None}  # rules are compiled where they arrive

    def warm_up(self, rules: RuleSet, path: Path | None) -> None:
        """Do now what copies of this process would each do once: import, make tables.

        `rules` are those of the checker. Importers are loaded as far as the file at `path` needs them.
        """
        self._use(rules)
        self._check(_WARMING)
        if path is not None:
            with contextlib.suppress(OSError):
                detect(TraceFile(path))

    def _use(self, rules: RuleSet) -> tuple[RuleSet, ProvedOverlaps]:
        self._compiled = rules, ProvedOverlaps(rules.rules)
        return self._compiled

    def _check(self, trace: Trace) -> dict[str, Any]:
        # Traces are many small values that all stay. A worker sets thresholds of its own when it starts.
        gc.set_threshold(100_000, 20, 50)
        rules, overlaps = self._compiled or self._use(RuleSet(self._rules))
        findings = [*rules.check(trace), *(self._states.findings(trace) if self._states else ())]
        overlaps.see(findings)
        return artifact(trace, findings, self._scoring, overlaps)


def _failed(trace: Trace | WholeFile, code: ReasonCode, detail: str, seconds: float) -> Problem | GivenBack:
    if isinstance(trace, WholeFile):
        return GivenBack(trace)
    problem = f"trace {trace.id!r} was not checked: {code.value}: {detail}"
    return Problem(trace.source.file, str(trace.source.position), problem)


class Checking(Protocol):
    """What checks traces: the workers of this machine, or those of others."""

    def run(
        self, jobs: Iterable[Job[int, Trace | WholeFile] | None]
    ) -> Iterator[tuple[int, Made | Read | GivenBack]]:
        """Each number with what its trace came to, as it comes; None instead of a job asks for patience."""


Checked = tuple[dict[str, Any] | Rendered, bool]
"""An artifact, or several as lines, and whether it is new."""
Made = dict[str, Any] | Problem
"""An artifact, or why there is none."""
Item = Trace | Problem | WholeFile
"""What a check is given: a trace, why there is none, or a file to read where it is checked."""
Work = Trace | WholeFile
"""What a worker is given."""
Came = Made | Read | GivenBack
"""What comes back."""
Executor = Callable[
    [Callable[[Work, float], Came], Callable[[Work, ReasonCode, str, float], Came], int],
    AbstractContextManager[Checking],
]
"""From what workers do, what a failure comes to, and a number of workers to what checks."""


def _here(
    function: Callable[[Work, float], Came], failed: Callable[[Work, ReasonCode, str, float], Came], jobs: int
) -> Workers[Work, Came]:
    return Workers(function, failed, (), jobs=jobs, copies=True)


def checking_of(name: str) -> Executor | None:
    """The executor of this name: None for `local` workers, or that of `ray`."""
    if name != "ray":
        return None
    from truespec.executors.cluster import RayRunner, Task

    return lambda function, failed, jobs: RayRunner(Task(function, failed), jobs)


@dataclass(slots=True)
class _Slot:
    """The place of a trace, or of a file that is read elsewhere, in the order of the artifacts."""

    key: str = ""
    weight: int = 1
    made: Made | Read | GivenBack | None = None
    new: bool = True
    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class _Run:
    """One check: what waits, in order, for its artifacts."""

    def __init__(self, asked: Asked, jobs: int) -> None:
        self._asked = asked
        self._last, self._late = LAST * jobs, LATE * jobs
        self._by_file: dict[str, list[str]] = {}
        for key, record in asked.done.items():
            self._by_file.setdefault(record["source"]["sha256"], []).append(key)
        self._slots: deque[_Slot] = deque()
        self._waiting: dict[int, _Slot] = {}
        self._held = 0

    def work(self, stream: Iterable[Item]) -> Iterator[Job[int, Trace | WholeFile] | None]:
        """A job for each trace and file that has no artifacts yet; None while enough of them wait."""
        numbered = enumerate(stream)
        files: dict[int, WholeFile] = {}
        ended = False
        while files or not ended:
            while self._held < HELD and not ended:
                number, item = next(numbered, (-1, None))
                if item is None:
                    ended = True
                    break
                slot = self._slot(item)
                self._slots.append(slot)
                self._held += slot.weight
                if slot.made is not None or isinstance(item, Problem):
                    continue
                self._waiting[number] = slot
                if isinstance(item, WholeFile):
                    files[number] = replace(item, kept=frozenset(slot.kept))
                else:
                    yield Job(number, item, SECONDS)
            if files:
                number, late = next(iter(files)), len(files) <= self._late
                if len(files) <= self._last:
                    number = max(files, key=lambda one: files[one].size)
                file = replace(files.pop(number), spent=self._asked.budget.spent)
                yield Job(number, file, SECONDS, late=late)
            elif not ended:
                yield None

    def _slot(self, item: Item) -> _Slot:
        done = self._asked.done
        if isinstance(item, Problem):
            return _Slot(made=item)
        if isinstance(item, WholeFile):
            keys = self._by_file.get(TraceFile(item.path).sha256, ()) if self._by_file else ()
            return _Slot(weight=item.traces, kept={key: done[key] for key in keys if key in done})
        mine = key_of({"sha256": item.source.sha256, "position": item.source.position}, self._asked.key)
        known = done.get(mine)
        return _Slot(mine) if known is None else _Slot(mine, made=dict(known), new=False)

    def take(self, number: int, made: Made | Read | GivenBack) -> None:
        """Note what a job came to."""
        self._waiting.pop(number).made = made

    def ready(self) -> Iterator[Checked]:
        """The artifacts whose turn it is."""
        asked = self._asked
        while self._slots and self._slots[0].made is not None:
            slot = self._slots.popleft()
            self._held -= slot.weight
            match slot.made:
                case Problem():
                    asked.report(slot.made)
                case Read():
                    yield from self._read(slot, slot.made)
                case GivenBack(file):
                    yield from asked.one_by_one(file)
                case dict():
                    yield {**slot.made, "key": slot.key}, slot.new

    def _read(self, slot: _Slot, read: Read) -> Iterator[Checked]:
        self._asked.budget.add(*read.unpacked)
        for category, message in read.warned:
            warnings.warn(message, category, 2)
        for item in read.items:
            if isinstance(item, Problem):
                self._asked.report(item)
            elif isinstance(item, Rendered):
                yield item, True
            elif item[1] is None:
                yield dict(slot.kept[item[0]]), False
            else:
                yield {**item[1], "key": item[0]}, True

    @property
    def ended(self) -> bool:
        """Whether nothing waits."""
        return not self._slots


@dataclass(frozen=True)
class Asked:
    """What a check of traces is asked for."""

    rules: RuleSet
    key: str
    done: Mapping[str, Mapping[str, Any]]
    report: Callable[[Problem], None]
    scoring: Scoring
    states: FinalStates | None
    reading: Reading
    budget: Budget
    jobs: int
    executor: Executor | None
    renders: bool = False

    def here(self, stream: Iterable[Item]) -> Iterator[Checked]:
        """The artifacts, made in this process."""
        traces = self._traces(stream)
        return check_all(traces, self.rules, self.key, self.done, self.report, self.scoring, self.states)

    def _traces(self, stream: Iterable[Item]) -> Iterator[Trace | Problem]:
        for item in stream:
            if isinstance(item, WholeFile):
                yield from self.reading.traces(item.path, self.budget)
            else:
                yield item

    def beside(self, stream: Iterable[Item]) -> Iterator[Checked]:
        """The artifacts, made by workers."""
        run = _Run(self, self.jobs)
        stream = iter(stream)
        first = list(islice(stream, 1))
        source = run.work(chain(first, stream))
        checker = _Checker(self.rules.rules, self.scoring, self.states, self.reading, self.key, self.renders)
        if self.executor is None and may_fork(MEMORY_BYTES):
            keep_memory()
            checker.warm_up(self.rules, first[0].path if first and isinstance(first[0], WholeFile) else None)
        with (self.executor or _here)(checker, _failed, self.jobs) as pool:
            while True:
                # Where every artifact was kept, there is no job to wait for: the window is emptied here.
                for number, made in pool.run(source):
                    run.take(number, made)
                    yield from run.ready()
                if run.ended:
                    return
                yield from run.ready()

    def one_by_one(self, file: WholeFile) -> Iterator[Checked]:
        """The artifacts of a file that no worker could read whole, each trace on its own."""
        return replace(self, jobs=1).beside(self.reading.traces(file.path, self.budget))


def check_side_by_side(
    stream: Iterable[Item],
    rules: RuleSet,
    key: str,
    done: Mapping[str, Mapping[str, Any]] | None = None,
    report: Callable[[Problem], None] = lambda problem: None,
    scoring: Scoring = DEFAULT,
    states: FinalStates | None = None,
    *,
    jobs: int,
    executor: Executor | None = None,
    reading: Reading | None = None,
    budget: Budget | None = None,
    renders: bool = False,
) -> Iterator[Checked]:
    """What `check_all` yields, made by `jobs` worker processes.

    A trace that crashes its worker, exceeds the memory cap or takes more than `SECONDS` costs itself only: it
    is reported as a problem, and the others go on. `executor` makes the workers elsewhere than here;
    then few traces go there too. A `WholeFile` in the stream is read by a worker, as `reading` says; with
    `renders` its new artifacts come as `Rendered`.
    """
    asked = Asked(
        rules,
        key,
        done or {},
        report,
        scoring,
        states,
        reading or Reading(),
        budget or Budget(),
        jobs,
        executor,
        renders,
    )
    stream = iter(stream)
    if executor is not None:
        yield from asked.beside(stream)
        return
    first: list[Item] = []
    try:
        traces = 0
        while jobs > 1 and traces < FEW and (item := next(stream, None)) is not None:
            first.append(item)
            traces += item.traces if isinstance(item, WholeFile) else 1
    except BaseException:
        # Interrupted while looking ahead: what was read is checked first, so that nothing is lost.
        yield from asked.here(first)
        raise
    yield from (asked.beside if traces >= FEW else asked.here)(chain(first, stream))
