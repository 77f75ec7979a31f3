"""Whether what two terms put out is the same."""

from __future__ import annotations

from collections.abc import Iterable

import z3

from truespec.domains.sql.ir.kinds import BOOL, DATED, NULL_KIND, NUMBERS, TEXT
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.values import Val, computed, identical


def same_outputs(left: Iterable[Val], right: Iterable[Val]) -> Formula:
    """Rows compared by position; a number and a text, say, are the same where both are NULL."""
    pairs = list(zip(left, right, strict=True))
    return conj(*(identical(a, b) if _comparable(a, b) else conj(a.null, b.null) for a, b in pairs))


def said(value: Expr) -> Formula:
    """A statement about a value that says nothing of it: a predicate that may hold of all values."""
    return z3.Function(f"said {value.sort()}", value.sort(), z3.BoolSort())(value)


def alike(one: Val, other: Val) -> bool:
    """Whether two values are written alike."""
    return bool(one.val.eq(other.val) and one.null.eq(other.null))


def _comparable(one: Val, other: Val) -> bool:
    kinds = {computed(one).kind, computed(other).kind}
    return len(kinds) == 1 or NULL_KIND in kinds or kinds <= {*NUMBERS, BOOL} or kinds <= {TEXT, DATED}
