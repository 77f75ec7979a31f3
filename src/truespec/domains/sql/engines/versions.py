"""The versions of the engines that are installed, without starting one."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from functools import cache

from truespec.domains.sql.engines import postgres
from truespec.domains.sql.engines.server import find
from truespec.solvers.versions import version_of


@cache
def version(dialect: str) -> dict[str, str]:
    """The engine of a dialect and its version; empty for an unknown dialect."""
    match dialect:
        case "mysql":
            return {"mariadb": _served("TRUESPEC_MARIADB_URL", _mariadb())}
        case "postgres":
            return {"postgres": _served("TRUESPEC_POSTGRES_URL", postgres.installed_version())}
        case "sqlite":
            return {"sqlite": sqlite3.sqlite_version}
        case "duckdb":
            return {"duckdb": version_of("duckdb")}
    return {}


def _served(variable: str, installed: str | None) -> str:
    if os.environ.get(variable):
        return f"the server that {variable} names"
    found = re.search(r"\d+(?:\.\d+)+", installed or "")
    return found[0] if found else "not installed"


def _mariadb() -> str | None:
    server = find("mariadbd", "mysqld")
    if server is None:
        return None
    try:
        done = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
