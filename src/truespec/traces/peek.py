"""The first value of a JSON text of which only the beginning is at hand."""

from __future__ import annotations

import json
import re
from json import JSONDecodeError
from typing import Any

from truespec.untrusted.nesting import DEPTH

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_BRACKET = re.compile(rf'(?:[^"{{}}\[\]]++|{_STRING})*+([{{}}\[\]])')
"""What stands before a bracket outside strings, and the bracket."""
_TOKEN = re.compile(rf'{_STRING}|[,:]|[^\s"{{}}\[\],:]+|"')
"""What stands behind the last bracket."""


def peek(text: str) -> Any:
    """The first JSON value of a text that may be cut off: open lists and objects are closed where it ends.

    >>> peek('{"a": [1, {"b": "c')
    {'a': [1, {}]}
    """
    closing = ""  # what closes all that is open, the innermost first
    cut, expects_value = 0, True
    while found := _BRACKET.match(text, cut):
        what = found[1]
        if not cut and text[: found.end() - 1].strip():
            break  # the first value is no list and no object
        if what in "{[":
            if len(closing) > DEPTH:
                break
            closing = ("}" if what == "{" else "]") + closing
        else:
            if closing[:1] != what:
                break
            closing = closing[1:]
        cut, expects_value = found.end(), what == "["
        if not closing:
            break
    end = cut
    for token in _TOKEN.finditer(text, cut) if closing or not cut else ():
        what = token.group()
        if what == '"' or text[end : token.start()].strip():
            break  # a string that is cut off, or a bracket that was not taken
        end = token.end()
        if what == ":":
            expects_value = True
        elif what == ",":
            expects_value = closing[:1] in ("", "]")
        elif expects_value and end < len(text):
            cut, expects_value = end, False
            if not closing:
                break
    try:
        return json.loads(text[:cut] + closing)
    except JSONDecodeError as error:
        # Damage inside the part that was looked at: what stands before it may do.
        return peek(text[: error.pos]) if 0 < error.pos < cut else None
    except (ValueError, RecursionError):
        return None
