"""The calls by which an evaluator reads a trace, in windows where it is long."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.compliance.evaluators.contract import Evaluator, Subject, prompt_of
from truespec.judges.structured import enclosed, escaped, tagged
from truespec.models.call import Call, Settings
from truespec.rules.rule import SEVERITIES, Rule
from truespec.traces.trace import Message, ToolCall, Trace

BUDGET = 120_000
"""Characters of a call's prompt, about 30,000 tokens, by default."""
JUDGING = Settings(temperature=0.0, reasoning_effort=None)
"""How judges of traces are asked by default."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a trace that one call reads."""

    first: int
    """Its first message."""
    end: int
    """The message after its last."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call to a judge about one window."""

    evaluator: Evaluator
    """Who asks."""
    items: tuple[Rule, ...]
    """What is to be checked."""
    window: Window
    """Which messages are shown."""
    call: Call
    """The call."""


def questions(
    evaluator: Evaluator,
    subject: Subject,
    model: str,
    settings: Settings = JUDGING,
    budget: int = BUDGET,
    structured: bool = False,
) -> list[Question] | str:
    """The calls that evaluate a trace, or why it cannot be; none where there is nothing to judge."""
    items = evaluator.items(subject)
    if evaluator.category in subject.task.lost:
        return f"not extracted: {subject.task.lost[evaluator.category]}"
    if not items:
        return []
    lacking = evaluator.missing(subject)
    if lacking:
        return lacking
    trace = subject.trace
    system = prompt_of(evaluator)
    sources = _sources(evaluator, subject, items)
    shown = [show(trace, index) for index in range(len(trace.messages))]
    room = budget - len(system) - len(sources) - 400
    sizes = [len(text) + 1 for text in shown]
    # Where there is more than one part, each also holds an outline of what came before it.
    part = room if sum(sizes) <= room else room * 2 // 3
    found = windows(sizes, part)
    if isinstance(found, int):
        return f"message {found} takes {sizes[found]} characters; {max(part, 0)} are left for it"
    if len(found) > 1 and not evaluator.windowed:
        return (
            f"the conversation takes {sum(sizes)} characters; {max(room, 0)} are left, and it is read whole"
        )
    made = []
    for number, window in enumerate(found):
        parts = [sources] if sources else []
        if window.first:
            outlined = _outline(trace, window.first, room - part)
            parts.append(tagged("earlier_messages", outlined, of=window.first))
        span = f"{window.first}-{window.end - 1}"
        body = "\n".join(shown[window.first : window.end])
        parts.append(enclosed("trace", body, messages=span, of=len(shown)))
        if len(found) > 1:
            parts.append(
                f"This is part {number + 1} of {len(found)} of the conversation. List violations of messages "
                f"{span} only; what other parts hold is judged there."
            )
        subject_name = f"{evaluator.name}/{trace.id}/{number}"
        schema = answer_schema(items) if structured else ""
        call = Call(model, system, "\n\n".join(parts), settings, subject=subject_name, schema=schema)
        made.append(Question(evaluator, items, window, call))
    return made


def answer_schema(items: Sequence[Rule]) -> str:
    """The JSON Schema of an answer, for servers that can hold a reply to one."""
    text = {"type": "string"}
    violation = {
        "rule_id": {"enum": [rule.id for rule in items]},
        "kind": text,
        "message_index": {"type": "integer", "minimum": 0},
        "quote": text,
        "severity": {"enum": list(SEVERITIES)},
        "why": text,
    }
    listed = {"type": "object", "properties": violation, "required": list(violation)}
    properties = {
        "violations": {"type": "array", "items": listed, "maxItems": 20},
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "reasoning": text,
    }
    return json.dumps({"type": "object", "properties": properties, "required": list(properties)})


def windows(sizes: Sequence[int], room: int) -> list[Window] | int:
    """Consecutive windows that fit; the index of a message that fits none."""
    made: list[Window] = []
    first = used = 0
    for index, size in enumerate(sizes):
        if size > room:
            return index
        if used + size > room:
            made.append(Window(first, index))
            first, used = index, 0
        used += size
    return [*made, Window(first, len(sizes))]


def _outline(trace: Trace, end: int, room: int) -> str:
    """A line for each message before a window, the latest first to find room; it says what it leaves out."""
    lines: list[str] = []
    for index in reversed(range(end)):
        line = _earlier(trace.messages[index])
        if line and sum(map(len, lines)) + len(line) + 20 * (len(lines) + 4) > room:
            lines.append(f"(messages 0 to {index} are not outlined)")
            break
        if line:
            lines.append(f"{index}: {line}")
    return "\n".join(reversed(lines))


def _earlier(message: Message) -> str:
    """A message in a line of an outline."""
    said = " ".join((message.text or "").split())
    parts = [said[:80] + ("…" if len(said) > 80 else "")] if said else []
    parts += [f"{call.name}(…)" for call in message.calls]
    return f"{message.role}: {'; '.join(parts)}" if parts else ""


def _sources(evaluator: Evaluator, subject: Subject, items: Sequence[Rule]) -> str:
    trace, task = subject.trace, subject.task
    parts = []
    if evaluator.sees_prompt and trace.system_prompt:
        parts.append(tagged("system_prompt", trace.system_prompt))
    if "tools" in evaluator.needs:
        used = {call.name for message in trace.messages for call in message.calls}
        shown = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in trace.tools or ()
            if tool.name in used
        ]
        parts.append(tagged("tools", json.dumps(shown, ensure_ascii=False, default=str)))
        # A call of a tool that is not shown is a call of one that there is not.
        names = ", ".join(tool.name for tool in trace.tools or ())
        parts.append(tagged("all_tools", names))
    if "initial_state" in evaluator.needs and task.initial_state is not None:
        parts.append(tagged("initial_state", json.dumps(task.initial_state, ensure_ascii=False, default=str)))
    name = {"plan": "plan", "final_state": "final_state"}.get(evaluator.category, "rules")
    parts.append(enclosed(name, "\n".join(_item(rule) for rule in items)))
    return "\n\n".join(parts)


def _item(rule: Rule) -> str:
    quote = f"\nThe prompt says: {rule.quote}" if rule.quote and rule.quote != rule.text else ""
    return tagged("item", rule.text + quote, id=rule.id, force=rule.force)


def show(trace: Trace, index: int) -> str:
    """A message as judges see it."""
    message = trace.messages[index]
    attributes: dict[str, object] = {"index": index, "role": message.role}
    if message.role == "tool":
        origin = trace.origins.get(index)
        attributes["tool"] = message.tool or (
            trace.messages[origin[0]].calls[origin[1]].name if origin is not None else "unknown"
        )
        if message.failed:
            attributes["failed"] = "true"
    parts = [escaped(message.text)] if message.text else []
    for call in message.calls:
        by = {} if call.requestor == message.role else {"by": call.requestor}
        parts.append(tagged("call", call_text(call), **by))
    return enclosed("message", "\n".join(parts), **attributes)


def call_text(call: ToolCall) -> str:
    """A call as judges see it."""
    if call.arguments is None:
        return f"{call.name}({call.raw})"
    return f"{call.name}({json.dumps(call.arguments, ensure_ascii=False, default=str)})"
