"""`truespec hook`: changed files against their earlier versions, for pre-commit and CI."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import Seconds, echo, read_file
from truespec.cli.lazy import Group
from truespec.cli.rule_options import SECONDS, TOOLS, TYPES, toolbox_of
from truespec.cli.sql import DIALECTS, described, summary
from truespec.executors.previous import previous
from truespec.untrusted.outputs import check_apart
from truespec.verdict import Answer, UsageError

_FILES = click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
_BASE = click.option(
    "--base", default="HEAD", show_default=True, help="The commit that has the earlier versions."
)
_UNKNOWN = click.option("--allow-unknown", is_flag=True, help="Do not fail where nothing was decided.")


@click.group(cls=Group)
def hook() -> None:
    """Check changed files against their earlier versions, as git has them: for pre-commit and CI."""


@hook.command("sql")
@_FILES
@click.option(
    "--schema", required=True, type=click.Path(path_type=Path), help="File of CREATE TABLE statements."
)
@click.option(
    "--dialect", type=click.Choice(DIALECTS), default="mysql", show_default=True, help="Whose SQL it is."
)
@_BASE
@click.option(
    "--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds per statement."
)
@_UNKNOWN
@click.option("--sarif", type=click.Path(path_type=Path), help="Also write annotations for code review.")
def sql(
    files: tuple[Path, ...],
    schema: Path,
    dialect: str,
    base: str,
    timeout: float,
    allow_unknown: bool,
    sarif: Path | None,
) -> None:
    """Does each query of the FILES still mean what it meant before?

    A file that is new, and the schema file itself, are named and not compared. So are statements that were
    added or removed.

    Exit code: 1 some query changed its meaning, 4 some new query is invalid, 3 some comparison is open, 0
    otherwise, 2 wrong call.
    """
    from truespec.executors.sql_diff import diff
    from truespec.reports.sql_sarif import to_sarif

    check_apart(sarif, (*files, schema))
    context = {"schema": read_file(schema), "dialect": dialect}
    found = []
    with tempfile.TemporaryDirectory(prefix="truespec-") as folder:
        old, new = Path(folder, "old"), Path(folder, "new")
        for number, path in enumerate(files):
            if path.resolve() == schema.resolve():
                echo(f"schema       {path}: not compared with itself")
            elif (before := previous(path, base)) is None:
                echo(f"new          {path}: {base} has no version to compare with")
            else:
                # Numbered, so that files outside the current folder have a place too.
                for top, content in ((old, before), (new, path.read_bytes())):
                    top.mkdir(exist_ok=True)
                    (top / f"{number:06}.sql").write_bytes(content)
        if old.is_dir():
            jobs = len(os.sched_getaffinity(0))
            for change in diff(old, new, context, timeout=timeout, jobs=jobs):
                named = change.of(str(files[int(Path(change.file).stem)]))
                found.append(named)
                echo(described(named))
    if found:
        echo(summary(found))
    if sarif:
        sarif.write_text(to_sarif(found), encoding="utf-8")
    answers = {change.verdict.answer for change in found if change.verdict}
    if Answer.REFUTED in answers:
        sys.exit(1)
    if Answer.INVALID in answers:
        sys.exit(4)
    undecided = Answer.UNKNOWN in answers or any(change.kind == "not compared" for change in found)
    sys.exit(3 if undecided and not allow_unknown else 0)


@hook.command("rules")
@_FILES
@_BASE
@TOOLS
@TYPES
@SECONDS
@click.option(
    "--fail-on",
    type=click.Choice(("weaker", "any", "nothing")),
    default="weaker",
    show_default=True,
    help="'weaker': a rule was removed or allows what it did not; 'any': a rule has another meaning.",
)
@_UNKNOWN
def rules(
    files: tuple[Path, ...],
    base: str,
    tools: Path | None,
    types: Path | None,
    timeout: float,
    fail_on: str,
    allow_unknown: bool,
) -> None:
    """Which rules of the FILES became weaker, stronger or different?

    A file that is new is read, and its rules are listed as added.

    Exit code: 1 a change that --fail-on names, 3 some comparison is open, 0 otherwise, 2 wrong call or a
    rule that cannot be read.
    """
    from truespec.rules.difference import changes
    from truespec.rules.language import file_text, load_rules

    toolbox = toolbox_of(tools, types)
    kinds: set[str] = set()
    for path in files:
        before = previous(path, base)
        try:
            old = load_rules(before.decode("utf-8"), f"{path} at {base}") if before is not None else []
            new = load_rules(file_text(path), str(path))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not UTF-8 at byte {error.start}") from None
        for change in changes(old, new, toolbox, timeout):
            kinds.add(change.change)
            if change.change != "equal":
                echo("\n".join(f"{path}: {line}" for line in change.lines()))
    failing = {
        "weaker": {"weaker", "different", "removed"},
        "any": kinds - {"equal", "unknown"},
        "nothing": set(),
    }
    if kinds & failing[fail_on]:
        sys.exit(1)
    sys.exit(3 if "unknown" in kinds and not allow_unknown else 0)
