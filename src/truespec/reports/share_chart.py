"""Shares with their intervals as inline SVG: a dot for the share, a line for the interval."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from truespec.reports.trace_tables import Share
from truespec.reports.visible import in_line

WIDTH, ROW, FOOT = 360, 20, 18
"""Units of the drawing; at the width of a phone one unit is one pixel."""
NAME, FIGURE = 158, 40
"""What names and figures take at the sides."""


def _short(name: str) -> str:
    return name if len(name) <= 26 else name[:25] + "…"


def share_chart(rows: Sequence[tuple[str, Share, bool]], label: str) -> Markup:
    """One row for each name and share; a row that is marked dull is grey. Shares of nothing are a dash."""
    if not rows:
        return Markup("")
    foot = len(rows) * ROW
    wide = WIDTH - NAME - FIGURE

    def across(share: float) -> float:
        return NAME + share * wide

    parts = [
        f'<svg class="shares" viewBox="0 0 {WIDTH} {foot + FOOT}" role="img" aria-label="{escape(label)}">'
    ]
    for percent in (0, 50, 100):
        x = across(percent / 100)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{foot}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{foot + 13}" text-anchor="middle">{percent} %</text>'
        )
    for number, (name, share, dull) in enumerate(rows):
        middle = number * ROW + ROW / 2
        parts.append(f'<g class="{"dull" if dull else "clear"}">')
        parts.append(f"<title>{escape(in_line(name, 80))}: {share}, {share.k} of {share.n}</title>")
        parts.append(
            f'<text class="name" x="0" y="{middle + 4:.1f}">{escape(_short(in_line(name, 200)))}</text>'
        )
        figure = "–"
        if share.interval is not None and share.value is not None:
            low, high = share.interval
            parts.append(
                f'<line class="reach" x1="{across(low):.1f}" x2="{across(high):.1f}" '
                f'y1="{middle}" y2="{middle}"/>'
            )
            parts.append(f'<circle class="dot" cx="{across(share.value):.1f}" cy="{middle}" r="3.5"/>')
            figure = f"{100 * share.value:.0f} %"
        parts.append(
            f'<text class="figure" x="{WIDTH}" y="{middle + 4:.1f}" text-anchor="end">{figure}</text></g>'
        )
    return Markup("".join([*parts, "</svg>"]))  # every part is a number or escaped above
