"""What a guard decides about an act, and how it says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from truespec.verdict import TruespecError


class Action(StrEnum):
    """What becomes of an act."""

    ALLOW = "allow"
    """It is carried out."""
    ASK = "ask"
    """A person decides."""
    BLOCK = "block"
    """It is not carried out."""


@dataclass(frozen=True, slots=True)
class Objection:
    """What one rule has against an act."""

    rule_id: str
    """The rule."""
    text: str
    """What it says, in words."""
    action: Action
    """What it asks for."""
    reason: str
    """The breach, or why the rule could not be evaluated."""
    hint: str = ""
    """What the model could do instead, where the rule's author says so."""
    evaluated: bool = True
    """Whether the rule was evaluated: False where it is only not known to be kept."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about an act, with everything that led to it."""

    action: Action
    """The strictest that any rule asks for; after a person was asked, what that person said."""
    tool: str | None
    """The tool, or None for a message without calls."""
    arguments: Mapping[str, Any]
    """The arguments that were checked, as plain JSON values: a copy that nobody else can change."""
    objections: tuple[Objection, ...] = ()
    """What rules have against it, those too that only want it reported."""
    not_evaluated: Mapping[str, str] = field(default_factory=dict)
    """Every rule of which nothing is known, with the reason, whether or not it had to be."""
    asked: bool = False
    """Whether a person was asked."""
    number: int = 0
    """Its number in the conversation, from 1."""

    @property
    def allowed(self) -> bool:
        """Whether the act may be carried out."""
        return self.action == Action.ALLOW

    @property
    def message(self) -> str:
        """What to tell the model: the rules that stand against the act, with their hints."""
        if self.allowed:
            return ""
        act = f"The call of {self.tool}" if self.tool is not None else "This message"
        lines = [f"{act} was not carried out."]
        for one in self.objections:
            if one.action != Action.ALLOW:
                why = "" if one.evaluated else f" (it could not be evaluated: {one.reason})"
                hint = f" {one.hint}" if one.hint else ""
                lines.append(f"- {one.text}{why}{hint}")
        if self.action == Action.ASK:
            lines.append("A person has to approve it first.")
        return "\n".join(lines)

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "action": self.action.value,
            "tool": self.tool,
            "arguments": self.arguments,
            "objections": [
                {
                    "rule_id": one.rule_id,
                    "action": one.action.value,
                    "reason": one.reason,
                    "evaluated": one.evaluated,
                }
                for one in self.objections
            ],
            "not_evaluated": dict(self.not_evaluated),
            "asked": self.asked,
            "decision": self.number,
        }


class Blocked(TruespecError):
    """An act that a guard did not let pass; `str` of it is what to tell the model."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.message)
        self.decision = decision
        """The decision."""
