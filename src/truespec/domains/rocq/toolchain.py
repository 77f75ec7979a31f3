"""Which Rocq is installed, under which command names, and how to get it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

from truespec.verdict import ToolMissing

INSTALL = "apt-get install coq libcoq-hammer eprover"
"""The Debian and Ubuntu packages."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The commands of one installed Rocq."""

    compiler: tuple[str, ...]
    """How to compile a file."""
    toplevel: tuple[str, ...]
    """How to start the interactive loop."""
    version: str
    """Its version, e.g. `8.16.1`."""
    hammer: bool
    """Whether CoqHammer is installed, its plugin included."""
    checker: str | None = None
    """The program that checks compiled files, where it is installed."""


@cache
def toolchain() -> Toolchain:
    """The installed Rocq; `ToolMissing` names the packages where there is none."""
    compiler: tuple[str, ...]
    toplevel: tuple[str, ...]
    if path := shutil.which("coqc"):
        compiler, toplevel = (path,), (shutil.which("coqtop") or "coqtop",)
    elif path := shutil.which("rocq"):
        compiler, toplevel = (path, "compile"), (path, "top")
    else:
        raise ToolMissing(f"Rocq: neither 'coqc' nor 'rocq' is on PATH; install it with '{INSTALL}'")
    try:
        printed = _run([*compiler, "--version"])
        where = _run([*compiler, "-where"]).strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolMissing(f"Rocq: {path} does not run ({error}); install it with '{INSTALL}'") from error
    found = re.search(r"\d+\.\d+(\.\d+)?", printed)
    version = found.group() if found else "unknown"
    from pathlib import Path

    hammer = (Path(where) / "user-contrib" / "Hammer" / "Plugin" / "Hammer.vo").exists()
    checker = shutil.which("coqchk") or shutil.which("rocqchk")
    return Toolchain(compiler, toplevel, version, hammer, checker)


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
