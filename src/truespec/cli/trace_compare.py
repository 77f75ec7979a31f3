"""`truespec trace compare`: two versions of an agent on the same tasks."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truespec.cli.progress import Progress
from truespec.cli.trace_options import artifacts_of

if TYPE_CHECKING:
    from truespec.analysis.paired import Comparison

_RUN = click.Path(exists=True, path_type=Path)


@click.command()
@click.argument("old", type=_RUN)
@click.argument("new", type=_RUN)
@click.option("--by", type=click.Choice(["task"]), default="task", show_default=True, help="What is paired.")
@click.option(
    "--fail-on",
    type=click.Choice(["worse"]),
    help="Exit 1 where a measure is worse, by the adjusted test, or a rule is no longer evaluated.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of the table.")
def compare(old: Path, new: Path, by: str, fail_on: str | None, as_json: bool) -> None:
    """Compare two versions of an agent on the same tasks.

    OLD and NEW are what `trace check -o` has written. Traces pair by environment and task, whatever the
    models are called. A task counts once, with the mean over its traces. A measure is worse where the exact
    sign test over tasks says so after Holm's correction. A rule that is evaluated in one version alone is
    named; what the newer one no longer shows is not known to be kept. Exit 0, 1 by --fail-on worse where a
    measure is worse or a rule is no longer evaluated, 2 without a common task.
    """
    from truespec.analysis.corpus import row_of
    from truespec.analysis.paired import compare as compare_rows

    progress = Progress()
    before, now = ([row_of(one) for one in artifacts_of(run, progress)] for run in (old, new))
    progress.show("comparing")
    found = compare_rows(before, now)
    progress.end()
    if found.too_few:
        click.echo(
            f"only {found.common} common tasks: a difference on so few may be chance",
            err=True,
        )
    if as_json:
        record = {
            "by": by,
            "tasks": {"common": found.common, "only_old": found.only_before, "only_new": found.only_now},
            "traces_without_task": found.without_task,
            "too_few": found.too_few,
            "measures": [one.record() for one in found.measures],
            "kinds": [one.record() for one in found.kinds],
            "not_evaluated": {"old": dict(found.unknown_before), "new": dict(found.unknown_now)},
            "worse": [one.name for one in found.worse],
        }
        click.echo(json.dumps(record))
    else:
        click.echo(
            f"{found.common} common tasks; {found.only_before} only in {old}, "
            f"{found.only_now} only in {new}; "
            f"{found.without_task} traces without a task left out"
        )
        for line in _table(found):
            click.echo(line)
        for rules, run in ((found.unknown_before, old), (found.unknown_now, new)):
            for rule, count in rules.items():
                click.echo(f"{rule} is not evaluated in {run} on {count} tasks, and in the other run it is")
        click.echo(f"worse: {', '.join(one.name for one in found.worse) or 'nothing, by the adjusted test'}")
    sys.exit(1 if fail_on and (found.worse or found.unknown_now) else 0)


def _table(found: Comparison) -> Iterator[str]:
    """A line for each measure, under a heading."""
    rows = (*found.measures, *found.kinds)
    width = max(len(one.name) for one in rows)
    yield (
        f"{'':<{width}}  {'old':>7} {'new':>7}  {'difference':>10} {'95 % interval':>18} "
        f"{'tasks':>6} {'better':>6} {'worse':>6} {'p':>7}"
    )
    for one in rows:
        low, high = one.gap.interval.low, one.gap.interval.high
        interval = f"[{low:+.2f}, {high:+.2f}]" if one.gap.total > 1 else "–"
        mark = "  WORSE" if one.is_worse else ""
        yield (
            f"{one.name:<{width}}  {one.before:>7.2f} {one.now:>7.2f}  {one.gap.value:>+10.2f} "
            f"{interval:>18} {one.gap.total:>6} {one.better:>6} {one.worse:>6} {one.p:>7.3f}{mark}"
        )
