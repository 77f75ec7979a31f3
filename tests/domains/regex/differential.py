"""The engine's language of a pattern beside that of a reference, on enumerated strings."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable, Iterable
from functools import cache

from truespec.automata import Term
from truespec.domains.regex.parse import Context, parse
from truespec.domains.regex.verify import Question


def words(letters: str, longest: int) -> list[str]:
    """Every string over the letters up to a length."""
    return ["".join(w) for size in range(longest + 1) for w in itertools.product(letters, repeat=size)]


def question(left: str, right: str, context: Context) -> Question:
    """Both patterns in one engine."""
    return Question(parse(left, context), parse(right, context), context)


def acceptor(asked: Question, term: Term) -> Callable[[str], bool]:
    """Runs a term over a string, letter by letter."""
    blocks = asked.engine.alphabet.blocks
    stepper = asked.engine.stepper
    start = stepper.settle(term)
    targets: dict[tuple[Term, str], Term] = {}

    @cache
    def block(character: str) -> int:
        point = ord(character)
        for number, runs in enumerate(blocks):
            if any(first <= point < end for first, end in zip(runs[::2], runs[1::2], strict=True)):
                return number
        raise AssertionError(f"{character!r} is in no block")

    def accepts(string: str) -> bool:
        state = start
        for character in string:
            step = state, character
            if step not in targets:
                bit = 1 << block(character)
                (target,) = [target for target, mask in stepper.step(state).items() if mask & bit]
                targets[step] = stepper.settle(target)
            state = targets[step]
        return stepper.accepts(state)

    return accepts


def by_re(text: str, context: Context) -> Callable[[str], bool]:
    """What `re` says."""
    flags = 0
    for letter in context.flags:
        flags |= getattr(re, letter.upper())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = re.compile(text, flags)
    run = pattern.search if context.match == "search" else pattern.fullmatch
    return lambda string: run(string) is not None


def first_difference(text: str, context: Context, strings: Iterable[str]) -> str | None:
    """A string on which the engine and `re` disagree about one pattern."""
    asked = question(text, text, context)
    engine, reference = acceptor(asked, asked.oracle), by_re(text, context)
    return next((string for string in strings if engine(string) != reference(string)), None)
