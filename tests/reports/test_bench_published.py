"""Published answers and judges: counts are kept, and tables show them with the intervals of the run."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from truespec.metrics.table import Cell
from truespec.reports.bench import tables
from truespec.reports.bench_items import join
from truespec.reports.bench_published import answer_counts, judge_counts, published_tables, tables_of

REPLY = {"text": "", "input_tokens": None, "output_tokens": None, "cost": None, "seconds": 0.0}


def records() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    answers, judgements = [], []
    for number in range(12):
        said = ("equivalent", "refuted", "invalid", "unknown")[number % 4]
        about = {"task": f"t{number // 2}", "domain": "sql", "model": "m", "epoch": number % 2}
        reason = {"code": "timeout", "detail": "late"} if said in ("invalid", "unknown") else None
        verdict = {"answer": said, "relation": None, "reason": reason, "seconds": 0.1}
        answers.append({**about, "candidate": "a", "strict": True, "reply": REPLY, "verdict": verdict})
        judged = {"kind": "equivalence", "judge": "j", "scores": [], "replies": []}
        judgements.append({**about, **judged, "judgement": "accept" if number % 3 else "reject"})
    return answers, judgements


def test_kept_counts_show_what_the_run_shows() -> None:
    answers, judgements = records()
    kept = {
        "version": "1",
        "timeout": 4.0,
        "answers": answer_counts("set", answers, 99),
        "judges": judge_counts("set", join(answers, judgements)),
    }
    success, judges = tables_of(json.loads(json.dumps(kept)))
    run = {table.name: table for table in tables(answers, judgements)}
    assert success.rows[0][:3] == ("set: m", "sql", "6")
    assert [success.rows[0][3], *success.rows[0][4:]] == [run["success"].rows[0][-1], "3", "3", "3"]
    mine, pooled = success.rows[0][3], run["success"].rows[0][-1]
    assert isinstance(mine, Cell)
    assert isinstance(pooled, Cell)
    assert mine.interval == pooled.interval, "by task, as in the run"
    shown = dict(zip(run["judges-pooled"].columns, run["judges-pooled"].rows[0], strict=True))
    row = dict(zip(judges.columns, judges.rows[0], strict=True))
    assert [row[name] for name in ("FAR", "FRR", "precision", "inflation")] == [
        shown[name] for name in ("FAR", "FRR", "precision", "inflation")
    ]
    assert row["judge, source"] == "j, set"


def test_the_counts_that_come_with_the_package_add_up() -> None:
    file = files("truespec.benchmark.bundled").joinpath("published.json")
    kept = json.loads(file.read_text("utf-8"))
    assert len({one["source"].partition(",")[0] for one in kept["answers"]}) == 7
    for one in kept["answers"]:
        hits, total, _ = one["success"]
        assert hits == one["equivalent"]
        assert total == sum(one[name] for name in ("equivalent", "refuted", "invalid", "unknown"))
        assert one["tasks"] <= total <= one["of"]
    assert {one["judge"] for one in kept["judges"]} == {"gpt4", "gpt3.5", "llama3", "mistralai", "gemini"}
    assert [table.name for table in published_tables()] == ["published", "published-judges"]
