"""A trace out of cells, with fitting values for bound names, and its replay by definition.

The replay shares no code with the search: predicates are evaluated event by event, formulas by `direct`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.rules import predicate as p
from truespec.rules.algebra import Cell, document_at
from truespec.rules.direct import holds
from truespec.rules.documents import copied, merge
from truespec.rules.monitor import RuleSet, Run
from truespec.rules.rule import Formal, Rule
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.event import Event


@dataclass(frozen=True)
class Toolbox:
    """What is known about the tools: with it, only these exist."""

    tools: tuple[ToolSchema, ...] | None = None

    @property
    def names(self) -> list[str] | None:
        """Their names; None for any."""
        return None if self.tools is None else [tool.name for tool in self.tools]

    @property
    def types(self) -> dict[str, str]:
        """What they do, where known."""
        return {tool.name: tool.kind for tool in self.tools or () if tool.kind}


ANY_TOOLS = Toolbox()


def real(
    chosen: Sequence[Cell], marks: Sequence[bool], bind: Mapping[str, str], fill: bool, toolbox: Toolbox
) -> tuple[Trace, list[Event]]:
    """A trace whose events are exactly those of the cells. Calls and results stand alone here: what a rule
    says of an event does not depend on whether its message has a call event of its own."""
    events: list[Event] = []
    for index, cell in enumerate(chosen):
        witness = cell.witness
        assert witness is not None
        call = None
        if witness.kind != "message" and witness.tool is not None:
            call = ToolCall(witness.tool, dict(witness.args), f"c{index}")
        events.append(
            Event(
                witness.kind,
                index,
                witness.by,
                witness.text,
                witness.tool,
                witness.args,
                witness.failed,
                witness.calls,
                witness.said,
                witness.type,
                0,
                call,
            )
        )
    if bind:
        _bind_values(events, chosen, marks, bind, fill)
    role = {"message": "", "call": "assistant", "result": "tool"}
    messages = tuple(Message(role[e.kind] or e.by, e.text) for e in events)
    # Where any tools may be, these are there; what is meant to misfit them says so.
    names = sorted({event.tool for event in events if event.tool})
    tools = toolbox.tools or tuple(permissive(name) for name in names)
    trace = Trace("witness", messages, Source("witness", "", "", ""), tools=tools)
    for event in events:
        event.trace = trace
    return trace, events


def permissive(name: str) -> ToolSchema:
    """A tool of this name that takes any arguments but those that are meant to misfit."""
    return ToolSchema(name, {"type": "object", "not": {"required": ["__misfit__"]}})


def _bind_values(
    events: Sequence[Event],
    chosen: Sequence[Cell],
    marks: Sequence[bool],
    bind: Mapping[str, str],
    fill: bool,
) -> None:
    """Give bound data values that make the cells true: the marked event's where a condition holds, others
    elsewhere. A value that the marked event has already is kept; with `fill`, it is given those it lacks."""
    marked = next((event for event, mark in zip(events, marks, strict=True) if mark), None)
    if marked is None:
        return
    values: dict[str, str] = {}
    for path in bind.values():
        present = sorted(value for value in p.bound_values(marked, path) if value)
        values[path] = present[0] if present else "v1"
        if fill and not present and path.startswith("args.") and marked.kind != "message":
            marked.args = _with_value(marked.args, path, "v1")
    for index, (event, cell) in enumerate(zip(events, chosen, strict=True)):
        asked = [c for c in cell.holds if c[0] in ("var", "text var")]
        if event.kind != "message" and event is not marked and not asked:
            event.args = {**event.args, "other": f"w{index}"}
        for condition in asked:
            value = values.get(condition[3], "v1")
            if condition[0] == "text var":
                event.text = f"{event.text or ''} {value}".strip()
            elif condition[1] == "args" and event is not marked:
                event.args = dict(marked.args)
            elif condition[1].startswith("args.") and event.kind != "message":
                event.args = _with_value(event.args, condition[1], value)
    for event in events:
        if event.call is not None:
            event.call = ToolCall(event.tool or "", dict(event.args), event.call.id)


def _with_value(args: Mapping[str, Any], path: str, value: str) -> dict[str, Any]:
    """Arguments with a value at a path; where a list stands in the way, it is replaced."""
    made = copied(args)
    merge(made, document_at(path.removeprefix("args."), value) or {})
    return made


def kept(rule: Rule, trace: Trace, stream: Sequence[Event]) -> bool | None:
    """Whether a trace keeps a rule, by definition; None where that cannot be evaluated on it."""
    formal = rule.formal
    assert formal is not None
    coded = {
        c
        for q in [*formal.predicates, *(o.when or p.ALWAYS for o in formal.obligations)]
        for c in p.conditions(q)
    }
    if any(c[0] == "coded" for c in coded):
        return _kept_by_code(rule, trace, stream)
    counted = [e for e in stream if p.evaluate(formal.over, lambda c, e=e: p.condition_test(c)(e))]  # type: ignore[misc]
    for obligation in formal.obligations:
        if obligation.when is None:
            if not holds(obligation.require, _word(formal, counted, None)):
                return False
            continue
        for position, event in enumerate(counted):
            if p.evaluate(obligation.when, lambda c, e=event: p.condition_test(c)(e)):  # type: ignore[misc]
                if not holds(obligation.require, _word(formal, counted, event), position):
                    return False
    return True


def _kept_by_code(rule: Rule, trace: Trace, stream: Sequence[Event]) -> bool | None:
    """Rules with coded checks are replayed by the monitor: the code is the definition."""
    rules = RuleSet([rule])
    assert rule.formal is not None
    run = Run(rules, trace, rule.formal.pairing)
    run.read(stream)
    run.finish()
    return None if 0 in run.lost else not run.violations_of(0)


def _word(formal: Formal, stream: Sequence[Event], start: Event | None) -> list[set[int]]:
    def test(condition: p.Predicate, event: Event) -> bool:
        if condition[0] in ("var", "text var"):
            assert start is not None
            bound = p.bound_values(start, formal.bind[condition[2]])
            if condition[0] == "var":
                return bool(bound & p.bound_values(event, condition[1]))
            return event.text is not None and any(v and v in event.text for v in bound)
        return p.condition_test(condition)(event)

    return [
        {n for n, q in enumerate(formal.predicates) if p.evaluate(q, lambda c, e=event: test(c, e))}  # type: ignore[misc]
        for event in stream
    ]


def describe(event: Event) -> str:
    """An event in words."""
    said = f" saying {event.text!r}" if event.text else ""
    if event.extra and "timestamp" in event.extra:
        said += f" at {event.extra['timestamp']:g} s"
    if event.kind == "message":
        calls = f" with {event.calls} calls" if event.calls else ""
        return f"{event.by} message{said}{calls}"
    state = "" if event.failed is None else " failed" if event.failed else " succeeded"
    kind = f" ({event.type})" if event.type else ""
    return f"{event.by}'s {event.kind} of {event.tool}{kind}{dict(event.args) or ''}{state}{said}"
