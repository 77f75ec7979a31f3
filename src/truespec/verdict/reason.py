"""Why a pair was not decided, or why a candidate is no specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class ReasonCode(Enum):
    """The closed list of reasons; the first nine belong to *unknown*, the last four to *invalid*."""

    TIMEOUT = "timeout"
    """The wall limit was reached."""
    MEMORY = "memory"
    """The memory cap was reached."""
    CRASH = "crash"
    """A tool or a worker died; the detail says how."""
    UNSUPPORTED = "unsupported"
    """A construct outside what the verifier can decide; the detail names it and its place."""
    INCOMPLETE = "incomplete"
    """The procedure stopped without an answer, though limits were left."""
    NONDETERMINISTIC = "nondeterministic"
    """A specification denotes several results and neither a proof nor a stable refutation exists."""
    UNAVAILABLE = "unavailable"
    """A tool is not installed; the detail names it and how to get it."""
    ORACLE = "oracle"
    """The oracle or its context is unusable; nobody's candidate is to blame."""
    CONTEXT = "context"
    """The context has a field that the domain does not know, or of the wrong type: the caller's mistake."""

    SYNTAX = "syntax"
    """The candidate does not parse."""
    TYPE = "type"
    """The candidate does not type-check."""
    SCOPE = "scope"
    """The candidate uses a name that the context does not declare."""
    FORBIDDEN = "forbidden"
    """The candidate uses a construct that a specification must not use."""


OF_UNKNOWN = frozenset(
    {
        ReasonCode.TIMEOUT,
        ReasonCode.MEMORY,
        ReasonCode.CRASH,
        ReasonCode.UNSUPPORTED,
        ReasonCode.INCOMPLETE,
        ReasonCode.NONDETERMINISTIC,
        ReasonCode.UNAVAILABLE,
        ReasonCode.ORACLE,
        ReasonCode.CONTEXT,
    }
)
"""Codes that explain an *unknown*."""

OF_INVALID = frozenset(ReasonCode) - OF_UNKNOWN
"""Codes that explain an *invalid*."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason code and the sentence that goes with it."""

    code: ReasonCode
    """Which kind of reason."""
    detail: str
    """What was seen, where, what was expected, what to do."""

    def __post_init__(self) -> None:
        if not isinstance(self.code, ReasonCode):
            raise TypeError(f"a reason's code is a ReasonCode, not {self.code!r}")
        if not self.detail:
            raise ValueError(f"a reason of code {self.code.value!r} states its detail, e.g. 'z3 timed out'")

    def to_json(self) -> dict[str, object]:
        """The reason as the verdict record writes it."""
        return {"code": self.code.value, "detail": self.detail}

    @classmethod
    def from_json(cls, record: Mapping[str, object]) -> Reason:
        """Read what `to_json` wrote; `ValueError` for an unknown code."""
        return cls(ReasonCode(record["code"]), str(record["detail"]))
