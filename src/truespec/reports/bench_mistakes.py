"""Judges' mistakes explained: false acceptances by relation, change, misconception, making and rarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from truespec.benchmark import bundled
from truespec.benchmark.changes import change
from truespec.benchmark.task import Task
from truespec.judges.judgement import Judgement
from truespec.metrics.clustered import clustered
from truespec.metrics.judging import WRONG
from truespec.metrics.table import Table, share
from truespec.reports.bench_items import KINDS, Item, grouped
from truespec.verdict import Answer

Record = Mapping[str, Any]

RARITIES = ((0.01, "under 1 % of inputs"), (0.1, "1 to 10 % of inputs"), (0.5, "10 to 50 % of inputs"))
"""Classes of the share of sampled inputs that separate; what is above counts as half or more."""


def mistakes(items: Sequence[Item], answers: Sequence[Record], tasks: Sequence[Task]) -> list[Table]:
    """Tables of false acceptances, and of false rejections by how a right candidate was made."""
    records = {_key(record): record for record in answers}
    oracles = {task.id: task.oracle for task in tasks}
    decided = [item for item in items if item.judgement in (Judgement.ACCEPT, Judgement.REJECT)]
    wrong = [(item, records[_of(item)]) for item in decided if item.answer in WRONG]
    right = [(item, records[_of(item)]) for item in decided if item.answer is Answer.EQUIVALENT]

    def changed(record: Record) -> str | None:
        oracle, text = oracles.get(record["task"]), record.get("candidate")
        return change(oracle, text) if oracle is not None and text is not None else None

    sorts: tuple[tuple[str, str, Callable[[Record], str | None]], ...] = (
        ("relation", "relation to the oracle", _relation),
        ("change", "change of the oracle's text", changed),
        ("misconception", "the misconception that the answer shows", _misconception),
        ("mutation", "the mutation that made the candidate wrong", lambda record: record.get("mutation")),
        ("made", "how the candidate was made", lambda record: record.get("made")),
        ("rarity", "how rare the separating inputs are", _rarity),
    )
    found = []
    for name, title, sort in sorts:
        rows = _rows(wrong, sort, lambda item: item.judgement is Judgement.ACCEPT)
        if rows:
            note = NOTES.get(name, "False acceptances: accepted, of the wrong answers of this kind.")
            heads = ("judge, kind of answer", "FAR")
            found.append(Table(f"mistakes-{name}", f"False acceptances by {title}", heads, tuple(rows), note))
    rows = _rows(right, lambda record: record.get("made"), lambda item: item.judgement is Judgement.REJECT)
    if rows:
        heads = ("judge, how the candidate was made", "FRR")
        found.append(
            Table("mistakes-right", "False rejections by how the candidate was made", heads, tuple(rows))
        )
    return found


NOTES = {
    "rarity": (
        "The share of sampled inputs on which answer and oracle differ: legal points, strings that either "
        "pattern matches, worlds of one to three things. It says what is hard to hit by chance, not how "
        "often it matters. Refuted answers of other domains are not sampled."
    ),
    "misconception": (
        "The catalogue of Greenman et al. (Little Tricky Logic, 2022). Only answers whose text is a recorded "
        "wrong answer of a bundled task have such a label."
    ),
    "mutation": (
        "The one change that was made to the oracle or to a rewriting of it, before or after rewritings."
    ),
    "relation": "Weaker: the answer allows more than the oracle. None: the domain has no relation.",
}


def _rows(
    items: Sequence[tuple[Item, Record]],
    sort: Callable[[Record], str | None],
    hit: Callable[[Item], bool],
) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for (kind, judge), some in grouped(items, lambda one: (one[0].kind, one[0].judge)).items():
        groups = grouped(some, lambda one: sort(one[1]))
        for name in sorted((name for name in groups if name is not None), key=_order):
            rate = clustered((item.cluster, hit(item)) for item, _ in groups[name])
            rows.append((f"{KINDS[kind]}, {judge}, {name}", share(rate)))
    return rows


def _relation(record: Record) -> str:
    verdict = record["verdict"]
    if verdict["answer"] == Answer.INVALID.value:
        return "invalid"
    return str(verdict["relation"] or "none")


@cache
def _labels(domain: str) -> Mapping[tuple[str, str], str]:
    """The misconceptions of recorded answers, by task and text."""
    return {
        (entry.task.id, " ".join(answer.text.split())): answer.mistake
        for entry in bundled.tasks(domain)
        for answer in entry.answers
        if answer.mistake
    }


def _misconception(record: Record) -> str | None:
    text = record.get("candidate")
    if text is None or record["verdict"]["answer"] != Answer.REFUTED.value:
        return None
    return _labels(record["domain"]).get((record["task"], " ".join(text.split())))


def _rarity(record: Record) -> str | None:
    found = record.get("separating")
    if found is None:
        return None
    value = found[0] / found[1]
    return next((name for bound, name in RARITIES if value < bound), "half of the inputs or more")


_FIRST = ("weaker", "stronger", "incomparable", "none", "invalid", *(name for _, name in RARITIES))


def _order(name: str) -> tuple[int, str]:
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def _key(record: Record) -> tuple[Any, ...]:
    return record.get("run") or "", record["task"], record["model"], record["epoch"]


def _of(item: Item) -> tuple[Any, ...]:
    return item.run, item.task, item.model, item.epoch
