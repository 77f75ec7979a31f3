"""What a tool gave, as a text, and whether the value itself says that it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truespec.traces.files import loads
from truespec.traces.importers.shared import value_text

TEXTS = frozenset(
    (
        "text",
        "text_block",
        "input_text",
        "output_text",
        "refusal",
        "summary_text",
        "markdown",
        "error",
    )
)
"""Types of parts that hold visible text."""
DENIED = "Tool execution denied."
"""What a model is told of a call that a person did not approve, without a reason."""
_OUTPUTS = ("text", "json", "content", "error-text", "error-json")
"""Types of outputs of tools in Vercel's AI SDK."""


_TEXT_FIELDS = frozenset(("type", "text", "providerData", "annotations", "logprobs"))
"""Fields of a text part that is a result alone (the Agents SDK of JavaScript)."""


def outcome_of(value: Any) -> tuple[str | None, bool | None]:
    """A result's text, and whether the value itself declares a failure."""
    failed: bool | None = None
    if isinstance(value, str) and value.startswith('{"type":"') and value.endswith("}"):
        inner = _loaded(value)
        if isinstance(inner, Mapping) and inner.keys() == {"type", "value"} and inner["type"] in _OUTPUTS:
            value = inner
    if isinstance(value, Mapping):
        kind = value.get("type")
        if isinstance(kind, str) and "value" in value:  # {type: text|json|error-text|content, value}
            return value_text(_joined(value["value"])), True if kind.startswith("error") else None
        if kind == "execution-denied":  # by a person, in Vercel's AI SDK
            return str(value.get("reason") or DENIED), True
        if kind in TEXTS and isinstance(value.get("text"), str) and value.keys() <= _TEXT_FIELDS:
            return value["text"], None
        flag = value.get("isError", value.get("is_error"))
        failed = flag if isinstance(flag, bool) else None
        if isinstance(kind, str) and kind.endswith("_error"):
            failed = True
        if value.get("type") == "tool" or ("tool_call_id" in value and "content" in value):  # LangChain
            failed = True if value.get("status") == "error" else failed
            return value_text(_joined(value["content"])) if "content" in value else None, failed
        kept = {k for k in value if k not in ("isError", "is_error", "_meta", "structuredContent", "meta")}
        if kept == {"content"}:
            return value_text(_joined(value["content"])), failed
    return value_text(_joined(value)), failed


def _loaded(value: str) -> Any:
    try:
        return loads(value)
    except ValueError:
        return None


def _joined(value: Any) -> Any:
    """The text of a list of text parts; every other value, such as a list of texts, as it is."""
    if isinstance(value, list) and value:
        if len(value) == 1 and isinstance(value[0], Mapping) and set(value[0]) == {"json"}:
            return value[0]["json"]  # Bedrock's part of a result
        texts = [
            item.get("text") if isinstance(item, Mapping) and item.get("type", "text") in TEXTS else item
            for item in value
        ]
        spoken = [text for text in texts if isinstance(text, str)]
        if len(spoken) == len(value) and any(isinstance(item, Mapping) for item in value):
            return "\n".join(spoken)
    return value


def with_reason(text: str | None, error: Any) -> tuple[str | None, Any]:
    """A result's text, or why its call failed where it has none; and a reason that the text does not say."""
    if not error or isinstance(error, bool):
        return text, None
    told = (
        next((error[k] for k in ("message", "error") if error.get(k)), error)
        if isinstance(error, Mapping)
        else error
    )
    reason = value_text(told)
    if not text:
        return reason, None
    return text, None if reason is None or reason in text else error
