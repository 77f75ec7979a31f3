"""A table of figures that can be written for the terminal's, the paper's and the spreadsheet's readers."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truespec.metrics.clustered import Estimate
from truespec.metrics.proportion import Interval, Proportion
from truespec.untrusted.cells import csv_line

UNDEFINED = "–"
"""How a figure without a denominator is written."""
MOST_ROWS = 25
"""Rows that an HTML table shows before it folds."""
TEXT = 40
"""Letters from which on a cell is text that breaks into lines."""


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
    """Cells as text; a `Cell` also holds the numbers that it was written from."""
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
        """A LaTeX table for the booktabs package: short cells, a caption, a label, and the note below."""
        body = [" & ".join(_tex(short(cell)) for cell in row) + r" \\" for row in self.rows]
        spec = "l" + "r" * (len(self.columns) - 1)
        head = " & ".join(map(_tex, self.columns)) + r" \\"
        percents = any(isinstance(cell, Cell) and cell.is_percent for row in self.rows for cell in row)
        notes = ["Rates in percent, with 95 % confidence intervals in brackets."] if percents else []
        notes += [self.note] if self.note else []
        below = [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {_tex(' '.join(notes))}}}"]
        return "\n".join(
            [
                r"\begin{table}[tb]",
                r"\centering",
                r"\small",
                rf"\caption{{{_tex(self.title)}}}",
                rf"\label{{tab:{self.name}}}",
                rf"\begin{{tabular}}{{{spec}}}",
                r"\toprule",
                head,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                *(below if notes else []),
                r"\end{table}",
                "",
            ]
        )

    def to_data(self) -> tuple[dict[str, str], list[dict[str, object]]]:
        """The table for programs: columns with their SQL types, and rows with a value or None for each.

        A column of figures becomes `HEAD estimate`, `HEAD low`, `HEAD high`, `HEAD numerator` and `HEAD
        denominator`, as far as its cells have them; rates are shares of 1, not percentages. A column of plain
        numbers keeps its name. Every other column is text.
        """
        columns: dict[str, str] = {}
        rows: list[dict[str, object]] = [{} for _ in self.rows]
        for place, head in enumerate(self.columns):
            for name, (kind, values) in _spread(head, [row[place] for row in self.rows]).items():
                columns[name] = kind
                for row, value in zip(rows, values, strict=True):
                    row[name] = value
        return columns, rows

    def to_csv(self) -> str:
        """Comma-separated values with a head line, as `to_data` gives them; what is unknown is empty.

        A text that a spreadsheet would run gets an apostrophe.
        """
        columns, rows = self.to_data()
        return csv_line(columns) + "".join(csv_line(row.values()) for row in rows)

    def to_html(self, most: int = MOST_ROWS) -> str:
        """An HTML table and its note; every text is escaped. Rows after the first `most` are folded."""
        parts = [self._html_rows(self.rows[:most], self.title)]
        if rest := self.rows[most:]:
            title = f"{len(rest)} further rows"
            further = self._html_rows(rest, f"{self.title}: {title}")
            parts.append(f"<details class=rows><summary>{title}</summary>{further}</details>")
        note = f"<p class=note>{html.escape(self.note)}</p>" if self.note else ""
        return "".join(parts) + note

    def _html_rows(self, rows: Sequence[tuple[str, ...]], label: str) -> str:
        head = "".join(f"<th scope=col>{html.escape(column)}</th>" for column in self.columns)
        body = "".join(map(_html_row, rows))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'<div class=wide tabindex=0 role=region aria-label="{html.escape(label)}">{table}</div>'


def _html_row(row: tuple[str, ...]) -> str:
    cells = "".join(f"<td{_kind(cell)}>{_html_cell(cell)}</td>" for cell in row[1:])
    return f"<tr><th scope=row>{html.escape(row[0])}</th>{cells}</tr>"


def _kind(cell: str) -> str:
    """The class of a cell that holds text to be read and no figure: it may break into lines."""
    return " class=text" if len(cell) > TEXT and not isinstance(cell, Cell) else ""


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


class Cell(str):
    """A cell's text, with the numbers that it was written from."""

    value: float | None
    """The estimate or count; None where it is undefined."""
    interval: Interval | None
    """Its interval."""
    counts: tuple[int, int] | None
    """Numerator and denominator of a share."""
    brief: str
    """The text for a narrow column."""
    is_percent: bool
    """Whether the text gives percent of the value."""

    def __new__(
        cls,
        text: str,
        value: float | None,
        interval: Interval | None = None,
        counts: tuple[int, int] | None = None,
        brief: str = "",
        is_percent: bool = False,
    ) -> Cell:
        made = super().__new__(cls, text)
        made.value, made.interval, made.counts = value, interval, counts
        made.brief, made.is_percent = brief or text, is_percent
        return made


def share(proportion: Proportion) -> Cell:
    """A share with its counts and its interval (`Proportion.wilson`).

    >>> share(Proportion(1, 4))
    '25.0% (1/4, 5–70)'
    """
    interval, value = proportion.wilson(), proportion.value
    if interval is None or value is None:
        return Cell(UNDEFINED, None, counts=(proportion.hits, proportion.total))
    counts = (proportion.hits, proportion.total)
    between = f"{100 * interval.low:.0f}–{100 * interval.high:.0f}"
    text = f"{percent(value)} ({counts[0]}/{counts[1]}, {between})"
    return Cell(text, value, interval, counts, f"{100 * value:.1f} [{between}]", is_percent=True)


def estimated(estimate: Estimate | None, *, signed: bool = False) -> Cell:
    """An estimate of a share, or of a difference of two, with its interval.

    >>> estimated(Estimate(0.25, Interval(0.05, 0.7), 4)), estimated(None)
    ('25.0% (5 to 70)', '–')
    """
    if estimate is None:
        return Cell(UNDEFINED, None)
    plus = "+" if signed else ""
    value, reach = estimate.value, estimate.interval
    low, high = f"{100 * reach.low:{plus}.0f}", f"{100 * reach.high:{plus}.0f}"
    brief = f"{100 * value:{plus}.1f} [{low}, {high}]"
    text = f"{percent(value, signed=signed)} ({low} to {high})"
    return Cell(text, value, reach, brief=brief, is_percent=True)


def number(value: float | None, form: str = "d", *, interval: Interval | None = None) -> Cell:
    """A count or another plain number, and its interval where it has one.

    >>> number(3), number(0.5, ".2f", interval=Interval(0.25, 0.75)), number(None)
    ('3', '0.50 (0.25 to 0.75)', '–')
    """
    if value is None:
        return Cell(UNDEFINED, None)
    text = format(value, form)
    if interval is None:
        return Cell(text, value)
    low, high = format(interval.low, form), format(interval.high, form)
    return Cell(f"{text} ({low} to {high})", value, interval, brief=f"{text} [{low}, {high}]")


def short(cell: str) -> str:
    """A cell's text for a narrow column."""
    return cell.brief if isinstance(cell, Cell) else cell


def _spread(head: str, cells: Sequence[str]) -> dict[str, tuple[str, list[object]]]:
    """The columns that one column of a table becomes: name to SQL type and values."""
    held = [cell for cell in cells if isinstance(cell, Cell)]
    if not held or any(not isinstance(cell, Cell) and cell != UNDEFINED for cell in cells):
        return {head: ("VARCHAR", list(cells))}

    def each(read: Callable[[Cell], object]) -> list[object]:
        return [read(cell) if isinstance(cell, Cell) else None for cell in cells]

    values = each(lambda cell: cell.value)
    kind = "BIGINT" if all(isinstance(value, int | None) for value in values) else "DOUBLE"
    if not any(cell.interval or cell.counts for cell in held):
        return {head: (kind, values)}
    found: dict[str, tuple[str, list[object]]] = {f"{head} estimate": ("DOUBLE", values)}
    found[f"{head} low"] = ("DOUBLE", each(lambda cell: cell.interval.low if cell.interval else None))
    found[f"{head} high"] = ("DOUBLE", each(lambda cell: cell.interval.high if cell.interval else None))
    if any(cell.counts for cell in held):
        for place, name in enumerate(("numerator", "denominator")):
            counts = each(lambda cell, place=place: cell.counts[place] if cell.counts else None)  # type: ignore[misc]
            found[f"{head} {name}"] = ("BIGINT", counts)
    return found


def _pipes(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


_TEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "–": "--"}
_TEX |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)
