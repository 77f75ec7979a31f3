"""What a test needs from the machine: skips with the reason, or fails where everything is required."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _lacks(what: str) -> None:
    if os.environ.get("TRUESPEC_REQUIRE_ALL") == "1":
        pytest.fail(f"required here, but missing: {what}")
    pytest.skip(f"missing: {what}")


def sources(folder: str) -> Path:
    """A folder of upstream data below `TRUESPEC_SOURCES`."""
    root = Path(os.environ.get("TRUESPEC_SOURCES", ROOT.parent / "shared" / "sources"))
    path = root / folder
    if not path.exists():
        _lacks(f"upstream data {folder!r} below TRUESPEC_SOURCES")
    return path


def tool(command: str) -> str:
    """The path of an installed command."""
    path = shutil.which(command)
    if path is None:
        _lacks(f"the command {command!r}")
    assert path
    return path


def module(name: str) -> None:
    """An installed Python module."""
    if importlib.util.find_spec(name) is None:
        _lacks(f"the Python module {name!r}")


def found(what: str, version: str | None) -> None:
    """Something of which a probe of ours finds the version."""
    if version is None:
        _lacks(what)
