"""What two patterns have in common and what only one of them matches: examples and minimal automata."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from truespec.automata import Both, Complement, Expression, compare
from truespec.automata.sampling import various
from truespec.domains.regex.certificate import certify, live
from truespec.domains.regex.parse import Context
from truespec.domains.regex.syntax import Pattern, deep_stack
from truespec.domains.regex.verify import Question, replayed
from truespec.solvers.limit import Limit
from truespec.verdict import Undecided

SAMPLED = 200
"""Words drawn where an automaton is too large to be searched."""
QUEUED = 20_000
"""Words that the search in order of length keeps."""

REGIONS = ("only A", "only B", "both")
"""Where a string can be that at least one pattern matches."""


@dataclass(frozen=True, slots=True)
class Region:
    """The strings that one or both patterns match."""

    name: str
    """`only A`, `only B` or `both`."""
    examples: tuple[str, ...]
    """The shortest first, each confirmed by matching both patterns; fewer where there are fewer."""
    complete: bool
    """Whether these are all the strings of the region."""
    note: str
    """What was not done; empty otherwise."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Two patterns side by side."""

    regions: tuple[Region, ...]
    """In the order of `REGIONS`."""
    automata: tuple[dict[str, Any], ...]
    """The minimal automaton of each pattern, as in a certificate; `{"kind": "omitted"}` where too large."""


def explain(a: Pattern, b: Pattern, context: Context, count: int, limit: Limit) -> Explanation:
    """Examples of each region and the minimal automata.

    `Undecided` where even the patterns themselves cannot be compiled within the limit.
    """
    with deep_stack():
        question = Question(a, b, context, limit)
        one, two = question.wrapped
        regions: list[Expression] = [
            Both((one, Complement(two))),
            Both((two, Complement(one))),
            Both((one, two)),
        ]
        found = tuple(
            _region(name, expression, (a, b), question, context, count, limit)
            for name, expression in zip(REGIONS, regions, strict=True)
        )
        terms = (question.oracle, question.candidate)
        automata = tuple(_automaton(question, term, limit) for term in terms)
    return Explanation(found, automata)


def _automaton(question: Question, term: Any, limit: Limit) -> dict[str, Any]:
    try:
        made = certify(question.engine, term, limit.check)
    except Undecided as error:
        return {"kind": "omitted", "reason": str(error)}
    assert isinstance(made, dict)
    return made


def _region(
    name: str,
    expression: Expression,
    patterns: tuple[Pattern, Pattern],
    question: Question,
    context: Context,
    count: int,
    limit: Limit,
) -> Region:
    try:
        (term,) = question.engine.terms([expression], limit.check)
        automaton = _automaton(question, term, limit)
        if automaton["kind"] != "automaton":
            return _sampled(name, patterns, question, context, count, limit, str(automaton["reason"]))
        words = dict.fromkeys(islice(strings(automaton), count))
        complete = False
        if len(words) < count:  # few ways through the automaton: other characters of the same blocks too
            every = list(islice(strings(automaton, every=True), count + 1))
            complete = len(every) <= count
            words = dict.fromkeys([*words, *every])
        shown = list(words)[:count]
        kept = [word for word in shown if _confirmed(name, word, patterns, context, limit)]
    except Undecided as error:
        return Region(name, (), False, str(error))
    if len(kept) < len(shown):
        note = "an example was dropped: a second matcher disagrees; please report these patterns"
        return Region(name, tuple(kept), False, note)
    return Region(name, tuple(kept), complete, "")


def _sampled(
    name: str,
    patterns: tuple[Pattern, Pattern],
    question: Question,
    context: Context,
    count: int,
    limit: Limit,
    why: str,
) -> Region:
    """Words drawn from either pattern that fall into the region."""
    sides = (question.oracle, question.candidate)
    drawn = {
        question.string(tuple(letter.bit_length() - 1 for letter in word))
        for seed, side in enumerate(sides)
        if side.positive
        for word in islice(various(side, seed, SAMPLED), SAMPLED)
    }
    separating = compare(question.stepper, *sides, limit.check).word
    if separating is not None:
        drawn.add(question.string(separating))
    found: list[str] = []
    for word in sorted(drawn, key=lambda word: (len(word), word)):
        if len(found) < count and _confirmed(name, word, patterns, context, limit):
            found.append(word)
    return Region(name, tuple(found), False, f"sampled, since {why}: shorter examples may exist")


def _confirmed(
    name: str, word: str, patterns: tuple[Pattern, Pattern], context: Context, limit: Limit
) -> bool:
    values, _ = replayed(patterns[0].text, patterns[1].text, context, word, limit)
    return values == (name != "only B", name != "only A")


def strings(automaton: dict[str, Any], *, every: bool = False) -> Iterator[str]:
    """Strings of an automaton, shortest first: one readable character for each block of characters.

    `every` takes all characters of small blocks and some of large ones, as far as `QUEUED` words allow.
    """
    steps, accepting = automaton["steps"], automaton["accepting"]
    alive = live(automaton)
    most = 64 if every else 1
    letters = [list(islice(_characters(block, automaton["blocks"]), most)) for block in automaton["blocks"]]
    waiting = deque([(0, "")] if alive[0] else [])
    while waiting:
        state, word = waiting.popleft()
        if accepting[state]:
            yield word
        for block, target in enumerate(steps[state]):
            if alive[target]:
                room = max(0, QUEUED - len(waiting))
                waiting.extend((target, word + letter) for letter in letters[block][:room])


PREFERRED = "abcxyzABC0123 _-.,:/"
"""Characters that people read easily, the best first."""


def _characters(block: list[int] | None, blocks: list[list[int] | None]) -> Iterator[str]:
    """The characters of a block, readable ones first; null is the block of all characters of no other."""
    listed = [one for one in blocks if one is not None]

    def within(point: int, bounds: list[int]) -> bool:
        return any(first <= point < end for first, end in zip(bounds[::2], bounds[1::2], strict=True))

    def has(point: int) -> bool:
        return within(point, block) if block is not None else not any(within(point, one) for one in listed)

    seen = [letter for letter in PREFERRED if has(ord(letter))]
    yield from seen
    bounds = range(33, 127) if block is None else _points(block)
    yield from (chr(point) for point in bounds if chr(point) not in seen and has(point))
    if block is None:
        yield from (chr(point) for point in (*range(32), 127, *range(160, 1_000)) if has(point))


def _points(bounds: list[int]) -> Iterator[int]:
    for first, end in zip(bounds[::2], bounds[1::2], strict=True):
        yield from range(first, min(end, first + 128))
