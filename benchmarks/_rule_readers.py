"""A scripted reader of conversations: what an extractor would say that understands each rule's words.

It reads the conversation as it stands in the prompt, and asks the monitor of the right rule.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import replace

from truespec.extraction.examples import status
from truespec.models.call import Call
from truespec.rules.rule import Rule
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace

_DECODER = json.JSONDecoder()


def reply_of(call: Call, rule: Rule, tools: Sequence[ToolSchema] = ()) -> str | None:
    """The answer to a question about conversations, by the right rule; None for another question."""
    kind = call.subject.split("/")[1]
    if kind == "settle":
        return {"pass": "kept", "fail": "broken"}.get(
            status(rule, _between("conversation", call, rule, tools)), "unclear"
        )
    if kind == "read_back":
        a, b = (status(rule, _between(name, call, rule, tools)) == "pass" for name in ("A", "B"))
        return "both" if a and b else "A" if a else "B" if b else "neither"
    return None


def _between(name: str, call: Call, rule: Rule, tools: Sequence[ToolSchema]) -> Trace:
    found = re.search(f"<{name}>\n(.*?)\n</{name}>", call.prompt, re.DOTALL)
    assert found is not None, call.prompt
    lines = html.unescape(found[1]).split("\n")
    return conversation_of(lines, rule.domains[0] if rule.domains else None, tools)


def conversation_of(lines: list[str], domain: str | None = None, tools: Sequence[ToolSchema] = ()) -> Trace:
    """The conversation in these lines (see `extraction.examples.as_lines`), with the known schemas."""
    messages: list[Message] = []
    open_calls: list[ToolCall] = []
    kinds: dict[str, str | None] = {}
    clock = 0.0
    times: list[float] = []
    for line in lines:
        if passed := re.fullmatch(r"(\S+) seconds pass", line):
            clock += float(passed[1])
            continue
        if typed := re.fullmatch(r"(\S+) is of type (\w+)", line):
            kinds[typed[1]] = typed[2]
        elif returned := re.fullmatch(r"(\S+) (succeeds|fails): (.*)", line):
            call = next(one for one in open_calls if one.name == returned[1])
            open_calls.remove(call)
            text, failed = json.loads(returned[3]), returned[2] == "fails"
            messages.append(Message("tool", text, (), call.id, call.name, failed, call.requestor))
        else:
            messages.append(_said(line, f"m{len(messages)}"))
            open_calls += messages[-1].calls
            for call in messages[-1].calls:
                kinds.setdefault(call.name, None)
        times += [clock] * (len(messages) - len(times))
    if clock:
        messages = [
            replace(message, extra={"timestamp": time}) for message, time in zip(messages, times, strict=True)
        ]
    known = {tool.name: tool for tool in tools}
    schemas = tuple(
        known.get(name, ToolSchema(name, {"type": "object"}, kind=kind)) for name, kind in kinds.items()
    )
    return Trace("read", tuple(messages), Source("read", "", "", ""), tools=schemas, domain=domain)


def _said(line: str, name: str) -> Message:
    """A message with what it says and calls."""
    role, _, rest = line.partition(": ")
    text: str | None = None
    calls: list[ToolCall] = []
    while rest and rest != "says nothing":
        verb, _, rest = rest.partition(" ")
        tool = ""
        if verb == "calls":
            tool, _, rest = rest.partition(" ")
        value, end = _DECODER.raw_decode(rest)
        rest = rest[end:].removeprefix("; ")
        if verb == "says":
            text = value
        else:
            calls.append(ToolCall(tool, value, f"{name}-{len(calls)}", role))
    return Message(role, text, tuple(calls))
