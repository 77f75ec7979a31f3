"""The benchmark's two halves: models answer and verifiers decide; judges judge what was verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truespec.benchmark.answer import read_answer
from truespec.benchmark.task import Task
from truespec.executors.batch import Summary, run_batch
from truespec.executors.calls import Lazily, run_calls
from truespec.executors.keeper import kept_calls
from truespec.judges.decide import from_both_orders, from_score
from truespec.judges.prompts import Role, ask_answer, ask_equivalence, ask_formalization, system
from truespec.judges.score import read_score
from truespec.models.call import Call, Reply, Settings
from truespec.models.contract import Model, ModelError
from truespec.store.calls import CallLedger
from truespec.store.runs import Config, Run
from truespec.verdict import ReasonCode, invalid, unknown

SELF = "self"
"""The judge's name that stands for the model which answered, as in RESpecBench."""

Progress = Callable[[str, int, int], None]
"""Told the stage, how much is done, and how much there is."""


def _quiet(stage: str, done: int, total: int) -> None:
    return


@dataclass
class Failures:
    """Calls that were made and failed for good; a resumed run makes them again."""

    count: int = 0
    """How many."""
    first: str = ""
    """What the first one said."""


def run_models(
    run: Run,
    *,
    concurrency: int = 8,
    jobs: int = 1,
    progress: Progress = _quiet,
    given: Mapping[str, Model] | None = None,
) -> Failures:
    """Let every model answer every task, verify the answers, and write `answers.jsonl`.

    `given` holds models that are at hand; every other name is opened. Recorded replies are not asked for
    again; verdicts of the same version and limit are not computed again.
    """
    config, tasks = run.config(), run.tasks()
    wanted = [
        (task, model, epoch) for model in config.models for task in tasks for epoch in range(config.epochs)
    ]
    calls = [
        Call(
            model=model,
            system=system(Role.ANSWER, task.domain),
            prompt=ask_answer(task.statement, task.context, _meanings(task)),
            settings=config.settings,
            epoch=epoch,
            subject=f"answer/{task.id}",
        )
        for task, model, epoch in wanted
    ]
    replies, failures = _gather(
        run, calls, concurrency, lambda done: progress("answers", done, len(calls)), given
    )
    records: list[dict[str, Any]] = []
    pairs: list[dict[str, object]] = []
    for (task, model, epoch), call in zip(wanted, calls, strict=True):
        reply = replies.get(call)
        if reply is None:
            continue
        answer = read_answer(reply.text, tolerant=config.tolerant)
        name = f"{task.id}|{model}|{epoch}"
        records.append(
            {
                "id": name,
                "task": task.id,
                "domain": task.domain,
                "model": model,
                "epoch": epoch,
                "candidate": answer.text,
                "strict": answer.strict,
                "problem": answer.problem,
                "reply": reply.to_json(),
            }
        )
        if answer.text is not None:
            context = dict(task.context)
            pair = {"domain": task.domain, "oracle": task.oracle, "candidate": answer.text}
            pairs.append({"id": name, **pair, "context": context})
    verdicts = _verify(run, pairs, config, jobs, progress)
    for record in records:
        held = record["candidate"] is not None
        record["verdict"] = (
            verdicts[record["id"]] if held else _malformed(record["domain"], record["problem"])
        )
    run.write("answers", records)
    return failures


def _verify(
    run: Run, pairs: Sequence[Mapping[str, object]], config: Config, jobs: int, progress: Progress
) -> dict[str, dict[str, object]]:
    def told(done: int, total: int, summary: Summary) -> None:
        progress("verdicts", done, total)

    run.write("pairs", pairs)
    output = run.path("verdicts")
    run_batch(run.path("pairs"), output, timeout=config.timeout, jobs=jobs, resume=True, progress=told)
    found: dict[str, dict[str, object]] = {}
    for pair, record in zip(pairs, run.read("verdicts"), strict=True):
        if "error" in record:  # a pair that no line can hold, e.g. an answer of many megabytes
            refused = unknown(str(pair["domain"]), ReasonCode.UNSUPPORTED, str(record["error"]))
            found[str(pair["id"])] = refused.to_json()
        else:
            found[str(record.pop("id"))] = record
    return found


def _malformed(domain: str, problem: str) -> dict[str, object]:
    """A reply without a specification is a failed answer, never an unknown one."""
    return invalid(domain, ReasonCode.SYNTAX, f"the reply holds no specification: {problem}").to_json()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One judgement to make and the calls that make it."""

    record: dict[str, Any]
    """What the judgement's record says before there is a reply."""
    calls: tuple[Call, ...]
    """One, or for `equivalence` one an order."""


def run_judges(
    run: Run,
    judges: Sequence[str],
    kinds: Sequence[str],
    *,
    concurrency: int = 8,
    progress: Progress = _quiet,
    given: Mapping[str, Model] | None = None,
) -> Failures:
    """Let judges judge the answers of a run (`formalization`, `equivalence`) or its oracles (`oracle`).

    Writes `judgements.jsonl`, one record a judgement. It holds no verdict: reports join the two by task,
    model and epoch, so that a better verifier rescores a run without a new call. Judgements made before,
    by other judges or of other kinds, are kept.
    """
    config, tasks = run.config(), {task.id: task for task in run.tasks()}
    wanted = list(wanted_judgements(run.read("answers"), tasks, config, judges, kinds))
    calls = [call for item in wanted for call in item.calls]
    replies, failures = _gather(
        run, calls, concurrency, lambda done: progress("judgements", done, len(calls)), given
    )
    made: dict[tuple[object, ...], dict[str, Any]] = {_name(old): old for old in run.read("judgements")}
    for item in wanted:
        answered = [replies[call] for call in item.calls if call in replies]
        if len(answered) < len(item.calls):
            continue
        scores = [read_score(reply.text, tolerant=config.tolerant) for reply in answered]
        values = [score.value for score in scores]
        judgement = from_both_orders(*values) if len(values) == 2 else from_score(values[0])
        made[_name(item.record)] = {
            **item.record,
            "scores": values,
            "problems": [score.problem for score in scores],
            "judgement": judgement.value,
            "replies": [reply.to_json() for reply in answered],
        }
    run.write("judgements", made.values())
    return failures


def _name(record: Mapping[str, Any]) -> tuple[object, ...]:
    return tuple(record[field] for field in ("kind", "judge", "task", "model", "epoch"))


def wanted_judgements(
    answers: Iterable[Mapping[str, Any]],
    tasks: Mapping[str, Task],
    config: Config,
    judges: Sequence[str],
    kinds: Sequence[str],
) -> Iterator[Wanted]:
    """Every judgement of these answers, and of each task's oracle once a judge, with its calls."""
    asked: set[tuple[str, str]] = set()
    for answer in answers:
        task, candidate = tasks[answer["task"]], answer["candidate"]
        for judge in judges:
            name = answer["model"] if judge == SELF else judge
            record = {
                "task": task.id,
                "domain": task.domain,
                "model": answer["model"],
                "epoch": answer["epoch"],
                "judge": name,
            }

            def call(role: Role, prompt: str, subject: str, *, judge: str = name, task: Task = task) -> Call:
                return Call(judge, system(role, task.domain), prompt, config.settings, 0, subject)

            about = f"{task.id}|{answer['model']}|{answer['epoch']}"
            if "oracle" in kinds and (name, task.id) not in asked:
                asked.add((name, task.id))
                prompt = ask_formalization(task.statement, task.context, _meanings(task), task.oracle)
                made = call(Role.FORMALIZATION, prompt, f"oracle/{task.id}")
                yield Wanted({**record, "kind": "oracle", "model": None, "epoch": 0}, (made,))
            if candidate is None:
                continue
            if "formalization" in kinds:
                prompt = ask_formalization(task.statement, task.context, _meanings(task), candidate)
                made = call(Role.FORMALIZATION, prompt, f"formalization/{about}")
                yield Wanted({**record, "kind": "formalization"}, (made,))
            if "equivalence" in kinds:
                first = ask_equivalence(task.context, _meanings(task), task.oracle, candidate)
                second = ask_equivalence(task.context, _meanings(task), candidate, task.oracle)
                both = (
                    call(Role.EQUIVALENCE, first, f"equivalence/oracle-first/{about}"),
                    call(Role.EQUIVALENCE, second, f"equivalence/candidate-first/{about}"),
                )
                yield Wanted({**record, "kind": "equivalence"}, both)


def _gather(
    run: Run,
    calls: Sequence[Call],
    concurrency: int,
    progress: Callable[[int], None],
    given: Mapping[str, Model] | None,
) -> tuple[dict[Call, Reply], Failures]:
    """The replies to all calls that succeed; models that need no call are not opened.

    A keeper makes the calls, so that they survive this process; where models are given that no name opens,
    they are made here.
    """
    replies: dict[Call, Reply] = {}
    failures = Failures()
    with ExitStack() as stack:
        ledger = stack.enter_context(CallLedger(run.calls))
        if given:
            models = Lazily(stack)
            models.update(given)
            results = run_calls(calls, models, ledger, concurrency=concurrency)
        else:
            results = kept_calls(calls, ledger, run.calls, concurrency=concurrency)
        for done, (call, reply) in enumerate(results, 1):
            if isinstance(reply, ModelError):
                failures.count += 1
                failures.first = failures.first or str(reply)
            else:
                replies[call] = reply
            progress(done)
    return replies, failures


def _meanings(task: Task) -> Mapping[str, str]:
    meanings = task.extra.get("meanings")
    return meanings if isinstance(meanings, Mapping) else {}


def new_run(folder: Path, tasks: Sequence[Task], models: Sequence[str], **options: Any) -> Run:
    """A run of these models on these tasks, in a folder that may hold the beginnings of the same run."""
    settings = Settings(**{k: options.pop(k) for k in ("temperature", "reasoning_effort", "max_tokens")})
    run = Run(folder)
    run.create(Config(tuple(models), settings=settings, **options), tasks)
    return run


__all__ = ["SELF", "Failures", "Wanted", "new_run", "run_judges", "run_models", "wanted_judgements"]
