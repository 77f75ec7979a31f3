"""The timeout study as a table and a figure: what stays unknown at each limit, by domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truespec.executors.timeouts import may_change
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import UNDEFINED, Table, share
from truespec.reports.bench_items import answer_of, grouped, in_order
from truespec.reports.plots import Figure, lines
from truespec.verdict import Answer

SHORT = (0.01, 0.1, 1.0)
"""Limits below the run's own, in seconds: read off the times of its verdicts."""
LONG = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Limits of the study (RESpecBench, section 3.3)."""


def undecided(
    answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]]
) -> dict[str, list[tuple[float, Proportion]]]:
    """By domain, what is undecided at each limit.

    At a short limit, an answer counts as decided where its verdict came within it; a verifier that knew of
    the shorter limit might have hurried more.
    """
    decided = {record["id"]: record["limit"] for record in tried if record["answer"] != "unknown"}
    last = _last_limit(answers, tried)
    found: dict[str, list[tuple[float, Proportion]]] = {}
    for domain in in_order(a["domain"] for a in answers):
        some = [a for a in answers if a["domain"] == domain]
        found[domain] = [
            (limit, Proportion(sum(not _decided(a, limit, decided) for a in some), len(some)))
            for limit in (*SHORT, *LONG)
            if limit <= last
        ]
    return found


def _last_limit(answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]]) -> float:
    """The longest limit of which something is known: every one, where nothing is left to try."""
    last: float = max((record["limit"] for record in tried), default=LONG[0])
    if tried:
        left = any(
            may_change(record["answer"], record["reason"]) for record in tried if record["limit"] == last
        )
    else:
        left = any(
            may_change(a["verdict"]["answer"], (a["verdict"]["reason"] or {}).get("code")) for a in answers
        )
    return last if left else LONG[-1]


def _decided(answer: dict[str, Any], limit: float, decided: dict[str, float]) -> bool:
    if answer_of(answer) is Answer.UNKNOWN:
        return decided.get(answer["id"], float("inf")) <= limit
    return limit >= LONG[0] or answer["verdict"]["seconds"] <= limit


def timeout_table(answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]]) -> Table:
    """What stays unknown at each limit, and how many pairs were tried again."""
    rows = []
    again = grouped(tried, lambda record: str(record["domain"]))
    for domain, points in undecided(answers, tried).items():
        retried = len({record["id"] for record in again.get(domain, ())})
        total = str(points[0][1].total)
        counts = [_short(p) for _, p in points] + [UNDEFINED] * (len(SHORT) + len(LONG) - len(points))
        rows.append((domain, total, *counts, share(points[-1][1]), str(retried)))
    heads = (
        "domain",
        "answers",
        *[f"{limit:g} s" for limit in (*SHORT, *LONG)],
        "share at the end",
        "tried again",
    )
    note = (
        "Undecided answers within each limit. Below 4 s: read off the times of the verdicts. Above: what was "
        "unknown is verified again at each limit, unless its reason is one that no limit changes."
    )
    return Table("timeouts", "Undecided answers by time limit", heads, tuple(rows), note)


def _short(found: Proportion) -> str:
    return str(found.hits)


def timeout_figure(answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]]) -> Figure:
    """The same as lines over a logarithmic axis."""
    series = {
        domain: [(limit, found.value or 0.0) for limit, found in points]
        for domain, points in undecided(answers, tried).items()
    }
    title = "Undecided answers by time limit"
    svg = lines(series, title, across="limit in seconds", up="undecided", log=True)
    return Figure("timeouts", title, svg)
