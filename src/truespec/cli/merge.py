"""`truespec merge`: the outputs of shards as one."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from truespec.cli.progress import Progress
from truespec.executors.merge import run_merge


@click.command()
@click.argument("outputs", nargs=-1, required=True, metavar="OUTPUT...", type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Verdicts, JSON Lines.")
@click.option(
    "--pairs",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
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
        click.echo(f"ledger: {count} records are {problem}; they were not taken", err=True)
    if merged.missing:
        click.echo(
            f"{merged.missing} pairs have no verdict yet, the first is {merged.first_missing!r}; {output} "
            f"was not written. To decide the rest and write it: "
            f"truespec batch {pairs} -o {output} --timeout {merged.limit:g} --resume",
            err=True,
        )
        sys.exit(1)
    counts = ", ".join(f"{count} {answer}" for answer, count in sorted(merged.answers.items())) or "no pair"
    broken = f"; {merged.broken} lines hold no pair" if merged.broken else ""
    click.echo(f"{merged.lines} lines from {len(outputs)} outputs: {counts}{broken}", err=True)
