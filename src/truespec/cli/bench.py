"""`truespec bench`: answers from models, judges of answers, tables of both; each command on its own."""

from __future__ import annotations

import click

from truespec.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "run": (
        "truespec.cli.bench_run:run",
        "Let models answer tasks and verify the answers.",
    ),
    "judge": (
        "truespec.cli.bench_run:judge",
        "Let judges judge the answers of the run in FOLDER.",
    ),
    "report": (
        "truespec.cli.bench_report:report",
        "Write the tables and figures of the runs in FOLDERS, or of the recorded baseline where none is "
        "named.",
    ),
    "import": (
        "truespec.cli.bench_import:import_",
        "Make a run of recorded answers and judgements, verified.",
    ),
    "export": (
        "truespec.cli.bench_export:export",
        "Export the tasks, answers and judgements of the runs in FOLDERS, for the datasets library.",
    ),
    "candidates": (
        "truespec.cli.bench_candidates:candidates",
        "Make labelled candidates for a study of judges: oracles changed, the verifiers supplying the "
        "labels.",
    ),
    "certify": (
        "truespec.cli.certify:certify",
        "Certify the oracles of the bundled tasks, or of a task file of your own.",
    ),
    "difficulty": (
        "truespec.cli.bench_difficulty:difficulty_command",
        "Show how hard the bundled tasks are: size, length, and what readers made of them.",
    ),
    "timeouts": (
        "truespec.cli.bench_report:timeouts",
        "Verify what the run in FOLDER left unknown again, at each limit, until it is decided.",
    ),
    "baseline": (
        "truespec.cli.bench_report:baseline",
        "Make the recorded baseline anew: its answers and judges, verified on this machine.",
    ),
}
"""Name to `module:command` and the command's first sentence."""


@click.group(
    cls=LazyGroup, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
def bench() -> None:
    """Measure how well models write specifications, and how far judges can be trusted."""
