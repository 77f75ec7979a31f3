"""Many pairs: verdicts in input order, computed in any order, kept in a ledger as they come."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from truespec.domains.judge import Pair
from truespec.executors.pool import Job, Workers, judges
from truespec.store.ledger import Ledger, key
from truespec.store.lines import to_line
from truespec.store.pairs import BrokenLine, PairLine, digest, read_pairs, scan
from truespec.verdict import ReasonCode, UsageError, Verdict

WINDOW = 2_000
"""Verdicts held back because an earlier line is still undecided; bounds memory on long files."""


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


def ledger_path(output: Path) -> Path:
    """Where the ledger of an output file lives."""
    return output.with_name(output.name + ".ledger")


def run_batch(
    pairs: Path,
    output: Path,
    *,
    timeout: float,
    jobs: int,
    resume: bool,
    progress: Callable[[int, int, Summary], None] = lambda *_: None,
) -> Summary:
    """Write one verdict or error record per line of `pairs` to `output`, in input order.

    With `resume`, verdicts that an earlier run kept in the ledger beside the output are taken from there;
    without it the ledger starts anew. `progress` is called with the lines written, the number of lines, and
    the summary so far.

    Raises `UsageError` for unreadable files, doubled ids, or an output that is the input.
    """
    if output.resolve() == pairs.resolve():
        raise UsageError(f"{output} is the input itself: name another output")
    scanned = scan(pairs)
    where = ledger_path(output)
    if not resume:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                where.with_name(where.name + suffix).unlink()
    try:
        file = output.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror}") from None
    summary = Summary()
    bound_to = {"input": digest(pairs), "limit": f"{timeout:g} s"}
    with file, Ledger(where, bound_to) as ledger, judges(scanned.domains, jobs) as workers:
        entries = read_pairs(pairs)
        while window := list(islice(entries, WINDOW)):
            for record in _decide(window, workers, ledger, timeout, summary):
                file.write(to_line(record))
                summary.lines += 1
                progress(summary.lines, scanned.lines, summary)
            file.flush()
            ledger.commit()
        summary.foreign = ledger.foreign
        summary.refused = ledger.refused
    return summary


def _decide(
    window: list[PairLine | BrokenLine],
    workers: Workers[Pair, Verdict],
    ledger: Ledger,
    timeout: float,
    summary: Summary,
) -> Iterator[dict[str, object]]:
    """The records of one window of lines, in order, each as soon as all before it are there."""
    keys = {entry.line: key(entry.pair, timeout) for entry in window if isinstance(entry, PairLine)}
    known: dict[str, Verdict] = {}
    wanted: dict[str, PairLine] = {}
    for entry in window:
        if isinstance(entry, PairLine):
            address = keys[entry.line]
            kept = ledger.get(address, entry.pair.domain)
            if kept is not None:
                known[address] = kept
                summary.reused += 1
            else:
                wanted.setdefault(address, entry)  # the same pair under two ids is decided once
    results = workers.run(Job(address, entry.pair, timeout) for address, entry in wanted.items())
    for entry in window:
        if isinstance(entry, BrokenLine):
            summary.broken += 1
            yield entry.to_json()
            continue
        address = keys[entry.line]
        while address not in known:
            done, verdict = next(results)
            ledger.put(done, verdict)
            known[done] = verdict
        verdict = known[address]
        summary.answers[verdict.answer.value] += 1
        if verdict.reason:
            summary.reasons[verdict.reason.code.value] += 1
        yield {"id": entry.id, **verdict.to_json()}
    for done, verdict in results:  # none are left; this lets the workers end their round
        ledger.put(done, verdict)


def undecided_for_lack_of_tools(summary: Summary) -> int:
    """How many pairs another tool could decide; `truespec doctor` names it."""
    return summary.reasons[ReasonCode.UNAVAILABLE.value]
