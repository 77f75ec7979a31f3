"""The difference of two counts, of a whole and of its part, counts the rest.

Statement. Where B(x) implies A(x), COUNT[A] - COUNT[B] = COUNT[A ∧ ¬B].

Side conditions. The value is a sum of two counts, one of them less, and of a constant. It is read for a row,
whose condition may be used to prove the implication; so it is the same for that row alone.

Why. Each choice of A has B or has it not. What matters are runs by the difference of two row numbers, one of
which numbers the rows of a kind alone: of a row of that kind it is the number of other rows before it.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import TRUE
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules.whole_and_parts import rest_of


def of(aggregates: Aggregates, term: Term, value: Val) -> Val:
    """The value in the row of a term, as a count of the rest where it is such a difference."""
    if value.kind != INT:
        return value
    found = aggregates.applied(Term((), (), TRUE, (Val(TRUE, value.val, INT),))).items()
    if len(found) != 2 or any(symbol.function != "COUNT" for _, (symbol, _) in found):
        return value
    one, other = (symbol.apply(arguments) for _, (symbol, arguments) in found)
    for whole, part in ((one, other), (other, one)):
        constant = z3.simplify(value.val - whole + part)
        if z3.is_int_value(constant):
            rest = rest_of(aggregates, whole, part, term.cond)
            if rest is not None:
                return replace(value, val=rest + constant)
    return value
