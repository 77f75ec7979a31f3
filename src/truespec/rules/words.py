"""A rule in plain English, made from its formal part alone: what a monitor will check, not what was meant.

>>> from truespec.rules.language import load_rules
>>> (rule,) = load_rules('''
... - id: r
...   text: Ask first.
...   formal: {template: precedence, a: {message: user, text: {contains: "yes"}}, b: {call: refund}}
... ''')
>>> print(in_english(rule))
At each call of refund: a user message whose text contains 'yes' happened before (or is this event).
"""

from __future__ import annotations

from collections.abc import Callable
from json import loads
from typing import Any

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.coded_checks import CODED
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Formal, Rule

LONGEST = 80
"""Characters of a pattern or value that are shown."""
_COMPARISONS = {
    "eq": "is",
    "ne": "is not",
    "in": "is one of",
    "not_in": "is none of",
    "matches": "matches",
    "contains": "contains",
    "type": "is of type",
    "min_length": "has a length of at least",
    "max_length": "has a length of at most",
    "schema": "fits the schema",
    "gt": "is more than",
    "ge": "is at least",
    "lt": "is less than",
    "le": "is at most",
}
_TYPES = {"read": "that reads", "write": "that writes", "generic": "that neither reads nor writes"}


def in_english(rule: Rule) -> str:
    """What the rule's monitor checks; a semantic rule's own text, since a judge reads that."""
    if rule.formal is None:
        return f"A judge is asked: {rule.text}"
    formal = rule.formal
    sentences = []
    if formal.over != p.ALWAYS:
        sentences.append(f"Only these events count: {noun(formal.over)}.")
    for name, path in formal.bind.items():
        sentences.append(f"Let {name} be {_place(path)} of the event that starts the obligation.")
    for obligation in formal.obligations:
        body = clause(obligation.require, formal)
        if obligation.when is None:
            sentences.append(f"In the conversation as a whole: {body}.")
        elif obligation.when == p.ALWAYS:
            sentences.append(f"At each event: {body}.")
        elif obligation.require is f.F:
            sentences.append(f"There is never {noun(obligation.when)}.")
        else:
            sentences.append(
                f"At each {noun(obligation.when).removeprefix('a ').removeprefix('an ')}: {body}."
            )
    return " ".join(sentences)


def clause(formula: f.Formula, formal: Formal) -> str:
    """A formula as a clause about an event, `this event`."""
    made: dict[int, str] = {}
    for node in f.walk(formula):
        parts = [made[item.index] for item in node.items]
        made[node.index] = _clause(node, parts, formal)
    return made[formula.index]


def _clause(node: f.Formula, parts: list[str], formal: Formal) -> str:
    kind = node.kind
    if kind in (f.ATOM, f.NOT_ATOM):
        name = noun(formal.predicates[node.atom])
        return f"it is {name}" if kind == f.ATOM else f"it is not {name}"
    if kind in (f.TRUE, f.FALSE):
        return "anything goes" if kind == f.TRUE else _NEVER
    if kind in (f.AND, f.OR):
        return (" and " if kind == f.AND else " or ").join(_nested(part) for part in parts)
    single = _single(node, formal)
    if kind in _ONE:
        return _ONE[kind](parts[0], single)
    first, second = node.items
    name, other = _single_of(second, formal), _nested(parts[0])
    if kind in (f.UNTIL, f.SINCE):
        happens, up_to, meanwhile = (
            ("happens later", "from here on", "until then")
            if kind == f.UNTIL
            else ("happened before", "up to here", "since then")
        )
        if first is f.T and not name:
            return f"at some event {up_to}, {parts[1]}"
        event = name or f"an event at which {_nested(parts[1])}"
        while_ = "" if first is f.T else f", and at every event {meanwhile}, {other}"
        return f"{event} {happens} (or is this event){while_}"
    up_to, bound = (
        ("from here on", "up to and with") if kind == f.RELEASE else ("up to here", "back to and with")
    )
    if first is f.F:
        return f"at every event {up_to}, {parts[1]}"
    event = _single_of(first, formal) or f"an event at which {other}"
    return f"at every event {up_to}, {bound} {event} if there is one, {_nested(parts[1])}"


_NEVER = "it must not happen"
_ONE: dict[int, Callable[[str, str], str]] = {
    f.NEXT: lambda part, name: (
        f"the next event is {name}" if name else f"there is a next event, and there {part}"
    ),
    f.WEAK_NEXT: lambda part, name: (
        "it is the last event" if part == _NEVER else f"at the next event, if there is one, {part}"
    ),
    f.YESTERDAY: lambda part, name: (
        f"the event before is {name}" if name else f"there is an event before, and there {part}"
    ),
    f.WEAK_YESTERDAY: lambda part, name: (
        "it is the first event" if part == _NEVER else f"at the event before, if there is one, {part}"
    ),
}


def _single(node: f.Formula, formal: Formal) -> str:
    return _single_of(node.items[0], formal) if len(node.items) == 1 else ""


def _single_of(node: f.Formula, formal: Formal) -> str:
    """The noun of an operand that says no more than what kind of event it is; empty for others."""
    return noun(formal.predicates[node.atom]) if node.kind == f.ATOM else ""


def _nested(part: str) -> str:
    return f"({part})" if any(word in part for word in (" or ", " and ", ", ")) else part


def noun(predicate: p.Predicate) -> str:
    """What kind of event a predicate describes, e.g. `a call of refund whose amount is more than 100`."""
    tag = predicate[0]
    if predicate == p.ALWAYS:
        return "an event"
    if predicate == p.NEVER:
        return "an event that cannot be"
    if tag == "or":
        return " or ".join(noun(part) for part in predicate[1:])
    if tag == "not":
        return f"an event other than {noun(predicate[1])}"
    parts = predicate[1:] if tag == "and" else (predicate,)
    given = {part[0]: part for part in parts if part[0] in p.STATIC}
    kind = given["kind"][1] if "kind" in given else "event"
    who = given["by"][1] if "by" in given else ""
    base = f"{who} message" if kind == "message" and who else f"{kind} by the {who}" if who else kind
    if kind in ("call", "result") and who == "assistant":
        base = kind
    if "tool" in given:
        base += f" of {' or '.join(map(_shown, given['tool'][1]))}"
    if "tool~" in given:
        base += f" of a tool whose name matches {_shown(given['tool~'][1])}"
    if "type" in given:
        base += f" of a tool {_TYPES.get(given['type'][1], given['type'][1])}"
    article = "an" if base[0] in "aeio" else "a"
    rest = [_modifier(part) for part in parts if part[0] not in p.STATIC]
    return f"{article} {base}" + (f" {' and '.join(rest)}" if rest else "")


def _modifier(condition: p.Predicate) -> str:
    tag = condition[0]
    match tag:
        case "and" | "or":
            return "(" + f" {tag} ".join(_modifier(part) for part in condition[1:]) + ")"
        case "not":
            return f"for which it is not so that it is one {_modifier(condition[1])}"
        case "text~":
            return f"whose text matches {_shown(condition[1])}"
        case "text=":
            return f"whose text is {condition[1]!r:.{LONGEST}}"
        case "text+":
            return f"whose text contains {condition[1]!r:.{LONGEST}}"
        case "says":
            return "that says something"
        case "calls":
            low, high = condition[1], condition[2]
            return (
                f"with {low} calls"
                if low == high
                else f"with {low} or more calls"
                if high > 1e6
                else (f"with {low} to {high} calls")
            )
        case "failed":
            return "that failed" if condition[1] else "that did not fail"
        case "arg":
            operand = p.thawed(condition[3])
            value = ", ".join(map(str, operand)) if isinstance(operand, list) else repr(operand)
            return f"whose {condition[1]} {_COMPARISONS[condition[2]]} {_shown(value)}"
        case "absent":
            return f"without {condition[1]}"
        case "fits":
            return "whose arguments fit the tool's schema"
        case "var":
            return f"whose {_place(condition[1]).removeprefix('the ')} is that {condition[2]}"
        case "text var":
            return f"whose text mentions that {condition[2]}"
        case "coded":
            said = CODED[condition[1]].phrase(loads(condition[2]), _noun_of)
            return said or f"for which the check {condition[1]!r} says so"
    return f"that is {noun(condition)}"


def _noun_of(value: Any, field: str) -> str:
    return noun(read_predicate(value, field))


def _place(path: str) -> str:
    return {"tool": "the tool", "args": "the arguments", "text": "the text"}.get(
        path, f"the argument {path.removeprefix('args.')}"
    )


def _shown(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
