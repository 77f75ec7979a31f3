"""A count of choices that exclude themselves is 0.

Statement. COUNT[φ(x)] = 0 and Σ[φ(x)] v(x) = 0 where φ holds of no choice.

Side conditions. φ has a conjunct and its negation among its conjuncts; or it is proved from the schema that
it holds of no choice. The proof is sought where φ says of two values of one row that they are the same third
one: a join by either of two columns is split into cases, which a CHECK may keep apart.

Why. The bag has no choice.
"""

from __future__ import annotations

from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import Formula
from truespec.domains.sql.ir.symbols import constants, is_eq, is_not, operands
from truespec.domains.sql.ir.world import World

SHARE = 4
"""That a term is empty is seen with this part of the effort, or not at all."""


def of(world: World, term: Term) -> bool:
    """Whether a term is seen to have no choice."""
    parts = conjuncts(term.cond)
    said = {part.get_id() for part in parts}
    if any(is_not(part) and part.arg(0).get_id() in said for part in parts):
        return True
    return _is_told_twice(parts) and world.impossible(condition(world, term), SHARE)


def _is_told_twice(parts: tuple[Formula, ...]) -> bool:
    """Whether two values of one row are the same third one."""
    found: set[tuple[int, frozenset[str]]] = set()
    for part in parts:
        for one, other in (operands(part), operands(part)[::-1]) if is_eq(part) else ():
            own = frozenset(constants(other))
            if len(own) != 1 or own <= constants(one) or not other.num_args():
                continue
            if (one.get_id(), own) in found:
                return True
            found.add((one.get_id(), own))
    return False
