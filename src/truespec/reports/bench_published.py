"""Published models and judges, verified once: the counts that the package keeps, as tables.

`benchmark/bundled/published.json` holds numbers alone; `python -m benchmarks recorded --write` makes it from
the data sets as published.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from truespec.metrics.clustered import Estimate
from truespec.metrics.proportion import Interval, Proportion
from truespec.metrics.table import Table, estimated, number, share
from truespec.reports.bench_items import KINDS, Item, answer_of, grouped, share_of
from truespec.reports.bench_judges import rates_of
from truespec.verdict import Answer


def published_tables() -> list[Table]:
    """The tables of the counts that come with the package; none where there are no counts."""
    file = files("truespec.benchmark.bundled").joinpath("published.json")
    return tables_of(json.loads(file.read_text("utf-8"))) if file.is_file() else []


def answer_counts(source: str, answers: Sequence[dict[str, Any]], total: int) -> list[dict[str, object]]:
    """What became of the answers of each model; `total` is how many answers the source holds in all."""
    found = []
    for model, some in grouped(answers, lambda record: str(record["model"])).items():
        success = share_of(some, lambda record: answer_of(record) is Answer.EQUIVALENT)
        counts = {answer.value: sum(answer_of(record) is answer for record in some) for answer in Answer}
        about = {"source": source, "of": total, "domain": some[0]["domain"], "model": model}
        tasks = len({record["task"] for record in some})
        found.append({**about, "tasks": tasks, "success": _kept(success), **counts})
    return found


def judge_counts(source: str, items: Sequence[Item]) -> list[dict[str, object]]:
    """The rates of each judge of recorded answers."""
    found = []
    for (kind, judge), some in grouped(items, lambda item: (item.kind, item.judge)).items():
        rates = rates_of(some)
        about: dict[str, object] = {"source": source, "kind": kind, "judge": judge}
        about |= {name: _kept(getattr(rates, name)) for name in RATES}
        gap = rates.inflated
        about["inflation"] = [gap.value, gap.interval.low, gap.interval.high, gap.total] if gap else None
        found.append(about)
    return found


RATES = ("far", "frr", "precision", "malformed")
"""The shares that are kept of a judge."""


def tables_of(kept: Mapping[str, Any]) -> list[Table]:
    """The tables of such counts."""
    rows = [
        (
            f"{one['source']}: {one['model']}" if one["model"] != one["source"] else one["source"],
            one["domain"],
            number(one["tasks"]),
            share(_read(one["success"])),
            *(number(one[name]) for name in ("refuted", "invalid", "unknown")),
        )
        for one in kept["answers"]
    ]
    heads = ("source: model", "domain", "tasks", "equivalent", "refuted", "invalid", "unknown")
    note = (
        f"Answers as their authors published them, verified by truespec {kept['version']} with a limit of "
        f"{kept['timeout']:g} s; where a source is large, a sample. The tasks are those of each source: rows "
        "of different sources are not to be compared. 'Same names': the answers that use the names and "
        "arities of the reference, which these models were not shown; any other is invalid here. lang2ltl "
        "holds each different answer of its models once, however often it was given. judge-sql holds queries "
        "that its authors rewrote."
    )
    found = [Table("published", "Published answers of models, verified", heads, tuple(rows), note)]
    if kept["judges"]:
        found.append(_judges(kept["judges"]))
    return found


def _judges(judges: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for one in judges:
        gap = one["inflation"]
        cells = [share(_read(one[name])) for name in RATES]
        estimate = Estimate(gap[0], Interval(gap[1], gap[2]), gap[3]) if gap else None
        rows.append(
            (f"{one['judge']}, {one['source']}", KINDS[one["kind"]], *cells, estimated(estimate, signed=True))
        )
    heads = ("judge, source", "kind", "FAR", "FRR", "precision", "malformed", "inflation")
    note = "Judgements as their authors published them, against the verifier. Intervals are by task."
    return Table("published-judges", "Published judges against the verifier", heads, tuple(rows), note)


def _kept(share: Proportion) -> list[float | int | None]:
    return [share.hits, share.total, share.effective]


def _read(kept: Sequence[Any]) -> Proportion:
    return Proportion(*kept)
