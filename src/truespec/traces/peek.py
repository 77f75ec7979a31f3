"""The first value of a JSON text of which only the beginning is at hand."""

from __future__ import annotations

import json
import re
from json import JSONDecodeError
from typing import Any

from truespec.untrusted.nesting import DEPTH

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|"')


def peek(text: str) -> Any:
    """The first JSON value of a text that may be cut off: open lists and objects are closed where it ends.

    >>> peek('{"a": [1, {"b": "c')
    {'a': [1, {}]}
    """
    stack: list[str] = []
    cut, closers = 0, ""
    expects_value = True
    for token in _TOKEN.finditer(text):
        what = token.group()
        if what == '"':
            break  # a string that is cut off
        if what in "{[":
            if len(stack) > DEPTH:
                break
            stack.append("}" if what == "{" else "]")
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = what == "["
        elif what in "}]":
            if not stack or stack.pop() != what:
                break
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = False
        elif what == ":":
            expects_value = True
        elif what == ",":
            expects_value = not stack or stack[-1] == "]"
        elif expects_value and token.end() < len(text):
            cut, closers = token.end(), "".join(reversed(stack))
            expects_value = False
        if not stack and cut:
            break
    try:
        return json.loads(text[:cut] + closers)
    except JSONDecodeError as error:
        # Damage inside the part that was looked at: what stands before it may do.
        return peek(text[: error.pos]) if 0 < error.pos < cut else None
    except (ValueError, RecursionError):
        return None
