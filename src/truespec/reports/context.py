"""A task's context as rows to read: declarations with what they stand for, constraints, options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from truespec.reports.entry import Entry


@dataclass(frozen=True, slots=True)
class Item:
    """One declaration, constraint or option."""

    code: str
    """What is declared, e.g. `n: int`."""
    meaning: str = ""
    """What it stands for."""


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled part of a context."""

    label: str
    """Its name, e.g. `variables`."""
    items: tuple[Item, ...]
    """What it holds."""
    block: bool = False
    """Whether its single item is a longer text, such as a schema."""


def rows(entry: Entry) -> list[Row]:
    """The parts of the entry's context that hold anything; a part of an unknown shape is shown as JSON."""
    return [row for name, value in entry.context.items() if (row := _row(name, value, entry.meanings)).items]


def _row(name: str, value: object, meanings: Mapping[str, str]) -> Row:
    match value:
        case dict() if name == "variables":
            return Row(
                name,
                tuple(Item(f"{key}: {_kind(sort)}", meanings.get(key, "")) for key, sort in value.items()),
            )
        case dict() if name == "predicates":
            return Row(
                name, tuple(Item(f"{key}/{arity}", meanings.get(key, "")) for key, arity in value.items())
            )
        case list() if name == "constants":
            return Row(name, tuple(Item(str(key), meanings.get(str(key), "")) for key in value))
        case list():
            return Row(name, tuple(Item(_text(one)) for one in value))
        case str() if "\n" in value or len(value) > 60:
            return Row(name, (Item(value),), block=True)
    return Row(name, (Item(_text(value)),))


def _kind(sort: object) -> str:
    return _text(sort.get("type")) if isinstance(sort, Mapping) and set(sort) == {"type"} else _text(sort)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
