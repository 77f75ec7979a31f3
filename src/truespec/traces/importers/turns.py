"""The items of one turn of a model, as OpenAI's Responses API lists them, as one message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from truespec.traces.trace import Message


def is_typed(item: Any) -> bool:
    """Whether this is a call or a thought as an item of its own, as OpenAI's Responses API has them."""
    return isinstance(item, Mapping) and item.get("type") in _ALONE and "role" not in item


_ALONE = ("function_call", "custom_tool_call", "mcp_call", "reasoning", "web_search_call", "file_search_call")


def in_turns(messages: Iterable[Message]) -> list[Message]:
    """Messages of items in which those of one turn of the model (thoughts, text, several calls) are one."""
    made: list[Message] = []
    for message in messages:
        last = made[-1] if made else None
        if (
            last is not None
            and message.role == last.role == "assistant"
            and not (last.calls and not message.calls)
        ):
            made[-1] = replace(
                last,
                text="\n".join(t for t in (last.text, message.text) if t) or None,
                calls=last.calls + message.calls,
                reasoning="\n".join(t for t in (last.reasoning, message.reasoning) if t) or None,
            )
        else:
            made.append(message)
    return made
