"""The recorded answers of a Llama 3.1 8B that was asked for FOLIO's formulas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._fol import Answer, join, locate, read_json
from truespec.benchmark.sources.folio import gold
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.verdict import UsageError

FILE = "llama3_1_8B_folio_results4.json"
"""The published file."""
MODEL = "Llama-3.1-8B"
"""Who answered."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Each answered sentence beside FOLIO's formula of the same sentence."""
    home = locate(folder, (FILE,), "answers of Llama")
    yield from join(answers(home / FILE), gold(folder))


def answers(path: Path) -> Iterator[Answer | Skipped]:
    """The premises and the conclusion of each entry."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        raise UsageError(f"{path}: expected an object with a list 'results'")
    for number, entry in enumerate(found["results"], 1):
        try:
            sentences = [*entry["premises"], entry["conclusion"]]
            formulas = [*entry["premises_fol"], entry["conclusion_fol"]]
            label = {"label": entry.get("expected_label"), "prover": entry.get("prover9_result")}
        except (KeyError, TypeError, AttributeError) as error:
            yield Skipped(Origin("llama-fol", path.name, f"entry {number}"), f"no entry: {error!r}")
            continue
        if len(sentences) != len(formulas):
            detail = f"{len(sentences)} sentences and {len(formulas)} formulas"
            yield Skipped(Origin("llama-fol", path.name, f"entry {number}"), detail)
            continue
        for place, (sentence, formula) in enumerate(zip(sentences, formulas), 1):
            where = Origin("llama-fol", path.name, f"entry {number}, sentence {place}")
            yield Answer(f"llama-fol-{number}-{place}", str(sentence), str(formula), where, MODEL, label)
