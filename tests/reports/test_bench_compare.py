"""Models compared: epochs, variants and missing answers as closed-form cases, and tables as data."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from truespec.benchmark.task import Origin, Task
from truespec.metrics.clustered import Estimate
from truespec.metrics.proportion import Interval, Proportion
from truespec.metrics.table import Cell, Table, estimated, number, share
from truespec.reports.bench import tables
from truespec.reports.bench_compare import Pair, ranks
from truespec.reports.bench_headline import headline, headline_of
from truespec.reports.bench_runs import Loaded

REPLY = {"text": "", "input_tokens": 1, "output_tokens": 1, "cost": None, "seconds": 0.0}


def answer(task: str, model: str, right: bool, epoch: int = 0, domain: str = "regex") -> dict[str, Any]:
    said = "equivalent" if right else "refuted"
    verdict = {"answer": said, "relation": None, "reason": None, "seconds": 0.1}
    base = {"task": task, "domain": domain, "model": model, "epoch": epoch}
    return {**base, "candidate": "a", "strict": True, "reply": REPLY, "verdict": verdict}


def named(answers: list[dict[str, Any]], tasks: list[Task] | None = None, **more: Any) -> dict[str, Table]:
    return {table.name: table for table in tables(answers, more.pop("judgements", []), tasks or [], **more)}


def cell(table: Table, row: int, head: str) -> Cell:
    found = table.rows[row][table.columns.index(head)]
    assert isinstance(found, Cell)
    return found


def model(name: str, right: int, epochs: int = 1, tasks: int = 10) -> list[dict[str, Any]]:
    return [answer(f"t{t}", name, t < right, epoch) for t in range(tasks) for epoch in range(epochs)]


def test_epochs_of_a_deterministic_model_do_not_narrow_an_interval() -> None:
    once, often = (named(model("m", 4, epochs))["success"] for epochs in (1, 20))
    assert cell(once, 0, "pooled").interval == Proportion(4, 10).wilson()
    assert cell(often, 0, "pooled").interval == cell(once, 0, "pooled").interval
    assert cell(often, 0, "overall").interval == cell(once, 0, "overall").interval
    assert cell(often, 0, "pooled").counts == (80, 200)


def test_variants_of_a_task_are_one_cluster() -> None:
    root = Task("t0", "regex", "s", {}, "a", Origin("made here", "", ""))
    family = [root] + [
        Task(f"t{n}", "regex", "s", {}, "a", Origin("made here", "", ""), (), {"variant_of": "t0"})
        for n in range(1, 5)
    ]
    other = [Task(f"o{n}", "regex", "s", {}, "a", Origin("made here", "", "")) for n in range(5)]
    answers = [answer(f"t{n}", "m", True) for n in range(5)] + [answer(f"o{n}", "m", False) for n in range(5)]
    alone = cell(named(answers)["success"], 0, "pooled").interval
    together = cell(named(answers, [*family, *other])["success"], 0, "pooled").interval
    assert alone == Proportion(5, 10).wilson()
    assert alone
    assert together
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


def test_judges_rates_go_by_task_too() -> None:
    answers = model("m", 4, 20)
    judgements = [
        {
            **{name: one[name] for name in ("task", "domain", "model", "epoch")},
            "kind": "formalization",
            "judge": "j",
            "replies": [REPLY],
            "scores": [3],
            "judgement": "accept" if one["task"] in ("t4", "t0") else "reject",
        }
        for one in answers
    ]
    pooled = named(answers, judgements=judgements)["judges-pooled"]
    assert cell(pooled, 0, "FAR").interval == Proportion(1, 6).wilson()
    assert cell(pooled, 0, "FRR").interval == Proportion(3, 4).wilson()
    inflation = cell(pooled, 0, "inflation").interval
    assert inflation
    assert inflation.high - inflation.low > 0.4


def test_a_leaderboard_and_a_paired_comparison() -> None:
    found = named(
        model("weak", 1, tasks=40) + model("strong", 30, tasks=40) + model("middling", 28, tasks=40)
    )
    board = found["leaderboard"]
    assert [row[0] for row in board.rows] == ["strong", "middling", "weak"]
    assert [str(cell(board, row, "rank")) for row in range(3)] == ["1 (1 to 2)", "2 (1 to 2)", "3 (3 to 3)"]
    pairs = {row[0]: row for row in found["comparisons"].rows}
    strong = pairs["strong minus middling"]
    assert strong[1] == "40"
    assert strong[2].startswith("+5.0% (")
    assert strong[3:] == ("0.5", "0.5"), "two discordant tasks: McNemar's exact p"
    assert float(pairs["weak minus strong"][4]) == pytest.approx(3 * 2**-28, rel=0.01), "Holm: times three"


def test_models_are_compared_on_common_tasks_and_missing_answers_are_no_success() -> None:
    lost = {**answer("t9", "b", False)}
    lost["verdict"] = {
        **lost["verdict"],
        "answer": "unknown",
        "reason": {"code": "unavailable", "detail": ""},
    }
    answers = model("a", 10) + model("b", 10, tasks=9) + [answer("elsewhere", "a", False)]
    found = named(answers, missing=[lost])
    row = found["comparisons"].rows[0]
    assert row[:2] == ("a minus b", "10")
    assert row[2].startswith("+10.0%")
    board = found["leaderboard"]
    assert "On the 10 tasks that every model was asked, the others left out" in board.note
    assert cell(board, 0, "pooled").counts == (10, 10)


def test_several_answers_to_a_task() -> None:
    # Two tasks of three answers: 3 and 1 right.
    answers = [answer("t0", "m", True, e) for e in range(3)] + [
        answer("t1", "m", e == 0, e) for e in range(3)
    ]
    table = named(answers)["epochs"]
    assert table.columns == ("model", "answers per task", "pass@1", "pass@2", "pass@3", "majority@3")
    values = [cell(table, 0, head).value for head in table.columns[2:]]
    assert values == pytest.approx([(1 + 1 / 3) / 2, (1 + 2 / 3) / 2, 1.0, 0.5])
    assert all(cell(table, 0, head).interval for head in table.columns[2:])
    assert "epochs" not in named(model("m", 3))


def test_ranks_that_no_comparison_excludes() -> None:
    gap = Estimate(0.5, Interval(0.4, 0.6), 9)
    pairs = [Pair("a", "b", 9, gap, 0.001, 0.002), Pair("a", "c", 9, gap, 0.03, 0.06)]
    assert ranks(["a", "b", "c"], pairs) == {"a": (1, 2), "b": (2, 3), "c": (1, 3)}


def test_tables_as_data_hold_numbers() -> None:
    rows = (
        ("=m", share(Proportion(1, 4)), number(7), estimated(None), number(1.5, ".1f"), "a_b & 3"),
        (
            "n",
            share(Proportion(0, 0)),
            number(None),
            estimated(Estimate(-0.25, Interval(-0.5, 0.5), 3)),
            "–",
            "–",
        ),
    )
    table = Table("t", "A title", ("model", "rate", "count", "gap", "ms", "said"), rows, "Note.")
    columns, data = table.to_data()
    kinds = ["VARCHAR", *["DOUBLE"] * 3, *["BIGINT"] * 3, *["DOUBLE"] * 4, "VARCHAR"]
    assert list(columns.values()) == kinds
    parts = ("estimate", "low", "high")
    heads = [*(f"rate {part}" for part in (*parts, "numerator", "denominator")), "count"]
    assert list(columns) == ["model", *heads, *(f"gap {part}" for part in parts), "ms", "said"]
    assert [data[0][f"rate {name}"] for name in ("estimate", "numerator", "denominator")] == [0.25, 1, 4]
    assert data[1]["rate estimate"] is data[1]["count"] is data[1]["ms"] is None
    read = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert read[0]["model"] == "'=m"
    assert float(read[0]["rate low"]) == pytest.approx(0.0456, abs=1e-4)
    assert read[1]["gap estimate"] == "-0.25"
    assert read[1]["rate denominator"] == "0"


def test_latex_is_a_table_for_a_paper() -> None:
    rows = (
        ("a_b & c", share(Proportion(1, 4)), estimated(Estimate(0.05, Interval(-0.01, 0.1), 3), signed=True)),
    )
    text = Table("t", "50 % of it", ("model", "FAR", "gap"), rows, "A note.").to_latex()
    for part in (r"\caption{50 \% of it}", r"\label{tab:t}", r"a\_b \& c & 25.0 [5--70] & +5.0 [-1, +10] \\"):
        assert part in text
    assert "1/4" not in text, "counts stand in the data, not in a narrow column"
    assert "Rates in percent, with 95 \\% confidence intervals in brackets. A note." in text


def test_the_headline_names_the_best_and_the_judges_with_intervals() -> None:
    answers = model("m", 4) + model("n", 9)
    judgements = [
        {
            **{name: one[name] for name in ("task", "domain", "model", "epoch")},
            "kind": "formalization",
            "judge": "j",
            "replies": [REPLY],
            "scores": [3],
            "judgement": "accept",
        }
        for one in answers
    ]
    said = headline(tables(answers, judgements), 10)
    assert said.startswith(
        "Of 2 models, n does best: 90.0% (9/10, 60–98) of its answers are proved equivalent;"
    )
    tied = headline(tables(model("m", 4) + model("n", 4), []), 10)
    assert tied.startswith("Of 2 models, m and n do equally well: 40.0% (4/10, 17–69) of answers are proved")
    assert "FAR, wrong answers accepted: " in said
    assert "100.0% (6/6, 61–100)" in said
    assert "10 tasks, verified by truespec" in said
    second = [{**one, "judge": "k"} for one in judgements]
    assert " more)" in headline(tables(answers, judgements + second), 10), "equal judges are counted"
    other = [{**one, "task": f"other-{one['task']}"} for one in model("n", 4)]
    apart = headline(tables(model("m", 4) + other, []), 20)
    assert apart.startswith("2 models were asked no task in common, so none is said to do best. 20 tasks")
    assert headline(tables(model("m", 4), []), 10).startswith("m: 40.0% (4/10, 17–69) of the answers")


def test_easy_tasks_are_left_out_of_the_headline_and_that_is_said() -> None:
    answers = model("m", 4)
    tasks = [
        Task(one["task"], one["domain"], "s", {}, "o", Origin("mine", "f"), tags=("easy",) if n < 3 else ())
        for n, one in enumerate(answers)
    ]
    table = Table("runs", "runs", ("run",), ())
    loaded = Loaded(answers, [], [], [], [], tasks, table)
    said = headline_of(loaded, tables(answers, [], tasks), tasks)
    assert "1/7" in said
    assert "7 tasks, verified by truespec" in said
    assert said.endswith("3 easy tasks are left out of these figures; the tables hold them.")
    # Where nothing else was asked, the easy ones are all there is.
    only = [replace(task, tags=("easy",)) for task in tasks]
    assert "4/10" in headline_of(loaded, tables(answers, [], only), only)
    assert "left out" not in headline_of(loaded, tables(answers, [], only), only)
