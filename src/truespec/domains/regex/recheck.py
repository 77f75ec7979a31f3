"""Re-checking a verdict without the code that found it."""

from __future__ import annotations

from collections.abc import Mapping

from truespec.domains.contract import Implication, RawContext, Recheck, RecheckStatus
from truespec.domains.regex import follow, plain, replay
from truespec.domains.regex.syntax import deep_stack
from truespec.solvers.limit import Limit
from truespec.verdict import Counterexample, Proof, Undecided, Verdict


def recheck(oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit) -> Recheck:
    """Replay a counterexample; follow the certificate of a proof."""
    try:
        with deep_stack():
            if isinstance(verdict.evidence, Counterexample):
                return _replay((oracle, candidate), raw, verdict.evidence, limit)
            if isinstance(verdict.evidence, Proof):
                return _follow((oracle, candidate), raw, verdict.evidence, limit)
    except Undecided as error:
        return Recheck(RecheckStatus.UNDECIDED, replay.MATCHER, str(error))
    return Recheck(RecheckStatus.NO_CERTIFICATE, "nothing", "an undecided verdict has nothing to check")


def _field(raw: Mapping[str, object], name: str, default: str) -> str:
    value = raw.get(name)
    return default if value is None else str(value)


def _replay(texts: tuple[str, str], raw: RawContext, found: Counterexample, limit: Limit) -> Recheck:
    string = found.point.get("string")
    if not isinstance(string, str):
        return Recheck(RecheckStatus.FAILED, replay.MATCHER, "the counterexample holds no string")
    dialect, match = _field(raw, "dialect", "python"), _field(raw, "match", "full")
    flags, boundary = _field(raw, "flags", "").lower(), _field(raw, "boundary", "word")
    ascii_only = _field(raw, "alphabet", "unicode") == "ascii"
    if ascii_only and not string.isascii():
        return Recheck(RecheckStatus.FAILED, replay.MATCHER, f"{string!r} is outside the alphabet")
    if found.oracle_value is found.candidate_value:
        return Recheck(RecheckStatus.FAILED, replay.MATCHER, "both sides are said to agree on the string")
    used = {replay.MATCHER: None}
    for text, claimed in zip(texts, (found.oracle_value, found.candidate_value), strict=True):
        tree = plain.read(text, dialect, flags, boundary, ascii_only)
        values = {replay.MATCHER: replay.Matcher(string).accepts(tree, match)}
        if dialect == "python":
            answer = replay.python_accepts(text, flags, string, match, min(5.0, limit.remaining()))
            if answer is not None:
                values["Python re"] = answer
                used["Python re"] = None
        for by, value in values.items():
            if value is not claimed:
                return Recheck(RecheckStatus.FAILED, by, f"{text!r} on {string!r} yields {value}")
    return Recheck(RecheckStatus.CONFIRMED, " and ".join(used))


def implies(premise: str, conclusion: str, raw: RawContext, itself: Verdict, limit: Limit) -> Implication:
    """Whether the premise's language lies in the conclusion's, by the certificate of the premise and itself.

    The premise has the certificate's automaton as its language; the conclusion accepts all that it accepts.
    """
    proof = itself.evidence
    assert isinstance(proof, Proof)
    with deep_stack():
        same = _follow((premise, premise), raw, proof, limit)
        if same.status is not RecheckStatus.CONFIRMED:
            return Implication(None, same.by, same.detail)
        assert isinstance(proof.certificate, dict)
        tree, dialect, ascii_only = _read(conclusion, raw)
        string = follow.accepts_all(
            tree, follow.Automaton.read(proof.certificate), dialect, ascii_only, limit.check
        )
    if string is None:
        return Implication(True, same.by)
    return Implication(False, same.by, f"{premise!r} matches {string!r}, {conclusion!r} does not")


def _read(text: str, raw: RawContext) -> tuple[plain.Tree, str, bool]:
    """The tree that has the text's language, its dialect, and whether the alphabet is ASCII."""
    dialect = _field(raw, "dialect", "python")
    ascii_only = _field(raw, "alphabet", "unicode") == "ascii"
    flags, boundary = _field(raw, "flags", "").lower(), _field(raw, "boundary", "word")
    tree = plain.read(text, dialect, flags, boundary, ascii_only)
    searched = _field(raw, "match", "full") == "search"
    return follow.searching(tree) if searched else tree, dialect, ascii_only


def _follow(texts: tuple[str, str], raw: RawContext, proof: Proof, limit: Limit) -> Recheck:
    certificate = proof.certificate if isinstance(proof.certificate, dict) else {}
    if certificate.get("kind") != "automaton":
        detail = "the proof carries no certificate"
        if why := certificate.get("reason"):
            detail = f"the certificate was left out: {why}"
        elif "kind" in certificate:
            detail = f"no checker follows a certificate of the kind {certificate['kind']!r:.60}"
        return Recheck(RecheckStatus.NO_CERTIFICATE, "nothing", detail)
    by = "stepping both texts beside the certificate's automaton"
    try:
        automaton = follow.Automaton.read(certificate)
    except (ValueError, KeyError, TypeError) as error:
        return Recheck(RecheckStatus.FAILED, by, f"the certificate is malformed: {error}")
    for text in texts:
        tree, dialect, ascii_only = _read(text, raw)
        difference = follow.follows(tree, automaton, dialect, ascii_only, limit.check)
        if difference is not None:
            return Recheck(RecheckStatus.FAILED, by, f"{text!r} differs from it on {difference!r}")
    return Recheck(RecheckStatus.CONFIRMED, by)
