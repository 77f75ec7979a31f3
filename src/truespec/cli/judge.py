"""`truespec judge`: how far judges can be trusted, measured on what is known to be right and wrong."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from truespec.benchmark.select import bundled_tasks, choose
from truespec.cli.common import echo
from truespec.cli.lazy import Group
from truespec.cli.progress import Progress
from truespec.cli.trace_options import JOIN_OPTIONS
from truespec.executors.calibrate import Asking, Planted, fault_kinds, judge_bundled, judge_faults
from truespec.executors.trace_input import joins_of
from truespec.metrics.calibration import TOLERATED, Calibration, Item, calibrate, corrected_violations, table
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import UNDEFINED, Table, share
from truespec.untrusted.outputs import check_apart, check_distinct
from truespec.verdict import UsageError


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def judge() -> None:
    """Judges: how often they are wrong, about what, and where they can be trusted."""


@judge.command("calibrate")
@click.argument("sources", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--model", "--judge", "models", multiple=True, help="A judge to ask; give it again for more.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="JSON of all rates.")
@click.option("--faults", default="all", show_default=True, help="Kinds of faults, with commas between.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Faults per kind and domain, or tasks per domain.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Where faults are put.")
@click.option("--domain", "domains", multiple=True, help="Bundled tasks: only these domains.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(["formalization", "equivalence"]),
    default=("formalization", "equivalence"),
    show_default=True,
    help="Bundled tasks: how judges are asked.",
)
@click.option(
    "--tolerate",
    type=click.FloatRange(0, 1),
    default=TOLERATED,
    show_default=True,
    help="Error rate to trust.",
)
@click.option(
    "--apply",
    "applied",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Artifacts that the judge has judged: print their violation rates, corrected for its errors.",
)
@click.option(
    "--ledger", "ledger_file", type=click.Path(dir_okay=False, path_type=Path), help="Where replies are kept."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 512), default=8, show_default=True, help="Calls at once."
)
@click.option(
    "--budget",
    type=click.IntRange(2000),
    default=120_000,
    show_default=True,
    help="Characters of one prompt.",
)
@click.option("--temperature", type=float, default=None, help="Default: 0 for traces, 1 for tasks.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply.")
@JOIN_OPTIONS[0]
@JOIN_OPTIONS[1]
@JOIN_OPTIONS[2]
def calibrate_(
    sources: tuple[Path, ...],
    models: tuple[str, ...],
    output: Path | None,
    faults: str,
    limit: int,
    seed: int,
    domains: tuple[str, ...],
    kinds: tuple[str, ...],
    tolerate: float,
    applied: Path | None,
    ledger_file: Path | None,
    concurrency: int,
    budget: int,
    temperature: float | None,
    max_tokens: int | None,
    folder: Path | None,
    tools: Path | None,
    prompt: Path | None,
) -> None:
    """Measure judges against what is known to be right and wrong.

    SOURCES are folders of benchmark runs with judgements, which need no model, or files of traces: known
    faults are put into them, and each judge is asked about the faulty trace and its clean twin. Without
    SOURCES, each judge is asked about the answers of the bundled tasks, whose verdicts are formal.

    Prints for each judge and kind of question false acceptances, false rejections, how often it pointed at
    the fault, kappa, and whether it may be trusted. Exit 0, or 1 when no judge gave a usable answer.
    """
    runs = [path for path in sources if (path / "run.json").exists()]
    files = tuple(path for path in sources if path not in runs)
    check_apart(output, (*files, tools, prompt))
    check_distinct(output, ledger_file)
    if not models and (files or not sources):
        raise UsageError("name a judge with --model")
    progress = Progress(False)
    items, spent = _of_runs(runs), dict[str, Any]()
    faulty: list[Item] = []
    with ExitStack() as closing:
        scratch = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        if files:
            from truespec.models.call import Settings

            beside = output.with_name(output.name + ".calls.sqlite") if output else scratch / "calls.sqlite"
            settings = Settings(temperature or 0.0, None, max_tokens)
            asking = Asking(models, ledger_file or beside, settings, budget, concurrency)
            joins, planted = joins_of(folder, tools, prompt), Planted(fault_kinds(faults), seed, limit)
            faulty = judge_faults(files, joins, planted, asking, partial(_show, progress), spent)
        elif not sources:
            tasks = choose(bundled_tasks(domains), domains, limit)
            warmth = 1.0 if temperature is None else temperature
            judge_bundled(scratch, tasks, models, kinds, concurrency, progress.show, warmth, max_tokens)
            items = _of_runs([scratch])
        progress.end()
    _report(items + faulty, _by_evaluator(faulty), spent, tolerate, applied, output)


def _report(
    items: Sequence[Item],
    evaluators: Sequence[Item],
    spent: Mapping[str, Any],
    tolerate: float,
    applied: Path | None,
    output: Path | None,
) -> None:
    """Print and write the rates; end with 1 where no judge gave a usable answer."""
    if not items:
        raise UsageError("nothing to measure: the runs hold no judgements, or no fault fits the traces")
    rates = calibrate(items, tolerate)
    echo(table(rates).to_markdown())
    record: dict[str, Any] = {"tolerated": tolerate, "rates": [one.to_json() for one in rates]}
    if spent:
        echo(_cost(rates, spent).to_markdown())
        record["spent"] = {name: one.record() for name, one in spent.items()}
    if evaluators:
        whole = [one for one in calibrate(evaluators, tolerate) if one.category and not one.domain]
        record["evaluators"] = [one.to_json() for one in whole]
        if applied is not None:
            record["corrected"] = _apply(applied, whole)
    elif applied is not None:
        raise UsageError("--apply corrects judged traces: calibrate on traces")
    if output is not None:
        output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if all(item.judgement.value == "unknown" for item in items):
        echo("no judge gave an answer that could be read")
        sys.exit(1)


def _of_runs(folders: Sequence[Path]) -> list[Item]:
    """The judgements of benchmark runs against the verdicts."""
    from truespec.reports.bench_items import join
    from truespec.store.runs import Run

    found: list[Item] = []
    for folder in folders:
        run = Run(folder)
        run.config()
        found += [
            Item(item.judge, item.kind, item.domain, item.answer, item.judgement)
            for item in join(run.read("answers"), run.read("judgements"))
            if item.judgement is not None
        ]
    return found


def _show(progress: Progress, name: str, done: int) -> None:
    progress.show(f"{name}: {done} faults")


def _cost(rates: Sequence[Calibration], spent: Mapping[str, Any]) -> Table:
    """Accuracy against cost, judge by judge."""
    rows = []
    for one in rates:
        if one.category or one.domain or one.judge not in spent:
            continue
        took, pairs = spent[one.judge], max(1, one.frr.total)
        right = one.far.total - one.far.hits + one.frr.total - one.frr.hits
        cost = UNDEFINED if took.cost is None else f"{took.cost / pairs:.5f}"
        rows.append(
            (
                one.judge,
                share(Proportion(right, one.far.total + one.frr.total)),
                f"{took.calls / pairs:.1f}",
                f"{(took.input_tokens + took.output_tokens) / pairs:.0f}",
                cost,
                f"{took.seconds / pairs:.2f}",
            )
        )
    columns = ("judge", "accuracy", "calls", "tokens", "US dollars", "seconds")
    return Table("cost", "Accuracy and what it takes, for each pair of twins", columns, tuple(rows))


def _by_evaluator(items: Sequence[Item]) -> list[Item]:
    """The same items by the evaluator that was asked."""
    from truespec.compliance.calibration import evaluator_of

    return [replace(item, category=evaluator_of(item.category)) for item in items]


def _apply(path: Path, rates: Sequence[Calibration]) -> list[dict[str, Any]]:
    """The judged violation rates of artifacts, corrected by the judge's errors, evaluator by evaluator."""
    from truespec.compliance.evaluators.registry import BY_CATEGORY
    from truespec.compliance.run import kept_lines

    passed: dict[tuple[str, str], list[bool]] = {}
    for _, artifact in kept_lines(path):
        categories = {rule["id"]: rule["category"] for rule in artifact["rules"]}
        seen: dict[str, bool] = {}
        for check in artifact["checks"]:
            if check.get("by") == "judge" and check["status"] != "not_evaluated":
                name = BY_CATEGORY[categories[check["rule_id"]]].name
                seen[name] = seen.get(name, True) and check["status"] == "pass"
        for name, kept in seen.items():
            passed.setdefault((artifact.get("judged", {}).get("model", ""), name), []).append(kept)
    made = []
    for one in rates:
        marks = passed.get((one.judge, one.category))
        if not marks:
            continue
        observed = Proportion(sum(marks), len(marks))
        found = corrected_violations(observed, one)
        value = 1 - (observed.value or 0.0)
        if found is None:
            echo(f"{one.judge}, {one.category}: {100 * value:.1f} % judged broken; the judge tells nothing")
        else:
            echo(
                f"{one.judge}, {one.category}: {100 * value:.1f} % judged broken, corrected "
                f"{100 * found[0]:.1f} % ({100 * found[1]:.0f}–{100 * found[2]:.0f})"
            )
        made.append(
            {
                "judge": one.judge,
                "evaluator": one.category,
                "traces": len(marks),
                "judged": value,
                "corrected": None if found is None else found[0],
                "low": None if found is None else found[1],
                "high": None if found is None else found[2],
            }
        )
    if not made:
        echo("--apply: no artifact there was judged by this judge")
    return made
