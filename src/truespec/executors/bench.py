"""The benchmark's two halves: models answer and verifiers decide; judges judge what was verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task, shown_context
from truespec.executors.answers import Given, verified
from truespec.executors.asking import NO_LIMITS, Failures, Progress, gather, quiet
from truespec.executors.batch import Executor
from truespec.executors.pace import Limits
from truespec.executors.pool import verifiers
from truespec.judges.decide import from_both_orders, from_score
from truespec.judges.manner import Manner, majority, median_scores
from truespec.judges.prompts import (
    Role,
    ask_answer,
    ask_equivalence,
    ask_formalization,
    meanings_of,
    system,
)
from truespec.judges.score import read_score
from truespec.models.call import Call, Settings
from truespec.models.contract import Model
from truespec.store.runs import Config, Run
from truespec.verdict import UsageError

SELF = "self"
"""The judge's name that stands for the model which answered, as in RESpecBench."""


def run_models(
    run: Run,
    *,
    concurrency: int = 8,
    jobs: int = 1,
    progress: Progress = quiet,
    given: Mapping[str, Model] | None = None,
    limits: Limits = NO_LIMITS,
    executor: Executor = verifiers,
) -> Failures:
    """Let every model answer every task, verify the answers, and write `answers.jsonl`.

    `given` holds models that are at hand; every other name is opened. Recorded replies are not asked for
    again; verdicts of the same version and limit are not computed again. `executor` makes what verifies.
    """
    config, tasks = run.config(), run.tasks()
    examples = {task.domain: [one for one in config.examples if one.domain == task.domain] for task in tasks}
    wanted = [
        (task, model, epoch) for model in config.models for task in tasks for epoch in range(config.epochs)
    ]
    calls = [
        Call(
            model=model,
            system=system(Role.ANSWER, task.domain, config.prompts),
            prompt=ask_answer(task.statement, shown_context(task), meanings_of(task), examples[task.domain]),
            settings=config.settings,
            epoch=epoch,
            subject=f"answer/{task.id}",
        )
        for task, model, epoch in wanted
    ]
    replies, failures = gather(run, "answers", calls, concurrency, progress, given, limits)
    given_answers = [
        Given(f"{task.id}|{model}|{epoch}", task, model, epoch, replies[call])
        for (task, model, epoch), call in zip(wanted, calls, strict=True)
        if call in replies
    ]
    run.write("answers", verified(run, given_answers, config, jobs, progress, executor=executor))
    return failures


@dataclass(frozen=True, slots=True)
class Wanted:
    """One judgement to make and the calls that make it."""

    record: dict[str, Any]
    """What the judgement's record says before there is a reply."""
    calls: tuple[Call, ...]
    """One a sample, or for `equivalence` one a sample and order."""


def run_judges(
    run: Run,
    judges: Sequence[str],
    kinds: Sequence[str],
    *,
    concurrency: int = 8,
    progress: Progress = quiet,
    given: Mapping[str, Model] | None = None,
    limits: Limits = NO_LIMITS,
    manner: Manner | None = None,
) -> Failures:
    """Let judges judge the answers of a run (`formalization`, `equivalence`) or its oracles (`oracle`).

    Writes `judgements.jsonl`, one record a judgement. It holds no verdict: reports join the two by task,
    model and epoch, so that a better verifier rescores a run without a new call. Judgements made before,
    by other judges or of other kinds, are kept. Without `manner`, judges are asked with the run's settings; a
    judge that is asked in another manner is another judge, with a name that says so.
    """
    config, tasks = run.config(), {task.id: task for task in run.tasks()}
    answers: list[dict[str, Any]] = run.read("answers")
    wanted = list(wanted_judgements(answers, tasks, config, judges, kinds, manner))
    calls = [call for item in wanted for call in item.calls]
    replies, failures = gather(run, "judgements", calls, concurrency, progress, given, limits)
    made: dict[tuple[object, ...], dict[str, Any]] = {_name(old): old for old in run.read("judgements")}
    for item in wanted:
        answered = [replies[call] for call in item.calls if call in replies]
        if len(answered) < len(item.calls):
            continue
        scores = [read_score(reply.text, tolerant=config.tolerant) for reply in answered]
        orders = 2 if item.record["kind"] == "equivalence" else 1
        values = [score.value for score in scores]
        samples = [values[start : start + orders] for start in range(0, len(values), orders)]
        said = [from_both_orders(*one) if orders == 2 else from_score(one[0]) for one in samples]
        made[_name(item.record)] = {
            **item.record,
            "scores": median_scores(samples),
            **({"samples": samples} if len(samples) > 1 else {}),
            "problems": [score.problem for score in scores],
            "judgement": majority(said).value,
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
    manner: Manner | None = None,
) -> Iterator[Wanted]:
    """Every judgement of these answers, and of each task's oracle once a judge, with its calls."""
    asked: set[tuple[str, str]] = set()
    manner = manner or Manner(config.settings)
    manner_text = manner.described(config.settings)
    about_judge = {"manner": manner_text, "settings": asdict(manner.settings)} if manner_text else {}
    for answer in answers:
        task, candidate = tasks[answer["task"]], answer["candidate"]
        for judge in judges:
            name = answer["model"] if judge == SELF else judge
            record = {
                "task": task.id,
                "domain": task.domain,
                "model": answer["model"],
                "epoch": answer["epoch"],
                "judge": f"{name} ({manner_text})" if manner_text else name,
                **({"judge_model": name, **about_judge} if manner_text else {}),
            }

            def ask(
                role: Role, *asked: tuple[str, str], judge: str = name, task: Task = task
            ) -> tuple[Call, ...]:
                about_role = system(role, task.domain, {**config.prompts, **manner.prompts})
                return tuple(
                    Call(judge, about_role, prompt, manner.settings, sample, subject)
                    for sample in range(manner.samples)
                    for prompt, subject in asked
                )

            about = f"{task.id}|{answer['model']}|{answer['epoch']}"
            if "oracle" in kinds and (name, task.id) not in asked:
                asked.add((name, task.id))
                prompt = ask_formalization(
                    task.statement, shown_context(task), meanings_of(task), task.oracle
                )
                made = ask(Role.FORMALIZATION, (prompt, f"oracle/{task.id}"))
                yield Wanted({**record, "kind": "oracle", "model": None, "epoch": 0}, made)
            if candidate is None:
                continue
            if "formalization" in kinds:
                prompt = ask_formalization(task.statement, shown_context(task), meanings_of(task), candidate)
                made = ask(Role.FORMALIZATION, (prompt, f"formalization/{about}"))
                yield Wanted({**record, "kind": "formalization"}, made)
            if "equivalence" in kinds:
                first = ask_equivalence(task.context, meanings_of(task), task.oracle, candidate)
                second = ask_equivalence(task.context, meanings_of(task), candidate, task.oracle)
                both = ask(
                    Role.EQUIVALENCE,
                    (first, f"equivalence/oracle-first/{about}"),
                    (second, f"equivalence/candidate-first/{about}"),
                )
                yield Wanted({**record, "kind": "equivalence"}, both)


def new_run(folder: Path, tasks: Sequence[Task], models: Sequence[str], **options: Any) -> Run:
    """A run of these models on these tasks, in a folder that may hold the beginnings of the same run."""
    return grow_run(folder, tasks, models, **options)[0]


def grow_run(
    folder: Path, tasks: Sequence[Task], models: Sequence[str], **options: Any
) -> tuple[Run, list[str]]:
    """The run in a folder, new or with more models, tasks and answers than before; and what is new, in words.

    Raises `UsageError` for an example that is one of the tasks, which would tell its answer.
    """
    settings = Settings(**{k: options.pop(k) for k in ("temperature", "reasoning_effort", "max_tokens")})
    config = Config(tuple(models), settings=settings, **options)
    for example in config.examples:
        for task in tasks:
            same = (task.domain, task.oracle) == (example.domain, example.oracle)
            if task.id == example.id or same or task.statement == example.statement:
                raise UsageError(f"the example {example.id!r} tells the answer to the task {task.id!r}")
    run = Run(folder)
    if (folder / "run.json").exists() and not run.config().asked:
        raise UsageError(f"{folder} holds made or imported answers, no run of models: name another folder")
    return run, run.create(config, tasks)


__all__ = [
    "SELF",
    "Failures",
    "Wanted",
    "grow_run",
    "new_run",
    "run_judges",
    "run_models",
    "wanted_judgements",
]
