"""Texts from outside in cells that a spreadsheet will open.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@` as a formula, and drops a leading tab,
carriage return or line feed before it looks. OWASP ("CSV Injection") says to put an apostrophe before such a
text, and to quote separators, quotes and line breaks. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a dangerous cell begins; the last four are the full-width forms, which spreadsheets read alike."""


def cell(value: object) -> object:
    """A value as a cell: a text that a spreadsheet would run gets an apostrophe; the rest is unchanged.

    >>> cell("=HYPERLINK(1)"), cell("ab-c"), cell(-1.5), cell("-1.5"), cell("-")
    ("'=HYPERLINK(1)", 'ab-c', -1.5, '-1.5', "'-")
    """
    if isinstance(value, str) and value.startswith(STARTS) and not _is_number(value):
        return f"'{value}"
    return value


def csv_line(values: Iterable[object]) -> str:
    """A row of a CSV file, with its line feed."""
    line = io.StringIO()
    # Under this line end `csv` quotes a lone carriage return too, at which some readers would start a row.
    csv.writer(line, lineterminator="\r\n").writerow([cell(value) for value in values])
    return line.getvalue().removesuffix("\r\n") + "\n"


def _is_number(text: str) -> bool:
    """Whether a text is a plain number, such as a table prints it, or a number and a percent sign."""
    return text.isascii() and text.removeprefix("-").removesuffix("%").replace(".", "", 1).isdigit()
