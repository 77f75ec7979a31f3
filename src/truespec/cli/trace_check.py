"""`truespec trace check`: the options of a check, and its table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from truespec.cli.common import executor_option
from truespec.cli.grouped import grouped
from truespec.cli.progress import Progress
from truespec.cli.trace_options import (
    FORMAT_OPTION,
    JOIN_OPTIONS,
    REDACT_OPTIONS,
    RULE_OPTIONS,
    ProblemReport,
    RedactChoice,
)
from truespec.compliance.baseline import Accepted
from truespec.compliance.run import Tally
from truespec.executors.trace_check import (
    CheckOutcome,
    CheckRequest,
    Gate,
    Joining,
    JudgeChoice,
    RuleChoice,
    StateChoice,
    Stopped,
    run_check,
)

JUDGE_OPTIONS = (
    click.option(
        "--model", help="Judge what no monitor can check: a name of Inspect AI, recorded:FILE, python:M:F."
    ),
    click.option(
        "--evaluators",
        "--evaluator",
        "chosen",
        multiple=True,
        help="Only these, e.g. output_spec,predicted_plan; repeatable.  [default: all seven]",
    ),
    click.option(
        "--extractor",
        help="Model that first extracts rules, plans and final states from each prompt; 'self' is the judge.",
    ),
    click.option(
        "--ledger",
        "ledger_file",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Where replies are kept.  [default: beside the output]",
    ),
    click.option(
        "--concurrency", type=click.IntRange(1, 512), default=8, show_default=True, help="Calls at once."
    ),
    click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the judge."),
    click.option(
        "--structured",
        is_flag=True,
        help="Ask the server to hold replies to a JSON Schema (llama.cpp and servers like it).",
    ),
    click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply."),
    click.option(
        "--budget",
        type=click.IntRange(2000),
        default=120_000,
        show_default=True,
        help="Characters of one prompt; longer traces are read in parts.",
    ),
)
GATE_OPTIONS = (
    click.option(
        "--fail-on",
        type=click.Choice(["low", "medium", "high", "critical"]),
        help="Exit 1 on such a violation or worse.",
    ),
    click.option(
        "--fail-on-skipped",
        is_flag=True,
        help="Exit 1 where any rule could not be evaluated, or a part of the input not read; rules that say "
        "'required: true' always do.",
    ),
    click.option(
        "--junit", "junit_file", type=click.Path(dir_okay=False, path_type=Path), help="JUnit XML for CI."
    ),
    click.option(
        "--sarif", "sarif_file", type=click.Path(dir_okay=False, path_type=Path), help="SARIF 2.1.0 for CI."
    ),
    click.option(
        "--baseline",
        "baseline_file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Violations that 'trace accept' has written down; --fail-on and JUnit count the others alone.",
    ),
)
STATE_OPTIONS = (
    click.option(
        "--world",
        "worlds",
        multiple=True,
        metavar="DOMAIN=MODULE:NAME",
        help="Your own model of an environment, a truespec.worlds.world.World; airline and retail of "
        "tau2-bench are built in. Repeatable.",
    ),
    click.option(
        "--reference-state",
        "reference",
        is_flag=True,
        help="Replay each task's reference actions and expect the database that they leave (tau2-bench).",
    ),
)
TYPES_OPTION = click.option(
    "--types",
    type=click.Path(exists=True, path_type=Path),
    help="tool_types.json, or a folder with <domain>/tool_types.json.",
)


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@grouped("rules", RuleChoice, *RULE_OPTIONS)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="JSONL of artifacts, or a folder for one file each.",
)
@FORMAT_OPTION
@click.option(
    "--compact",
    is_flag=True,
    help="Write each set of rules once, on a line of its own, instead of in every artifact.",
)
@click.option("--resume", is_flag=True, help="Keep the artifacts that the output already holds.")
@grouped("gate", Gate, *GATE_OPTIONS)
@click.option(
    "--scoring",
    "scoring_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML with other weights, tiers, penalties or share for blocked acts.",
)
@grouped("judges", JudgeChoice, *JUDGE_OPTIONS)
@click.option("--json", "as_json", is_flag=True, help="The counts as one JSON object instead of the table.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@grouped("state", StateChoice, *STATE_OPTIONS)
@grouped("joining", Joining, *JOIN_OPTIONS, TYPES_OPTION)
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=None, help="Workers for monitors.  [default: one per core]"
)
@executor_option
def check(
    paths: tuple[Path, ...],
    rules: RuleChoice,
    gate: Gate,
    judges: JudgeChoice,
    joining: Joining,
    output: Path | None,
    form: str | None,
    resume: bool,
    scoring_file: Path | None,
    redact: RedactChoice,
    state: StateChoice,
    jobs: int | None,
    compact: bool,
    executor: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check traces against rules; one artifact per trace.

    PATHS are files or folders of traces in any supported format; - reads lines from standard input. Without
    --rules, --pack and --extractor, all built-in packs are checked. With --model, the seven evaluators judge
    what no monitor can; answers have to quote the trace, and replies are kept and never asked for again.
    Exit 0, or 1 when --fail-on is given and a violation of that severity or worse was found that no
    --baseline accepts, when a rule that says 'required: true' could not be evaluated, or when no trace could
    be read.
    """
    report, progress = ProblemReport(paths), Progress(quiet)
    request = CheckRequest(
        paths,
        rules,
        joining,
        judges,
        gate,
        output,
        form,
        resume,
        scoring_file,
        redact.hiding(),
        jobs,
        compact,
        executor,
        state,
    )

    def show(tally: Tally) -> None:
        progress.show(f"{tally.traces} traces, {sum(tally.violations.values())} violations")

    try:
        outcome = run_check(request, report.show, lambda text: click.echo(text, err=True), show)
    except Stopped as stopped:
        progress.end()
        hint = f"{output} keeps them; --resume goes on from there" if output else "-o keeps what was checked"
        click.echo(f"stopped after {stopped.traces} traces: {hint}", err=True)
        sys.exit(130)
    finally:
        progress.end()
        report.end()
    if as_json:
        click.echo(json.dumps(outcome.record()))
    elif not quiet:
        _print(outcome)
    for line in outcome.failing:
        click.echo("".join(char if char.isprintable() else "\ufffd" for char in line), err=True)
    if outcome.skipped:
        click.echo(f"not evaluated, so the check fails: {', '.join(outcome.skipped)}", err=True)
    if gate.fail_on_skipped and outcome.unread:
        click.echo(f"not read, so the check fails: {outcome.unread} problems", err=True)
    sys.exit(1 if outcome.failed else 0)


def _print(outcome: CheckOutcome) -> None:
    """The table of a run, and what judges cost."""
    from truespec.compliance.overview import overview

    for line in overview(outcome.tally):
        click.echo(line)
    if outcome.gone:
        click.echo(f"{len(outcome.gone)} accepted violations no longer occur, e.g. {_named(outcome.gone[0])}")
    if spent := outcome.spent:
        cost = f", ${spent['usd']:.4f}" if spent["usd"] else ""
        click.echo(
            f"judged with {spent['calls']:.0f} calls, {spent['input_tokens']:.0f} tokens read, "
            f"{spent['output_tokens']:.0f} written{cost}, {spent['seconds']:.0f} s of calls"
        )


def _named(entry: Accepted) -> str:
    return f"{entry.rule_id} at message {entry.message_index} of {entry.trace_id}"
