"""`truespec mcp`: tools for agents over the Model Context Protocol."""

from __future__ import annotations

import os

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import Seconds
from truespec.cli.serve import listening_on
from truespec.verdict import UsageError


@click.command()
@click.option(
    "--transport",
    type=click.Choice(("stdio", "streamable-http")),
    default="stdio",
    show_default=True,
    help="How clients connect.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True, help="For HTTP.")
@click.option(
    "--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds per pair."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
def mcp(transport: str, port: int, timeout: float, jobs: int | None) -> None:
    """Serve tools for agents over the Model Context Protocol.

    The tools: verify, explain_counterexample, check_trace, explain_rule, context_of.
    Over HTTP it listens on 127.0.0.1 alone. Needs the extra: pip install 'truespec[mcp]'.

    Exit code: 0 when the client leaves, 2 for a wrong call or a port that is taken.
    """
    try:
        from truespec.serve.mcp import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise UsageError("truespec mcp needs the MCP SDK: pip install 'truespec[mcp]'") from None
    from truespec.serve.service import Service

    service = Service(jobs or len(os.sched_getaffinity(0)), timeout)
    try:
        made = server(service)
        if transport == "stdio":
            made.run()
        else:
            listening_on("127.0.0.1", port).close()  # the SDK ends with code 1 where the port is taken
            click.echo(f"the tools are at http://127.0.0.1:{port}/mcp  (Ctrl-C ends)", err=True)
            made.run("streamable-http", host="127.0.0.1", port=port)
    finally:
        service.close()
