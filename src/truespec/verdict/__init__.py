"""What we conclude, and why. This room imports nothing of ours."""

from truespec.verdict.answer import Answer, Relation
from truespec.verdict.errors import (
    ContextError,
    Incomplete,
    Nondeterministic,
    OracleError,
    OutOfMemory,
    OutOfTime,
    Place,
    SpecificationError,
    ToolMissing,
    TruespecError,
    Undecided,
    Unsupported,
    UsageError,
)
from truespec.verdict.evidence import JSON, Bounded, Counterexample, Evidence, Proof
from truespec.verdict.reason import Reason, ReasonCode
from truespec.verdict.verdict import Verdict, equivalent, invalid, refuted, unknown

__all__ = [
    "JSON",
    "Answer",
    "Bounded",
    "ContextError",
    "Counterexample",
    "Evidence",
    "Incomplete",
    "Nondeterministic",
    "OracleError",
    "OutOfMemory",
    "OutOfTime",
    "Place",
    "Proof",
    "Reason",
    "ReasonCode",
    "Relation",
    "SpecificationError",
    "ToolMissing",
    "TruespecError",
    "Undecided",
    "Unsupported",
    "UsageError",
    "Verdict",
    "equivalent",
    "invalid",
    "refuted",
    "unknown",
]
