"""A logged request to a model and its reply, whichever field holds which.

Logs put a request under `request`, `body`, `kwargs` or `params`, or write its fields as their own, and the
reply under `response`, `result`, `completion` or the like. Either may be JSON inside a text, and a reply may
be the list of its chunks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from truespec.traces.files import brief
from truespec.traces.importers.chunks import is_chunk, merged
from truespec.traces.importers.reply_texts import is_stream, reply_of_text
from truespec.traces.importers.shared import role_of
from truespec.traces.importers.told import parsed
from truespec.traces.ledger import Ledger

REQUESTS = ("request", "request_body", "body", "kwargs", "params", "proxy_server_request", "trace")
"""Fields that hold a request."""
REPLIES = ("response", "response_body", "result", "completion", "chunks", "events", "output", "outputs")
"""Fields that hold a reply."""


_BODIES = ("body", "json", "data")
"""Fields of a request or a reply of HTTP that hold its content."""


def opened_log(value: Any) -> Any:
    """A record of Bedrock's invocation log with its request and its reply in fields of these names."""
    if not isinstance(value, Mapping):
        return value
    given, said = value.get("input"), value.get("output")
    if not isinstance(given, Mapping) or "inputBodyJson" not in given:
        return value
    rest = {key: inner for key, inner in value.items() if key not in ("input", "output")}
    reply = said.get("outputBodyJson") if isinstance(said, Mapping) else None
    return {**rest, "request": given["inputBodyJson"], "response": reply}


def request_of(value: Any, field: str) -> Mapping[str, Any] | None:
    """The object with a list under `field`, as the value itself or in it; a list that is a text is parsed."""
    value = opened_log(value)
    if not isinstance(value, Mapping):
        return None
    for key in (None, *REQUESTS):
        inner = value if key is None else parsed(value.get(key))
        if not isinstance(inner, Mapping):
            continue
        if key is not None and field not in inner:
            held = (parsed(inner.get(name)) for name in _BODIES)
            inner = next((one for one in held if isinstance(one, Mapping)), inner)
        listed = parsed(inner.get(field))
        if isinstance(listed, list):
            return {**inner, field: listed}
    return None


def reply_of(value: Mapping[str, Any]) -> Any:
    """The reply beside a request, its chunks put together; the value itself where no field holds one."""
    around = opened_log(value)
    for key in REPLIES:
        reply = parsed(around.get(key))
        if isinstance(reply, Mapping) and isinstance(reply.get("body"), Mapping | str):
            reply = parsed(reply["body"])
        if isinstance(reply, str) and is_stream(reply):
            reply = reply_of_text(reply)
            reply = [one for one in reply if is_chunk(one)] or reply if isinstance(reply, list) else reply
        if (chunks := _chunks(reply)) is not None:
            return next(merged(chunks))
        if isinstance(reply, str) and _WRITTEN.match(reply):
            continue  # what Python writes for an object
        if key == "outputs" and isinstance(reply, list) and reply:
            return {"choices": [{"message": _of_output(one)} for one in reply]}
        if reply and (key not in ("events", "chunks", "output") or said_in(reply) is not None):
            return reply
    return value


_WRITTEN = re.compile(r"[A-Z]\w*\(\w+=")


def _of_output(output: Any) -> dict[str, Any]:
    """One of the replies that DSPy keeps beside a request: a text, or an object with its calls."""
    if not isinstance(output, Mapping):
        return {"content": output}
    return {**output, "content": output.get("text", output.get("content"))}


def _chunks(reply: Any) -> list[Any] | None:
    """The chunks of a streamed reply: a list, or a list in a field of it."""
    if isinstance(reply, list):
        return reply if reply and all(map(is_chunk, reply)) else None
    if isinstance(reply, Mapping):
        held = (_chunks(inner) for inner in reply.values() if isinstance(inner, list))
        return next((found for found in held if found is not None), None) if "choices" not in reply else None
    return None


FURTHER = "a further reply that a model gave to the same request"
"""Why the replies behind the first one of several (`n`) are left out."""
UNSAID = "a logged reply without any message adds none"


def tell_unsaid(reply: Any, position: str, ledger: Ledger) -> None:
    """Tell a logged reply in which no message is recognised; one that is an error says nothing."""
    if not isinstance(reply, Mapping | list) or not reply:
        return
    ledger.rules[UNSAID] += 1
    if not (isinstance(reply, Mapping) and reply.get("error")):
        ledger.problem(position, f"no message is recognised in the reply {brief(reply)}")


def further(reply: Any) -> int:
    """How many more replies there are than the one that is taken."""
    for key in ("choices", "candidates"):
        listed = reply.get(key) if isinstance(reply, Mapping) else None
        if isinstance(listed, list) and len(listed) > 1:
            return len(listed) - 1
    return 0


def said_in(reply: Any) -> Mapping[str, Any] | None:
    """The message that a reply says, in any provider's shape; None where it says none."""
    if isinstance(reply, list) and len(reply) == 1:
        reply = reply[0]
    if not isinstance(reply, Mapping):
        return None
    choices = reply.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        if isinstance(message, Mapping):
            return {"role": "assistant", **message}
        text = choices[0].get("text")
        return {"role": "assistant", "content": text} if isinstance(text, str) else None
    candidates = reply.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], Mapping):
        content = candidates[0].get("content")
        return {"role": "model", **content} if isinstance(content, Mapping) else None
    for key in ("output", "message"):
        inner = reply.get(key)
        inner = inner.get("message", inner) if isinstance(inner, Mapping) else inner
        if isinstance(inner, Mapping) and role_of(inner.get("role")) == "assistant":
            return inner
    if role_of(reply.get("role")) == "assistant" and ("content" in reply or "tool_calls" in reply):
        return reply
    return None
