"""Answers and the verifiers' verdicts on them, as the records of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.benchmark.answer import Candidate, read_answer
from truespec.benchmark.task import Task
from truespec.executors.asking import Progress
from truespec.executors.batch import Executor, Summary, run_batch
from truespec.executors.pool import verifiers
from truespec.models.call import Reply
from truespec.store.runs import Config, Run
from truespec.verdict import ReasonCode, invalid, unknown


@dataclass(frozen=True, slots=True)
class Given:
    """What was answered to a task."""

    name: str
    """Unique among the answers that are verified together."""
    task: Task
    """The task."""
    model: str
    """Who answered."""
    epoch: int
    """Which of the answers to the task."""
    reply: Reply
    """The whole reply."""
    text: str | None = None
    """The specification, where it is known without reading the reply."""


def verified(
    run: Run,
    given: Sequence[Given],
    config: Config,
    jobs: int,
    progress: Progress,
    pairs: str = "pairs",
    verdicts: str = "verdicts",
    executor: Executor = verifiers,
) -> list[dict[str, Any]]:
    """The records of answers with their verdicts; `pairs` and `verdicts` name the run's files for the batch.

    Verdicts of the same version and limit that stand in the file are not computed again.
    """
    records = [_record(one, config) for one in given]
    work: list[dict[str, object]] = [
        {
            "id": one.name,
            "domain": one.task.domain,
            "oracle": one.task.oracle,
            "candidate": record["candidate"],
            "context": dict(one.task.context),
        }
        for one, record in zip(given, records, strict=True)
        if record["candidate"] is not None
    ]
    found = _verify(run, work, config, jobs, progress, pairs, verdicts, executor)
    for record in records:
        held = record["candidate"] is not None
        record["verdict"] = found[record["id"]] if held else _malformed(record["domain"], record["problem"])
    return records


def _record(one: Given, config: Config) -> dict[str, Any]:
    if one.text is not None:
        answer = Candidate(one.text, strict=True)
    else:
        answer = read_answer(one.reply.text, tolerant=config.tolerant)
    return {
        "id": one.name,
        "task": one.task.id,
        "domain": one.task.domain,
        "model": one.model,
        "epoch": one.epoch,
        "candidate": answer.text,
        "strict": answer.strict,
        "problem": answer.problem,
        "reply": one.reply.to_json(),
    }


def _verify(
    run: Run,
    work: Sequence[Mapping[str, object]],
    config: Config,
    jobs: int,
    progress: Progress,
    pairs: str,
    verdicts: str,
    executor: Executor,
) -> dict[str, dict[str, object]]:
    def report(done: int, total: int, summary: Summary) -> None:
        progress(verdicts, done, total)

    run.write(pairs, work)
    run_batch(
        run.path(pairs),
        run.path(verdicts),
        timeout=config.timeout,
        jobs=jobs,
        resume=True,
        progress=report,
        executor=executor,
    )
    found: dict[str, dict[str, object]] = {}
    for pair, record in zip(work, run.read(verdicts), strict=True):
        if "error" in record:  # a pair that no line can hold, e.g. an answer of many megabytes
            refused = unknown(str(pair["domain"]), ReasonCode.UNSUPPORTED, str(record["error"]))
            found[str(pair["id"])] = refused.to_json()
        else:
            found[str(record.pop("id"))] = record
    return found


def _malformed(domain: str, problem: str) -> dict[str, object]:
    """A reply without a specification is a failed answer, never an unknown one."""
    return invalid(domain, ReasonCode.SYNTAX, f"the reply holds no specification: {problem}").to_json()
