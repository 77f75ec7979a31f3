"""The benchmark's figures (RESpecBench, Figures 3 and 4) and those that go with its other tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truespec.benchmark.task import Task
from truespec.metrics.judging import JudgeRates
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.reports.bench import equivalent
from truespec.reports.bench_items import (
    KINDS,
    Item,
    grouped,
    in_order,
    join,
    total,
    with_clusters,
    with_unjudged,
)
from truespec.reports.bench_judges import accuracy, at_threshold, passing, rates_of, scored
from truespec.reports.plots import Dot, Figure, dots, lines

Row = tuple[str, Sequence[Dot] | None]


def figures(
    answers: Sequence[dict[str, Any]], judgements: Sequence[dict[str, Any]], tasks: Sequence[Task] = ()
) -> list[Figure]:
    """Every figure that the records can fill."""
    answers, judgements = with_clusters(answers, tasks), with_clusters(judgements, tasks)
    items = join(answers, judgements)
    every = with_unjudged(answers, items)
    found = [successes(answers)]
    for kind in KINDS:
        some = [item for item in items if item.kind == kind]
        if some:
            tried = [item for item in every if item.kind == kind]
            found += [errors(some, kind), inflations(tried, kind)]
            found += [curves(some, kind)] if scored(some, kind) else []
    cost = costs(items)
    return [*found, cost] if cost else found


def successes(answers: Sequence[dict[str, Any]]) -> Figure:
    """Table 3 as a figure."""
    rows: list[Row] = []
    for domain in in_order(a["domain"] for a in answers):
        rows.append((domain, None))
        for model, some in grouped(
            [a for a in answers if a["domain"] == domain], lambda a: a["model"]
        ).items():
            rows.append((model, [_dot("proved equivalent", equivalent(some))]))
    title = "Answers proved equivalent to the oracle, with 95 % intervals"
    return Figure("success", title, dots(rows, title))


def errors(items: Sequence[Item], kind: str) -> Figure:
    """Figure 3: FAR and FRR of each model in each domain."""
    rows: list[Row] = []
    for head, name, rates in _by_domain(items):
        rows += [(head, None)] if head else []
        rows.append((name, [_dot("FAR", rates.far), _dot("FRR", rates.frr)]))
    title = f"{KINDS[kind]}: false acceptance and false rejection rates, with 95 % intervals"
    return Figure(f"far-frr-{kind}", title, dots(rows, title))


def inflations(items: Sequence[Item], kind: str) -> Figure:
    """Figure 4: inflation of each model in each domain."""
    rows: list[Row] = []
    for head, name, rates in _by_domain(items):
        rows += [(head, None)] if head else []
        reach = rates.inflated.interval if rates.inflated else None
        label = f"{share(rates.judge_success)} judged, {share(rates.verifier_success)} verified"
        low, high = (reach.low, reach.high) if reach else (None, None)
        rows.append((name, [Dot("inflation", rates.inflation, low, high, label)]))
    title = f"{KINDS[kind]}: inflation, judged minus verified success"
    return Figure(f"inflation-{kind}", title, dots(rows, title, -1.0, 1.0))


def _by_domain(items: Sequence[Item]) -> Iterator[tuple[str, str, JudgeRates]]:
    """A heading where a new one begins, the answering model, and the judge's rates on its answers.

    The heading names the domain, and the judge where models do not judge themselves.
    """
    groups = grouped(items, lambda i: (i.domain, "" if i.judge == i.model else i.judge, i.model))
    order = in_order(item.domain for item in items)
    before = None
    for (domain, judge, model), some in sorted(groups.items(), key=lambda g: (order.index(g[0][0]), g[0][1])):
        head = f"{domain}, judged by {judge}" if judge else domain
        yield "" if head == before else head, model, rates_of(some)
        before = head


def curves(items: Sequence[Item], kind: str) -> Figure:
    """FAR against what is rightly accepted, at each score that could count as a pass."""
    series = {}
    for judge, some in grouped(scored(items, kind), lambda i: i.judge).items():
        points = []
        for least in (0, *passing(kind), 99):
            far, frr = at_threshold(some, least)
            if far.value is not None and frr.value is not None:
                points.append((100 * far.value, 1 - frr.value))
        series[judge] = sorted(points)
    title = f"{KINDS[kind]}: acceptances of wrong and of right answers, by passing score"
    svg = lines(series, title, across="FAR in percent", up="right answers accepted")
    return Figure(f"curve-{kind}", title, svg)


def costs(items: Sequence[Item]) -> Figure | None:
    """Cost against accuracy, by judge: dollars where known, else tokens, else seconds.

    Judges whose time is not recorded are left out; None where that is all of them.
    """
    groups = grouped(items, lambda i: (i.kind, i.judge))
    spent = {key: total(i.cost for i in some) for key, some in groups.items()}
    tokens = {key: total(i.tokens for i in some) for key, some in groups.items()}
    if all(spent.values()):
        unit, each = "US$ per 1,000 judgements", {key: 1000 * spent[key] / len(groups[key]) for key in groups}
    elif all(tokens.values()):
        unit, each = "tokens per judgement", {key: tokens[key] / len(groups[key]) for key in groups}
    else:
        unit = "milliseconds per judgement"
        groups = {key: some for key, some in groups.items() if any(i.seconds for i in some)}
        each = {key: 1000 * sum(i.seconds for i in some) / len(some) for key, some in groups.items()}
    if not groups:
        return None
    series = {
        f"{kind}, {judge}": [(float(f"{each[kind, judge]:.3g}"), accuracy(some).value or 0.0)]
        for (kind, judge), some in groups.items()
    }
    title = "Cost against accuracy, by judge"
    return Figure("cost", title, lines(series, title, across=unit, up="right judgements", joined=False))


def _dot(series: str, found: Proportion) -> Dot:
    reach = found.wilson()
    low, high = (reach.low, reach.high) if reach else (None, None)
    return Dot(series, found.value, low, high, share(found))
