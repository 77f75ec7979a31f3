"""The report as one self-contained HTML file: no external address, readable without scripts and in print."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import zip_longest

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from truespec.reports.charts import duration, times_chart
from truespec.reports.context import rows
from truespec.reports.entry import Entry, Judged
from truespec.reports.point import plain, point, rows_in_words
from truespec.reports.summary import by_domain, disagreements, totals
from truespec.reports.visible import pieces
from truespec.verdict import Answer, Bounded, Counterexample, Proof
from truespec.version import __version__

GLYPHS = {"equivalent": "✓", "refuted": "✗", "unknown": "?", "invalid": "!"}
"""A sign beside each answer's colour, for those who do not see the colour."""
HIGHLIGHTS = 6
"""How many refutations open the report."""
MOST_TASKS = 2_000
"""How many tasks are shown in full; a page with more is slow to open. The others are named."""
MOST_PIPS = 40
"""A task with more candidates shows how many have each answer instead of a sign for each."""
MOST_NAMED = 50
"""How many unexpected verdicts are named at the top; the filter finds all."""
SHOWCASE = "showcase"
"""The tag of tasks that open it."""


@dataclass(frozen=True, slots=True)
class Page:
    """What the report says besides its entries."""

    title: str
    """The heading."""
    lead: str = ""
    """A sentence or two on what was judged."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """How it ran: versions, times, limits."""
    problems: Sequence[str] = ()
    """Lines of the input that could not be shown."""
    links: Sequence[tuple[str, str]] = ()
    """The pages of the same report, this one among them: file and title."""
    here: str = ""
    """The file of this page."""


def render(entries: Sequence[Entry], page: Page) -> bytes:
    """The report as UTF-8; every text of the entries is escaped, and hidden characters are named."""
    script = _source("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    groups = by_domain(entries)
    ordered = [entry for group in groups.values() for entry in group]
    html = (
        _environment()
        .get_template("report.html")
        .render(
            page=page,
            entries=ordered[:MOST_TASKS],
            unlisted=ordered[MOST_TASKS:],
            most_pips=MOST_PIPS,
            domains={name: totals(group) for name, group in groups.items()},
            total=totals(entries),
            unexpected=disagreements(entries),
            most_named=MOST_NAMED,
            highlights=highlights(groups),
            chart=times_chart(
                {
                    name: [one.verdict.seconds for e in group for one in e.judged]
                    for name, group in groups.items()
                }
            ),
            answers=[answer.value for answer in Answer],
            style=Markup(_source("base.css") + _source("report.css")),
            script=Markup(script),
            script_digest=digest,
            version=__version__,
        )
    )
    return html.encode("utf-8", "backslashreplace")


def highlights(groups: Mapping[str, Sequence[Entry]], most: int = HIGHLIGHTS) -> list[tuple[Entry, Judged]]:
    """Telling refutations, the domains in turn, one of a task.

    Tasks tagged `showcase` come first, each with its first refuted candidate; then short ones with a note.
    """
    lists = []
    for entries in groups.values():
        found = []
        for entry in entries:
            refuted = [one for one in entry.judged if isinstance(one.verdict.evidence, Counterexample)]
            if not refuted:
                continue
            if SHOWCASE in entry.tags:
                found.append(((0, 0, 0), entry, refuted[0]))
            else:
                best = min(refuted, key=lambda one: (not one.note, _weight(one)))
                found.append(((1, not best.note, _weight(best) + len(entry.statement) // 4), entry, best))
        lists.append([(entry, one) for _, entry, one in sorted(found, key=lambda row: row[0])])
    turns = [pair for turn in zip_longest(*lists) for pair in turn if pair is not None]
    return turns[:most]


def _weight(one: Judged) -> int:
    """How much there is to read."""
    evidence = one.verdict.evidence
    shown = len(str(dict(evidence.point))) if isinstance(evidence, Counterexample) else 0
    return len(one.candidate) + 2 * shown


def visible(text: object, keep: str = "\n\t ") -> Markup:
    """Escaped text whose hidden characters are named."""
    if isinstance(text, Markup):
        return text
    raw = str(text)
    if _PLAIN.fullmatch(raw):
        return escape(raw)
    return shown(pieces(raw, keep))


_PLAIN = re.compile(r"[\n -~]{0,2000}")


def shown(parts: Sequence[object]) -> Markup:
    """Pieces of text as markup, each escaped."""
    spans = []
    for piece in parts:
        text, hidden = getattr(piece, "text", ""), getattr(piece, "hidden", "")
        spans.append(
            Markup('<span class="hid" title="{}">{}</span>').format(hidden, text) if hidden else escape(text)
        )
    return Markup("").join(spans)


def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever a template prints has its hidden characters named, so that no text can be forgotten.
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
    )
    # In an attribute a hidden character must not become markup.
    environment.filters.update(duration=duration, shown=shown, plain=plain, attribute=escape)
    environment.globals.update(
        rows=rows,
        point=point,
        glyphs=GLYPHS,
        in_rows=rows_in_words,
        counted=lambda entry: totals([entry]).answers,
        is_proof=lambda evidence: isinstance(evidence, Proof),
        is_counterexample=lambda evidence: isinstance(evidence, Counterexample),
        is_bounded=lambda evidence: isinstance(evidence, Bounded),
    )
    return environment


def _source(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
