"""Examples of what two patterns match, against `re` on all short strings."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from truespec.cli.regex import regex
from truespec.domains.regex.explain import Explanation, explain
from truespec.domains.registry import load
from truespec.reports import automaton
from truespec.reports.automaton import draw
from truespec.solvers.limit import Limit

PAIRS = [
    ("(ab)*", "(ab)*(ab)?"),
    ("a*b", "a+b|c"),
    ("[ab]{1,2}", "a|ab|cc"),
    ("a?b?c?", "(a|b|c)*"),
    ("(?!aa)[abc]*", "[abc]*c"),
    ("", "a"),
    (r"\d+", "[0-9a]{1,2}"),
]
WORDS = ["".join(word) for length in range(5) for word in itertools.product("abc", repeat=length)]


def explained(a: str, b: str, count: int = 40, **raw: str) -> Explanation:
    domain = load("regex")
    context = domain.read_context(raw, a)
    return explain(domain.parse(a, context), domain.parse(b, context), context, count, Limit.start(20))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_examples_lie_where_they_are_said_to(a: str, b: str) -> None:
    for region in explained(a, b).regions:
        expected = (region.name != "only B", region.name != "only A")
        for word in region.examples:
            assert (bool(re.fullmatch(a, word)), bool(re.fullmatch(b, word))) == expected, (region, word)
        assert list(region.examples[:1]) == sorted(region.examples, key=len)[:1], "the shortest is first"


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_complete_region_holds_every_string(a: str, b: str) -> None:
    for region in explained(a, b).regions:
        if region.complete:
            place = (region.name != "only B", region.name != "only A")
            every = {w for w in WORDS if (bool(re.fullmatch(a, w)), bool(re.fullmatch(b, w))) == place}
            assert every <= set(region.examples)
    assert all(region.complete for region in explained("a?b?", "(a|ab){0,1}").regions)


def test_what_is_too_large_for_an_automaton_is_sampled_and_says_so() -> None:
    only_a = explained("a{1000}", "a{1001}").regions[0]
    assert only_a.examples == ("a" * 1000,)
    assert "sampled" in only_a.note
    assert not only_a.complete


def test_search_and_deepregex() -> None:
    assert explained("b", "abc", match="search").regions[1].complete
    assert explained("~(a*)", ".*b.*", dialect="deepregex").regions[0].examples


def test_the_picture_is_well_formed_and_names_the_letters() -> None:
    found = explained("[^@ ]+@[a-z]+", r"\S+@\w+&?<")
    text = draw(list(zip(("A <&>", "B"), found.automata, strict=True)))
    root = ElementTree.fromstring(text)
    labels = {node.text for node in root.iter() if node.get("class") == "label"}
    assert {"not space @", "a-z", r"\w", "@"} <= labels
    assert root.find(".//{*}text[@class='title']").text == "A <&>"  # type: ignore[union-attr]
    assert "not drawn" in draw([("A", {"kind": "omitted", "reason": "more than 400 states"})])


def test_an_unreadable_pattern_is_named_as_it_was_given() -> None:
    run = CliRunner().invoke(regex, ["explain", "(ab", "a"], standalone_mode=False)
    assert str(run.exception).startswith("A: missing )")
    run = CliRunner().invoke(regex, ["explain", "a", "(ab"])
    assert "syntax: B: missing )" in run.output
    assert run.exit_code == 4


class Counted(list[int]):
    """A list that counts how often it is read."""

    reads = 0

    def __getitem__(self, place: Any) -> Any:
        self.reads += 1
        return super().__getitem__(place)


def points(edges: list[int]) -> list[int]:
    return [n for first, end in zip(edges[::2], edges[1::2], strict=True) for n in range(first, end)]


def test_ranges_are_intersected_in_one_pass() -> None:
    random = Random(3)
    for _ in range(2_000):
        one, two = (sorted(random.sample(range(40), 2 * random.randrange(6))) for _ in range(2))
        shared = automaton._intersection(one, two)
        assert points(shared) == sorted({*points(one)} & {*points(two)})
    many = Counted(range(10_000))
    assert automaton._intersection(many, Counted(range(10_000))) == list(range(10_000))
    assert many.reads < 5 * len(many)


@pytest.mark.parametrize("name", [r"\w", r"\d", r"\s"])
def test_the_classes_hold_what_re_matches(name: str) -> None:
    edges = dict(automaton._classes())[name]
    for point in [*range(0x3000), *Random(7).sample(range(0x110000), 3_000)]:
        inside = bisect_right(edges, point) % 2 == 1
        assert inside == bool(re.match(name, chr(point))), point
