"""The recorded answers of LINC: ten samples for a question, each a text of `TEXT:` and `FOL:` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._fol import Answer, join, locate, read_json
from truespec.benchmark.sources.folio import gold
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.verdict import UsageError

_FILE = re.compile(r"(.+)_folio-neurosymbolic-(\d+)shot_generations_raw\.json")


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Each answered sentence of each sample beside FOLIO's formula of the same sentence."""
    home = locate(folder, ("*_generations_raw.json",), "answers of LINC")
    formulas = gold(folder)
    for path in sorted(home.glob("*_generations_raw.json")):
        yield from join(answers(path), formulas)


def answers(path: Path) -> Iterator[Answer | Skipped]:
    """The sentences and formulas of one file, sample by sample."""
    named = _FILE.fullmatch(path.name)
    model = f"{named.group(1)} {named.group(2)}-shot" if named else path.name
    slug = re.sub(r"[^\w.-]+", "-", model)
    questions = read_json(path)
    outcomes = _table(path.with_name(path.name.replace("_raw.json", "_prc.json")))
    labels = _table(path.with_name("references.json"))
    if not isinstance(questions, list):
        raise UsageError(f"{path}: expected a list of questions")
    for question, samples in enumerate(questions, 1):
        if not isinstance(samples, list):
            yield Skipped(Origin("linc", path.name, f"question {question}"), "no list of samples")
            continue
        for sample, text in enumerate(samples, 1):
            label = {
                "label": labels[question - 1] if question <= len(labels) else None,
                "prover": _cell(outcomes, question, sample),
            }
            sentence = None
            for number, line in enumerate(str(text).splitlines(), 1):
                stripped = line.strip()
                place = f"question {question}, sample {sample}, line {number}"
                if stripped.startswith("TEXT:"):
                    sentence = stripped.removeprefix("TEXT:").strip()
                elif stripped.startswith("FOL:") and sentence is not None:
                    yield Answer(
                        f"linc-{slug}-{question}-{sample}-{number}",
                        sentence,
                        stripped.removeprefix("FOL:").strip(),
                        Origin("linc", path.name, place),
                        model,
                        label,
                    )
                    sentence = None


def _table(path: Path) -> list[object]:
    """The list in a file beside, or an empty one."""
    found = read_json(path) if path.exists() else []
    return found if isinstance(found, list) else []


def _cell(table: list[object], question: int, sample: int) -> object:
    row = table[question - 1] if question <= len(table) else None
    return row[sample - 1] if isinstance(row, list) and sample <= len(row) else None
