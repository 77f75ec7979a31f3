"""Charts as inline SVG, drawn with the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from markupsafe import Markup

from truespec.reports.visible import in_line

BINS_PER_DECADE = 5
WIDTH, LEFT, ROW, GAP, AXIS = 360, 60, 40, 24, 20
"""Units of the drawing; at the width of a phone one unit is one pixel, so that its labels stay readable."""


def duration(seconds: float) -> str:
    """A time with two significant digits and its unit.

    >>> duration(0.00071), duration(0.0153), duration(2.5)
    ('0.71 ms', '15 ms', '2.5 s')
    """
    if seconds >= 10:
        return f"{seconds:.0f} s"
    if seconds >= 0.9995:
        return f"{seconds:.1f} s"
    milliseconds = seconds * 1000
    if milliseconds >= 9.95:
        return f"{milliseconds:.0f} ms"
    if milliseconds >= 0.995:
        return f"{milliseconds:.1f} ms"
    return f"{milliseconds:.2f} ms" if milliseconds >= 0.01 else f"{milliseconds * 1000:.0f} µs"


def times_chart(series: Mapping[str, Sequence[float]]) -> Markup:
    """Histograms of times in seconds over a common logarithmic axis, one above the other, medians marked."""
    shown = {name: [max(value, 1e-6) for value in values] for name, values in series.items() if values}
    if not shown:
        return Markup("")
    every = [value for values in shown.values() for value in values]
    first = math.floor(math.log10(min(every)))
    last = max(math.ceil(math.log10(max(every)) + 1e-9), first + 2)

    def across(value: float) -> float:
        return LEFT + (math.log10(value) - first) / (last - first) * (WIDTH - LEFT - 8)

    height = len(shown) * (ROW + GAP) + AXIS
    foot = height - AXIS
    parts = [
        f'<svg class="times" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Times per pair by domain">'
    ]
    for decade in range(first, last + 1):
        x = across(10.0**decade)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{foot}"/>')
        if decade < last or last - first <= 5:
            anchor = "end" if decade == last else "middle"
            label = duration(10.0**decade).replace(".0 ", " ").replace("0.10", "0.1")
            parts.append(
                f'<text class="tick" x="{x:.1f}" y="{height - 5}" text-anchor="{anchor}">{label}</text>'
            )
    for row, (series_name, values) in enumerate(shown.items()):
        name = escape(in_line(series_name, 24))
        base = (row + 1) * (ROW + GAP) - 4
        bins: dict[int, int] = {}
        for value in values:
            bins[math.floor(math.log10(value) * BINS_PER_DECADE)] = (
                bins.get(math.floor(math.log10(value) * BINS_PER_DECADE), 0) + 1
            )
        highest = max(bins.values())
        parts.append(f'<text class="name" x="0" y="{base - 2}">{name}</text>')
        for position, count in sorted(bins.items()):
            low, high = 10 ** (position / BINS_PER_DECADE), 10 ** ((position + 1) / BINS_PER_DECADE)
            x, wide, tall = across(low), across(high) - across(low) - 1, max(1.5, count / highest * ROW)
            parts.append(
                f'<rect class="bar" x="{x:.1f}" y="{base - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}">'
                f"<title>{name}: {count} between {duration(low)} and {duration(high)}</title></rect>"
            )
        parts.append(f'<line class="base" x1="{LEFT}" x2="{WIDTH - 8}" y1="{base}" y2="{base}"/>')
        median = sorted(values)[(len(values) - 1) // 2]
        x = across(median)
        side, anchor = (-4, "end") if x > WIDTH * 0.72 else (4, "start")
        parts.append(f'<line class="median" x1="{x:.1f}" x2="{x:.1f}" y1="{base - ROW - 15}" y2="{base}"/>')
        parts.append(
            f'<text class="mark" x="{x + side:.1f}" y="{base - ROW - 7}" text-anchor="{anchor}">'
            f"median {duration(median)}</text>"
        )
    return Markup("".join([*parts, "</svg>"]))  # every part is a number or escaped above
