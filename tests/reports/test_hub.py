"""The export for the `datasets` library: its card, its files, and what they hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import needs
from truespec.benchmark.select import bundled_tasks, choose
from truespec.benchmark.task import Origin, Task
from truespec.cli.bench import bench
from truespec.executors.bench import new_run, run_judges, run_models
from truespec.models.function import FunctionModel
from truespec.reports import hub
from truespec.reports.dataset import ANSWERS, JUDGEMENTS

COUNT = {"tasks": 2, "answers": 2, "judgements": 2}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs.module("duckdb")
    folder = tmp_path_factory.mktemp("hub")
    tasks = choose(bundled_tasks(["regex"]), [], 2)
    model = {"m": FunctionModel("m", lambda call: f"```\n{'a*' if 'answer/' in call.subject else 3}\n```")}
    options = {
        "epochs": 1,
        "temperature": 1.0,
        "reasoning_effort": None,
        "max_tokens": None,
        "tolerant": False,
    }
    run = new_run(folder / "run", tasks, ["m"], timeout=60.0, **options)
    run_models(run, given=model)
    run_judges(run, ["m"], ["formalization"], given=model)
    words = [
        "export",
        str(run.folder),
        "--hf",
        str(folder / "hf"),
        "--title",
        'A "title": x',
        "--license",
        "mit",
    ]
    result = CliRunner().invoke(bench, words, catch_exceptions=False)
    assert result.output.startswith("2 tasks, 2 answers, 2 judgements -> ")
    return folder / "hf"


def test_the_card_names_every_file_and_column(exported: Path) -> None:
    card = (exported / "README.md").read_text("utf-8")
    head = yaml.safe_load(card.split("---")[1])
    assert (head["pretty_name"], head["license"]) == ('A "title": x', "mit")
    assert [one["config_name"] for one in head["configs"]] == list(COUNT)
    files = {one["data_files"][0]["path"] for one in head["configs"]}
    assert files == {str(path.relative_to(exported)) for path in exported.rglob("*.parquet")}
    assert "Runs and their settings" in card
    for name, columns in (("tasks", hub.TASKS), ("answers", ANSWERS), ("judgements", JUDGEMENTS)):
        section = card.split(f"## {name}\n")[1].split("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \|", section, re.M) == list(columns)


def test_the_tables_hold_the_run(exported: Path) -> None:
    import duckdb

    database = duckdb.connect()
    for name, count in COUNT.items():
        (found,) = database.execute(f"SELECT count(*) FROM '{exported}/{name}/test.parquet'").fetchall()
        assert found == (count,)
    rows = database.execute(
        f"SELECT id, context, oracle, tags FROM '{exported}/tasks/test.parquet'"
    ).fetchall()
    by_id = {task.id: task for task in bundled_tasks(["regex"])}
    for name, context, oracle, tags in rows:
        task = by_id[name]
        assert (json.loads(context), oracle, tuple(tags)) == (dict(task.context), task.oracle, task.tags)
    database.close()


def test_hostile_texts_stay_in_their_cells(tmp_path: Path) -> None:
    needs.module("duckdb")
    source = Origin("<script>\n---\nlicense: x", "f")
    task = Task("a|b", "regex", "x\ud800|\n---", {"a": "\ud800"}, "a", source, ("t|\n",))
    assert hub.write_hub(tmp_path, [task], [], []) == {"tasks": 1}
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "<script>" not in card
    assert card.count("\n---\n") == 1
    assert not (tmp_path / "answers").exists()


def test_without_duckdb_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "parquet_is_possible", lambda: False)
    result = CliRunner().invoke(bench, ["export", "--hf", str(tmp_path)])
    assert result.exit_code != 0
    assert "truespec[engines]" in str(result.exception) + result.output
