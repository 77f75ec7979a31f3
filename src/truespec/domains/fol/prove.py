"""The quantified proof by Z3."""

from __future__ import annotations

import z3

from truespec.domains.fol import smtlib
from truespec.domains.fol.syntax import Formula
from truespec.solvers import z3 as boundary
from truespec.solvers.limit import Limit


def by_z3(sentences: list[Formula], limit: Limit) -> boundary.Outcome:
    """Whether the sentences have a model together, finite or not, as far as Z3 can tell."""
    solver = z3.SimpleSolver()
    solver.from_string(smtlib.script(sentences))
    return boundary.check(solver, limit)
