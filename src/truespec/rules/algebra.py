"""Predicates over events as an effective Boolean algebra, for comparing rules.

A *cell* is an event as far as a set of conditions can tell. The cells are found by splitting: who does what
with which tool is enumerated in full, numbers and texts at an argument's path by the constants that the
conditions name, and texts by candidate texts drawn from the patterns. What cannot be split exactly (patterns
against each other, schemas, code) is kept possible unless it was shown impossible, so that the cells cover
every event; a cell may turn out to hold none. A proof that quantifies over the cells is therefore sound, and
a witness has to be made real and replayed before it counts.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from truespec.domains.regex.finder import finder
from truespec.rules import predicate as p
from truespec.rules.coded import CODED
from truespec.rules.predicate import Predicate
from truespec.traces.event import Event
from truespec.verdict import Incomplete

OTHER = "some_other_tool"
"""Stands for every tool that no condition names."""
MOST_CELLS = 4096
"""More cells than these are given up."""
LONGEST_SAMPLE = 300
"""Characters of a text that is made up for a pattern."""
_RANDOM_TEXTS = ("", "x", "Hello.", "yes", "no", "123")


@dataclass(frozen=True)
class Cell:
    """A class of events: which of the conditions hold, and an event of the class where one is known."""

    holds: frozenset[Predicate]
    """The conditions that hold; all others fail."""
    witness: Event | None
    """An event that meets exactly these conditions; None where none was found."""


def cells(
    conditions: Iterable[Predicate], tools: Sequence[str] | None = None, types: dict[str, str] | None = None
) -> list[Cell]:
    """The cells of a set of conditions.

    With `tools`, the agent has these tools and no others, and `types` says what they do.
    """
    listed = sorted(set(conditions), key=repr)
    names = sorted({name for c in listed if c[0] == "tool" for name in c[1]})
    patterns = [c[1] for c in listed if c[0] == "tool~"]
    kinds_told = any(c[0] == "type" for c in listed)
    choices: list[tuple[str | None, str | None]] = []
    universe = list(tools) if tools is not None else [*names, OTHER, *_examples(patterns)]
    for tool in dict.fromkeys(universe):
        told = (types or {}).get(tool)
        options: list[str | None] = (
            [told] if told is not None or tools is not None else ["read", "write", "generic", None]
        )
        choices += [(tool, kind) for kind in (options if kinds_told else [told])]
    made: dict[frozenset[Predicate], Cell] = {}
    for kind, by, (tool, kind_of_tool) in _shapes(choices):
        event = Event(kind, 0, by, tool=tool, type=kind_of_tool)
        static = {c for c in listed if c[0] in p.STATIC and p.condition_test(c)(event)}
        rest = [c for c in listed if c[0] not in p.STATIC]
        for dynamic, witness in _dynamic(rest, event):
            holds = frozenset(static | dynamic)
            known = made.get(holds)
            if known is None or (known.witness is None and witness is not None):
                made[holds] = Cell(holds, witness)
            if len(made) > MOST_CELLS:
                raise Incomplete(f"more than {MOST_CELLS} classes of events")
    return sorted(
        made.values(),
        key=lambda cell: (cell.witness is None, len(cell.holds), repr(sorted(cell.holds, key=repr))),
    )


def _shapes(
    choices: Sequence[tuple[str | None, str | None]],
) -> Iterator[tuple[str, str, tuple[str | None, str | None]]]:
    for by in ("user", "assistant", "system"):
        yield "message", by, (None, None)
    for by in ("assistant", "user"):
        for choice in choices:
            yield "call", by, choice
            yield "result", by, choice


def _dynamic(conditions: list[Predicate], shape: Event) -> Iterator[tuple[set[Predicate], Event | None]]:
    """The sets of conditions on text, arguments, counts and results that can hold together for a shape."""
    groups: dict[str, list[Predicate]] = {}
    for condition in conditions:
        groups.setdefault(_aspect(condition), []).append(condition)
    parts: list[list[tuple[frozenset[Predicate], tuple[str, Any] | None]]] = []
    for aspect, group in groups.items():
        options = list(_options(aspect, group, shape))
        parts.append(options)
    total = 1
    for options in parts:
        total *= max(1, len(options))
        if total > MOST_CELLS:
            raise Incomplete(f"more than {MOST_CELLS} classes of events")
    for combination in itertools.product(*parts):
        holds = {c for chosen, _ in combination for c in chosen}
        settings = [setting for _, setting in combination]
        yield holds, _realise(shape, settings, holds, conditions)


def _aspect(condition: Predicate) -> str:
    tag = condition[0]
    if tag in ("text~", "text=", "text+", "says"):
        return "text"
    if tag in ("arg", "absent"):
        return "arg:" + str(condition[1])
    if tag in ("calls", "failed"):
        return str(tag)
    return "free:" + repr(condition)


def _options(
    aspect: str, group: list[Predicate], shape: Event
) -> Iterator[tuple[frozenset[Predicate], tuple[str, Any] | None]]:
    if aspect == "calls":
        limits = sorted({n for c in group for n in (c[1] - 1, c[1], c[2], c[2] + 1) if 0 <= n < 1 << 20})
        low = {"message": 0, "call": 1}.get(shape.kind)
        values = [n for n in limits if low is not None and n >= low] or [low or 0]
        yield from _by_value("calls", group, values, shape, exact=True)
    elif aspect == "failed":
        values = (
            [None]
            if shape.kind == "message"
            else [True, False]
            if shape.kind == "result"
            else [None, True, False]
        )
        yield from _by_value("failed", group, values, shape, exact=True)
    elif aspect == "text":
        yield from _texts(group, shape)
    elif aspect.startswith("arg:"):
        if shape.kind == "message":
            yield frozenset(c for c in group if c[0] == "absent"), ("args", {})
        else:
            yield from _arguments(group, shape)
    else:
        condition = group[0]
        if condition[0] == "fits" and shape.kind != "call":
            yield frozenset(group), ("free", None)  # what is no call has nothing to misfit
            return
        # Code, schemas and bound values may hold or not: both are kept possible.
        misfit = {"kind": "call", "args": {"__misfit__": 1}}
        if condition[0] == "fits":
            yield frozenset(group), ("free", None)
            yield frozenset(), ("free", misfit)
            return
        yield frozenset(), ("free", None)
        if condition[0] == "coded":
            example = CODED[condition[1]].example
            if example["kind"] != shape.kind or example.get("by", shape.by) != shape.by:
                return  # the code speaks of other events
            yield frozenset(group), ("free", example)
            return
        yield frozenset(group), ("free", None)


def _by_value(
    field: str, group: list[Predicate], values: Iterable[Any], shape: Event, exact: bool
) -> Iterator[tuple[frozenset[Predicate], tuple[str, Any] | None]]:
    seen: set[frozenset[Predicate]] = set()
    for value in values:
        event = _copy(shape, {field: value})
        holds = frozenset(c for c in group if p.condition_test(c)(event))
        if holds not in seen:
            seen.add(holds)
            yield holds, (field, value)
    if not exact:
        for size in range(len(group) + 1):
            for chosen in itertools.combinations(group, size):
                holds = frozenset(chosen)
                if holds not in seen and _possible(holds, group, shape):
                    yield holds, None


def _texts(
    group: list[Predicate], shape: Event
) -> Iterator[tuple[frozenset[Predicate], tuple[str, Any] | None]]:
    candidates: list[str | None] = [None, *_RANDOM_TEXTS]
    pieces = [c[1] for c in group if c[0] in ("text=", "text+")]
    for c in group:
        if c[0] == "text~":
            pieces += _samples(c[1], c[2])
    candidates += pieces
    candidates += [f"{a} {b}" for a, b in itertools.permutations(pieces[:12], 2)]
    candidates += [f"{a} {b} {c}" for a, b, c in itertools.permutations(pieces[:6], 3)]
    exact = (
        not any(c[0] == "text~" for c in group) and len([c for c in group if c[0] in ("text=", "text+")]) <= 1
    )
    if len(group) > 10:
        raise Incomplete("more than 10 conditions on one text")
    yield from _by_value("text", group, candidates, shape, exact)


def _possible(holds: frozenset[Predicate], group: Sequence[Predicate], shape: Event) -> bool:
    """Whether conditions on a text may hold together while the others fail; True where nobody knows."""
    equal = [c for c in holds if c[0] == "text="]
    if equal:
        event = _copy(shape, {"text": equal[0][1]})
        return all(p.condition_test(c)(event) == (c in holds) for c in group)
    says = ("says",)
    if shape.kind == "result":  # a result says nothing, whatever its text
        if says in holds:
            return False
        group = [c for c in group if c != says]
    elif says in group and says not in holds:
        # Nothing is said: a text that is blank contains no word and no letter.
        for c in holds:
            if c[0] == "text+" and c[1].strip():
                return False
            if c[0] == "text~" and _implies(c, says):
                return False
    for c in holds:
        for other in group:
            if other not in holds and c != other and _implies(c, other):
                return False
    return True


def _implies(condition: Predicate, other: Predicate) -> bool:
    """Whether a text that meets one condition must meet the other; False where it is not shown."""
    if other == ("says",):
        if condition[0] == "text~":
            return _pattern_implies(condition[1], condition[2], r"\S", condition[2])
        return condition[0] == "text+" and bool(condition[1].strip())
    if condition[0] == "text+" and other[0] == "text+":
        if other[2]:
            return other[1] in condition[1].lower()
        return not condition[2] and other[1] in condition[1]
    if condition[0] == "text~" and other[0] == "text~":
        return _pattern_implies(condition[1], condition[2], other[1], other[2])
    return False


_known_implications: dict[tuple[str, int, str, int], bool] = {}


def _pattern_implies(left: str, left_flags: int, right: str, right_flags: int) -> bool:
    """Decided by the regex domain; False where it does not decide."""
    key = (left, left_flags, right, right_flags)
    if key not in _known_implications:
        _known_implications[key] = _ask_regex(left, left_flags, right, right_flags)
    return _known_implications[key]


def _ask_regex(left: str, left_flags: int, right: str, right_flags: int) -> bool:
    from truespec.domains.judge import Pair, judge

    if left_flags != right_flags:
        return False
    context = {"match": "search", "flags": "i" if left_flags & re.IGNORECASE else ""}
    try:
        verdict = judge(Pair("regex", right, left, context), 2.0)
    except Exception:
        return False
    if verdict.answer.value == "equivalent":
        return True
    return (
        verdict.answer.value == "refuted"
        and verdict.relation is not None
        and verdict.relation.value == "stronger"
    )


def _arguments(
    group: list[Predicate], shape: Event
) -> Iterator[tuple[frozenset[Predicate], tuple[str, Any] | None]]:
    path = group[0][1]
    operators = {c[2] for c in group if c[0] == "arg"}
    values: list[Any] = []
    for c in group:
        if c[0] == "arg":
            values += _near(c[2], p.thawed(c[3]))
    values += ["", "fresh text", 0, True, None, [], {}]
    values += _between([v for v in values if isinstance(v, int | float) and not isinstance(v, bool)])
    documents: list[dict[str, Any]] = [{}] + [
        document for value in values if (document := document_at(path, value)) is not None
    ]
    exact = "*" not in path and operators <= {"eq", "ne", "gt", "ge", "lt", "le", "in", "not_in", "type"}
    if not exact and len(group) > 8:
        raise Incomplete(f"more than 8 conditions on the argument {path}")
    seen: set[frozenset[Predicate]] = set()
    for document in documents:
        event = _copy(shape, {"args": document})
        holds = frozenset(c for c in group if p.condition_test(c)(event))
        if holds not in seen:
            seen.add(holds)
            yield holds, ("args", document)
    if not exact:
        for size in range(len(group) + 1):
            for chosen in itertools.combinations(group, size):
                holds = frozenset(chosen)
                absent = any(c[0] == "absent" for c in holds)
                if holds not in seen and not (absent and any(c[0] == "arg" for c in holds)):
                    yield holds, None


_TYPED: dict[str, list[Any]] = {
    "string": ["s"],
    "number": [1.5],
    "integer": [7],
    "boolean": [False],
    "array": [[1]],
    "object": [{"k": 1}],
}


def _between(numbers: list[int | float]) -> list[int | float]:
    """A fraction and, if there is one, an integer between any two neighbours, and beyond both ends."""
    ordered = sorted(set(numbers))
    made: list[int | float] = [ordered[0] - 1.5, math.floor(ordered[0]) - 2, ordered[-1] + 1.5]
    made.append(math.ceil(ordered[-1]) + 2)
    for low, high in itertools.pairwise(ordered):
        made.append((low + high) / 2)
        if math.floor(low) + 1 < high:
            made.append(math.floor(low) + 1)
    return made


def _near(operator: str, wanted: Any) -> list[Any]:
    """Values on either side of every border that a condition draws."""
    if isinstance(wanted, list):
        return wanted
    if isinstance(wanted, bool) or wanted is None:
        return [wanted]
    if isinstance(wanted, int | float) and operator not in ("min_length", "max_length"):
        return [wanted, wanted - 1, wanted + 1, wanted - 0.5, wanted + 0.5]
    if operator in ("min_length", "max_length"):
        return ["x" * n for n in (wanted - 1, wanted, wanted + 1) if 0 <= n < 10_000]
    if operator == "matches" and isinstance(wanted, str):
        return list(_samples(wanted, 0))
    if operator == "type":
        return _TYPED.get(wanted, [None])
    if isinstance(wanted, str):
        return [wanted, wanted + "x", "x" + wanted, wanted[:-1], wanted + "\x00"]
    return [wanted]


def document_at(path: str, value: Any) -> dict[str, Any] | None:
    """Arguments that hold a value at a path."""
    made: Any = value
    for step in reversed(path.split(".")):
        if step == "*":
            made = [made]
        elif step.isdigit():
            made = [None] * int(step) + [made] if int(step) < 20 else None
        else:
            made = {step.replace("*", "some"): made}
    return made if isinstance(made, dict) else {"some": made} if path == "*" else None


def merge(into: dict[str, Any], other: dict[str, Any]) -> None:
    """Put the values of one document into another."""
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def _copy(shape: Event, changes: dict[str, Any]) -> Event:
    event = Event(
        shape.kind,
        shape.index,
        shape.by,
        shape.text,
        shape.tool,
        shape.args,
        shape.failed,
        shape.calls,
        shape.said,
        shape.type,
    )
    for name, value in changes.items():
        setattr(event, name, value)
    if "text" in changes:
        text = changes["text"]
        event.said = bool(text) and not text.isspace() and shape.kind != "result"
    return event


def _realise(
    shape: Event,
    settings: Sequence[tuple[str, Any] | None],
    holds: set[Predicate],
    conditions: Sequence[Predicate],
) -> Event | None:
    """An event with these settings, if it meets exactly the conditions that were chosen."""
    if any(setting is None for setting in settings):
        return None
    changes: dict[str, Any] = {}
    examples: list[Any] = []
    for setting in settings:
        assert setting is not None
        name, value = setting
        if name == "args":
            args = changes.setdefault("args", {})
            merge(args, json.loads(json.dumps(value)))
        elif name != "free":
            changes[name] = value
        elif value is not None:
            examples.append(value)
    for example in examples:
        if "text" in example:
            changes["text"] = " ".join(t for t in (changes.get("text"), example["text"]) if t)
        merge(changes.setdefault("args", {}), dict(example.get("args", {})))
    if shape.kind == "call" and "calls" not in changes:
        changes["calls"] = 1
    event = _copy(shape, changes)
    for condition in conditions:
        if condition[0] not in ("coded", "fits", "var", "text var") and p.condition_test(condition)(
            event
        ) != (condition in holds):
            return None
    return event


@lru_cache(maxsize=4096)
def _samples(pattern: str, flags: int) -> tuple[str, ...]:
    """A few texts that a pattern matches."""
    found = finder(pattern, flags)
    return tuple(text for text in dict.fromkeys(_spelt(pattern)) if found.search(text))[:8]


def _spelt(pattern: str) -> Iterator[str]:
    try:
        tree = re._parser.parse(pattern)
    except re.error:
        return
    for variant in range(6):
        yield _spell(tree, variant)


def _spell(tree: Any, variant: int) -> str:
    """One text for a parsed pattern: alternatives by turn, repetitions as short as allowed."""
    out: list[str] = []
    for operator, value in tree:
        name = str(operator)
        if sum(map(len, out)) > LONGEST_SAMPLE:
            break  # the sample will not match, and is dropped
        if name == "LITERAL":
            out.append(chr(value))
        elif name == "NOT_LITERAL":
            out.append("x" if value != ord("x") else "y")
        elif name == "ANY":
            out.append("x")
        elif name == "IN":
            out.append(_one_of(value))
        elif name == "BRANCH":
            branches = value[1]
            out.append(_spell(branches[variant % len(branches)], variant))
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, _, body = value
            part = _spell(body, variant)
            out.append(part * min(max(least, variant % 2), 50, LONGEST_SAMPLE // max(1, len(part)) + 1))
        elif name == "SUBPATTERN":
            out.append(_spell(value[3], variant))
        elif name == "ATOMIC_GROUP":
            out.append(_spell(value, variant))
    return "".join(out)


def _one_of(items: Any) -> str:
    negated = bool(items) and str(items[0][0]) == "NEGATE"
    for char in "a1 _-.Z@é":
        if _in_set(char, items[1:] if negated else items) != negated:
            return char
    return "x"


def _in_set(char: str, items: Any) -> bool:
    for operator, value in items:
        name = str(operator)
        if name == "LITERAL" and chr(value) == char:
            return True
        if name == "RANGE" and value[0] <= ord(char) <= value[1]:
            return True
        if name == "CATEGORY":
            kind = str(value)
            inside = (
                char.isdigit()
                if "DIGIT" in kind
                else char.isspace()
                if "SPACE" in kind
                else char.isalnum() or char == "_"
            )
            if inside != ("NOT" in kind):
                return True
    return False


def _examples(patterns: Iterable[str]) -> list[str]:
    """Tool names that patterns match."""
    return [name for pattern in patterns for name in _samples(pattern, 0) if finder(pattern).fullmatch(name)]
