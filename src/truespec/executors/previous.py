"""The version of a file before a change, as git has it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from truespec.verdict import UsageError

SECONDS = 30
"""How long git may take for one file."""


def previous(path: Path, base: str) -> bytes | None:
    """What a file held at the commit `base`; None where that commit does not have it.

    Raises `UsageError` where the file lies in no repository of git, or there is no such commit.
    """
    folder = path.resolve().parent
    commit = f"{base}^{{commit}}"
    if base.startswith("-") or _git(folder, "rev-parse", "--verify", "--quiet", commit) is None:
        if _git(folder, "rev-parse", "--git-dir") is None:
            raise UsageError(
                f"{path}: lies in no git repository, so there is no earlier version to compare with"
            )
        raise UsageError(f"{path}: git knows no commit {base!r}: name another with --base, e.g. origin/main")
    return _git(folder, "cat-file", "blob", f"{base}:./{path.name}")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints, or None where it fails."""
    command = ["git", "-C", str(folder), *arguments]
    # A commit hook runs with settings for its own folder, such as GIT_DIR=.git.
    settings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS, env=settings)
    except FileNotFoundError:
        raise UsageError("git is not installed: it has the earlier versions of files") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git {arguments[0]} took more than {SECONDS} s") from None
    return done.stdout if done.returncode == 0 else None
