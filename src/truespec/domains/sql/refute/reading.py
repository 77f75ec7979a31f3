"""What the readers of expressions share: the facts about the symbols that they make."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import z3

from truespec.domains.sql.refute.symbolic import Value, is_true
from truespec.domains.sql.schema import Schema

MAX_COPIES = 2_000
"""The largest group that is proposed."""

Scope = Callable[[str, str], "Value | None"]
"""From an alias (empty for none) and a column to the value; None where there is no such column."""


class Reading(ABC):
    """The reading of one pair."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.facts: list[Any] = []
        """What holds of the symbols that were made."""
        self.atoms: list[Any] = []
        """That a single condition is true, for each that was read."""
        self.copies = z3.Int("copies")
        """The size of every group."""
        self.varied = z3.Bool("varied")
        """Whether the columns in COUNT(DISTINCT ...) differ from copy to copy."""
        self.distinct: set[str] = set()
        """Those columns, by lower-case name."""
        self.facts += [self.copies >= 1, self.copies <= MAX_COPIES]
        self.fresh = itertools.count()
        self._civil_of: dict[int, tuple[Any, Any, Any, Any]] = {}

    @abstractmethod
    def value(self, node: Any, scope: Scope) -> Value:
        """The value of an expression; `Beyond` where it has no reading."""

    def _atom(self, value: Value) -> Value:
        self.atoms.append(is_true(value))
        return value
