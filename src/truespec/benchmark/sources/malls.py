"""MALLS: sentences with formulas that a model wrote and people checked, as tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._fol import locate, records, signature, squeeze
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

FILE = "MALLS-v0.1-test.json"
"""The published test split."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """One task for each record whose formula is well formed."""
    home = locate(folder, (FILE,), "MALLS")
    for number, record in enumerate(records(home / FILE), 1):
        origin = Origin("malls", FILE, f"record {number}")
        sentence, oracle = record.get("NL"), record.get("FOL")
        if not isinstance(sentence, str) or not isinstance(oracle, str):
            yield Skipped(origin, "a record without NL or FOL")
            continue
        context = signature(oracle.strip())
        if isinstance(context, str):
            yield Skipped(origin, f"malformed formula {oracle[:120]!r}: {context}")
            continue
        yield Task(f"malls-{number}", "fol", squeeze(sentence), context, oracle.strip(), origin, ("test",))
