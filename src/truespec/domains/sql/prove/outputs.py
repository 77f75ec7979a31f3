"""Whether what two terms put out is the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.existence import fixed_groups
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.kinds import BOOL, DATED, NULL_KIND, NUMBERS, TEXT
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import functions, is_true, operands
from truespec.domains.sql.ir.values import Val, computed, identical
from truespec.domains.sql.ir.world import World


def same_outputs(left: Iterable[Val], right: Iterable[Val]) -> Formula:
    """Rows compared by position; a number and a text, say, are the same where both are NULL."""
    pairs = list(zip(left, right, strict=True))
    return conj(*(identical(a, b) if _comparable(a, b) else conj(a.null, b.null) for a, b in pairs))


def same_quotients(left: Sequence[Val], right: Sequence[Val]) -> Formula | None:
    """A condition under which two terms put out the same: quotients have the same numerators and divisors.

    None where there are no two quotients. Z3 finds equal quotients more easily so.
    """
    pairs = list(zip(left, right, strict=True))
    divided = [bool(z3.is_div(one.val) and z3.is_div(other.val)) for one, other in pairs]
    if not any(divided):
        return None
    plain = [pair for pair, is_quotient in zip(pairs, divided, strict=True) if not is_quotient]
    parts: list[Formula] = [same_outputs([one for one, _ in plain], [other for _, other in plain])]
    for (one, other), is_quotient in zip(pairs, divided, strict=True):
        if is_quotient:
            parts += [one.null == other.null]
            parts += [a == b for a, b in zip(operands(one.val), operands(other.val), strict=True)]
    return conj(*parts)


def said_of(world: World, term: Term, other: Term) -> Formula:
    """Statements about aggregates in the one tuple of another term that may be a tuple with NULLs.

    NULL beside an aggregate says that a bag is empty. What is known of the aggregate, such as the row
    that has the greatest value, is what tells why, and is looked up where the aggregate is spoken of.
    """
    if not any(is_true(mine.null) for mine in term.outs):
        return TRUE
    partner = reduced(world, fixed_groups(world, other))
    if partner.rows or partner.groups:
        return TRUE
    values = [
        out.val
        for out, mine in zip(partner.outs, term.outs, strict=True)
        if is_true(mine.null) and any(name.startswith("agg!") for name in functions(out.val))
    ]
    return conj(*map(said, values))


def said(value: Expr) -> Formula:
    """A statement about a value that says nothing of it: a predicate that may hold of all values."""
    return z3.Function(f"said {value.sort()}", value.sort(), z3.BoolSort())(value)


def alike(one: Val, other: Val) -> bool:
    """Whether two values are written alike."""
    return bool(one.val.eq(other.val) and one.null.eq(other.null))


def _comparable(one: Val, other: Val) -> bool:
    kinds = {computed(one).kind, computed(other).kind}
    return len(kinds) == 1 or NULL_KIND in kinds or kinds <= {*NUMBERS, BOOL} or kinds <= {TEXT, DATED}
