"""`truespec view`: a report in the browser."""

from __future__ import annotations

import contextlib
import webbrowser
from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: any free one]")
@click.option("--open/--no-open", "open_browser", default=True, show_default=True, help="Open the browser.")
def view(folder: Path, port: int, open_browser: bool) -> None:
    """Serve the report in DIR to this machine only, until Ctrl-C.

    Exit code: 0 after Ctrl-C, 2 when DIR holds no report or the port is taken.
    """
    from truespec.reports.serve import serve

    server = serve(folder, port)
    url = f"http://127.0.0.1:{server.server_port}/"
    click.echo(f"{folder / 'report.html'} is at {url}  (Ctrl-C ends)")
    with server, contextlib.suppress(KeyboardInterrupt):
        if open_browser and not webbrowser.open(url):
            click.echo("no browser was found: open the address yourself", err=True)
        server.serve_forever(poll_interval=0.2)
    click.echo("\nended")
