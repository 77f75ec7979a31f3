"""`truespec bench candidates`: labelled candidates, and wrong ones that a judge accepts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from truespec.benchmark.task import Task
from truespec.cli.bench_run import chosen_tasks, limit_options, limits_of
from truespec.cli.common import Seconds, echo
from truespec.cli.progress import Progress
from truespec.executors.adversarial import Found, Sought, search
from truespec.executors.candidates import labelled, write_run
from truespec.judges.manner import Manner
from truespec.models.call import Settings
from truespec.models.presets import expand
from truespec.models.registry import open_model
from truespec.reports.candidates import accepted, labels
from truespec.store.runs import Run
from truespec.verdict import UsageError


@click.command()
@click.option("-n", "--count", type=click.IntRange(2), required=True, help="How many candidates in all.")
@click.option("--tasks", default="bundled", show_default=True, help="A file, or bundled+variants[:SEED].")
@click.option("--domain", "domains", multiple=True, help="Only these domains.")
@click.option("--tag", "tags", multiple=True, help="Only tasks with this tag, such as hard; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Only the first N tasks of each domain.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same candidates.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="A run's folder.")
@click.option("--timeout", type=Seconds(), default=4.0, show_default=True, help="Seconds per verification.")
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Verifiers.  [default: one per core]")
@click.option("--judge", default="", help="Keep wrong candidates that this model accepts, and no others.")
@click.option(
    "--kind",
    type=click.Choice(["formalization", "equivalence"]),
    default="formalization",
    show_default=True,
    help="What --judge is asked.",
)
@click.option("--temperature", type=float, default=1.0, show_default=True, help="Of --judge.")
@click.option("--reasoning-effort", default="medium", show_default=True, help="Of --judge; or 'none'.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply of --judge.")
@limit_options
def candidates(
    count: int,
    tasks: str,
    domains: tuple[str, ...],
    tags: tuple[str, ...],
    limit: int | None,
    seed: int,
    output: Path,
    timeout: float,
    jobs: int | None,
    judge: str,
    kind: str,
    temperature: float,
    reasoning_effort: str,
    max_tokens: int | None,
    concurrency: int,
    max_cost: float | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    prices: tuple[tuple[str, tuple[float, float]], ...],
) -> None:
    """Make labelled candidates for a study of judges: oracles changed, the verifiers supplying the labels.

    Right and wrong candidates are balanced in each domain. The folder is a run, so that 'bench judge' and
    'bench report' take it; its pairs.jsonl holds the candidates with their labels, how each was made, and the
    kind of mutation.

    With --judge, adversarial candidates: refuted ones that this judge accepts all the same, looked for among
    at most 20 times as many. tried.jsonl holds every candidate that was judged. The same command again
    continues an interrupted search, and a larger -n goes on from there; recorded replies are not asked for
    again.

    Exit code: 0 when all were made, 1 when the material gave fewer, calls failed or --max-cost was reached, 2
    for a wrong call.
    """
    chosen, run = chosen_tasks(tasks, domains, limit, tags), Run(output)
    jobs = jobs or len(os.sched_getaffinity(0))
    if not judge:
        made = _labelled(run, chosen, count, seed, timeout, jobs)
        sys.exit(0 if made >= count else 1)
    (name,) = expand((judge,))
    open_model(name).close()  # a wrong name must not leave a folder behind
    effort = None if reasoning_effort == "none" else reasoning_effort
    manner = Manner(Settings(temperature, effort, max_tokens))
    shown = Progress()
    found = search(
        run,
        chosen,
        count,
        Sought(name, kind, manner, seed, timeout),
        jobs=jobs,
        concurrency=concurrency,
        progress=shown.show,
        limits=limits_of(max_cost, requests_per_minute, tokens_per_minute, prices),
    )
    shown.end()
    _close(run, found, count, name)


def _labelled(run: Run, tasks: list[Task], count: int, seed: int, timeout: float, jobs: int) -> int:
    """Make balanced candidates, and return how many there are."""
    if (run.folder / "run.json").exists():
        raise UsageError(f"{run.folder} holds a run already: name another folder")
    shown = Progress()
    found, tally = labelled(
        tasks,
        count,
        seed=seed,
        timeout=timeout,
        jobs=jobs,
        progress=lambda done, total: shown.show("candidates", done, total),
    )
    if not found:
        why = next(iter(tally.barren.values()), "no change of an oracle was decided in time")
        raise UsageError(f"nothing could be made of {len(tasks)} tasks: {why}")
    write_run(run, found, timeout)
    for row in labels(found, tally).to_markdown().splitlines():
        echo(row)
    echo(f"-> {run.folder}")
    return len(found)


def _close(run: Run, found: Found, count: int, judge: str) -> None:
    for row in accepted(found.tried).to_markdown().splitlines():
        echo(row)
    failures = found.failures
    if failures.spent:
        echo(f"US$ {failures.spent:.4g} spent on all calls of {run.folder}")
    if failures.count:
        echo(f"{failures.count} calls failed; the first said: {failures.first}")
    if failures.unasked:
        echo(f"{failures.unasked} calls were not made: {failures.why}")
    if failures.count or failures.unasked:
        echo("the same command again makes only these calls")
    echo(f"{len(found.kept)} of {count} wrong candidates that {judge} accepts -> {run.folder}")
    sys.exit(0 if len(found.kept) >= count else 1)
