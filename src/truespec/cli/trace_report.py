"""`truespec trace report`: pages of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from truespec.cli.grouped import grouped
from truespec.cli.progress import Progress
from truespec.cli.trace_options import REDACT_OPTIONS, RedactChoice, artifacts_of
from truespec.executors.trace_input import traces_of
from truespec.traces.files import on_disk
from truespec.traces.trace import Trace


@click.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the pages.",
)
@click.option(
    "--traces",
    "paths",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Where the traces lie; by default, the files that the artifacts name.",
)
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@click.option(
    "--pages",
    type=click.Choice(["findings", "all"]),
    default="findings",
    show_default=True,
    help="Which traces get a page of their own.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
def report(
    run: Path, output: Path, paths: tuple[Path, ...], redact: RedactChoice, pages: str, quiet: bool
) -> None:
    """Tables and figures of a run, and a page per trace with each violation at its message.

    RUN is what `trace check -o` has written: a JSONL file or a folder of artifacts. The pages are
    self-contained: no script, no external address.

    Exit code: 0, 2 for a wrong call.
    """
    from truespec.reports.trace_pages import write_report

    artifacts = artifacts_of(run)
    sources = paths or tuple(
        path
        for name in dict.fromkeys(one["source"]["file"] for one in artifacts)
        if (path := on_disk(Path(name)))
    )
    hiding = redact.hiding()
    found = (item for item in traces_of(sources, None, None) if isinstance(item, Trace))
    progress = Progress(quiet)
    try:
        count = write_report(
            artifacts,
            found,
            output,
            hiding.redactor() if hiding else None,
            every=pages == "all",
            written=lambda done: progress.show(f"{done} pages"),
        )
    except KeyboardInterrupt:
        progress.end()
        click.echo(f"stopped: the pages in {output} are incomplete; run the command again", err=True)
        sys.exit(130)
    progress.end()
    click.echo(f"{output / 'index.html'}: {len(artifacts)} traces, {count} pages")
