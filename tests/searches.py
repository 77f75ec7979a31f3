"""What a domain searches for beyond the answer, cut down where a test does not ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from truespec.domains.sql.engines.contract import Answered
from truespec.domains.sql.engines.script import Database, insert_statements
from truespec.domains.sql.refute.run import Run

LONG = {
    "sql": (
        "sql.decide.QUICK_DATABASES",
        "sql.decide.MORE_DATABASES",
        "sql.decide.MAX_DATABASES",
        "sql.refute.bounded.MAX_DATABASES",
    )
}
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


def confirm_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers have a second each to prove a pair of arithmetic again, where no answer will do as well."""
    monkeypatch.setattr("truespec.domains.arith.recheck.SOLVER_SECONDS", 1.0)


KEPT_ANSWERS = 20_000
"""How many answers of engines are remembered: a group of cases asks for half as many."""
_answers: dict[tuple[object, ...], list[Any]] = {}


def remember_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No engine of SQL is asked again what the two queries of a pair yield on a database.

    A search draws the same databases whichever query is the oracle.
    """
    ask = Run.many

    def many(run: Run, databases: Sequence[Database], arrangement: int = 0) -> list[Answered]:
        turn = 1 if run.texts == sorted(run.texts) else -1
        about = (run.schema.dialect, run.schema.ddl, run.settings, arrangement, *sorted(run.texts))
        keys = [(*about, *insert_statements(database, run.schema)) for database in databases]
        found: list[Answered | None] = [_answers[key][::turn] if key in _answers else None for key in keys]
        new = [place for place, answer in enumerate(found) if answer is None]
        for place, answer in zip(
            new, ask(run, [databases[place] for place in new], arrangement), strict=True
        ):
            found[place] = answer
            if isinstance(answer, list):
                _answers[keys[place]] = answer[::turn]
        if len(_answers) > KEPT_ANSWERS:
            _answers.clear()
        return [answer for answer in found if answer is not None]

    monkeypatch.setattr(Run, "many", many)
