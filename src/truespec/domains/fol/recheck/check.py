"""Re-checking a verdict."""

from __future__ import annotations

from collections.abc import Mapping

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.domains.fol.recheck.reader import Node, read
from truespec.domains.fol.recheck.tptp import problem
from truespec.domains.fol.recheck.truth import Structure
from truespec.solvers import eprover
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Answer, Counterexample, Proof, Undecided, Verdict

REPLAY = "relational algebra over a second parser (truespec.domains.fol.recheck)"
"""How a re-checked counterexample was replayed."""


def recheck(
    oracle: str, candidate: str, raw: Mapping[str, object], verdict: Verdict, limit: Limit
) -> Recheck:
    """Replay the counterexample, or prove the pair again by a prover that did not find the proof."""
    listed = raw.get("axioms")
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list | tuple) else []
    try:
        if verdict.answer is Answer.REFUTED and isinstance(verdict.evidence, Counterexample):
            return _replay(
                read(oracle), read(candidate), [read(text) for text in texts], verdict.evidence, limit
            )
        if verdict.answer is Answer.EQUIVALENT and isinstance(verdict.evidence, Proof):
            nodes = [read(text) for text in texts], read(oracle), read(candidate)
            return _prove(problem(*nodes), verdict.evidence, limit)
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, REPLAY, str(error))
    except (ValueError, KeyError, RecursionError) as error:
        return Recheck(RecheckStatus.FAILED, REPLAY, f"{type(error).__name__}: {error}")
    return Recheck(
        RecheckStatus.NO_CERTIFICATE, "nothing", f"a verdict of {verdict.answer.value} has no evidence"
    )


def _replay(
    oracle: Node, candidate: Node, axioms: list[Node], evidence: Counterexample, limit: Limit
) -> Recheck:
    structure = Structure(evidence.point)
    for number, axiom in enumerate(axioms, 1):
        if not structure.satisfies(axiom, limit):
            return Recheck(RecheckStatus.FAILED, REPLAY, f"axiom {number} is false in the counterexample")
    values = structure.satisfies(oracle, limit), structure.satisfies(candidate, limit)
    if values[0] == values[1]:
        return Recheck(RecheckStatus.FAILED, REPLAY, f"both sides are {values[0]} in the counterexample")
    if values != (evidence.oracle_value, evidence.candidate_value):
        return Recheck(RecheckStatus.FAILED, REPLAY, f"the sides are {values}, not as recorded")
    return Recheck(RecheckStatus.CONFIRMED, REPLAY)


def _prove(text: str, evidence: Proof, limit: Limit) -> Recheck:
    by = eprover.version()
    outcome = eprover.check(text, limit)
    if outcome is Outcome.UNSAT:
        return Recheck(RecheckStatus.CONFIRMED, by, "the biconditional is a theorem")
    if outcome is Outcome.SAT:
        return Recheck(RecheckStatus.FAILED, by, "the prover finds the biconditional no theorem")
    return Recheck(RecheckStatus.UNDECIDED, by, "the prover gave up or reached the limit")
