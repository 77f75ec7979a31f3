"""What a judge concludes."""

from __future__ import annotations

from enum import Enum


class Judgement(Enum):
    """What a judge said of a candidate."""

    ACCEPT = "accept"
    """The judge takes the candidate for correct; the paper's *Success*."""
    REJECT = "reject"
    """The judge takes it for wrong; the paper's *Refuted*."""
    UNKNOWN = "unknown"
    """The response was malformed; left out of every rate."""
