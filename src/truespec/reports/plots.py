"""Plots as SVG that stands alone: inline in a page, or as a file of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from truespec.reports.visible import in_line

WIDTH, ROW, FOOT, NAME = 360, 19, 22, 132
"""Units of the drawing; at the width of a phone one unit is one pixel."""

STYLE = """
.plot{font:11px system-ui,sans-serif;fill:currentColor;color:#1a1a1a;max-width:46rem;width:100%}
.plot .grid{stroke:#8886;stroke-width:.6}.plot .zero{stroke:currentColor;stroke-width:.8}
.plot .tick{font-size:9.5px;opacity:.75}.plot .head{font-weight:600}
.plot .s0{color:#b4430b}.plot .s1{color:#1d57c9}.plot .s2{color:#0b7a53}.plot .s3{color:#8a2da5}
.plot .s4{color:#7a5c00}.plot .s5{color:#4b5563}
.plot .mark{fill:currentColor}.plot .reach{stroke:currentColor;stroke-width:1.4;opacity:.55}
.plot .line{stroke:currentColor;fill:none;stroke-width:1.6}
.plot .again .mark{fill:none;stroke:currentColor;stroke-width:1.3}.plot .again .line{stroke-dasharray:4 2.5}
@media (prefers-color-scheme:dark){.plot{color:#e8e8e8}.plot .s0{color:#f59a62}.plot .s1{color:#8db4ff}
.plot .s2{color:#5fd3a6}.plot .s3{color:#d59bea}.plot .s4{color:#d8bd55}.plot .s5{color:#b6bcc6}}
@media print{.plot{color:#000}}
"""
"""Colours that differ in lightness too, and a shape for each: nobody has to tell them apart by hue."""

SERIES = 6
"""How many series have a colour and a shape of their own. The next ones are hollow, with dashed lines."""
HALF = 28
"""Letters of a series' name in one of two columns."""
LETTER = 6
"""About the width of a letter."""
WHOLE = 58
"""Letters of a series' name in one line of a single column."""
LETTERS = 20
"""Letters of a row's name in one line."""
HEADING = 50
"""Letters of a heading in one line; headings are bold."""
LINE = 12
"""Units from one line of a row's name to the next."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with its name and title."""

    name: str
    """A file name without ending, e.g. `far-frr-formalization`."""
    title: str
    """What it shows, in a sentence."""
    svg: str
    """The drawing; every text in it is escaped."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A figure with its interval, as shares of one."""

    series: str
    """Which of the plot's series it belongs to."""
    value: float | None
    """The figure; None is not drawn."""
    low: float | None = None
    """The lower end of its interval."""
    high: float | None = None
    """The upper end."""
    label: str = ""
    """What a pointer held over it tells."""


def dots(
    rows: Sequence[tuple[str, Sequence[Dot] | None]], label: str, low: float = 0.0, high: float = 1.0
) -> str:
    """Rows of dots over one axis of percentages; a row without dots is a heading."""
    series = list(dict.fromkeys(dot.series for _, some in rows for dot in some or ()))
    top = 20 if len(series) > 1 else 4
    names = [_wrapped(in_line(name, 200), HEADING if some is None else LETTERS) for name, some in rows]
    tops = [top]
    for lines_ in names:
        tops.append(tops[-1] + ROW + LINE * (len(lines_) - 1))
    foot = tops[-1]
    wide = WIDTH - NAME - 18

    def across(value: float) -> float:
        return NAME + (min(high, max(low, value)) - low) / (high - low) * wide

    parts = [_open(foot + FOOT, label)]
    if len(series) > 1:
        parts += _legend(series)
    for tick in _ticks(low, high):
        x = across(tick)
        kind = "zero" if tick == 0 and low < 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{foot}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{foot + 13}" text-anchor="middle">{100 * tick:.0f}%</text>'
        )
    for number, (name, some) in enumerate(rows):
        middle = (tops[number] + tops[number + 1]) / 2
        kind = "head" if some is None else "name"
        indent = 0 if some is None else 8
        first = middle + 4 - LINE * (len(names[number]) - 1) / 2
        whole = "".join(
            f'<tspan x="{indent}" y="{first + LINE * place:.1f}">{escape(part)}</tspan>'
            for place, part in enumerate(names[number])
        )
        parts.append(f'<text class="{kind}">{whole}<title>{escape(in_line(name, 200))}</title></text>')
        known = [dot for dot in some or () if dot.value is not None]
        for dot in known:
            place = series.index(dot.series)
            y = middle + (place - (len(series) - 1) / 2) * min(7, 12 / max(1, len(series)))
            parts.append(f'<g class="{_series(place)}">')
            if dot.low is not None and dot.high is not None:
                parts.append(
                    f'<line class="reach" x1="{across(dot.low):.1f}" x2="{across(dot.high):.1f}" '
                    f'y1="{y:.1f}" y2="{y:.1f}"/>'
                )
            label = dot.label or f"{100 * (dot.value or 0):.1f}%"
            parts.append(_mark(place, across(dot.value or 0.0), y, f"{name}, {dot.series}: {label}") + "</g>")
    return "".join([*parts, "</svg>"])


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    label: str,
    *,
    across: str,
    up: str,
    log: bool = False,
    joined: bool = True,
    top: float = 1.0,
) -> str:
    """Points of several series, joined by lines; the vertical axis is a share from 0 to `top`."""
    columns = 2 if all(len(in_line(name, 200)) <= HALF for name in series) else 1
    wrapped = sum(len(_wrapped(in_line(name, 200), WHOLE)) for name in series)
    left, height, roof = 40, 190, 14 + 13 * (wrapped if columns == 1 else math.ceil(len(series) / columns))
    points = [x for some in series.values() for x, _ in some]
    least, most = (min(points), max(points)) if points else (0.0, 1.0)
    if least == most:
        least, most = (least / 2, most * 2) if log else (least - 0.5, most + 0.5)

    def place(x: float) -> float:
        share = math.log(x / least) / math.log(most / least) if log else (x - least) / (most - least)
        return left + 8 + share * (WIDTH - left - 24)

    def rise(y: float) -> float:
        return roof + height * (1 - min(1.0, y / top))

    parts = [_open(roof + height + 40, label), *_legend(list(series), columns)]
    for step in range(5):
        y = rise(top * step / 4)
        parts.append(f'<line class="grid" x1="{left}" x2="{WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        digits = 0 if top >= 0.2 else 1
        parts.append(
            f'<text class="tick" x="{left - 4}" y="{y + 3:.1f}" text-anchor="end">'
            f"{100 * top * step / 4:.{digits}f}%</text>"
        )
    whole = all(float(x).is_integer() for x in points)
    middle = round((least + most) / 2) if whole else (least + most) / 2
    marks = sorted(set(points)) if len(set(points)) <= 8 else [least, middle, most]
    parts += [
        f'<text class="tick" x="{place(x):.1f}" y="{roof + height + 14}" text-anchor="middle">'
        f"{f'{x:,.0f}' if whole else f'{x:.3g}'}</text>"
        for x in marks
    ]
    parts.append(
        f'<text class="tick" x="{WIDTH / 2}" y="{roof + height + 30}" text-anchor="middle">'
        f"{escape(in_line(across, 40))}; upwards: {escape(in_line(up, 40))}</text>"
    )
    for number, (name, some) in enumerate(series.items()):
        parts.append(f'<g class="{_series(number)}">')
        if joined and len(some) > 1:
            path = " ".join(f"{place(x):.1f},{rise(y):.1f}" for x, y in some)
            parts.append(f'<polyline class="line" points="{path}"/>')
        for x, y in some:
            parts.append(_mark(number, place(x), rise(y), f"{name}: {x:g}, {100 * y:.1f}%"))
        parts.append("</g>")
    return "".join([*parts, "</svg>"])


def _open(height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(in_line(label, 200))}"><style>{STYLE}</style>'
    )


def _legend(series: Sequence[str], columns: int = 0) -> list[str]:
    """The names of the series with their marks, in one row, or in columns; in one column they may wrap."""
    parts = []
    lines_before = 0
    beside = (WIDTH - NAME) / max(1, len(series))
    if not columns and any(8 + LETTER * len(_short(in_line(name, 200), HALF)) > beside for name in series):
        columns = len(series)
    for number, name in enumerate(series):
        row, column = divmod(number, columns) if columns else (0, number)
        start, width = (6, WIDTH / columns) if columns else (NAME, beside)
        whole = _wrapped(in_line(name, 200), WHOLE) if columns == 1 else [_short(in_line(name, 200), HALF)]
        row = lines_before if columns == 1 else row
        lines_before += len(whole)
        x, y = start + column * width, 8 + 13 * row
        shown = "".join(
            f'<tspan x="{x + 8:.1f}" y="{y + 4 + 13 * line:.1f}">{escape(part)}</tspan>'
            for line, part in enumerate(whole)
        )
        parts.append(
            f'<g class="{_series(number)}">{_mark(number, x, y)}</g>'
            f"<text>{shown}"
            f"<title>{escape(in_line(name, 200))}</title></text>"
        )
    return parts


def _series(number: int) -> str:
    """The class of a series: its colour, and whether it is one of the hollow ones."""
    return f"s{number % SERIES}" + (" again" if number // SERIES % 2 else "")


def _wrapped(name: str, width: int) -> list[str]:
    """A name in lines of at most `width` letters, broken after a space, slash, hyphen, colon or underscore.

    >>> _wrapped("openai/gpt-5-mini-2025-08-07", 23), _wrapped("a", 23)
    (['openai/gpt-5-mini-2025-', '08-07'], ['a'])
    """
    found: list[str] = []
    while len(name) > width:
        end = max(name.rfind(sign, 0, width) for sign in " /-:_") + 1
        end = end if end > width // 3 else width
        found.append(name[:end].rstrip())
        name = name[end:]
    return [*found, name]


def _mark(number: int, x: float, y: float, label: str = "") -> str:
    """A shape about seven units wide, each series its own; `label` shows under a pointer."""
    shapes = (
        f"M{x - 3.6:.1f} {y:.1f}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
        f"M{x - 3.2:.1f} {y - 3.2:.1f}h6.4v6.4h-6.4z",
        f"M{x:.1f} {y - 4.4:.1f}l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
        f"M{x:.1f} {y - 4:.1f}l4.2 7.4h-8.4z",
        f"M{x:.1f} {y + 4:.1f}l4.2 -7.4h-8.4z",
        f"M{x - 4:.1f} {y - 1.4:.1f}h8v2.8h-8z",
    )
    title = f"<title>{escape(in_line(label, 200))}</title>" if label else ""
    return f'<path class="mark" d="{shapes[number % SERIES]}">{title}</path>'


def _ticks(low: float, high: float) -> list[float]:
    step = 0.25 if high - low <= 1 else 0.5
    first = math.ceil(low / step)
    return [step * number for number in range(first, math.floor(high / step) + 1)]


def _short(name: str, most: int = 23) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
