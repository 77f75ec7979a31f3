"""From violations to proposals: a guard, a tighter tool schema, a sentence of the prompt.

Guards and schemas are replayed over the same traces: a proposal names the violations it would have prevented
and every act of another kind that it would have refused too. What a sentence in a prompt changes cannot be
replayed, and is never called verified; `wording.py` asks a model for it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.rules.finding import Status, Violation
from truespec.rules.monitor import Monitor
from truespec.rules.rule import Rule
from truespec.rules.ruleset import RuleSet
from truespec.rules.schemas import validator
from truespec.traces.trace import Trace

LEAST_GOOD = 5
"""Calls of a tool that broke nothing, from which on what they have in common is proposed as its schema."""
MOST_VALUES = 12
"""The most values that are proposed as an enum."""
TRIED = 50
"""Calls of a tool that are tried alone, to see whether a rule is about the call."""
SHOWN = 20
"""Traces that a proposal lists."""
EXAMPLES = 3
"""Violations that a repair keeps for whoever writes words against them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change, and what replaying it showed."""

    kind: str
    """`guard`, `schema` or `prompt`."""
    text: str
    """What to change, as a sentence."""
    change: Mapping[str, Any]
    """The change as data: the rule's id and action, the keywords of a schema, the words of a prompt."""
    prevented: tuple[str, ...] = ()
    """Violations (`trace: rule@message`) that would not have happened."""
    refused: tuple[str, ...] = ()
    """Acts (`trace: message`) that broke nothing and would have been refused too."""
    verified: bool = False
    """Whether both were found by replaying the traces."""

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "text": self.text,
            "change": dict(self.change),
            "verified": self.verified,
            "prevented": len(self.prevented),
            "prevented_in": list(self.prevented[:SHOWN]),
            "refused": len(self.refused),
            "refused_in": list(self.refused[:SHOWN]),
        }


@dataclass(frozen=True, slots=True)
class Repair:
    """What is proposed against the violations of one rule."""

    rule: Rule
    """The rule."""
    traces: int
    """Traces that break it."""
    violations: int
    """Its violations."""
    checked: int
    """Traces in which it could be evaluated."""
    unknown: int
    """Traces in which it could not, or not to their end."""
    proposals: tuple[Proposal, ...]
    """Verified ones first."""
    examples: tuple[tuple[Trace, Violation], ...] = ()
    """Some of the violations, of different traces."""

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "rule_id": self.rule.id,
            "rule": self.rule.text,
            "severity": self.rule.severity,
            "traces": self.traces,
            "checked": self.checked,
            "not_evaluated": self.unknown,
            "violations": self.violations,
            "proposals": [proposal.record() for proposal in self.proposals],
        }


@dataclass
class _Broken:
    found: list[tuple[Trace, Violation]] = field(default_factory=list)
    checked: list[Trace] = field(default_factory=list)
    unknown: int = 0


def repairs(traces: Iterable[Trace], rules: Sequence[Rule], most: int = 10) -> list[Repair]:
    """Proposals for the rules that most traces break, `most` rules at most."""
    held = list(traces)
    whole = RuleSet(rules)
    broken: dict[str, _Broken] = defaultdict(_Broken)
    for trace in held:
        for finding in whole.check(trace):
            if finding.status is not Status.NOT_EVALUATED:
                broken[finding.rule.id].checked.append(trace)
            if finding.reason and not finding.elsewhere:
                broken[finding.rule.id].unknown += 1
            if finding.status is Status.FAIL:
                broken[finding.rule.id].found += [(trace, one) for one in finding.violations]
    by_id = {rule.id: rule for rule in whole.rules}

    def weight(name: str) -> tuple[int, int, str]:
        found = broken[name].found
        return -len({trace.id for trace, _ in found}), -len(found), name

    chosen = sorted((name for name, one in broken.items() if one.found), key=weight)[:most]
    return [_repair(by_id[name], broken[name]) for name in chosen]


def _repair(rule: Rule, broken: _Broken) -> Repair:
    proposals = [
        *([] if (guard := _guard(rule, broken)) is None else [guard]),
        *_schemas(rule, broken),
        _prompt(rule, broken),
    ]
    first: dict[tuple[str, str], tuple[Trace, Violation]] = {}
    for trace, violation in broken.found:
        first.setdefault((trace.source.file, trace.id), (trace, violation))
    examples = tuple(first.values())[:EXAMPLES]
    found, checked = len(broken.found), len(broken.checked)
    return Repair(rule, len(first), found, checked, broken.unknown, tuple(proposals), examples)


def _guard(rule: Rule, broken: _Broken) -> Proposal | None:
    """Block the act: what a guard with this rule would have refused in each trace."""
    try:
        compiled = RuleSet([rule])
        Monitor(compiled)
    except ValueError:
        return None  # it reads a call's result, which is not known before the act
    breaking: dict[tuple[str, str], set[int]] = defaultdict(set)
    for trace, violation in broken.found:
        breaking[trace.source.file, trace.id].add(violation.message_index)
    prevented: list[str] = []
    refused: list[str] = []
    for trace in broken.checked:
        bad = breaking[trace.source.file, trace.id]
        for index in _blocked(compiled, trace):
            place = f"{trace.id}: {rule.id}@{index}"
            (prevented if index in bad else refused).append(place)
    if not prevented:
        return None
    text = f"Put the rule before the agent's tools: a guard with {rule.id!r} blocks the act"
    if (rule.action or ("block" if rule.force == "mandatory" else "report")) != "block":
        text += "; the rule needs 'action: block' for that"
    if any(not trace.messages[v.message_index].calls for trace, v in broken.found):
        text += "; what the agent says has to pass the guard too, by 'admit_message'"
    change = {"rule": rule.id, "action": "block"}
    return Proposal("guard", text, change, tuple(prevented), tuple(refused), True)


def _blocked(rules: RuleSet, trace: Trace) -> Iterator[int]:
    """The messages of the agent that a guard would have stopped, also because it could not evaluate the rule
    there; each is replayed as it was sent."""
    monitor = Monitor(rules, replace(trace, messages=(), spans=()))
    for index, message in enumerate(trace.messages):
        if message.role == "assistant":
            outlook = monitor.look_ahead(message)
            if outlook.violations or (rules.rules[0].needed and (outlook.unread or outlook.not_evaluated)):
                yield index
        monitor.observe(message)


Call = tuple[str, Trace, int, int]
"""A call: how it is named in a proposal, its trace, message and number there."""


def _schemas(rule: Rule, broken: _Broken) -> list[Proposal]:
    """Keywords of a tool's schema that the breaking calls do not fit and all other calls do.

    Only for rules about a call alone: one that breaks the rule breaks it without the rest of the conversation
    too, and one that does not, does not. A rule about what came before is no matter of a schema.
    """
    try:
        compiled = RuleSet([rule])
        Monitor(compiled)
    except ValueError:
        return []
    bad: dict[str, list[Call]] = defaultdict(list)
    places: set[tuple[str, str, int, int]] = set()
    for trace, violation in broken.found:
        if violation.call is not None:
            index, number = violation.message_index, violation.call
            place = f"{trace.id}: {violation.rule_id}@{index}"
            bad[trace.messages[index].calls[number].name].append((place, trace, index, number))
            places.add((trace.source.file, trace.id, index, number))
    proposals: list[Proposal] = []
    for tool, calls in sorted(bad.items()):
        good: list[Call] = [
            (f"{trace.id}: {index}", trace, index, number)
            for trace in broken.checked
            for index, message in enumerate(trace.messages)
            for number, call in enumerate(message.calls)
            if call.name == tool and (trace.source.file, trace.id, index, number) not in places
        ]
        if len(good) < LEAST_GOOD or not all(_breaks_alone(compiled, call) for call in calls[:TRIED]):
            continue
        if any(_breaks_alone(compiled, call) for call in good[:TRIED]):
            continue
        proposals += _of_tool(tool, calls, good)
    return sorted(proposals, key=lambda proposal: (-len(proposal.prevented), proposal.text))[:3]


def _breaks_alone(rules: RuleSet, call: Call) -> bool:
    """Whether a call breaks a rule as the first act of a conversation."""
    _, trace, index, number = call
    message = replace(trace.messages[index], calls=(trace.messages[index].calls[number],))
    return bool(Monitor(rules, replace(trace, messages=(), spans=())).look_ahead(message).violations)


def _of_tool(tool: str, bad: Sequence[Call], good: Sequence[Call]) -> Iterator[Proposal]:
    def arguments(calls: Sequence[Call]) -> list[tuple[str, Mapping[str, Any]]]:
        found = [(place, trace.messages[index].calls[number]) for place, trace, index, number in calls]
        return [(place, call.arguments) for place, call in found if call.arguments is not None]

    breaking, kept = arguments(bad), arguments(good)
    for schema, what in _candidates([given for _, given in breaking], [given for _, given in kept]):
        fits = validator(schema)
        prevented = tuple(place for place, given in breaking if not fits(given))
        refused = tuple(place for place, given in kept if not fits(given))
        if prevented and not refused:
            change = {"tool": tool, "parameters": schema}
            text = f"Tighten the schema of {tool!r}: {what}"
            yield Proposal("schema", text, change, prevented, refused, True)


def _candidates(
    bad: Sequence[Mapping[str, Any]], good: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[dict[str, Any], str]]:
    """Schemas of one keyword that all good calls fit."""
    names = sorted({str(name) for arguments in (*bad, *good) for name in arguments})
    for name in names:
        present = [arguments[name] for arguments in good if name in arguments]
        if len(present) == len(good):
            yield {"type": "object", "required": [name]}, f"require {name!r}"
        elif not present:
            yield {"type": "object", "properties": {name: False}}, f"take {name!r} away"
            continue
        if len(present) < LEAST_GOOD:
            continue
        of = {"type": "object", "properties": {name: {}}}
        values = {value for value in present if isinstance(value, str)}
        often = Counter(value for value in present if isinstance(value, str))
        if (
            len(values) <= MOST_VALUES
            and len(often) == len(values)
            and all(isinstance(v, str) for v in present)
        ):
            # Values seen once only say little about those to come.
            if min(often.values()) > 1 or len(values) == 1:
                yield {**of, "properties": {name: {"enum": sorted(values)}}}, f"an enum for {name!r}"
        kinds = {_type(value) for value in present}
        if len(kinds) == 1:
            yield {**of, "properties": {name: {"type": kinds.pop()}}}, f"the type of {name!r}"
        numbers = [v for v in present if isinstance(v, int | float) and not isinstance(v, bool)]
        if len(numbers) == len(present):
            yield {**of, "properties": {name: {"maximum": max(numbers)}}}, f"a maximum for {name!r}"
            yield {**of, "properties": {name: {"minimum": min(numbers)}}}, f"a minimum for {name!r}"


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _prompt(rule: Rule, broken: _Broken) -> Proposal:
    """The rule's words in the prompt: they are missing, or they stand there and did not suffice."""
    quote = " ".join((rule.quote or rule.text).split())
    traces = [trace for trace, _ in broken.found]
    prompts = {trace.system_prompt for trace in traces if trace.system_prompt}
    holding = [prompt for prompt in prompts if quote.lower() in " ".join(prompt.split()).lower()]
    change: dict[str, Any] = {"words": rule.text}
    if not prompts:
        text = f"Say it in the prompt, which these traces do not hold: {rule.text}"
    elif len(holding) == len(prompts):
        text = (
            f"The prompt says it and it was broken all the same; say it where the act is decided: {rule.text}"
        )
        change["quote"] = quote
    else:
        text = f"The prompt does not say it in these words; add: {rule.text}"
    return Proposal("prompt", text, change)
