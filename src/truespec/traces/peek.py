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
    closing = ""  # what closes all that is open, the innermost first
    cut, closers = 0, ""
    expects_value = True
    for token in _TOKEN.finditer(text):
        what = token.group()
        if what == '"':
            break  # a string that is cut off
        if what in "{[":
            if len(closing) > DEPTH:
                break
            closing = ("}" if what == "{" else "]") + closing
            cut, closers = token.end(), closing
            expects_value = what == "["
        elif what in "}]":
            if closing[:1] != what:
                break
            closing = closing[1:]
            cut, closers = token.end(), closing
            expects_value = False
        elif what == ":":
            expects_value = True
        elif what == ",":
            expects_value = closing[:1] in ("", "]")
        elif expects_value and token.end() < len(text):
            cut, closers = token.end(), closing
            expects_value = False
        if not closing and cut:
            break
    try:
        return json.loads(text[:cut] + closers)
    except JSONDecodeError as error:
        # Damage inside the part that was looked at: what stands before it may do.
        return peek(text[: error.pos]) if 0 < error.pos < cut else None
    except (ValueError, RecursionError):
        return None
