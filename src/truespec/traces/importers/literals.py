"""Values in Python's notation, as exporters write them where no JSON is asked for."""

from __future__ import annotations

import ast
from typing import Any


def literal(text: str) -> Any:
    """The value that a text is Python's notation of; `ValueError` or `SyntaxError` where it is of none.

    Dots that stand for what was left out are Python's `Ellipsis`, but no value: such a text stays a text.
    """
    value = ast.literal_eval(text)
    if "..." in text and _is_elided(value):
        raise ValueError("something is left out")
    return value


def _is_elided(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_elided(one) for pair in value.items() for one in pair)
    return value is ... or (isinstance(value, list | tuple | set) and any(map(_is_elided, value)))
