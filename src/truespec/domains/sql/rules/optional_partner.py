"""A left join that finds at most one partner by a key is one case, not two.

Statement. Let the right side be one term whose rows and groups are all determined, given a row x of the left:
its condition is m(x), its outputs are r(x). Then the left join Σ_x φ(x)·[m(x)] (x, r(x)) + Σ_x φ(x)·[¬m(x)]
(x, NULL) is Σ_x φ(x) (x, if m(x) then r(x) else NULL).

Side conditions. After reduction by keys, the right term binds no variable; then the partner exists exactly
where m(x) holds.

Why. The two cases exclude one another and cover all x, and each puts out one tuple.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.logic import disj, neg
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, one: Term, two: Term) -> Term | None:
    """The left join with a term that holds the join's condition; None where there may be many partners."""
    partner = reduced(world, two)
    if partner.rows or partner.groups:
        return None
    found = partner.cond
    # A value means nothing where it is NULL, so the partner's serves throughout.
    outs = tuple(Val(disj(neg(found), out.null), out.val, out.kind) for out in partner.outs)
    return replace(one, outs=one.outs + outs)
