"""Re-checking a verdict: a second reader of the texts, the textbook semantics, the unfolding laws, other
provers."""

from __future__ import annotations

from truespec.domains.contract import RawContext, Recheck, RecheckStatus
from truespec.domains.temporal import plain
from truespec.domains.temporal.decide import word_of
from truespec.solvers.limit import Limit
from truespec.temporal.comparison import model, pool_of
from truespec.temporal.follow import Mismatch, follow
from truespec.temporal.syntax import TRUE, Formula, at_most_one, atoms, conjunction
from truespec.temporal.truth import REPLAY, holds
from truespec.verdict import Counterexample, Proof, Undecided, Verdict

_FOLLOWER = "unfolding laws checked by Z3 (truespec.temporal.follow)"


def recheck(oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit) -> Recheck:
    """Evaluate the counterexample, follow the certificate, or prove the pair with another prover."""
    syntax, finite = str(raw.get("syntax") or "infix"), raw.get("logic") != "ltl"
    try:
        texts = [plain.read(text, syntax) for text in (oracle, candidate)]
        scope = _scope(raw, syntax)
    except ValueError as error:
        return Recheck(RecheckStatus.FAILED, "a second reader", f"a text is not readable: {error}")
    evidence = verdict.evidence
    if isinstance(evidence, Counterexample):
        return _replay(texts, scope, finite, evidence)
    if isinstance(evidence, Proof):
        return _follow(texts, scope, finite, evidence, limit)
    return Recheck(RecheckStatus.NO_CERTIFICATE, "nothing", "an undecided verdict has nothing to check")


def _scope(raw: RawContext, syntax: str) -> Formula:
    assumptions, groups = raw.get("assumptions") or [], raw.get("exclusive") or []
    assert isinstance(assumptions, list | tuple)
    assert isinstance(groups, list | tuple)
    read = [plain.read(str(text), syntax) for text in assumptions]
    unique = [at_most_one(tuple(dict.fromkeys(map(str, group)))) for group in groups]
    return conjunction([*read, *unique])


def _replay(texts: list[Formula], scope: Formula, finite: bool, found: Counterexample) -> Recheck:
    try:
        word = word_of(found.point, finite)
    except ValueError as error:
        return Recheck(RecheckStatus.FAILED, REPLAY, str(error))
    if found.oracle_value is found.candidate_value:
        return Recheck(RecheckStatus.FAILED, REPLAY, "both sides are said to agree on the word")
    known = {name for one in (*texts, scope) for name in atoms(one)}
    strange = sorted({name for letter in word.letters for name in letter} - known)
    if strange:
        return Recheck(RecheckStatus.FAILED, REPLAY, f"{strange[0]!r} is an atom of neither text")
    if not holds(scope, word):
        return Recheck(RecheckStatus.FAILED, REPLAY, f"{word} is outside the assumptions")
    claimed = (found.oracle_value, found.candidate_value)
    for side, text, value in zip(("oracle", "candidate"), texts, claimed, strict=True):
        if holds(text, word) is not value:
            return Recheck(RecheckStatus.FAILED, REPLAY, f"on {word} the {side} is {not value}")
    return Recheck(RecheckStatus.CONFIRMED, REPLAY)


def _in_scope(texts: list[Formula], scope: Formula, finite: bool, limit: Limit) -> bool:
    """Whether a word satisfies the assumptions: the search proposes one, the definition confirms it."""
    if scope == TRUE:
        return True
    names = tuple(dict.fromkeys(name for one in (*texts, scope) for name in atoms(one)))
    word = model(pool_of(names, finite), scope, limit)
    return word is not None and holds(scope, word)


def _follow(texts: list[Formula], scope: Formula, finite: bool, proof: Proof, limit: Limit) -> Recheck:
    from truespec.domains.temporal import provers

    certificate = proof.certificate
    try:
        if not _in_scope(texts, scope, finite, limit):
            return Recheck(RecheckStatus.FAILED, REPLAY, "no word satisfies the assumptions")
        if isinstance(certificate, dict) and certificate.get("kind") == "omitted":
            return provers.confirm(texts[0], texts[1], scope, finite, limit)
        follow(certificate, finite, texts[0], texts[1], scope, limit)
    except Mismatch as error:
        return Recheck(RecheckStatus.FAILED, _FOLLOWER, str(error))
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, _FOLLOWER, str(error))
    return Recheck(RecheckStatus.CONFIRMED, _FOLLOWER)
