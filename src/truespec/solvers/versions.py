"""Versions of installed distributions, asked once per process."""

from __future__ import annotations

import importlib.metadata
from functools import cache


@cache
def version_of(distribution: str) -> str:
    """The version of an installed distribution; `not installed` where there is none."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
