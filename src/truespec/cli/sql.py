"""`truespec sql`: everyday questions about SQL."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import Seconds, echo, read_file
from truespec.cli.lazy import Group
from truespec.executors.sql_diff import Change, diff
from truespec.store.lines import to_line
from truespec.untrusted.outputs import check_apart
from truespec.verdict import Answer, Counterexample, ReasonCode, UsageError, Verdict

DIALECTS = ("mysql", "postgres", "sqlite", "duckdb")


@click.group(cls=Group)
def sql() -> None:
    """Everyday questions about SQL."""


@sql.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--schema", required=True, type=click.Path(path_type=Path), help="File of CREATE TABLE statements."
)
@click.option(
    "--dialect", type=click.Choice(DIALECTS), default="mysql", show_default=True, help="Whose SQL it is."
)
@click.option(
    "--order",
    type=click.Choice(("auto", "bag", "list")),
    default="auto",
    show_default=True,
    help="Whether the order of rows counts.",
)
@click.option(
    "--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds per statement."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per statement.")
@click.option("--sarif", type=click.Path(path_type=Path), help="Also write annotations for code review.")
def diff_(
    old: Path,
    new: Path,
    schema: Path,
    dialect: str,
    order: str,
    timeout: float,
    jobs: int | None,
    as_json: bool,
    sarif: Path | None,
) -> None:
    """Does each query of NEW still mean what it meant in OLD?

    OLD and NEW are two files, or two folders of *.sql files (dbt models too). Statements with the same words
    are unchanged; of the others, queries and views are compared. A refuted one comes with the smallest
    database that was found on which the two differ, as statements to paste.

    Exit code: 0 all equivalent or unchanged, 1 some query changed its meaning, 4 some new query is invalid,
    3 some comparison is unknown or was not made (added, removed or unreadable statements too), 2 wrong call.
    """
    check_apart(sarif, (old, new, schema))
    context = {"schema": read_file(schema), "dialect": dialect, "order": order}
    changes: list[Change] = []
    for change in diff(old, new, context, timeout=timeout, jobs=jobs or len(os.sched_getaffinity(0))):
        reason = change.verdict.reason if change.verdict else None
        if reason and reason.code is ReasonCode.ORACLE and "schema" in reason.detail.partition(":")[0]:
            raise UsageError(f"{schema}: {reason.detail}")
        changes.append(change)
        echo(to_line(change.to_json()).rstrip("\n") if as_json else described(change))
    if not changes:
        raise UsageError(f"{old} and {new}: neither holds a statement")
    if not as_json:
        echo(summary(changes))
    if sarif:
        from truespec.reports.sql_sarif import to_sarif

        sarif.write_text(to_sarif(changes), encoding="utf-8")
    sys.exit(_code(changes))


def _code(changes: list[Change]) -> int:
    answers = {change.verdict.answer for change in changes if change.verdict}
    for answer, code in ((Answer.REFUTED, 1), (Answer.INVALID, 4), (Answer.UNKNOWN, 3)):
        if answer in answers:
            return code
    return 3 if any(change.kind in ("added", "removed", "not compared") for change in changes) else 0


def summary(changes: list[Change]) -> str:
    """How many statements have each outcome."""
    counts: dict[str, int] = {}
    for change in changes:
        name = change.verdict.answer.value if change.verdict else change.kind
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def described(change: Change) -> str:
    """What became of one statement, with the database on which its versions differ."""
    old, new = change.old_line, change.new_line
    if old is not None and new is not None:
        place = f"{change.file}, line {old}" + ("" if old == new else f" -> {new}")
    elif new is not None:
        place = f"{change.file}, line {new}"
    else:
        place = change.file + (f", line {old} before" if old is not None else "")
    text = [f"  {change.text}"] if change.text and change.kind != "unchanged" else []
    if change.verdict is None:
        return "\n".join(
            [f"{change.kind:12} {place}" + (f": {change.detail}" if change.detail else ""), *text]
        )
    found = [f"{change.verdict.answer.value:12} {place}  [{change.verdict.method}]", *text]
    found += ["  " + line for line in _evidence(change.verdict)]
    return "\n".join(found)


def _evidence(verdict: Verdict) -> list[str]:
    if verdict.reason:
        return [f"{verdict.reason.code.value}: {verdict.reason.detail}"]
    if not isinstance(verdict.evidence, Counterexample):
        return []
    script = str(verdict.evidence.point.get("script") or "")
    return [
        f"they differ on this database ({verdict.evidence.replayed_by}):",
        *("  " + line for line in script.splitlines()),
        f"old: {_rows(verdict.evidence.oracle_value)}",
        f"new: {_rows(verdict.evidence.candidate_value)}",
    ]


def _rows(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    shown = [
        "(" + ", ".join("NULL" if cell is None else str(cell) for cell in row) + ")"
        for row in value[:10]
        if isinstance(row, list)
    ]
    more = f" and {len(value) - 10} more" if len(value) > 10 else ""
    return (", ".join(shown) or "no rows") + more
