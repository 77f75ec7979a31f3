"""`truespec view`: what a run found, in a browser."""

from __future__ import annotations

import contextlib
import threading
import webbrowser
from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--pairs", type=click.Path(path_type=Path), help="The pairs that a verdict file answers.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: any free one]")
@click.option("--open/--no-open", "open_browser", default=True, show_default=True, help="Open the browser.")
def view(run: Path, pairs: Path | None, port: int, open_browser: bool) -> None:
    """Show what RUN found: a folder with a report.html, or a verdict file together with its --pairs.

    The report is served to this machine only, until Ctrl-C.

    Exit code: 0 after Ctrl-C, 2 where there is no report, a file cannot be read, or the port is taken.
    """
    from truespec.reports.serve import Server, index_of, serve_folder, serve_page
    from truespec.verdict import UsageError

    server: Server
    if pairs is not None:
        server, what = serve_page(_page(run, pairs), port), f"the report on {run}"
    elif run.is_file():
        raise UsageError(f"{run}: name the pairs that it answers, with --pairs FILE")
    else:
        server, what = serve_folder(run, port), str(run / (index_of(run) or ""))
    url = f"http://127.0.0.1:{server.server_port}/"
    click.echo(f"{what} is at {url}  (Ctrl-C ends)")
    # Serving starts before the browser is called: one that runs in the terminal does not return at once.
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
    with server, contextlib.suppress(KeyboardInterrupt):
        serving.start()
        if open_browser and not webbrowser.open(url):
            click.echo("no browser was found: open the address yourself", err=True)
        while serving.is_alive():
            serving.join(1.0)
    click.echo("\nended")


def _page(verdicts: Path, pairs: Path) -> bytes:
    from truespec.reports.page import Page, render
    from truespec.reports.records import read_run
    from truespec.reports.summary import totals

    entries, problems = read_run(verdicts, pairs)
    every = totals(entries)
    lead = (
        f"{every.candidates} candidates for {every.tasks} references: proved equal for every input, refuted "
        "by an input on which the two differ, or set aside with the reason."
    )
    return render(entries, Page(f"Verdicts of {verdicts.name}", lead, problems=problems))
