"""Many pairs: verdicts in input order, computed in any order, kept in a ledger as they come."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TextIO

from truespec.domains.verify import Pair, environment_of
from truespec.executors.pool import Job, verifiers
from truespec.solvers.scratch import Scratch
from truespec.store.ledger import Ledger, key
from truespec.store.lines import to_line
from truespec.store.pairs import WHOLE, BrokenLine, PairLine, Shard, digest, on_disk, read_pairs, scan, spoken
from truespec.store.parquet import check_parquet
from truespec.store.rows import write_parquet
from truespec.untrusted.outputs import check_apart, hold, is_same, is_stream, named, reserved
from truespec.verdict import ReasonCode, UsageError, Verdict

HELD_LINES = 100_000
"""Lines that wait for an earlier one which is still undecided; no more are read meanwhile."""
HELD_BYTES = 64 << 20
"""The size of the records that wait likewise; both bound memory on long files."""


class Runner(Protocol):
    """What decides pairs: the workers of this machine, or those of others."""

    def run(self, jobs: Iterable[Job[str, Pair] | None]) -> Iterator[tuple[str, Verdict]]:
        """Each key with its verdict, as it comes; None instead of a job asks for patience."""


@dataclass
class Summary:
    """What a batch came to."""

    lines: int = 0
    """Lines of the input."""
    answers: Counter[str] = field(default_factory=Counter)
    """Verdicts by answer."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Undecided and invalid verdicts by reason code."""
    broken: int = 0
    """Lines that held no pair."""
    reused: int = 0
    """Verdicts taken from the ledger."""
    refused: Counter[str] = field(default_factory=Counter)
    """Records of the ledger that were not taken but decided anew, by what is wrong with them."""
    foreign: list[str] = field(default_factory=list)
    """How the run that the ledger was kept for differs from this one."""
    discarded: int = 0
    """Verdicts of an earlier run in the ledger, which this one has begun anew."""


def ledger_path(output: Path) -> Path:
    """Where the ledger of an output file lives."""
    return output.with_name(output.name + ".ledger")


def bound_to(pairs: Path, timeout: float) -> dict[str, str]:
    """What a ledger of these pairs under this limit says about itself."""
    short = f"{timeout:g}"
    return {"input": digest(pairs), "limit": f"{short if float(short) == timeout else repr(timeout)} s"}


Executor = Callable[[tuple[str, ...], int], contextlib.AbstractContextManager[Runner]]
"""From domains and a number of workers to what decides."""


def executor_of(name: str) -> Executor:
    """The executor of this name: `local` workers, or `ray` for those of a cluster."""
    if name == "ray":
        from truespec.executors.cluster import ray_verifiers

        return ray_verifiers
    return verifiers


def run_batch(
    pairs: Path,
    output: Path,
    *,
    timeout: float,
    jobs: int,
    resume: bool,
    progress: Callable[[int, int, Summary], None] = lambda *_: None,
    shard: Shard = WHOLE,
    executor: Executor = verifiers,
) -> Summary:
    """Write one verdict or error record per line of `pairs` to `output`, in input order.

    `-` is standard input or output; an output that ends in `.parquet` is a flat table. With `resume`,
    verdicts that an earlier run kept in the ledger beside the output are taken from there; without it the
    ledger starts anew. An output that is no file keeps no ledger. Only the lines of `shard` are decided.
    `executor` makes what decides them. `progress` is called with the lines written, the number of lines,
    and the summary so far.

    Raises `UsageError` for unreadable files, doubled ids, or an output that is the input.
    """
    streamed = is_stream(output)
    if not streamed:
        check_output(output, [pairs])
    if resume and streamed:
        raise UsageError(f"--resume needs an output file, which keeps a ledger: {output} keeps none")
    with Scratch("batch") as folder:
        called, pairs = spoken(pairs), on_disk(pairs, folder)
        scanned = scan(pairs, shard, called)
        where = folder / "ledger" if streamed else ledger_path(output)
        flat = output.suffix == ".parquet"
        if flat:
            check_parquet()
        if not resume:
            Ledger.check_ours(where)
        written = folder / "verdicts.jsonl" if flat else output
        summary = Summary()
        with (
            reserved(output) if flat else contextlib.nullcontext(),
            opened(written) as file,
            _begun(where, resume, summary),
            Ledger(where, bound_to(pairs, timeout)) as ledger,
            executor(scanned.domains, jobs) as runner,
        ):
            entries = (entry for entry in read_pairs(pairs) if shard.holds(entry))
            window = _Window(file, ledger, timeout, summary)
            window.report = lambda: progress(summary.lines, scanned.lines, summary)
            for address, verdict in runner.run(window.jobs(entries)):
                window.decided(address, verdict)
            window.write()
            summary.foreign = ledger.foreign
            summary.refused = ledger.refused
            if flat:
                file.flush()
                write_parquet(written, output)
        return summary


def check_output(output: Path, inputs: Sequence[Path]) -> None:
    """Raise `UsageError` where the output, or the ledger beside it, is an input, or where it is a folder."""
    if output.is_dir():
        raise UsageError(f"{output}: Is a directory")
    check_apart(output, inputs)
    own = ledger_path(output)
    if any(is_same(own, path) for path in inputs):
        raise UsageError(f"{own}, the ledger of {output}, would replace the input: name another output")


@contextlib.contextmanager
def _begun(ledger: Path, resume: bool, summary: Summary) -> Iterator[None]:
    """Remove an earlier ledger unless it is resumed, once the output is ours."""
    if not resume:
        summary.discarded = Ledger.count(ledger)
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                ledger.with_name(ledger.name + suffix).unlink()
    yield


@contextlib.contextmanager
def opened(output: Path) -> Iterator[TextIO]:
    """An output for writing, emptied; what the system says about it names it.

    Raises `UsageError` where another run writes it.
    """
    if str(output) == "-":
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        yield sys.stdout
        sys.stdout.flush()
        return
    stream = is_stream(output)
    try:
        # An output of another run is not emptied before the lock says that this run has ended.
        file = output.open("w" if stream else "a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from None
    with named(output), file:
        if not stream:
            hold(file.fileno(), output)
            file.truncate(0)
        yield file


@dataclass(slots=True)
class _Slot:
    """A line whose record is not written yet."""

    id: str
    """The pair's identifier."""
    record: str | None
    """The record; None while the pair is undecided."""


class _Window:
    """The lines between the first that is undecided and the last that was read."""

    def __init__(self, file: TextIO, ledger: Ledger, timeout: float, summary: Summary) -> None:
        self._file, self._ledger, self._timeout, self._summary = file, ledger, timeout, summary
        self._slots: deque[_Slot] = deque()
        self._undecided: dict[str, list[_Slot]] = {}  # the same pair under two ids is decided once
        self._bytes = 0
        self.report: Callable[[], None] = lambda: None

    def jobs(self, entries: Iterable[PairLine | BrokenLine]) -> Iterator[Job[str, Pair] | None]:
        """The jobs of the lines that are not known yet; None while too many lines wait for an earlier one."""
        for entry in entries:
            while len(self._slots) >= HELD_LINES or self._bytes >= HELD_BYTES:
                yield None
            if isinstance(entry, BrokenLine):
                self._summary.broken += 1
                self._fill(_Slot("", None), to_line(entry.to_json()))
                continue
            slot = _Slot(entry.id, None)
            environment = environment_of(entry.pair)
            self._ledger.under(entry.pair.domain, environment)
            address = key(entry.pair, self._timeout, environment)
            if address in self._undecided:
                self._undecided[address].append(slot)
                self._slots.append(slot)
                continue
            kept = self._ledger.get(address, entry.pair.domain)
            if kept is not None:
                self._summary.reused += 1
                self._fill(slot, self._line(slot, kept))
                continue
            self._undecided[address] = [slot]
            self._slots.append(slot)
            yield Job(address, entry.pair, self._timeout, entry.pair.domain)

    def decided(self, address: str, verdict: Verdict) -> None:
        """Take a verdict, and write what no longer waits."""
        self._ledger.put(address, verdict)
        for slot in self._undecided.pop(address):
            slot.record = self._line(slot, verdict)
            self._bytes += len(slot.record)
        self.write()

    def write(self) -> None:
        """Write the records before the first undecided line."""
        while self._slots and (record := self._slots[0].record) is not None:
            self._slots.popleft()
            self._bytes -= len(record)
            self._file.write(record)
            self._summary.lines += 1
            self.report()

    def _fill(self, slot: _Slot, record: str) -> None:
        slot.record = record
        self._bytes += len(record)
        self._slots.append(slot)
        self.write()

    def _line(self, slot: _Slot, verdict: Verdict) -> str:
        self._summary.answers[verdict.answer.value] += 1
        if verdict.reason:
            self._summary.reasons[verdict.reason.code.value] += 1
        return to_line({"id": slot.id, **verdict.to_json()})


def undecided_for_lack_of_tools(summary: Summary) -> int:
    """How many pairs another tool could decide; `truespec doctor` names it."""
    return summary.reasons[ReasonCode.UNAVAILABLE.value]
