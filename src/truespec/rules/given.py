"""The examples that a rule file gives: conversations that keep a rule, and conversations that break it.

```yaml
- id: confirm-first
  text: Ask before a refund.
  formal: {template: precedence, a: {message: user, text: {contains: "yes"}}, b: {call: refund}}
  kept:
  - [user: "yes", call: {refund: {amount: 3}}]
  broken:
  - [user: "no", call: {refund: {amount: 3}}, result: "done"]
```

A step is `user`, `assistant` or `system` with what is said, `call` with a tool's name or `{tool: arguments}`,
or `result` (`error` for one that failed), which answers the last call. `wait: 60` lets sixty seconds pass.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.rules.language import load_rules
from truespec.rules.rule import Rule
from truespec.rules.ruleset import RuleSet
from truespec.rules.values import is_number
from truespec.rules.yaml_hints import with_hints
from truespec.rules.yaml_text import load_yaml
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.verdict import ReasonCode, SpecificationError

KEYS = ("kept", "broken")
STEPS = ("user", "assistant", "system", "call", "result", "error", "wait")


@dataclass(frozen=True, slots=True)
class Example:
    """One conversation of a rule file."""

    rule: Rule
    """The rule that it is about."""
    number: int
    """Its place under `kept` or `broken`, from 1."""
    keeps: bool
    """Whether the file says that it keeps the rule."""
    trace: Trace
    """The conversation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example showed."""

    example: Example
    """The example."""
    status: str
    """`as given`, `wrong` (the monitor says otherwise) or `not evaluated`."""
    detail: str
    """Where the rule is broken, or why it was not evaluated; empty for an example that keeps it."""


def examples_of(text: str, name: str, tools: Sequence[ToolSchema] | None = None) -> list[Example]:
    """The examples of a rule file; `SpecificationError` names the rule and the step that is wrong."""
    rules = {rule.id: rule for rule in load_rules(text, name)}
    try:
        return _examples_of(load_yaml(text, name), rules, name, tools)
    except SpecificationError as error:
        raise with_hints(error, text) from None


def _examples_of(
    value: Any, rules: Mapping[str, Rule], name: str, tools: Sequence[ToolSchema] | None
) -> list[Example]:
    found = []
    for item in value["rules"] if isinstance(value, Mapping) else value:
        rule = rules[item["id"]]
        for key in KEYS:
            conversations = item.get(key) or []
            if not isinstance(conversations, list):
                raise _wrong(f"{name}: rule {rule.id!r}: {key}", "expected a list of conversations")
            for number, steps in enumerate(conversations, 1):
                where = f"{name}: rule {rule.id!r}: {key} {number}"
                found.append(Example(rule, number, key == "kept", _conversation(steps, where, tools)))
    return found


def _wrong(where: str, what: str) -> SpecificationError:
    return SpecificationError(ReasonCode.SYNTAX, f"{where}: {what}")


def _conversation(steps: Any, where: str, tools: Sequence[ToolSchema] | None) -> Trace:
    if not isinstance(steps, list) or not steps:
        raise _wrong(where, f"a conversation is a list of steps, each one of {', '.join(STEPS)}")
    messages: list[Message] = []
    calls = 0
    clock: float | None = 0.0 if any(isinstance(step, Mapping) and "wait" in step for step in steps) else None
    for number, step in enumerate(steps, 1):
        if not isinstance(step, Mapping) or len(step) != 1 or next(iter(step)) not in STEPS:
            raise _wrong(f"{where}, step {number}", f"expected one of {', '.join(STEPS)}, found {step!r:.80}")
        ((kind, value),) = step.items()
        if kind == "wait":
            if not is_number(value) or value < 0:
                raise _wrong(f"{where}, step {number}", f"expected a number of seconds, found {value!r:.80}")
            clock = (clock or 0.0) + value
            continue
        if kind == "call":
            calls += 1
            messages.append(Message("assistant", None, (_call(value, calls, f"{where}, step {number}"),)))
        elif kind in ("result", "error"):
            if not calls:
                raise _wrong(f"{where}, step {number}", "a result without a call before it")
            text = value if isinstance(value, str) else _json(value)
            failed = True if kind == "error" else None
            messages.append(Message("tool", text, (), f"c{calls}", error=failed))
        else:
            if not isinstance(value, str):
                raise _wrong(f"{where}, step {number}", f"{kind} says a text, found {value!r:.80}; quote it")
            messages.append(Message(kind, value))
        if clock is not None:
            messages[-1] = replace(messages[-1], extra={"timestamp": clock})
    source = Source("example", where, "", "document")
    return Trace(where, tuple(messages), source, tools=None if tools is None else tuple(tools))


def _call(value: Any, number: int, where: str) -> ToolCall:
    if isinstance(value, str):
        return ToolCall(value, {}, f"c{number}")
    if isinstance(value, Mapping) and len(value) == 1:
        ((tool, arguments),) = value.items()
        if isinstance(tool, str) and isinstance(arguments or {}, Mapping):
            return ToolCall(tool, dict(arguments or {}), f"c{number}")
    raise _wrong(where, f"a call is a tool's name, or one tool with its arguments; found {value!r:.80}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def run(example: Example) -> Outcome:
    """Hold an example against its rule, whatever environments the rule is for."""
    (finding,) = RuleSet([_anywhere(example.rule)]).check(example.trace)
    if finding.violations:
        places = ", ".join(
            f"message {violation.message_index + 1} ({violation.quote})" for violation in finding.violations
        )
        return Outcome(example, "wrong" if example.keeps else "as given", f"broken at {places}")
    if finding.reason:
        return Outcome(example, "not evaluated", finding.reason)
    detail = "" if finding.activations else "nothing in it starts the rule"
    if example.keeps:
        return Outcome(example, "as given", detail)
    return Outcome(example, "wrong", detail or "the rule holds at every message")


def _anywhere(rule: Rule) -> Rule:
    return replace(rule, domains=())
