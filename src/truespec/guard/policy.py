"""What a guard reads off its rules and tools before the first act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.guard.decision import Action
from truespec.rules import predicate as p
from truespec.rules.alike import folded, like
from truespec.rules.rule import Rule
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import ToolSchema
from truespec.verdict import UsageError

WORDS = {"block": Action.BLOCK, "ask": Action.ASK, "report": Action.ALLOW}
"""What the words of rule files mean."""
STRICTNESS = (Action.ALLOW, Action.ASK, Action.BLOCK)
"""From the mildest."""


def action_of(rule: Rule) -> Action:
    """What is done about an act that would break a rule."""
    if rule.action:
        return WORDS[rule.action]
    return Action.BLOCK if rule.force == "mandatory" else Action.ALLOW


def schemas_of(
    tools: Sequence[ToolSchema] | Sequence[Mapping[str, Any]] | None, types: Mapping[str, str] | None
) -> tuple[ToolSchema, ...] | None:
    """The tools with their types; without tools, those that `types` names."""
    if tools is None:
        return None if types is None else tuple(ToolSchema(name, kind=kind) for name, kind in types.items())
    ours = tuple(tool for tool in tools if isinstance(tool, ToolSchema))
    if len(ours) == len(tools):
        return tuple(replace(t, kind=(types or {}).get(t.name, t.kind)) for t in ours)
    read = tool_schemas([tool for tool in tools if isinstance(tool, Mapping)], types) or ()
    if len(read) != len(tools):
        raise UsageError(f"tools: {len(tools) - len(read)} of {len(tools)} entries are no tool with a name")
    return read


def _conditions(rule: Rule) -> list[p.Predicate]:
    formal = rule.formal
    if formal is None:
        return []
    return [*formal.predicates, formal.over, *(o.when for o in formal.obligations if o.when is not None)]


def counts_calls(rule: Rule) -> bool:
    """Whether a rule counts the calls of an assistant's message."""

    def known(condition: p.Predicate) -> bool | None:
        if condition[0] == "kind":
            return None if condition[1] != "result" else False
        return bool(condition[1] == "assistant") if condition[0] == "by" else None

    return any(
        condition[0] == "calls"
        for predicate in _conditions(rule)
        for condition in p.conditions(p.simplified(predicate, known))
    )


def hears_messages(rule: Rule) -> bool:
    """Whether a rule speaks of what is said."""
    return any(
        condition in (("kind", "message"), ("by", "user"))
        for predicate in _conditions(rule)
        for condition in p.conditions(predicate)
    )


def named_tools(rules: Sequence[Rule]) -> set[str]:
    """The tools that rules name."""
    return {
        name
        for rule in rules
        for predicate in _conditions(rule)
        for condition in p.conditions(predicate)
        if condition[0] == "tool"
        for name in condition[1]
    }


class Names:
    """The names of tools: those that the agent has, where that is known, and those that rules speak of."""

    def __init__(self, rules: Sequence[Rule], tools: Sequence[ToolSchema] | None) -> None:
        self._tools = None if tools is None else {tool.name for tool in tools}
        self._known = named_tools(rules)
        self._alike = {folded(name): name for name in self._known}
        self.absent = {
            rule.id: missing
            for rule in rules
            if self._tools is not None and (missing := sorted(named_tools([rule]) - self._tools))
        }
        """For each rule that names tools which the agent does not have, these tools."""

    def problem_of(self, tool: str) -> str | None:
        """Why a call of a tool with this name cannot be checked."""
        if not tool:
            return "the tool has no name"
        if self._tools is not None:
            return None if tool in self._tools else f"there is no tool {tool!r:.80}"
        if tool in self._known:
            return None
        meant = like(tool, self._alike)
        if meant is None:
            return None
        return (
            f"the tool {tool!r:.80} is written like {meant!r}, which the rules know; if it is another one, "
            "give the guard the agent's tools"
        )
