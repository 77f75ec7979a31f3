"""Published figures, checked: do the paper's tables fit together, and do our rates equal a count by hand?

The paper's figures are shown beside those measured on published answers.
"""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter
from pathlib import Path
from statistics import mean

from truespec.benchmark.paper import COUNTS, SUCCESS
from truespec.judges.judgement import Judgement
from truespec.metrics.judging import judge_rates
from truespec.metrics.table import share
from truespec.reports.bench_paper import paper_tables
from truespec.verdict import Answer

JUDGES = ("gpt4", "gpt3.5", "llama3", "mistralai", "gemini")
FILES = ("equi_sdss.csv", "equi_join.csv", "equi_sqlshare.csv")


def whole_numbers() -> tuple[int, int, int, int]:
    """Cells of Table 3 that are whole numbers of tasks, all cells; overall figures that follow, all."""
    whole = follows = 0
    for *cells, overall in SUCCESS.values():
        tasks = []
        for percent, count in zip(cells, COUNTS.values(), strict=True):
            hits = round(percent * count / 100)
            whole += round(100 * hits / count, 1) == percent
            tasks.append(100 * hits / count)
        follows += abs(mean(tasks) - overall) <= 0.0501  # one digit, rounded
    return whole, len(SUCCESS) * len(COUNTS), follows, len(SUCCESS)


def recorded_judges(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """The published label and verdict (`YES` or `NO`) of every recorded judge on every pair."""
    found: dict[str, list[tuple[str, str]]] = {judge: [] for judge in JUDGES}
    for name in FILES:
        with (folder / name).open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                for judge in JUDGES:
                    found[judge].append((row["Original"].strip().upper(), row[judge].strip().upper()))
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print both checks and the figures side by side; the second needs the upstream files."""
    whole, cells, follows, models = whole_numbers()
    print(f"Table 3 x Table 2: {whole} of {cells} cells are whole numbers of tasks")
    print(f"Table 3: {follows} of {models} overall figures follow from their rows")
    for table in paper_tables():
        print(table.to_markdown())
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "sql" / "llm_judge_equiv"
    if not folder.exists():
        print(f"recorded SQL judges: left out, {folder} is not there (set TRUESPEC_SOURCES)")
        return
    print("recorded SQL judges against upstream's labels, which no verifier checked:")
    print(f"  {'judge':10} {'pairs':>5}  {'FAR':26} {'FRR':26} counted by hand")
    answers = {"YES": Answer.EQUIVALENT, "NO": Answer.REFUTED}
    said = {"YES": Judgement.ACCEPT, "NO": Judgement.REJECT}
    for judge, items in recorded_judges(folder).items():
        rates = judge_rates(
            (answers[label], said.get(verdict, Judgement.UNKNOWN)) for label, verdict in items
        )
        counts = Counter(items)
        false_yes, false_no = counts["NO", "YES"], counts["YES", "NO"]
        by_hand = (
            (false_yes, false_yes + counts["NO", "NO"]),
            (false_no, false_no + counts["YES", "YES"]),
        )
        same = by_hand == ((rates.far.hits, rates.far.total), (rates.frr.hits, rates.frr.total))
        if not same:
            sys.exit(f"{judge}: {by_hand} by hand, {rates.far} and {rates.frr} by truespec")
        print(f"  {judge:10} {len(items):5}  {share(rates.far):26} {share(rates.frr):26} the same")


if __name__ == "__main__":
    main()
