"""The checks that are written in code, by name."""

from __future__ import annotations

from truespec.rules.coded import Coded, MentalArithmetic, MisfitCall, Ungrounded
from truespec.rules.history import AgainstResult, Elapsed, SoFar

CODED: dict[str, type[Coded]] = {
    "ungrounded": Ungrounded,
    "mental_arithmetic": MentalArithmetic,
    "misfit_call": MisfitCall,
    "against_result": AgainstResult,
    "so_far": SoFar,
    "elapsed": Elapsed,
}
"""Every check. Those of `history` are conditions of the language, with a field of the same name."""
