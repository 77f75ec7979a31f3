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
from truespec.verdict import ReasonCode, SpecificationError

Predicate = tuple[Any, ...]
ALWAYS: Predicate = ("true",)
NEVER: Predicate = ("false",)
_KEYS = [
    "kind",
    "message",
    "call",
    "result",
    "by",
    "tool",
    "type",
    "text",
    "says",
    "calls",
    "ok",
    "failed",
    "args",
    "fits_schema",
    "coded",
    "any",
    "all",
    "not",
    "mentions",
    "tool_is",
    "args_are",
]
_OPERATORS = [
    "eq",
    "ne",
    "gt",
    "ge",
    "lt",
    "le",
    "in",
    "not_in",
    "matches",
    "contains",
    "exists",
    "type",
    "min_length",
    "max_length",
    "schema",
]
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


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


# Reading ------------------------------------------------------------------------------------------


def read_predicate(value: Any, where: str) -> Predicate:
    """A predicate from its YAML form; `where` names the place for messages.

    Keys of one mapping all have to hold. `call: book` is short for a call of that tool by the agent.
    """
    if value is True or value is False:
        return ALWAYS if value else NEVER
    if isinstance(value, list):
        return any_of(*(read_predicate(item, f"{where}[{i}]") for i, item in enumerate(value)))
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a mapping of conditions, found {value!r}")
    parts: list[Predicate] = []
    for key in value:
        if key not in _KEYS:
            raise _wrong(where, f"unknown condition {key!r}; there are {', '.join(_KEYS)}")
    for kind in ("call", "result"):
        if kind in value:
            parts.append(("kind", kind))
            parts.append(_tool(value[kind], f"{where}.{kind}"))
            if "by" not in value:
                parts.append(("by", "assistant"))
    if "message" in value:
        parts.append(("kind", "message"))
        if value["message"] not in ("any", True, None):
            parts.append(_member("by", value["message"], ("user", "assistant", "system"), f"{where}.message"))
    if "kind" in value:
        parts.append(_member("kind", value["kind"], ("message", "call", "result"), f"{where}.kind"))
    if value.get("by", "any") != "any":
        parts.append(_member("by", value["by"], ("user", "assistant", "system"), f"{where}.by"))
    if "tool" in value:
        parts.append(_tool(value["tool"], f"{where}.tool"))
    if "tool_is" in value:
        parts.append(("var", "tool", _name(value["tool_is"], f"{where}.tool_is")))
    if "args_are" in value:
        parts.append(("var", "args", _name(value["args_are"], f"{where}.args_are")))
    if "type" in value:
        parts.append(_member("type", value["type"], ("read", "write", "generic"), f"{where}.type"))
    if "text" in value:
        parts.append(_text(value["text"], f"{where}.text"))
    if "mentions" in value:
        parts.append(("text var", "text", _name(value["mentions"], f"{where}.mentions")))
    if "says" in value:
        parts.append(("says",) if _flag(value["says"], f"{where}.says") else ("not", ("says",)))
    if "calls" in value:
        parts.append(_calls(value["calls"], f"{where}.calls"))
    for key, failed in (("ok", False), ("failed", True)):
        if key in value:
            parts.append(("failed", _flag(value[key], f"{where}.{key}") == failed))
    if "args" in value:
        parts.append(_args(value["args"], f"{where}.args"))
    if "fits_schema" in value:
        parts.append(("fits",) if _flag(value["fits_schema"], f"{where}.fits_schema") else ("not", ("fits",)))
    if "coded" in value:
        parts.append(_coded(value["coded"], f"{where}.coded"))
    for key, join in (("any", any_of), ("all", all_of)):
        if key in value:
            if not isinstance(value[key], list):
                raise _wrong(f"{where}.{key}", "expected a list of conditions")
            parts.append(join(*(read_predicate(p, f"{where}.{key}[{i}]") for i, p in enumerate(value[key]))))
    if "not" in value:
        parts.append(none_of(read_predicate(value["not"], f"{where}.not")))
    return all_of(*parts)


def _wrong(where: str, what: str) -> SpecificationError:
    what = what if len(what) <= 500 else what[:499] + "…"
    return SpecificationError(ReasonCode.SYNTAX, f"{where}: {what}")


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, f"expected true or false, found {value!r}")
    return value


def _name(value: Any, where: str) -> str:
    if not (isinstance(value, str) and value.startswith("$") and len(value) > 1):
        raise _wrong(where, f"expected a bound name such as $order, found {value!r}")
    return value[1:]


def _member(tag: str, value: Any, known: tuple[str, ...], where: str) -> Predicate:
    listed = value if isinstance(value, list) else [value]
    for item in listed:
        if item not in known:
            raise _wrong(where, f"expected one of {', '.join(known)}, found {item!r}")
    return any_of(*((tag, item) for item in listed))


def _tool(value: Any, where: str) -> Predicate:
    if value in ("*", "any", True, None):
        return ALWAYS
    if isinstance(value, str):
        return ("tool", (value,))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ("tool", tuple(sorted(set(value))))
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, inner),) = value.items()
        if key == "type":
            return _member("type", inner, ("read", "write", "generic"), where)
        if key == "matches":
            return ("tool~", _pattern(inner, where, 0)[0])
        if key == "not":
            return none_of(_tool(inner, where))
    raise _wrong(
        where, f"expected a tool's name, a list of names, {{type: ...}} or {{matches: ...}}, found {value!r}"
    )


def _pattern(value: Any, where: str, flags: int) -> tuple[str, int]:
    if not isinstance(value, str):
        raise _wrong(where, f"expected a regular expression, found {value!r}")
    try:
        re.compile(value, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise _wrong(where, f"no regular expression: {error}") from None
    return value, flags


def word_pattern(words: list[str]) -> str:
    """A pattern that finds any of these words or phrases, whole."""
    return r"\b(?:" + "|".join(re.escape(word).replace(r"\ ", " ") for word in words) + r")\b"


def _text(value: Any, where: str) -> Predicate:
    if isinstance(value, str):
        return ("text+", value, False)
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a text or a mapping, found {value!r}")
    fold = _flag(value.get("ignore_case", "words" in value), f"{where}.ignore_case")
    parts: list[Predicate] = []
    for key, inner in value.items():
        here = f"{where}.{key}"
        if key == "ignore_case":
            continue
        if key == "contains" and isinstance(inner, str):
            parts.append(("text+", inner.lower() if fold else inner, fold))
        elif key == "equals" and isinstance(inner, str):
            exactly = rf"\A(?:{re.escape(inner)})\Z"
            parts.append(("text~", exactly, int(re.IGNORECASE)) if fold else ("text=", inner))
        elif key == "matches":
            parts.append(("text~", *_pattern(inner, here, re.IGNORECASE if fold else 0)))
        elif key == "words" and isinstance(inner, list) and inner and all(isinstance(w, str) for w in inner):
            parts.append(("text~", *_pattern(word_pattern(inner), here, re.IGNORECASE if fold else 0)))
        elif key == "not":
            parts.append(none_of(_text(inner, here)))
        else:
            raise _wrong(here, "expected contains, equals, matches, words (a list), not or ignore_case")
    return all_of(*parts)


def _calls(value: Any, where: str) -> Predicate:
    if isinstance(value, int) and not isinstance(value, bool):
        return ("calls", value, value)
    if isinstance(value, Mapping) and value.keys() <= {"min", "max"}:
        low, high = value.get("min", 0), value.get("max", 1 << 30)
        if isinstance(low, int) and isinstance(high, int):
            return ("calls", low, high)
    raise _wrong(where, f"expected a number or {{min: ..., max: ...}}, found {value!r}")


def _coded(value: Any, where: str) -> Predicate:
    from truespec.rules.coded import CODED

    name, options = (
        (value, {})
        if isinstance(value, str)
        else next(iter(value.items()), ("", {}))
        if isinstance(value, Mapping)
        else ("", {})
    )
    if name not in CODED:
        raise _wrong(where, f"no coded check {name!r}; there are {', '.join(CODED)}")
    if not isinstance(options, Mapping):
        raise _wrong(where, "options are a mapping")
    return ("coded", name, dumps(options, sort_keys=True))


def _args(value: Any, where: str) -> Predicate:
    if not isinstance(value, Mapping):
        raise _wrong(where, "expected a mapping from paths to conditions")
    parts: list[Predicate] = []
    for path, inner in value.items():
        here = f"{where}.{path}"
        if isinstance(inner, str) and inner.startswith("$"):
            parts.append(("var", f"args.{path}", _name(inner, here)))
        elif isinstance(inner, Mapping):
            for operator, operand in inner.items():
                if operator not in _OPERATORS:
                    raise _wrong(here, f"unknown operator {operator!r}; there are {', '.join(_OPERATORS)}")
                parts.append(_argument(str(path), operator, operand, here))
        else:
            parts.append(("arg", str(path), "eq", _frozen(inner, here)))
    return all_of(*parts)


def _argument(path: str, operator: str, operand: Any, where: str) -> Predicate:
    if operator == "exists":
        return ("not", ("absent", path)) if _flag(operand, where) else ("absent", path)
    if operator == "matches":
        _pattern(operand, where, 0)
    if operator in ("in", "not_in") and not isinstance(operand, list):
        raise _wrong(where, "expected a list of values")
    if operator == "type" and operand not in _TYPES:
        raise _wrong(where, f"expected one of {', '.join(_TYPES)}, found {operand!r}")
    if operator in ("gt", "ge", "lt", "le") and not (is_number(operand) or isinstance(operand, str)):
        raise _wrong(where, f"expected a number or a text to compare with, found {operand!r}")
    if operator in ("min_length", "max_length") and not is_number(operand):
        raise _wrong(where, f"expected a number of characters or members, found {operand!r}")
    return ("arg", path, operator, _frozen(operand, where))


def _frozen(value: Any, where: str) -> Any:
    """Texts and numbers as they are; others as their JSON text, marked: true and 1 are equal in Python."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return value
    try:
        return ("json", dumps(value, sort_keys=True, default=str))
    except TypeError:
        raise _wrong(where, f"expected names that are texts in a mapping, found {value!r}") from None


def thawed(value: Any) -> Any:
    """The inverse of the freezing above."""
    from json import loads

    return loads(value[1]) if isinstance(value, tuple) else value


# Meaning ------------------------------------------------------------------------------------------


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
        kinds = _TYPES[wanted]
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
        return lambda e: not values_at(e.args, path)
    if tag == "arg":
        test = argument_test(condition[2], condition[3])
        path = condition[1]
        if "." not in path and "*" not in path:
            return lambda e: path in e.args and test(e.args[path])
        return lambda e: any(test(v) for v in values_at(e.args, path))
    if tag == "fits":
        from truespec.rules.schemas import call_fits

        return call_fits
    raise ValueError(f"{tag!r} is no condition of one event alone")


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
