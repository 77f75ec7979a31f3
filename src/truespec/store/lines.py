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
