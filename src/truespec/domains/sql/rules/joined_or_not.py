"""What is put out whether or not something matches is put out.

Statement. As sets, {e(x) : x, y, φ(x), m(x, y)} ∪ {e(x) : x, φ(x), ¬∃y m(x, y)} = {e(x) : x, φ(x)}.

Side conditions. The rows and groups x of the second term are among those of the first one, by name; both put
out the same expressions, which do not mention y. One conjunct of the second term's condition is that no y
matches, in the form in which `exists` states it for the rest of the first one's condition; the others are
those of the first term that do not mention y.

Why. For each x with φ(x) there is a y that matches or there is none. So GROUP BY over the left side of a left
join ranges over the left side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from truespec.domains.sql.ir.bags import Bag, Group, Term, bound, conjuncts, mentioned
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.logic import Formula, conj, neg
from truespec.domains.sql.ir.symbols import constants, is_not
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def of(world: World, bag: Bag) -> Bag:
    """A bag of the same tuples, however often, with such terms as one."""
    terms = list(bag.terms)
    for alone in bag.terms:
        parts = conjuncts(alone.cond)
        if not any(map(is_not, parts)):
            continue
        for joined in bag.terms:
            kept = _kept(world, joined, alone, parts)
            if kept is not None and joined in terms and alone in terms:
                terms[terms.index(joined)] = replace(alone, cond=conj(*kept))
                terms.remove(alone)
    return bag if len(terms) == len(bag.terms) else Bag(tuple(terms))


def _kept(world: World, joined: Term, alone: Term, parts: Sequence[Formula]) -> list[Formula] | None:
    """What holds of both terms' own rows; None where the terms are not of this form."""
    own = {row.get_id() for row, _ in alone.rows}
    rows = [pair for pair in joined.rows if pair[0].get_id() not in own]
    groups = [group for group in joined.groups if not any(_one(group, other) for other in alone.groups)]
    beside = len(joined.rows) - len(alone.rows), len(joined.groups) - len(alone.groups)
    if beside != (len(rows), len(groups)) or beside == (0, 0):
        return None
    matched = Term(tuple(rows), tuple(groups), joined.cond, ())
    names = bound(matched)
    if mentioned(joined.outs) & names or not _equal(joined.outs, alone.outs):
        return None
    match = [part for part in conjuncts(joined.cond) if constants(part) & names]
    kept = [part for part in conjuncts(joined.cond) if not constants(part) & names]
    none = neg(exists(world, Bag((replace(matched, cond=conj(*match)),))))
    rest = [part for part in parts if not part.eq(none)]
    if len(rest) == len(parts) or {p.get_id() for p in rest} != {p.get_id() for p in kept}:
        return None
    return kept


def _one(group: Group, other: Group) -> bool:
    """Whether two groups are one: the same variables over the same tuples, as they are written."""
    if not _equal(group.values, other.values) or len(group.body.terms) != len(other.body.terms):
        return False
    return all(
        not one.groups
        and not two.groups
        and [row.get_id() for row, _ in one.rows] == [row.get_id() for row, _ in two.rows]
        and one.cond.eq(two.cond)
        and _equal(one.outs, two.outs)
        for one, two in zip(group.body.terms, other.body.terms, strict=True)
    )


def _equal(some: tuple[Val, ...], others: tuple[Val, ...]) -> bool:
    """Whether values are the same expressions."""
    if len(some) != len(others):
        return False
    pairs = zip(some, others, strict=True)
    return all(a.null.eq(b.null) and a.val.eq(b.val) and a.kind == b.kind for a, b in pairs)
