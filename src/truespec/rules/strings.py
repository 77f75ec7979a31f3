"""Texts and names as languages: one representative of every class of strings that conditions tell apart.

A language is a hashable value: `search pattern flags` (the pattern matches somewhere), `full pattern flags`,
`part text`, `folded text` (the text stands in `str.lower` of the string), `above text` (greater by code
points), `longer n` (at least n code points), `says` (some character is not blank). Each becomes a term of
the engine of `automata`. Classes are split one language after the other, and whether a part is empty is
decided by exploring all derivatives of its term: no class is left out, and none is invented.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any

from truespec.automata import Ahead, Behind, Either, Engine, Expression, Repeat, Symbol, Term, sampling
from truespec.automata import Sequence as Then
from truespec.automata.derivatives import Stepper
from truespec.domains.regex import characters, python_dialect
from truespec.domains.regex.characters import Characters, CodePoints
from truespec.domains.regex.syntax import deep_stack
from truespec.verdict import Incomplete, Undecided

Language = tuple[Any, ...]
Check = Callable[[], None]
"""Called now and then; raises when the time is over."""

MOST_STATES = 20_000
"""Derivatives that are explored to decide whether one class is empty."""
MOST_CLASSES = 1_024
"""Classes of strings; more are given up."""
_MOST_KEPT = 2_048
_ANYTHING = Repeat(Symbol(None), 0, None)
_LETTERS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x", re.ASCII: "a"}
_known: dict[tuple[tuple[str, ...], tuple[Language, ...]], tuple[str, ...]] = {}


def representatives(constants: Iterable[str], languages: Iterable[Language], check: Check) -> tuple[str, ...]:
    """Strings such that every string is one of the constants, or lies in exactly the languages in which one
    of the other strings lies. Each class has one string, the first in shortlex order.

    Raises `Incomplete` where a language is not regular or a class takes too long to decide.

    >>> representatives(["b"], [("part", "b")], lambda: None)
    ('b', '', 'ab')
    """
    key = (tuple(sorted(set(constants))), tuple(sorted(set(languages), key=repr)))
    found = _known.get(key)
    if found is None:
        with deep_stack():
            found = _split(*key, check)
        if len(_known) >= _MOST_KEPT:
            _known.clear()
        _known[key] = found
    return found


@lru_cache(maxsize=_MOST_KEPT)
def is_regular(language: Language) -> bool:
    """Whether a language has a term; a pattern with a back-reference, for example, has none."""
    try:
        with deep_stack():
            expression_of(language)
    except Undecided:
        return False
    return True


def _split(constants: Sequence[str], languages: Sequence[Language], check: Check) -> tuple[str, ...]:
    engine: Engine[CodePoints, str] = Engine(Characters())
    literals = [_literal(constant) for constant in constants]
    terms = engine.terms([*(expression_of(language) for language in languages), Either(tuple(literals))])
    stepper, arena = engine.stepper, engine.arena
    arena.check = check
    rest = arena.complement(terms.pop())
    first = _shortest(stepper, rest, check)
    classes = [] if first is None else [(rest, first)]
    for term in terms:
        split = []
        for block, word in classes:
            inside = arena.meet(block, term)
            outside = arena.meet(block, arena.complement(term))
            if sampling.contains(stepper, term, word, check):
                split.append((inside, word))
                other = outside
            else:
                split.append((outside, word))
                other = inside
            found = _shortest(stepper, other, check)
            if found is not None:
                split.append((other, found))
        classes = split
        if len(classes) > MOST_CLASSES:
            raise Incomplete(f"more than {MOST_CLASSES} classes of texts")
    made = ["".join(engine.letters(bit.bit_length() - 1 for bit in word)) for _, word in classes]
    return (*constants, *made)


def _shortest(stepper: Stepper, term: Term, check: Check) -> list[int] | None:
    """The first word of a term in shortlex order, as bits of blocks; None where it has none."""
    start = stepper.settle(term)
    if stepper.accepts(start):
        return []
    none = stepper.arena.none
    before: dict[Term, tuple[Term, int] | None] = {start: None}
    row = [start]
    while row:
        following: list[Term] = []
        for state in row:
            check()
            steps = sorted((mask & -mask, target) for target, mask in _settled(stepper, state).items())
            for letter, target in steps:
                if target is none or target in before:
                    continue
                before[target] = (state, letter)
                if stepper.accepts(target):
                    return _word(before, target)
                following.append(target)
            if len(before) > MOST_STATES:
                raise Incomplete(f"a class of texts whose automaton has more than {MOST_STATES} states")
        row = following
    return None


def _settled(stepper: Stepper, state: Term) -> dict[Term, int]:
    made: dict[Term, int] = {}
    for target, mask in stepper.step(state).items():
        settled = stepper.settle(target)
        made[settled] = made.get(settled, 0) | mask
    return made


def _word(before: dict[Term, tuple[Term, int] | None], last: Term) -> list[int]:
    letters = []
    step = before[last]
    while step is not None:
        letters.append(step[1])
        step = before[step[0]]
    return letters[::-1]


# Languages as expressions ---------------------------------------------------------------------------


def expression_of(language: Language) -> Expression:
    """The expression of a language; `Unsupported` where a pattern is not regular."""
    tag, value = language[0], language[-1]
    if tag in ("search", "full"):
        letters = "".join(letter for bit, letter in _LETTERS.items() if language[2] & bit)
        body = python_dialect.parse(language[1], letters).expression
        return Then((_ANYTHING, body, _ANYTHING)) if tag == "search" else body
    if tag == "part":
        return Then((_ANYTHING, _literal(value), _ANYTHING))
    if tag == "folded":
        return Then((_ANYTHING, _folded(value), _ANYTHING))
    if tag == "above":
        return _above(value)
    if tag == "longer":
        return Repeat(Symbol(None), value, None)
    if tag == "says":
        blank = characters.category("s", False)
        return Then((_ANYTHING, Symbol(characters.negate(blank)), _ANYTHING))
    raise ValueError(f"{tag!r} is no language of strings")


def _literal(text: str) -> Expression:
    return Then(tuple(Symbol(characters.single(character)) for character in text))


def _above(text: str) -> Expression:
    """The strings that are greater than a text, compared code point by code point."""
    made: Expression = Then((Symbol(None), _ANYTHING))
    for character in reversed(text):
        point = ord(character)
        higher = Then((Symbol(characters.of_ranges([(point + 1, characters.LIMIT)])), _ANYTHING))
        made = Either((Then((Symbol(characters.single(character)), made)), higher))
    return made


# What `str.lower` does --------------------------------------------------------------------------------
#
# It maps each character by itself, to one character or to several, but for the capital sigma: at the end of
# a word that is the final form. Which characters count for that is asked of Python itself.

_SIGMA, _SMALL, _FINAL = "Σ", "σ", "ς"


def _folded(text: str) -> Expression:
    """The spans whose lower-case form is a text, or one with more of its first or last character."""
    single, several = _capitals()
    made: dict[int, Expression] = {len(text): Then(())}
    for at in range(len(text) - 1, -1, -1):
        ways: list[Expression] = [Then((way, made[at + 1])) for way in _letters(text[at], single)]
        for character, lower in several.items():
            whole = Symbol(characters.single(character))
            if text.startswith(lower, at):
                ways.append(Then((whole, made[at + len(lower)])))
            # The text may end within what one character becomes,
            if len(text) - at < len(lower) and lower.startswith(text[at:]):
                ways.append(whole)
            # or begin within it.
            if at == 0:
                ways += [
                    Then((whole, made[min(len(lower) - cut, len(text))]))
                    for cut in range(1, len(lower))
                    if text.startswith(lower[cut:]) or (lower[cut:].startswith(text))
                ]
        made[at] = Either(tuple(ways))
    return made[0]


def _letters(lower: str, single: dict[str, list[str]]) -> list[Expression]:
    """The single characters, in their surroundings, that become one character."""
    plain = [character for character in single.get(lower, []) if character != _SIGMA]
    if lower.lower() == lower:
        plain.append(lower)
    ways: list[Expression] = []
    if plain:
        ways.append(Symbol(characters.of_ranges((ord(c), ord(c) + 1) for c in plain)))
    if lower in (_SMALL, _FINAL):
        cased, skipped = _word_characters()
        many = Repeat(Symbol(skipped), 0, None)
        before, after = Then((Symbol(cased), many)), Then((many, Symbol(cased)))
        sigma = Symbol(characters.single(_SIGMA))
        if lower == _FINAL:
            ways.append(Then((Behind(before), sigma, Ahead(after, holds=False))))
        else:
            ways += [Then((Behind(before, holds=False), sigma)), Then((sigma, Ahead(after)))]
    return ways


@cache
def _capitals() -> tuple[dict[str, list[str]], dict[str, str]]:
    """The characters that become another one, by that one; and those that become several."""
    single: dict[str, list[str]] = {}
    several: dict[str, str] = {}
    for character in characters.cased():
        lower = character.lower()
        if len(lower) > 1:
            several[character] = lower
        elif lower != character:
            single.setdefault(lower, []).append(character)
    return single, several


@cache
def _word_characters() -> tuple[CodePoints, CodePoints]:
    """What a capital sigma's form depends on: the characters with case, and those that are looked past."""
    cased, skipped = [], []
    for point in range(characters.LIMIT):
        character = chr(point)
        if ("A" + character + _SIGMA).lower()[-1] == _FINAL:
            if (character + _SIGMA).lower()[-1] == _FINAL:
                cased.append((point, point + 1))
            else:
                skipped.append((point, point + 1))
    return characters.of_ranges(cased), characters.of_ranges(skipped)
