"""The report in a terminal: a table of totals and a few refutations in words."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from truespec.reports.charts import duration
from truespec.reports.entry import Entry, Judged
from truespec.reports.page import GLYPHS, highlights
from truespec.reports.point import in_words
from truespec.reports.summary import Totals, by_domain, disagreements, totals
from truespec.reports.visible import in_line
from truespec.verdict import Counterexample

COLOURS = {"equivalent": "green", "refuted": "red", "unknown": "yellow", "invalid": "magenta"}
SHORT = {"stronger": "str", "weaker": "weak", "incomparable": "inc"}


def overview(entries: Sequence[Entry]) -> Table:
    """One row a domain: tasks, candidates by answer, relations of the refuted, times; fits 80 columns."""
    groups = by_domain(entries)
    every = totals(entries)
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=0,
        show_footer=len(groups) > 1,
        header_style="bold",
        caption="str, weak, inc: refuted and stronger, weaker, or incomparable",
        caption_justify="left",
        caption_style="dim",
        footer_style="bold",
    )
    rows = {**{name: totals(some) for name, some in groups.items()}, "all": every}
    table.add_column("domain", footer="all", no_wrap=True)
    cells = {name: _cells(sums) for name, sums in rows.items()}
    for header, colour in _HEADERS.items():
        table.add_column(header, cells["all"][header], justify="right", style=colour, no_wrap=True)
    for name in groups:
        table.add_row(name, *cells[name].values())
    return table


_HEADERS = {
    "tasks": "",
    "equivalent": COLOURS["equivalent"],
    "refuted": COLOURS["refuted"],
    **dict.fromkeys(SHORT.values(), "dim"),
    "unknown": COLOURS["unknown"],
    "invalid": COLOURS["invalid"],
    "median": "",
    "p99": "",
}
"""Column headers with their styles, in order; after the refuted, how many of them have which relation."""


def _cells(sums: Totals) -> dict[str, str]:
    related = sum(sums.relations.values())
    found = {
        "tasks": str(sums.tasks),
        **{name: str(count) for name, count in sums.answers.items()},
        **{SHORT[name]: str(count) if related else "·" for name, count in sums.relations.items()},
        "median": _time(sums, "median"),
        "p99": _time(sums, "p99"),
    }
    return {header: found[header] for header in _HEADERS}


def refutations(entries: Sequence[Entry], most: int = 6) -> Group:
    """A few refuted candidates, each with its counterexample in words."""
    lines: list[RenderableType] = []
    for entry, one in highlights(by_domain(entries), most):
        lines += [_row(entry, one), Text()]
    return Group(*lines[:-1])


def surprises(entries: Sequence[Entry]) -> Group:
    """The candidates whose verdict is not the expected one."""
    lines = []
    for _, one in disagreements(entries):
        reason = one.verdict.reason
        text = Text.assemble(
            (one.id, "bold"),
            f"  expected {one.expected}, got ",
            (one.verdict.answer.value, COLOURS[one.verdict.answer.value]),
            f"  {in_line(one.candidate)}",
            f"\n  {in_line(reason.detail)}" if reason else "",
        )
        lines.append(text)
    return Group(*lines)


def _row(entry: Entry, one: Judged) -> Text:
    found = one.verdict.evidence
    assert isinstance(found, Counterexample)
    relation = f" {one.verdict.relation.value}" if one.verdict.relation else ""
    return Text.assemble(
        (f"{GLYPHS['refuted']}{relation} ", COLOURS["refuted"]),
        (entry.id, "bold"),
        f"\n  oracle     {in_line(entry.oracle)}\n  candidate  {in_line(one.candidate)}",
        (f"\n  {in_words(entry.domain, found)}", "cyan"),
        (f"\n  {in_line(one.note)}", "dim") if one.note else "",
    )


def _time(sums: Totals, which: str) -> str:
    return duration(getattr(sums.times, which)) if sums.times else "–"


def write(console: Console, *parts: RenderableType) -> None:
    """Print parts with an empty line between them."""
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text | Group))
        console.print()
