"""Conversations that keep a rule and that break it: shown beside it, and its first test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.extraction.fitting import misfits, with_fitting_arguments
from truespec.rules import predicate as p
from truespec.rules.compare import ANY_TOOLS, Toolbox, examples, included
from truespec.rules.compiled import all_predicates
from truespec.rules.concrete import registers_of
from truespec.rules.monitor import RuleSet
from truespec.rules.rule import Rule
from truespec.traces.event import Event
from truespec.traces.trace import Message, Source, ToolCall, ToolSchema, Trace

SOURCE = Source("generated", "", "", "")


@dataclass(frozen=True, slots=True)
class Examples:
    """One conversation of each kind, checked by the monitor; None where none was found."""

    keeps: Trace | None
    """The rule has something to say about it and is kept."""
    breaks: Trace | None
    """The rule is broken in it."""

    @property
    def both(self) -> bool:
        """Whether the rule was seen to tell right from wrong."""
        return self.keeps is not None and self.breaks is not None


def scenario(rule: Rule, trace: Trace, expected: str) -> Trace:
    """An example that says what is expected of it: `keeps` or `breaks`."""
    wrong = sorted(set(misfits(trace)))
    fit = "fit" if not wrong else f"of {', '.join(wrong)} do not fit the tool's schema"
    what = {"rule": rule.id, "text": rule.text, "expected": expected, "arguments": fit}
    return replace(trace, metadata={"scenario": what})


def find_examples(rule: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = 5.0) -> Examples:
    """Examples of a deterministic rule, short as the search finds them."""
    kept, broken = examples(rule, toolbox, seconds)
    rules = RuleSet([rule])
    breaks = _first(rules, broken, toolbox, rule, "fail")
    if rule.formal is not None and registers_of(rule.formal):  # what keeps it was seen to be about the rule
        return Examples(_first(rules, kept, toolbox, rule, "pass", True), breaks)
    keeps = _first(rules, kept, toolbox, rule, "pass") or (_mended(rules, breaks) if breaks else None)
    return Examples(keeps, breaks)


def _first(
    rules: RuleSet, events: Sequence[Event], toolbox: Toolbox, rule: Rule, wanted: str, about: bool = False
) -> Trace | None:
    """The conversation with these events, where it does as they did; `about` says that the rule is known to
    have something to say of it."""
    if not events:
        return None
    for padding in (False, True):
        trace = conversation(
            events, toolbox, f"{rule.id}-{'keeps' if wanted == 'pass' else 'breaks'}", padding
        )
        trace = replace(trace, domain=rule.domains[0] if rule.domains else None)
        (finding,) = rules.check(trace)
        if finding.status == wanted and (about or finding.activations or finding.violations):
            fitted = with_fitting_arguments(trace)
            (again,) = rules.check(fitted)
            # A rule about arguments may need those that do not fit.
            kept = again.status == wanted and (about or again.activations or again.violations)
            return fitted if kept else trace
    return None


def _mended(rules: RuleSet, broken: Trace) -> Trace | None:
    """The broken conversation with one thing left out, so that the rule is kept.

    A rule that forbids has nothing to say about what keeps it; what it would forbid, nearly done, shows it.
    """
    name = broken.id.replace("-breaks", "-keeps")
    for index in reversed(range(len(broken.messages))):
        message = broken.messages[index]
        changed: list[Message | None] = []
        if message.calls and message.text:
            changed += [replace(message, text=None), replace(message, calls=())]
        elif len(message.calls) > 1:
            changed.append(replace(message, calls=message.calls[:1]))
        elif message.error:
            changed.append(replace(message, error=False, text="ok"))
        elif message.text:
            changed.append(replace(message, text="Let me see."))
        for other in [*changed, None]:
            rest = broken.messages[index + 1 :]
            if other is None and message.calls:  # results go with their calls
                gone = {call.id for call in message.calls}
                rest = tuple(m for m in rest if m.call_id not in gone)
            messages = (*broken.messages[:index], *([other] if other else []), *rest)
            trace = replace(broken, id=name, messages=messages or (Message("user", "Hello."),))
            if rules.check(trace)[0].status == "pass":
                return trace
    return None


def conversation(events: Sequence[Event], toolbox: Toolbox, name: str, padding: bool = False) -> Trace:
    """Messages that have these events: calls stand in messages, and results follow calls.

    What the events leave open is filled in; whether the conversation still does what the events did has to
    be checked. With `padding`, every call gets a result.
    """
    messages: list[Message] = []
    room = 0
    open_calls: list[ToolCall] = []
    born: list[int] = []
    for number, event in enumerate(events):
        born.append(len(messages))
        if event.kind == "message":
            text = event.text or ("Hello." if event.said else None)
            messages.append(Message(event.by, text))
            room = event.calls if event.by == "assistant" else 0
            if room and not any(e.kind == "call" for e in events[number + 1 : number + 2]):
                # The message holds calls that no event of their own tells of.
                calls = tuple(ToolCall(_any_tool(toolbox), {}, f"m{number}-{n}") for n in range(room))
                messages[-1] = replace(messages[-1], calls=calls)
                room = 0
            continue
        call = ToolCall(
            event.tool or _any_tool(toolbox), dict(event.args), f"c{number}", event.by or "assistant"
        )
        if event.kind == "result":
            known = next(
                (c for c in open_calls if (c.name, c.arguments) == (call.name, call.arguments)), None
            )
            if known is None:
                messages.append(Message(call.requestor, None, (call,)))
                known = call
            else:
                open_calls.remove(known)
            messages.append(_result(known, bool(event.failed), event.text))
            room = 0
            continue
        if room and messages:
            messages[-1] = replace(messages[-1], calls=(*messages[-1].calls, call))
            room -= 1
        else:
            messages.append(Message(call.requestor, event.text, (call,)))
        following = events[number + 1] if number + 1 < len(events) else None
        answered = following is not None and following.kind == "result"
        if event.failed is not None or (padding and not answered):
            messages.append(_result(call, bool(event.failed), None))
        else:
            open_calls.append(call)
    tools = toolbox.tools or tuple(
        ToolSchema(tool, {"type": "object"}, kind=kind) for tool, kind in sorted(_kinds(events).items())
    )
    for event, first, after in zip(events, born, [*born[1:], len(messages)], strict=True):
        messages[first:after] = [replace(message, extra=event.extra) for message in messages[first:after]]
    return Trace(name, tuple(messages), SOURCE, tools=tools)


def _kinds(events: Sequence[Event]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for event in events:
        if event.tool:
            found[event.tool] = found.get(event.tool) or event.type
    return found


def _any_tool(toolbox: Toolbox) -> str:
    return toolbox.tools[0].name if toolbox.tools else "some_tool"


def _result(call: ToolCall, failed: bool, text: str | None) -> Message:
    said = text if text is not None else "Error: failed" if failed else "ok"
    return Message("tool", said, (), call.id, call.name, failed, call.requestor)


def as_lines(trace: Trace) -> list[str]:
    """A conversation in lines, for people and for models: who says what, calls what, and what comes back; and
    how many seconds pass, where the times are known."""
    lines: list[str] = []
    clock: float | None = None
    for message in trace.messages:
        now = (message.extra or {}).get("timestamp")
        if isinstance(now, float) and clock is not None and now > clock:
            lines.append(f"{now - clock:g} seconds pass")
        clock = now if isinstance(now, float) else clock
        if message.role == "tool":
            state = "fails" if message.failed else "succeeds"
            lines.append(f"{message.tool or 'tool'} {state}: {_quoted(message.text or '')}")
            continue
        parts = [f"says {_quoted(message.text)}"] if message.text else []
        parts += [f"calls {c.name} {_quoted(dict(c.arguments or {}))}" for c in message.calls]
        lines.append(f"{message.role}: {'; '.join(parts) or 'says nothing'}")
    return lines


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def separating(
    one: RuleSet, other: RuleSet, toolbox: Toolbox = ANY_TOOLS, seconds: float = 2.0
) -> Trace | None:
    """A conversation that one rule keeps and the other breaks, as their monitors say; None where none was
    found. Each monitor is of one rule."""
    (left,), (right,) = one.rules, other.rules
    name = f"{left.id}-or-{right.id}"
    for first, second in ((left, right), (right, left)):
        events = included(first, second, toolbox, seconds).witness
        for padding in (False, True) if events else ():
            trace = conversation(events, toolbox, name, padding)
            trace = replace(trace, domain=left.domains[0] if left.domains else None)
            if {status_by(one, trace), status_by(other, trace)} == {"pass", "fail"}:
                return trace
    return None


def with_other_tools(monitor: RuleSet, trace: Trace, misses: Sequence[RuleSet]) -> Trace:
    """A conversation that separates a rule from one that is meant of one tool more, with the calls of that
    tool repeated for the tools of the other rules, so that it separates the rule from as many as possible."""
    said = status_by(monitor, trace)
    own = _tools_of(monitor)
    mine = {call.name for message in trace.messages for call in message.calls} - own
    for miss in misses:
        for tool in sorted(_tools_of(miss) - own - mine):
            for like in sorted(mine):
                longer = _repeated(trace, like, tool)
                if status_by(monitor, longer) == said != status_by(miss, longer):
                    trace = longer
                    mine |= {tool}
                    break
    return trace


def _tools_of(monitor: RuleSet) -> set[str]:
    """The tools that a monitor's rule names."""
    (rule,) = monitor.rules
    assert rule.formal is not None
    asked = [c for q in all_predicates(rule.formal) for c in p.conditions(q)]
    return {name for c in asked if c[0] == "tool" for name in c[1]}


def _repeated(trace: Trace, like: str, tool: str) -> Trace:
    """The conversation with each call of a tool made again with another one, and answered alike."""
    messages: list[Message] = []
    for message in trace.messages:
        messages.append(message)
        if message.role == "tool" and message.tool == like:
            messages.append(replace(message, tool=tool, call_id=f"{message.call_id}-{tool}"))
        again = tuple(
            replace(call, name=tool, id=f"{call.id}-{tool}") for call in message.calls if call.name == like
        )
        if again:
            messages.append(replace(message, text=None, calls=again))
    return replace(trace, messages=tuple(messages))


def status(rule: Rule, trace: Trace) -> str:
    """What the rule's monitor says of a conversation: `pass`, `fail` or `not_evaluated`."""
    return status_by(RuleSet([rule]), trace)


def status_by(monitor: RuleSet, trace: Trace) -> str:
    """As `status`, by the compiled rule: for a rule that reads several conversations."""
    (finding,) = monitor.check(trace)
    return finding.status
