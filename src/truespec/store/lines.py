"""JSON Lines as we write them."""

from __future__ import annotations

import json
from collections.abc import Mapping


def to_line(record: Mapping[str, object]) -> str:
    """One record as one line, readable Unicode unless the record holds code points UTF-8 cannot write."""
    text = json.dumps(record, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates
        text = json.dumps(record, ensure_ascii=True)
    return text + "\n"


def split_lines(text: str) -> list[str]:
    """The lines of a JSON Lines text. `str.splitlines` would also split at U+2028 inside a string.

    >>> split_lines('"a\\u2028b"\\n1\\n')
    ['"a\\u2028b"', '1']
    """
    return text.removesuffix("\n").split("\n") if text else []
