"""The paper's figures: copied without a slip, and shown beside ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import Any

import pytest

from truespec.benchmark import paper
from truespec.metrics.table import Cell
from truespec.models.presets import RESPECBENCH
from truespec.reports.bench_paper import paper_tables, same_models


@pytest.mark.parametrize(
    ("summary", "figures"),
    [(mean, (80.9, 8.0, 21.9, 14.6, 18.9, -7.4)), (median, (82.3, 8.6, 21.9, 14.1, 19.0, -9.7))],
)
def test_the_columns_of_table_4_have_the_means_and_medians_of_the_paper(
    summary: Callable[[Sequence[float]], float], figures: tuple[float, ...]
) -> None:
    found = [summary(column) for column in zip(*paper.JUDGES.values(), strict=True)]
    assert found == pytest.approx(figures, abs=0.1)


def test_unknown_shares_are_whole_numbers_of_tasks() -> None:
    for row in paper.UNKNOWN.values():
        for percent, count in zip(row, paper.COUNTS.values(), strict=True):
            hits = round(percent * count / 100)
            assert round(100 * hits / count, 1) == percent
    assert set(paper.UNKNOWN) == set(paper.SUCCESS) == set(paper.JUDGES) == set(paper.MODELS)
    assert set(paper.MODELS.values()) == set(RESPECBENCH)


def row(source: str, domain: str, equivalent: int, unknown: int, total: int) -> dict[str, Any]:
    counts = {"equivalent": equivalent, "unknown": unknown, "success": [equivalent, total, None]}
    return {"source": source, "domain": domain, "model": "m", **counts}


def test_ranges_stand_side_by_side() -> None:
    rates = {"far": [1, 4, None], "frr": [0, 0, None], "inflation": [0.25, 0.1, 0.4, 9]}
    kept = {
        "answers": [
            row("spider", "sql", 5, 1, 10),
            row("spider", "sql", 6, 0, 10),
            row("other", "fol", 1, 1, 2),
        ],
        "judges": [{"source": "judge-sql", "kind": "equivalence", "judge": "j", **rates}],
    }
    (table,) = paper_tables(kept)
    shown = {one[0]: one[1:4] for one in table.rows}
    assert shown["success, sql"] == ("28.9% to 39.5%", "spider", "50.0% to 60.0% (2)")
    assert shown["unknown, sql"] == ("34.2% to 50.0%", "spider", "0.0% to 10.0% (2)")
    assert shown["FAR, equivalence judge"] == ("6.5% to 26.8%", "judge-sql", "25.0% (1)")
    assert shown["FRR, equivalence judge"] == ("5.9% to 30.7%", "judge-sql", "–")
    assert shown["inflation, equivalence judge"] == ("-16.4% to 2.0%", "judge-sql", "25.0% (1)")
    assert shown["success, rocq"][2] == "–"
    assert all(one[4] for one in table.rows), "each difference is explained"


def test_models_of_the_paper_are_named_in_a_run() -> None:
    def answer(model: str, domain: str, said: str) -> dict[str, Any]:
        return {"task": f"{domain}{said}", "domain": domain, "model": model, "verdict": {"answer": said}}

    gpt = RESPECBENCH["gpt-5"]
    answers = [
        answer(gpt, "sql", "equivalent"),
        answer(gpt, "sql", "unknown"),
        answer("mine", "sql", "refuted"),
    ]
    (table,) = same_models([*answers, answer(gpt, "temporal", "equivalent")])
    ((name, success, here, unknown, left),) = table.rows
    assert (name, success, unknown) == ("GPT 5, sql", "32.9%", "36.8%")
    assert isinstance(here, Cell)
    assert isinstance(left, Cell)
    assert here.counts == left.counts == (1, 2)
    assert same_models(answers[2:]) == []
