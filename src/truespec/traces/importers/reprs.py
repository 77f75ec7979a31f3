"""Objects that an exporter wrote as Python's `repr`, read without running anything.

`ChatMessage(_role=<Role.USER: 'user'>, _content=[TextContent(text='hi')])` becomes
`{"role": "user", "content": [{"type": "text", "text": "hi"}]}`: fields without their leading underscore, the
class of a part as its type, members of an enumeration as their values.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from truespec.traces.importers.literals import literal

CHARACTERS = 1_000_000
"""Longer texts are not read."""
_START = re.compile(r"[A-Za-z_][\w.]*\(")
_MEMBER = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|<[\w.]+: ('[^'\\]*'|"[^"\\]*"|-?\d+)>""", re.DOTALL
)
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def of_repr(text: str) -> dict[str, Any] | None:
    """The object that the text is the `repr` of, as a mapping; None where it is no such text.

    >>> of_repr("ToolCall(tool_name='look', arguments={'n': 1}, id='c1')")
    {'type': 'tool_call', 'tool_name': 'look', 'arguments': {'n': 1}, 'id': 'c1'}
    """
    text = text.strip()
    if len(text) > CHARACTERS or not text.endswith(")") or not _START.match(text):
        return None
    source = _MEMBER.sub(lambda found: found.group(1) or found.group(), text)
    try:
        made = _value(ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return made if isinstance(made, dict) else None


def of_literal(text: str) -> dict[str, Any] | None:
    """The object that the text is Python's notation of; None where it is none, or JSON.

    >>> of_literal("{'role': 'assistant', 'content': None}")
    {'role': 'assistant', 'content': None}
    """
    text = text.strip()
    if len(text) > CHARACTERS or not text.startswith("{'") or not text.endswith("}"):
        return None
    try:
        made = literal(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return made if isinstance(made, dict) and all(isinstance(key, str) for key in made) else None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=fields):
            made = {field.arg.lstrip("_"): _value(field.value) for field in fields if field.arg}
            return made if name.endswith("Message") else {"type": _type(name), **made}
    raise ValueError("not the repr of a plain object")


def _type(name: str) -> str:
    return _WORD.sub("_", name).lower().removesuffix("_content")
