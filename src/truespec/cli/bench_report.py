"""`truespec bench`: reports of runs, the recorded baseline, and a study of limits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from truespec.benchmark.bundled import baseline as baseline_records
from truespec.benchmark.select import bundled_tasks
from truespec.cli.common import Seconds, echo
from truespec.cli.progress import Progress
from truespec.executors.rarity import sampled
from truespec.reports.bench import tables
from truespec.reports.bench_figures import figures
from truespec.reports.bench_headline import headline_of
from truespec.reports.bench_items import with_clusters
from truespec.reports.bench_page import write_report
from truespec.reports.bench_paper import paper_tables, same_models
from truespec.reports.bench_published import published_tables
from truespec.reports.bench_rounds import rounds_table
from truespec.reports.bench_runs import read_runs
from truespec.reports.bench_timeouts import LONG, timeout_figure, timeout_table
from truespec.store.runs import Run
from truespec.verdict import UsageError


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    default="out/bench",
    show_default=True,
    type=click.Path(path_type=Path),
    help="The report's folder.",
)
@click.option(
    "--rarity",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Sample N inputs for each refuted answer: are judges' mistakes on rare ones?",
)
@click.option("--json", "as_json", is_flag=True, help="Print all tables as one JSON object.")
def report(folders: tuple[Path, ...], output: Path, rarity: int, as_json: bool) -> None:
    """Write the tables and figures of the runs in FOLDERS, or of the recorded baseline where none is named.

    OUTPUT/report.html holds all of them and works offline; tasks.html and the pages after it show every task
    with its answers and what the judges said. Beside them: tables/ (Markdown, LaTeX, CSV, Parquet), figures/
    (SVG), data/ (CSV, Parquet).

    The baseline comes with the package: recorded answers to the bundled tasks, scores of a reader and of
    scripts, and the verifiers' verdicts and times. 'bench baseline' makes it anew.

    Exit code: 0, 2 for a folder without a run.
    """
    loaded, notes = read_runs(folders) if folders else None, []
    if loaded:
        answers, judgements, tried = loaded.answers, loaded.judgements, loaded.timeouts
        tasks, lead = loaded.tasks, loaded.warning
        missing = f"{folders[0]} holds no answers yet: run 'truespec bench run' first"
    else:
        tasks = bundled_tasks()
        stored = baseline_records.load(tasks)
        answers, judgements, tried = stored.answers, stored.judgements, stored.timeouts
        lead, missing = BASELINE, "the package holds no baseline: 'truespec bench baseline' makes one"
        if stored.stale:
            notes.append(f"{stored.stale} recorded answers to tasks that have changed since are left out")
    if not answers:
        raise UsageError(missing)
    if rarity:
        answers = sampled(answers, tasks, rarity, Progress().show)
    found = tables(answers, judgements, tasks, loaded.missing if loaded else ())
    if not loaded:
        found = published_tables() + paper_tables() + found
    if loaded:
        found.insert(0, loaded.table)
        found += same_models(answers)
        if loaded.rounds:
            found.append(rounds_table(*(with_clusters(some, tasks) for some in (loaded.rounds, answers))))
        if loaded.warning:
            notes.append(loaded.warning)
        said = headline_of(loaded, found, tasks)
        lead = f"{lead} {said}".strip()
        notes.append(said)
    drawn = figures(answers, judgements, tasks)
    if tried or not folders:
        found.append(timeout_table(answers, tried))
        drawn.append(timeout_figure(answers, tried))
    left_out = write_report(output, found, drawn, tasks, answers, judgements, lead)
    notes += [left_out] if left_out else []
    if as_json:
        made = {one.name: {"title": one.title, "note": one.note, "rows": one.to_data()[1]} for one in found}
        echo(json.dumps({"report": str(output / "report.html"), "notes": notes, "tables": made}))
        return
    warning = loaded.warning if loaded else ""
    if warning:
        echo(warning)
    echo(next(table for table in found if table.name == "success").to_markdown())
    for note in notes[bool(warning) :]:
        echo(note)
    echo(f"{len(found)} tables, {len(drawn)} figures -> {output / 'report.html'}")


BASELINE = (
    "First, answers and judgements of published models, verified here. Then the recorded baseline on the "
    "bundled tasks. Readers are language models that were asked once, by "
    "hand: answer sets named 'reader' were written from statement and context alone, and the judge "
    "'reader c' wrote down scores, of formalization and of equivalence separately, both orders of a pair "
    "at once. Sets and judges named 'scripted' are scripts: the sets draw from each task's own right and "
    "wrong candidates, the judges go by the look of the texts. The judge named 'simulated' is told the "
    "verdict and errs by lot. They show what each table and figure holds, and nothing of any model."
)


@click.command()
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--domain", "domains", multiple=True, help="Only these domains.")
@click.option("--timeout", type=Seconds(), default=4.0, show_default=True, help="Seconds per verification.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Verifiers.  [default: one per core]")
def baseline(output: Path, domains: tuple[str, ...], timeout: float, jobs: int | None) -> None:
    """Make the recorded baseline anew: its answers and judges, verified on this machine.

    Exit code: 0, 2 for a wrong call.
    """
    from truespec.executors.baseline import build

    shown = Progress()
    built = build(
        output,
        timeout=timeout,
        jobs=jobs or len(os.sched_getaffinity(0)),
        domains=domains,
        progress=shown.show,
    )
    for row in tables(built.run.read("answers"), [])[0].to_markdown().splitlines():
        echo(row)
    if built.unanswered:
        echo(f"{built.unanswered} tasks were left out by a reader")
    if built.unscored:
        echo(f"{built.unscored} judgements lack a reader's current score; see 'tools/scores.py status'")
    echo(f"-> {built.run.folder}")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--limits",
    default=",".join(f"{limit:g}" for limit in LONG),
    show_default=True,
    help="Seconds per pair, by commas.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Verifiers.  [default: one per core]")
def timeouts(folder: Path, limits: str, jobs: int | None) -> None:
    """Verify what the run in FOLDER left unknown again, at each limit, until it is decided.

    The same command continues an interrupted study; 'bench report FOLDER' then shows its table and figure.

    Exit code: 0, whatever was decided; 2 for a wrong call.
    """
    from truespec.executors.timeouts import study

    try:
        wanted = [float(text) for text in limits.split(",")]
    except ValueError:
        raise UsageError(f"--limits {limits}: expected seconds by commas, e.g. 4,16,64") from None
    begun = Run(folder)
    own = begun.config().timeout
    tried = study(begun, wanted, jobs=jobs or len(os.sched_getaffinity(0)), progress=Progress().show)
    answers: list[dict[str, Any]] = [{**answer, "limit": own} for answer in begun.read("answers")]
    for row in timeout_table(answers, tried, wanted).to_markdown().splitlines():
        echo(row)
