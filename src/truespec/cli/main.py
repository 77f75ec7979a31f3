"""`truespec`: the commands, each imported only when it is run."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import Any

import click

from truespec.cli.lazy import LazyGroup
from truespec.verdict import TruespecError
from truespec.version import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    "verify": (
        "truespec.cli.verify:verify",
        "Decide whether CANDIDATE means the same as ORACLE.",
    ),
    "batch": (
        "truespec.cli.batch:batch",
        "Verify every pair of PAIRS (JSON Lines, or Parquet: id, domain, oracle, candidate, context).",
    ),
    "merge": (
        "truespec.cli.merge:merge",
        "Join the outputs of 'truespec batch --shard I/N' into one, in the order of the pairs.",
    ),
    "recheck": (
        "truespec.cli.recheck:recheck",
        "Replay every counterexample and re-check every certificate of VERDICTS.",
    ),
    "data": (
        "truespec.cli.data:data",
        "Import data sets as their authors publish them.",
    ),
    "bench": (
        "truespec.cli.bench:bench",
        "Measure how well models write specifications, and how far judges can be trusted.",
    ),
    "judge": (
        "truespec.cli.judge:judge",
        "Judges: how often they are wrong, about what, and where they can be trusted.",
    ),
    "schema": (
        "truespec.cli.schema:schema",
        "Print the JSON Schema of a domain's context or of a record.",
    ),
    "doctor": (
        "truespec.cli.doctor:doctor",
        "List the tools that verdicts rest on, with versions; name what each missing one costs.",
    ),
    "trace": (
        "truespec.cli.trace:trace",
        "Traces of agents: import them, check them against rules, report what was found.",
    ),
    "guard": (
        "truespec.cli.guard:guard",
        "Guards: rules that hold before an agent acts.",
    ),
    "rules": (
        "truespec.cli.rules:rules",
        "Rules: compile them, compare them, see what changed.",
    ),
    "sql": (
        "truespec.cli.sql:sql",
        "Everyday questions about SQL.",
    ),
    "hook": (
        "truespec.cli.hook:hook",
        "Check changed files against their earlier versions, as git has them: for pre-commit and CI.",
    ),
    "regex": (
        "truespec.cli.regex:regex",
        "Everyday questions about regular expressions.",
    ),
    "demo": (
        "truespec.cli.demo:demo",
        "Verify the bundled tasks: no network, no key, under a minute.",
    ),
    "serve": (
        "truespec.cli.serve:serve",
        "Start the local app and its HTTP API; Ctrl-C ends it.",
    ),
    "mcp": (
        "truespec.cli.mcp:mcp",
        "Serve tools for agents over the Model Context Protocol.",
    ),
    "otel": (
        "truespec.cli.otel:otel",
        "Send recorded verdicts and violations to an OpenTelemetry collector, as spans and events.",
    ),
    "view": (
        "truespec.cli.view:view",
        "Show what RUN found: a folder with a report.html, or a verdict file together with its --pairs.",
    ),
}
"""Name to `module:command` and the command's first sentence; `truespec --help` lists them in this order.

The sentence is repeated here so that `--help` and completion import no command.
"""

DEBUG = "TRUESPEC_DEBUG"
"""The environment variable that asks for the traceback of an error."""

PACKAGE = f"{os.sep}truespec{os.sep}"
"""What the path of every module of ours contains."""

LONGEST = 300
"""Characters of a foreign error message that are shown."""


class _Unread(Exception):
    """Nobody reads what we print. Click would end with 1, which `verify` has another meaning for."""


class _Commands(LazyGroup):
    """The commands; a closed pipe is distinguished from a failure."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _Unread from None


def _ask_for_traceback(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        os.environ[DEBUG] = "1"  # by the environment, so that processes of ours see it too


@click.group(
    cls=_Commands, commands_by_name=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="truespec")
@click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_ask_for_traceback,
    help=f"Print the traceback of an error; the environment variable {DEBUG}=1 does the same.",
)
def truespec() -> None:
    """Sound verdicts on specifications, and checks of what agents did.

    Exit codes are documented with each command; 2 always means that the call itself was wrong, or that the
    command failed before it had a result.
    """


def main() -> None:
    """Run the command line; an error is one sentence and exit code 2, never a traceback unless asked for.

    An interrupted or unread run exits with 130 or 141, as shells do: 1 would read as an answer.
    """
    # What a command loads stays, and what it reads are many small values: both are looked through seldom.
    gc.set_threshold(100_000, 20, 50)
    warnings.formatwarning = lambda message, *_, **__: f"truespec: warning: {message}\n"
    try:
        code = truespec(standalone_mode=False)
    except click.Abort:
        click.echo("\ntruespec: interrupted", err=True)
        code = 130
    except _Unread:
        # The reader is gone. What is still buffered must not fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    except Exception as error:
        if os.environ.get(DEBUG):
            from traceback import print_exc

            print_exc()
        if isinstance(error, click.ClickException):
            error.show()
        else:
            said = f"truespec: {sentence(error)}"  # lone surrogates and all
            click.echo(said.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)
        code = 2
    finally:
        gc.freeze()  # nothing is looked through once more when Python ends
    sys.exit(code)


def sentence(error: Exception) -> str:
    """An error as one sentence: what it says itself where it is ours or the system's, else where it arose."""
    match error:
        case TruespecError():
            return str(error)
        case OSError():
            place = f"{error.filename}: " if error.filename is not None else ""
            return f"{place}{error.strerror or error}"
        case MemoryError():
            return f"memory ran out; split the input, or set {DEBUG}=1 to see where"
        case RecursionError():
            return f"the input is nested too deeply; flatten it, or set {DEBUG}=1 to see where"
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)
    ours = [frame for frame in frames if PACKAGE in frame.filename] or frames
    where = f"{ours[-1].filename.rpartition(PACKAGE)[2]}, line {ours[-1].lineno}"
    said = " ".join(str(error).split())
    said = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    return (
        f"unforeseen {type(error).__name__}: {said} ({where}). This is a fault of truespec or an input that "
        f"it should have refused: please report it with the output of the same command under {DEBUG}=1"
    )
