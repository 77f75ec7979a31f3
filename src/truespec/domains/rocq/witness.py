"""Values of the refuter: from Rocq's syntax, as `Show` of `Sample.v` writes it, to JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass

from truespec.domains.rocq.functions import function_to_json
from truespec.domains.rocq.pair import PREAMBLE
from truespec.verdict import JSON

_PIECE = re.compile(r"\(|\)|\(-|-?[0-9]+|@?[^\W\d][\w.']*|%[A-Za-z]+|-")
_SAFE = 2**53


def to_json(shown: str) -> JSON:
    """The JSON of a shown value: integers, Booleans, strings, lists; `None` is null and `Some x` is `[x]`.

    A constructor of a type that the texts declare is its name, or `{name: [its arguments]}`.
    """
    if shown.startswith("(fun "):
        return function_to_json(shown, to_json)
    if "(fun " in shown:
        return {"term": shown}
    pieces = [piece for piece in _PIECE.findall(shown) if piece != "_" and not piece.startswith("%")]
    stack: list[list[object]] = [[]]
    for piece in pieces:
        if piece in ("(", "(-"):
            stack.append([_MINUS] if piece == "(-" else [])
        elif piece == ")":
            done = stack.pop()
            stack[-1].append(_apply(done))
        elif re.fullmatch(r"-?[0-9]+", piece):
            stack[-1].append(int(piece))
        else:
            stack[-1].append(
                _Name(piece.removeprefix("@").removeprefix(f"{PREAMBLE}.")) if piece != "-" else _MINUS
            )
    return _jsonable(_apply(stack[0]))


class _Name(str):
    __slots__ = ()


class _Some:
    def __init__(self, value: object) -> None:
        self.value = value


@dataclass(frozen=True, slots=True)
class _Built:
    name: str
    values: tuple[object, ...]


_ABSENT = object()
_MINUS = object()
"""The sign of a number; the text `-` is another thing."""
_CONSTANTS = {
    "true": True,
    "false": False,
    "nil": (),
    "tt": (),
    "None": _ABSENT,
    "Coq.Strings.String.EmptyString": "",
}


def _apply(parts: list[object]) -> object:
    head, *arguments = parts
    if head is _MINUS:
        value = _value(arguments[0])
        assert isinstance(value, int)
        return -value
    if not isinstance(head, _Name):
        return head
    values = [_value(argument) for argument in arguments]
    match str(head), values:
        case "cons", [first, tuple(rest)]:
            return (first, *rest)
        case "pair", [first, second]:
            return (first, second)
        case "Some", [value]:
            return _Some(value)
        case "Coq.Strings.Ascii.ascii_of_nat", [int(code)]:
            return chr(code)
        case "Coq.Strings.String.String", [str(first), str(rest)]:
            return first + rest
        case ("inl" | "inr") as side, [value]:
            return (side, value)
    return _Built(str(head), tuple(values)) if values else _value(head)


def _value(part: object) -> object:
    if isinstance(part, _Name):
        return _CONSTANTS.get(str(part), str(part))
    return part


def _jsonable(value: object) -> JSON:
    if value is _ABSENT:
        return None
    if isinstance(value, _Some):
        return [_jsonable(value.value)]
    if isinstance(value, _Built):
        return {value.name: [_jsonable(item) for item in value.values]}
    if isinstance(value, tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, bool | str):
        return value
    assert isinstance(value, int)
    return value if abs(value) < _SAFE else str(value)
