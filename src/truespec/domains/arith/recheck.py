"""Re-checks: counterexamples by Python itself, proofs by another translation and another solver."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from fractions import Fraction

from truespec.domains.arith import replay as replays
from truespec.domains.arith.replay import CannotReplay
from truespec.domains.arith.smtlib import Script
from truespec.domains.contract import RawContext, Recheck, RecheckStatus
from truespec.solvers import cvc5
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Answer, Counterexample, ToolMissing, Undecided, Verdict

SOLVER_SECONDS = 4.0
"""What each solver is given."""


def recheck(oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit) -> Recheck:
    """Check a decided verdict; an undecided one has nothing to check."""
    if isinstance(verdict.evidence, Counterexample):
        return _replayed(oracle, candidate, raw, verdict.evidence)
    if verdict.answer is Answer.EQUIVALENT:
        return _proved(oracle, candidate, raw, limit)
    return Recheck(RecheckStatus.NO_CERTIFICATE, "nothing", "an undecided pair has no certificate")


def _parts(raw: RawContext) -> tuple[dict[str, str], list[str]]:
    variables, constraints = raw.get("variables") or {}, raw.get("constraints") or []
    assert isinstance(variables, Mapping)
    assert isinstance(constraints, list | tuple)
    kinds = {
        unicodedata.normalize("NFKC", str(name)): str(declared.get("type", "int"))
        for name, declared in variables.items()
    }
    return kinds, [str(text) for text in constraints]


def _replayed(oracle: str, candidate: str, raw: RawContext, found: Counterexample) -> Recheck:
    kinds, constraints = _parts(raw)

    def failed(detail: str) -> Recheck:
        return Recheck(RecheckStatus.FAILED, replays.BY, detail)

    try:
        point = {name: Fraction(str(value)) for name, value in found.point.items()}
        if set(point) != set(kinds):
            return failed("the counterexample does not give each variable one value")
        for name, value in point.items():
            if kinds[name] == "int" and value.denominator != 1:
                return failed(f"{name} is an integer variable and has the value {value}")
        for text in constraints:
            if replays.replay(text, point) is not True:
                return failed(f"the constraint {text!r} does not hold at the counterexample")
        values = [replays.replay(text, point) for text in (oracle, candidate)]
    except CannotReplay as error:
        return Recheck(RecheckStatus.UNDECIDED, replays.BY, str(error))
    except ValueError as error:
        return failed(f"the counterexample is malformed: {error}")
    shown = ["undefined" if value is None else str(value) for value in values]
    if shown != [found.oracle_value, found.candidate_value]:
        return failed(f"the values there are {shown[0]} and {shown[1]}")
    if shown[0] == shown[1]:
        return failed(f"both values there are {shown[0]}")
    return Recheck(RecheckStatus.CONFIRMED, replays.BY)


def _proved(oracle: str, candidate: str, raw: RawContext, limit: Limit) -> Recheck:
    kinds, constraints = _parts(raw)
    try:
        with replays.deep_recursion():
            script = Script(kinds)
            for text in constraints:
                script.assume(text)
            legal = script.text()
            script.assert_difference(oracle, candidate)
        text = script.text()
    except CannotReplay as error:
        return Recheck(RecheckStatus.NO_CERTIFICATE, "the second translation", str(error))
    try:
        outcome, by = _ask(text, limit)
        contradictory = outcome is Outcome.UNSAT and bool(constraints) and _ask(legal, limit)[0] is outcome
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, "cvc5", str(error))
    match outcome:
        case Outcome.UNSAT if contradictory:
            return Recheck(RecheckStatus.FAILED, by, "the constraints contradict each other")
        case Outcome.UNSAT:
            return Recheck(RecheckStatus.CONFIRMED, f"{by} on the second translation")
        case Outcome.SAT:
            return Recheck(
                RecheckStatus.FAILED, by, "the second translation has a model that tells the two apart"
            )
    detail = (
        "the proof carries no certificate, and neither cvc5 nor Z3 proves the pair again in a few seconds"
    )
    return Recheck(RecheckStatus.NO_CERTIFICATE, by, detail)


def _ask(text: str, limit: Limit) -> tuple[Outcome, str]:
    """What cvc5 says, or else Z3, and who said it."""
    try:
        outcome, by = cvc5.check(text, _short(limit)), cvc5.version()
    except ToolMissing as error:
        outcome, by = Outcome.UNKNOWN, str(error)
    return _ask_z3(text, limit) if outcome is Outcome.UNKNOWN else (outcome, by)


def _short(limit: Limit) -> Limit:
    """At most a few seconds of the limit: what a solver does not see soon, it rarely sees."""
    return limit.portion(min(1.0, SOLVER_SECONDS / limit.remaining()))


def _ask_z3(text: str, limit: Limit) -> tuple[Outcome, str]:
    import z3

    from truespec.solvers import z3 as boundary

    try:
        solver = z3.Solver()
        solver.from_string(text)
        return boundary.check(solver, _short(limit)), boundary.version()
    except z3.Z3Exception:
        return Outcome.UNKNOWN, boundary.version()
    except Undecided:
        return Outcome.UNKNOWN, boundary.version()
