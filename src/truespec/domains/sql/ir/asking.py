"""How Z3 is asked whether a statement has a proof.

Axioms are instantiated by their patterns. Where all instances that the patterns name contradict nothing,
models of the axioms name others, mostly numbers such as days. What they prove they mostly prove soon, so they
get little effort there. Where the instances come to no end, models may lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from truespec.domains.sql.ir.logic import Formula
from truespec.solvers.limit import Limit
from truespec.solvers.z3 import Outcome, check

GLANCE = 5_000
"""A little effort, in Z3's resource units."""
PATTERNS = {"smt.mbqi": False}
"""Instances of axioms by their patterns alone."""
SATURATED = "(incomplete quantifiers)"
"""What Z3 says where all of them contradict nothing."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How statements of one kind are asked."""

    ways: tuple[dict[str, float | int], ...] = ({},)
    """Options of Z3 that are tried in turn."""
    times: int = 1
    """How many times the effort they take."""


PLAIN = Manner()
IN_NUMBERS = Manner(({}, {"smt.qi.eager_threshold": 5.0}, {"smt.random_seed": 1}))
"""Where rows are told by their numbers: each way misses some proofs."""
IN_STEPS = Manner(({"smt.qi.eager_threshold": 3.0},), 3)
"""Rows that follow one another: how deep Z3 instantiates first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What Z3 said."""

    outcome: Outcome
    solver: Any
    """The solver that said it."""
    ended: bool
    """Whether more effort is not worth it: there is an answer, or the patterns name no more instances."""


def ask(statement: Sequence[Formula], effort: int, manner: Manner, limit: Limit) -> Asked:
    """Look for a contradiction in formulas, with so much effort; raises `OutOfTime`."""
    effort *= manner.times
    asked = _asked(statement, effort, {**manner.ways[0], **PATTERNS}, limit)
    if not asked.ended:
        for way in manner.ways:
            asked = _asked(statement, effort, way, limit)
            if asked.ended:
                break
    elif asked.outcome is Outcome.UNKNOWN:
        by_models = _asked(statement, min(effort, GLANCE), manner.ways[0], limit)
        asked = by_models if by_models.ended else asked
    return asked


def _asked(statement: Sequence[Formula], effort: int, options: Mapping[str, Any], limit: Limit) -> Asked:
    solver = z3.SimpleSolver()
    solver.set("rlimit", effort)
    solver.set("arith.nl.grobner", False)  # its steps count little as effort and heed no timeout
    for name, value in options.items():
        solver.set(name, value)
    solver.add(*statement)
    outcome = check(solver, limit)
    limit.check()
    ended = outcome is not Outcome.UNKNOWN or solver.reason_unknown() == SATURATED
    return Asked(outcome, solver, ended)


def glance(formulas: Sequence[Formula], limit: Limit) -> Outcome:
    """Look for a contradiction in formulas without quantifiers, with little effort."""
    solver = z3.SimpleSolver()
    solver.set("rlimit", GLANCE)
    solver.add(*formulas)
    return check(solver, limit)
