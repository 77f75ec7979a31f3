"""`truespec bench run` and `bench judge`: what models are asked, how, and what it may cost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from truespec.benchmark.select import check_oracles, choose, named_tasks
from truespec.benchmark.task import Task
from truespec.cli.common import Seconds, echo, executor_option
from truespec.cli.progress import Progress
from truespec.executors.batch import executor_of
from truespec.executors.bench import SELF, Failures, grow_run, run_judges, run_models
from truespec.executors.pace import Limits
from truespec.executors.rounds import Feedback, run_rounds
from truespec.judges.manner import Manner
from truespec.judges.prompts import read_prompts
from truespec.models.presets import expand
from truespec.models.registry import open_model
from truespec.reports.bench import tables
from truespec.reports.bench_rounds import rounds_table
from truespec.reports.bench_runs import read_runs
from truespec.store.runs import Run, read_tasks
from truespec.verdict import UsageError

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType  # generic from click 8.4 on only

Command = TypeVar("Command", bound=Callable[..., Any])

_PROMPTS = click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    default=None,
    help="A folder with prompts of your own: answer.md, formalization.md, equivalence.md.",
)


class Price(_ParamType):
    """`MODEL=INPUT,OUTPUT` in US dollars per million tokens."""

    name = "MODEL=INPUT,OUTPUT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The model and both prices; a usage error where the text is of another form."""
        if not isinstance(value, str):
            return value
        model, _, prices = value.rpartition("=")
        try:
            read, written = (float(part) for part in prices.split(","))
        except ValueError:
            read = written = -1.0
        if not model or not 0 <= read < float("inf") or not 0 <= written < float("inf"):
            self.fail(f"{value!r}: expected MODEL=INPUT,OUTPUT, e.g. openai/gpt-5=1.25,10", param, ctx)
        return model, (read, written)


def limit_options(command: Command) -> Command:
    """The options that bound how fast calls are made and what they cost."""
    for option in (
        click.option("--concurrency", type=click.IntRange(1, 512), default=8, help="Calls at once."),
        click.option(
            "--price", "prices", multiple=True, type=Price(), help="US$ per million tokens, where unknown."
        ),
        click.option(
            "--tokens-per-minute", type=click.IntRange(1), default=None, help="Of each model, at most."
        ),
        click.option(
            "--requests-per-minute", type=click.IntRange(1), default=None, help="Of each model, at most."
        ),
        click.option(
            "--max-cost",
            type=click.FloatRange(0, min_open=True),
            default=None,
            help="US$ for all calls of the folder; a call that may pass it is not made.",
        ),
    ):
        command = option(command)
    return command


def limits_of(
    max_cost: float | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    prices: tuple[tuple[str, tuple[float, float]], ...],
) -> Limits:
    """The limits that the options of `limit_options` state."""
    return Limits(max_cost, requests_per_minute, tokens_per_minute, dict(prices))


@click.command()
@click.option("--model", "models", multiple=True, required=True, help="A model; give it again for more.")
@click.option("--tasks", default="bundled", show_default=True, help="A file, or bundled+variants[:SEED].")
@click.option("--domain", "domains", multiple=True, help="Only these domains.")
@click.option("--tag", "tags", multiple=True, help="Only tasks with this tag, such as hard; repeatable.")
@click.option("--limit", type=click.IntRange(1), default=None, help="Only the first N tasks of each domain.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The run's folder.")
@click.option("--epochs", type=click.IntRange(1), default=1, show_default=True, help="Answers per task.")
@click.option("--temperature", type=float, default=1.0, show_default=True, help="Of the models.")
@click.option("--reasoning-effort", default="medium", show_default=True, help="Or 'none'.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply.")
@_PROMPTS
@click.option(
    "--few-shot",
    type=click.Path(path_type=Path),
    default=None,
    help="A file of tasks; those of the same domain are shown solved before each task.",
)
@click.option(
    "--rounds", type=click.IntRange(0), default=0, show_default=True, help="How often a model may repair."
)
@click.option(
    "--feedback",
    "kinds",
    multiple=True,
    type=click.Choice([kind.value for kind in Feedback]),
    default=(Feedback.COUNTEREXAMPLE.value,),
    show_default=True,
    help="The feedback on an answer; give it again to compare kinds.",
)
@click.option("--feedback-judge", default=SELF, show_default=True, help="Who judges for --feedback judge.")
@click.option("--timeout", type=Seconds(), default=4.0, show_default=True, help="Seconds per verification.")
@click.option("--tolerant", is_flag=True, help="Also read answers in a form that was not asked for.")
@limit_options
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Verifiers.  [default: one per core]")
@executor_option
def run(
    models: tuple[str, ...],
    tasks: str,
    domains: tuple[str, ...],
    tags: tuple[str, ...],
    limit: int | None,
    output: Path,
    epochs: int,
    temperature: float,
    reasoning_effort: str,
    max_tokens: int | None,
    prompts: Path | None,
    few_shot: Path | None,
    rounds: int,
    kinds: tuple[str, ...],
    feedback_judge: str,
    timeout: float,
    tolerant: bool,
    concurrency: int,
    jobs: int | None,
    executor: str,
    max_cost: float | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    prices: tuple[tuple[str, tuple[float, float]], ...],
) -> None:
    """Let models answer tasks and verify the answers.

    A model is a name of Inspect AI such as openai/gpt-5, recorded:FILE, or python:MODULE:FUNCTION, where the
    function takes a call (call.system, call.prompt) and returns the reply's text, or a Reply with tokens and
    cost. 'respecbench' stands for the nine models of the paper, 'respecbench/gpt-5' and so on for one of
    them, through OpenRouter.

    The same command again continues an interrupted run: recorded replies are not asked for again, and a newer
    verifier decides old answers anew. More models, tasks or epochs, or another --timeout, let the run in
    OUTPUT grow; what was asked stays. The defaults are those of RESpecBench.

    With --rounds, models repair their answers. They learn nothing (none), that an answer is refuted or
    invalid (answer), also an input on which it differs (counterexample), or a judge's opinion (judge).
    'bench report' shows success by round.

    Exit code: 0 when every task has its answer, 1 when calls failed for good or were not made because of
    --max-cost, 2 for a wrong call.
    """
    chosen = chosen_tasks(tasks, domains, limit, tags)
    if named_tasks(tasks, domains) is None:
        check_oracles(chosen, tasks)
    models = expand(models)
    (judge_name,) = expand((feedback_judge,))
    asks_judge = rounds and Feedback.JUDGE.value in kinds and judge_name != SELF
    for model in (*models, *([judge_name] if asks_judge else [])):
        open_model(model).close()  # a wrong name must not leave a folder behind
    begun, news = grow_run(
        output,
        chosen,
        models,
        epochs=epochs,
        temperature=temperature,
        reasoning_effort=None if reasoning_effort == "none" else reasoning_effort,
        max_tokens=max_tokens,
        timeout=timeout,
        tolerant=tolerant,
        prompts=read_prompts(prompts) if prompts else {},
        examples=tuple(read_tasks(few_shot)) if few_shot else (),
    )
    if news:
        echo(f"the run in {output} grows: {'; '.join(news)}")
    how: dict[str, Any] = {
        "concurrency": concurrency,
        "jobs": jobs or len(os.sched_getaffinity(0)),
        "progress": Progress().show,
        "executor": executor_of(executor),
        "limits": limits_of(max_cost, requests_per_minute, tokens_per_minute, prices),
    }
    failures = run_models(begun, **how)
    if rounds and begun.read("answers"):
        chosen_kinds = [Feedback(kind) for kind in dict.fromkeys(kinds)]
        failures.add(run_rounds(begun, chosen_kinds, rounds, judge=judge_name, **how))
    _show_success(begun, with_rounds=rounds > 0)
    _close(failures, begun, f"truespec bench judge {begun.folder}")


def _show_success(begun: Run, *, with_rounds: bool) -> None:
    """The tables of success, of all that was asked, and of repair."""
    if not begun.read("answers"):
        return
    loaded = read_runs([begun.folder])
    found = tables(loaded.answers, [], loaded.tasks, loaded.missing)
    shown = [table for table in found if table.name == "success"]
    if with_rounds:
        shown.append(rounds_table(loaded.rounds, loaded.answers))
    if loaded.warning:
        echo(loaded.warning)
    for table in shown:
        for row in table.to_markdown().splitlines():
            echo(row)


def chosen_tasks(
    tasks: str, domains: tuple[str, ...], limit: int | None, tags: tuple[str, ...] = ()
) -> list[Task]:
    """The tasks of a file or of a name such as `bundled`, of these domains and tags, `limit` of each."""
    every = named_tasks(tasks, domains)
    return choose(read_tasks(Path(tasks)) if every is None else every, domains, limit, tags)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--judge", "judges", multiple=True, default=(SELF,), show_default=True, help="A model, or 'self'."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["formalization", "equivalence", "oracle"]),
    default=("formalization", "equivalence"),
    show_default=True,
    help="What judges are asked; repeatable.",
)
@click.option("--temperature", type=float, default=None, help="Of the judges.  [default: the run's]")
@click.option("--reasoning-effort", default=None, help="Or 'none'.  [default: the run's]")
@click.option(
    "--max-tokens", type=click.IntRange(1), default=None, help="The longest reply.  [default: the run's]"
)
@click.option(
    "--samples", type=click.IntRange(1), default=1, show_default=True, help="Odd; the majority decides."
)
@_PROMPTS
@limit_options
def judge(
    folder: Path,
    judges: tuple[str, ...],
    kinds: tuple[str, ...],
    temperature: float | None,
    reasoning_effort: str | None,
    max_tokens: int | None,
    samples: int,
    prompts: Path | None,
    concurrency: int,
    max_cost: float | None,
    requests_per_minute: int | None,
    tokens_per_minute: int | None,
    prices: tuple[tuple[str, tuple[float, float]], ...],
) -> None:
    """Let judges judge the answers of the run in FOLDER.

    By default every model judges its own answers, by statement (formalization) and against the oracle in both
    orders (equivalence); 'oracle' judges the oracles themselves. A judge that is asked with settings or
    prompts of its own is another judge in the report.

    Exit code: 0 when every judgement was made, 1 when calls failed for good or were not made because of
    --max-cost, 2 for a wrong call.
    """
    begun = Run(folder)
    settings = begun.config().settings
    if not begun.read("answers"):
        raise UsageError(f"{folder} holds no answers yet: run 'truespec bench run -o {folder} ...' first")
    if samples % 2 == 0:
        raise UsageError(f"--samples {samples}: a majority needs an odd number")
    given: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}
    given = {name: value for name, value in given.items() if value is not None}
    if reasoning_effort is not None:
        given["reasoning_effort"] = None if reasoning_effort == "none" else reasoning_effort
    failures = run_judges(
        begun,
        expand(judges),
        kinds,
        concurrency=concurrency,
        progress=Progress().show,
        limits=limits_of(max_cost, requests_per_minute, tokens_per_minute, prices),
        manner=Manner(replace(settings, **given), samples, read_prompts(prompts) if prompts else {}),
    )
    _close(failures, begun, f"truespec bench report {begun.folder}")


def _close(failures: Failures, begun: Run, following: str) -> None:
    if failures.spent:
        echo(f"US$ {failures.spent:.4g} spent on all calls of {begun.folder}")
    if failures.count:
        echo(f"{failures.count} calls failed; the first said: {failures.first}")
    if failures.unasked:
        echo(f"{failures.unasked} calls were not made: {failures.why}")
    if failures.count or failures.unasked:
        echo("the same command again makes only these calls")
        sys.exit(1)
    echo(f"-> {begun.folder}   (next: {following})")
