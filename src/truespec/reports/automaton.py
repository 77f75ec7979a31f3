"""Minimal automata as SVG: states in layers from the start, arrows labelled with sets of characters."""

from __future__ import annotations

import html
import re
import sys
from collections import defaultdict
from functools import cache
from typing import Any

from truespec.domains.regex.certificate import live

RADIUS, COLUMN, ROW, MARGIN = 20, 172, 96, 46
MOST_STATES = 40
"""A larger automaton is not drawn."""
LONGEST_LABEL = 17
LAST = sys.maxunicode + 1

STYLE = """
  text { font: 13px ui-monospace, monospace; fill: #1b1f24 }
  .title { font: 600 14px system-ui, sans-serif }
  .state { fill: #fff; stroke: #1b1f24; stroke-width: 1.5 }
  .edge { fill: none; stroke: #57606a; stroke-width: 1.3; marker-end: url(#arrow) }
  .label { fill: #0550ae; font-size: 12px; paint-order: stroke; stroke: #fff; stroke-width: 4px }
  .paper { fill: #fff }
"""


def draw(automata: list[tuple[str, dict[str, Any]]]) -> str:
    """One SVG image with each titled automaton below the other; `{"kind": "omitted"}` becomes a sentence.

    States from which no string is accepted are left out, with the arrows into them.
    """
    parts: list[str] = []
    width, top = 320.0, 0.0
    for title, automaton in automata:
        body, wide, high = _one(automaton)
        parts.append(
            f'<g transform="translate(0 {top:g})"><text class="title" x="{MARGIN / 2:g}" y="24">'
            f"{html.escape(title)}</text>{body}</g>"
        )
        width, top = max(width, wide, 40 + 9.0 * len(title)), top + high
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {top:g}" '
        f'width="{width:g}" height="{top:g}" role="img"><style>{STYLE}</style>'
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L10 5L0 10z" fill="#57606a"/></marker></defs>'
        f'<rect class="paper" width="100%" height="100%"/>{"".join(parts)}</svg>\n'
    )


def _one(automaton: dict[str, Any]) -> tuple[str, float, float]:
    if automaton["kind"] != "automaton":
        return _sentence(f"not drawn: {automaton['reason']}")
    steps, accepting = automaton["steps"], automaton["accepting"]
    alive = live(automaton)
    if not alive[0]:
        return _sentence("no string")
    if sum(alive) > MOST_STATES:
        return _sentence(f"not drawn: {sum(alive)} states, more than {MOST_STATES}")
    places = _places(steps, alive)
    edges: dict[tuple[int, int], list[int]] = defaultdict(list)
    for state in places:
        for block, target in enumerate(steps[state]):
            if alive[target]:
                edges[state, target].append(block)
    drawn = [
        _edge(places, pair, _label(blocks, automaton["blocks"]), (pair[1], pair[0]) in edges)
        for pair, blocks in edges.items()
    ]
    drawn.append(_arrow_in(*places[0]))
    for state, (x, y) in places.items():
        drawn.append(f'<circle class="state" cx="{x:g}" cy="{y:g}" r="{RADIUS}"/>')
        if accepting[state]:
            drawn.append(f'<circle class="state" cx="{x:g}" cy="{y:g}" r="{RADIUS - 4}"/>')
    wide = max(x for x, _ in places.values()) + MARGIN + 60
    back = max((places[a][0] - places[b][0] for a, b in edges if places[a][0] >= places[b][0]), default=0.0)
    high = max(y for _, y in places.values()) + MARGIN + 20 + 0.11 * back
    return "".join(drawn), wide, high


def _sentence(text: str) -> tuple[str, float, float]:
    return f'<text x="{MARGIN / 2:g}" y="52">{html.escape(text)}</text>', 60 + 8.0 * len(text), 76.0


def _places(steps: list[list[int]], alive: list[bool]) -> dict[int, tuple[float, float]]:
    """The centre of each state: its column is its distance from the start."""
    layers, seen = [[0]], {0}
    while layers[-1]:
        following = []
        for state in layers[-1]:
            for target in dict.fromkeys(steps[state]):
                if alive[target] and target not in seen:
                    seen.add(target)
                    following.append(target)
        layers.append(following)
    tallest = max(map(len, layers))
    return {
        state: (
            MARGIN + 30 + column * COLUMN,
            116 + (row + (tallest - len(layer)) / 2) * ROW,
        )
        for column, layer in enumerate(layers)
        for row, state in enumerate(layer)
    }


def _edge(places: dict[int, tuple[float, float]], pair: tuple[int, int], label: str, returns: bool) -> str:
    (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
    shown = html.escape(label)
    if pair[0] == pair[1]:
        loop = f"M{x1 - 9:g} {y1 - RADIUS + 2:g}C{x1 - 26:g} {y1 - 58:g} {x1 + 26:g} {y1 - 58:g} "
        loop += f"{x1 + 9:g} {y1 - RADIUS + 2:g}"
        return (
            f'<path class="edge" d="{loop}"/>'
            f'<text class="label" x="{x1:g}" y="{y1 - 50:g}" text-anchor="middle">{shown}</text>'
        )
    along = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / along, (y2 - y1) / along
    far = abs(x2 - x1) > COLUMN * 1.5 or x2 <= x1
    bend = 26.0 if returns else 0.0
    if far:
        bend = 0.22 * along + 14
    middle = ((x1 + x2) / 2 + uy * bend, (y1 + y2) / 2 - ux * bend)
    sx, sy, ex, ey = x1 + ux * RADIUS, y1 + uy * RADIUS, x2 - ux * (RADIUS + 2), y2 - uy * (RADIUS + 2)
    tx, ty = (middle[0] + (sx + ex) / 2) / 2, (middle[1] + (sy + ey) / 2) / 2
    return (
        f'<path class="edge" d="M{sx:g} {sy:g}Q{middle[0]:g} {middle[1]:g} {ex:g} {ey:g}"/>'
        f'<text class="label" x="{tx:g}" y="{ty - 5:g}" text-anchor="middle">{shown}</text>'
    )


def _arrow_in(x: float, y: float) -> str:
    return f'<path class="edge" d="M{x - RADIUS - 34:g} {y:g}L{x - RADIUS - 2:g} {y:g}"/>'


def _label(numbers: list[int], blocks: list[list[int] | None]) -> str:
    """A set of characters as people write it: the shorter of what is in it and what is not."""
    if len(numbers) == len(blocks):
        return "any"
    inside, outside = _bounds(numbers, blocks), _bounds(_others(numbers, blocks), blocks)
    return _shortened(min((_named(inside), "not " + _named(outside)), key=len))


def _named(bounds: list[int]) -> str:
    """The ranges of a set, those of the classes within it by the name of the class."""
    names = []
    for name, edges in _classes():
        rest = _intersection(bounds, [0, *edges, LAST])
        if _intersection(bounds, edges) == edges and edges:
            names.append(name)
            bounds = rest
    return " ".join([*names, *([_ranges(bounds)] if bounds else [])])


def _intersection(one: list[int], two: list[int]) -> list[int]:
    """What two lists of ascending ranges share."""
    found: list[int] = []
    here = there = 0
    while here < len(one) and there < len(two):
        low, high = max(one[here], two[there]), min(one[here + 1], two[there + 1])
        if low < high:
            found += [low, high]
        if one[here + 1] < two[there + 1]:
            here += 2
        else:
            there += 2
    return found


def _others(numbers: list[int], blocks: list[list[int] | None]) -> list[int]:
    return [number for number in range(len(blocks)) if number not in numbers]


def _bounds(numbers: list[int], blocks: list[list[int] | None]) -> list[int]:
    """The ranges of some blocks, ascending and joined; the null block is what no other block holds."""
    if any(blocks[number] is None for number in numbers):
        rest = _bounds(_others(numbers, blocks), blocks)
        edges = [0, *rest, LAST]
        return [
            edge for pair in zip(edges[::2], edges[1::2], strict=True) if pair[0] < pair[1] for edge in pair
        ]
    ranges = sorted(
        pair
        for number in numbers
        for bounds in [blocks[number] or []]
        for pair in zip(bounds[::2], bounds[1::2], strict=True)
    )
    joined: list[int] = []
    for first, end in ranges:
        if joined and joined[-1] == first:
            joined[-1] = end
        else:
            joined += [first, end]
    return joined


@cache
def _classes() -> list[tuple[str, list[int]]]:
    """The sets of characters that have a short name in Python's `re`, the largest first."""
    everything = "".join(map(chr, range(LAST)))
    return [
        (name, [edge for run in re.finditer(f"{name}+", everything) for edge in run.span()])
        for name in (r"\w", r"\d", r"\s")
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _ranges(bounds: list[int]) -> str:
    parts = []
    for first, end in zip(bounds[::2], bounds[1::2], strict=True):
        last = end - 1
        parts.append(_shown(first) if first == last else f"{_shown(first)}-{_shown(last)}")
    return " ".join(parts)


def _shown(point: int) -> str:
    character = chr(point)
    if point == 32:
        return "space"
    return character if character.isprintable() and point < 0x2000 else f"U+{point:04X}"
