"""Deciding equivalence and inclusion of terms, with a shortest word that separates them.

Equivalence is Hopcroft and Karp's: pairs of states that must be equal are merged by union-find, so that what
transitivity already implies is never explored. Pairs are taken in order of the length of the word that leads
to them, words of one length in the order of their letters, and merged only when taken; whether the empty word
separates a pair is asked as soon as it is found. The word found is then the first of all separating words in
shortlex order, whatever form the terms have: were a pair on its path skipped because a chain of taken pairs
connects its states, the rest of the word would separate a link of that chain, and the link was reached by an
earlier word.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from truespec.automata import sampling
from truespec.automata.derivatives import Stepper
from truespec.automata.terms import MEET, UNION, Term

Check = Callable[[], None]
"""Called now and then; raises when the time is over."""

_CHECK_EVERY = 64


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comparing two terms found."""

    word: tuple[int, ...] | None
    """A shortest word, as blocks, that exactly one side accepts; null when they are equivalent."""
    in_left: bool
    """Whether the left side accepts the word."""
    pairs: int
    """How many pairs of states were explored."""

    @property
    def equal(self) -> bool:
        """Whether the two are equivalent."""
        return self.word is None


class _Trail:
    """How a pair was reached: the pair before, and the letter, as the bit of its block."""

    __slots__ = ("before", "left", "letter", "right")

    def __init__(self, left: Term, right: Term, before: _Trail | None, letter: int) -> None:
        self.left = left
        self.right = right
        self.before = before
        self.letter = letter

    def word(self) -> tuple[int, ...]:
        letters = []
        trail = self
        while trail.before is not None:
            letters.append(trail.letter.bit_length() - 1)
            trail = trail.before
        return tuple(reversed(letters))


def compare(stepper: Stepper, left: Term, right: Term, check: Check) -> Outcome:
    """Whether two terms accept the same words."""
    parent: dict[Term, Term] = {}
    settle, step, accepts, letters = stepper.settle, stepper.step, stepper.accepts, stepper.letters
    left, right = settle(left), settle(right)
    inside = accepts(left)
    if inside is not accepts(right):
        return Outcome((), inside, 1)
    queue = deque([_Trail(left, right, None, 0)])
    pairs = 0
    while queue:
        trail = queue.popleft()
        x, y = trail.left, trail.right
        if x is y:
            continue
        root, other = _root(parent, x), _root(parent, y)
        if root is other:
            continue
        pairs += 1
        if pairs % _CHECK_EVERY == 0:
            check()
        # One more letter may separate them, which is often plain without a step.
        in_x, in_y = letters(x), letters(y)
        if in_x != in_y and in_x is not None and in_y is not None:
            letter = (in_x ^ in_y) & -(in_x ^ in_y)
            return Outcome(_Trail(x, y, trail, letter).word(), bool(in_x & letter), pairs)
        parent[root] = other
        y_steps = step(y).items()
        following = []
        for first, mask in step(x).items():
            for second, blocks in y_steps:
                common = mask & blocks
                if common and first is not second:
                    following.append((common & -common, first, second))
        if len(following) > 1:
            following.sort(key=_letter)
        for letter, first, second in following:
            first, second = settle(first), settle(second)
            after = _Trail(first, second, trail, letter)
            inside = accepts(first)
            if inside is not accepts(second):
                return Outcome(after.word(), inside, pairs)
            queue.append(after)
    return Outcome(None, False, pairs)


def _letter(entry: tuple[int, Term, Term]) -> int:
    return entry[0]


def _root(parent: dict[Term, Term], term: Term) -> Term:
    above = parent.get(term)
    while above is not None:
        higher = parent.get(above)
        if higher is None:
            return above
        parent[term] = higher  # halves the path
        term, above = higher, parent.get(higher)
    return term


def included(stepper: Stepper, small: Term, large: Term, check: Check) -> bool:
    """Whether every word of `small` is one of `large`."""
    arena = stepper.arena
    settle, step, accepts = stepper.settle, stepper.step, stepper.accepts
    if small.positive:
        word = sampling.shortest(small)
        if word is not None and not sampling.contains(stepper, large, word, check):
            return False
    start = (settle(small), settle(large))
    seen = {start}
    queue = deque([start])
    pairs = 0
    while queue:
        x, y = queue.popleft()
        if _plainly_within(arena.none, arena.all, x, y):
            continue
        pairs += 1
        if pairs % _CHECK_EVERY == 0:
            check()
        if (y is arena.none and x.positive) or (accepts(x) and not accepts(y)):
            return False
        for first, mask in step(x).items():
            if first is arena.none:
                continue
            for second, blocks in step(y).items():
                if not mask & blocks or first is second:
                    continue
                pair = (settle(first), settle(second))
                if pair not in seen:
                    seen.add(pair)
                    queue.append(pair)
    return True


def _plainly_within(none: Term, everything: Term, x: Term, y: Term) -> bool:
    if x is y or x is none or y is everything:
        return True
    if x.kind == MEET and y in x.items:
        return True
    if y.kind == UNION:
        if x.kind == UNION:
            return set(x.items) <= set(y.items)
        return x in y.items
    return False


@dataclass(frozen=True, slots=True)
class Deterministic:
    """A deterministic automaton over blocks: state 0 is the start; minimal when `determinise` made it."""

    accepting: tuple[bool, ...]
    """Whether each state accepts."""
    steps: tuple[tuple[tuple[int, int], ...], ...]
    """For each state, disjoint sets of blocks with the state each leads to; together all blocks."""


def determinise(stepper: Stepper, term: Term, most: int, check: Check) -> Deterministic | None:
    """The minimal automaton of a term; null when more than `most` states are met on the way."""
    start = stepper.settle(term)
    numbers = {start: 0}
    order = [start]
    steps: list[dict[int, int]] = []
    for state in order:
        if len(steps) % _CHECK_EVERY == _CHECK_EVERY - 1:
            check()
        row: dict[int, int] = {}
        for target, mask in stepper.step(state).items():
            target = stepper.settle(target)
            number = numbers.get(target)
            if number is None:
                if len(order) >= most:
                    return None
                number = numbers[target] = len(order)
                order.append(target)
            row[number] = row.get(number, 0) | mask
        steps.append(row)
    return _minimal([stepper.accepts(state) for state in order], steps)


def _minimal(accepting: list[bool], steps: list[dict[int, int]]) -> Deterministic:
    """Moore's refinement: split classes until all states of one step into the same classes."""
    classes = [int(accepts) for accepts in accepting]
    count = len(set(classes))
    while True:
        names: dict[tuple[object, ...], int] = {}
        refined = []
        for state, row in enumerate(steps):
            merged: dict[int, int] = {}
            for target, mask in row.items():
                merged[classes[target]] = merged.get(classes[target], 0) | mask
            key = (classes[state], *sorted(merged.items()))
            refined.append(names.setdefault(key, len(names)))
        classes = refined
        if len(names) == count:
            break
        count = len(names)
    # State 0 was named first, so that its class is class 0.
    rows: dict[int, tuple[tuple[int, int], ...]] = {}
    final: dict[int, bool] = {}
    for state, row in enumerate(steps):
        if classes[state] not in rows:
            merged = {}
            for target, mask in row.items():
                merged[classes[target]] = merged.get(classes[target], 0) | mask
            rows[classes[state]] = tuple((mask, target) for target, mask in merged.items())
            final[classes[state]] = accepting[state]
    numbers = range(len(rows))
    return Deterministic(tuple(final[n] for n in numbers), tuple(rows[n] for n in numbers))
