"""The page and the files of an analysis: `index.html`, `tables/*.csv`, `figures/*.svg`, `summary.json`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from truespec.metrics.table import Table
from truespec.reports.analysis import Analysis, headline, summary
from truespec.reports.analysis_figures import figures
from truespec.reports.analysis_tables import Named, tables
from truespec.reports.trace_pages import page_name, trace_page
from truespec.reports.visible import in_line
from truespec.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
LISTED = 30
"""Rows of a long table on the page; the CSV file beside it holds all."""
SHOWN = {"digest": 12}
"""Fewer, where a table is to be read in a minute."""
_FIGURE = re.compile(r"(?:[+-]?\d|–$|< 0)")
_RANGE = re.compile(r" (?=[\[(])")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FunctionLoader(lambda name: (TEMPLATES / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else in_line(str(value), 400),
    )
    made.filters |= {"parts": _parts, "breakable": _breakable}
    return made


def _parts(cell: str) -> Markup:
    """A figure and its interval or counts, each unbroken: a narrow column sets them below each other."""
    parts = _RANGE.split(in_line(cell, 400), 1)
    return Markup(" ").join(Markup("<span>{}</span>").format(part) for part in parts)


def _breakable(name: str) -> Markup:
    """A heading that may be broken after each of its underscores."""
    return Markup("_<wbr>").join(escape(part) for part in in_line(name, 400).split("_"))


def page(
    found: Analysis, title: str = "What the traces show", addresses: Mapping[str, str] | None = None
) -> str:
    """The page, in one file: no script, no external address.

    `addresses` maps the key of an artifact to where its trace is shown: each trace that is named becomes a
    link to it.
    """

    def linked(cell: Named) -> Markup:
        address = (addresses or {}).get(cell.key)
        if address is None:
            return escape(in_line(cell, 400))
        place = "" if cell.message is None or "?" in address else f"#m{cell.message}"
        says = f": {in_line(cell.says, 400)}" if cell.says else ""
        link = Markup('<a href="{}">{}</a>').format(address + place, in_line(cell.label, 400))
        return link + says

    names = ("base.css", "traces.css")
    style = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)
    return (
        _environment()
        .get_template("analysis.html")
        .render(
            title=title,
            headline=headline(found),
            tables=[(table, _classes(table), SHOWN.get(table.name, LISTED)) for table in tables(found)],
            figures=[(figure.title, Markup(figure.svg)) for figure in figures(found)],
            style=Markup(style),
            named=lambda cell: linked(cell) if isinstance(cell, Named) else cell,
            version=__version__,
        )
    )


def shown_keys(found: Analysis) -> set[str]:
    """The keys of the artifacts whose traces the page names."""
    return {
        cell.key
        for table in tables(found)
        for row in table.rows[: SHOWN.get(table.name, LISTED)]
        for cell in row
        if isinstance(cell, Named)
    }


def _classes(table: Table) -> list[str]:
    """How each column is set: figures to the right and unbroken, short words unbroken."""
    made = []
    for cells in zip(*table.rows, strict=True):
        numbers = all(_FIGURE.match(cell) for cell in cells)
        made.append("n" if numbers else "w" if all(len(cell) <= 34 for cell in cells) else "")
    return made or [""] * len(table.columns)


def write_analysis(
    found: Analysis,
    folder: Path,
    artifacts: Sequence[Mapping[str, Any]] = (),
    report: Path | None = None,
    app: str | None = None,
) -> Path:
    """Write page, tables, figures, figures as JSON, and pages of traces; the path of the page.

    The page links each trace that it names: to the page that `trace report` wrote in the folder `report`, to
    the address `app` of the run in the local app, or else to a page below `traces/` that shows what was found
    in the trace, without its conversation.
    """
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for table in tables(found):
        _write(folder / "tables" / f"{table.name}.csv", table.to_csv())
    for figure in figures(found):
        _write(folder / "figures" / f"{figure.name}.svg", figure.svg)
    _write(folder / "summary.json", json.dumps(summary(found), indent=1, default=str) + "\n")
    keys = shown_keys(found)
    shown = [one for one in artifacts if one["key"] in keys]
    addresses = {one["key"]: _address(one, folder, report, app) for one in shown}
    _write(folder / "index.html", page(found, addresses=addresses))
    return folder / "index.html"


def _address(artifact: Mapping[str, Any], folder: Path, report: Path | None, app: str | None) -> str:
    """Where a trace is shown; its page is written where no other place shows it."""
    if app is not None:
        return f"{app.rstrip('/')}?text={quote(artifact['trace_id'], safe='')}"
    name = page_name(artifact)
    if report is not None and (report / "traces" / name).is_file():
        return quote(Path(os.path.relpath(report.resolve(), folder.resolve())).as_posix()) + f"/traces/{name}"
    (folder / "traces").mkdir(exist_ok=True)
    _write(folder / "traces" / name, trace_page(artifact, None))
    return f"traces/{name}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
