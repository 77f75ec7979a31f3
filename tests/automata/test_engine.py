"""The engine over an algebra of events: nothing in it knows of characters."""

from __future__ import annotations

import itertools
import random
from typing import cast

from truespec.automata import (
    ANYTHING,
    EMPTY,
    END,
    NOTHING,
    START,
    Ahead,
    Algebra,
    Behind,
    Both,
    Complement,
    Either,
    Engine,
    Expression,
    Repeat,
    Sequence,
    Symbol,
    compare,
    determinise,
    included,
    sampling,
)

EVENTS = ("call", "reply", "refund")
Some = frozenset[str]


class Events(Algebra[Some, str]):
    """Sets of three events."""

    @property
    def bottom(self) -> Some:
        return frozenset()

    @property
    def top(self) -> Some:
        return frozenset(EVENTS)

    def both(self, left: Some, right: Some) -> Some:
        return left & right

    def either(self, left: Some, right: Some) -> Some:
        return left | right

    def negation(self, predicate: Some) -> Some:
        return self.top - predicate

    def is_empty(self, predicate: Some) -> bool:
        return not predicate

    def witness(self, predicate: Some) -> str:
        return min(predicate)


def event(*names: str) -> Symbol:
    return Symbol(frozenset(names))


def separating(left: Expression, right: Expression) -> list[str] | None:
    engine = Engine(Events())
    first, second = engine.terms([left, right])
    word = compare(engine.stepper, first, second, lambda: None).word
    return None if word is None else engine.letters(word)


def test_a_rule_about_events_in_two_forms() -> None:
    anything = Repeat(Symbol(None), 0, None)
    # "No refund before a call", once as a complement and once as a shape of the whole trace.
    without_call = Repeat(Complement(Either((event("call"), Complement(Symbol(None))))), 0, None)
    complement = Complement(Sequence((without_call, event("refund"), anything)))
    quiet = Repeat(event("reply"), 0, None)
    shape = Sequence((quiet, Repeat(Sequence((event("call"), anything)), 0, 1)))
    assert separating(complement, shape) is None
    assert separating(complement, anything) == ["refund"]


def test_blocks_split_and_name_their_predicates() -> None:
    algebra = Events()
    alphabet = algebra.partition([frozenset({"call", "reply"}), frozenset({"reply", "refund"})])
    assert sorted(map(sorted, alphabet.blocks)) == [["call"], ["refund"], ["reply"]]
    for predicate, mask in alphabet.masks.items():
        members = [block for number, block in enumerate(alphabet.blocks) if mask >> number & 1]
        assert frozenset().union(*members) == predicate


def holds(expression: Expression, word: tuple[str, ...], start: int, end: int) -> bool:
    """The definition: whether a span of the word belongs."""
    match expression:
        case Symbol(predicate):
            return end == start + 1 and (
                predicate is None or word[start] in cast("frozenset[str]", predicate)
            )
        case Sequence(()):
            return start == end
        case Sequence((first, *rest)):
            return any(
                holds(first, word, start, middle) and holds(Sequence(tuple(rest)), word, middle, end)
                for middle in range(start, end + 1)
            )
        case Either(parts):
            return any(holds(part, word, start, end) for part in parts)
        case Both(parts):
            return all(holds(part, word, start, end) for part in parts)
        case Complement(body):
            return not holds(body, word, start, end)
        case Repeat(body, least, most):
            reached, seen = {start}, set()
            for rounds in range(least + len(word) + 2):
                if rounds >= least and (most is None or rounds <= most):
                    seen |= reached
                reached = {j for i in reached for j in range(i, len(word) + 1) if holds(body, word, i, j)}
            return end in seen
        case Ahead(body, positive):
            seen_ahead = any(holds(body, word, start, j) for j in range(start, len(word) + 1))
            return start == end and seen_ahead is positive
        case Behind(body, positive):
            seen_behind = any(holds(body, word, i, start) for i in range(start + 1))
            return start == end and seen_behind is positive
    raise AssertionError(expression)


def random_expression(rng: random.Random, size: int) -> Expression:
    if size <= 0:
        leaves = [event("call"), event("reply"), event("call", "reply"), Symbol(None)]
        constants: list[Expression] = [EMPTY, NOTHING, ANYTHING, START, END]
        return rng.choice([*leaves, *leaves, *constants])
    left = rng.randrange(size)
    one = random_expression(rng, left)
    if rng.random() < 0.5:
        other = random_expression(rng, size - 1 - left)
        joins: list[type[Sequence | Either | Both]] = [Sequence, Sequence, Either, Both]
        return rng.choice(joins)((one, other))
    form = rng.randrange(5)
    if form == 0:
        return Complement(one)
    if form == 1:
        return Repeat(one, *rng.choice([(0, None), (1, None), (2, 3), (2, None), (0, 2)]))
    if form == 2:
        return Ahead(one, rng.random() < 0.5)
    if form == 3:
        return Behind(one, rng.random() < 0.5)
    return Sequence((one, Repeat(event("call"), 0, 2)))


def test_every_operator_means_what_its_definition_says() -> None:
    """Lookarounds of any width under complements, intersections and loops included."""
    rng = random.Random(6)
    traces = [w for size in range(4) for w in itertools.product(EVENTS, repeat=size)]
    for _ in range(400):
        expression = random_expression(rng, rng.randint(0, 6))
        engine = Engine(Events())
        (term,) = engine.terms([expression])
        blocks = engine.alphabet.blocks
        for trace in traces:
            state = engine.stepper.settle(term)
            for letter in trace:
                block = next(number for number, members in enumerate(blocks) if letter in members)
                steps = engine.stepper.step(state).items()
                (target,) = [target for target, mask in steps if mask >> block & 1]
                state = engine.stepper.settle(target)
            expected = holds(expression, trace, 0, len(trace))
            assert engine.stepper.accepts(state) is expected, (expression, trace)


def test_inclusion_and_the_minimal_automaton() -> None:
    engine = Engine(Events())
    few, many = engine.terms([Repeat(event("call"), 0, 3), Repeat(event("call"), 0, None)])
    assert included(engine.stepper, few, many, lambda: None)
    assert not included(engine.stepper, many, few, lambda: None)
    word = compare(engine.stepper, many, few, lambda: None).word
    assert engine.letters(word or ()) == ["call"] * 4
    found = determinise(engine.stepper, few, 10, lambda: None)
    assert found is not None
    assert (sum(found.accepting), len(found.accepting)) == (4, 5)
    assert determinise(engine.stepper, few, 3, lambda: None) is None


def test_sampled_words_are_words_and_the_shortest_is_shortest() -> None:
    rng = random.Random(8)
    found = 0
    for _ in range(300):
        expression = random_expression(rng, rng.randint(0, 6))
        engine = Engine(Events())
        term, nothing = engine.terms([expression, NOTHING])
        if not term.positive or term is nothing:
            continue
        found += 1
        least = compare(engine.stepper, term, nothing, lambda: None).word
        sampled = sampling.shortest(term)
        assert least is not None
        assert sampled is not None
        assert len(least) == len(sampled)
        for word in [sampled, *sampling.various(term, seed=1, count=5)]:
            assert sampling.contains(engine.stepper, term, word, lambda: None)
    assert found > 50


def test_the_letters_of_a_term_are_its_words_of_one_letter() -> None:
    rng = random.Random(9)
    plain = 0
    for _ in range(600):
        engine = Engine(Events())
        (term,) = engine.terms([random_expression(rng, rng.randint(0, 7))])
        state = engine.stepper.settle(term)
        found = engine.stepper.letters(state)
        if found is None:
            continue
        plain += 1
        stepped = 0
        for target, mask in engine.stepper.step(state).items():
            if engine.stepper.accepts(engine.stepper.settle(target)):
                stepped |= mask
        assert found == stepped
    assert plain > 200
