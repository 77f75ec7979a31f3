"""How rare the inputs are on which a candidate differs from its oracle, by sampling.

Inputs are drawn alike for every candidate of a task, but by no law of the real world: legal points as the
verifier of arithmetic draws them, strings that either pattern matches, worlds of one to three things. The
share says which differences are hard to hit by chance, not how often they matter.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from truespec.automata.sampling import various
from truespec.benchmark.task import Task
from truespec.domains.arith.points import scope
from truespec.domains.arith.replay import CannotReplay, replay
from truespec.domains.fol.model import Model, element_names, holds
from truespec.domains.regex.verify import Question, fresh_engine, replayed
from truespec.domains.registry import load
from truespec.executors.asking import Progress, quiet
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, TruespecError

SECONDS = 30.0
"""The wall limit of one candidate."""

TRIES = 8
"""Inputs drawn for each one wanted; some are not in scope."""

Samples = Iterator[bool]
"""For each input, whether the two differ on it."""


def separating(
    domain: str, oracle: str, candidate: str, context: Mapping[str, object], count: int
) -> tuple[int, int] | None:
    """How many of about `count` sampled inputs separate the two, and how many were sampled.

    None for a domain that is not sampled, a text that cannot be read, and where no input was found in time.
    """
    draw = SAMPLERS.get(domain)
    if draw is None:
        return None
    differ = total = 0
    try:
        for apart in islice(draw(oracle, candidate, context, count), count):
            differ, total = differ + apart, total + 1
    except (TruespecError, CannotReplay, ArithmeticError, RecursionError):
        pass  # what was sampled before stands
    return (differ, total) if total else None


def sampled(
    answers: Sequence[dict[str, Any]], tasks: Sequence[Task], count: int, progress: Progress = quiet
) -> list[dict[str, Any]]:
    """Answer records; the refuted ones with `separating`, as the function of this name gives it."""
    by_name = {task.id: task for task in tasks}
    found = []
    for number, record in enumerate(answers, 1):
        task = by_name.get(record["task"])
        if task is not None and record["verdict"]["answer"] == Answer.REFUTED.value:
            pair = (task.domain, task.oracle, record["candidate"], task.context)
            record = {**record, "separating": separating(*pair, count)}
        found.append(record)
        progress("sampled answers", number, len(answers))
    return found


def _points(oracle: str, candidate: str, context: Mapping[str, object], count: int) -> Samples:
    limit = Limit.start(SECONDS)
    legal = scope(load("arith").read_context(context, oracle))
    for values in legal.sample(count, limit):
        limit.check()
        point = dict(zip(legal.names, values, strict=True))
        yield replay(oracle, point) != replay(candidate, point)


def _strings(oracle: str, candidate: str, context: Mapping[str, object], count: int) -> Samples:
    limit, domain = Limit.start(SECONDS), load("regex")
    given = domain.read_context(context, oracle)
    # Earlier pairs would split the letters further, and the draw would depend on them.
    engine = fresh_engine(given.alphabet)
    question = Question(domain.parse(oracle, given), domain.parse(candidate, given), given, limit, engine)
    sides = [side for side in (question.oracle, question.candidate) if side.positive]
    words = [
        [letter.bit_length() - 1 for letter in word]
        for seed, side in enumerate(sides)
        for word in islice(various(side, seed, count), count)
    ]
    chance, blocks = random.Random(0), len(question.engine.alphabet.blocks)
    seen: set[str] = set()
    for _ in range(TRIES * count if words else 0):
        word = list(chance.choice(words))
        for _ in range(chance.randrange(4)):
            place = chance.randrange(len(word) + 1)
            # Another letter, one more, or one less.
            word[place : place + chance.randrange(2)] = [chance.randrange(blocks)] * chance.randrange(2)
        text = question.string(tuple(word))
        if text in seen:
            continue
        seen.add(text)
        values, _ = replayed(oracle, candidate, given, text, limit)
        if any(values):
            yield values[0] != values[1]


def _worlds(oracle: str, candidate: str, context: Mapping[str, object], count: int) -> Samples:
    limit, domain = Limit.start(SECONDS), load("fol")
    given = domain.read_context(context, oracle)
    first, second = (domain.parse(text, given).parsed.formula for text in (oracle, candidate))
    chance = random.Random(0)
    for number in range(TRIES * count):
        names = element_names(1 + number % 3)
        world = Model(
            names,
            {constant: chance.choice(names) for constant in given.constants},
            {
                name: frozenset(row for row in product(names, repeat=arity) if chance.random() < 0.5)
                for name, arity in given.predicates.items()
            },
        )
        if all(holds(axiom, world, limit) for axiom in given.axioms):
            yield holds(first, world, limit) != holds(second, world, limit)


SAMPLERS: dict[str, Callable[[str, str, Mapping[str, object], int], Samples]] = {
    "arith": _points,
    "regex": _strings,
    "fol": _worlds,
}
"""By domain, inputs and whether the two differ on them."""
