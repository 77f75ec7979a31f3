"""Variables of two terms correspond one to one, or not at all."""

from __future__ import annotations

import z3

from truespec.domains.sql.ir.bags import Bag, Group, Term
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.prove.alignment import alignments


def over(*names: str) -> Term:
    """A term over groups of one whole number each."""
    groups = []
    for name in names:
        value = Val(FALSE, z3.Int(name), INT)
        one = Val(FALSE, z3.IntVal(1), INT)
        groups.append(Group((value,), Bag((Term((), (), TRUE, (one,)),))))
    return Term((), tuple(groups), TRUE, ())


def test_each_group_has_its_partner() -> None:
    assert len(list(alignments(over("a"), over("x")))) == 1
    assert len(list(alignments(over("a", "b"), over("x", "y")))) == 2


def test_terms_over_more_groups_on_either_side_do_not_correspond() -> None:
    assert not list(alignments(over("a", "b"), over("x")))
    assert not list(alignments(over("a"), over("x", "y")))
    assert not list(alignments(over("a"), over()))
