"""What a domain searches for beyond the answer, cut down where a test does not ask for it."""

from __future__ import annotations

import pytest

LONG = {"sql": ("sql.decide.MORE_DATABASES", "sql.decide.MAX_DATABASES", "sql.refute.bounded.MAX_DATABASES")}
"""The bounds of a search that a limit of seconds cuts short otherwise."""


def shorten(monkeypatch: pytest.MonkeyPatch, domain: str, databases: int) -> None:
    """Let a search of the domain end after so many databases: what stays open stays open sooner."""
    for name in LONG.get(domain, ()):
        monkeypatch.setattr(f"truespec.domains.{name}", databases)


def answers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """How a refuted candidate relates to the oracle costs as much as the answer: it is not looked for."""
    for name in ("arith.decide.Comparison._relation", "rocq.domain.Rocq._relation"):
        monkeypatch.setattr(f"truespec.domains.{name}", lambda *_: None)
    monkeypatch.setattr("truespec.domains.fol.decide.LARGE", 0)  # of large formulas it is not looked for
