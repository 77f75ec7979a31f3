"""Little Tricky Logic and kin: sentences with LTL formulas, textbook sentences, sentences about the past.

Three CSV files: `nl2ltl_finalized.csv`, `past_ltl.csv` and `textbook_data.csv`. Gold formulas with typing
slips are skipped with their place, never repaired. The statement shows what each atom stands for. Labelled
traces are no pairs: `lassos` reads them for measurements.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import relative
from truespec.benchmark.sources._temporal import context, file, infix, require
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

_FILES = {"nl2ltl_finalized.csv": "future", "past_ltl.csv": "past", "textbook_data.csv": "textbook"}
TRACES = "randomized_positive_negative_trace.csv"


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """One task a row."""
    paths = {file(folder, name): tag for name, tag in _FILES.items()}
    require(paths, folder, ", ".join(_FILES))
    for path, tag in paths.items():
        if path is not None:
            yield from _tasks(path, folder, tag)


def _tasks(path: Path, folder: Path, tag: str) -> Iterator[Task | Skipped]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 2):
            origin = Origin("little-tricky", relative(path, folder), f"row {number}")
            statement = (row.get("Natural Language") or "").strip()
            oracle = (row.get("Ground Truth") or "").strip()
            formula = infix(oracle)
            if not statement:
                yield Skipped(origin, "the statement is empty")
            elif isinstance(formula, str):
                yield Skipped(origin, f"the gold formula {oracle!r:.80}: {formula}")
            else:
                meaning = (row.get("Atomic Proposition") or "").strip()
                shown = f"{statement}\n\nAtoms: {meaning}" if meaning else statement
                id = f"little-tricky/{tag}/{number:03}"
                yield Task(id, "temporal", shown, context(formula), oracle, origin, (tag,))


def lassos(path: Path) -> Iterator[tuple[int, str, list[frozenset[str]], bool]]:
    """Rows of the labelled traces: number, formula, states as written, and whether it holds there.

    A row is left out where its states cannot be read or where no `...` marks a loop.
    """
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 2):
            formula, trace = (row.get("LTL Formula") or "").strip(), (row.get("Trace") or "").strip()
            label = (row.get("Type") or "").strip()
            *states, rest = [part.strip() for part in trace.split(";")]
            if rest not in ("...", "…") or label not in ("Positive", "Negative"):
                continue
            read = [_state(state) for state in states]
            if read and all(state is not None for state in read):
                yield number, formula, [state for state in read if state is not None], label == "Positive"


def _state(text: str) -> frozenset[str] | None:
    found = re.fullmatch(r"\[\s*(.*?)\s*\]", text)
    if not found:
        return None
    names = []
    for part in found[1].split(","):
        value = re.fullmatch(r"\s*(\w+)\s*=\s*(TRUE|FALSE)\s*", part, re.IGNORECASE)
        if not value:
            return None
        if value[2].upper() == "TRUE":
            names.append(value[1])
    return frozenset(names)
