"""`truespec bench export`: tasks and runs in the layout of the Hugging Face `datasets` library."""

from __future__ import annotations

from pathlib import Path

import click

from truespec.benchmark.bundled import baseline as baseline_records
from truespec.benchmark.select import bundled_tasks
from truespec.cli.common import echo
from truespec.reports.bench_runs import read_runs
from truespec.reports.hub import write_hub


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--hf",
    "output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write, in the layout of the datasets library.",
)
@click.option("--title", default="Specifications and verdicts", show_default=True, help="Of the data card.")
@click.option("--license", "licence", default="", help="An identifier for the data card, such as mit.")
def export(folders: tuple[Path, ...], output: Path, title: str, licence: str) -> None:
    """Export the tasks, answers and judgements of the runs in FOLDERS, for the datasets library.

    Without FOLDERS, the bundled tasks and their recorded baseline. The folder holds a data card (README.md)
    and one Parquet file a table; load_dataset(FOLDER, "tasks") reads it, likewise "answers" and "judgements".
    Replies of models, words of judges and judgements of oracles are left out. Needs the extra: pip install
    'truespec[engines]'.

    Exit code: 0, 2 for a wrong call.
    """
    if folders:
        loaded = read_runs(folders)
        tasks, answers, judgements, runs = loaded.tasks, loaded.answers, loaded.judgements, loaded.table
        wrote = write_hub(output, tasks, answers, judgements, runs, title=title, licence=licence)
    else:
        bundled = bundled_tasks()
        stored = baseline_records.load(bundled)
        wrote = write_hub(output, bundled, stored.answers, stored.judgements, title=title, licence=licence)
    echo(", ".join(f"{count} {name}" for name, count in wrote.items()) + f" -> {output}")
