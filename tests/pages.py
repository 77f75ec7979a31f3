"""The code blocks of a page of the documentation, and what runs them.

| block | what happens to it |
| --- | --- |
| any, with `title="NAME"` | written to the file NAME of the page's folder |
| `console` | each `$ COMMAND` runs in the page's folder, and its output is compared with the lines below it |
| `python` with `>>>` | each example runs, and its result is compared |
| `python` without | runs; what fails is raised |
| `sh` | what needs a network, a model or a server: each command is read by its own option parser |
| `yaml`, `json`, `toml` | parsed |
| `text` | no code: a formula, a picture |

A block of any other kind fails. Blocks of a page share a folder and their Python names. A line `...` of an
output stands for any lines. `$ echo $?` prints the exit code of the command before it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import yaml
from click.testing import CliRunner

from needs import ROOT
from snapshot import steady
from truespec.cli.main import sentence, truespec

_FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```[ ]*$", re.M | re.S)
PARSED: dict[str, Callable[[str], object]] = {
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    language: str
    """The word after the fence."""
    title: str
    """The file that it is, or an empty text."""
    text: str
    """What it holds."""
    line: int
    """The line of the page at which it begins."""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for match in _FENCE.finditer(page):
        indent, info, text = match.groups()
        title = re.search(r'title="([^"]+)"', info)
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        language = info.split()[0] if info.split() else ""
        line = page.count("\n", 0, match.start()) + 1
        found.append(Block(language, title[1] if title else "", "\n".join(lines) + "\n", line))
    return found


class PageRunner:
    """Runs the blocks of one page in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[str, Any] = {"__name__": "__page__"}
        self._exit_code = 0

    def run(self, block: Block) -> None:
        """Run a block; an `AssertionError` names its line."""
        if block.title:
            path = self._folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            return
        match block.language:
            case "console":
                self._console(block)
            case "python":
                self._python(block)
            case "sh":
                for command in commands(block.text):
                    parse_command(command)
            case "text":
                assert "$ truespec" not in block.text, "a command stands in a block that nobody runs"
            case language:
                assert language in PARSED, f"a block of the kind {language!r} is not run by the tests"
                PARSED[language](block.text)

    def _python(self, block: Block) -> None:
        if ">>>" not in block.text:
            exec(compile(block.text, f"line {block.line}", "exec"), self._names)
            return
        test = doctest.DocTestParser().get_doctest(block.text, self._names, "page", None, block.line)
        told = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        runner.run(test, out=told.write, clear_globs=False)
        self._names.update(test.globs)
        assert not runner.failures, told.getvalue()

    def _console(self, block: Block) -> None:
        parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.text, flags=re.M)
        assert not parts[0].strip(), "output before the first command"
        for command, shown in zip(parts[1::2], parts[2::2], strict=True):
            printed = self._output(command.replace("\\\n", " "))
            assert _alike(shown, printed), f"$ {command}\n{printed}\ninstead of\n{shown}"

    def _output(self, command: str) -> str:
        words = shlex.split(command)
        match words:
            case ["cat", name]:
                return (self._folder / name).read_text("utf-8")
            case ["echo", "$?"]:
                return f"{self._exit_code}\n"
            case ["truespec", *rest]:
                result = CliRunner().invoke(truespec, rest)
                self._exit_code = result.exit_code
                if isinstance(result.exception, Exception):  # as `main` says it
                    self._exit_code = 2
                    return f"{result.output}truespec: {sentence(result.exception)}\n"
                return result.output
            case ["python" | "pytest" | "git" | "make", *rest]:
                run = {"python": [sys.executable], "pytest": [sys.executable, "-m", "pytest"]}
                settled = {
                    "PYTHONPATH": str(self._folder),
                    "GIT_AUTHOR_NAME": "A",
                    "GIT_AUTHOR_EMAIL": "a@b.c",
                }
                settled |= {
                    "GIT_COMMITTER_NAME": "A",
                    "GIT_COMMITTER_EMAIL": "a@b.c",
                    "GIT_CONFIG_GLOBAL": "",
                }
                done = subprocess.run(
                    [*run.get(words[0], [words[0]]), *rest],
                    check=False,
                    cwd=self._folder,
                    env={name: value for name, value in os.environ.items() if name not in _OF_MAKE} | settled,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    timeout=120,
                )
                self._exit_code = done.returncode
                return done.stdout
        raise AssertionError(f"no way to run {command!r} in the tests")


_OF_MAKE = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
"""What the make that runs the tests tells a make below it."""

_VERSION = re.compile(r"\b(E|Z3|z3|cvc5|MariaDB|PostgreSQL|SQLite|DuckDB|Python|Rocq|Coq) [v\d][\w.+-]*")


def _alike(shown: str, printed: str) -> bool:
    """Whether the printed lines are as shown, but for times and versions; `...` stands for any lines."""
    wanted, got = ([_VERSION.sub(r"\1", line) for line in steady(text)] for text in (shown, printed))
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def commands(text: str) -> Iterator[str]:
    """The commands of a shell block: joined over backslashes, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line


_PROGRAMS = {
    "git",
    "cd",
    "export",
    "curl",
    "tail",
    "head",
    "cat",
    "docker",
    "uv",
    "uvx",
    "inspect",
    "tar",
    "ls",
}
_PROGRAMS |= {"prek", "pre-commit", "sh", "pip", "make", "tools/setup"}


def parse_command(line: str) -> None:
    """Read each command of a shell line, ours by their own parsers; extras and targets must exist."""
    for part in re.split(r"\s(?:\||&&|;)\s", line):
        words = shlex.split(part, comments=True)
        while words and re.match(r"[A-Z_]+=", words[0]):
            words = words[1:]
        if words and words[0] == "exec":
            words = words[1:]
        match words:
            case ["truespec", *rest]:
                _parse_ours(truespec, ["truespec"], rest)
            case ["pip", "install", *names]:
                declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
                for extras in re.findall(r"truespec\[([\w,]+)\]", " ".join(names)):
                    lost = set(extras.split(",")) - set(declared["optional-dependencies"])
                    assert not lost, f"there is no extra {lost}"
            case ["make", *targets]:
                makefile = (ROOT / "Makefile").read_text("utf-8")
                for target in targets:
                    known = "=" in target or re.search(rf"^{re.escape(target)}:", makefile, re.M)
                    assert known, f"there is no target {target!r}"
            case ["python", "-m", "benchmarks", name, *_]:
                assert list((ROOT / "benchmarks").glob(f"**/{name.replace('-', '_')}*")), (
                    f"no benchmark {name!r}"
                )
            case [program, *_]:
                assert program in _PROGRAMS, f"the tests do not know the program {program!r}"


def _parse_ours(command: click.Command, path: list[str], words: list[str]) -> None:
    context = click.Context(
        command, info_name=path[-1], resilient_parsing=True, help_option_names=["-h", "--help"]
    )  # a command keeps the help option that it is first asked for
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        below = command.get_command(context, words[0])
        assert below is not None, f"there is no command {' '.join([*path, words[0]])!r}"
        _parse_ours(below, [*path, words[0]], words[1:])
        return
    words = words[: words.index("--")] if "--" in words else words
    words = [word for word in words if word not in {">", "<"}]
    context.resilient_parsing = False
    try:
        command.make_parser(context).parse_args(list(words))
    except click.UsageError as error:
        raise AssertionError(f"{' '.join(path)}: {error.format_message()}") from error


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Run with `folder` as the working directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
