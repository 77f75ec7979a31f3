"""The benchmark's tables: success, unknowns, failures, times; the judges' follow (RESpecBench, 3.2, C)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from truespec.benchmark.difficulty import difficulty
from truespec.benchmark.task import Task
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Cell, Table, number, share
from truespec.reports.bench_compare import comparison_tables
from truespec.reports.bench_items import (
    KINDS,
    answer_of,
    by_model_and_domain,
    grouped,
    in_order,
    join,
    share_of,
    with_clusters,
    with_unjudged,
)
from truespec.reports.bench_judges import judge_tables
from truespec.reports.bench_mistakes import mistakes
from truespec.verdict import Answer


def tables(
    answers: Sequence[dict[str, Any]],
    judgements: Sequence[dict[str, Any]],
    tasks: Sequence[Task] = (),
    missing: Sequence[dict[str, Any]] = (),
) -> list[Table]:
    """Every table that the records can fill, in the order of the paper.

    `missing` are answers that were asked for and did not come: they count among the unknown.
    """
    answers, missing = with_clusters(answers, tasks), with_clusters(missing, tasks)
    judgements = with_clusters(judgements, tasks)
    items = join(answers, judgements)
    oracles = [record for record in judgements if record["kind"] == "oracle"]
    found = [sources(tasks)] if tasks else []
    asked = [*answers, *missing]
    found += comparison_tables(asked)
    found += [success(asked), failures(asked), failures_by_domain(asked), unknowns(asked)]
    if any(answer_of(a) is Answer.UNKNOWN for a in asked):
        found.append(reasons(asked))
    found += [times(answers), replies(answers)]
    if tasks:
        found.append(by_difficulty(answers, tasks))
    found += judge_tables(with_unjudged(answers, items), oracles)
    return found + mistakes(items, answers, tasks)


def sources(tasks: Sequence[Task]) -> Table:
    """Table 2: where the tasks come from, by domain."""
    unique = {task.id: task for task in tasks}.values()
    groups = grouped(unique, lambda task: (task.domain, task.source.dataset or "no source given"))
    domains = in_order(domain for domain, _ in groups)
    rows = []
    for (domain, dataset), some in sorted(groups.items(), key=lambda g: (domains.index(g[0][0]), g[0][1])):
        variants = sum("variant_of" in task.extra for task in some)
        hard = sorted(_difficulty(task) for task in some)
        spread = f"{hard[0]:g}–{median(hard):g}–{hard[-1]:g}"
        rows.append((f"{domain}, {dataset}", number(len(some)), number(variants), spread))
    heads = ("domain, source", "tasks", "of them variants", "difficulty")
    note = "Difficulty: the number of signs and names in the oracle; least, median, greatest."
    return Table("sources", "Tasks by domain and source", heads, tuple(rows), note)


def equivalent(some: Sequence[dict[str, Any]]) -> Proportion:
    """Equivalent answers of all."""
    return share_of(some, lambda a: answer_of(a) is Answer.EQUIVALENT)


def success(answers: Sequence[dict[str, Any]]) -> Table:
    """Table 3: equivalent answers over all, by model and domain; overall is the mean over the domains."""
    return by_model_and_domain(
        "success",
        "Answers proved equivalent to the oracle, of all that was asked",
        answers,
        equivalent,
        "Percent (count, 95 % interval by task). Overall: mean over the domains; pooled: every answer once. "
        "A call without a reply counts as unknown.",
    )


def unknowns(answers: Sequence[dict[str, Any]]) -> Table:
    """Table 8: answers that the verifier could not decide."""
    return by_model_and_domain(
        "unknown",
        "Answers that the verifier could not decide",
        answers,
        lambda some: share_of(some, lambda a: answer_of(a) is Answer.UNKNOWN),
    )


def reasons(answers: Sequence[dict[str, Any]]) -> Table:
    """Why answers stay unknown, by domain."""
    lost = [a for a in answers if answer_of(a) is Answer.UNKNOWN]
    groups = grouped(lost, lambda a: (a["domain"], a["verdict"]["reason"]["code"]))
    domains = in_order(a["domain"] for a in lost)
    rows = [
        (f"{domain}, {code}", number(len(some)))
        for (domain, code), some in sorted(groups.items(), key=lambda g: (domains.index(g[0][0]), -len(g[1])))
    ]
    return Table("reasons", "Why answers stay unknown", ("domain, reason", "answers"), tuple(rows))


RELATIONS = ("stronger", "weaker", "incomparable")


def failures(answers: Sequence[dict[str, Any]]) -> Table:
    """How answers fail: by relation of the refuted, and the invalid apart."""
    return _failures("failures", "How answers fail, by model", answers, "model")


def failures_by_domain(answers: Sequence[dict[str, Any]]) -> Table:
    """How answers fail in each domain."""
    return _failures("failures-by-domain", "How answers fail, by domain", answers, "domain")


def _failures(name: str, title: str, answers: Sequence[dict[str, Any]], field: str) -> Table:
    heads = (field, "answers", "equivalent", *RELATIONS, "other refuted", "invalid", "unknown")
    rows = []
    groups = grouped(answers, lambda a: str(a[field]))
    for label in in_order(groups) if field == "domain" else groups:
        some = groups[label]
        relations = [a["verdict"]["relation"] for a in some if answer_of(a) is Answer.REFUTED]
        related = [relations.count(relation) for relation in RELATIONS]
        equivalent, refuted, unknown, invalid = (
            sum(answer_of(a) is answer for a in some) for answer in Answer
        )
        counts = (len(some), equivalent, *related, refuted - sum(related), invalid, unknown)
        rows.append((label, *map(number, counts)))
    return Table(name, title, heads, tuple(rows), "Stronger: the answer demands more than the oracle.")


def times(answers: Sequence[dict[str, Any]]) -> Table:
    """The verifier's wall time by domain."""
    rows = []
    groups = grouped(answers, lambda a: str(a["domain"]))
    for domain in in_order(groups):
        some = groups[domain]
        seconds = sorted(a["verdict"]["seconds"] for a in some)
        late = seconds[min(len(seconds) - 1, int(0.99 * len(seconds)))]
        cells = (
            number(1000 * median(seconds), ".1f"),
            number(1000 * late, ".0f"),
            number(seconds[-1], ".2f"),
        )
        rows.append((domain, number(len(some)), *cells))
    heads = ("domain", "answers", "median in ms", "99th percentile in ms", "longest in s")
    return Table("times", "Wall time of the verifier", heads, tuple(rows))


def replies(answers: Sequence[dict[str, Any]]) -> Table:
    """Form and cost of the replies."""
    rows = []
    for model, some in grouped(answers, lambda a: str(a["model"])).items():
        malformed = share_of(some, lambda a: a["candidate"] is None)
        loose = sum(a["candidate"] is not None and not a["strict"] for a in some)
        cells = [_sum(a["reply"][name] for a in some) for name in ("input_tokens", "output_tokens", "cost")]
        rows.append((model, share(malformed), number(loose), *cells))
    heads = ("model", "malformed", "read tolerantly", "input tokens", "output tokens", "cost in US$")
    return Table("replies", "Form and cost of the replies", heads, tuple(rows))


def by_difficulty(answers: Sequence[dict[str, Any]], tasks: Sequence[Task]) -> Table:
    """Success in the easier, middle and harder third of each domain's tasks, and what became of failures."""
    third = thirds(tasks)
    rows = []
    for model, some in grouped(answers, lambda a: str(a["model"])).items():
        for place, name in enumerate(("easier third", "middle third", "harder third")):
            part = [a for a in some if third.get(a["task"]) == place]
            lost = share_of(part, lambda a: answer_of(a) is Answer.UNKNOWN)
            rows.append((f"{model}, {name}", share(equivalent(part)), share(lost)))
    heads = ("model, tasks", "equivalent", "unknown")
    note = "Thirds of each domain's tasks by difficulty: the number of signs and names in the oracle."
    return Table("difficulty", "Success by difficulty", heads, tuple(rows), note)


def thirds(tasks: Sequence[Task]) -> Mapping[str, int]:
    """0, 1 or 2 for each task: which third of its domain it belongs to."""
    found: dict[str, int] = {}
    for some in grouped({task.id: task for task in tasks}.values(), lambda task: task.domain).values():
        ordered = sorted(some, key=lambda task: (_difficulty(task), task.id))
        found |= {task.id: 3 * place // len(ordered) for place, task in enumerate(ordered)}
    return found


def _difficulty(task: Task) -> float:
    """What the task states, or what its oracle shows; ranks tasks within a domain only."""
    stated = task.extra.get("difficulty")
    return float(stated) if isinstance(stated, int | float) else difficulty(task.domain, task.oracle)


def _sum(values: Iterable[float | int | None]) -> Cell:
    known = [value for value in values if value is not None]
    if not known:
        return number(None)
    return number(sum(known), ".2f" if any(isinstance(value, float) for value in known) else "d")


__all__ = ["KINDS", "join", "tables"]
