"""`truespec guard`: rules between an agent and its tools."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from truespec.cli.grouped import grouped
from truespec.cli.lazy import Group
from truespec.cli.trace_options import REDACT_OPTIONS, RULE_OPTIONS, RedactChoice
from truespec.executors.rulefiles import load_rule_files


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def guard() -> None:
    """Guards: rules that hold before an agent acts."""


@guard.command("mcp")
@RULE_OPTIONS[0]
@RULE_OPTIONS[1]
@RULE_OPTIONS[2]
@click.option(
    "--types",
    "types_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="tool_types.json: which of the server's tools read and which write, where it does not say.",
)
@click.option("--domain", help="The environment, for rules that are for some environments only.")
@click.option(
    "--log", type=click.Path(dir_okay=False, path_type=Path), help="Append every decision to this file."
)
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def mcp(
    files: tuple[Path, ...],
    packs: tuple[str, ...],
    settings: tuple[str, ...],
    types_file: Path | None,
    domain: str | None,
    log: Path | None,
    redact: RedactChoice,
    command: tuple[str, ...],
) -> None:
    """Run an MCP server behind a guard, over standard input and output.

    COMMAND starts the server; write it after --. A client is configured with this command in the server's
    place. A call that a rule does not let pass never reaches the server: the client gets an error result with
    the rule's text. What rules would ask a person is blocked. Decisions and rules that cannot be evaluated
    are reported on standard error. --redact hides values in the log alone. The exit code is the server's.
    """
    from truespec.guard.mcp_proxy import Proxy, serve
    from truespec.traces.joins import kinds_in
    from truespec.verdict import UsageError

    rules, _ = load_rule_files(files, packs, settings)
    types = kinds_in(types_file) if types_file is not None else None
    hiding = redact.hiding()
    proxy = Proxy(rules, types, domain, log, hiding, lambda text: click.echo(text, err=True))
    try:
        sys.exit(asyncio.run(serve(proxy, command)))
    except FileNotFoundError as error:
        raise UsageError(f"the server cannot be started: {error}") from None
