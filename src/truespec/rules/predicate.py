"""What a rule can say of one event: conditions and their Boolean combinations, as values that hash.

A predicate is a tuple. `("and", p, q, ...)`, `("or", ...)`, `("not", p)`, `("true",)`, `("false",)` combine;
every other tag is a condition:

| tag | holds of an event |
| --- | --- |
| `kind k` | that is a `message`, a `call` or a `result` |
| `by who` | spoken by, or asked for by, `user`, `assistant` or `system` |
| `tool names` | of one of these tools; `tool~ pattern` whose name the pattern matches in full |
| `type t` | of a tool that reads, writes, or does neither |
| `text~ pattern flags` | whose text the pattern matches somewhere; `text=` equals; `text+` contains |
| `says` | whose message holds text that is not blank |
| `calls lo hi` | whose message holds so many calls |
| `failed b` | whose call is known to have failed, or not to have |
| `arg path op value` | some value at the path of whose arguments meets the condition |
| `absent path` | whose arguments hold nothing at the path |
| `fits` | whose arguments the schema of its tool allows |
| `var path name` | that holds a bound value at the path; `text var name` whose text mentions one |
| `coded name options` | for which the named check written in code says so |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from json import dumps
from typing import Any

import orjson

from truespec.domains.regex.finder import finder
from truespec.rules.values import is_integer, is_number, same
from truespec.traces.event import Event
from truespec.traces.failure import shortened

Predicate = tuple[Any, ...]
ALWAYS: Predicate = ("true",)
NEVER: Predicate = ("false",)
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
"""What `type` may ask for at an argument."""


def all_of(*parts: Predicate) -> Predicate:
    """Every one of them."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        for item in part[1:] if part[0] == "and" else (part,):
            if item == NEVER:
                return NEVER
            if item != ALWAYS:
                flat[item] = None
    if not flat:
        return ALWAYS
    return next(iter(flat)) if len(flat) == 1 else ("and", *flat)


def any_of(*parts: Predicate) -> Predicate:
    """At least one of them."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        for item in part[1:] if part[0] == "or" else (part,):
            if item == ALWAYS:
                return ALWAYS
            if item != NEVER:
                flat[item] = None
    if not flat:
        return NEVER
    return next(iter(flat)) if len(flat) == 1 else ("or", *flat)


def none_of(part: Predicate) -> Predicate:
    """Not this one."""
    if part[0] == "not":
        inner: Predicate = part[1]
        return inner
    if part in (ALWAYS, NEVER):
        return NEVER if part == ALWAYS else ALWAYS
    return ("not", part)


def conditions(predicate: Predicate) -> Iterator[Predicate]:
    """The conditions in a predicate, each as often as it stands there."""
    if predicate[0] in ("and", "or", "not"):
        for part in predicate[1:]:
            yield from conditions(part)
    elif predicate not in (ALWAYS, NEVER):
        yield predicate


def variables(predicate: Predicate) -> set[str]:
    """The names of bound values that it speaks of."""
    return {c[2] for c in conditions(predicate) if c[0] in ("var", "text var")}


def thawed(value: Any) -> Any:
    """The operand as a plain value: lists, objects and truth values are kept as marked JSON texts."""
    from json import loads

    return loads(value[1]) if isinstance(value, tuple) else value


def values_at(value: Any, path: str) -> list[Any]:
    """The values at a dotted path; `*` in a step stands for any name or index, as in `flights.*.number`."""
    found = [value]
    for step in path.split("."):
        wild = "*" in step
        reached: list[Any] = []
        for at in found:
            if isinstance(at, Mapping):
                if wild:
                    reached += [inner for key, inner in at.items() if fnmatchcase(str(key), step)]
                elif step in at:
                    reached.append(at[step])
            elif isinstance(at, list):
                if step == "*":
                    reached += at
                elif step.isdigit() and int(step) < len(at):
                    reached.append(at[int(step)])
        found = reached
    return found


def stuck_at(value: Any, path: str) -> str:
    """Where a path cannot be followed, because a text or a list stands where an object should: such as an
    object that is written as a text. Empty where it can, or where there is nothing to follow it into.

    >>> print(stuck_at({"order": "{}"}, "order.amount"))
    order: '{}' holds no 'amount' that can be read
    """
    steps = path.split(".")
    for number in range(1, len(steps)):
        before, step = ".".join(steps[:number]), steps[number]
        for at in values_at(value, before):
            if at is None or isinstance(at, Mapping):
                continue
            if not isinstance(at, list) or not (step == "*" or step.isdigit()):
                return f"{before}: {shortened(repr(at), 60)} holds no {step!r} that can be read"
    return ""


def bound_values(event: Event, path: str) -> frozenset[str]:
    """What a name is bound to at an event: the values at `tool`, `args`, `args.<path>`, `text`."""
    if path == "tool":
        return frozenset([event.tool or ""])
    if path == "text":
        return frozenset([event.text or ""])
    if path == "args":
        return frozenset([_canonical(event.args)])
    return frozenset(
        value if isinstance(value, str) else dumps(value, sort_keys=True, default=str)
        for value in values_at(event.args, path.removeprefix("args."))
    )


def argument_test(operator: str, operand: Any) -> Callable[[Any], bool]:
    """The test of one value at an argument's path."""
    wanted = thawed(operand)
    if operator == "eq":
        if isinstance(wanted, str):
            return lambda v: isinstance(v, str) and v == wanted
        return lambda v: same(v, wanted)
    if operator == "ne":
        return lambda v: not same(v, wanted)
    if operator in ("in", "not_in"):
        return lambda v: any(same(v, w) for w in wanted) == (operator == "in")
    if operator == "matches":
        search = finder(wanted).search
        return lambda v: isinstance(v, str) and search(v)
    if operator == "contains":
        return lambda v: (
            (isinstance(v, str) and isinstance(wanted, str) and wanted in v)
            or (isinstance(v, list) and any(same(item, wanted) for item in v))
        )
    if operator == "type":
        if wanted in ("number", "integer"):
            return is_integer if wanted == "integer" else is_number
        kinds = TYPES[wanted]
        return lambda v: isinstance(v, kinds)
    if operator == "min_length":
        return lambda v: isinstance(v, str | list) and len(v) >= wanted
    if operator == "max_length":
        return lambda v: isinstance(v, str | list) and len(v) <= wanted
    if operator == "schema":
        from truespec.rules.schemas import validator

        return validator(wanted)
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "gt": lambda v, w: v > w,
        "ge": lambda v, w: v >= w,
        "lt": lambda v, w: v < w,
        "le": lambda v, w: v <= w,
    }
    test = compare[operator]
    if isinstance(wanted, str):
        return lambda v: isinstance(v, str) and test(v, wanted)
    return lambda v: is_number(v) and test(v, wanted)


def _canonical(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # huge integers, lone surrogates
        return dumps(value, sort_keys=True, default=str)


Test = Callable[[Event], bool]


def condition_test(condition: Predicate) -> Test:
    """The test of one condition, for conditions without variables and code."""
    tag = condition[0]
    if tag == "kind":
        return lambda e: e.kind == condition[1]
    if tag == "by":
        return lambda e: e.by == condition[1]
    if tag == "tool":
        names = frozenset(condition[1])
        return lambda e: e.tool in names
    if tag == "tool~":
        full = finder(condition[1]).fullmatch
        return lambda e: e.tool is not None and full(e.tool)
    if tag == "type":
        return lambda e: e.type == condition[1]
    if tag == "text~":
        search = finder(condition[1], condition[2]).search
        return lambda e: e.text is not None and search(e.text)
    if tag == "text=":
        return lambda e: e.text == condition[1]
    if tag == "text+":
        part, fold = condition[1], condition[2]
        if fold:
            return lambda e: e.text is not None and part in e.text.lower()
        return lambda e: e.text is not None and part in e.text
    if tag == "says":
        return lambda e: e.said
    if tag == "calls":
        low, high = condition[1], condition[2]
        return lambda e: low <= e.calls <= high
    if tag == "failed":
        return lambda e: e.failed is condition[1]
    if tag == "absent":
        path = condition[1]
        if "." not in path:
            return lambda e: not values_at(e.args, path)

        def absent(event: Event) -> bool:
            if values_at(event.args, path):
                return False
            _note_stuck(condition, event)
            return True

        return absent
    if tag == "arg":
        test = argument_test(condition[2], condition[3])
        return _typed_test(condition, test)
    if tag == "fits":
        from truespec.rules.schemas import call_fits

        return call_fits
    raise ValueError(f"{tag!r} is no condition of one event alone")


def asks_numbers(operator: str, operand: Any) -> bool:
    """Whether a condition compares with numbers alone."""
    if operator in ("gt", "ge", "lt", "le", "eq", "ne"):
        return is_number(operand)
    wanted = thawed(operand) if operator in ("in", "not_in") else []
    return bool(wanted) and all(is_number(value) for value in wanted)


_ANY_TYPE = ("type", "schema")
"""Operators that say something of a value of any type."""
_ORDER = ("gt", "ge", "lt", "le")
_SIZED = {"matches": (str,), "contains": (str, list), "min_length": (str, list), "max_length": (str, list)}
"""The types of values that an operator speaks of, where its operand does not say so."""
_LIKE_NUMBER = re.compile(r"\s*[-+$€£]?\s*[\d.]")
"""How a text begins that some tool may read as a number."""


def _foreign(operator: str, operand: Any) -> tuple[tuple[type, ...], Callable[[Any], str]] | None:
    """The types of values that a condition is about, and for any value the type that it asks for and the
    value has not, so that the two cannot be compared (empty where they can be); None where all values can."""
    if operator in _ORDER:
        if is_number(operand):
            return (int, float), lambda v: "" if is_number(v) or v is None else "number"
        return (str,), lambda v: "" if isinstance(v, str) or v is None else "text"
    if operator in _SIZED:
        kinds = _SIZED[operator]
        word = "text" if len(kinds) == 1 else "text or list"
        return kinds, lambda v: "" if isinstance(v, kinds) or v is None else word
    wanted = thawed(operand) if operator in ("in", "not_in") else [thawed(operand)]
    numbers = any(is_number(w) for w in wanted)
    numerals = [float(w) for w in wanted if isinstance(w, str) and _NUMERAL.fullmatch(w)]
    if operator in _ANY_TYPE or not (numbers or numerals):
        return None

    def foreign(value: Any) -> str:
        if any(same(value, w) for w in wanted):
            return ""
        if numbers and isinstance(value, str) and _LIKE_NUMBER.match(value):
            return "number"
        return "text" if is_number(value) and value in numerals else ""

    return () if numbers and numerals else (int, float) if numbers else (str,), foreign


def _typed_test(condition: Predicate, test: Callable[[Any], bool]) -> Test:
    """The test of a comparison with values of one type. A text is read as a number where the tool's schema
    says that it is one. That is noted at the event, and so is a value that cannot be compared: what a rule
    makes of it is then not known."""
    path = condition[1]
    at_once = "." not in path and "*" not in path
    typed = _foreign(condition[2], condition[3])
    if typed is None and at_once:
        return lambda e: path in e.args and test(e.args[path])
    usual, foreign = typed or ((), lambda v: "")

    def of_other_type(event: Event, value: Any) -> bool:
        wanted = foreign(value)
        if not wanted:
            return test(value)
        number = _as_number(event, path, value) if wanted == "number" else None
        if event.notes is None:
            event.notes = {}
        shown = shortened(repr(value), 60)
        event.notes[condition] = (
            (f"{path}: {shown} is no {wanted}, so it cannot be compared", False)
            if number is None
            else (f"{path}: the text {shown} is read as a number", True)
        )
        return test(value if number is None else number)

    def holds(event: Event) -> bool:
        if at_once:
            if path not in event.args:
                return False
            value = event.args[path]
            return test(value) if type(value) in usual else of_other_type(event, value)
        if any(
            test(value) if type(value) in usual else of_other_type(event, value)
            for value in values_at(event.args, path)
        ):
            return True
        _note_stuck(condition, event)
        return False

    return holds


def _note_stuck(condition: Predicate, event: Event) -> None:
    """Note that the path of a condition could not be followed at an event."""
    if why := stuck_at(event.args, condition[1]):
        if event.notes is None:
            event.notes = {}
        event.notes[condition] = why, False


NUMERAL = r"\s*[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,2})?\s*"
"""A text that writes a number, as a regular expression."""
_NUMERAL = re.compile(NUMERAL)


def _as_number(event: Event, path: str, value: Any) -> int | float | None:
    """A text as the number that it writes, where the schema of the event's tool has a number there."""
    if not isinstance(value, str) or event.trace is None or not _NUMERAL.fullmatch(value):
        return None
    tool = event.trace.schemas.get(event.tool or "")
    if tool is None or tool.parameters is None:
        return None
    from truespec.rules.schemas import type_at

    kinds = type_at(tool.parameters, path) or frozenset()
    if not kinds & {"number", "integer"} or "string" in kinds:
        return None
    return float(value) if any(c in value for c in ".eE") else int(value)


STATIC = ("kind", "by", "tool", "tool~", "type")
"""Conditions that depend on the event's class alone: its kind, who, which tool, what type."""


def evaluate(predicate: Predicate, test: Callable[[Predicate], bool]) -> bool:
    """A predicate's value, given its conditions' values."""
    tag = predicate[0]
    if tag == "and":
        return all(evaluate(part, test) for part in predicate[1:])
    if tag == "or":
        return any(evaluate(part, test) for part in predicate[1:])
    if tag == "not":
        return not evaluate(predicate[1], test)
    return tag == "true" if tag in ("true", "false") else test(predicate)


def simplified(predicate: Predicate, known: Callable[[Predicate], bool | None]) -> Predicate:
    """The predicate with the conditions filled in whose value is known."""
    tag = predicate[0]
    if tag in ("and", "or"):
        return (all_of if tag == "and" else any_of)(*(simplified(part, known) for part in predicate[1:]))
    if tag == "not":
        return none_of(simplified(predicate[1], known))
    if tag in ("true", "false"):
        return predicate
    value = known(predicate)
    return predicate if value is None else ALWAYS if value else NEVER


def show(predicate: Predicate) -> str:
    """The predicate in words, for messages."""
    tag = predicate[0]
    if tag in ("and", "or"):
        return "(" + f" {tag} ".join(show(part) for part in predicate[1:]) + ")"
    if tag == "not":
        return f"not {show(predicate[1])}"
    if tag == "tool":
        return "tool " + "|".join(predicate[1])
    return " ".join(str(part) for part in predicate)
