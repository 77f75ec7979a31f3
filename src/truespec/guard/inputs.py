"""Messages as people have them: dicts of any provider, objects of SDKs and frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from truespec.traces.importers.items import messages_of_item
from truespec.traces.importers.parts import Notes
from truespec.traces.trace import Message, TraceError

Said = Message | Mapping[str, Any] | str | Any
"""A message: ours, a dict of any provider, an object of an SDK, or a text."""


def messages_from(said: Said, role: str = "user") -> list[Message]:
    """The messages that a value is; `TraceError` names what cannot be read.

    Read are messages as dicts (OpenAI chat and Responses, Anthropic, LangChain), objects of these SDKs (whole
    responses too), lists of them, and texts, which `role` speaks.
    """
    if isinstance(said, Message):
        return [said]
    if isinstance(said, str):
        return [Message(role, said)]
    if isinstance(said, Mapping):
        inner = _of_response(said)
        return _read(said, role) if inner is said else messages_from(inner, role)
    if callable(dump := getattr(said, "model_dump", None)):
        return messages_from(_of_response(dump(mode="json")), role)
    if isinstance(said, Iterable):
        return [message for one in said for message in messages_from(one, role)]
    raise TraceError(f"no message: {type(said).__name__}; expected a dict, an SDK object or a text")


def _of_response(value: Mapping[str, Any]) -> Mapping[str, Any] | list[Any]:
    """The messages inside a whole response: of OpenAI's chat (one choice) and of its Responses API."""
    choices = value.get("choices")
    if isinstance(choices, list) and choices:
        if len(choices) > 1:
            raise TraceError(f"a response with {len(choices)} choices: pass the message that is used")
        message = choices[0].get("message")
        return message if isinstance(message, Mapping) else {}
    if value.get("object") == "response" and isinstance(value.get("output"), list):
        return [value["output"]]
    return value


def _read(value: Mapping[str, Any], role: str) -> list[Message]:
    if not ("role" in value or "type" in value):
        raise TraceError(f"a message without a role or a type: {value!r:.120}")
    notes = Notes()
    made = messages_of_item(value, notes, "assistant" if "role" not in value else role)
    lost = [problem for _, problem in notes.ledger.problems]
    if lost or notes.ledger.items.dropped:
        raise TraceError("; ".join(lost) or f"no message: {value!r:.120}")
    calls = [call for message in made for call in message.calls]
    if (value.get("tool_calls") and not calls) or any(not call.name for call in calls):
        raise TraceError(f"a call that cannot be read, or without the name of a tool: {value!r:.120}")
    if (held := _calls_in(value)) > len(calls):
        # Readers of logs take calls that are written twice for one; whoever carries them out may not.
        raise TraceError(f"{held} calls stand in the message, and {len(calls)} of them are told apart")
    said = calls or any(m.role == "tool" or m.text or m.reasoning for m in made)
    if not said and any(value.get(key) for key in ("content", "parts", "text")):
        raise TraceError(f"nothing of this message can be read: {value!r:.120}")
    return made


_CALLS = ("tool_use", "tool-call", "tool_call", "function_call")
"""What parts of a message are called that call a tool."""


def _calls_in(value: Mapping[str, Any]) -> int:
    """How many calls stand in a message, in whichever of its lists they are."""
    listed = [value.get(key) for key in ("tool_calls", "content", "parts")]
    calls, *others = [one if isinstance(one, list) else [] for one in listed]
    parts = [
        sum(isinstance(p, Mapping) and (p.get("type") in _CALLS or "functionCall" in p) for p in one)
        for one in others
    ]
    return max(len(calls), *parts)
