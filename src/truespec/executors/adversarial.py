"""Adversarial candidates: among candidates that the verifier refutes, those that a given judge accepts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any

from truespec.benchmark.task import Task
from truespec.domains.verify import Pair
from truespec.executors.asking import NO_LIMITS, Failures, Progress, gather, quiet
from truespec.executors.bench import wanted_judgements
from truespec.executors.candidates import (
    CHUNK,
    GENERATED,
    Labelled,
    Proposal,
    Tally,
    in_turns,
    write_run,
)
from truespec.executors.pace import Limits
from truespec.executors.pool import Job, Workers, verifiers
from truespec.judges.decide import from_both_orders, from_score
from truespec.judges.judgement import Judgement
from truespec.judges.manner import Manner
from truespec.judges.score import read_score
from truespec.models.contract import Model
from truespec.store.runs import Config, Run
from truespec.verdict import Answer, UsageError, Verdict

SEARCH = "search.json"
"""The file of a run's folder that says what is sought."""
TRIES = 20
"""Judged candidates for each one that is wanted, at most."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a search looks for; the same search goes on where it was interrupted."""

    judge: str
    """The model that judges."""
    kind: str
    """`formalization` or `equivalence`."""
    manner: Manner
    """How the judge is asked."""
    seed: int
    """Which candidates are proposed, in which order."""
    timeout: float
    """Seconds per verification."""

    def to_json(self, tasks: Sequence[Task]) -> dict[str, object]:
        """The contents of `search.json`, with a fingerprint of the tasks."""
        texts = json.dumps([task.to_json() for task in tasks], sort_keys=True)
        return {**asdict(self), "tasks": sha256(texts.encode()).hexdigest()}


@dataclass
class Found:
    """What a search came to."""

    kept: list[Labelled] = field(default_factory=list)
    """Refuted candidates that the judge accepts, each with its scores."""
    tried: list[dict[str, object]] = field(default_factory=list)
    """Each refuted candidate that was judged, with the judgement."""
    tally: Tally = field(default_factory=Tally)
    """What the verifier said of the proposals."""
    failures: Failures = field(default_factory=Failures)
    """Calls that failed or were not made, and what all of them cost."""


def search(
    run: Run,
    tasks: Sequence[Task],
    count: int,
    sought: Sought,
    *,
    jobs: int,
    concurrency: int = 8,
    progress: Progress = quiet,
    limits: Limits = NO_LIMITS,
    given: Mapping[str, Model] | None = None,
) -> Found:
    """Look for `count` wrong candidates that the judge accepts, as many of each domain, and write the run.

    A domain ends when it has its share, when its material runs out, or after 20 judged candidates for each
    one wanted. A search ends early where the spending cap is reached. Replies are recorded, so that the same
    search again makes only the calls that are missing, and a larger count goes on from there.

    Raises `UsageError` where the folder holds another search, or a run of another making.
    """
    _begin(run, sought, tasks)
    domains = list(dict.fromkeys(task.domain for task in tasks))
    how: dict[str, Any] = {"concurrency": concurrency, "progress": quiet, "given": given, "limits": limits}
    found = Found()
    with verifiers(domains, jobs) as workers:
        for number, name in enumerate(domains):
            share = count // len(domains) + (number < count % len(domains))
            kept, asked = 0, 0
            source = in_turns([task for task in tasks if task.domain == name], sought.seed, found.tally)
            numbers: Counter[str] = Counter()
            while kept < share and asked < TRIES * share and not found.failures.unasked:
                chunk = list(islice(source, min(CHUNK, 4 * (share - kept))))
                if not chunk:
                    break
                wrong = list(_refuted(workers, chunk, numbers, sought.timeout, found.tally))
                judged = list(_judged(run, wrong, sought, how, found))
                accepted = [(one, scores) for one, scores in judged if scores is not None][: share - kept]
                for one, scores in accepted:
                    extra = {"accepted_by": sought.judge, "kind": sought.kind, "scores": scores}
                    found.kept.append(Labelled(*one, extra))
                asked, kept = asked + len(judged), kept + len(accepted)
                progress("candidates", len(found.kept), count)
    order = {task.id: number for number, task in enumerate(tasks)}
    found.kept.sort(key=lambda one: order[one.proposal.task.id])
    if found.kept:
        write_run(run, found.kept, sought.timeout)
    run.write("tried", found.tried)
    return found


def _begin(run: Run, sought: Sought, tasks: Sequence[Task]) -> None:
    run.folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(sought.to_json(tasks), indent=2) + "\n"
    path = run.folder / SEARCH
    if path.exists():
        if path.read_text("utf-8") != text:
            raise UsageError(f"{run.folder} holds another search: name another folder")
    elif (run.folder / "run.json").exists():
        raise UsageError(f"{run.folder} holds a run already: name another folder")
    else:
        path.write_text(text, encoding="utf-8")


Wrong = tuple[Proposal, Verdict]


def _refuted(
    workers: Workers[Pair, Verdict],
    chunk: Sequence[Proposal],
    numbers: Counter[str],
    timeout: float,
    tally: Tally,
) -> Iterator[tuple[Wrong, int]]:
    """The proposals that are refuted, each with its number among its task's proposals."""
    pairs = [Pair(one.task.domain, one.task.oracle, one.text, dict(one.task.context)) for one in chunk]
    verdicts = dict(workers.run(Job(str(number), pair, timeout) for number, pair in enumerate(pairs)))
    for place, one in enumerate(chunk):
        verdict, number = verdicts[str(place)], numbers[one.task.id]
        numbers[one.task.id] += 1
        tally.proposed[one.task.domain] += 1
        tally.answers[one.task.domain, verdict.answer] += 1
        if verdict.answer is Answer.REFUTED:
            yield (one, verdict), number


def _judged(
    run: Run,
    wrong: Sequence[tuple[Wrong, int]],
    sought: Sought,
    how: Mapping[str, Any],
    found: Found,
) -> Iterator[tuple[Wrong, list[int | None] | None]]:
    """The candidates whose judgement is known, with the scores of those that are accepted."""
    tasks = {one.task.id: one.task for (one, _), _ in wrong}
    answers = [
        {"task": one.task.id, "model": GENERATED, "epoch": number, "candidate": one.text}
        for (one, _), number in wrong
    ]
    config = Config((GENERATED,), 1, sought.manner.settings, sought.timeout, tolerant=False, asked=False)
    wanted = list(wanted_judgements(answers, tasks, config, [sought.judge], [sought.kind], sought.manner))
    calls = [call for item in wanted for call in item.calls]
    replies, failures = gather(run, "judgements", calls, **how)
    found.failures.add(failures)
    for (judged, _), item in zip(wrong, wanted, strict=True):
        if any(call not in replies for call in item.calls):
            continue
        scores = [read_score(replies[call].text, tolerant=False).value for call in item.calls]
        said = from_both_orders(*scores) if sought.kind == "equivalence" else from_score(scores[0])
        proposal, verdict = judged
        found.tried.append(
            {
                "task": proposal.task.id,
                "domain": proposal.task.domain,
                "candidate": proposal.text,
                "made": proposal.made,
                "mutation": proposal.mutation,
                "relation": verdict.relation.value if verdict.relation else None,
                "judgement": said.value,
                "scores": scores,
            }
        )
        yield judged, scores if said is Judgement.ACCEPT else None
