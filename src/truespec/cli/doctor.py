"""`truespec doctor`: what is installed, what is missing, what that costs and how to get it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import pkgutil
import platform
import shutil
import sqlite3
import subprocess
import sys

import click

from truespec.cli.common import echo
from truespec.domains.contract import Tool
from truespec.domains.registry import DOMAINS, load
from truespec.solvers.scratch import cache_folder
from truespec.verdict import TruespecError
from truespec.version import __version__


def found_version(tool: Tool) -> str | None:
    """The version of an installed tool, or None."""
    kind, _, target = tool.probe.partition(":")
    if kind == "distribution":
        try:
            return importlib.metadata.version(target)
        except importlib.metadata.PackageNotFoundError:
            return None
    if kind == "module":
        return "installed" if importlib.util.find_spec(target) else None
    if kind == "function":
        version: str | None = pkgutil.resolve_name(target)()
        return version
    command = target.split()
    # Debian keeps servers where an ordinary user's path does not lead.
    path = shutil.which(command[0]) or shutil.which(command[0], path="/usr/sbin:/usr/local/sbin")
    if path is None:
        return None
    try:
        run = subprocess.run(
            [path, *command[1:]], capture_output=True, text=True, timeout=20, check=False, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (run.stdout or run.stderr).strip().splitlines()
    return lines[0] if lines else "installed"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(as_json: bool) -> None:
    """List the tools that verdicts rest on, with versions; name what each missing one costs.

    Exit code: 0 when every domain can decide pairs, 1 when a tool is missing that a domain cannot do without.
    """
    rows: list[dict[str, object]] = []
    for name in DOMAINS:
        try:
            tools = load(name).tools
        except (ImportError, TruespecError) as error:
            # Loading failed: the domain itself cannot run.
            rows.append(_row(name, Tool(name, "", "this domain", str(error), optional=False), None))
            continue
        rows.extend(_row(name, tool, found_version(tool)) for tool in tools)
    broken = [row for row in rows if row["version"] is None and not row["optional"]]
    system = {
        "truespec": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": platform.platform(),
    }
    cache, why = cache_folder()
    if as_json:
        echo(
            json.dumps(
                {"system": system, "cache": {"folder": str(cache), "note": why}, "tools": rows}, indent=2
            )
        )
    else:
        echo("  ".join(f"{name} {version}" for name, version in system.items()))
        echo(f"compiled files  {why or cache}")
        width = max((len(str(row["tool"])) for row in rows), default=0)
        for row in rows:
            state = row["version"] or ("missing" if row["optional"] else "MISSING")
            echo(f"{row['domain']:6}  {row['tool']:{width}}  {state}")
            if row["version"] is None:
                echo(f"{'':6}  {'':{width}}  costs: {row['needed_for']}")
                echo(f"{'':6}  {'':{width}}  get it: {row['install']}")
    sys.exit(1 if broken else 0)


def _row(domain: str, tool: Tool, version: str | None) -> dict[str, object]:
    return {
        "domain": domain,
        "tool": tool.name,
        "version": version,
        "optional": tool.optional,
        "needed_for": tool.needed_for,
        "install": tool.install,
    }
