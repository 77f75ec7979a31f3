"""What the commands about rules share: the agent's tools, limits, files."""

from __future__ import annotations

from pathlib import Path

import click

from truespec.cli.common import Seconds
from truespec.rules.compare import ANY_TOOLS, Toolbox
from truespec.traces.joins import kinds_in, tools_in
from truespec.verdict import UsageError


def toolbox_of(tools: Path | None, types: Path | None) -> Toolbox:
    """What the files of tool schemas and tool types say; any tools where there is none. `UsageError` for
    types alone: they name some tools and do not say that there are no others."""
    if tools is None:
        if types is not None:
            raise UsageError(f"--types {types}: give --tools too, which says which tools there are")
        return ANY_TOOLS
    return Toolbox(tools_in(tools, kinds_in(types) if types else None))


TOOLS = click.option(
    "--tools",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON list of tool schemas: with it, the agent has these tools and no others.",
)
TYPES = click.option(
    "--types",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="tool_types.json: which of the tools read and which write.",
)
SECONDS = click.option(
    "--timeout", type=Seconds(), default=5.0, show_default=True, help="Seconds for one question."
)


FILES = click.argument(
    "named", nargs=-1, metavar="[FILES]...", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
