"""Copilot chat replays: `{prompts[{prompt, logs[]}]}`. The last request of a prompt holds the system prompt,
the tools and the whole conversation; what the model answered to it is appended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.shared import source_of, text_of, tool_call, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "copilot-replay"
_ROLES = {0: "system", 1: "user", 2: "assistant", 3: "tool"}


def recognises(head: Any, _file: TraceFile) -> bool:
    """Its prompts with logs."""
    prompts = head.get("prompts") if isinstance(head, dict) else None
    return (
        isinstance(prompts, list)
        and bool(prompts)
        and isinstance(prompts[0], dict)
        and ("logs" in prompts[0] or "logCount" in prompts[0])
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per prompt that holds a request; consecutive prompts of one chat repeat what came before."""
    for _, index, prompt in each_record(file, "prompts", lambda p: isinstance(p, dict) and "logs" in p):
        if isinstance(prompt, Problem):
            yield prompt
            continue
        try:
            requests = [log for log in prompt["logs"] if log.get("kind") == "request"]
            if requests:
                yield _trace(prompt, requests[-1], file, index, joins)
            else:
                yield file.problem(f"prompts/{index}", "no request among its logs")
        except UNREADABLE as error:
            yield file.problem(f"prompts/{index}", f"no prompt of a replay: {error!r}")


def _trace(
    prompt: Mapping[str, Any], request: Mapping[str, Any], file: TraceFile, index: int, joins: Joins
) -> Trace:
    messages = [_message(m) for m in request["requestMessages"]["messages"]]
    metadata = request.get("metadata") or {}
    last = prompt["logs"].index(request)
    answer = text_of((request.get("response") or {}).get("message"))
    later = [log for log in prompt["logs"][last + 1 :] if log.get("kind") == "toolCall"]
    calls = tuple(tool_call(log.get("tool"), log.get("args"), log.get("id")) for log in later)
    if answer or calls:
        messages.append(Message("assistant", answer or None, calls, position=f"logs/{last}"))
    messages += [
        Message("tool", text_of(log.get("response")), call_id=log.get("id"), tool=log.get("tool"))
        for log in later
    ]
    tools = tool_schemas(metadata.get("tools"))
    return Trace(
        id=str(request.get("id") or index),
        messages=tuple(messages),
        source=source_of(file, NAME, f"prompts/{index}"),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=tools if tools is not None else joins.domain(None).tools,
        model=metadata.get("model"),
        task={"prompt": prompt.get("prompt")},
        metadata={k: v for k, v in metadata.items() if k not in ("tools", "model")},
    )


def _message(m: Mapping[str, Any]) -> Message:
    role = m.get("role")
    name = _ROLES.get(role, "assistant") if isinstance(role, int) else str(role)
    content = m.get("content")
    text = (
        text_of([part for part in content if isinstance(part, dict) and part.get("type") == 1])
        if isinstance(content, list)
        else text_of(content)
    )
    if name == "tool":
        return Message("tool", text, call_id=m.get("toolCallId"))
    calls = tuple(
        tool_call(
            (c.get("function") or {}).get("name"), (c.get("function") or {}).get("arguments"), c.get("id")
        )
        for c in m.get("toolCalls") or ()
    )
    return Message(name, text or None, calls)
