"""`truespec trace import`: traces of any format as one JSON line each, and the ledger of each file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from truespec.cli.grouped import grouped
from truespec.cli.progress import Progress
from truespec.cli.trace_options import (
    FORMAT_OPTION,
    JOIN_OPTIONS,
    REDACT_OPTIONS,
    ProblemReport,
    RedactChoice,
)
from truespec.executors.trace_input import joins_of
from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import each_once, files_below, named_twice, nothing_in, read_file
from truespec.traces.record import to_line
from truespec.untrusted.outputs import check_apart, is_stream
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError


@click.command("import")
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output."
)
@FORMAT_OPTION
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@click.option("--strict", is_flag=True, help="Exit 1 where anything was dropped or any problem was met.")
@click.option("--json", "as_json", is_flag=True, help="The ledgers as JSON lines on standard error.")
@JOIN_OPTIONS[0]
@JOIN_OPTIONS[1]
@JOIN_OPTIONS[2]
def import_(
    paths: tuple[Path, ...],
    output: Path | None,
    form: str | None,
    redact: RedactChoice,
    strict: bool,
    as_json: bool,
    folder: Path | None,
    tools: Path | None,
    prompt: Path | None,
) -> None:
    """Turn traces of any supported format into one JSON line each.

    PATHS are files or folders. What cannot be read is reported on standard error with its place and costs
    nothing else. Below it stands the ledger of each file in which something was dropped or paired by a rule:
    spans, items, calls and results seen, taken and dropped. Exit 0 when at least one trace was read, 1 when
    none was, or with --strict where a file was not read without loss.
    """
    output = None if str(output) == "-" else output
    joins = joins_of(folder, tools, prompt)
    hiding = redact.hiding()
    check_apart(output, (*paths, tools, prompt))
    if piped := next(filter(is_stream, paths), None):
        name = "standard input" if str(piped) == "-" else str(piped)
        raise UsageError(f"{name} is a pipe, and formats are told apart by reading twice: name a file")
    stream = output.open("w", encoding="utf-8") if output else sys.stdout
    count = problems = losses = 0
    report, budget, progress = ProblemReport(paths), Budget(), Progress()
    empty: list[Path] = []
    twice: list[Path] = []
    files = list(each_once(files_below(paths, output, empty.append), twice))
    for problem in (*map(nothing_in, empty), *map(named_twice, twice)):
        problems += 1
        report.show(problem)
    try:
        for number, path in enumerate(files):
            file = TraceFile(path, budget)
            progress.show("files", number, len(files), f"{count} traces")
            for item in read_file(file, form, joins):
                if isinstance(item, Problem):
                    problems += 1
                    report.show(item)
                else:
                    stream.write(to_line(hiding.redactor().trace(item) if hiding else item) + "\n")
                    count += 1
                    progress.show("files", number, len(files), f"{count} traces")
            losses += not file.ledger.lossless
            _tell_ledger(file, as_json)
    except KeyboardInterrupt:
        progress.end()
        where = f"{output} holds no more" if output else "no more are written"
        click.echo(f"stopped after {count} traces: {where}; run the command again for all", err=True)
        sys.exit(130)
    finally:
        progress.end()
        if output:
            stream.close()
    report.end()
    if not as_json:
        lossy = f", {losses} files with losses" if losses else ""
        click.echo(f"{count} traces, {problems} problems{lossy}", err=True)
    sys.exit(0 if count and not (strict and (problems or losses)) else 1)


def _tell_ledger(file: TraceFile, as_json: bool) -> None:
    """What became of a file: as JSON always, in words where there is something to say."""
    ledger = file.ledger
    if as_json:
        click.echo(json.dumps({"file": str(file), **ledger.record()}), err=True)
    elif not ledger.lossless or ledger.rules:
        click.echo(f"{file}:", err=True)
        for line in ledger.lines():
            click.echo(f"  {line}", err=True)
