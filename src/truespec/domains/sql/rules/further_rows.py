"""Rows that other rows determine make a bag no larger.

Statement. Let L = Σ_x φ(x)·[t = k(x)] and R = Σ_y,z ψ(y, z)·[t = l(y, z)], where x and y are rows of the same
tables and z are further rows. Where Σ_x φ(x)·[t = k(x)]·[u = x] = Σ_y,z ψ(y, z)·[t = l(y, z)]·[u = y] as bags
of pairs (t, u), L = R.

Side conditions. Either side is one term over rows alone. The pairs are compared as sets without duplicates,
so that it is proved that ψ leaves at most one z to each y.

Why. Forgetting u is a function of the pairs, and makes equal bags of equal bags. The case that matters: LAG
beside a join with the one row that LIMIT 1 keeps, where the rows are grouped or counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.kinds import Sealed
from truespec.domains.sql.ir.logic import FALSE, Expr
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.schema import Table

MAX_WAYS = 3
"""In no more ways are rows of one side taken for rows of the other."""


def of(left: Sequence[Term], right: Sequence[Term]) -> Iterator[tuple[list[Term], list[Term]]]:
    """Both sides with rows of the same tables put out too, in each way in which they may be the same rows."""
    if len(left) != 1 or len(right) != 1 or any(term.groups or not term.rows for term in (*left, *right)):
        return
    (fewer,), (more,) = sorted((left, right), key=lambda side: len(side[0].rows))
    if len(fewer.rows) == len(more.rows):
        return
    same = [[row for row, there in more.rows if there.name == table.name] for _, table in fewer.rows]
    apart = (way for way in itertools.product(*same) if len({row.get_id() for row in way}) == len(way))
    for way in itertools.islice(apart, MAX_WAYS):
        pairs = list(zip(fewer.rows, way, strict=True))
        mine = tuple(_shown(row, table) for (row, table), _ in pairs)
        yours = tuple(_shown(row, table) for (_, table), row in pairs)
        yield [replace(fewer, outs=fewer.outs + mine)], [replace(more, outs=more.outs + yours)]


def _shown(row: Expr, table: Table) -> Val:
    """A row as something that is put out."""
    return Val(FALSE, row, Sealed(f"sealed:row of {table.name}"))
