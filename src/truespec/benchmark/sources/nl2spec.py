"""nl2spec: 36 expert requirements with formulas, and recorded answers of models (Cosler et al., CAV 2023).

`expert_LTL_dataset.txt` holds the tasks, `*_predictions.txt` answers (their third column), and the results
table the wrong answers of two models with the authors' verdict, which was given by hand.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import files, relative
from truespec.benchmark.sources._temporal import context, file, infix, require
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

_TABLE = "nl2spec-paper_experiment_results.csv"


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """One task a line, then one pair for each recorded answer."""
    gold = file(folder, "expert_LTL_dataset.txt")
    predictions = files(folder, "*_predictions.txt")
    table = file(folder, _TABLE)
    require([gold, *predictions, table], folder, f"expert_LTL_dataset.txt, *_predictions.txt or {_TABLE}")
    for path in [gold] if gold else []:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            origin = Origin("nl2spec", relative(path, folder), f"line {number}")
            statement, _, oracle = line.partition(";")
            formula = infix(oracle)
            if isinstance(formula, str):
                yield Skipped(origin, f"the gold formula {oracle!r:.80}: {formula}")
                continue
            yield Task(
                f"nl2spec/{number:02}",
                "temporal",
                statement.strip(),
                context(formula),
                oracle.strip(),
                origin,
            )
    for path in predictions:
        yield from _predictions(path, folder)
    if table:
        yield from _wrong_answers(table, folder)


def _predictions(path: Path, folder: Path) -> Iterator[PairRecord | Skipped]:
    model = path.name.removesuffix("_predictions.txt")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if number == 1 or not line.strip():  # the first line names the columns
            continue
        origin = Origin("nl2spec", relative(path, folder), f"line {number}")
        columns = line.split(";")
        if len(columns) < 3:
            yield Skipped(origin, "fewer than three columns")
            continue
        yield from _pair(
            f"nl2spec/{model}/{number:02}", origin, columns[0], columns[1], columns[2], model, None
        )


def _wrong_answers(path: Path, folder: Path) -> Iterator[PairRecord | Skipped]:
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), 2):
            origin = Origin("nl2spec", relative(path, folder), f"line {number}")
            for model in ("Codex", "Bloom"):
                answer = (row.get(f"{model} wrong") or "").strip()
                if answer:
                    yield from _pair(
                        f"nl2spec/table-{model.lower()}/{number:02}",
                        origin,
                        row["NL"],
                        row["LTL"],
                        answer,
                        model,
                        row[f"{model} initial"],
                    )


def _pair(
    id: str, origin: Origin, statement: str, oracle: str, answer: str, model: str, label: str | None
) -> Iterator[PairRecord | Skipped]:
    gold = infix(oracle)
    if isinstance(gold, str):
        yield Skipped(origin, f"the gold formula {oracle!r:.80}: {gold}")
        return
    extra = {"statement": statement.strip(), "model": model}
    fields = context(gold, infix(answer))
    yield PairRecord(id, "temporal", fields, oracle.strip(), answer.strip(), origin, label, extra)
