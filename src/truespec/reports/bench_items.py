"""What the benchmark's tables share: judgements joined with verdicts, groups, means."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, TypeVar

from truespec.benchmark.task import Task
from truespec.judges.judgement import Judgement
from truespec.metrics.clustered import clustered, mean_share
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Table, estimated, share
from truespec.verdict import Answer

Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")

KINDS = {"formalization": "Formalization judge", "equivalence": "Equivalence judge"}
"""The judges of answers; the third kind, `oracle`, judges oracles."""

DOMAINS = ("arith", "sql", "fol", "regex", "rocq", "temporal")
"""The order of RESpecBench's tables; any other domain follows."""


@dataclass(frozen=True, slots=True)
class Item:
    """One judgement joined with the verdict on the same answer."""

    domain: str
    """Which language."""
    task: str
    """The task."""
    model: str
    """Who answered."""
    judge: str
    """Who judged."""
    kind: str
    """`formalization` or `equivalence`."""
    scores: tuple[int | None, ...]
    """The scores, one per order."""
    judgement: Judgement | None
    """What they came to; None for an answer without a specification, which is not judged."""
    answer: Answer
    """What the verifier says."""
    epoch: int = 0
    """Which of the answers to the task."""
    run: str = ""
    """The run; empty for records that belong to none."""
    seconds: float = 0.0
    """Wall time of the judge's calls."""
    tokens: int | None = None
    """Tokens that the judge read and wrote; None where the provider does not say."""
    cost: float | None = None
    """US dollars; None where the provider does not say."""
    cluster: str = ""
    """The task that this one is a variant of, or the task itself; see `with_clusters`."""

    manner: str = ""
    """How the judge was asked, where that is not as the run asks."""

    @property
    def own(self) -> bool:
        """Whether the model judges its own answer."""
        return self.judge in (self.model, f"{self.model} ({self.manner})")

    @property
    def pairing(self) -> str:
        """Who answered and, where that is somebody else or asked in another manner, who judged."""
        return self.model if self.judge == self.model else f"{self.model}, judged by {self.judge}"


def with_clusters(records: Iterable[dict[str, Any]], tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Records with their `cluster`: the task that theirs is a variant of, or else their task.

    Answers to one task, or to variants of one, are no independent measurements.
    """
    roots = {task.id: str(task.extra.get("variant_of", task.id)) for task in tasks}
    return [{**record, "cluster": roots.get(record["task"], record["task"])} for record in records]


def cluster_of(record: Mapping[str, Any]) -> str:
    """The cluster of an answer or judgement; its task, where `with_clusters` has not named another."""
    return str(record.get("cluster", record["task"]))


def join(answers: Iterable[dict[str, Any]], judgements: Iterable[dict[str, Any]]) -> list[Item]:
    """Judgements of answers with the verdicts on them."""
    verdicts = {_key(a): Answer(a["verdict"]["answer"]) for a in answers}
    found = []
    for record in judgements:
        answer = verdicts.get(_key(record))
        if record["kind"] not in KINDS or answer is None:
            continue
        replies = record.get("replies", ())
        tokens = [reply.get(name) for reply in replies for name in ("input_tokens", "output_tokens")]
        found.append(
            Item(
                domain=record["domain"],
                task=record["task"],
                model=record["model"],
                judge=record["judge"],
                kind=record["kind"],
                scores=tuple(record["scores"]),
                judgement=Judgement(record["judgement"]),
                answer=answer,
                epoch=record["epoch"],
                run=record.get("run", ""),
                seconds=sum(reply.get("seconds", 0.0) for reply in replies),
                tokens=total(tokens),
                cost=total(reply.get("cost") for reply in replies),
                cluster=cluster_of(record),
                manner=record.get("manner", ""),
            )
        )
    return found


def with_unjudged(answers: Iterable[dict[str, Any]], items: Sequence[Item]) -> list[Item]:
    """Judged items, and for each judge of a model that model's answers that hold no specification.

    Nobody judges such an answer, and it is no success: it counts in the verifier's success rate, but not in
    the judge's (RESpecBench, section 3.1).
    """
    empty = grouped(
        (a for a in answers if a["candidate"] is None), lambda a: (str(a.get("run", "")), str(a["model"]))
    )
    found = list(items)
    for one in {(i.run, i.model, i.judge, i.kind): i for i in items}.values():
        found += [
            replace(
                one,
                domain=record["domain"],
                task=record["task"],
                scores=(),
                judgement=None,
                answer=answer_of(record),
                epoch=record["epoch"],
                seconds=0.0,
                tokens=None,
                cost=None,
                cluster=cluster_of(record),
            )
            for record in empty.get((one.run, one.model), ())
        ]
    return found


def _key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What an answer and the judgements on it have in common."""
    return record.get("run"), record["task"], record["model"], record["epoch"]


def in_order(domains: Iterable[str]) -> list[str]:
    """Domains in the order of the paper."""
    return sorted(set(domains), key=lambda name: (DOMAINS.index(name) if name in DOMAINS else 9, name))


def share_of(
    records: Iterable[dict[str, Any]],
    hit: Callable[[dict[str, Any]], bool],
    among: Callable[[dict[str, Any]], bool] = lambda _: True,
) -> Proportion:
    """The share of hits among some of the records, its interval by cluster."""
    return clustered((cluster_of(record), hit(record)) for record in records if among(record))


def by_model_and_domain(
    name: str,
    title: str,
    records: Sequence[dict[str, Any]],
    measure: Callable[[Sequence[dict[str, Any]]], Proportion],
    note: str = "",
) -> Table:
    """One share by model and domain; overall is the mean over the domains where it is defined."""
    domains = in_order(record["domain"] for record in records)
    rows = []
    for model, some in grouped(records, lambda r: str(r["model"])).items():
        parts = [measure([r for r in some if r["domain"] == domain]) for domain in domains]
        rows.append((model, *map(share, parts), estimated(mean_share(parts)), share(measure(some))))
    return Table(name, title, ("model", *domains, "overall", "pooled"), tuple(rows), note)


def answer_of(record: dict[str, Any]) -> Answer:
    """What the verifier says of an answer record."""
    return Answer(record["verdict"]["answer"])


def grouped(things: Iterable[Thing], key: Callable[[Thing], Key]) -> dict[Key, list[Thing]]:
    """Things by key, keys in the order of their first thing."""
    groups: defaultdict[Key, list[Thing]] = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return dict(groups)


def median_of(values: Iterable[float | None]) -> float | None:
    """The median of what is defined."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def total(values: Iterable[Any]) -> Any:
    """The sum of what is known, or None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
