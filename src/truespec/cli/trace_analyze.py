"""`truespec trace analyze`: what a labelled corpus shows."""

from __future__ import annotations

import json
from pathlib import Path

import click

from truespec.cli.progress import Progress
from truespec.cli.trace_options import artifacts_of

_RUN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("run", type=_RUN)
@click.option(
    "-o", "--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder."
)
@click.option("--against", type=_RUN, help="An older run: what changed since, and what got worse.")
@click.option(
    "--beside",
    multiple=True,
    type=_RUN,
    help="The same traces judged by another judge: accuracy against cost; repeatable.",
)
@click.option(
    "--judgements",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Recorded verdicts of a judge in tau2-bench's form, to set beside outcomes and cost; repeatable.",
)
@click.option(
    "--report",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="What 'trace report' wrote of RUN: named traces link to their pages there, with the conversations.",
)
@click.option(
    "--app",
    metavar="ADDRESS",
    help="Address of RUN in 'truespec serve', e.g. http://127.0.0.1:8777/runs/1: named traces link there.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the contents of summary.json instead of sentences."
)
def analyze(
    run: Path,
    output: Path,
    against: Path | None,
    beside: tuple[Path, ...],
    judgements: tuple[Path, ...],
    report: Path | None,
    app: str | None,
    as_json: bool,
) -> None:
    """What a labelled corpus of traces shows.

    RUN is what `trace check -o` has written. Does the aggregate follow the outcome, and does each evaluator
    tell failures from successes? What do perfect outcomes hide? How do models and environments compare, and
    which violations are a model's own, by a test corrected for many comparisons? What costs what, what
    changed, and what should be looked at first?

    Writes index.html, tables as CSV, figures as SVG, and summary.json. Each trace that the page names is a
    link: to --report or --app, or else to a page below traces/ with what was found in it. Exit 0.
    """
    from truespec.analysis.judge_runs import judge_run
    from truespec.analysis.recorded import read_recorded, standing
    from truespec.reports.analysis import analyse, headline, summary
    from truespec.reports.analysis_page import write_analysis

    if report is not None and app is not None:
        raise click.UsageError("--report and --app: give one of them; each says where links lead")
    if app is not None and not app.startswith(("http://", "https://")):
        raise click.UsageError(f"--app {app!r}: expected an address such as http://127.0.0.1:8777/runs/1")
    judges = [standing(path.name.split(".")[0], read_recorded(path)) for path in judgements]
    progress = Progress()
    artifacts = artifacts_of(run, progress)
    others = [judge_run(artifacts_of(path, progress)) for path in beside]
    older = artifacts_of(against, progress) if against else None
    progress.show(f"analysing {len(artifacts)} traces")
    found = analyse(artifacts, older, judges, [judge_run(artifacts), *others] if beside else [])
    progress.show(f"writing {output.name}")
    page = write_analysis(found, output, artifacts, report, app)
    progress.end()
    if as_json:
        click.echo(json.dumps(summary(found), default=str))
        return
    for sentence in headline(found):
        click.echo(sentence)
    for entry in [e for e in found.digest if e.force == "mandatory"][:5]:
        click.echo(f"  {entry.severity}: {entry.text} ({entry.rule}: {entry.traces} traces)")
    click.echo(str(page))
