"""`truespec bench certify`: what the verifiers say for the bundled tasks, or for those of a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from truespec.benchmark import bundled
from truespec.benchmark.bundled import BundledTask
from truespec.benchmark.certificate import Certificate, is_current, read, write
from truespec.benchmark.select import check_domains, choose
from truespec.benchmark.task import Task
from truespec.cli.common import Seconds, echo
from truespec.cli.progress import Progress
from truespec.domains.registry import DOMAINS
from truespec.executors.certify import certify as make
from truespec.store.runs import read_tasks
from truespec.verdict import UsageError


@click.command()
@click.option("--tasks", type=click.Path(path_type=Path), help="A file of tasks of your own instead.")
@click.option("--domain", "domains", multiple=True, help="Only these domains.")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Only each N-th task.")
@click.option("--variants", type=click.IntRange(0), help="Also the variants that this seed draws; not kept.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to keep certificates in.")
@click.option("--open", "again", is_flag=True, help="Try current ones with undecided verdicts again.")
@click.option("--timeout", type=Seconds(), default=20.0, show_default=True, help="Seconds per candidate.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
def certify(
    tasks: Path | None,
    domains: tuple[str, ...],
    every: int,
    variants: int | None,
    output: Path | None,
    again: bool,
    timeout: float,
    jobs: int | None,
) -> None:
    """Certify the oracles of the bundled tasks, or of a task file of your own.

    For each task: the oracle equals itself and is not trivial (it differs from what is always or never true,
    from constants, from a query without rows); a right form written independently is proved, and so are
    rewritings by the laws of the language; at least two wrong forms, written as a careless reader would, and
    mutants are refuted.

    OUTPUT keeps one file per domain; certificates there that are current are not made again. Without it,
    every certificate is made and nothing is kept. What is not shown is listed as open. With --open, current
    certificates that hold an undecided verdict are made again, and replaced where fewer are undecided.

    With --tasks, the oracles of that file are certified, before any model is asked: each is usable, equals
    itself, is not trivial, its rewritings are proved and its mutants refuted.

    Exit code: 0 when no verdict contradicts a task and no oracle is broken, 1 otherwise, 2 for a wrong call.
    """
    check_domains(domains)
    workers = jobs or len(os.sched_getaffinity(0))
    if tasks is not None:
        if output or again or variants is not None:
            raise UsageError("--output, --open and --variants are about the bundled tasks: leave them out")
        sys.exit(_own(choose(read_tasks(tasks), domains, None)[::every], timeout, workers))
    wanted = domains or tuple(name for name in bundled.domains() if name in DOMAINS)
    unknown = [name for name in wanted if name not in bundled.domains()]
    if unknown:
        raise UsageError(
            f"no bundled tasks of {', '.join(unknown)}; there are {', '.join(bundled.domains())}"
        )
    if output and variants is not None:
        raise UsageError(
            "variants have no place among the kept certificates: leave out --output or --variants"
        )
    if again and output is None:
        raise UsageError("--open tries kept certificates again: name their folder with --output")
    wrong = 0
    for name in wanted:
        entries = bundled.tasks(name, variants=variants is not None, seed=variants or 0)[::every]
        wrong += _domain(name, entries, output, again, timeout, workers)
    sys.exit(1 if wrong else 0)


def _own(tasks: Sequence[Task], timeout: float, jobs: int) -> int:
    """Certify a file's tasks; 1 where an oracle is broken or a verdict contradicts it, else 0."""
    found, progress = [], Progress()
    for certificate in make([BundledTask(task) for task in tasks], timeout=timeout, jobs=jobs):
        found.append(certificate)
        progress.show("tasks", len(found), len(tasks))
        for text in certificate.contradictions():
            echo(f"{certificate.task}: {text}")
        for text in certificate.gaps(written=False):
            echo(f"{certificate.task}: open: {text}")
    wrong = sum(bool(one.contradictions()) for one in found)
    open_ = sum(bool(one.gaps(written=False)) for one in found if not one.contradictions())
    echo(f"{len(found) - wrong - open_} of {len(found)} tasks certified, {open_} open, {wrong} broken")
    return 1 if wrong else 0


def _domain(
    name: str, entries: Sequence[BundledTask], output: Path | None, again: bool, timeout: float, jobs: int
) -> int:
    path = output / f"{name}.jsonl" if output else None
    found = read(path) if path else {}
    current = {entry.task.id: found[entry.task.id] for entry in entries if _kept(found, entry)}
    due = [e for e in entries if e.task.id not in current or (again and current[e.task.id].undecided())]
    wrong, progress = 0, Progress()
    for number, certificate in enumerate(make(due, timeout=timeout, jobs=jobs), 1):
        progress.show(name, number, len(due))
        before = current.get(certificate.task)
        if before is None or certificate.contradictions() or certificate.undecided() < before.undecided():
            found[certificate.task] = certificate
        for text in certificate.contradictions():
            wrong += 1
            echo(f"{certificate.task}: {text}")
        for text in certificate.gaps():
            echo(f"{certificate.task}: open: {text}")
        if path and number % 12 == 0:
            _write(path, name, found)
    if path:
        _write(path, name, found)  # where all are current too: tasks may have changed places
    shown = [found[entry.task.id] for entry in entries]
    complete = sum(not one.gaps() for one in shown)
    echo(f"{name}: {complete} of {len(shown)} tasks certified, {_counts(shown)}")
    return wrong


def _write(path: Path, name: str, found: Mapping[str, Certificate]) -> None:
    """Keep the certificates of a domain in the order of its tasks."""
    write(path, [found[one.task.id] for one in bundled.tasks(name) if one.task.id in found])


def _kept(found: Mapping[str, Certificate], entry: BundledTask) -> bool:
    return is_current(found.get(entry.task.id), entry)


def _counts(found: list[Certificate]) -> str:
    right = [answer for one in found for answer in one.right.values()]
    wrong = [answer for one in found for answer in one.wrong.values()]
    return (
        f"{right.count('equivalent')}/{len(right)} right forms proved, "
        f"{wrong.count('refuted')}/{len(wrong)} wrong forms refuted, "
        f"{sum(one.undecided() for one in found)} verdicts undecided"
    )
