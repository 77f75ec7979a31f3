"""The recorded answers of Logic-LM: one text for a question, with `formula ::: sentence` lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._fol import Answer, join, locate, records
from truespec.benchmark.sources.folio import gold
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

MODELS = ("gpt-4", "gpt-3.5-turbo", "text-davinci-003")
"""The models whose answers are published; a file each."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Each answered sentence beside FOLIO's formula of the same sentence."""
    home = locate(folder, tuple(f"FOLIO_dev_{model}.json" for model in MODELS), "answers of Logic-LM")
    formulas = gold(folder)
    for model in MODELS:
        path = home / f"FOLIO_dev_{model}.json"
        if path.exists():
            yield from join(answers(path, model), formulas)


def answers(path: Path, model: str) -> Iterator[Answer | Skipped]:
    """The lines of the sections `Premises` and `Conclusion`."""
    for record in records(path):
        try:
            question, programs = str(record["id"]), list(record["raw_logic_programs"])
        except (KeyError, TypeError) as error:
            yield Skipped(Origin("logic-lm", path.name), f"no record of Logic-LM: {error!r}")
            continue
        for sample, program in enumerate(programs, 1):
            section = ""
            for number, line in enumerate(str(program).splitlines(), 1):
                heading = line.strip().rstrip(":")
                if heading in ("Predicates", "Premises", "Conclusion"):
                    section = heading
                    continue
                formula, separator, sentence = line.partition(":::")
                if not separator or section == "Predicates":
                    continue
                place = f"{question}, program {sample}, line {number}"
                yield Answer(
                    f"logic-lm-{model}-{question}-{sample}-{number}",
                    sentence,
                    formula.strip(),
                    Origin("logic-lm", path.name, place),
                    model,
                    {"answer": record.get("answer")},
                )
