"""`truespec`: the commands, each imported only when it is run."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from truespec.verdict import TruespecError
from truespec.version import __version__

COMMANDS: dict[str, str] = {
    "verify": "truespec.cli.verify:verify",
    "batch": "truespec.cli.batch:batch",
    "recheck": "truespec.cli.recheck:recheck",
    "data": "truespec.cli.data:data",
    "bench": "truespec.cli.bench:bench",
    "judge": "truespec.cli.judge:judge",
    "doctor": "truespec.cli.doctor:doctor",
    "trace": "truespec.cli.trace:trace",
    "rules": "truespec.cli.rules:rules",
    "demo": "truespec.cli.demo:demo",
    "view": "truespec.cli.view:view",
}
"""Name to `module:command`; `truespec --help` lists them in this order."""


class _Unread(Exception):
    """Nobody reads what we print. Click would end with 1, which `verify` has another meaning for."""


class _Lazy(click.Group):
    """A group whose commands are dotted strings until they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, attribute = target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _Unread from None


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="truespec")
def truespec() -> None:
    """Sound verdicts on specifications, and checks of what agents did.

    Exit codes are documented with each command; 2 always means that the call itself was wrong.
    """


def main() -> None:
    """Run the command line; what a user can mend is one sentence and exit code 2, never a traceback.

    An interrupted or unread run exits with 130 or 141, as shells do: 1 would read as an answer.
    """
    try:
        code = truespec(standalone_mode=False)
    except click.Abort:
        click.echo("\ntruespec: interrupted", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = 2
    except TruespecError as error:
        click.echo(f"truespec: {error}", err=True)
        code = 2
    except _Unread:
        # The reader is gone. What is still buffered must not fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 141
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        click.echo(f"truespec: {place}{error.strerror or error}", err=True)
        code = 2
    sys.exit(code)
