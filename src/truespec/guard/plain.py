"""Arguments as plain JSON values, in a copy of their own: what is checked is what is run."""

from __future__ import annotations

import datetime
import decimal
import enum
import math
import uuid
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import PurePath
from typing import Any

MOST_DIGITS = 300
"""Digits of a number; longer ones are refused."""
MOST_BITS = 1000
"""The same in bits."""
MOST_LEVELS = 100
"""Levels of nesting; deeper arguments are refused."""


def plain(value: Any, place: str = "arguments", level: int = 0) -> Any:
    """A copy of a value with JSON's types alone; `ValueError` names what is none.

    Subclasses become the base type, models of pydantic and dataclasses become objects, dates and paths texts.
    """
    if level > MOST_LEVELS:
        raise ValueError(f"{place[:60]}…: more than {MOST_LEVELS} levels of nesting")
    if value is None or value is True or value is False:
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, place, level)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > MOST_BITS:
            raise ValueError(f"{place}: a number of more than {MOST_DIGITS} digits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{place}: {value} is no JSON value")
        return float(value)
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"{place}: {value} is no JSON value")
        if abs(value.adjusted()) > MOST_DIGITS:
            raise ValueError(f"{place}: a number of more than {MOST_DIGITS} digits")
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        made = {}
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"{place}: the name {key!r:.60} is no text")
            made[str.__str__(key)] = plain(value[key], f"{place}.{key:.40}", level + 1)
        return made
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner, f"{place}[{n}]", level + 1) for n, inner in enumerate(value)]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, uuid.UUID | PurePath):
        return str(value)
    if callable(dump := getattr(value, "model_dump", None)):
        return plain(dump(mode="json"), place, level)
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value), place, level)
    raise ValueError(f"{place}: {type(value).__name__} is no JSON value")
