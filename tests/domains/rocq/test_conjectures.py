"""General equations of two sides: what samples suggest, and what a certificate may hold."""

from __future__ import annotations

import pytest

from truespec.domains.rocq.combining import made_of
from truespec.domains.rocq.recheck import reads_as_law
from truespec.domains.rocq.sides import Side, Variable
from truespec.domains.rocq.terms import read_goal, read_term
from truespec.verdict import SpecificationError

GOAL = """1 goal (ID 8)

  f : forall _ : Z, Z
  l, m : list Z
  ============================
  @eq nat (@length Z (@map Z Z (fun x : Z => f x) l))
    O
"""


def test_a_goal_is_read_with_what_stands_above_it() -> None:
    known, goal = read_goal(GOAL)
    assert known == {"f": "forall _ : Z, Z", "l": "list Z", "m": "list Z"}
    equation = read_term(goal)
    assert equation is not None
    assert (equation.head, [one.text for one in equation.arguments[::2]]) == ("@eq", ["nat", "O"])
    mapped = equation.arguments[1].arguments[1]
    assert [one.text for one in mapped.arguments] == ["Z", "Z", "(fun x : Z => f x)", "l"]


@pytest.mark.parametrize("text", ["f (x", "f x)", "f fun x => x", "", "(S " * 200 + "O" + ")" * 200])
def test_what_is_no_term_is_not_read(text: str) -> None:
    assert read_term(text) is None


def test_a_side_takes_other_arguments_and_other_names() -> None:
    scanned = Variable("Truespec_x0", "(list Z)", "l", False)
    side = Side((("k", "(nat)"),), (scanned,), "(@filter Z (at' k Lib.k) Truespec_x0)", "(list Z)")
    assert side.at(["(tl l)"]) == "(@filter Z (at' k Lib.k) (tl l))"
    renamed = side.under({"k": "Truespec_y0"})
    assert renamed.body == "(@filter Z (at' Truespec_y0 Lib.k) Truespec_x0)"
    assert renamed.parameters() == [("Truespec_y0", "(nat)"), ("Truespec_x0", "(list Z)")]


def test_what_is_carried_is_put_together_with_a_value_of_its_type() -> None:
    carried = Variable("a", "(nat)", "O", True)
    assert {"c", "(a + c)%nat"} <= set(made_of("c", "(nat)", "nat", [carried]))
    assert "(Z.of_nat c)" in set(made_of("c", "nat", "Z", []))
    assert set(made_of("c", "nat", "string", [carried])) == set()


@pytest.mark.parametrize(
    ("law", "reads"),
    [
        ("forall (x : (nat)), (f x) = (if x then 1 else 0)%nat", True),
        ("True); admit", False),
        ("ltac:(exact True)", False),
        ("True. Admitted", False),
    ],
)
def test_a_law_is_one_term_that_runs_no_tactic(law: str, reads: bool) -> None:
    try:
        assert reads_as_law(law) is reads
    except SpecificationError:
        assert not reads
