"""What two queries are read against: the schema, how results compare, the session's settings."""

from __future__ import annotations

from dataclasses import dataclass

from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import Schema

ORDERS = ("auto", "bag", "list")
"""How results compare: `list` and `auto` as lists where both queries order at the top level."""


@dataclass(frozen=True, slots=True)
class Context:
    """What both queries are read against."""

    schema: Schema
    """The tables and their constraints."""
    order: str
    """One of `ORDERS`."""
    settings: Settings
    """Session settings."""
