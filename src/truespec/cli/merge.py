"""`truespec merge`: the outputs of shards as one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from truespec.cli.common import counted
from truespec.cli.progress import Progress
from truespec.executors.merge import Merged, run_merge
from truespec.untrusted.outputs import is_stream


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="Verdicts: JSON Lines, or a flat table for a name that ends in .parquet; - is standard output.",
)
@click.option(
    "--pairs",
    required=True,
    type=click.Path(path_type=Path),
    help="The pairs of all shards.",
)
@click.option(
    "--mixed-environments", is_flag=True, help="Allow verdicts that depend on different tool versions."
)
def merge(outputs: tuple[Path, ...], output: Path, pairs: Path, mixed_environments: bool) -> None:
    """Join the outputs of 'truespec batch --shard I/N' into one, in the order of the pairs.

    The verdicts are taken from OUTPUT.ledger, so the output of a shard that was killed counts as far as it
    came. Two different answers on one pair are an error that shows both records; a decision replaces
    "unknown".

    Exit code: 0 when every line has its verdict or record, 1 when some have none, 2 for a wrong call or a
    contradiction.
    """
    progress = Progress()
    merged = run_merge(
        outputs,
        output,
        pairs,
        mixed=mixed_environments,
        progress=lambda done, total: progress.show("lines", done, total),
    )
    progress.end()
    for problem, count in merged.refused.items():
        click.echo(f"ledger: {counted(count, 'record')} not taken ({problem})", err=True)
    if merged.missing:
        click.echo(_what_is_missing(merged, output, pairs), err=True)
        sys.exit(1)
    counts = ", ".join(f"{count} {answer}" for answer, count in sorted(merged.answers.items())) or "no pair"
    broken = f"; {counted(merged.broken, 'line')} without a pair" if merged.broken else ""
    click.echo(
        f"{counted(merged.lines, 'line')} from {counted(len(outputs), 'output')}: {counts}{broken}", err=True
    )


def _what_is_missing(merged: Merged, output: Path, pairs: Path) -> str:
    """Which pairs have no verdict, and the command that decides them."""
    text = (
        f"{counted(merged.missing, 'pair')} without a verdict, the first is {merged.first_missing!r}; "
        f"{output} was not written. "
    )
    if is_stream(output):
        return text + "Merge into a file to decide the rest with 'truespec batch --resume'"
    command = shlex.join(
        ["truespec", "batch", str(pairs), "-o", str(output), "--timeout", f"{merged.limit:g}", "--resume"]
    )
    text += f"To decide the rest and write it: {command}"
    if merged.elsewhere:
        text += (
            f"\nRun that where the verdicts come from: it decides anew what was made under another "
            f"environment ({'; '.join(merged.elsewhere)})"
        )
    return text
