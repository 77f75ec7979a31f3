"""Recorded outputs of models on FOLIO (Logic-LM, LINC, Llama-3.1-8B), verified: a success table by model.

The models were not shown the reference's names. A candidate over other names is invalid and counts as a
failure in the first column; candidates over the same signature, as importers find it, have a column of their
own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from truespec.benchmark.sources.registry import load
from truespec.benchmark.task import PairRecord
from truespec.executors.batch import run_batch
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share

SETS = {"logic-lm": "fol/logic_lm", "linc": "fol/linc", "llama-fol": "fol/llama31_8b"}
QUICK = 150
"""Pairs of each model."""


def pairs(folder: Path, quick: bool) -> list[dict[str, Any]]:
    """The recorded formulas with their references; what a model said twice counts twice."""
    found = []
    for name, below in SETS.items():
        by_model: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for record in load(name)(folder / below):
            if isinstance(record, PairRecord):
                pair = record.to_json()
                by_model[f"{name} {pair['model']}"].append({**pair, "model": f"{name} {pair['model']}"})
        for some in by_model.values():
            found += random.Random(0).sample(some, min(QUICK, len(some))) if quick else some
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print one row a model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recorded")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} pairs of each model")
    quick = parser.parse_args(arguments).quick
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources"))
    if not folder.is_dir():
        print(f"left out: {folder} is not there (set TRUESPEC_SOURCES)")
        return
    work = pairs(folder, quick)
    with tempfile.TemporaryDirectory() as home:
        wanted, output = Path(home) / "pairs.jsonl", Path(home) / "verdicts.jsonl"
        wanted.write_text("".join(json.dumps(pair) + "\n" for pair in work), encoding="utf-8")
        run_batch(wanted, output, timeout=4.0, jobs=len(os.sched_getaffinity(0)), resume=False)
        verdicts = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    heads = f"{'model':44} {'pairs':>6}  {'equivalent':28} {'of the same signature':28}"
    print(f"{heads} refuted  invalid  unknown")
    models: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for pair, verdict in zip(work, verdicts, strict=True):
        models[pair["model"]].append((pair["signature"], verdict.get("answer", "error")))
    for model, said in models.items():
        counts = Counter(answer for _, answer in said)
        same = Counter(answer for signature, answer in said if signature == "same")
        print(
            f"{model:44} {len(said):6}  {share(Proportion(counts['equivalent'], len(said))):28} "
            f"{share(Proportion(same['equivalent'], same.total())):28} "
            f"{counts['refuted']:7}  {counts['invalid']:7}  {counts['unknown']:7}",
            flush=True,
        )


if __name__ == "__main__":
    main()
