"""`truespec bench import`: recorded answers and judgements of any source as a run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord, Task
from truespec.cli.common import Seconds, echo
from truespec.cli.progress import Progress
from truespec.executors.recorded import import_run, read_records, sample
from truespec.reports.bench import tables
from truespec.store.lines import split_lines
from truespec.store.pairs import parse_json
from truespec.store.runs import read_tasks
from truespec.untrusted.inputs import text_of
from truespec.verdict import UsageError

SHOWN = ("success", "judges-pooled")
"""The tables that the command prints."""


@click.command("import")
@click.argument("records", type=click.Path(path_type=Path), required=False)
@click.option("--source", help="A data set of 'truespec data import' instead of a file.")
@click.option("--from", "folder", type=click.Path(path_type=Path), help="Where the data set lies.")
@click.option("--tasks", type=click.Path(path_type=Path), help="A file of the tasks that records name.")
@click.option("--model", help="Who answered, where a record does not say.")
@click.option(
    "--kind",
    type=click.Choice(["equivalence", "formalization"]),
    default="equivalence",
    show_default=True,
    help="Whether judges saw the oracle, or the statement.",
)
@click.option("--limit", type=click.IntRange(1), help="Only N answers of each model, spread over the source.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--timeout", type=Seconds(), default=4.0, show_default=True, help="Seconds per verification.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Verifiers.  [default: one per core]")
def import_(
    records: Path | None,
    source: str | None,
    folder: Path | None,
    tasks: Path | None,
    model: str | None,
    kind: str,
    limit: int | None,
    output: Path,
    timeout: float,
    jobs: int | None,
) -> None:
    """Make a run of recorded answers and judgements, verified.

    RECORDS holds one JSON object per line: a pair (domain, context, oracle, candidate) and, as far as they
    are known, "model" (who answered), "task", "statement", "reply" (the whole reply instead of a candidate)
    and "judges": {"NAME": "yes" or "no", or a score from 0 to 3}. Several answers of a model to a task are
    its epochs. 'bench report OUTPUT' then shows the same tables as of any run.

    Exit code: 0, or 2 for a wrong call or a record that is no answer.
    """
    if (records is None) == (source is None) or (source is None) != (folder is None):
        raise UsageError("name a file of records, or a data set with --source NAME --from DIR")
    given = read_tasks(tasks) if tasks else []
    if source is not None and folder is not None:
        lines, more = _published(source, folder)
        given += more
    else:
        assert records is not None
        lines = list(_lines(records))
    if model:
        lines = [(place, {"model": model, **record}) for place, record in lines]
    found = read_records(lines, given)
    if limit is not None:
        found = sample(found, limit)
    run = import_run(
        output,
        found,
        kind=kind,
        timeout=timeout,
        jobs=jobs or len(os.sched_getaffinity(0)),
        progress=Progress().show,
    )
    made = tables(run.read("answers"), run.read("judgements"), run.tasks())
    for table in made:
        if table.name in SHOWN:
            echo(table.to_markdown())
    counts = Counter(one.given.model for one in found)
    echo(f"{len(found)} answers of {len(counts)} models -> {output}   (next: truespec bench report {output})")


def _published(source: str, folder: Path) -> tuple[list[tuple[str, dict[str, Any]]], list[Task]]:
    """The pairs of a data set with their places, and its tasks; what is left out is reported."""
    lines, tasks, skipped = [], [], 0
    for one in load(source)(folder):
        if isinstance(one, PairRecord):
            lines.append((f"{source}, {one.id}", {"model": source, **one.to_json()}))
        elif isinstance(one, Task):
            tasks.append(one)
        else:
            skipped += 1
    if skipped:
        echo(f"{skipped} records of {source} are left out; 'truespec data import {source}' tells why")
    if not lines:
        raise UsageError(f"{source} holds tasks alone, and no answers: see 'bench run --tasks'")
    return lines, tasks


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = split_lines(text_of(path, None))
    for number, line in enumerate(lines, 1):
        place = f"{path}, line {number}"
        try:
            record = parse_json(line)
        except ValueError as error:
            raise UsageError(f"{place}: {error}") from None
        if not isinstance(record, dict):
            raise UsageError(f"{place}: expected an object")
        yield place, record
