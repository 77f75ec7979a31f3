"""`truespec data`: upstream data sets as tasks and pairs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import click

from truespec.benchmark.sources.registry import SOURCES, load
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.cli.common import echo
from truespec.cli.lazy import Group
from truespec.cli.progress import Progress
from truespec.store.lines import to_line
from truespec.store.runs import read_tasks
from truespec.untrusted.outputs import check_apart
from truespec.verdict import UsageError


@click.group(cls=Group)
def data() -> None:
    """Import data sets as their authors publish them."""


@data.command("import", epilog=f"Data sets: {', '.join(SOURCES)}.")
@click.argument("source")
@click.option(
    "--from", "folder", required=True, type=click.Path(path_type=Path), help="The data set's folder."
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as one JSON object.")
def import_(source: str, folder: Path, output: Path, as_json: bool) -> None:
    """Read the data set SOURCE as published in a folder.

    Write OUTPUT/tasks.jsonl, pairs.jsonl where it holds candidates, and
    skipped.jsonl with each record that was left out and why.

    Exit code: 0 when the data set was read, 2 when the folder does not hold it.
    """
    read = load(source)
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    tasks: list[Task] = []
    pairs: list[PairRecord] = []
    skipped: list[Skipped] = []
    progress = Progress()
    for number, record in enumerate(read(folder)):
        progress.show(f"{source}: {number} records")
        match record:
            case Task():
                tasks.append(record)
            case PairRecord():
                pairs.append(record)
            case Skipped():
                skipped.append(record)
    progress.end()
    if not tasks and not pairs:
        raise UsageError(f"{folder} holds no record of {source!r} that can be used ({len(skipped)} skipped)")
    for kind, records in (("tasks", tasks), ("pairs", pairs)):
        doubled = [name for name, count in Counter(record.id for record in records).items() if count > 1]
        if doubled:
            raise UsageError(f"{source}: the reader gives the id {doubled[0]!r} to several {kind}")
    output.mkdir(parents=True, exist_ok=True)
    for name, lines in (
        ("tasks", [to_line(task.to_json()) for task in tasks]),
        ("pairs", [to_line(pair.to_json()) for pair in pairs]),
        ("skipped", [to_line(skip.to_json()) for skip in skipped]),
    ):
        path = output / f"{name}.jsonl"
        if lines or name == "skipped":
            path.write_text("".join(lines), encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
    reasons = Counter(skip.reason for skip in skipped)
    if as_json:
        counts = {"tasks": len(tasks), "pairs": len(pairs), "skipped": len(skipped)}
        found = {"source": source, "output": str(output), **counts, "reasons": dict(reasons.most_common())}
        echo(json.dumps(found))
        return
    echo(f"{source}: {len(tasks)} tasks, {len(pairs)} pairs, {len(skipped)} skipped -> {output}")
    for reason, count in reasons.most_common(10):
        echo(f"  skipped {count:5}  {reason.splitlines()[0][:160]}")


@data.command()
@click.option(
    "--from", "folder", required=True, type=click.Path(path_type=Path), help="The folder of the data sets."
)
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder to write.")
def respecbench(folder: Path, output: Path) -> None:
    """Select the tasks of the paper RESpecBench from data sets as published, each below the folder.

    Write OUTPUT/tasks.jsonl, for 'truespec bench run --tasks'. A data set that is missing is named; the
    paper's counts are 250 of GSM-Symbolic, 76 of Polygon and Scythe, 150 of FOLIO, 200 of NL-RX and 31 of
    CLEVER.

    Exit code: 0 when every count was reached, 1 when the material gave fewer, 2 when it gave none.
    """
    from truespec.benchmark.respecbench import COUNTS, CRITERIA, select

    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    chosen = select(folder)
    tasks = [task for one in chosen for task in one.tasks]
    if not tasks:
        raise UsageError(
            f"{folder} holds none of the data sets: {'; '.join(m for c in chosen for m in c.missing)}"
        )
    output.mkdir(parents=True, exist_ok=True)
    path = output / "tasks.jsonl"
    path.write_text("".join(to_line(task.to_json()) for task in tasks), encoding="utf-8")
    for one in chosen:
        taken = ", ".join(f"{count} of {name}" for name, count in one.taken) or "none"
        echo(f"{one.domain:6} {len(one.tasks):4} of {COUNTS[one.domain]:3}: {taken}")
        echo(f"       {CRITERIA[one.domain]}")
        for note in one.notes:
            echo(f"       note: {note}")
        for why in one.missing:
            echo(f"       missing: {why}")
        for why in one.rejected:
            echo(f"       left out, {why}")
    echo(f"{len(tasks)} tasks of {sum(COUNTS.values())} -> {path}")
    sys.exit(0 if len(tasks) == sum(COUNTS.values()) else 1)


@data.command(epilog=f"Data sets: {', '.join(SOURCES)}.")
@click.argument("source")
@click.option(
    "-o",
    "--output",
    default="data",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The folder in which the data set's own folder appears.",
)
@click.option("--host", default="", metavar="URL", help="A mirror instead of codeload.github.com.")
def fetch(source: str, output: Path, host: str) -> None:
    """Download the data set SOURCE from its public repository.

    The commit is pinned and the files' checksums are known: what does not fit is not kept. The same command
    continues a download that broke off, and does nothing where the set is complete.

    Exit code: 0 when the set is there, 2 when it could not be had, with the reason.
    """
    from truespec.benchmark.sources.pins import pin
    from truespec.executors.fetch import HOST
    from truespec.executors.fetch import fetch as download

    wanted = pin(source)
    folder = output / source
    echo(f"{source}: {wanted.repository} @ {wanted.commit}")
    echo(f"  licence: {wanted.licence}")
    shown = Progress()

    def report(done: int, total: int | None) -> None:
        shown.show("MB", done // 1_000_000, total // 1_000_000 if total else None)

    try:
        new = download(wanted, folder, host=host or HOST, progress=report)
    finally:
        shown.end()
    echo(f"  {'fetched and checked' if new else 'there already, complete'}: {folder}")
    if wanted.note:
        echo(f"  note: {wanted.note}")
    echo(f"  next: truespec data import {source} --from {folder} -o OUT")


@data.command()
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option("--model", required=True, help="A model, named as for 'bench run'.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--domain", "domains", multiple=True, help="Refine only these domains; the others stay.")
@click.option("--concurrency", type=click.IntRange(1, 512), default=8, help="Calls at once.")
def refine(tasks: Path, model: str, output: Path, domains: tuple[str, ...], concurrency: int) -> None:
    """Let a model make the statements of a task file more specific, given their references.

    Write OUTPUT/tasks.jsonl; the old statements are kept beside the new ones. Read them before use: the
    paper's authors checked theirs by hand. The same command continues an interrupted run.

    Exit code: 0 when every statement was refined, 1 when some stayed as they were, 2 for a wrong call.
    """
    from truespec.executors.refine import refine as refined
    from truespec.models.presets import expand
    from truespec.models.registry import open_model

    check_apart(output / "tasks.jsonl", [tasks])
    every = read_tasks(tasks)
    wanted = [task for task in every if not domains or task.domain in domains]
    if not wanted:
        raise UsageError(f"{tasks} holds no task of {', '.join(domains) or 'any domain'}")
    (name,) = expand((model,))
    shown = Progress()
    opened = open_model(name)
    output.mkdir(parents=True, exist_ok=True)
    try:
        found = refined(
            wanted,
            opened,
            output / "calls.sqlite",
            concurrency=concurrency,
            progress=lambda done, total: shown.show("statements", done, total),
        )
    finally:
        opened.close()
        shown.end()
    new = {one.task.id: one.task for one in found}
    lines = [to_line(new.get(task.id, task).to_json()) for task in every]
    (output / "tasks.jsonl").write_text("".join(lines), encoding="utf-8")
    stayed = [one for one in found if one.problem]
    for reason, count in Counter(one.problem for one in stayed).most_common(5):
        echo(f"  as it was {count:5}  {reason[:160]}")
    echo(f"{len(found) - len(stayed)} of {len(found)} statements refined -> {output / 'tasks.jsonl'}")
    sys.exit(1 if stayed else 0)
