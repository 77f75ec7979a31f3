"""`truespec serve`: the local app and its HTTP API."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import Seconds
from truespec.verdict import UsageError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN = "TRUESPEC_TOKEN"
"""The environment variable that sets the token."""


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...", type=click.Path(path_type=Path))
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    help="The pairs that verdict files answer.  [default: pairs.jsonl beside]",
)
@click.option("--labels", type=click.Path(dir_okay=False, path_type=Path), help="Append labels to this file.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Accept violations into this baseline.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--name", "names", multiple=True, help="A further host name to answer to, e.g. behind a proxy.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes any.")
@click.option("--token/--no-token", "with_token", default=True, show_default=True, help="Ask for a token.")
@click.option(
    "--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds per pair."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
@click.option("--log/--no-log", default=False, show_default=True, help="One JSON line per request on stderr.")
def serve(
    runs: tuple[Path, ...],
    pairs: Path | None,
    labels: Path | None,
    baseline: Path | None,
    host: str,
    names: tuple[str, ...],
    port: int,
    with_token: bool,
    timeout: float,
    jobs: int | None,
    log: bool,
) -> None:
    """Start the local app and its HTTP API; Ctrl-C ends it.

    RUN is a file of verdicts, a file of trace artifacts, or the folder of a benchmark run: lists that sort,
    filter and search, each record at its own address. A file that grows is read on. Where the answers of a
    benchmark run were judged, each judgement stands beside the verdict, disagreements first.

    The pages write nothing, except labels to --labels and accepted violations to --baseline.

    It listens on this machine alone unless --host says otherwise, refuses foreign Host headers and pages of
    other sites, and asks for a token: the printed address holds it, programs send it as
    'Authorization: Bearer TOKEN'. TRUESPEC_TOKEN sets it; otherwise it is new at each start.
    Needs the extra: pip install 'truespec[serve]'.

    Exit code: 0 after Ctrl-C, 2 for a wrong call or a port that is taken.
    """
    try:
        import uvicorn

        from truespec.serve.app import application
        from truespec.serve.runs import run_of
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise UsageError("truespec serve needs a web server: pip install 'truespec[serve]'") from None
    from truespec.serve.service import Service
    from truespec.store.study import is_study

    if not with_token and host not in LOOPBACK:
        raise UsageError(f"--no-token is refused with --host {host}: others could use this machine's workers")
    shown_runs = [run_of(run, pairs) for run in runs]
    studies = [run for run in runs if is_study(run)]
    jobs = jobs or len(os.sched_getaffinity(0))
    token = (os.environ.get(TOKEN) or secrets.token_urlsafe(24)) if with_token else None
    listening = listening_on(host, port)
    port = listening.getsockname()[1]
    hosts = frozenset([*LOOPBACK, host.lower(), *(name.lower() for name in names)])
    service = Service(jobs, timeout)
    app = application(
        service,
        jobs,
        hosts=hosts,
        token=token,
        log=log,
        runs=shown_runs,
        studies=studies,
        labels=labels,
        baseline=baseline,
    )
    shown = f"[{host}]" if ":" in host else host
    query = ("runs" if runs else "") + (f"?token={token}" if token else "")
    click.echo(f"truespec is at http://{shown}:{port}/{query}  (Ctrl-C ends)")
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=5,
        server_header=False,
        lifespan="on",
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        service.close()
    click.echo("\nended")


def listening_on(host: str, port: int) -> socket.socket:
    """A socket that listens there; `UsageError` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise UsageError(f"{host}, port {port}: {error.strerror}; choose another") from None
    listening.listen(2048)
    return listening
