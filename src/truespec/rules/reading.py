"""Predicates from the YAML form of rule files, with an error that names the place of every mistake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import dumps
from typing import Any

from truespec.rules.coded_checks import CODED
from truespec.rules.predicate import ALWAYS, NEVER, TYPES, Predicate, all_of, any_of, none_of
from truespec.rules.predicate import conditions as _conditions
from truespec.rules.values import is_number
from truespec.rules.yaml_place import listed
from truespec.verdict import ReasonCode, SpecificationError

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
    "against_result",
    "so_far",
    "elapsed",
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
            raise _wrong(where, f"unknown condition {key!r}{listed(key, _KEYS)}")
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
    for name, fields in _HISTORY.items():
        if name in value:
            parts.append(_history(name, value[name], fields, f"{where}.{name}"))
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
    name, options = (
        (value, {})
        if isinstance(value, str)
        else next(iter(value.items()), ("", {}))
        if isinstance(value, Mapping)
        else ("", {})
    )
    if name not in CODED:
        raise _wrong(where, f"no coded check {name!r}{listed(name, CODED)}")
    if not isinstance(options, Mapping):
        raise _wrong(where, "options are a mapping")
    if name in _HISTORY:
        return _history(name, options, _HISTORY[name], where)
    return ("coded", name, dumps(options, sort_keys=True))


_HISTORY = {
    "against_result": ("arg", "result", "same", "missing"),
    "so_far": ("of", "sum", "same"),
    "elapsed": ("since",),
}
"""The conditions on what came before, with their fields; each takes one comparison besides."""
_COMPARISONS = ("gt", "ge", "lt", "le", "eq", "ne")


def _history(name: str, value: Any, fields: tuple[str, ...], where: str) -> Predicate:
    """A condition of `rules.history`; every field is checked here, so that the check can rely on it."""
    known = f"{', '.join(fields)}, and one of {', '.join(_COMPARISONS)}"
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a mapping with {known}")
    if strange := [key for key in value if key not in (*fields, *_COMPARISONS)]:
        raise _wrong(where, f"unknown field {strange[0]!r}{listed(strange[0], (*fields, *_COMPARISONS))}")
    asked = [key for key in _COMPARISONS if key in value]
    if len(asked) != 1:
        raise _wrong(where, f"expected one comparison of {', '.join(_COMPARISONS)}, found {len(asked)}")
    (operator,) = asked
    texts = ("arg", "result", operator) if name == "against_result" else ("sum",) if "sum" in value else ()
    for key in texts:
        if not isinstance(value.get(key), str):
            raise _wrong(where, f"{key!r} is a text: {_MEANT.get(key, 'the path of a number in the result')}")
    if name != "against_result" and not is_number(value[operator]):
        raise _wrong(where, f"expected a number after {operator!r}, found {value[operator]!r}")
    same = value.get("same", [])
    names = (
        [same] if isinstance(same, str) else [*same, *same.values()] if isinstance(same, Mapping) else same
    )
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise _wrong(f"{where}.same", "expected an argument's name, a list, or a mapping {mine: theirs}")
    if "missing" in value:
        _flag(value["missing"], f"{where}.missing")
    for key in ("of", "since"):
        if key in fields:
            if key not in value:
                raise _wrong(where, f"{key!r} is missing: which events are meant")
            inner = read_predicate(value[key], f"{where}.{key}")
            if any(c[0] in ("coded", "var", "text var") for c in _conditions(inner)):
                raise _wrong(f"{where}.{key}", "bound names and coded checks cannot stand here")
    return ("coded", name, dumps(value, sort_keys=True))


_MEANT = {
    "arg": "the argument of the call",
    "result": "the tool whose result is looked at",
    "sum": "the argument that is added up",
}


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
                    raise _wrong(here, f"unknown operator {operator!r}{listed(operator, _OPERATORS)}")
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
    if operator == "type" and operand not in TYPES:
        raise _wrong(where, f"expected one of {', '.join(TYPES)}, found {operand!r}")
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
