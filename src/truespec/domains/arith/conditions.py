"""Conditions and obligations of normal forms, with negations at the literals."""

from __future__ import annotations

from truespec.domains.arith.polynomial import TooManyTerms

Condition = tuple[object, ...]
"""`("true",)`, `("false",)`, `("lit", id, polarity)`, `("and"|"or", conditions)`."""
Obligation = tuple[object, ...]
"""`("nz", id)`: a polynomial is not zero; `("when", condition, obligation)`: only where a condition holds."""

TRUE: Condition = ("true",)
FALSE: Condition = ("false",)
NOTHING: frozenset[Obligation] = frozenset()

MAX_PARTS = 64
"""Larger conjunctions and disjunctions are not normalised."""


def negate(a: Condition) -> Condition:
    """`not a`, with negations at the literals."""
    match a:
        case ("true",):
            return FALSE
        case ("false",):
            return TRUE
        case ("lit", index, polarity):
            return ("lit", index, not polarity)
        case ("and" | "or" as op, parts):
            assert isinstance(parts, frozenset)
            return ("or" if op == "and" else "and", frozenset(map(negate, parts)))
    raise AssertionError(a)


def conjoin(a: Condition, b: Condition) -> Condition:
    """`a and b`."""
    return _join("and", a, b, TRUE, FALSE)


def disjoin(a: Condition, b: Condition) -> Condition:
    """`a or b`."""
    return _join("or", a, b, FALSE, TRUE)


def _join(op: str, a: Condition, b: Condition, neutral: Condition, absorbing: Condition) -> Condition:
    parts: set[Condition] = set()
    for each in (a, b):
        if each == absorbing:
            return absorbing
        if each[0] == op:
            assert isinstance(each[1], frozenset)
            parts |= each[1]
        elif each != neutral:
            parts.add(each)
    if any(negate(each) in parts for each in parts if each[0] == "lit"):
        return absorbing
    if len(parts) > MAX_PARTS:
        raise TooManyTerms("a condition too large to normalise")
    if not parts:
        return neutral
    return next(iter(parts)) if len(parts) == 1 else (op, frozenset(parts))


def guarded(condition: Condition, needs: frozenset[Obligation]) -> frozenset[Obligation]:
    """The obligations that hold good only where the condition holds."""
    if condition == TRUE:
        return needs
    if condition == FALSE:
        return NOTHING
    return frozenset(("when", condition, need) for need in needs)


def merged(needs: frozenset[Obligation]) -> frozenset[Obligation]:
    """What is needed on both branches is needed."""
    kept = set(needs)
    for need in needs:
        if need[0] == "when":
            condition, inner = need[1], need[2]
            assert isinstance(condition, tuple)
            assert isinstance(inner, tuple)
            if ("when", negate(condition), inner) in kept:
                kept -= {need, ("when", negate(condition), inner)}
                kept.add(inner)
    return frozenset(kept)
