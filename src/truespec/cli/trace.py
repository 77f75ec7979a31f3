"""`truespec trace`: the commands on traces, each imported only when it is run."""

from __future__ import annotations

import click

from truespec.cli.lazy import LazyGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "import": (
        "truespec.cli.trace_import:import_",
        "Turn traces of any supported format into one JSON line each.",
    ),
    "check": ("truespec.cli.trace_check:check", "Check traces against rules; one artifact per trace."),
    "watch": (
        "truespec.cli.trace_watch:watch",
        "Check conversations while they grow, from files or from OpenTelemetry.",
    ),
    "suggest": (
        "truespec.cli.trace_suggest:suggest",
        "Propose repairs for the rules that most traces break.",
    ),
    "accept": (
        "truespec.cli.trace_accept:accept",
        "Accept the violations of a run, so that later checks fail on new ones only.",
    ),
    "report": (
        "truespec.cli.trace_report:report",
        "Tables and figures of a run, and a page per trace with each violation at its message.",
    ),
    "analyze": ("truespec.cli.trace_analyze:analyze", "What a labelled corpus of traces shows."),
    "compare": (
        "truespec.cli.trace_compare:compare",
        "Compare two versions of an agent on the same tasks.",
    ),
    "select": (
        "truespec.cli.trace_select:select",
        "Choose traces as the paper does: few per task, mostly failures, from short to long.",
    ),
}
"""Name to `module:command` and the command's first sentence."""


@click.group(
    cls=LazyGroup, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
def trace() -> None:
    """Traces of agents: import them, check them against rules, report what was found.

    What gzip and zip files unpack to is bounded, per file and per command. Environment variables set the
    bounds: TRUESPEC_UNPACK_FILE_BYTES and TRUESPEC_UNPACK_TOTAL_BYTES (with K, M, G or T),
    TRUESPEC_UNPACK_RATIO, TRUESPEC_UNPACK_FILE_SECONDS and TRUESPEC_UNPACK_TOTAL_SECONDS.
    """
