"""The comparison against exhaustive words and the textbook semantics, and its certificates against
tampering."""

from __future__ import annotations

import copy
import random
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from temporal.temporal_formulas import draw
from truespec.solvers.limit import Limit
from truespec.temporal import compare, holds, model, pool_of
from truespec.temporal.certificate import certify
from truespec.temporal.follow import Mismatch, follow
from truespec.temporal.pool import Pool
from truespec.temporal.search import FiniteSearch, InfiniteSearch
from truespec.temporal.syntax import TRUE, Formula, atom, negation, write
from truespec.temporal.words import Word, separate
from truespec.verdict import Undecided

LIMIT = 20.0


def limit() -> Limit:
    return Limit.start(LIMIT)


def letters(*words: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(word) for word in words)


@pytest.mark.parametrize("finite", [True, False])
@pytest.mark.parametrize("past", [True, False])
def test_all_routes_agree_with_each_other_and_with_the_definition(finite: bool, past: bool) -> None:
    chance = random.Random(f"routes {finite} {past}")
    for _ in range(400):
        names = "ab"[: chance.choice([1, 2, 2])]
        left, right = (draw(chance, chance.randint(1, 9), names, finite, past) for _ in range(2))
        told = f"{write(left)}   {write(right)}"
        pool = pool_of(tuple(names), finite)
        a, b = pool.add(left), pool.add(right)
        short = separate(pool, a, b, lambda: None, bits=10)
        found = []
        for tops, shown in (((a, b ^ 1), short.left), ((a ^ 1, b), short.right)):
            word = search(pool, tops, finite)
            found.append(word)
            for one in (word, shown):
                if one is not None:
                    values = holds(left, one), holds(right, one)
                    assert values == (tops[0] == a, tops[0] != a), (told, str(one))
            assert word is not None or shown is None, told
            if finite and word and shown:
                assert len(word.letters) == len(shown.letters), told
        outcome = compare(pool, left, right, TRUE, limit())
        assert (outcome.word is None) is (found == [None, None]), told
        for only, word in zip((outcome.only_left, outcome.only_right), found, strict=True):
            assert only is (word is not None), told


def search(pool: Pool, tops: tuple[int, int], finite: bool) -> Word | None:
    if not finite:
        return InfiniteSearch(pool, tops, lambda: None).run()
    one = FiniteSearch(pool, tops, lambda: None)
    while one.frontier:
        word = one.advance()
        if word is not None:
            return word
    return None


def test_the_lasso_is_a_shortest_one_where_enumeration_ends() -> None:
    names = tuple("abcd")
    pool = pool_of(names, finite=False)
    # a holds at every fifth position and at no other; four atoms make too many words of that length.
    rest = atom("a")
    for _ in range(4):
        rest = Formula("&", (negation(atom("a")), Formula("X", (rest,))))
    every_fifth = Formula("G", (Formula("->", (atom("a"), Formula("X", (rest,)))),))
    some = Formula("G", (Formula("|", tuple(atom(name) for name in "bcd")),))
    conjunction = Formula("&", (atom("a"), every_fifth, some))
    outcome = compare(pool, conjunction, Formula("false"), TRUE, limit())
    assert outcome.method == "automaton"
    assert outcome.word
    assert outcome.shortest
    assert len(outcome.word.letters) == 5


def test_derivatives_alone_do_not_decide_infinite_words() -> None:
    pool = pool_of(("a",), finite=False)
    outcome = compare(pool, Formula("F", (atom("a"),)), TRUE, TRUE, limit())
    assert str(outcome.word) == "({})^w"


def test_contradictory_scopes_are_seen() -> None:
    for finite in (True, False):
        pool = pool_of(("a",), finite)
        both = Formula("&", (Formula("F", (atom("a"),)), Formula("G", (negation(atom("a")),))))
        assert model(pool, both, limit()) is None
        word = model(pool, both.items[0], limit())
        assert word
        assert holds(both.items[0], word)


def test_words_are_printed_as_people_read_them() -> None:
    assert str(Word(letters("a", "ba", "", "b"), 2)) == "{a} {a,b} ({} {b})^w"
    assert (
        str(
            Word(letters("a", "")),
        )
        == "{a} {}"
    )


def equal_pairs(finite: bool) -> list[tuple[Formula, Formula]]:
    a, b = atom("a"), atom("b")
    until = Formula("U", (a, b))
    pairs = [
        (Formula("F", (Formula("O", (a,)),)), Formula("F", (a,))),
        (until, Formula("|", (b, Formula("&", (a, Formula("X", (until,))))))),
        (
            Formula("G", (Formula("->", (b, Formula("O", (a,)))),)),
            Formula("W", (negation(b), a)),
        ),
    ]
    if not finite:
        infinitely = Formula("G", (Formula("F", (a,)),))
        pairs.append((infinitely, Formula("G", (Formula("F", (Formula("X", (a,)),)),))))
    return pairs


@pytest.mark.parametrize("finite", [True, False])
def test_certificates_are_followed_and_damaged_ones_are_not(finite: bool) -> None:
    for left, right in equal_pairs(finite):
        certificate = certify(("a", "b"), finite, left, right, TRUE, limit())
        assert isinstance(certificate, dict)
        assert certificate["kind"] == "closure"
        follow(certificate, finite, left, right, TRUE, limit())
        with pytest.raises(Mismatch):
            follow(certificate, finite, left, negation(right), TRUE, limit())
        with pytest.raises(Mismatch):
            follow({"kind": "same"}, finite, left, right, TRUE, limit())
        for damaged in damages(certificate):
            with pytest.raises(Mismatch):
                follow(damaged, finite, left, right, TRUE, limit())


def damages(certificate: dict) -> list[dict]:  # type: ignore[type-arg]
    """Certificates from which something that they need was taken."""
    found = []
    for number, direction in enumerate(certificate["directions"]):
        for state, steps in enumerate(direction["steps"]):
            if steps:
                damaged = copy.deepcopy(certificate)
                damaged["directions"][number]["steps"][state] = []
                found.append(damaged)
        damaged = copy.deepcopy(certificate)
        damaged["directions"][number]["states"][0][0] = []
        damaged["directions"][number]["steps"][0] = []
        found.append(damaged)
    found.append({**certificate, "directions": certificate["directions"][:1]})
    found.append({**certificate, "formulas": certificate["formulas"][:1]})
    return found


def test_a_cycle_that_does_not_put_off_its_until_is_refused() -> None:
    """G a has words: a certificate that says it has none must not pass."""
    always, false = Formula("G", (atom("a"),)), Formula("false")
    rows = [["atom", "a"], ["false"], ["R", 1, 0], ["true"], ["U", 3, 0], ["not", "a"], ["U", 3, 5]]
    for until in (None, 4, 6):
        lies: Any = {
            "states": [[[2], None], [[2], []]],
            "steps": [[1], [1]],
            "rank": [1, 0],
            "until": [until, until],
        }
        other: Any = {"states": [[[1], None]], "steps": [[]], "rank": [0], "until": [None]}
        certificate: Any = {"kind": "closure", "formulas": rows, "directions": [lies, other]}
        with pytest.raises(Mismatch):
            follow(certificate, False, always, false, TRUE, limit())


def test_the_limit_is_kept_inside_a_step() -> None:
    """A conjunction of many response patterns has one step with very many ways."""
    names = tuple(f"p{number}" for number in range(24))
    parts = [Formula("G", (Formula("F", (Formula("X", (atom(n),)),)),)) for n in names]
    parts += [
        Formula("G", (Formula("U", (atom(a), Formula("<->", (atom(b), Formula("X", (atom(a),)))))),))
        for a, b in pairwise(names)
    ]
    left, right = Formula("&", tuple(parts)), Formula("&", tuple(parts[1:]))
    start = Limit.start(0.5)
    with suppress(Undecided):
        compare(pool_of(names, finite=False), left, right, TRUE, start)
    assert start.elapsed() < 300, "unlimited, it takes hours"
