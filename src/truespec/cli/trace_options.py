"""Options that several commands on traces share, and how problems are reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from truespec.cli.progress import Progress
from truespec.traces.files import Problem
from truespec.traces.importers.registry import IMPORTERS
from truespec.traces.redact import PATTERNS, Hiding
from truespec.verdict import UsageError

JOIN_OPTIONS = (
    click.option(
        "--join",
        "folder",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder with agent_prompts.json and <domain>/tools.json, tool_types.json, policy.md, db.json. "
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

RULE_OPTIONS = (
    click.option(
        "--rules",
        "files",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="YAML file of rules; repeatable.",
    ),
    click.option(
        "--pack",
        "packs",
        multiple=True,
        help="Built-in pack or rule set; 'all' packs; the sets airline, retail, telecom together are 'tau2'.",
    ),
    click.option("--set", "settings", multiple=True, metavar="PACK.NAME=VALUE", help="A pack's parameter."),
)

FORMAT_OPTION = click.option(
    "--format", "form", type=click.Choice(list(IMPORTERS)), help="Default: recognised by the content."
)
REDACT_OPTIONS = (
    click.option(
        "--redact",
        "kinds",
        type=click.Choice(["all", *PATTERNS]),
        multiple=True,
        help="Hide values of this kind in what is written and in what models read; repeatable.",
    ),
    click.option(
        "--redact-pattern",
        "patterns",
        multiple=True,
        metavar="NAME=REGEX",
        help="Hide what a regular expression finds, as <NAME-1>; repeatable.",
    ),
    click.option(
        "--redact-field",
        "fields",
        multiple=True,
        metavar="PATH",
        help="Hide the value of this field of arguments and results wherever it occurs, e.g. user.password "
        "or **.ssn; repeatable.",
    ),
)


@dataclass(frozen=True, slots=True)
class RedactChoice:
    """What the options on redaction name."""

    kinds: tuple[str, ...]
    patterns: tuple[str, ...]
    fields: tuple[str, ...]

    def hiding(self) -> Hiding:
        """What is to be hidden; `UsageError` for a pattern that cannot be read."""
        named = []
        for entry in self.patterns:
            name, equals, pattern = entry.partition("=")
            if not equals:
                raise UsageError(f"--redact-pattern {entry!r}: expected NAME=REGEX")
            named.append((name, pattern))
        kinds = tuple(PATTERNS) if "all" in self.kinds else self.kinds
        hiding = Hiding(kinds, tuple(named), self.fields)
        hiding.redactor()  # a bad pattern is refused before any trace is read
        return hiding


FOREIGN_SHOWN = 3
"""Files of no known format that are named when a folder holds many."""


class ProblemReport:
    """Problems on standard error. Of the foreign files in a folder only the first few are named."""

    def __init__(self, named: Iterable[Path]) -> None:
        self.named = {str(path) for path in named}
        self.foreign = 0

    def show(self, problem: Problem) -> None:
        """Say what could not be read."""
        if problem.foreign and problem.file not in self.named:
            self.foreign += 1
            if self.foreign > FOREIGN_SHOWN:
                return
        click.echo(str(problem), err=True)

    def end(self) -> None:
        """Say how many files were not named."""
        if self.foreign > FOREIGN_SHOWN:
            click.echo(f"... and {self.foreign - FOREIGN_SHOWN} more files of no known format", err=True)


LOST_SHOWN = 5
"""Places of a run that are named where something is left out."""


def artifacts_of(run: Path, progress: Progress | None = None) -> list[dict[str, Any]]:
    """The artifacts of a run: a JSONL file or a folder. What is left out is told on standard error."""
    from truespec.compliance.run import artifacts_in

    lost: list[str] = []
    bar = progress or Progress(quiet=True)
    found = artifacts_in(run, lost.append, lambda count: bar.show(f"reading {run.name}: {count} traces"))
    bar.end()
    for sentence in lost[:LOST_SHOWN]:
        click.echo(f"truespec: {sentence}", err=True)
    if len(lost) > LOST_SHOWN:
        click.echo(f"truespec: ... and {len(lost) - LOST_SHOWN} more places of {run}", err=True)
    if not found:
        raise UsageError(f"{run} holds no artifacts; write some with 'truespec trace check -o'")
    return found
