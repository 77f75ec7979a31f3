"""`truespec batch`: a verdict for every line of a file."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import Seconds, counted, executor_option
from truespec.cli.progress import Progress
from truespec.executors.batch import Summary, executor_of, run_batch, undecided_for_lack_of_tools
from truespec.store.pairs import Shard
from truespec.untrusted.outputs import is_stream


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Verdicts: JSON Lines, or a flat table for a name that ends in .parquet; - is standard output.",
)
@click.option(
    "--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds per pair."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
@click.option("--resume", is_flag=True, help="Keep the verdicts of an interrupted run.")
@executor_option
@click.option("--shard", metavar="I/N", default="1/1", help="Only this share of the pairs, e.g. 3/64.")
def batch(
    pairs: Path, output: Path, timeout: float, jobs: int | None, resume: bool, executor: str, shard: str
) -> None:
    """Verify every pair of PAIRS (JSON Lines, or Parquet: id, domain, oracle, candidate, context).

    Line N of the output answers line N of the input; a line that is no pair gets {"line": N, "error": ...}.
    Verdicts are also kept in OUTPUT.ledger, from which --resume continues after an interruption. PAIRS may be
    - for standard input. Shares of --shard are joined by 'truespec merge'.

    Exit code: 0 when every line has its verdict or record, 2 for a wrong call.
    """
    started = time.monotonic()
    bar = Progress()

    def show(done: int, total: int, summary: Summary) -> None:
        bar.show("verdicts", done, total, " ".join(f"{a}:{n}" for a, n in sorted(summary.answers.items())))

    try:
        summary = run_batch(
            pairs,
            output,
            timeout=timeout,
            jobs=jobs or len(os.sched_getaffinity(0)),
            resume=resume,
            executor=executor_of(executor),
            shard=Shard.parse(shard),
            progress=show,
        )
    except KeyboardInterrupt:
        bar.end()
        kept = "" if is_stream(output) else f"; continue with --resume: what is done is in {output}.ledger"
        click.echo(f"\nstopped{kept}", err=True)
        sys.exit(130)
    bar.end()
    click.echo(describe(summary, time.monotonic() - started), err=True)


def describe(summary: Summary, seconds: float) -> str:
    """The closing lines of a batch."""
    counts = ", ".join(f"{count} {answer}" for answer, count in sorted(summary.answers.items())) or "no pair"
    text = f"{counted(summary.lines, 'line')} in {seconds:.1f} s: {counts}"
    if summary.broken:
        text += f"; {counted(summary.broken, 'line')} without a pair"
    if summary.reused:
        text += f"; {counted(summary.reused, 'verdict')} reused"
    if summary.discarded:
        text += (
            f"\nledger: begun anew without the {counted(summary.discarded, 'verdict')} of an earlier run, "
            "which --resume keeps"
        )
    for problem, count in summary.refused.items():
        text += f"\nledger: {counted(count, 'record')} not taken ({problem}), the pairs decided anew"
    for difference in summary.foreign:
        text += f"\nledger: {difference}; only verdicts on equal pairs under equal settings were reused"
    if summary.reasons:
        text += "\nreasons: " + ", ".join(f"{count} {code}" for code, count in summary.reasons.most_common())
    if undecided_for_lack_of_tools(summary):
        text += "\nsome pairs need tools that are not installed: see 'truespec doctor'"
    return text
