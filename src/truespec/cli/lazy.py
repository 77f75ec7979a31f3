"""A group whose commands are dotted strings until they are needed."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem


def _imported(name: str) -> ModuleType:
    """The module; what an import makes stays, so that a look for garbage meanwhile is a waste of time."""
    if not gc.isenabled():
        return importlib.import_module(name)
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.enable()


class LazyGroup(click.Group):
    """A group of commands by name: `module:command`, and the command's first sentence for `--help`."""

    def __init__(self, *args: Any, commands_by_name: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._named = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._named)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._named:
            return None
        target, _ = self._named[cmd_name]
        module, _, attribute = target.partition(":")
        command = getattr(_imported(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._named.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [
            CompletionItem(name, help=summary)
            for name, (_, summary) in self._named.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)
