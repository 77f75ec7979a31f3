"""Legal points: values of the variables at which every constraint is defined and true.

Values are chosen variable by variable; a constraint is checked as soon as all its variables have values,
and a variable that an equation determines is computed. Where the values of every variable are few, the same
search is an exhaustive enumeration and counts as a proof.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from truespec.domains.arith import polynomial as poly
from truespec.domains.arith.choices import Choices, choices_of, literals
from truespec.domains.arith.context import Context
from truespec.domains.arith.evaluate import compiled
from truespec.domains.arith.facts import conjuncts, normaliser
from truespec.domains.arith.normal import Normal, Normaliser
from truespec.domains.arith.numbers import Number, TooLarge, exact
from truespec.domains.arith.terms import variables
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete

Values = tuple[Number, ...]
"""One value for each variable, in the order of the context."""


@dataclass
class Scope:
    """The legal points of one context, found so far."""

    context: Context
    forms: Normaliser
    names: tuple[str, ...]
    found: list[Values] = field(default_factory=list)
    seen: set[Values] = field(default_factory=set)
    tried: int = 0
    """Restarts made so far."""
    spent: int = 0
    """The effort that a search has used up without finding as many points as were wanted."""
    choices: dict[str, Choices] = field(default_factory=dict)
    levels: list[_Level] = field(default_factory=list)
    legal: Callable[..., bool] = lambda *_: True
    satisfiable: bool | None = None
    """Whether a legal point is known to exist; None while neither is proved."""

    def add(self, values: Values) -> bool:
        """Keep a point if it is legal and new."""
        if values in self.seen or not self.legal(*values):
            return False
        self.seen.add(values)
        self.found.append(values)
        self.satisfiable = True
        return True

    def sample(self, count: int, limit: Limit, effort: int = 20_000) -> list[Values]:
        """Up to `count` legal points; fewer where `effort` steps do not find more."""
        if len(self.found) >= count or effort <= self.spent:
            return list(self.found)
        walk = _Walk(self, effort, limit)
        idle = 0
        while len(self.found) < count and idle < 40:
            before = len(self.found)
            walk.restart(self.tried)
            self.tried += 1
            idle = 0 if len(self.found) > before else idle + 1
            if not self.levels or walk.effort <= 0 or limit.elapsed() > limit.seconds:
                break
        if len(self.found) < count:
            self.spent = effort  # what this effort did not find, it will not find for the next pair either
        return list(self.found)

    def completed(self, values: Values) -> Values | None:
        """The point with every determined variable computed from the others; None where that fails."""
        moved = list(values)
        for level in self.levels:
            if level.solve is not None:
                try:
                    solved = _solved(self, level, moved)
                except TooLarge:
                    return None
                if not solved:
                    return None
                moved[level.position] = solved[0]
        return tuple(moved)

    def size(self) -> int | None:
        """How many combinations of listed values there are; None where a variable is not listed."""
        total = 1
        for level in self.levels:
            if level.solve is None:
                if not self.choices[level.name].complete:
                    return None
                total *= len(self.choices[level.name].values)
        return total


@dataclass(frozen=True, slots=True)
class _Level:
    name: str
    position: int
    """Of the variable in the context."""
    solve: Callable[..., object] | None
    """Computes the difference of an equation that is zero at the value, or None for a free variable."""
    coefficient: Number
    """Of the variable in that difference."""
    checks: tuple[Callable[..., object], ...]
    """Constraints whose variables all have values now."""


def scope(context: Context) -> Scope:
    """The scope of a context, with nothing found yet."""
    forms = normaliser(context.variables, context.constraints)
    names = tuple(context.variables)
    made = Scope(context, forms, names)
    checks = [compiled(term, names) for term in context.constraints]
    made.legal = _all_hold(checks)
    constants = literals(context.constraints)
    for name in names:
        made.choices[name] = choices_of(name, context, forms, constants)
    made.levels = _levels(made, checks)
    if not context.constraints:
        made.satisfiable = True
    if any(choices.complete and not choices.values for choices in made.choices.values()):
        made.satisfiable = False
    return made


def _all_hold(checks: Sequence[Callable[..., object]]) -> Callable[..., bool]:
    def legal(*values: Number) -> bool:
        try:
            return all(check(*values) is True for check in checks)
        except TooLarge:
            return False

    return legal


def _levels(made: Scope, checks: Sequence[Callable[..., object]]) -> list[_Level]:
    context = made.context
    position = {name: index for index, name in enumerate(made.names)}
    needs = [(set(variables(term)), check) for term, check in zip(context.constraints, checks, strict=True)]
    several = [names for names, _ in needs if len(names) > 1]
    solved = _equations(made)
    order: list[str] = []
    free = [name for name in made.names if name not in solved]

    def weight(name: str) -> tuple[int, int]:
        return len(made.choices[name].values), position[name]

    def combinations(names: set[str]) -> int:
        return math.prod(len(made.choices[name].values) for name in names)

    while free:
        # Next comes a variable of the constraint that is nearest to being checked, so that dead ends show
        # early; without one, the variable of fewest values.
        missing = [(names - set(order)) & set(free) for names in several]
        pending = [names for names in missing if names]
        nearest = min(pending, key=lambda names: (len(names), combinations(names)), default=set(free))
        chosen = min(nearest, key=weight)
        free.remove(chosen)
        order.append(chosen)
        for name, (_, _, sources) in solved.items():
            if name not in order and sources <= set(order):
                order.append(name)
    order += [name for name in made.names if name not in order]
    levels: list[_Level] = []
    assigned_: set[str] = set()
    for name in order:
        before = set(assigned_)
        assigned_.add(name)
        ready = tuple(check for names, check in needs if names <= assigned_ and not names <= before)
        solve: Callable[..., object] | None = None
        coefficient: Number = 1
        if name in solved and solved[name][2] <= before:
            solve, coefficient = solved[name][0], solved[name][1]
        levels.append(_Level(name, position[name], solve, coefficient, ready))
    return levels


def _equations(made: Scope) -> dict[str, tuple[Callable[..., object], Number, set[str]]]:
    """Variables that an equation determines: the function, the coefficient and what it depends on."""
    forms = Normaliser(dict(made.context.variables))
    found: dict[str, tuple[Callable[..., object], Number, set[str]]] = {}
    for term, truth in conjuncts(made.context.constraints):
        if term.op != "==" or not truth or term.args[0].boolean:
            continue
        try:
            left, right = (forms.normal(arg) for arg in term.args)
        except Incomplete:
            continue
        assert isinstance(left, Normal)
        assert isinstance(right, Normal)
        gap = poly.add_ratios(left.value, right.value, -1)
        # A need could make the difference undefined at 0, where it is evaluated to solve it.
        if not gap.is_polynomial() or left.needs or right.needs:
            continue
        open_ = {name: forms.variable_atoms[name] for name in variables(term) if name not in found}
        best: tuple[int, str] | None = None
        for name, index in open_.items():
            coefficient = gap.over.get(((index, 1),))
            others = [m for m in gap.over if m != ((index, 1),)]
            if coefficient is None or any(index in forms.occurs(m) for m in others):
                continue
            if _circular(name, set(variables(term)) - {name}, found):
                continue
            rank = len(made.choices[name].values)
            if best is None or rank > best[0]:
                best = (rank, name)
        if best is None:
            continue
        name = best[1]
        arena = made.context.arena
        difference = arena.make("-", term.args)
        found[name] = (
            compiled(difference, made.names),
            gap.over[((forms.variable_atoms[name], 1),)],
            set(variables(term)) - {name},
        )
    return found


def _circular(
    name: str, sources: set[str], found: dict[str, tuple[Callable[..., object], Number, set[str]]]
) -> bool:
    waiting, seen = list(sources), set()
    while waiting:
        source = waiting.pop()
        if source == name:
            return True
        if source in found and source not in seen:
            seen.add(source)
            waiting.extend(found[source][2])
    return False


class _Walk:
    """A depth-first search that tries few values a level, in another order at each restart."""

    def __init__(self, made: Scope, effort: int, limit: Limit) -> None:
        self.made = made
        self.effort = effort
        self.limit = limit

    def restart(self, seed: int) -> None:
        levels = self.made.levels
        if not levels:
            self.made.add(())
            return
        generator = random.Random(seed)
        values: list[Number] = [0] * len(levels)
        wanted = 2
        stack = [self._tries(0, values, generator, seed)]
        budget = min(self.effort, 1_500)
        while stack and budget > 0:
            level = levels[len(stack) - 1]
            value = next(stack[-1], None)
            if value is None:
                stack.pop()
                continue
            budget -= 1
            self.effort -= 1
            if budget % 256 == 0 and self.limit.elapsed() > self.limit.seconds:
                return
            values[level.position] = value
            if not _passes(level, values):
                continue
            if len(stack) < len(levels):
                stack.append(self._tries(len(stack), values, generator, seed))
            elif self.made.add(tuple(values)):
                wanted -= 1
                if wanted == 0:
                    return
                while len(stack) > max(1, len(levels) // 2):
                    stack.pop()

    def _tries(
        self, depth: int, values: list[Number], generator: random.Random, seed: int
    ) -> Iterator[Number]:
        made, level = self.made, self.made.levels[depth]
        if level.solve is not None:
            try:
                return iter(_solved(made, level, values))
            except TooLarge:
                return iter(())
        choices = made.choices[level.name].values
        width = len(choices) if depth >= len(made.levels) - 2 else 12
        if seed == 0:
            return iter(choices[: max(width, 24)])  # the simplest values first, once
        if len(choices) <= width:
            return _shuffled(choices, generator)
        if seed % 2:
            return iter(generator.sample(choices, width))
        # Every other restart prefers simple values.
        picks = {int(len(choices) * generator.random() ** 3) for _ in range(width)}
        return iter([choices[pick] for pick in sorted(picks, key=lambda _: generator.random())])


def _shuffled(values: Sequence[Number], generator: random.Random) -> Iterator[Number]:
    """The values in any order, each drawn when it is asked for: a search takes few of them."""
    made, bits = list(values), generator.getrandbits
    for last in range(len(made) - 1, 0, -1):
        width = (last + 1).bit_length()
        place = bits(width)
        while place > last:
            place = bits(width)
        made[last], made[place] = made[place], made[last]
        yield made[last]
    yield from made[:1]


def _solved(made: Scope, level: _Level, values: list[Number]) -> list[Number]:
    assert level.solve is not None
    values[level.position] = 0
    gap = level.solve(*values)
    if not isinstance(gap, int | Fraction):
        return []
    value = exact(-Fraction(gap) / level.coefficient)
    if made.context.variables[level.name] == "int" and not isinstance(value, int):
        return []
    return [value]


def _passes(level: _Level, values: list[Number]) -> bool:
    try:
        return all(check(*values) is True for check in level.checks)
    except TooLarge:
        return False


def enumerate_points(made: Scope, limit: Limit) -> Iterator[Values]:
    """Every legal point; only where `size` is not None. `TooLarge` where a constraint is not computable."""
    levels = made.levels
    if not levels:
        if made.legal():
            yield ()
        return
    values: list[Number] = [0] * len(levels)

    def tries(depth: int) -> Iterator[Number]:
        level = levels[depth]
        return iter(_solved(made, level, values) if level.solve else made.choices[level.name].values)

    stack = [tries(0)]
    steps = 0
    while stack:
        level = levels[len(stack) - 1]
        value = next(stack[-1], None)
        if value is None:
            stack.pop()
            continue
        steps += 1
        if steps % 512 == 0:
            limit.check()
        values[level.position] = value
        if not all(check(*values) is True for check in level.checks):
            continue
        if len(stack) < len(levels):
            stack.append(tries(len(stack)))
        else:
            yield tuple(values)
