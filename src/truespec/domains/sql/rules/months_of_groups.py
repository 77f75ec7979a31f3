"""A group by the beginning of a month is one by the number of the month.

Statement. Σ_{g ∈ {begin(m) : ...}} φ(g) = Σ_{k ∈ {m : ...}} φ(begin(k)), and so for the first moments of
such days.

Side conditions. Each term of the group's bag puts out the beginning of a month by its form, and never NULL.
The rule is used in the reading by months alone (`World.by_months`).

Why. Each month has one beginning and begins but once, so that g = begin(k) is a correspondence of the
choices, one to one. A calendar meets rows by the number of their month then, whichever way they are joined.
"""

from __future__ import annotations

from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import Bag, Group, Substitution, Term, substitute_term
from truespec.domains.sql.ir.dates import day_within, moment
from truespec.domains.sql.ir.day_parts import begin_of_month, month_begun
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT
from truespec.domains.sql.ir.logic import FALSE, Expr
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World


def apply(world: World, term: Term) -> Term:
    """The term with its groups by beginnings of months as groups by months."""
    if not world.by_months:
        return term
    groups: list[Group] = []
    substitution: Substitution = []
    for group in term.groups:
        for place, value in enumerate(group.values):
            months = _months(group, place)
            if months is None:
                continue
            number = Val(FALSE, world.fresh(z3.IntSort(), "group"), INT)
            first = Val(FALSE, begin_of_month(number.val), DATE)
            made = moment(first) if value.kind == DATETIME else first
            substitution.append((value.val, made.val))
            parts = zip(group.body.terms, months, strict=True)
            body = Bag(tuple(_putting_out(part, place, month) for part, month in parts))
            group = Group((*group.values[:place], number, *group.values[place + 1 :]), body)
        groups.append(group)
    if not substitution:
        return term
    return replace(substitute_term(replace(term, groups=()), substitution), groups=tuple(groups))


def _months(group: Group, place: int) -> list[Expr] | None:
    """The months that a column of a group's bag begins, term by term; None for another column."""
    outs = [part.outs[place] for part in group.body.terms]
    if group.values[place].kind not in (DATE, DATETIME) or not outs:
        return None
    found = [_month(out) for out in outs]
    months = [month for month in found if month is not None]
    return months if len(months) == len(outs) else None


def _month(value: Val) -> Expr | None:
    if not is_false(value.null):
        return None
    day = day_within(value) if value.kind == DATETIME else value
    return None if day is None else month_begun(day.val)


def _putting_out(part: Term, place: int, month: Expr) -> Term:
    outs = (*part.outs[:place], Val(FALSE, month, INT), *part.outs[place + 1 :])
    return replace(part, outs=outs)
