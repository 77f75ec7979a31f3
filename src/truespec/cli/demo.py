"""`truespec demo`: the main job on bundled inputs."""

from __future__ import annotations

import io
import json
import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from truespec.cli.common import Seconds
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from truespec.reports.entry import Entry
    from truespec.reports.page import Page

DEMO_TIMEOUT = 30.0
"""No answer of the demo needs a second of work; a busy machine must not turn one into an unknown."""


@click.command()
@click.option("--out", default="out/demo", show_default=True, type=click.Path(path_type=Path), help="Folder.")
@click.option(
    "--timeout", type=Seconds(), default=DEMO_TIMEOUT, show_default=True, help="Seconds per candidate."
)
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Workers.  [default: one per core]")
def demo(out: Path, timeout: float, jobs: int | None) -> None:
    """Verify the bundled tasks: no network, no key, under a minute.

    Prints a table and a few counterexamples; writes OUT/report.html and OUT/summary.json. What needs a tool
    that is not installed is skipped and named, with how to get the tool.

    Exit code: 0 when every verdict that the installed tools allow is the expected one, 1 otherwise, 2 for a
    wrong call.
    """
    from truespec.reports.demo import domains
    from truespec.reports.page import render
    from truespec.reports.summary import disagreements, summarise

    _prepare(out)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal without Unicode gets escapes, not a traceback
        sys.stdout.reconfigure(errors="backslashreplace")
    names, skipped = _usable(domains())
    if not names:
        raise UsageError("none of the domains with bundled tasks can run: see truespec doctor")
    jobs = jobs or len(os.sched_getaffinity(0))
    began, started = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    entries = _verified(names, timeout, jobs)
    run = {
        "command": "truespec demo",
        "started": began,
        "seconds": round(time.monotonic() - started, 3),
        "jobs": jobs,
        "timeout": timeout,
        "python": platform.python_version(),
        "system": platform.platform(),
        "tools": _tools(names),
        "skipped": skipped,
    }
    summary = summarise(entries, run)
    (out / "report.html").write_bytes(render(entries, _page(entries, run, str(summary["version"]))))
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    _show(entries, run, skipped, out)
    sys.exit(1 if disagreements(entries) else 0)


def _verified(names: Sequence[str], timeout: float, jobs: int) -> list[Entry]:
    """The verdicts on the bundled tasks, with a bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from truespec.reports.demo import verify_bundled

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(40),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        verdicts = bar.add_task("starting the workers", total=None)

        def progress(done: int, of: int) -> None:
            stage = "verifying" if done else "starting workers"
            bar.update(verdicts, completed=done, total=of, description=stage)

        try:
            return verify_bundled(names, timeout=timeout, jobs=jobs, progress=progress)
        except KeyboardInterrupt:
            sys.exit(130)


def _page(entries: Sequence[Entry], run: Mapping[str, Any], version: str) -> Page:
    """The head of the report."""
    from truespec.reports.page import Page
    from truespec.reports.summary import totals

    every = totals(entries)
    return Page(
        title="What do these specifications really say?",
        lead=(
            f"{every.candidates} recorded answers to {every.tasks} tasks, each compared with the reference "
            "that it was meant to equal: proved for every input, refuted by an input on which the two "
            "differ, or set aside with the reason."
        ),
        facts={
            "truespec": version,
            "Python": run["python"],
            **run["tools"],
            "limit": f"{run['timeout']:g} s per candidate",
            "workers": str(run["jobs"]),
            "took": f"{run['seconds']:.1f} s",
            "on": run["started"],
        },
    )


def _show(entries: Sequence[Entry], run: Mapping[str, Any], skipped: Mapping[str, str], out: Path) -> None:
    """The table, some counterexamples, what is not as expected, and what was skipped."""
    from rich.console import Console
    from rich.text import Text

    from truespec.reports import table
    from truespec.reports.demo import lacking
    from truespec.reports.summary import disagreements, totals

    every, wrong = totals(entries), disagreements(entries)
    console = Console(highlight=False)
    console.print()
    table.write(console, table.overview(entries), table.refutations(entries))
    if wrong:
        table.write(
            console,
            Text(f"{_count(wrong)}:", "bold red"),
            table.surprises(entries),
        )
    console.print(
        f"{every.candidates} candidates in {run['seconds']:.1f} s, "
        f"{every.agree} of {every.expected} as expected"
    )
    for name, reason in skipped.items():
        console.print(f"{name} was skipped: {reason}", soft_wrap=True, markup=False)
    for reason, count in lacking(entries).items():
        noun = "candidate is" if count == 1 else "candidates are"
        console.print(f"{count} {noun} not decided: {reason}", soft_wrap=True, markup=False)
    console.print(f"report   {out / 'report.html'}   (truespec view {out})", soft_wrap=True)
    console.print(f"summary  {out / 'summary.json'}", soft_wrap=True)


def _prepare(out: Path) -> None:
    """Make the folder and see that it takes files, before any work is done."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name in ("report.html", "summary.json"):
            (out / name).open("ab").close()
    except FileExistsError:
        raise UsageError(f"{out}: is there already and is no folder") from None
    except OSError as error:
        raise UsageError(f"{out}: {error.strerror}") from None


def _count(wrong: Sequence[object]) -> str:
    if len(wrong) == 1:
        return "1 verdict is not the expected one"
    return f"{len(wrong)} verdicts are not the expected ones"


def _usable(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The domains that can run here, and for each other one what is missing."""
    from truespec.cli.doctor import found_version
    from truespec.domains.registry import load

    missing = {
        name: tools
        for name in names
        if (tools := [tool for tool in load(name).tools if not tool.optional and found_version(tool) is None])
    }
    notes = {
        name: ", ".join(f"{tool.name} is not installed ({tool.install})" for tool in tools)
        for name, tools in missing.items()
    }
    return [name for name in names if name not in missing], notes


def _tools(names: Sequence[str]) -> dict[str, str]:
    from truespec.cli.doctor import found_version
    from truespec.domains.registry import load

    found: dict[str, str] = {}
    for name in names:
        for tool in load(name).tools:
            if tool.name not in found and (version := found_version(tool)):
                found[tool.name] = version
    return found
