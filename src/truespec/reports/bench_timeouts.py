"""The timeout study as a table and a figure: what stays unknown at each limit, by domain."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from truespec.executors.timeouts import may_change
from truespec.metrics.clustered import clustered
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Table, number, share
from truespec.reports.bench_items import answer_of, cluster_of, grouped, in_order
from truespec.reports.plots import Figure, lines
from truespec.verdict import Answer

SHORT = (0.01, 0.1, 1.0)
"""Limits below the run's own, in seconds: read off the times of its verdicts."""
LONG = (4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Limits of the study (RESpecBench, section 3.3)."""
OWN = 4.0
"""The limit of answers that do not name theirs in `limit`."""


def limits_of(
    answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]], wanted: Sequence[float] = ()
) -> tuple[float, ...]:
    """The limits to show: short ones, the runs' own, and those wanted, or else those that were tried."""
    own = {float(answer.get("limit", OWN)) for answer in answers}
    longer = set(wanted) or {float(record["limit"]) for record in tried} or set(LONG)
    return tuple(sorted({*(limit for limit in SHORT if limit < max(own, default=OWN)), *own, *longer}))


def undecided(
    answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]], limits: Sequence[float] = ()
) -> dict[str, list[tuple[float, Proportion | None]]]:
    """By domain, what is undecided at each limit; None where it was not tried and does not follow.

    At a short limit, an answer counts as decided where its verdict came within it; a verifier that knew of
    the shorter limit might have hurried more. What is decided at one limit is decided at longer ones, what is
    undecided at one is so at shorter ones.
    """
    decided: dict[str, float] = {}
    open_to: dict[str, float] = {}
    for answer in answers:
        if answer_of(answer) is Answer.UNKNOWN:
            lasts = not may_change("unknown", answer["verdict"]["reason"]["code"])
            open_to[answer["id"]] = inf if lasts else answer.get("limit", OWN)
    for record in tried:
        name, limit = record["id"], record["limit"]
        if record["answer"] != "unknown":
            decided[name] = min(limit, decided.get(name, inf))
        else:
            lasts = not may_change("unknown", record["reason"])
            open_to[name] = max(inf if lasts else limit, open_to.get(name, 0.0))

    def at(answer: dict[str, Any], limit: float) -> bool | None:
        name = answer["id"]
        if answer_of(answer) is not Answer.UNKNOWN:
            return bool(limit < answer.get("limit", OWN) and answer["verdict"]["seconds"] > limit)
        if limit <= open_to[name]:
            return True
        return False if decided.get(name, inf) <= limit else None

    found: dict[str, list[tuple[float, Proportion | None]]] = {}
    for domain in in_order(a["domain"] for a in answers):
        some = [a for a in answers if a["domain"] == domain]
        found[domain] = []
        for limit in limits or limits_of(answers, tried):
            states = [at(answer, limit) for answer in some]
            known = None
            if None not in states:
                pairs = zip(some, states, strict=True)
                known = clustered((cluster_of(answer), state is True) for answer, state in pairs)
            found[domain].append((limit, known))
    return found


def timeout_table(
    answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]], wanted: Sequence[float] = ()
) -> Table:
    """What stays unknown at each limit, and how many pairs were tried again; see `limits_of`."""
    rows = []
    limits = limits_of(answers, tried, wanted)
    again = grouped(tried, lambda record: str(record["domain"]))
    for domain, points in undecided(answers, tried, limits).items():
        retried = len({record["id"] for record in again.get(domain, ())})
        total = number(sum(answer["domain"] == domain for answer in answers))
        counts = [number(None if found is None else found.hits) for _, found in points]
        last = [found for _, found in points if found is not None][-1]
        rows.append((domain, total, *counts, share(last), number(retried)))
    heads = (
        "domain",
        "answers",
        *[f"{limit:g} s" for limit in limits],
        "share at the end",
        "tried again",
    )
    note = (
        "Undecided answers within each limit. Below the run's own: read off the times of the verdicts. "
        "Above: what was unknown is verified again at each limit, unless its reason is one that no limit "
        "changes. A dash: not tried."
    )
    return Table("timeouts", "Undecided answers by time limit", heads, tuple(rows), note)


def timeout_figure(answers: Sequence[dict[str, Any]], tried: Sequence[dict[str, Any]]) -> Figure:
    """The same as lines over a logarithmic axis."""
    series = {
        domain: [(limit, found.value or 0.0) for limit, found in points if found is not None]
        for domain, points in undecided(answers, tried).items()
    }
    title = "Undecided answers by time limit"
    svg = lines(series, title, across="limit in seconds", up="undecided", log=True)
    return Figure("timeouts", title, svg)
