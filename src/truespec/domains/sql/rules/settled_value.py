"""A value that the condition fixes is known without looking at the rows.

Statement. Let every tuple that a bag puts out have the value v(x), where the condition says e(x) = f for some
parts e(x) of v(x), f mentioning nothing that the bag binds; if putting f for e in v leaves no bound variable,
that is the value of every tuple.

Side conditions. The equations are conjuncts of the condition; all terms of the bag give the same expression.

Why. Equals are put for equals, where the condition holds; elsewhere there is no tuple.
"""

from __future__ import annotations

from truespec.domains.sql.ir.bags import Substitution, Term, bound, conjuncts
from truespec.domains.sql.ir.logic import folded
from truespec.domains.sql.ir.symbols import constants, is_eq, operands, substituted
from truespec.domains.sql.ir.values import Val


def of(terms: list[Term]) -> Val | None:
    """The value of the one column that all terms share, free of what they bind; None where none is found."""
    values = [_value(term) for term in terms]
    first = values[0] if values else None
    if first is None:
        return None
    for value in values[1:]:
        if value is None or not (value.null.eq(first.null) and value.val.eq(first.val)):
            return None
    return first


def _value(term: Term) -> Val | None:
    own = bound(term)
    out = term.outs[0]
    substitution: Substitution = []
    for part in conjuncts(term.cond):
        if is_eq(part):
            for side, other in (operands(part), operands(part)[::-1]):
                if constants(side) & own and not constants(other) & own:
                    substitution.append((side, other))
    if substitution:
        out = Val(
            folded(substituted(out.null, *substitution)),
            folded(substituted(out.val, *substitution)),
            out.kind,
        )
    if (constants(out.null) | constants(out.val)) & own:
        return None
    return out
