"""The benchmark's report on disk: a page of tables and figures, one of tasks, and all of it as data."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.metrics.table import Table
from truespec.reports.dataset import (
    ANSWERS,
    JUDGEMENTS,
    answer_rows,
    judgement_rows,
    parquet_is_possible,
    write_csv,
    write_parquet,
)
from truespec.reports.entry import Entry, Judged
from truespec.reports.page import Page, render
from truespec.reports.plots import Figure
from truespec.reports.summary import by_domain
from truespec.verdict import Verdict
from truespec.version import __version__

STYLE = (
    Path(__file__).with_name("templates").joinpath("base.css").read_text("utf-8")
    + """
body { max-width: 74rem; }
.wide { overflow-x: auto; }
figure { margin: 2rem 0 .5rem; max-width: 46rem; break-inside: avoid; }
figcaption { font-weight: 600; margin-bottom: .4rem; }
table { font-size: .9rem; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; vertical-align: top; }
td.text { white-space: normal; text-align: left; min-width: 15rem; max-width: 26rem; }
td { overflow-wrap: anywhere; }
td small { color: var(--muted); }
th { vertical-align: top; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--bg); }
th:first-child { min-width: min(7rem, 38vw); max-width: 24rem; overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  th:first-child { min-width: 34vw; max-width: 42vw; }
  td.text { max-width: 70vw; }
}
.note, nav { font-size: .9rem; }
nav ol { columns: 20rem; margin: .2rem 0 .8rem; padding-left: 1.6rem; }
nav li { padding: .15rem 0; break-inside: avoid; }
.note { color: var(--muted); }
details.part { border-top: 1px solid var(--line); padding: .2rem 0; }
details.part[open] { padding-bottom: 1rem; }
summary { cursor: pointer; padding: .4rem 0; }
summary h2 { display: inline; margin: 0; font-size: 1.08rem; }
h1, h2, p { overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print { details::details-content { content-visibility: visible; } }
"""
)
"""The design of all pages, and what tables and figures need."""

KEY_TABLES = ("runs", "published", "leaderboard", "success", "judges-pooled")
"""The tables that the page opens with; the others are folded below them."""
TASKS_PER_PAGE = 100
"""Tasks of one page."""

BESIDE = {
    "success": "success",
    "far-frr-formalization": "rates-formalization",
    "far-frr-equivalence": "rates-equivalence",
    "curve-formalization": "thresholds",
    "curve-equivalence": "thresholds-equivalence",
}
"""Which table a figure stands above, where that is not the table of its own name."""


def write_report(
    folder: Path,
    tables: Sequence[Table],
    drawn: Sequence[Figure],
    tasks: Sequence[Task],
    answers: Sequence[dict[str, Any]],
    judgements: Sequence[dict[str, Any]],
    lead: str = "",
) -> str:
    """Write a report and return what was left out of it, or nothing.

    `report.html` holds every table and figure. `tasks.html` and the pages after it, `tasks-2.html` and so on,
    hold every task with its answers and the judges' words. `tables/` has each table as Markdown, LaTeX, CSV
    and Parquet, `figures/` each figure as SVG, `data/` the answers and judgements as flat CSV and Parquet.
    """
    for name in ("tables", "figures", "data"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for table in tables:
        for ending, text in (("md", table.to_markdown()), ("tex", table.to_latex()), ("csv", table.to_csv())):
            _write(folder / "tables" / f"{table.name}.{ending}", text)
    for figure in drawn:
        _write(folder / "figures" / f"{figure.name}.svg", figure.svg)
    flat = (
        ("answers", ANSWERS, answer_rows(answers, tasks)),
        ("judgements", JUDGEMENTS, judgement_rows(answers, judgements)),
    )
    for name, columns, rows in flat:
        write_csv(folder / "data" / f"{name}.csv", columns, rows)
    parquet = parquet_is_possible()
    if parquet:
        write_parquet(
            *((folder / "tables" / f"{table.name}.parquet", *table.to_data()) for table in tables),
            *((folder / "data" / f"{name}.parquet", columns, rows) for name, columns, rows in flat),
        )
    _write(folder / "report.html", _page(tables, drawn, answers, judgements, lead))
    _write_tasks(folder, entries(tasks, answers, judgements))
    return "" if parquet else "no Parquet files: they need DuckDB, pip install 'truespec[engines]'"


def _write_tasks(folder: Path, found: Sequence[Entry]) -> None:
    """The pages of tasks; pages of an earlier report that this one does not have are removed."""
    for old in folder.glob("tasks-*.html"):
        old.unlink()
    ordered = [entry for group in by_domain(found).values() for entry in group]
    parts = [ordered[at : at + TASKS_PER_PAGE] for at in range(0, len(ordered), TASKS_PER_PAGE)] or [[]]
    names = ["tasks.html", *(f"tasks-{number}.html" for number in range(2, len(parts) + 1))]
    links = []
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        domains = ", ".join(dict.fromkeys(entry.domain for entry in part))
        first = number * TASKS_PER_PAGE + 1
        links.append((name, f"{first}–{first + len(part) - 1} ({domains})" if part else "none"))
    about = (
        "Each task with its statement, context and oracle, what every model answered, and what judges said."
    )
    if len(parts) > 1:
        about += f" This is a part of {len(ordered)} tasks; sums and the search are those of this page."
    for name, part in zip(names, parts, strict=True):
        page = Page("Tasks and answers", about, {"truespec": __version__}, links=links, here=name)
        (folder / name).write_bytes(render(part, page))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def entries(
    tasks: Sequence[Task], answers: Sequence[Mapping[str, Any]], judgements: Sequence[Mapping[str, Any]]
) -> list[Entry]:
    """The tasks with their answers, the judges' scores noted beside each."""
    scores: dict[tuple[object, ...], dict[str, list[str]]] = {}
    words: dict[tuple[object, ...], list[tuple[str, str]]] = {}
    for record in judgements:
        name = (record.get("run"), record["task"], record["model"], record["epoch"])
        said = "/".join("–" if score is None else str(score) for score in record["scores"])
        judge = f"{record['kind']} judge {record['judge']}"
        by_judge = scores.setdefault(name, {}).setdefault(record["judge"], [])
        by_judge.append(f"{record['kind']} {said} {record['judgement']}")
        for place, reply in enumerate(record.get("replies", ())):
            order = (
                (", oracle first", ", candidate first")[place % 2] if record["kind"] == "equivalence" else ""
            )
            words.setdefault(name, []).append((judge + order, reply["text"]))
    found: dict[str, list[Judged]] = {}
    for record in answers:
        name = (record.get("run"), record["task"], record["model"], record["epoch"])
        found.setdefault(record["task"], []).append(
            Judged(
                id=record["id"],
                candidate=record["candidate"] or record["reply"]["text"],
                verdict=Verdict.from_json(record["verdict"]),
                written=record["model"],
                note="; ".join(f"{who}: {', '.join(said)}" for who, said in scores.get(name, {}).items()),
                words=tuple(words.get(name, ())),
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
    tables: Sequence[Table],
    drawn: Sequence[Figure],
    answers: Sequence[Mapping[str, Any]],
    judgements: Sequence[Mapping[str, Any]],
    lead: str,
) -> str:
    models = sorted({str(record["model"]) for record in answers})
    counts = (
        f"{len(answers)} answers of {len(models)} models ({', '.join(models)}), "
        f"{len(judgements)} judgements; verified by truespec {__version__}."
    )
    named = {table.name for table in tables}
    above: dict[str, list[Figure]] = {}
    for figure in drawn:
        beside = BESIDE.get(figure.name, figure.name)
        above.setdefault(beside if beside in named else "", []).append(figure)
    first = [table for name in KEY_TABLES for table in tables if table.name == name]
    rest = [table for table in tables if table.name not in KEY_TABLES]
    parts = [_part(table, above.get(table.name, ()), is_open=True) for table in first]
    parts += [_figure(figure) for figure in above.get("", ())]
    parts += [_part(table, above.get(table.name, ()), is_open=False) for table in rest]
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>truespec benchmark</title><style>{STYLE}</style></head><body><main>"
        "<h1>Specifications written by models, and their judges</h1>"
        f"{f'<p>{html.escape(lead)}</p>' if lead else ''}<p>{html.escape(counts)}</p>"
        f"<p>{len(first)} tables are open, {len(rest)} are folded below them. "
        "<a href=tasks.html>All tasks and answers</a></p>"
        + _contents([*first, *rest])
        + "".join(parts)
        + "</main></body></html>\n"
    )


def _contents(tables: Sequence[Table]) -> str:
    """A folded list of all tables; browsers unfold what a link leads to."""
    links = "".join(f"<li><a href=#{table.name}>{html.escape(table.title)}</a></li>" for table in tables)
    return f"<nav><details><summary>Contents</summary><ol>{links}</ol></details></nav>"


def _part(table: Table, drawn: Sequence[Figure], *, is_open: bool) -> str:
    """A table below its figures, under a heading that folds them. A link to its name unfolds it."""
    inside = "".join(map(_figure, drawn)) + table.to_html()
    return (
        f"<details class=part{' open' if is_open else ''}><summary><h2>{html.escape(table.title)}</h2>"
        f"</summary><div id={table.name}>{inside}</div></details>"
    )


def _figure(figure: Figure) -> str:
    return f"<figure><figcaption>{html.escape(figure.title)}</figcaption>{figure.svg}</figure>"
