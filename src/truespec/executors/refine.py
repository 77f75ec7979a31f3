"""Statements made more specific by a model, as RESpecBench did with those of NL-RX (section 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from truespec.benchmark.answer import read_answer
from truespec.benchmark.task import Task
from truespec.executors.calls import run_calls
from truespec.judges.prompts import ask_formalization, refining
from truespec.models.call import Call, Settings
from truespec.models.contract import Model, ModelError
from truespec.store.calls import CallLedger


@dataclass(frozen=True, slots=True)
class Refined:
    """What came of one task."""

    task: Task
    """The task, with the new statement where there is one; the old one is kept in `statement_before`."""
    problem: str = ""
    """Why the statement is the old one: a failed call, a malformed reply, one that shows the reference."""


def refine(
    tasks: Sequence[Task],
    model: Model,
    ledger: Path,
    *,
    settings: Settings | None = None,
    concurrency: int = 8,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Refined]:
    """The tasks with statements that the model has made more specific; no recorded reply is asked for again.

    A statement that quotes the reference would give the answer away and is not taken. Whoever uses the result
    reads it first: a model may have changed what is asked, as the authors of the paper checked by hand.
    """
    calls = [_call(task, model.name, settings or Settings()) for task in tasks]
    replies: dict[str, str | ModelError] = {}
    with CallLedger(ledger) as kept:
        results = run_calls(calls, {model.name: model}, kept, concurrency=concurrency)
        for done, (call, reply) in enumerate(results, 1):
            replies[call.key] = reply if isinstance(reply, ModelError) else reply.text
            progress(done, len(calls))
    return [_refined(task, replies[call.key]) for task, call in zip(tasks, calls, strict=True)]


def _call(task: Task, name: str, settings: Settings) -> Call:
    meanings = task.extra.get("meanings")
    prompt = ask_formalization(
        task.statement, task.context, meanings if isinstance(meanings, dict) else {}, task.oracle
    )
    return Call(name, refining(task.domain), prompt, settings, 0, f"refine/{task.id}")


def _refined(task: Task, reply: str | ModelError) -> Refined:
    if isinstance(reply, ModelError):
        return Refined(task, str(reply))
    answer = read_answer(reply)
    if answer.text is None:
        return Refined(task, answer.problem)
    statement = " ".join(answer.text.split())
    plain = "".join(task.oracle.split())
    if len(plain) > 3 and plain in "".join(statement.split()):
        return Refined(task, "the statement quotes the reference")
    extra = {**task.extra, "statement_before": task.statement}
    return Refined(replace(task, statement=statement, tags=(*task.tags, "refined"), extra=extra))
