"""Re-checking a verdict: by other code than found it, and by another prover."""

from __future__ import annotations

from collections.abc import Mapping

from truespec.domains.contract import Recheck, RecheckStatus
from truespec.domains.fol.recheck import smt, tptp
from truespec.domains.fol.recheck.reader import Node, read, renamed
from truespec.domains.fol.recheck.truth import Structure
from truespec.solvers import cvc5, eprover
from truespec.solvers.limit import Limit
from truespec.solvers.outcome import Outcome
from truespec.verdict import Answer, Counterexample, Proof, ToolMissing, Undecided, Verdict

REPLAY = "relational algebra over a second parser (truespec.domains.fol.recheck)"
"""How a re-checked counterexample was replayed."""


def recheck(
    oracle: str, candidate: str, raw: Mapping[str, object], verdict: Verdict, limit: Limit
) -> Recheck:
    """Replay the counterexample, or prove the pair again by a prover that did not find the proof.

    A renaming in the notes is checked as well: the renamed candidate is proved equivalent.
    """
    listed = raw.get("axioms")
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list | tuple) else []
    renaming = verdict.notes.get("renaming")
    try:
        axioms = [read(text) for text in texts]
        result = Recheck(RecheckStatus.NO_CERTIFICATE, "nothing", "the verdict has no evidence to check")
        if verdict.answer is Answer.REFUTED and isinstance(verdict.evidence, Counterexample):
            result = _replay(axioms, read(oracle), read(candidate), verdict.evidence, limit)
        elif verdict.answer is Answer.EQUIVALENT and isinstance(verdict.evidence, Proof):
            return _prove(axioms, read(oracle), read(candidate), verdict.evidence.by, limit)
        if isinstance(renaming, Mapping) and result.status is not RecheckStatus.FAILED:
            again = renamed(read(candidate), _names(renaming, "predicates"), _names(renaming, "constants"))
            proved = _prove(axioms, read(oracle), again, str(renaming.get("proved_by", "")), limit)
            if result.status is RecheckStatus.NO_CERTIFICATE or proved.status is RecheckStatus.FAILED:
                return Recheck(proved.status, proved.by, f"under the renaming: {proved.detail}")
        return result
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, REPLAY, str(error))
    except (ValueError, KeyError, RecursionError) as error:
        return Recheck(RecheckStatus.FAILED, REPLAY, f"{type(error).__name__}: {error}")


def _names(renaming: Mapping[str, object], field: str) -> dict[str, str]:
    found = renaming.get(field)
    return {str(old): str(new) for old, new in found.items()} if isinstance(found, Mapping) else {}


def _replay(
    axioms: list[Node], oracle: Node, candidate: Node, evidence: Counterexample, limit: Limit
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


def _prove(axioms: list[Node], oracle: Node, candidate: Node, found_by: str, limit: Limit) -> Recheck:
    """Prove the pair by E, or by cvc5 where E found the proof, is missing or gives up."""
    missing = []
    for name in ("E ", "cvc5 "):
        if found_by.startswith(name) or f" and {name}" in found_by:
            continue
        try:
            if name == "E ":
                by, share = eprover.version(), limit.portion(0.6)
                outcome = eprover.check(tptp.problem(axioms, oracle, candidate), share)
            else:
                by = cvc5.version()
                text = smt.problem(axioms, oracle, candidate)
                outcome = cvc5.check(text, limit, **{"finite-model-find": "true"})
        except ToolMissing as error:
            missing.append(str(error))
            continue
        if outcome is Outcome.UNSAT:
            if axioms and _contradictory(axioms, oracle, limit):
                return Recheck(RecheckStatus.FAILED, by, "the axioms contradict each other")
            return Recheck(RecheckStatus.CONFIRMED, by, "proved again")
        if outcome is Outcome.SAT:
            return Recheck(RecheckStatus.FAILED, by, "the prover finds that the two are not equivalent")
    detail = "; ".join(missing) or "the provers gave up or reached the limit"
    return Recheck(RecheckStatus.UNDECIDED, "E and cvc5", detail)


def _contradictory(axioms: list[Node], formula: Node, limit: Limit) -> bool:
    """Whether no structure satisfies the axioms: only then a formula is equivalent to its negation."""
    try:
        text = smt.problem(axioms, formula, ("not", formula))
        return cvc5.check(text, limit.portion(0.3), **{"finite-model-find": "true"}) is Outcome.UNSAT
    except (ToolMissing, Undecided):
        return False
