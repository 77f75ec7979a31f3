"""Pairs for measurements of batches: what `bench candidates` draws, each pair different from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.task import Task
from truespec.executors.candidates import proposals
from truespec.verdict import TruespecError

CHEAP = ("arith", "fol", "regex")
"""The domains that need no process or server of their own."""


def drawn(domains: Sequence[str] = CHEAP, *, variants: bool = True, seed: int = 0) -> list[dict[str, Any]]:
    """One pair record without `id` for each proposal of the bundled tasks, the tasks and domains in turn."""
    tasks = {name: bundled_tasks([name], variants=variants, seed=seed) for name in domains}
    made = {name: _in_turn([_proposed(task, seed) for task in found]) for name, found in tasks.items()}
    seen: set[tuple[str, str, str]] = set()
    found = []
    for record in _in_turn(list(made.values())):
        name = record["domain"], record["oracle"], record["candidate"]
        if name not in seen:
            seen.add(name)
            found.append(record)
    return found


def _in_turn(sources: Sequence[Iterator[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    left = list(sources)
    while left:
        going = []
        for source in left:
            record = next(source, None)
            if record is not None:
                yield record
                going.append(source)
        left = going


def _proposed(task: Task, seed: int) -> Iterator[dict[str, Any]]:
    about = {"domain": task.domain, "oracle": task.oracle, "context": dict(task.context)}
    try:
        for made in proposals(task, seed):
            yield {**about, "candidate": made.text}
    except TruespecError:
        return  # nothing can be made of this oracle; other tasks fill its place


def pairs(draws: Sequence[dict[str, Any]], wanted: int) -> Iterator[dict[str, Any]]:
    """`wanted` pairs with identifiers; after the last draw, copies that no ledger takes for the original."""
    endless = ((copy, draw) for copy in count() for draw in draws)
    for number, (copy, draw) in enumerate(islice(endless, wanted)):
        yield {"id": f"p{number}", **(_copied(draw, copy) if copy else draw)}


def _copied(draw: dict[str, Any], copy: int) -> dict[str, Any]:
    """A question of the same kind and cost: both patterns get the copy's number, or the signature grows."""
    context = dict(draw["context"])
    match draw["domain"]:
        case "regex":
            return {**draw, **{side: f"({draw[side]}){copy}" for side in ("oracle", "candidate")}}
        case "arith":
            context["variables"] = {**context.get("variables", {}), f"unused_{copy}": {"type": "int"}}
        case "fol" if "constants" in context:
            context["constants"] = [*context["constants"], f"unused_{copy}"]
        case domain:
            raise ValueError(f"no copies of a {domain} pair without a signature")
    return {**draw, "context": context}
