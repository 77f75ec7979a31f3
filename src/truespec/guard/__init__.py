"""Guards: rules that stand between an agent and its tools, and hold before the act."""

from truespec.guard.decision import Blocked, Decision
from truespec.guard.guard import Guard

__all__ = ["Blocked", "Decision", "Guard"]
