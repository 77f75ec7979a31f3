"""`truespec trace`: import traces."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from truespec.traces.files import Problem
from truespec.traces.importers.registry import IMPORTERS, files_below, read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.record import to_line
from truespec.traces.redact import PATTERNS, Redactor


@click.group()
def trace() -> None:
    """Traces of agents: import them, check them against rules, report what was found."""


def joins_of(folder: Path | None, tools: Path | None, prompt: Path | None) -> Joins | None:
    """The joins that the options name; None lets each file look beside itself."""
    if folder is None and tools is None and prompt is None:
        return None
    from truespec.traces.files import loads

    return Joins(
        folder,
        tool_schemas(loads(tools.read_bytes())) if tools else None,
        prompt.read_text(encoding="utf-8") if prompt else None,
    )


JOIN_OPTIONS = (
    click.option(
        "--join",
        "folder",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder with agent_prompts.json and <domain>/tools.json, tool_types.json, policy.md. "
        "Without it, a folder 'domains' beside a file is used.",
    ),
    click.option(
        "--tools",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="JSON list of tool schemas for traces that hold none.",
    ),
    click.option(
        "--prompt",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="System prompt for traces that hold none.",
    ),
)


@trace.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output."
)
@click.option(
    "--format", "form", type=click.Choice(list(IMPORTERS)), help="Default: recognised by the content."
)
@click.option(
    "--redact",
    type=click.Choice(["all", *PATTERNS]),
    multiple=True,
    help="Hide values of this kind; repeatable.",
)
@JOIN_OPTIONS[0]
@JOIN_OPTIONS[1]
@JOIN_OPTIONS[2]
def import_(
    paths: tuple[Path, ...],
    output: Path | None,
    form: str | None,
    redact: tuple[str, ...],
    folder: Path | None,
    tools: Path | None,
    prompt: Path | None,
) -> None:
    """Turn traces of any supported format into one JSON line each.

    PATHS are files or folders. What cannot be read is reported on standard error with its place and costs
    nothing else. Exit 0 when at least one trace was read, 1 when none was.
    """
    joins = joins_of(folder, tools, prompt)
    kinds = tuple(PATTERNS) if "all" in redact else redact
    stream = output.open("w", encoding="utf-8") if output else sys.stdout
    count = problems = 0
    try:
        for path in files_below(paths):
            for item in read(path, form, joins):
                if isinstance(item, Problem):
                    problems += 1
                    click.echo(str(item), err=True)
                else:
                    count += 1
                    stream.write(to_line(Redactor(kinds).trace(item) if kinds else item) + "\n")
    finally:
        if output:
            stream.close()
    click.echo(f"{count} traces, {problems} problems", err=True)
    sys.exit(0 if count else 1)
