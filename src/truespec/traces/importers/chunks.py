"""Recorded chunks of streamed replies, put together into the replies that they are the pieces of.

Four interfaces stream: OpenAI's chat completions (`chat.completion.chunk`), OpenAI's Responses (events whose
type begins with `response.`), Anthropic's messages (`message_start`, `content_block_delta`) and Bedrock's
Converse (`messageStart`, `contentBlockDelta`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import loads

_ANTHROPIC = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
    )
)
_CONVERSE = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop")
"""The one field of an event of Bedrock's Converse, beside that of the last one, which counts tokens."""
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.done")


def is_chunk(value: Any) -> bool:
    """Whether a value is a piece of a streamed reply."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    if isinstance(kind, str) and (kind in _ANTHROPIC or kind.startswith("response.")):
        return True
    if value.get("object") == "chat.completion.chunk":
        return True
    if _is_converse(value):
        return True
    choices = value.get("choices")
    if choices == [] and "prompt_filter_results" in value:
        return True  # the first chunk of Azure's
    return (
        isinstance(choices, list)
        and bool(choices)
        and isinstance(choices[0], Mapping)
        and "delta" in choices[0]
    )


def _is_converse(value: Mapping[str, Any]) -> bool:
    if len(value) != 1:
        return False
    ((key, inner),) = value.items()
    counted = key == "metadata" and isinstance(inner, Mapping) and "usage" in inner
    return (key in _CONVERSE and isinstance(inner, Mapping)) or counted


def merged(chunks: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The replies that the chunks belong to, each as if it had not been streamed, in order of their start."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    current = ""
    for number, chunk in enumerate(chunks):
        kind = chunk.get("type")
        if chunk.get("choices") == []:
            continue  # usage, or what was filtered: no part of the reply
        if isinstance(kind, str) and (kind in _ANTHROPIC or kind.startswith("response.")):
            if kind in ("message_start", "response.created") or not current:
                current = f"{kind}-{number}"
        elif _is_converse(chunk):
            if "messageStart" in chunk or not current:
                current = f"messageStart-{number}"
        else:
            current = str(chunk.get("id"))
        groups.setdefault(current, []).append(chunk)
    for group in groups.values():
        kind = str(group[0].get("type") or "")
        if kind.startswith("response."):
            yield _response(group)
        elif kind in _ANTHROPIC:
            yield _message(group)
        elif _is_converse(group[0]):
            yield _converse(group)
        else:
            yield _completion(group)


def _completion(chunks: list[Mapping[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[int, dict[str, Any]] = {}
    others: set[int] = set()
    for chunk in chunks:
        for choice in chunk.get("choices") or ():
            if not isinstance(choice, Mapping):
                continue
            if choice.get("index") not in (None, 0):
                others.add(choice["index"])
                continue
            delta = choice.get("delta")
            if not isinstance(delta, Mapping):
                continue
            for key in ("content", "refusal", "reasoning_content", "reasoning"):
                if isinstance(delta.get(key), str):
                    message[key] = (message.get(key) or "") + delta[key]
            listed = delta.get("tool_calls")
            for piece in listed if isinstance(listed, list) else ():
                if isinstance(piece, Mapping):
                    _add_call(calls, piece)
            if isinstance(delta.get("function_call"), Mapping):
                _add_call(calls, {"index": 0, "function": delta["function_call"]})
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    first = chunks[0]
    choices = [{"index": 0, "message": message}, *({"index": index} for index in sorted(others))]
    return {"id": first.get("id"), "model": first.get("model"), "choices": choices}


def _add_call(calls: dict[int, dict[str, Any]], piece: Mapping[str, Any]) -> None:
    index = piece.get("index")
    call = calls.setdefault(
        index if isinstance(index, int) else len(calls), {"type": "function", "function": {}}
    )
    if piece.get("id"):
        call["id"] = piece["id"]
    for inner in ("function", "custom"):
        delta = piece.get(inner)
        if not isinstance(delta, Mapping):
            continue
        body = call["function"]
        if delta.get("name"):
            body["name"] = delta["name"]
        for key in ("arguments", "input"):
            if isinstance(delta.get(key), str):
                body["arguments"] = body.get("arguments", "") + delta[key]


def _response(events: list[Mapping[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"object": "response", "output": []}
    items: dict[int, Any] = {}
    texts: dict[int, str] = {}
    arguments: dict[int, str] = {}
    thoughts: dict[int, str] = {}
    for event in events:
        kind, index = event["type"], event.get("output_index")
        at = index if isinstance(index, int) else 0
        if isinstance(event.get("response"), Mapping):
            made.update({k: v for k, v in event["response"].items() if v})
            if kind in _ENDS and made["output"]:
                return made
        elif kind in ("response.output_item.added", "response.output_item.done"):
            items[at] = event.get("item")
        elif kind == "response.output_text.delta" and isinstance(event.get("delta"), str):
            texts[at] = texts.get(at, "") + event["delta"]
        elif kind.startswith("response.reasoning") and isinstance(event.get("delta"), str):
            thoughts[at] = thoughts.get(at, "") + event["delta"]
        elif kind.endswith(("_call_arguments.delta", "_call_input.delta")) and isinstance(
            event.get("delta"), str
        ):
            arguments[at] = arguments.get(at, "") + event["delta"]
    listed = []
    for at in sorted({*items, *texts, *thoughts}):
        item = (
            dict(items[at])
            if isinstance(items.get(at), Mapping)
            else {"type": "message", "role": "assistant"}
        )
        if at in texts and not item.get("content"):
            item["content"] = [{"type": "output_text", "text": texts[at]}]
        if at in thoughts and not item.get("summary") and not item.get("content"):
            item = {"type": "reasoning", **item, "summary": [{"type": "summary_text", "text": thoughts[at]}]}
        key = "input" if str(item.get("type")).startswith("custom") else "arguments"
        if at in arguments and not item.get(key):
            item[key] = arguments[at]
        listed.append(item)
    return {**made, "output": listed or made["output"]}


def _message(events: list[Mapping[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "message", "role": "assistant"}
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    for event in events:
        at = event.get("index") if isinstance(event.get("index"), int) else 0
        assert isinstance(at, int)
        if event["type"] == "message_start" and isinstance(event.get("message"), Mapping):
            made.update(event["message"])
        elif event["type"] == "content_block_start" and isinstance(event.get("content_block"), Mapping):
            blocks[at] = dict(event["content_block"])
        elif event["type"] == "content_block_delta" and isinstance(event.get("delta"), Mapping):
            delta = event["delta"]
            block = blocks.setdefault(at, {"type": "text", "text": ""})
            for key in ("text", "thinking"):
                if isinstance(delta.get(key), str):
                    block[key] = str(block.get(key) or "") + delta[key]
            if isinstance(delta.get("partial_json"), str):
                inputs[at] = inputs.get(at, "") + delta["partial_json"]
    for at, text in inputs.items():
        if text:
            blocks.setdefault(at, {"type": "tool_use"})["input"] = text
    return {**made, "content": [blocks[at] for at in sorted(blocks)]}


def _converse(events: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The reply in the shape of Anthropic's, which has the same blocks under other names."""
    blocks: dict[int, dict[str, Any]] = {}
    for event in events:
        ((kind, told),) = event.items()
        at = told.get("contentBlockIndex") if isinstance(told.get("contentBlockIndex"), int) else 0
        begun, delta = told.get("start"), told.get("delta")
        if kind == "contentBlockStart" and isinstance(begun, Mapping):
            used = begun.get("toolUse")
            if isinstance(used, Mapping):
                about = {"type": "tool_use", "id": used.get("toolUseId"), "name": used.get("name")}
                blocks[at] = {**about, "input": ""}
            else:
                blocks[at] = dict(begun)
        elif kind == "contentBlockDelta" and isinstance(delta, Mapping):
            used, thought = delta.get("toolUse"), delta.get("reasoningContent")
            if isinstance(used, Mapping) and isinstance(used.get("input"), str):
                block = blocks.setdefault(at, {"type": "tool_use", "input": ""})
                block["input"] = str(block.get("input") or "") + used["input"]
            elif isinstance(thought, Mapping) and isinstance(thought.get("text"), str):
                block = blocks.setdefault(at, {"type": "thinking", "thinking": ""})
                block["thinking"] = str(block.get("thinking") or "") + thought["text"]
            elif isinstance(delta.get("text"), str):
                block = blocks.setdefault(at, {"type": "text", "text": ""})
                block["text"] = str(block.get("text") or "") + delta["text"]
    content = [blocks[at] for at in sorted(blocks)]
    return {"type": "message", "role": "assistant", "content": content}


def events_of_sse(text: str) -> Iterator[tuple[int, Any]]:
    """The data of server-sent events, parsed, with the number of their line; what is no JSON is a text."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("data:"):
            data = line[5:].strip()
            if data and data != "[DONE]":
                try:
                    yield number, loads(data)
                except ValueError:
                    yield number, data
