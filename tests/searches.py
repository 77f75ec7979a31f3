"""How long a domain searches for a difference where there is none."""

from __future__ import annotations

import pytest

LONG = {"sql": ("sql.decide.MORE_DATABASES", "sql.decide.MAX_DATABASES", "sql.refute.bounded.MAX_DATABASES")}
"""The bounds of a search that a limit of seconds cuts short otherwise."""


def shorten(monkeypatch: pytest.MonkeyPatch, domain: str, databases: int) -> None:
    """Let a search of the domain end after so many databases: what stays open stays open sooner."""
    for name in LONG.get(domain, ()):
        monkeypatch.setattr(f"truespec.domains.{name}", databases)
