"""What a verification may conclude."""

from __future__ import annotations

from enum import Enum


class Answer(Enum):
    """The four answers to *does the candidate mean what the oracle means?* (RESpecBench, section 3)."""

    EQUIVALENT = "equivalent"
    """Proved for every input in the stated scope; the paper's *Success*."""
    REFUTED = "refuted"
    """A counterexample, replayed by semantics independent of the solver, separates the two."""
    UNKNOWN = "unknown"
    """No decision; the reason says why."""
    INVALID = "invalid"
    """The candidate is not a specification: it does not parse, type-check or stay inside the language."""


class Relation(Enum):
    """How a refuted candidate relates to the oracle, where the domain orders its specifications."""

    STRONGER = "stronger"
    """The candidate implies the oracle, not conversely; a regex's language is strictly included."""
    WEAKER = "weaker"
    """The oracle implies the candidate, not conversely."""
    INCOMPARABLE = "incomparable"
    """Neither implies the other."""

    def flipped(self) -> Relation:
        """The relation after oracle and candidate change places."""
        return _FLIPPED[self]


_FLIPPED = {
    Relation.STRONGER: Relation.WEAKER,
    Relation.WEAKER: Relation.STRONGER,
    Relation.INCOMPARABLE: Relation.INCOMPARABLE,
}
