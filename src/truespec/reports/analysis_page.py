"""The page and the files of an analysis: `index.html`, `tables/*.csv`, `figures/*.svg`, `summary.json`."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from truespec.metrics.table import Table
from truespec.reports.analysis import Analysis, headline, summary
from truespec.reports.analysis_figures import figures
from truespec.reports.analysis_tables import tables
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


def page(found: Analysis, title: str = "What the traces show") -> str:
    """The page, in one file: no script, no external address."""
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
            version=__version__,
        )
    )


def _classes(table: Table) -> list[str]:
    """How each column is set: figures to the right and unbroken, short words unbroken."""
    made = []
    for cells in zip(*table.rows, strict=True):
        numbers = all(_FIGURE.match(cell) for cell in cells)
        made.append("n" if numbers else "w" if all(len(cell) <= 34 for cell in cells) else "")
    return made or [""] * len(table.columns)


def write_analysis(found: Analysis, folder: Path) -> Path:
    """Write page, tables, figures and figures as JSON; the path of the page."""
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for table in tables(found):
        _write(folder / "tables" / f"{table.name}.csv", table.to_csv())
    for figure in figures(found):
        _write(folder / "figures" / f"{figure.name}.svg", figure.svg)
    _write(folder / "summary.json", json.dumps(summary(found), indent=1, default=str) + "\n")
    _write(folder / "index.html", page(found))
    return folder / "index.html"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
