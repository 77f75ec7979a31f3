"""Rows that tie in a window: an order of all rows says how it sorts them, and a proof holds for each order.

Statement. Let a query read one window whose rows may tie where their order matters, once. Its results are
those that it has with ties sorted by r, where r maps the rows, one to one, to numbers, for all such r. So
two queries that are equal for every r, the same in both, have the same results.

Side conditions. The window is that of LAG or LEAD, or its frame one of ROWS: no other looks at which rows
tie. r is a function of the rows of the tables that the window's term ranges over; the term has no groups.
The window stands in no subquery that may be evaluated more than once and in no recursion, and no other
window of its query is read so. A query that is read so is not called determined; where no proof is found,
that rows may tie is the reason. That r is one to one is all that is known of it.

Why. What an engine does with the ties of a window is to put the rows of each in some order. Ties have no
row in common, so that some order of all rows goes along with all of these; and what an order of all rows
makes of each tie is something that an engine may do. Where each r gives both queries one result, the
results are as many and the same. What matters are the neighbours of rows by a time that two may share,
looked at by both queries alike.
"""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.aggregates import Aggregates, Ties
from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj
from truespec.domains.sql.ir.values import Val

PREFIX = "order!"
"""How the names of such functions begin."""


def place(aggregates: Aggregates, term: Term) -> tuple[Val, ...] | None:
    """The number r of a term's choice, as a sort key; None where the rule does not apply."""
    rows = [row for row, _ in term.rows]
    if not rows or term.groups:
        return None
    sorts = [row.sort() for row in rows]
    function = z3.Function(PREFIX + " ".join(map(str, sorts)), *sorts, z3.IntSort())
    if function.name() not in aggregates.ties:
        own = [z3.Const(f"row in order {number}", sort) for number, sort in enumerate(sorts)]
        at = function(*own)
        back = [
            z3.Function(f"{function.name()} back {number}", z3.IntSort(), sort)(at) == row
            for number, (row, sort) in enumerate(zip(own, sorts, strict=True))
        ]
        fact = z3.ForAll(own, conj(*back), patterns=[at])
        aggregates.ties[function.name()] = Ties(tuple(own), tuple(own), TRUE, (fact,))
    return (Val(FALSE, function(*rows), INT),)
