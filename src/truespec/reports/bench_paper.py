"""The paper's figures beside those measured here, each with what makes them differ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from truespec.benchmark import paper
from truespec.benchmark.paper import Span, span
from truespec.metrics.table import UNDEFINED, Table, share
from truespec.models.presets import RESPECBENCH
from truespec.reports.bench_items import KINDS, answer_of, grouped, in_order, share_of
from truespec.verdict import Answer

_NAMES = "only those answers that use FOLIO's own names and arities, which the models were not shown"
WHY = {
    "gsm-symbolic": "recorded programs of 2023 for problems with numbers, as far as they could be lifted to "
    "variables; 54 of the 250 templates at most",
    "spider": "Spider's questions on other schemas, models of 2022 and 2023; MariaDB's semantics, and a "
    "verifier that leaves fewer queries undecided than the paper's",
    "logic-lm, same names": _NAMES,
    "linc, same names": _NAMES,
    "llama-fol, same names": _NAMES,
}
"""By source: why its figures are not the paper's."""
NONE = {
    "regex": "no model's answers to these statements are published",
    "rocq": "no model's answers in Gallina are published",
}
"""Domains of the paper without published answers."""
MISSING = "no published answers were counted"
"""Of a domain whose sources are not among the counts."""


def paper_tables(kept: Mapping[str, Any] | None = None) -> list[Table]:
    """The paper's success, unknown answers and judges' rates beside those of the published answers.

    `kept` holds counts as `benchmarks recorded` makes them; by default those that come with the package.
    """
    if kept is None:
        file = files("truespec.benchmark.bundled").joinpath("published.json")
        if not file.is_file():
            return []
        kept = json.loads(file.read_text("utf-8"))
    by_source = grouped(kept["answers"], lambda one: str(one["source"]))
    rows: list[tuple[str, ...]] = []
    for figure, of, hits in (("success", paper.success, "equivalent"), ("unknown", paper.unknown, "unknown")):
        for domain in paper.DOMAINS:
            sources = [
                name for name, some in by_source.items() if some[0]["domain"] == domain and name in WHY
            ]
            for name in sources:
                shares = [100 * one[hits] / one["success"][1] for one in by_source[name]]
                rows.append(_row(f"{figure}, {domain}", of(domain), name, span(shares), WHY[name]))
            if not sources:
                rows.append(
                    _row(f"{figure}, {domain}", of(domain), UNDEFINED, None, NONE.get(domain, MISSING))
                )
    for (kind, name), some in grouped(kept["judges"], lambda one: (one["kind"], one["source"])).items():
        for rate in paper.RATES:
            found = [_rate(one[rate.lower()]) for one in some]
            known = [value for value in found if value is not None]
            label = f"{rate}, {KINDS[kind].lower()}"
            ours = span(known) if known else None
            rows.append(_row(label, paper.judged(kind, rate), name, ours, JUDGED[rate]))
    heads = (
        "figure",
        "paper, lowest to highest",
        "answers or pairs",
        "here, lowest to highest",
        "why they differ",
    )
    return [Table("paper", "The paper's figures beside ours", heads, tuple(rows), NOTE)]


NOTE = (
    "The paper: RESpecBench, Tables 3, 4 and 8, percent over nine models; its answers and judgements are not "
    "published, so that none of its figures can be measured again. Here: published answers and judgements "
    "of other models, with the same definitions; the tables above have the intervals. Its Table 4 is over "
    "all domains, the recorded judges saw SQL alone."
)
JUDGED = {
    "FAR": "SQL alone, five other judges, pairs that the authors rewrote; no schemas are published, so that "
    "none states keys or NOT NULL here, and more pairs are wrong than their authors meant",
    "FRR": "SQL alone, five other judges, asked once and not in both orders; right is what is proved here",
    "inflation": "follows from FAR and FRR: these judges accept more wrong pairs than they reject right ones",
}
"""Why rates of the recorded judges are not the paper's."""


def _rate(kept: Sequence[Any] | None) -> float | None:
    """Percent: of a share `[hits, total, effective]`, or of an estimate `[value, low, high, count]`."""
    if kept is None or not kept[1]:
        return None
    return 100 * float(kept[0] if len(kept) == 4 else kept[0] / kept[1])


def _row(figure: str, theirs: Span, source: str, ours: Span | None, why: str) -> tuple[str, ...]:
    shown = UNDEFINED if ours is None else _span(ours) + f" ({ours.count})"
    return figure, _span(theirs), source, shown, why


def _span(found: Span) -> str:
    if found.low == found.high:
        return f"{found.low:.1f}%"
    return f"{found.low:.1f}% to {found.high:.1f}%"


def same_models(answers: Sequence[Mapping[str, Any]]) -> list[Table]:
    """Of a run with models of the paper: their success there and here; no table where there are none."""
    names = {RESPECBENCH[short]: name for name, short in paper.MODELS.items()}
    records = [dict(one) for one in answers]
    rows = []
    for model, some in grouped(records, lambda one: str(one["model"])).items():
        theirs = next(
            (name for full, name in names.items() if model == full or model.startswith(f"{full} ")), ""
        )
        if not theirs:
            continue
        by_domain = grouped(some, lambda one: str(one["domain"]))
        for domain in in_order(by_domain):
            if domain not in paper.DOMAINS:
                continue
            said = paper.SUCCESS[theirs][paper.DOMAINS.index(domain)]
            here = share_of(by_domain[domain], lambda one: answer_of(one) is Answer.EQUIVALENT)
            unknown = share_of(by_domain[domain], lambda one: answer_of(one) is Answer.UNKNOWN)
            left = paper.UNKNOWN[theirs][paper.DOMAINS.index(domain)]
            row = (f"{theirs}, {domain}", f"{said:.1f}%", share(here), f"{left:.1f}%", share(unknown))
            rows.append(row)
    heads = ("model, domain", "success, paper", "success, here", "unknown, paper", "unknown, here")
    note = (
        "RESpecBench, Tables 3 and 8. 'truespec data respecbench' selects the paper's tasks as far as the "
        "paper says how; some are chosen by a rule of ours, or repaired. A run on other tasks is not to be "
        "compared."
    )
    return (
        [Table("paper-models", "The paper's models, there and here", heads, tuple(rows), note)]
        if rows
        else []
    )
