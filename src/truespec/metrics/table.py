"""A table of figures that can be written for the terminal's, the paper's and the spreadsheet's readers."""

from __future__ import annotations

import html
from dataclasses import dataclass

from truespec.metrics.proportion import Proportion
from truespec.untrusted.cells import csv_line

UNDEFINED = "–"
"""How a figure without a denominator is written."""


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; every row has a cell for every column."""

    name: str
    """A file name without ending, e.g. `success`."""
    title: str
    """What it shows, in a sentence."""
    columns: tuple[str, ...]
    """Column heads; the first column names the rows."""
    rows: tuple[tuple[str, ...], ...]
    """Cells as text."""
    note: str = ""
    """How to read it."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.name!r}: every row has {len(self.columns)} cells")

    def to_markdown(self) -> str:
        """A Markdown table under its title."""
        rule = ["---"] + ["---:"] * (len(self.columns) - 1)
        lines = [f"### {self.title}", "", _pipes(self.columns), _pipes(rule)]
        lines += [_pipes(row) for row in self.rows]
        return "\n".join([*lines, "", *([self.note, ""] if self.note else [])])

    def to_latex(self) -> str:
        """A LaTeX table for the booktabs package."""
        body = [" & ".join(map(_tex, row)) + r" \\" for row in self.rows]
        spec = "l" + "r" * (len(self.columns) - 1)
        head = " & ".join(map(_tex, self.columns)) + r" \\"
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{_tex(self.title)}}}",
                rf"\begin{{tabular}}{{{spec}}}",
                r"\toprule",
                head,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )

    def to_csv(self) -> str:
        """Comma-separated values with a head line; a text that a spreadsheet would run gets an apostrophe."""
        return "".join(csv_line(row) for row in (self.columns, *self.rows))

    def to_html(self) -> str:
        """An HTML table; every text is escaped."""
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        rows = "".join(_html_row(row) for row in self.rows)
        note = f"<p class=note>{html.escape(self.note)}</p>" if self.note else ""
        caption = f"<h2 id={self.name}>{html.escape(self.title)}</h2>"
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        return f"<section>{caption}<div class=wide>{table}</div>{note}</section>"


def _html_row(row: tuple[str, ...]) -> str:
    cells = "".join(f"<td>{_html_cell(cell)}</td>" for cell in row[1:])
    return f"<tr><th>{html.escape(row[0])}</th>{cells}</tr>"


def _html_cell(cell: str) -> str:
    """A figure, and below it the counts and the interval that stand behind it in parentheses."""
    figure, bracket, behind = cell.partition(" (")
    if not (bracket and behind.endswith(")")):
        return html.escape(cell)
    return f"{html.escape(figure)}<br><small>{html.escape(behind[:-1])}</small>"


def percent(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """A share as a percentage, or a dash for nothing.

    >>> percent(0.125), percent(None)
    ('12.5%', '–')
    """
    if value is None:
        return UNDEFINED
    return f"{100 * value:{'+' if signed else ''}.{digits}f}%"


def share(proportion: Proportion) -> str:
    """A share with its counts and its Wilson interval.

    >>> share(Proportion(1, 4))
    '25.0% (1/4, 5–70)'
    """
    interval = proportion.wilson()
    if interval is None:
        return UNDEFINED
    counts = f"{proportion.hits}/{proportion.total}"
    return f"{percent(proportion.value)} ({counts}, {100 * interval.low:.0f}–{100 * interval.high:.0f})"


def _pipes(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


_TEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "–": "--"}
_TEX |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
