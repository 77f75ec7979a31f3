"""Counterexamples in words and shapes."""

from __future__ import annotations

import pytest

from truespec.reports.point import Assignment, Fields, StringPoint, World, in_words, point
from truespec.verdict import JSON, Counterexample


def found(at: dict[str, JSON], oracle: JSON = True, candidate: JSON = False) -> Counterexample:
    return Counterexample(at, oracle, candidate, "a replay")


WORLD: dict[str, JSON] = {
    "domain": ["e1", "e2"],
    "constants": {"anna": "e1", "ben": "e1"},
    "predicates": {"Tall": [], "Likes": [["e1", "e2"]], "Rains": [[]]},
}


@pytest.mark.parametrize(
    ("domain", "at", "words"),
    [
        ("regex", found({"string": ""}), "the oracle matches the empty string, the candidate does not"),
        (
            "regex",
            found({"string": "a\n "}, False, True),
            "the candidate matches “a\\n␣”, the oracle does not",
        ),
        (
            "arith",
            found({"h": 0, "k": "1/2"}, 23, -1),
            "at h = 0, k = 1/2 the oracle is 23, the candidate -1",
        ),
        (
            "arith",
            found({"k": 0}, None, "0"),
            "at k = 0 the oracle is undefined, the candidate 0",
        ),
        (
            "fol",
            found(WORLD),
            "with 2 things, e1, e2, where anna = e1, ben = e1, Likes(e1, e2), Rains: "
            "the oracle is true, the candidate false",
        ),
        (
            "temporal",
            found({"trace": [["b", "a"], []]}),
            "on {a,b} {} the oracle is true, the candidate false",
        ),
        (
            "temporal",
            found({"stem": [], "loop": [["a"]]}),
            "on ({a})^w the oracle is true, the candidate false",
        ),
        ("temporal", found({"x": 1}), "at x = 1 the oracle is true, the candidate false"),
        ("fol", found({"x": 1}), "at x = 1 the oracle is true, the candidate false"),
        (
            "sql",
            found({"t": [[1, None]]}, [[1]], []),
            "at t = [[1, null]] the oracle is [[1]], the candidate []",
        ),
        (
            "sql",
            found({"tables": {"t": [[1, None], [2, "b"]], "u": []}, "script": "CREATE ..."}, [[1]], []),
            "with t: (1, NULL) (2, 'b'), u: no row; the oracle gives (1), the candidate no row",
        ),
    ],
)
def test_words(domain: str, at: Counterexample, words: str) -> None:
    assert in_words(domain, at) == words


def test_shapes() -> None:
    assert isinstance(point("regex", found({"string": "a"})), StringPoint)
    assert isinstance(point("arith", found({"x": 1})), Assignment)
    assert isinstance(point("fol", found(WORLD)), World)
    assert isinstance(point("regex", found({"text": "a"})), Fields)
    assert isinstance(point("fol", found({"domain": ["e1"], "predicates": {"P": 3}})), Fields)


def test_an_empty_predicate_has_the_shape_of_its_arity() -> None:
    world = point("fol", found(WORLD), {"predicates": {"Tall": 1, "Likes": 2, "Rains": 0}})
    assert isinstance(world, World)
    assert world.unary == (("Tall", (False, False)),)
    assert [relation.name for relation in world.binary] == ["Likes"]
    assert world.other == (("Rains", "true"),)
