"""The provers: Z3 with quantifiers, E, and cvc5."""

from __future__ import annotations

import z3

from truespec.domains.fol import smtlib, tptp
from truespec.domains.fol.syntax import Formula
from truespec.solvers import cvc5, eprover
from truespec.solvers import z3 as boundary
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import ToolMissing


def missing() -> dict[str, str]:
    """The provers that are not installed, each with how to get it."""
    found: dict[str, str] = {}
    try:
        eprover.binary()
    except ToolMissing as error:
        found["E"] = str(error)
    if not cvc5.available():
        found["cvc5"] = f"cvc5 is not installed: {cvc5.HOW_TO_GET}"
    return found


def by_z3(sentences: list[Formula], limit: Limit) -> str | None:
    """Z3's name if it shows that the sentences have no model together."""
    solver = z3.SimpleSolver()
    solver.from_string(smtlib.script(sentences))
    return boundary.version() if boundary.check(solver, limit) is Outcome.UNSAT else None


def by_e(sentences: list[Formula], limit: Limit) -> str | None:
    """E's name if it shows that the sentences have no model together; None where it is not installed."""
    try:
        outcome = eprover.check(tptp.axioms(sentences), limit)
    except ToolMissing:
        return None
    return eprover.version() if outcome is Outcome.UNSAT else None


def by_cvc5(sentences: list[Formula], limit: Limit) -> str | None:
    """cvc5's name if it shows that the sentences have no model together; None where it is not installed."""
    try:
        # Without it cvc5 gives up at once on sentences whose models it cannot finish.
        outcome = cvc5.check(smtlib.script(sentences), limit, **{"finite-model-find": "true"})
    except ToolMissing:
        return None
    return cvc5.version() if outcome is Outcome.UNSAT else None
