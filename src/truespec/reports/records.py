"""A run's files, read for a report: verdict lines and the pairs they answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.reports.entry import Entry, gather
from truespec.store.pairs import parse_json
from truespec.verdict import UsageError

MOST_PROBLEMS = 20
"""How many unreadable lines are named; the rest are counted."""


def read_run(verdicts: Path, pairs: Path) -> tuple[list[Entry], list[str]]:
    """The entries of a verdict file with its pair file, and what could not be shown.

    Raises `UsageError` for unreadable files, and where no verdict belongs to any pair.
    """
    problems: list[str] = []
    entries, unmatched = gather(_records(pairs, problems), _records(verdicts, problems))
    problems += unmatched
    if not entries:
        first = f"; {problems[0]}" if problems else ""
        raise UsageError(f"{verdicts}: holds no verdict on a pair of {pairs}{first}")
    if len(problems) > MOST_PROBLEMS:
        left = len(problems) - MOST_PROBLEMS
        problems = [*problems[:MOST_PROBLEMS], f"{left} more lines could not be shown"]
    return entries, problems


def _records(path: Path, problems: list[str]) -> Iterator[dict[str, object]]:
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = parse_json(line)
                except ValueError as error:
                    problems.append(f"{path.name}, line {number}: {error}")
                    continue
                if isinstance(record, dict):
                    yield record
                else:
                    problems.append(f"{path.name}, line {number}: no JSON object")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
