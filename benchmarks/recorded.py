"""Published answers and judgements of models, verified: success by model, FAR and FRR of recorded judges.

`--write` keeps the counts with the package, where `truespec bench report` shows them. No answer and no text
of the data sets is kept. Models of the first-order sets were not shown the reference's names: a candidate
over other names is invalid, so that answers with the reference's own names and arities stand apart.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord
from truespec.executors.recorded import import_run, read_records, sample
from truespec.reports.bench_items import join, with_clusters
from truespec.reports.bench_published import answer_counts, judge_counts, tables_of
from truespec.store.runs import Run
from truespec.version import __version__

SETS: dict[str, tuple[str, int | None]] = {
    "gsm-symbolic": ("gsm", None),
    "spider": ("sql/spider_llm", 100),
    "judge-sql": ("sql/llm_judge_equiv", None),
    "logic-lm": ("fol/logic_lm", None),
    "linc": ("fol/linc", 300),
    "llama-fol": ("fol/llama31_8b", None),
    "lang2ltl": ("ltl/lang2ltl", 1000),
}
"""Data set to its folder below TRUESPEC_SOURCES, and how many answers of a model are drawn; None for all."""
QUICK = 20
"""Answers of each model."""
KEPT = Path("src/truespec/benchmark/bundled/published.json")


def parts(source: str, folder: Path) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """The records of a data set by the name under which they are counted."""
    lines = [
        (one.id, {"model": source, **one.to_json()})
        for one in load(source)(folder)
        if isinstance(one, PairRecord)
    ]
    yield source, lines
    if any("signature" in record for _, record in lines):
        yield f"{source}, same names", [line for line in lines if line[1].get("signature") == "same"]


def main(arguments: list[str] | None = None) -> None:
    """Print the tables; with `--write`, keep their counts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recorded")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} answers of each model")
    parser.add_argument("--write", action="store_true", help=f"keep the counts in {KEPT}")
    parser.add_argument("--only", choices=SETS, help="this data set; the others' counts are kept")
    options = parser.parse_args(arguments)
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources"))
    if not folder.is_dir():
        print(f"left out: {folder} is not there (set TRUESPEC_SOURCES)")
        return
    answers: list[dict[str, object]] = []
    judges: list[dict[str, object]] = []
    before: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if options.only and KEPT.exists() else {}
    for source, (below, limit) in SETS.items():
        if options.only and source != options.only:
            answers += [one for one in before.get("answers", ()) if _of(one) == source]
            judges += [one for one in before.get("judges", ()) if _of(one) == source]
            continue
        limit = QUICK if options.quick else limit
        for name, lines in parts(source, folder / below):
            found = read_records(lines)
            drawn = found if limit is None else sample(found, limit)
            with tempfile.TemporaryDirectory() as home:
                run = import_run(Path(home) / "run", drawn, jobs=len(os.sched_getaffinity(0)))
                records = with_clusters(run.read("answers"), run.tasks())
                answers += answer_counts(name, records, len(found))
                judges += judge_counts(name, join(records, _judgements(run)))
            print(f"{name}: {len(drawn)} of {len(found)} answers verified", flush=True)
    kept = {"version": __version__, "timeout": 4.0, "answers": answers, "judges": judges}
    for table in tables_of(kept):
        print(table.to_markdown())
    if options.write:
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def _of(row: Mapping[str, Any]) -> str:
    """The data set of a row of counts."""
    return str(row["source"]).partition(",")[0]


def _judgements(run: Run) -> list[dict[str, Any]]:
    return with_clusters(run.read("judgements"), run.tasks())


if __name__ == "__main__":
    main()
