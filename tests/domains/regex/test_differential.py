"""Random patterns: the engine beside `re`, the two matchers beside each other, proofs beside the checker."""

from __future__ import annotations

import importlib.util
import random
import re
import warnings
from pathlib import Path
from types import ModuleType

import pytest

from domains.regex import differential, random_patterns
from truespec.automata import compare
from truespec.domains.regex import deepregex_dialect, plain, replay
from truespec.domains.regex.parse import Context, parse
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, SpecificationError, Undecided

WORDS = [
    *differential.words("ab\n ", 4),
    "A",
    "aA",
    "1a",
    "é",
    "ab1",
    "a-b",
    "c",
    "cc",
    "abc",
    "_a",
    "a\u212a",
]
FLAGS = ["", "", "", "m", "i", "s", "a", "x", "im"]

# `re.search` skips characters by a class that ignores flags scoped to a group, such as `(?a:\W)`.
SEARCH_BUG = re.compile(r"\(\?[a-z]*[aLu]")


def compiles(text: str, flags: str) -> bool:
    bits = 0
    for letter in flags:
        bits |= getattr(re, letter.upper())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text, bits)
    except (re.error, OverflowError, ValueError):
        return False
    return True


def check_against_re(seed: int, count: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        context = Context(match=rng.choice(["full", "search"]), flags=rng.choice(FLAGS))
        text = random_patterns.python(rng, rng.randint(0, 9))
        if not compiles(text, context.flags) or (context.match == "search" and SEARCH_BUG.search(text)):
            continue
        try:
            difference = differential.first_difference(text, context, WORDS)
        except Undecided:
            continue
        assert difference is None, (text, context, difference)


def test_the_engine_agrees_with_re_on_every_short_string() -> None:
    check_against_re(seed=1, count=150)


@pytest.mark.slow
def test_the_engine_agrees_with_re_on_every_short_string_at_length() -> None:
    check_against_re(seed=2, count=800)


def twin() -> ModuleType:
    spec = importlib.util.spec_from_file_location("twin_regex", Path(__file__).parent / "twin.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("boundary", ["word", "ignore", "anchor", "literal"])
def test_the_deepregex_dialect_agrees_with_its_twin_and_its_matcher(boundary: str) -> None:
    rng = random.Random(boundary)
    raw = {"dialect": "deepregex", "boundary": boundary}
    context = Context(**raw)
    strings = differential.words("ab ", 3)
    reference = twin()
    for _ in range(120):
        text = random_patterns.deepregex(rng, rng.randint(0, 7))
        asked = differential.question(text, text, context)
        engine = differential.acceptor(asked, asked.oracle)
        by_twin = reference._language(text, raw)
        tree = plain.read(text, "deepregex", "", boundary, False)
        for string in strings:
            matched = replay.Matcher(string).accepts(tree, "full")
            assert engine(string) is by_twin(string) is matched, (text, boundary, string)


def test_reading_in_pieces_is_reading_token_by_token() -> None:
    rng = random.Random(17)
    accepted = refused = 0
    for _ in range(3000):
        text = random_patterns.deepregex(rng, rng.randint(1, 12))
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(["", *"()[]{}~~|&*\\^2,a"]) + text[at + rng.randint(0, 1) :]
        expected: object
        try:
            whole = deepregex_dialect._TOKENS.findall(text)
            expected = deepregex_dialect._read(whole, deepregex_dialect._Atoms("word", False))
        except deepregex_dialect._Malformed:
            refused += 1
            with pytest.raises(SpecificationError):
                parse(text, Context(dialect="deepregex"))
            continue
        accepted += 1
        assert repr(parse(text, Context(dialect="deepregex")).expression) == repr(expected), text
    assert min(accepted, refused) > 300


def test_what_re_refuses_is_invalid_and_nothing_else() -> None:
    rng = random.Random(3)
    refused = 0
    for _ in range(3000):
        flags = rng.choice(FLAGS)
        text = random_patterns.mutated(rng, random_patterns.python(rng, rng.randint(0, 6)))
        try:
            parse(text, Context(flags=flags))
            accepted = True
        except SpecificationError:
            accepted = False
        except Undecided:
            accepted = True
        assert accepted is compiles(text, flags), (text, flags)
        refused += not accepted
    assert refused > 1000


def test_proofs_follow_and_refutations_replay_on_random_pairs() -> None:
    rng = random.Random(4)
    regex = load("regex")
    answers = dict.fromkeys(Answer, 0)
    for _ in range(250):
        raw = {"match": rng.choice(["full", "search"]), "alphabet": "ascii"}
        oracle = random_patterns.python(rng, rng.randint(1, 6))
        candidate = random_patterns.mutated(rng, oracle) if rng.random() < 0.5 else f"(?:{oracle})(?=|x)"
        if not compiles(oracle, ""):
            continue
        verdict = verify_pair(Pair("regex", oracle, candidate, raw), 5)
        answers[verdict.answer] += 1
        if verdict.answer in (Answer.EQUIVALENT, Answer.REFUTED):
            found = regex.recheck(oracle, candidate, raw, verdict, Limit.start(20))
            assert found.status.value == "confirmed", (oracle, candidate, raw, verdict, found)
    assert answers[Answer.EQUIVALENT] > 50, answers
    assert answers[Answer.REFUTED] > 30, answers


def test_the_witness_is_first_in_shortlex_order_whatever_was_asked_before() -> None:
    rng = random.Random(5)
    pairs = [
        (random_patterns.python(rng, rng.randint(1, 5)), random_patterns.python(rng, rng.randint(1, 5)))
        for _ in range(150)
    ]
    context = Context(alphabet="ascii")

    def witnesses(order: list[int]) -> dict[int, str | None]:
        out: dict[int, str | None] = {}
        for number in order:
            try:
                asked = differential.question(*pairs[number], context)
            except (SpecificationError, Undecided):
                continue
            word = compare(asked.stepper, asked.oracle, asked.candidate, lambda: None).word
            out[number] = None if word is None else asked.string(word)
        return out

    forwards = list(range(len(pairs)))
    assert witnesses(forwards) == witnesses(forwards[::-1])
