"""Classes of events that a set of predicates tells apart, for comparing rules.

A *cell* is an event as far as the predicates can tell: their truth values, and an event that has them. Every
event that a trace can hold lies in exactly one cell. What can be said of an event falls into aspects that do
not depend on each other: its kind with who and which tool, its text, how many calls, whether it failed, and
the values at each path of its arguments. Each aspect is split by representatives of all its classes
(`strings`, `values`), and a class's truth values are those of its representative under the meaning that
monitors use (`predicate.condition_test`). A cell without an event may be empty: bound values, schemas, code
and patterns that are not regular are kept possible either way, and paths may contradict each other. A proof
over all cells is sound; a witness has to be made real and replayed before it counts.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.rules import predicate as p
from truespec.rules import strings, values
from truespec.rules.coded_checks import CODED
from truespec.rules.documents import copied, merge
from truespec.rules.predicate import Predicate
from truespec.traces.event import NO_ARGUMENTS, Event
from truespec.verdict import Incomplete

MOST_CELLS = 4096
"""More cells than these are given up."""
MOST_CALLS = 1 << 30
"""No message holds so many calls."""
_OTHERS = "someone else"
"""Stands for every requestor but the known ones."""
_FREE = ("fits", "coded", "var", "text var")
"""Conditions that depend on more than the event."""

Setting = tuple[str, Any]
"""A field of an event and its value; `free` for a condition whose value no field decides."""
Option = tuple[frozenset[Predicate], Setting | None]
"""Conditions of one aspect that hold together, and how an event gets there; None where nobody knows."""


@dataclass(frozen=True)
class Cell:
    """A class of events."""

    true: frozenset[Predicate]
    """The predicates that hold; all others that were asked about fail."""
    holds: frozenset[Predicate]
    """The conditions that hold, of those on which the predicates still depend for such events."""
    witness: Event | None
    """An event of the class; None where none was found, for there may be none."""


def cells(
    predicates: Iterable[Predicate],
    tools: Sequence[str] | None = None,
    types: Mapping[str, str] | None = None,
    check: strings.Check = lambda: None,
) -> list[Cell]:
    """The cells of a set of predicates.

    With `tools`, the agent has these tools and no others, and `types` says what they do. `check` is called
    now and then and raises when the time is over. Raises `Incomplete` where there are too many cells.
    """
    listed = list(dict.fromkeys(predicates))
    conditions = list(dict.fromkeys(c for q in listed for c in p.conditions(q)))
    made: dict[frozenset[Predicate], Cell] = {}
    for event, known in _shapes(conditions, tools, types or {}, check):
        rests = [(q, p.simplified(q, known.get)) for q in listed]
        open_ = list(dict.fromkeys(c for _, rest in rests for c in p.conditions(rest)))
        static = {c for c, value in known.items() if value}
        for holds, witness in _dynamic(open_, event, check):
            true = frozenset(q for q, rest in rests if p.evaluate(rest, holds.__contains__))
            cell = Cell(true, frozenset(static | holds), witness)
            found = made.get(true)
            if found is None or _rank(cell) < _rank(found):
                made[true] = cell
            if len(made) > MOST_CELLS:
                raise Incomplete(f"more than {MOST_CELLS} classes of events")
    return sorted(made.values(), key=lambda cell: (*_rank(cell), repr(sorted(cell.holds, key=repr))))


def _rank(cell: Cell) -> tuple[bool, int, int]:
    """Cells with an event come first, of these the ones that ask for the least."""
    free = sum(c[0] in _FREE for c in cell.holds)
    return cell.witness is None, free, len(cell.holds)


# Kinds, who, tools, types -----------------------------------------------------------------------------


def _shapes(
    conditions: Sequence[Predicate],
    tools: Sequence[str] | None,
    types: Mapping[str, str],
    check: strings.Check,
) -> Iterator[tuple[Event, dict[Predicate, bool]]]:
    """One event for each class of kind, speaker, tool and type, with the values of the conditions on them."""
    static = [c for c in conditions if c[0] in p.STATIC]
    coded = any(c[0] == "coded" for c in conditions)
    seen = set()
    for event in _combinations(static, tools, types, check):
        known = {c: p.condition_test(c)(event) for c in static}
        key = (event.kind, event.by if coded else "", event.tool is None, tuple(known.values()))
        if key not in seen:
            seen.add(key)
            yield event, known


def _combinations(
    static: Sequence[Predicate], tools: Sequence[str] | None, types: Mapping[str, str], check: strings.Check
) -> Iterator[Event]:
    for by in ("user", "assistant", "system"):
        yield Event("message", 0, by)
    names: Sequence[str] = tools if tools is not None else _names(static, check)
    choices: list[tuple[str | None, str | None]] = []
    for name in dict.fromkeys(names):
        # A tool has one type in a trace; where nobody says which, it may be any.
        choices += [(name, t) for t in ([types.get(name)] if tools is not None else _TYPES)]
    for by in ("assistant", "user", "system", _OTHERS):
        for tool, kind in choices:
            yield Event("call", 0, by, tool=tool, type=kind, calls=1)
            yield Event("result", 0, by, tool=tool, type=kind)
        yield Event("result", 0, by)  # nobody knows of which tool


_TYPES = (None, "read", "write", "generic")


def _names(static: Sequence[Predicate], check: strings.Check) -> Sequence[str]:
    constants = {name for c in static if c[0] == "tool" for name in c[1]}
    patterns = {("full", c[1], 0) for c in static if c[0] == "tool~"}
    if not patterns:
        return [*sorted(constants), next(n for n in _spare_names() if n not in constants)]
    return strings.representatives(constants, patterns, check)


def _spare_names() -> Iterator[str]:
    yield "other_tool"
    yield from (f"other_tool_{n}" for n in itertools.count(2))


# Text, arguments, counts, outcomes --------------------------------------------------------------------


def _dynamic(
    conditions: Sequence[Predicate], shape: Event, check: strings.Check
) -> Iterator[tuple[frozenset[Predicate], Event | None]]:
    """The sets of conditions that can hold together for a shape, each with an event where one is known."""
    groups: dict[str, list[Predicate]] = {}
    for condition in conditions:
        groups.setdefault(_aspect(condition), []).append(condition)
    parts: list[list[Option]] = []
    total = 1
    for aspect, group in groups.items():
        parts.append(list(_options(aspect, group, shape, check)))
        total *= len(parts[-1])
        if total > MOST_CELLS:
            raise Incomplete(f"more than {MOST_CELLS} classes of events")
    tests = [(c, p.condition_test(c)) for c in conditions if c[0] not in _FREE]
    for combination in itertools.product(*parts):
        check()
        holds = frozenset(c for chosen, _ in combination for c in chosen)
        yield holds, _realise(shape, [setting for _, setting in combination], holds, tests)


def _aspect(condition: Predicate) -> str:
    tag = condition[0]
    if tag in ("text~", "text=", "text+", "says"):
        return "text"
    if tag in ("arg", "absent"):
        return f"arg:{condition[1]}"
    if tag in ("calls", "failed"):
        return str(tag)
    return "free:" + repr(condition)


def _options(aspect: str, group: list[Predicate], shape: Event, check: strings.Check) -> Iterator[Option]:
    if aspect == "calls":
        yield from _by_value(group, shape, (("calls", n) for n in _counts(group, shape)))
    elif aspect == "failed":
        yield from _outcomes(group, shape)
    elif aspect == "text":
        yield from _texts(group, shape, check)
    elif aspect.startswith("arg:"):
        yield from _arguments(group[0][1], group, shape, check)
    else:
        yield from _either_way(group[0], shape)


def _by_value(group: list[Predicate], shape: Event, settings: Iterable[Setting]) -> Iterator[Option]:
    """The options that these settings realise, each once; the conditions themselves tell their values."""
    tests = [(c, p.condition_test(c)) for c in group]
    seen = set()
    for setting in settings:
        event = _with(shape, dict([setting]))
        holds = frozenset(c for c, test in tests if test(event))
        if holds not in seen:
            seen.add(holds)
            yield holds, setting


def _counts(group: list[Predicate], shape: Event) -> list[int]:
    if shape.kind == "result":
        return [0]
    least = 1 if shape.kind == "call" else 0
    borders = {n for c in group for n in (c[1], c[2] + 1) if least < n <= MOST_CALLS}
    return [least, *sorted(borders)]


def _outcomes(group: list[Predicate], shape: Event) -> Iterator[Option]:
    """Whether it failed; a call of a trace in which identifiers are used again may have two answers to that,
    one for each way of pairing."""
    choices: list[bool | None] = [None] if shape.kind == "message" else [True, False]
    if shape.kind == "call":
        choices.append(None)
    pairings = sorted({c[2:] for c in group})
    seen = set()
    for chosen in itertools.product(choices, repeat=len(pairings)):
        if shape.kind != "call" and len(set(chosen)) > 1:
            continue
        option_of = dict(zip(pairings, chosen, strict=True))
        holds = frozenset(c for c in group if option_of[c[2:]] is c[1])
        if holds not in seen:
            seen.add(holds)
            yield holds, ("failed", chosen[0]) if len(set(chosen)) == 1 else None


def _texts(group: list[Predicate], shape: Event, check: strings.Check) -> Iterator[Option]:
    constants = {c[1] for c in group if c[0] == "text="}
    languages: dict[strings.Language, Predicate] = {}
    for c in group:
        if c[0] == "text~":
            languages["search", c[1], c[2]] = c
        elif c[0] == "text+":
            languages["folded" if c[2] else "part", c[1]] = c
        elif c[0] == "says" and shape.kind != "result":  # a result says nothing, whatever its text
            languages[c] = c
    unread = [c for language, c in languages.items() if not strings.is_regular(language)]
    read = [language for language, c in languages.items() if c not in unread]
    found = [None, *strings.representatives(constants, read, check)]
    yield from _loosened(list(_by_value(group, shape, (("text", text) for text in found))), unread)


def _loosened(options: list[Option], unread: list[Predicate]) -> Iterator[Option]:
    """The options, and beside each those that differ only in conditions which nobody can read."""
    yield from options
    seen = {holds for holds, _ in options}
    for base in list(dict.fromkeys(holds.difference(unread) for holds, _ in options)) if unread else []:
        for size in range(len(unread) + 1):
            for more in itertools.combinations(unread, size):
                holds = base.union(more)
                if holds not in seen:
                    seen.add(holds)
                    yield holds, None
                if len(seen) > MOST_CELLS:
                    raise Incomplete(f"more than {MOST_CELLS} classes of events")


def _arguments(path: str, group: list[Predicate], shape: Event, check: strings.Check) -> Iterator[Option]:
    nothing: Setting = ("args", {})
    if shape.kind == "message" or shape.tool is None:  # it has no arguments
        yield from _by_value(group, shape, [nothing])
        return
    asked = [c for c in group if c[0] == "arg"]
    unread = [c for c in asked if c[2] == "schema" or (c[2] == "matches" and not _is_read(c[3]))]
    read = [(c[2], p.thawed(c[3])) for c in asked if c not in unread]
    tests = [(c, p.argument_test(c[2], c[3])) for c in asked]
    known: dict[frozenset[Predicate], tuple[Any, ...]] = {}
    for value in values.representatives(read, check):
        known.setdefault(frozenset(c for c, test in tests if test(value)), (value,))
    for holds in _read_as_numbers(asked, read, known, check):
        known.setdefault(holds, (_READ_AS_NUMBER,))
    if "*" in path:
        _join(known, check)
    settings = (
        None if _READ_AS_NUMBER in found else ("args", document_at(path, *found)) for found in known.values()
    )
    options = list(_by_value(group, shape, [nothing]))
    options += [(holds, setting) for holds, setting in zip(known, settings, strict=True)]
    yield from _loosened(options, unread)


_READ_AS_NUMBER = object()
"""Stands for a text that a tool's schema has read as a number: no event of no trace shows one."""


def _read_as_numbers(
    asked: Sequence[Predicate],
    read: Sequence[values.Condition],
    known: Mapping[frozenset[Predicate], tuple[Any, ...]],
    check: strings.Check,
) -> list[frozenset[Predicate]]:
    """What holds of texts that write a number, for tools whose schema has a number there.

    Comparisons with numbers then read the number, all other conditions the text. A class of texts with a
    numeral is taken to have one of each number: that is more than there is, so that no claim rests on it.
    """
    numeric = frozenset(c for c in asked if p.asks_numbers(c[2], c[3]))
    if not numeric or len(numeric) == len(asked):
        return []
    others = [(c, p.argument_test(c[2], c[3])) for c in asked if c not in numeric]
    numerals = ("matches", rf"\A(?:{p.NUMERAL})\Z")
    texts = {
        frozenset(c for c, test in others if test(value))
        for value in values.representatives([*read, numerals], check)
        if isinstance(value, str) and re.fullmatch(p.NUMERAL, value)
    }
    numbers = {holds & numeric for holds, (value,) in known.items() if values.is_number(value)}
    return [text | number for text in texts for number in numbers]


def _join(known: dict[frozenset[Predicate], tuple[Any, ...]], check: strings.Check) -> None:
    """Where a path leads to several values, a condition holds if one of them meets it."""
    single = list(known.items())
    waiting = list(known)
    while waiting:
        check()
        holds = waiting.pop()
        for other, found in single:
            joined = holds | other
            if joined not in known:
                known[joined] = known[holds] + found
                waiting.append(joined)
        if len(known) > MOST_CELLS:
            raise Incomplete(f"more than {MOST_CELLS} classes of events")


def _is_read(pattern: Any) -> bool:
    return strings.is_regular(("search", pattern, 0))


def _either_way(condition: Predicate, shape: Event) -> Iterator[Option]:
    """Bound values, schemas and code: what they say of an event depends on the trace, so both are kept."""
    tag = condition[0]
    if tag == "fits":
        yield frozenset([condition]), ("free", None)
        if shape.kind != "message" and shape.tool is not None:  # what is no call has nothing to misfit
            yield frozenset(), ("free", {"args": {"__misfit__": 1}})
        return
    yield frozenset(), ("free", None)
    if tag == "coded":
        example = CODED[condition[1]].example
        if example is None:
            yield frozenset([condition]), ("free", None)
        elif example["kind"] == shape.kind and example.get("by", shape.by) == shape.by:
            yield frozenset([condition]), ("free", example)
        return
    yield frozenset([condition]), ("free", None)


# Events -------------------------------------------------------------------------------------------------


def document_at(path: str, *found: Any) -> dict[str, Any]:
    """Arguments that hold these values at a path; several values need a `*` in it."""
    steps = path.split(".")
    wild = next((n for n, step in enumerate(steps) if "*" in step), len(steps))
    made: Any
    below = [_nested(steps[wild + 1 :], value) for value in found]
    if wild == len(steps):
        made = found[0] if found else None
    elif steps[wild] == "*" and wild > 0:
        made = below
    else:
        made = {steps[wild].replace("*", f"some{n or ''}"): value for n, value in enumerate(below)}
    made = _nested(steps[:wild], made, top=True) if wild else made
    return dict(made)


def _nested(steps: Sequence[str], value: Any, top: bool = False) -> Any:
    for number, step in reversed(list(enumerate(steps))):
        if step == "*":
            value = [value]
        elif step.isdecimal() and int(step) < 20 and not (top and number == 0):
            value = [None] * int(step) + [value]
        else:
            value = {step.replace("*", "some"): value}
    return value


def _with(shape: Event, changes: Mapping[str, Any]) -> Event:
    """The event with other fields; whether something is said follows from the text, as in `traces.event`."""
    fields = {name: getattr(shape, name) for name in ("kind", "index", "by", "text", "tool", "args", "failed",
              "calls", "type")} | dict(changes)  # fmt: skip
    text = fields["text"]
    said = bool(text) and not text.isspace() and shape.kind != "result"
    return Event(**fields, said=said)


def _realise(
    shape: Event,
    settings: Sequence[Setting | None],
    holds: frozenset[Predicate],
    tests: Sequence[tuple[Predicate, p.Test]],
) -> Event | None:
    """An event with these settings, if it meets exactly those of the tested conditions that hold."""
    changes: dict[str, Any] = {}
    documents: list[Mapping[str, Any]] = []
    examples: list[Mapping[str, Any]] = []
    for setting in settings:
        if setting is None:
            return None
        name, value = setting
        if name == "args":
            documents.append(value)
        elif name != "free":
            changes[name] = value
        elif value is not None:
            examples.append(value)
    for example in examples:  # after the texts, in whatever order the conditions stand
        documents.append(example.get("args", {}))
        if "text" in example:
            changes["text"] = " ".join(t for t in (changes.get("text"), example["text"]) if t)
    documents = [document for document in documents if document]
    if len(documents) == 1:
        changes["args"] = documents[0]
    elif documents:
        args: dict[str, Any] = {}
        for document in documents:
            merge(args, copied(document))
        changes["args"] = args
    else:
        changes["args"] = NO_ARGUMENTS
    event = _with(shape, changes)
    if any(test(event) != (condition in holds) for condition, test in tests):
        return None
    return event
