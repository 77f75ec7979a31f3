"""The front door: lazy commands, and one place where an error becomes a sentence."""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from truespec.cli.bench import COMMANDS as BENCH_COMMANDS
from truespec.cli.main import COMMANDS, main, sentence, truespec
from truespec.cli.trace import COMMANDS as TRACE_COMMANDS

HELP_SECONDS = 0.25
"""Processor seconds that `truespec --help` may take."""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "truespec", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_commands_own(name: str) -> None:
    target, summary = COMMANDS[name]
    module, _, attribute = target.partition(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    assert summary == command.get_short_help_str(400)


@pytest.mark.parametrize(
    ("target", "summary"), [*TRACE_COMMANDS.values(), *BENCH_COMMANDS.values()], ids=lambda one: one[:40]
)
def test_the_summary_of_a_command_of_a_group_is_its_own(target: str, summary: str) -> None:
    module, _, attribute = target.partition(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    assert summary == command.get_short_help_str(400)


def leaves(command: click.Command, name: str = "truespec") -> Iterator[tuple[str, click.Command]]:
    """The commands below this one that are no groups, with their names."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for inner in command.list_commands(context):
        found = command.get_command(context, inner)
        assert found is not None
        yield from leaves(found, f"{name} {inner}")


def test_every_command_documents_its_exit_code_and_its_options() -> None:
    every = dict(leaves(truespec))
    assert {"truespec verify", "truespec trace check", "truespec bench report"} <= every.keys()
    assert [name for name, one in every.items() if "exit" not in (one.help or "").lower()] == []
    options = [(name, p) for name, one in every.items() for p in one.params if isinstance(p, click.Option)]
    assert [(name, option.opts) for name, option in options if not option.help] == []


@pytest.mark.parametrize("arguments", [("--help",), ()])
def test_help_imports_no_command(arguments: tuple[str, ...]) -> None:
    script = (
        "import sys; from truespec.cli.main import truespec;"
        f"truespec({list(arguments)!r}, standalone_mode=False);"
        "print([name for name in sorted(sys.modules) if name.startswith('truespec.cli.')])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if arguments:
        assert shown.stdout.splitlines()[-1] == "['truespec.cli.lazy', 'truespec.cli.main']"
    assert "verify" in shown.stdout + shown.stderr


def test_help_is_quick() -> None:
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < HELP_SECONDS


def test_completion_offers_commands_and_domains() -> None:
    offered = run(_TRUESPEC_COMPLETE="bash_complete", COMP_WORDS="truespec ", COMP_CWORD="1").stdout
    # `python -m truespec` completes under the name that click derives, so the group itself is asked too.
    context = truespec.make_context("truespec", [], resilient_parsing=True)
    assert [item.value for item in truespec.shell_complete(context, "ve")] == ["verify"]
    verify = truespec.get_command(context, "verify")
    assert verify is not None
    domain = next(parameter for parameter in verify.params if parameter.name == "domain")
    assert {"arith", "regex"} <= {item.value for item in domain.shell_complete(context, "")}
    schema = truespec.get_command(context, "schema")
    assert schema is not None
    assert [item.value for item in schema.params[0].shell_complete(context, "re")] == ["regex"]
    assert "Traceback" not in offered


def test_dash_h_is_help_where_the_domain_is_expected_and_a_text_elsewhere() -> None:
    assert run("verify", "-h").stdout.startswith("Usage: ")
    assert run("verify", "regex", "-h", "-h").returncode == 0


def test_an_unknown_domain_names_the_known_ones() -> None:
    wrong = run("verify", "regexp", "a", "a")
    assert wrong.returncode == 2
    assert "'regex'" in wrong.stderr


class _Boom(click.Command):
    error: Exception = ValueError("inner\nvalue")

    def invoke(self, ctx: click.Context) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("two\nlines"), "unforeseen ValueError: two lines"),
        (RecursionError(), "nested too deeply"),
        (MemoryError(), "memory ran out"),
        (OSError(28, "No space left on device", "/x"), "/x: No space left"),
    ],
)
def test_an_unforeseen_error_is_a_sentence(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    boom = _Boom("boom")
    boom.error = error
    monkeypatch.setenv("TRUESPEC_DEBUG", "")  # --debug sets it; this restores it
    monkeypatch.setattr(truespec, "get_command", lambda *_: boom)
    for debug in (False, True):
        monkeypatch.setattr(sys, "argv", ["truespec", *(["--debug"] if debug else []), "boom"])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        shown = capsys.readouterr().err
        assert said in shown
        assert ("Traceback" in shown) == debug
    assert "\n" not in sentence(error)
