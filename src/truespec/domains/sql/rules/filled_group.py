"""An aggregate over the rows of a group, or over a frame that holds the current row, is over some row.

Statement. Let G = {k(r) : r ∈ B}. For each g ∈ G, an aggregate that is NULL just where {r ∈ B : k(r) = g} is
empty is not NULL. Nor is one over a frame of a window that the current row lies in.

Side conditions. The aggregate stands above its own group, so that g ranges over G alone. That its flag says
`no such row`, and means the rows of the group, is seen from the form: the flag negates what makes g a tuple
of G. An aggregate of a column that may be NULL, or over some of the rows, has another flag.

Why. Each g ∈ G is k(r) for some r ∈ B; a row is no farther from itself than any frame reaches. A group by
such an aggregate has no NULL, and needs no flag for it.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import conjuncts
from truespec.domains.sql.ir.logic import FALSE, Formula
from truespec.domains.sql.ir.symbols import is_not
from truespec.domains.sql.ir.values import Val


def of(value: Val, member: Formula) -> Val:
    """The aggregate's value; `member` says that the group, or the frame, has a row, which it has."""
    if is_not(value.null) and any(value.null.arg(0).eq(part) for part in conjuncts(member)):
        return replace(value, null=FALSE)
    return value
