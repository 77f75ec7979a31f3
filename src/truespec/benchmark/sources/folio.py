"""FOLIO v0 and v2: each sentence with its formula becomes a task, once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._fol import Gold, locate, records, signature, squeeze, understand
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.fol.syntax import All, Formula, Some, children
from truespec.verdict import UsageError

V0 = {"train": "folio-train.jsonl", "validation": "folio-validation.jsonl"}
"""The files of version 0, one story question to a line."""
V2 = {"train": "folio_train.json", "validation": "folio_test.json"}
"""The files of version 2 as re-wrapped for instruction tuning; its test file is FOLIO's validation split."""

UNEQUAL = "no telling which belongs to which"
"""Why a record with lists of unequal length is left out."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Tasks of every version that `folder`, or a folder at most two levels below it, holds."""
    found = 0
    for version, files, rows in (("v0", V0, rows_v0), ("v2", V2, rows_v2)):
        try:
            home = locate(folder, tuple(files.values()), f"FOLIO {version}")
        except UsageError:
            continue
        found += 1
        for split, name in files.items():
            if (home / name).exists():
                yield from _tasks(version, split, name, rows(home / name))
    if not found:
        expected = ", ".join([*V0.values(), *V2.values()])
        raise UsageError(f"{folder} holds no FOLIO: expected one of {expected} there or below it")


Row = tuple[str, str, str] | tuple[str, str]
"""Position, sentence and formula; or position and what is wrong there."""


def _tasks(version: str, split: str, name: str, rows: Iterator[Row]) -> Iterator[Task | Skipped]:
    seen: set[tuple[str, str]] = set()
    for row in rows:
        origin = Origin("folio", name, row[0])
        if len(row) == 2:
            yield Skipped(origin, row[1])
            continue
        sentence, oracle = squeeze(row[1]), row[2].strip()
        if (sentence, oracle) in seen:
            continue
        seen.add((sentence, oracle))
        context = signature(oracle)
        if isinstance(context, str):
            yield Skipped(origin, f"malformed formula {oracle[:120]!r}: {context}")
            continue
        parsed = understand(oracle)
        assert not isinstance(parsed, str)
        tags = (version, split, f"quantifiers:{depth(parsed.formula)}", f"constants:{len(parsed.constants)}")
        yield Task(f"folio-{version}-{split}-{len(seen)}", "fol", sentence, context, oracle, origin, tags)


def depth(formula: Formula) -> int:
    """How deep quantifiers nest."""
    inner = max((depth(part) for part in children(formula)), default=0)
    return inner + isinstance(formula, All | Some)


def rows_v0(path: Path) -> Iterator[Row]:
    """The rows of a file of version 0."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            sentences, formulas = record["premises"], record["premises-FOL"]
        except (ValueError, KeyError, TypeError) as error:
            yield f"line {number}", f"no FOLIO record: {type(error).__name__}: {error}"
            continue
        if len(sentences) != len(formulas):
            yield f"line {number}", f"{len(sentences)} premises and {len(formulas)} formulas: {UNEQUAL}"
        else:
            for place, (sentence, formula) in enumerate(zip(sentences, formulas), 1):
                yield f"line {number}, premise {place}", sentence, formula
        if "conclusion-FOL" in record:
            yield f"line {number}, conclusion", record["conclusion"], record["conclusion-FOL"]


def rows_v2(path: Path) -> Iterator[Row]:
    """The rows of a file of version 2."""
    for number, record in enumerate(records(path), 1):
        try:
            place = f"record {number} ({record['id']})"
            sentences = [line for line in record["input"].split("\n") if line.strip()]
            formulas = [line for line in record["fol"].split("\n") if line.strip()]
            if len(sentences) != len(formulas):
                yield place, f"{len(sentences)} sentences and {len(formulas)} formulas: {UNEQUAL}"
                continue
            for line, (sentence, formula) in enumerate(zip(sentences, formulas), 1):
                spoken = sentence.removeprefix("Premise:").removeprefix("Conclusion:")
                written = formula.removeprefix("Premise_FOL:").removeprefix("Conclusion_FOL:")
                yield f"{place}, line {line}", spoken, written
        except (KeyError, TypeError, AttributeError) as error:
            yield f"record {number}", f"no FOLIO record: {type(error).__name__}: {error}"


def gold(folder: Path) -> Gold:
    """The formulas of FOLIO v0 validation, which the recorded models were asked about.

    Looks in `folder`, below it, and in the folders beside it.
    """
    for start in (folder, folder.resolve().parent):
        try:
            home = locate(start, (V0["validation"],), "FOLIO v0 validation")
        except UsageError:
            continue
        found = Gold()
        for row in rows_v0(home / V0["validation"]):
            if len(row) == 3:
                found.add(row[1], row[2])
        return found
    raise UsageError(
        f"{folder}: the models' answers are joined with FOLIO v0 by sentence; put {V0['validation']} beside"
    )
