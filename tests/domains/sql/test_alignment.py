"""Variables of two terms correspond one to one, or not at all; parameters of two bags by what they do."""

from __future__ import annotations

from typing import Any

import z3

from truespec.domains.sql.aggregates.candidates import matched, roles, unrelated
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.bags import Bag, Group, Term
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.prove.alignment import alignments, exclusive_terms
from truespec.domains.sql.schema import read_schema
from truespec.solvers.limit import Limit

(TABLE,) = read_schema("CREATE TABLE t (who INT, day INT)").tables


def row_sort() -> Any:
    """The sort of the table's rows: nothing is kept, so that no other test's context holds it."""
    return z3.DeclareSort("Row_t")


def who(row: Any) -> Any:
    return z3.Function("column t.who", row_sort(), z3.IntSort())(row)


def day(row: Any) -> Any:
    return z3.Function("column t.day", row_sort(), z3.IntSort())(row)


def rows(name: str, condition: Any, *outs: Any) -> Bag:
    """One term over rows of the table, its condition and outputs given the row."""
    row = z3.Const(name, row_sort())
    values = tuple(Val(FALSE, out(row), INT) for out in outs)
    return Bag((Term(((row, TABLE),), (), condition(row), values),))


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


def test_parameters_keep_to_what_they_are_compared_with() -> None:
    a, b, x, y = z3.Ints("a b x y")
    left = rows("r!1", lambda r: z3.And(who(r) == a, day(r) < b))
    right = rows("r!2", lambda r: z3.And(day(r) < x, who(r) == y))
    ways = matched((a, b), (x, y), roles(left, (a, b)), roles(right, (x, y)))
    assert [order for order, _ in ways] == [(1, 0)]


def test_parameters_of_one_role_are_tried_in_each_order() -> None:
    a, b, x, y = z3.Ints("a b x y")
    left = rows("r!1", lambda r: z3.And(a < day(r), day(r) < b))
    right = rows("r!2", lambda r: z3.And(x < day(r), day(r) < y))
    ways = matched((a, b), (x, y), roles(left, (a, b)), roles(right, (x, y)))
    assert [order for order, _ in ways] == [(0, 1), (1, 0)]


def test_parameters_that_have_no_role_in_common_are_tried_all_the_same() -> None:
    a, x = z3.Ints("a x")
    left, right = rows("r!1", lambda r: who(r) == a), rows("r!2", lambda r: day(r) == x)
    assert list(matched((a,), (x,), roles(left, (a,)), roles(right, (x,))))


def test_a_free_column_is_related_to_what_holds_it_alone() -> None:
    def some(row: Any) -> Any:
        return who(row) == 1

    assert unrelated(rows("r!1", some, day), rows("r!2", some, who))
    assert not unrelated(rows("r!1", some, day), rows("r!2", some, day))
    assert not unrelated(rows("r!1", some, day), rows("r!2", lambda r: who(r) == day(r), who))


def test_groups_by_different_aggregates_are_not_compared() -> None:
    key, other = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("agg!1", "agg!2"))
    group = z3.Int("arg!1")
    left = rows("r!1", lambda r: group == day(r) - key(day(r)))
    right = rows("r!2", lambda r: group == other(day(r)))
    assert unrelated(left, right, {"agg!1", "agg!2"})
    assert not unrelated(left, left, {"agg!1", "agg!2"})
    assert unrelated(left, rows("r!2", lambda r: day(r) < group), {"agg!1", "agg!2"})
    assert not unrelated(left, rows("r!2", lambda r: key(group) < day(r)), {"agg!1", "agg!2"})


def test_terms_exclude_one_another_where_one_denies_what_the_other_asks() -> None:
    world = World(read_schema("CREATE TABLE t (who INT, day INT)", "duckdb"), Settings(), Limit.start(60))

    def later(row: Any) -> Any:
        other = z3.Const("row.t@0.0", row_sort())
        return z3.Exists([other], z3.And(who(other) == who(row), day(row) < day(other)))

    def later_too(row: Any) -> Any:
        other = z3.Const("row.t@0.0", row_sort())
        return z3.Exists([other], z3.And(who(row) == who(other), day(row) < day(other)))

    (last,) = rows("r!1", lambda r: z3.Not(later(r))).terms
    (before,) = rows("r!2", later_too).terms
    assert exclusive_terms(world, last, before)
    assert exclusive_terms(world, before, last)
    assert not exclusive_terms(world, last, last)


def test_terms_exclude_one_another_where_their_numbers_do() -> None:
    world = World(read_schema("CREATE TABLE t (who INT, day INT)", "duckdb"), Settings(), Limit.start(60))
    (low,) = rows("r!1", lambda r: day(r) < 3).terms
    (high,) = rows("r!2", lambda r: day(r) > 4).terms
    (more,) = rows("r!3", lambda r: day(r) > 1).terms
    assert exclusive_terms(world, low, high)
    assert not exclusive_terms(world, low, more)
    twice = [
        Term((*one.rows, *other.rows), (), conj(one.cond, other.cond), ())
        for one, other in ((low, high), (rows("r!4", lambda r: day(r) > 4).terms[0], low))
    ]
    assert not exclusive_terms(world, *twice)  # a pair of rows is one of either, whichever is named first
