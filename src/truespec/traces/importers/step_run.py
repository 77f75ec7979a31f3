"""A conversation that is put together from the steps of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import TraceFile, brief
from truespec.traces.importers.conversation import Origin, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import value_text
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace

LAST = "one observation of a step with several calls stands at the last of them"
_NAMED = ("id", "run_id", "message_id", "task_id")


@dataclass
class StepRun:
    """One run; the position is that of its record."""

    notes: Notes
    position: str
    messages: list[Message] = field(default_factory=list)

    def say(self, role: str, text: Any, place: str = "") -> None:
        """Add a text, unless it is empty or repeats the last one of this speaker."""
        told = value_text(text)
        last = self.messages[-1] if self.messages else None
        if told and not (last is not None and last.role == role and last.text == told):
            self.messages.append(Message(role, told, position=place or None))

    def step(self, place: str, text: str | None, thought: str | None, calls: list[ToolCall]) -> None:
        """Add what the agent said, thought and called in a step."""
        if text or thought or calls:
            self.messages.append(
                Message("assistant", text or None, tuple(calls), reasoning=thought or None, position=place)
            )

    def observe(self, place: str, calls: list[ToolCall], value: Any, failed: bool | None = None) -> None:
        """Add what was observed after the calls of a step."""
        if value is None:
            return
        if not calls:
            where = f"{self.position}, {place}"
            self.notes.ledger.results.drop("an observation of a step without a call", where)
            self.notes.ledger.problem(where, f"observed without a call: {brief(value)}")
            return
        if len(calls) > 1:
            self.notes.ledger.assumed[LAST] += 1
        call, text = calls[-1], value_text(value)
        made = Message("tool", text, call_id=call.id, tool=call.name, error=failed, position=place)
        self.messages.append(made)

    def lose_call(self, place: str, why: str) -> None:
        """Note a step whose call cannot be read."""
        where = f"{self.position}, {place}"
        self.notes.ledger.calls.drop("a step whose call cannot be read", where)
        self.notes.ledger.problem(where, why)

    def trace(self, value: Any, file: TraceFile, form: str, joins: Joins) -> Trace:
        """The trace of the run; `value` is its record."""
        around = value if isinstance(value, Mapping) else {}
        identifier = next((around[name] for name in _NAMED if around.get(name)), None)
        model = around.get("model")
        return trace_of(
            self.messages, Origin(file, form, self.position, joins), identifier=identifier, model=model
        )
