"""Certificates of tasks, made by the verifiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from truespec.benchmark.bundled import BundledTask, Writing
from truespec.benchmark.certificate import Certificate, content_key
from truespec.benchmark.task import Task
from truespec.benchmark.trivial import constant, trivial
from truespec.domains.registry import load
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, verifiers
from truespec.verdict import Counterexample, ReasonCode, TruespecError, Verdict
from truespec.version import __version__

REWRITINGS, MUTANTS = 2, 4
"""How many forms of each kind are made from an oracle."""
UNUSABLE = frozenset({ReasonCode.ORACLE, ReasonCode.CONTEXT})
"""Why a task cannot be decided against its own oracle, whatever the candidate."""
CHUNK = 12
"""Tasks that are worked on together."""

_Key = tuple[str, str, str]
"""Task, kind of candidate, and its name within the kind."""


def certify(entries: Sequence[BundledTask], *, timeout: float, jobs: int) -> Iterator[Certificate]:
    """A certificate for each task, in order; `timeout` is in seconds per candidate."""
    domains = list(dict.fromkeys(entry.task.domain for entry in entries))
    with verifiers(domains, jobs) as workers:

        def decide(pairs: dict[_Key, Pair]) -> dict[_Key, Verdict]:
            return dict(workers.run(Job(key, pair, timeout) for key, pair in pairs.items()))

        for start in range(0, len(entries), CHUNK):
            chunk = entries[start : start + CHUNK]
            verdicts = decide({(e.task.id, "same", ""): _pair(e.task, e.task.oracle) for e in chunk})
            usable = [entry for entry in chunk if not _broken(entry, verdicts)]
            verdicts |= decide({key: pair for entry in usable for key, pair in _candidates(entry).items()})
            verdicts |= decide(
                {key: pair for entry in chunk for key, pair in _constants(entry, verdicts).items()}
            )
            yield from (_certificate(entry, verdicts) for entry in chunk)


def _candidates(entry: BundledTask) -> dict[_Key, Pair]:
    task, domain = entry.task, load(entry.task.domain)

    found: dict[_Key, Pair] = {}
    for name, text in trivial(task.domain, task.oracle, task.context).items():
        found[task.id, "trivial", name] = _pair(task, text)
    for answer in entry.answers:
        if answer.written in (Writing.REWRITTEN, Writing.CARELESS):
            kind = "right" if answer.written is Writing.REWRITTEN else "wrong"
            found[task.id, kind, answer.id.rpartition("/")[2]] = _pair(task, answer.text)
    for kind, texts, most in (
        ("rewritings", domain.rewritings(task.oracle, task.context), REWRITINGS),
        ("mutants", domain.mutants(task.oracle, task.context), MUTANTS),
    ):
        try:
            for number, text in enumerate(islice(texts, most), 1):
                found[task.id, kind, str(number)] = _pair(task, text)
        except TruespecError:
            continue  # an oracle that cannot be changed has no such forms, and the certificate shows the gap
    return found


def _pair(task: Task, text: str) -> Pair:
    return Pair(task.domain, task.oracle, text, task.context)


def _broken(entry: BundledTask, verdicts: dict[_Key, Verdict]) -> str:
    """Why the oracle is unusable against itself; empty for a usable one."""
    reason = verdicts[entry.task.id, "same", ""].reason
    return reason.detail if reason is not None and reason.code in UNUSABLE else ""


def _constants(entry: BundledTask, verdicts: dict[_Key, Verdict]) -> dict[_Key, Pair]:
    """Constants with the value that the oracle had where it differed from something trivial."""
    task = entry.task
    for (name, kind, _), verdict in verdicts.items():
        if name == task.id and kind == "trivial" and isinstance(verdict.evidence, Counterexample):
            text = constant(task.domain, verdict.evidence)
            if text is not None:
                return {(task.id, "trivial", "constant"): _pair(task, text)}
    return {}


def _certificate(entry: BundledTask, verdicts: dict[_Key, Verdict]) -> Certificate:
    task = entry.task
    found: dict[str, dict[str, str]] = {
        kind: {} for kind in ("same", "trivial", "right", "wrong", "rewritings", "mutants")
    }
    for (name, kind, which), verdict in verdicts.items():
        if name == task.id:
            found[kind][which] = verdict.answer.value
    if task.domain == "arith":
        found["trivial"] = _of_expression(found["trivial"])
    found["trivial"] |= _by_the_way(found["trivial"], task.id, verdicts)
    return Certificate(
        task=task.id,
        key=content_key(entry),
        version=__version__,
        same=found["same"][""],
        trivial=found["trivial"],
        right=_in_order(found["right"]),
        wrong=_in_order(found["wrong"]),
        rewritings=dict(sorted(Counter(found["rewritings"].values()).items())),
        mutants=dict(sorted(Counter(found["mutants"].values()).items())),
        broken=_broken(entry, verdicts),
    )


def _by_the_way(trivial: dict[str, str], task: str, verdicts: dict[_Key, Verdict]) -> dict[str, str]:
    """What counterexamples to other forms show: an oracle that holds somewhere is not nothing, and so on."""
    points = [
        verdict.evidence.oracle_value
        for (name, *_), verdict in verdicts.items()
        if name == task and isinstance(verdict.evidence, Counterexample)
    ]
    shown = {"nothing": True in points, "everything": False in points}
    return {name: "refuted" for name in trivial if shown.get(name)}


def _of_expression(answers: dict[str, str]) -> dict[str, str]:
    """The answers of the oracle's own sort: a number is not compared with a truth value."""
    return {name: answer for name, answer in answers.items() if answer != "invalid"}


def _in_order(answers: dict[str, str]) -> dict[str, str]:
    return {name: answers[name] for name in sorted(answers, key=int)}
