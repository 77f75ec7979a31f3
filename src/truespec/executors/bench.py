"""The benchmark's two halves: models answer and verifiers decide; judges judge what was verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truespec.benchmark.answer import read_answer
from truespec.benchmark.task import Task
from truespec.executors.batch import Summary, run_batch
from truespec.executors.calls import Lazily, run_calls
from truespec.executors.keeper import kept_calls
from truespec.executors.pace import Limits, NotAsked, Pace
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
from truespec.models.call import Call, Reply, Settings
from truespec.models.contract import Model, ModelError
from truespec.models.registry import open_model
from truespec.store.calls import CallLedger
from truespec.store.runs import Config, Run
from truespec.verdict import ReasonCode, UsageError, invalid, unknown

SELF = "self"
"""The judge's name that stands for the model which answered, as in RESpecBench."""

NO_LIMITS = Limits()

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
    unasked: int = 0
    """How many were not made, since the spending cap would be passed."""
    why: str = ""
    """What the cap said."""
    spent: float = 0.0
    """US dollars for all calls of the folder, as far as they are known."""


def run_models(
    run: Run,
    *,
    concurrency: int = 8,
    jobs: int = 1,
    progress: Progress = _quiet,
    given: Mapping[str, Model] | None = None,
    limits: Limits = NO_LIMITS,
) -> Failures:
    """Let every model answer every task, verify the answers, and write `answers.jsonl`.

    `given` holds models that are at hand; every other name is opened. Recorded replies are not asked for
    again; verdicts of the same version and limit are not computed again.
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
            prompt=ask_answer(task.statement, task.context, meanings_of(task), examples[task.domain]),
            settings=config.settings,
            epoch=epoch,
            subject=f"answer/{task.id}",
        )
        for task, model, epoch in wanted
    ]
    replies, failures = _gather(run, "answers", calls, concurrency, progress, given, limits)
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
    """One a sample, or for `equivalence` one a sample and order."""


def run_judges(
    run: Run,
    judges: Sequence[str],
    kinds: Sequence[str],
    *,
    concurrency: int = 8,
    progress: Progress = _quiet,
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
    replies, failures = _gather(run, "judgements", calls, concurrency, progress, given, limits)
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
    told = manner.told(config.settings)
    about_judge = {"manner": told, "settings": asdict(manner.settings)} if told else {}
    for answer in answers:
        task, candidate = tasks[answer["task"]], answer["candidate"]
        for judge in judges:
            name = answer["model"] if judge == SELF else judge
            record = {
                "task": task.id,
                "domain": task.domain,
                "model": answer["model"],
                "epoch": answer["epoch"],
                "judge": f"{name} ({told})" if told else name,
                **({"judge_model": name, **about_judge} if told else {}),
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
                prompt = ask_formalization(task.statement, task.context, meanings_of(task), task.oracle)
                made = ask(Role.FORMALIZATION, (prompt, f"oracle/{task.id}"))
                yield Wanted({**record, "kind": "oracle", "model": None, "epoch": 0}, made)
            if candidate is None:
                continue
            if "formalization" in kinds:
                prompt = ask_formalization(task.statement, task.context, meanings_of(task), candidate)
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


def _gather(
    run: Run,
    stage: str,
    calls: Sequence[Call],
    concurrency: int,
    progress: Progress,
    given: Mapping[str, Model] | None,
    limits: Limits,
) -> tuple[dict[Call, Reply], Failures]:
    """The replies to all calls that succeed; models that need no call are not opened.

    Every model that has to be called is opened first, so that a wrong name is told before any call. A keeper
    makes the calls, so that they survive this process; where models are given that no name opens, they are
    made here, without limits.
    """
    replies: dict[Call, Reply] = {}
    failures = Failures()
    with ExitStack() as stack:
        ledger = stack.enter_context(CallLedger(run.calls))
        pace = Pace(limits, sum(limits.cost(model, reply) or 0.0 for model, reply in ledger.replies()))
        if given:
            models = Lazily(stack)
            models.update(given)
            results = run_calls(calls, models, ledger, concurrency=concurrency)
        else:
            for name in dict.fromkeys(call.model for call in ledger.unanswered(calls)):
                open_model(name).close()
            results = kept_calls(calls, ledger, run.calls, concurrency=concurrency, pace=pace)
        for done, (call, reply) in enumerate(results, 1):
            if isinstance(reply, NotAsked):
                failures.unasked += 1
                failures.why = failures.why or str(reply)
            elif isinstance(reply, ModelError):
                failures.count += 1
                failures.first = failures.first or str(reply)
            else:
                replies[call] = reply
            told = f"{stage} (US$ {pace.spent:.2f} spent)" if pace.spent else stage
            progress(told, done, len(calls))
        failures.spent = pace.spent
    return replies, failures


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
