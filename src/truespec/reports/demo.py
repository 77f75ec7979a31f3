"""The bundled tasks, verified: every recorded answer goes through the worker pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from truespec.benchmark import bundled
from truespec.domains.registry import DOMAINS
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, verifiers
from truespec.reports.entry import Entry, Judged
from truespec.verdict import Verdict


def domains() -> tuple[str, ...]:
    """The registered domains that have tasks in the demo."""
    return tuple(name for name in bundled.domains() if name in DOMAINS and shown(name))


def shown(domain: str) -> tuple[bundled.BundledTask, ...]:
    """The bundled tasks of a domain that the demo shows."""
    return tuple(task for task in bundled.tasks(domain) if task.in_demo)


def verify_bundled(
    names: Sequence[str],
    *,
    timeout: float,
    jobs: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Entry]:
    """Every task of the demo in these domains with the verdicts on its recorded answers.

    `timeout` is in seconds per answer. `progress` is called with the answers judged and their number; first
    with 0, before the workers have started.
    """
    tasks = [task for name in names for task in shown(name)]
    pairs = {
        answer.id: Pair(task.task.domain, task.task.oracle, answer.text, task.task.context)
        for task in tasks
        for answer in task.answers
    }
    progress(0, len(pairs))
    verdicts: dict[str, Verdict] = {}
    # The demo's SQL runs on embedded engines: nobody waits for the servers that warming up would start.
    with verifiers([name for name in names if name != "sql"], jobs) as workers:
        for key, verdict in workers.run(Job(name, pair, timeout) for name, pair in pairs.items()):
            verdicts[key] = verdict
            progress(len(verdicts), len(pairs))
    return [
        Entry(
            id=task.task.id,
            domain=task.task.domain,
            oracle=task.task.oracle,
            judged=tuple(
                Judged(
                    id=answer.id,
                    candidate=answer.text,
                    verdict=verdicts[answer.id],
                    expected=answer.expected.value,
                    written=answer.written.value,
                    note=answer.note,
                )
                for answer in task.answers
            ),
            statement=task.task.statement,
            context=task.task.context,
            meanings=task.meanings,
            tags=task.task.tags,
        )
        for task in tasks
    ]


def lacking(entries: Iterable[Entry]) -> Counter[str]:
    """What is missing and how to get it, with the number of candidates that are not decided without it."""
    return Counter(
        one.verdict.reason.detail
        for entry in entries
        for one in entry.judged
        if one.verdict.reason is not None and one.lacks_tool
    )
