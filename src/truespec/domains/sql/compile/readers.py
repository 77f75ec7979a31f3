"""The type of the functions that read expressions, and the tables in which they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.values import Val

Readers = dict[type[exp.Expression], Callable[[Reader, Any, Scope], Val]]
"""For a type of syntax node, exactly, the function that reads it."""
COMPARISONS: dict[type, str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
"""Comparisons by their operators."""
COMPARED = (*COMPARISONS, exp.NullSafeEQ, exp.NullSafeNEQ, exp.In, exp.Between, exp.Is)
"""Nodes that compare their operands and do nothing else with them."""
