"""The benchmark's report on disk: one page of tables, one of tasks, and every table in three formats."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.metrics.table import Table
from truespec.reports.entry import Entry, Judged
from truespec.reports.page import Page, render
from truespec.verdict import Verdict
from truespec.version import __version__

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child { text-align: left; }
.note, nav { opacity: .8; font-size: .9rem; }
nav a { margin-right: .8rem; }
@media print { section { break-inside: avoid; } nav { display: none; } }
"""


def write_report(
    folder: Path,
    tables: Sequence[Table],
    tasks: Sequence[Task],
    answers: Sequence[Mapping[str, Any]],
    judgements: Sequence[Mapping[str, Any]],
) -> None:
    """Write `report.html`, `tasks.html`, and `tables/` with each table as Markdown, LaTeX and CSV."""
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    for table in tables:
        for ending, text in (("md", table.to_markdown()), ("tex", table.to_latex()), ("csv", table.to_csv())):
            (folder / "tables" / f"{table.name}.{ending}").write_text(text, encoding="utf-8")
    (folder / "report.html").write_text(_page(tables, answers, judgements), encoding="utf-8")
    lead = "Each task with its statement, context and oracle, and what every model answered."
    page = Page("Tasks and answers", lead, {"truespec": __version__})
    (folder / "tasks.html").write_bytes(render(entries(tasks, answers, judgements), page))


def entries(
    tasks: Sequence[Task], answers: Sequence[Mapping[str, Any]], judgements: Sequence[Mapping[str, Any]]
) -> list[Entry]:
    """The tasks with their answers, the judges' scores noted beside each."""
    scores: dict[tuple[object, ...], list[str]] = {}
    for record in judgements:
        name = (record["task"], record["model"], record["epoch"])
        said = "/".join("–" if score is None else str(score) for score in record["scores"])
        scores.setdefault(name, []).append(
            f"{record['kind']} judge {record['judge']}: {said}, {record['judgement']}"
        )
    found: dict[str, list[Judged]] = {}
    for record in answers:
        name = (record["task"], record["model"], record["epoch"])
        found.setdefault(record["task"], []).append(
            Judged(
                id=record["id"],
                candidate=record["candidate"] or record["reply"]["text"],
                verdict=Verdict.from_json(record["verdict"]),
                written=record["model"],
                note="; ".join(scores.get(name, [])),
            )
        )
    unique = {task.id: task for task in tasks}
    return [_entry(task, tuple(found.get(task.id, ()))) for task in unique.values() if task.id in found]


def _entry(task: Task, judged: tuple[Judged, ...]) -> Entry:
    meanings = task.extra.get("meanings")
    return Entry(
        id=task.id,
        domain=task.domain,
        oracle=task.oracle,
        judged=judged,
        statement=task.statement,
        context=task.context,
        meanings=meanings if isinstance(meanings, Mapping) else {},
        tags=task.tags,
    )


def _page(
    tables: Sequence[Table], answers: Sequence[Mapping[str, Any]], judgements: Sequence[Mapping[str, Any]]
) -> str:
    models = sorted({str(record["model"]) for record in answers})
    lead = (
        f"{len(answers)} answers of {len(models)} models ({', '.join(models)}), "
        f"{len(judgements)} judgements; verified by truespec {__version__}."
    )
    links = "".join(f"<a href=#{table.name}>{html.escape(table.title)}</a>" for table in tables)
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>truespec benchmark</title><style>{STYLE}</style></head><body>"
        f"<h1>Specifications written by models, and their judges</h1><p>{html.escape(lead)}</p>"
        f"<nav>{links}<a href=tasks.html>All tasks and answers</a></nav>"
        + "".join(table.to_html() for table in tables)
        + "</body></html>\n"
    )
