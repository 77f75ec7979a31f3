"""The benchmark's report: every table and figure of the baseline, offline, in every format, no secrets."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import needs
from truespec.benchmark.bundled import baseline
from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.bench import bench
from truespec.executors.baseline import store
from truespec.executors.bench import new_run, run_judges, run_models
from truespec.executors.timeouts import study
from truespec.metrics.judging import judge_rates
from truespec.metrics.table import Cell, Table
from truespec.models.call import Call
from truespec.models.contract import ModelError
from truespec.models.function import FunctionModel
from truespec.reports.bench import join, tables
from truespec.reports.bench_page import STYLE
from truespec.reports.bench_timeouts import LONG, timeout_table
from truespec.reports.dataset import write_parquet
from truespec.reports.plots import Dot, dots, lines
from truespec.store.runs import Run

pytestmark = pytest.mark.slow  # the report is made once for all of them

OPTIONS: dict[str, Any] = {
    "epochs": 1,
    "temperature": 1.0,
    "reasoning_effort": "medium",
    "max_tokens": None,
    "tolerant": False,
}

TABLES = {
    *(
        "sources",
        "success",
        "failures",
        "failures-by-domain",
        "unknown",
        "times",
        "replies",
        "difficulty",
        "judges",
        "judges-pooled",
        "leaderboard",
        "comparisons",
    ),
    *("rates-formalization", "rates-equivalence", "inflation-formalization", "inflation-equivalence"),
    *("corrected", "thresholds", "thresholds-equivalence", "position", "agreement", "cost"),
    *("malformed-formalization", "malformed-equivalence", "oracles", "malformed-oracles", "timeouts"),
}
FIGURES = {
    *("success", "far-frr-formalization", "far-frr-equivalence", "timeouts"),
    *("inflation-formalization", "inflation-equivalence", "curve-formalization", "curve-equivalence"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the report, and what the command prints as JSON."""
    folder = tmp_path_factory.mktemp("report")
    result = CliRunner().invoke(bench, ["report", "--json", "-o", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return folder, result.output


@pytest.fixture(scope="module")
def report(made: tuple[Path, str]) -> Path:
    return made[0]


def test_json_holds_every_table_with_numbers(made: tuple[Path, str]) -> None:
    told = json.loads(made[1])
    assert Path(told["report"]).is_file()
    assert told["tables"].keys() >= TABLES
    assert any(
        isinstance(value, float) for row in told["tables"]["success"]["rows"] for value in row.values()
    )


def test_the_baseline_shows_every_table_and_figure(report: Path) -> None:
    assert {path.stem for path in (report / "tables").glob("*.csv")} >= TABLES
    assert {path.stem for path in (report / "figures").glob("*.svg")} == FIGURES
    page = (report / "report.html").read_text("utf-8")
    for name in TABLES:
        assert f"id={name}>" in page
        assert f"<a href=#{name}>" in page
        assert (report / "tables" / f"{name}.md").stat().st_size > 0
        assert r"\begin{tabular}" in (report / "tables" / f"{name}.tex").read_text("utf-8")
    assert page.count("<svg") == len(FIGURES)
    assert "Mean" in (report / "tables" / "judges.md").read_text("utf-8")
    assert "Median" in (report / "tables" / "judges.md").read_text("utf-8")
    for name in ("leaderboard", "comparisons"):
        assert "(scripted)" not in (report / "tables" / f"{name}.md").read_text("utf-8")
    assert {"published", "published-judges"} <= {path.stem for path in (report / "tables").glob("*.parquet")}


def test_the_papers_figures_stand_beside_ours(report: Path) -> None:
    assert "figures beside ours" in (report / "report.html").read_text("utf-8")
    assert (report / "tables" / "paper.csv").is_file()


def test_nothing_is_fetched_and_nothing_runs(report: Path) -> None:
    for page in report.glob("*.html"):
        text = page.read_text("utf-8")
        assert "Content-Security-Policy" in text
        addresses = set(re.findall(r"(?:src|href)=[\"']?(\w+:)?//[^\s>]+", text))
        assert not addresses
    assert "<script" not in (report / "report.html").read_text("utf-8")


def test_the_page_opens_with_key_tables_and_folds_the_others(report: Path) -> None:
    page = (report / "report.html").read_text("utf-8")
    states = re.findall(r"<details class=part( open)?><summary><h2>.*?</h2></summary><div id=([\w-]+)>", page)
    opened = [name for is_open, name in states if is_open]
    assert opened == ["published", "leaderboard", "success", "judges-pooled"]
    assert len(states) == len(list((report / "tables").glob("*.md")))
    assert states[: len(opened)] == [(" open", name) for name in opened]
    assert all(rows.count("<tr>") <= 26 for rows in page.split("further rows</summary>")[0].split("<table>"))


def test_nine_models_with_long_names_are_told_apart() -> None:
    names = [
        f"python:models:provider_{n}/a-rather-long-model-name-{n}-instruct_{'x' * 40}-2026" for n in range(9)
    ]
    for svg in (
        dots([(name, [Dot("FAR", 0.5), Dot("FRR", 0.1)]) for name in names], "rates"),
        lines({name: [(1.0, 0.1), (2.0, 0.2)] for name in names}, "curves", across="x", up="y"),
    ):
        root = ElementTree.fromstring(svg)
        shown = ["".join(e.text or "" for e in text.iter() if not e.tag.endswith("title")) for text in root]
        for name in names:
            assert name in shown, name
        assert "…" not in "".join(shown)
    looks = {
        (group.get("class"), group[-1].get("d", "")[-12:])
        for group in root.findall("{*}g")
        if group.find("{*}polyline") is not None
    }
    assert len({look for look, _ in looks}) == len(names)
    heading = "arith, judged by openrouter/google/gemini-3.0-pro-preview-11-2025-exp"
    headed = dots([(heading, None), ("a", [Dot("FAR", 0.5)])], "rates")
    assert max(len(line) for line in re.findall(r">([^<>]*)</tspan>", headed)) <= 50, "bold letters are wide"
    rows = ElementTree.fromstring(dots([(name, [Dot("FAR", 0.5)]) for name in names], "rates"))
    heights = [float(span.get("y", "0")) for span in rows.iter() if span.tag.endswith("tspan")]
    assert all(after - before >= 10 for before, after in pairwise(heights))


def test_long_names_leave_room_for_the_figures(tmp_path: Path) -> None:
    needs.tool("chromium")
    needs.module("playwright")
    from playwright.sync_api import sync_playwright

    name, text = f"python:models:{'provider_model_' * 6}2026", "because of this and of that " * 4
    table = Table("t", "Rates", ("model", "rate", "why"), ((name, "50.0% (1/2, 10–90)", text),))
    (tmp_path / "page.html").write_text(f"<style>{STYLE}</style>{table.to_html()}", encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto((tmp_path / "page.html").as_uri())
        widths = {
            cell: page.evaluate(f"document.querySelector('tbody {cell}').getBoundingClientRect().width")
            for cell in ("th", "td:nth-child(2)", "td:nth-child(3)")
        }
        browser.close()
    assert widths["th"] < 0.5 * 390, "the first column stays in place: what is beside it has to be seen"
    assert widths["th"] + widths["td:nth-child(2)"] < 390
    assert widths["td:nth-child(3)"] < 390 - widths["th"] + 60


def test_every_task_is_on_one_page(report: Path) -> None:
    pages = [report / "tasks.html", *sorted(report.glob("tasks-*.html"), key=lambda p: int(p.stem[6:]))]
    ids: list[str] = []
    for page in pages:
        text = page.read_text("utf-8")
        found = re.findall(r'<code class="id">(.*?)</code>', text)
        assert len(found) == 100 or page == pages[-1]
        assert page.stat().st_size < 2_500_000
        assert text.count('<a href="tasks') == len(pages)
        ids += found
    with (report / "data" / "answers.csv").open(encoding="utf-8", newline="") as file:
        answered = {row["task"] for row in csv.DictReader(file)}
    assert len(ids) == len(set(ids)) == len(answered)


def test_the_pages_are_short_accessible_and_do_not_overflow(report: Path) -> None:
    needs.tool("chromium")
    needs.module("playwright")
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width in (390, 1400):
            scheme: Literal["dark", "light"] = "dark" if width == 390 else "light"
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
            )
            page = context.new_page()
            page.goto((report / "report.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate("document.documentElement.scrollHeight") < 12_000
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            page.goto((report / "report.html").as_uri() + "#position")
            assert page.locator("#position table").is_visible()
            page.goto((report / "tasks-2.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()


def test_figures_stand_alone(report: Path) -> None:
    for path in (report / "figures").iterdir():
        root = ElementTree.fromstring(path.read_text("utf-8"))
        assert root.tag.endswith("svg")
        assert len(root.findall(".//{*}path")) > 2


def test_parquet_holds_what_csv_holds(report: Path) -> None:
    needs.module("duckdb")
    import duckdb

    database = duckdb.connect()
    for path in report.glob("*/*.parquet"):
        with path.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        found = database.execute(f"SELECT * FROM '{path}'").fetchall()
        assert len(found) == len(rows) - 1, path.name
        assert len(found[0]) == len(rows[0])
    seconds = database.execute(f"SELECT sum(seconds) FROM '{report}/data/answers.parquet'").fetchone()
    assert seconds is not None
    assert isinstance(seconds[0], float)
    assert seconds[0] > 0


def test_parquet_takes_any_text(tmp_path: Path) -> None:
    needs.module("duckdb")
    import duckdb

    path = tmp_path / "it's.parquet"
    texts = ["\ud800", "\0", 'a"b\n\u2028', None, "x" * 1_000_000]
    write_parquet((path, {"text": "VARCHAR", "n": "BIGINT"}, [{"text": t, "n": None} for t in texts]))
    found = duckdb.connect().read_parquet(str(path)).fetchall()
    assert [row[0] for row in found] == ["\\ud800", *texts[1:]]


def test_the_baseline_is_of_the_tasks_there_are() -> None:
    stored = baseline.load(bundled_tasks())
    assert len(stored.answers) >= 100
    rates = judge_rates((i.answer, i.judgement) for i in join(stored.answers, stored.judgements))
    assert rates.far.total > 100
    assert baseline.load([]).answers == []


def test_what_is_stored_is_what_the_run_recorded(leaky: tuple[Run, Path, str], tmp_path: Path) -> None:
    run, _, _ = leaky
    store(run, tmp_path / "kept")
    store(run, tmp_path / "kept")
    loaded = baseline.load(run.tasks(), tmp_path / "kept")
    assert [answer["candidate"] for answer in loaded.answers] == ["a*"] * 3
    same = ("task", "domain", "model", "epoch", "kind", "judge", "scores", "judgement")
    recorded = [tuple(map(one.get, same)) for one in run.read("judgements")]
    assert sorted(map(str, recorded)) == sorted(str(tuple(map(one.get, same))) for one in loaded.judgements)
    assert {len(one["replies"]) for one in loaded.judgements} == {1, 2}
    names = ["judgements/blurter.jsonl.gz", "answers/blurter.jsonl.gz", "timeouts.jsonl"]
    kept = tmp_path / "kept"
    assert sorted(names) == sorted(str(p.relative_to(kept)) for p in kept.rglob("*.jsonl*"))


def test_recorded_answers_and_scores_stay_small() -> None:
    held = files("truespec.benchmark").joinpath("bundled")
    assert isinstance(held, Path)
    recorded = [held / name for name in ("baseline", "readings", "scores")]
    assert sum(p.stat().st_size for folder in recorded for p in folder.rglob("*") if p.is_file()) < 1_000_000


def test_a_changed_task_loses_its_records() -> None:
    from dataclasses import replace

    tasks = bundled_tasks()
    before = baseline.load(tasks)
    name = before.answers[0]["task"]
    changed = [replace(t, statement=t.statement + " Or not.") if t.id == name else t for t in tasks]
    after = baseline.load(changed)
    lost = sum(record["task"] == name for record in before.answers)
    assert after.stale == before.stale + lost > before.stale
    assert not any(record["task"] == name for record in after.answers + after.judgements)


KEY = "sk-proj-" + "z9Y8" * 9


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, Path, str]]:
    """A run of a model and a judge that blurt out keys, and of one whose failure names one."""
    tasks = choose(bundled_tasks(["regex"]), [], 3)
    folder = tmp_path_factory.mktemp("leaky")

    def blurt(call: Call) -> str:
        return f"I am {KEY} and {HIDDEN}.\n```\n{'a*' if 'answer/' in call.subject else 3}\n```"

    def fail(call: Call) -> str:
        raise ModelError(f"401: {KEY} is no key")

    given = {name: FunctionModel(name, f) for name, f in (("blurter", blurt), ("failer", fail))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOMEBODYS_API_KEY", HIDDEN)
        run = new_run(folder / "run", tasks, ["blurter", "failer"], timeout=10.0, **OPTIONS)
        failures = run_models(run, given=given)
        run_judges(run, ["blurter"], ["formalization", "equivalence", "oracle"], given=given)
        CliRunner().invoke(
            bench, ["report", str(run.folder), "-o", str(folder / "out")], catch_exceptions=False
        )
        yield run, folder, failures.first


HIDDEN = "correct-horse-battery"


def test_no_secret_is_in_any_file_or_message(leaky: tuple[Run, Path, str]) -> None:
    run, folder, message = leaky
    assert len(run.read("answers")) == 3
    assert "<secret> is no key" in message
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 40
    for path in files:
        raw = path.read_bytes()
        assert KEY.encode() not in raw, path
        assert HIDDEN.encode() not in raw, path
    assert "&lt;secret&gt;" in (folder / "out" / "tasks.html").read_text("utf-8"), (
        "the judge's words are shown"
    )


def test_longer_limits_decide_more_and_the_table_says_so(tmp_path: Path) -> None:
    tasks = choose(bundled_tasks(["fol"]), [], 4)
    run = new_run(tmp_path, tasks, ["echo"], timeout=1e-6, **OPTIONS)
    answers = {task.id: f"¬¬({task.oracle})" for task in tasks}
    model = FunctionModel("echo", lambda c: f"```\n{answers[c.subject.removeprefix('answer/')]}\n```")
    run_models(run, given={"echo": model})
    assert {record["verdict"]["answer"] for record in run.read("answers")} == {"unknown"}  # type: ignore[index]
    untried = timeout_table(run.read("answers"), []).rows[0]
    assert untried[5:8] == ("4", "–", "–"), "what was not tried is not claimed"
    tried = study(run, [2e-6, 20.0, 30.0], jobs=1)
    assert [record["limit"] for record in tried] == [2e-6] * 4 + [20.0] * 4
    assert {record["answer"] for record in tried if record["limit"] == 20.0} == {"equivalent"}
    row = timeout_table(run.read("answers"), tried, LONG).rows[0]
    assert row[:8] == ("fol", "4", "4", "4", "4", "4", "–", "–"), "8 and 16 s were not tried"
    assert row[8:12] == ("0", "0", "0", "0"), "what 20 s decided, 32 s decide"
    shown = timeout_table(run.read("answers"), tried, [20.0, 30.0])
    assert shown.columns[2:8] == ("0.01 s", "0.1 s", "1 s", "4 s", "20 s", "30 s"), "the limits asked for"
    again = study(run, [2e-6, 20.0, 30.0], jobs=1)
    assert again == tried, "verdicts of an earlier study are kept"


def test_a_judge_with_known_errors_is_corrected_on_the_other_half() -> None:
    answers, judgements = [], []
    for number in range(2_000):
        right = number % 5 < 2
        base = {"task": f"t{number}", "domain": "regex", "model": "m", "epoch": 0}
        verdict = {"answer": "equivalent" if right else "refuted", "relation": None, "seconds": 0.1}
        reply = {"text": "", "input_tokens": 1, "output_tokens": 1, "cost": None, "seconds": 0.0}
        answers.append({**base, "verdict": {**verdict, "reason": None}, "candidate": "a", "strict": True})
        answers[-1]["reply"] = reply
        accepts = number % 10 != 0 if right else number % 4 == 2
        judged = {"kind": "formalization", "judge": "j", "scores": [3 if accepts else 0], "replies": [reply]}
        judgements.append({**base, **judged, "judgement": "accept" if accepts else "reject"})
    found: dict[str, Table] = {table.name: table for table in tables(answers, judgements)}
    row = found["corrected"].rows[0]
    estimate = row[2]
    assert isinstance(estimate, Cell)
    assert estimate.value is not None
    assert estimate.interval is not None
    centre, low, high = (100 * x for x in (estimate.value, estimate.interval.low, estimate.interval.high))
    verified = float(row[3].split("%")[0])
    assert low <= verified <= high
    assert abs(centre - 40) < 6
    assert high - low < 20


def test_hostile_names_stay_text() -> None:
    name = "<script>alert(1)</script>&\x07"
    for svg in (
        dots([(name, None), (name, [Dot(name, 0.5, 0.1, 0.9, name), Dot("b", None)])], name),
        lines({name: [(1.0, 0.5)], "b": [(2.0, 0.1), (3.0, 0.2)]}, name, across=name, up=name, log=True),
        lines({}, "nothing", across="x", up="y"),
    ):
        ElementTree.fromstring(svg)
        assert "<script" not in svg
