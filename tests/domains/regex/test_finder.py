"""Finding patterns in texts: the same answers as `re`, in bounded time for any pattern."""

from __future__ import annotations

import json
import pickle
import random
import re
import re._parser as sre_parser  # type: ignore[import-not-found]
import threading
import warnings
from typing import Any

import pytest

import needs
from domains.regex import random_patterns
from truespec.domains.regex import replay
from truespec.domains.regex.effort import longest_within, most_steps
from truespec.domains.regex.finder import Finder, Unmatched
from truespec.domains.regex.firsts import letters_of
from truespec.verdict import Undecided

CATASTROPHIC = [
    ("(a+)+$", "a" * 50_000 + "!", False),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 50_000, False),
    (r"(x+x+)+y", "x" * 50_000, False),
    (r"(x+x+)+y", "x" * 50_000 + "y", True),
    (r"(\w+\s?)*\s$", "word " * 10_000 + "!", False),
    (r"(?:a|aa)+$", "a" * 50_000 + "b", False),
    (r"\s+$", " " * 50_000 + "x", False),
    ("(?:(?:a?){50}b?){50}c", "ab" * 3_000, False),
    (r"\b(?:yes|no)\b.*\bok\b.*fine", "yes ok fin " * 20_000, False),
    ("(?=(a+)+b)a", "a" * 20_000, False),
]


@pytest.mark.parametrize(("pattern", "text", "found"), CATASTROPHIC)
def test_a_catastrophic_pattern_is_answered(pattern: str, text: str, found: bool) -> None:
    assert not Finder(pattern).is_cheap(len(text))
    assert Finder(pattern).search(text) is found
    assert Finder(f"(?:{pattern})").fullmatch(text) is (found and pattern == r"(x+x+)+y")


def by_automaton(pattern: str, flags: int) -> Finder:
    """A finder that never asks `re`."""
    made = Finder(pattern, flags)
    made._safe = [-2, -2]
    return made


def agree(pattern: str, flags: int, texts: list[str]) -> int:
    finder = by_automaton(pattern, flags)
    compared = 0
    for text in texts:
        for match in ("search", "full"):
            said = replay.python_accepts(pattern, "i" if flags else "", text, match, 0.1)
            if said is not None:
                found = finder.search(text) if match == "search" else finder.fullmatch(text)
                assert found is said, (pattern, flags, text, match)
                compared += 1
    return compared


def test_the_automaton_agrees_with_re_on_random_patterns() -> None:
    rng = random.Random(20)
    compared = 0
    while compared < 4_000:
        pattern = random_patterns.python(rng, rng.randrange(1, 9))
        try:
            re.compile(pattern)
        except re.error:
            continue
        texts = ["".join(rng.choice("abcA 1\n_éſK-") for _ in range(rng.randrange(9))) for _ in range(4)]
        compared += agree(pattern, rng.choice([0, re.IGNORECASE]), texts)


def test_the_automaton_agrees_with_re_on_patterns_of_models() -> None:
    folder = needs.sources("regex/redos_llm")
    rng = random.Random(21)
    with (folder / "prompts.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rng.sample(rows, 150):
            texts = [t for t in row["matches"][:3] + row["non_matches"][:3] if isinstance(t, str)]
            texts += [(text * 50)[:400] + "!" for text in texts[:1]]
            try:
                compared += agree(row["expression"], 0, texts)
            except (re.error, Undecided):
                continue
    assert compared > 1_000


def test_what_has_no_automaton_is_asked_of_re_for_a_while() -> None:
    assert Finder(r"\b(\w+)\s+\1\b").search("one two " * 500 + "three three")
    with pytest.raises(Unmatched, match="back-reference") as caught:
        Finder(r"^(\w+)+\1$").search("a" * 5_000 + "!")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.pattern, str(again)) == (caught.value.pattern, str(caught.value))


def test_an_automaton_that_grows_too_large_gives_way() -> None:
    rng = random.Random(3)
    text = "".join(rng.choice("ab") for _ in range(9_000))
    finder = Finder("(?:a|b)*a(?:a|b){14}c")
    for _ in range(2):
        with pytest.raises(Unmatched, match="its automaton"):
            finder.search(text)
    assert finder.search("ab" * 400 + "a" * 15 + "c")


def test_in_a_thread_nothing_rings_and_nothing_hangs() -> None:
    said: list[object] = []

    def ask() -> None:
        said.append(Finder("(a+)+$").search("a" * 20_000 + "!"))
        try:
            Finder(r"^(\w+)+\1$").search("a" * 5_000 + "!")
        except Unmatched as unmatched:
            said.append(unmatched.pattern)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert said == [False, r"^(\w+)+\1$"]


@pytest.mark.parametrize(
    ("pattern", "cheap"),
    [
        (r"\b(?:yes|no|sure)\b", True),
        ("a+$", False),
        ("^a+$", True),
        (r"(?m)^a+$", False),
        (r"\A\s*(?:no|yes)", True),
        (r"\bnot\s{1,2}(?:\w{1,16}\s{1,2}){0,3}(?:go|stay)", True),
        (r"\bnot\s{1,2}(?:\w{1,16}[\w ]{1,2}){0,3}(?:go|stay)", False),
        (r"(?:do not|don't|never){9}", True),
        (r"(?:do|does|don't){9}x", False),
        ("a{1,20}b", True),
        (".*", False),
        ("(a|b|c){3}d", True),
        ("(a*)*", False),
        ("(?>a+)b", False),
        (r"(\w)\1", False),
    ],
)
def test_work_is_bounded_by_the_shape_of_a_pattern(pattern: str, cheap: bool) -> None:
    assert Finder(pattern).is_cheap(10_000_000) is cheap


PARTS = [
    "a",
    "[ab]",
    "(?:a|ab)",
    "(?:b|)",
    "a?",
    r"\\w",
    r"\\s",
    "[^b]",
    "(?:ac|ad|b )",
    "(?:a |b)",
    "^",
    "$",
]


def test_the_bound_holds_for_backtracking_that_is_counted() -> None:
    """A textbook backtracker that counts its steps never exceeds the bound."""
    rng = random.Random(4)
    near = 0
    for _ in range(1_500):
        pattern = _pattern(rng, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = sre_parser.parse(pattern)
        text = "".join(rng.choice("aabb cd") for _ in range(rng.randrange(9)))
        for search in (False, True):
            bound = most_steps(tree, len(text), search=search)
            counted = sum(_counted(tree, text, start) for start in range(len(text) + 1 if search else 1))
            assert counted <= bound, (pattern, text, search)
            near += counted > bound / 4
    assert near > 300, "the bounds are so wide that none would be exceeded"


def _pattern(rng: random.Random, most: int) -> str:
    made = ""
    for _ in range(rng.randrange(1, most + 1)):
        part = rng.choice(PARTS) if most < 2 or rng.random() < 0.8 else f"(?:{_pattern(rng, most - 1)})"
        once = part in ("a?", "^", "$")
        made += part + ("" if once else rng.choice(["", "", "{0,2}", "*", "+", "+?", "{2}"]))
    return made


def _takes(name: object, value: Any, letter: str) -> bool:
    """Whether a part that takes one character takes this one."""
    if str(name) == "LITERAL":
        return chr(value) == letter
    if str(name) == "NOT_LITERAL":
        return chr(value) != letter
    kinds = {"CATEGORY_WORD": str.isalnum, "CATEGORY_SPACE": str.isspace}
    listed = [(str(n), v) for n, v in value]
    found = any(
        kinds[str(v)](letter)
        if n == "CATEGORY"
        else (n == "RANGE" and v[0] <= ord(letter) <= v[1]) or (n == "LITERAL" and v == ord(letter))
        for n, v in listed
    )
    return found is not (listed[0][0] == "NEGATE")


def _counted(tree: object, text: str, start: int = 0) -> int:
    """Leaf attempts of a backtracking match from one place that explores every choice."""
    steps = 0

    def run(items: list[tuple[object, Any]], at: int) -> None:
        nonlocal steps
        if not items or steps > 300_000:
            return
        (name, value), rest = items[0], items[1:]
        kind = str(name)
        if kind in ("LITERAL", "NOT_LITERAL", "IN"):
            steps += 1
            if at < len(text) and _takes(name, value, text[at]):
                run(rest, at + 1)
        elif kind == "AT":
            steps += 1
            if at == 0 if str(value) == "AT_BEGINNING" else at == len(text):
                run(rest, at)
        elif kind == "BRANCH":
            for branch in value[1]:
                run([*branch, *rest], at)
        elif kind == "SUBPATTERN":
            run([*value[3], *rest], at)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = value
            if int(most) > 0 and at <= len(text):
                less = 1 << 30 if int(most) > 1 << 20 else int(most) - 1
                if least > 0 or body.getwidth()[0] > 0 or int(most) < 100:
                    run([*body, (name, (max(0, least - 1), less, body)), *rest], at)
            if least == 0:
                run(rest, at)
        else:
            raise AssertionError(kind)

    run(list(tree), start)  # type: ignore[call-overload]
    return steps


@pytest.mark.parametrize("flags", [re.IGNORECASE, re.IGNORECASE | re.ASCII, 0, re.ASCII])
def test_no_character_is_missing_from_the_set_of_a_part(flags: int) -> None:
    letters = [chr(code) for code in range(0x20000)]
    listed = [
        "[a-z]",
        "[^a]",
        "[^\\s]",
        "[^\\W,]",
        r"\d",
        r"\D",
        r"[\s,-]",
        "’",
        "é",
        "[^é]",
        "[α-ω]",
        "ι",
        "[k-s_]",
    ]
    for part in [*map(re.escape, "aikszAIKSZ09_-. "), *listed, r"\w", r"\W", r"\s", r"\S"]:
        (item,) = sre_parser.parse(part, flags)
        found = letters_of(item, sre_parser.parse(part, flags).state.flags)
        match = re.compile(part, flags).fullmatch
        assert found is not None
        assert [one for one in letters if match(one) and not found.holds(ord(one))] == [], part


def test_the_longest_length_is_exact() -> None:
    tree = sre_parser.parse(".*x")
    length = longest_within(tree, True, 1_000, 10)
    assert most_steps(tree, length) <= 1_000 + 10 * length
    assert most_steps(tree, length + 1) > 1_000 + 10 * (length + 1)
