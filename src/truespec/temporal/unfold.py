"""Partial derivatives: what a set of formulas demands of this position, and of the rest of the word.

A *way* is one manner in which formulas can hold here, packed into one integer: a cube of literals, the
formulas that have to hold at the next position, the untils that are put off, and whether there has to be a
next position. Conjunction of ways is `|`, and a way that asks less than another makes the other superfluous.
Letters are never enumerated: n atoms cost 2n bits, not 2^n branches.

Past formulas are claims. A state says which past formulas that still matter held one position before; a step
proves each claim that the next state makes, or proves its negation. That is exact under future operators,
too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from truespec.temporal.pool import FALSE, PAST, TRUE, Kind, Pool

_MANY = 32
"""Products of ways are interrupted by the limit from this width on."""


class State(NamedTuple):
    """What has to hold from a position on."""

    todo: int
    """The formulas, as bits."""
    known: int
    """The past formulas whose value at the previous position is fixed; -1 where there is none before."""
    held: int
    """Those of them that held there."""


class Step(NamedTuple):
    """One way through a position."""

    cube: int
    """The atoms that have to hold, and above them those that must not."""
    after: State
    """What remains."""
    late: int
    """The untils that are put off, as bits."""


class Unfolding:
    """The states and steps of the conjunctions over the formulas of a pool."""

    def __init__(self, pool: Pool, tops: tuple[int, ...], check: Callable[[], None]) -> None:
        self.pool = pool
        self.check = check
        self.states = 0
        """How many states were stepped."""
        below = pool.below(*tops, *(top ^ 1 for top in tops))
        self.order = sorted({m for n in below for m in (n, n ^ 1)})
        self._place = {number: place for place, number in enumerate(self.order)}
        self._atoms = len(pool.atoms)
        size = len(self.order)
        self._ones = (1 << self._atoms) - 1
        self._cube = (1 << 2 * self._atoms) - 1
        self._at_next = 2 * self._atoms
        self._at_late = self._at_next + size
        self._mask = (1 << size) - 1
        self._even = sum(1 << place for place in range(0, size, 2))
        self._strong = 1 << self._at_late + size
        self._needs = self._find_needs(below)
        self._ways: dict[tuple[int, bool, int], list[int]] = {}
        self._steps: dict[State, tuple[int | None, list[Step]]] = {}
        self.start = State(self.bits(*tops), -1, 0)
        self.untils = sum(1 << self._place[n] for n in self.order if pool.kind[n] is Kind.UNTIL)

    def _find_needs(self, below: list[int]) -> dict[int, int]:
        """For each formula the past formulas, in even form, whose earlier value it may ask for."""
        needs: dict[int, int] = {}
        for number in below:
            kind, items = self.pool.kind[number], self.pool.items[number]
            mask = 0
            if kind is not Kind.LITERAL:
                for item in items:
                    mask |= needs.get(item, 0) | needs.get(item ^ 1, 0)
            what = self._remembered(number)
            if what is not None:
                mask |= 1 << self._place[what & ~1]
            needs[number] = needs[number ^ 1] = mask | needs.get(number ^ 1, 0)
        return needs

    def _remembered(self, number: int) -> int | None:
        """The formula whose value at the previous position a past formula asks for."""
        kind = self.pool.kind[number]
        if kind < PAST:
            return None
        what = self.pool.items[number][0] if kind <= Kind.WEAK_YESTERDAY else number
        return None if what in (TRUE, FALSE) else what

    def bits(self, *numbers: int) -> int:
        """The formulas as bits; a conjunction is its parts."""
        mask = 0
        for number in numbers:
            if self.pool.kind[number] is Kind.AND:
                mask |= self.bits(*self.pool.items[number])
            elif number != TRUE:
                mask |= 1 << self._place[number]
        return mask

    def numbers(self, mask: int) -> list[int]:
        """The formulas of a mask of bits."""
        found = []
        while mask:
            low = mask & -mask
            found.append(self.order[low.bit_length() - 1])
            mask ^= low
        return found

    def _meet(self, left: list[int], right: list[int]) -> list[int]:
        if len(left) > len(right):
            left, right = right, left
        if left == [0]:
            return right
        found: set[int] = set()
        atoms, ones, strong = self._atoms, self._ones, self._strong
        finite = self.pool.finite
        for a in left:
            if len(right) > _MANY:
                self.check()
            for b in right:
                c = a | b
                if c & ones & (c >> atoms):
                    continue
                after = c >> self._at_next & self._mask
                # N a & N !a holds at the end of a trace: only a strong next makes a clash of it.
                if after & (after >> 1) & self._even and (not finite or c & strong):
                    continue
                found.add(c)
        return self._minimal(found)

    def _minimal(self, found: set[int]) -> list[int]:
        """The ways that no other one makes superfluous."""
        if len(found) < 2:
            return list(found)
        kept: list[int] = []
        for number, c in enumerate(sorted(found, key=int.bit_count)):
            if not number % _MANY:
                self.check()
            for d in kept:
                if c & d == d:
                    break
            else:
                kept.append(c)
        return kept

    def ways(self, number: int, state: State) -> list[int]:
        """The ways in which a formula can hold here."""
        needs = self._needs[number]
        key = (number, state.known < 0, state.held & needs)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = self._unfold(number, state)
        return found

    def _unfold(self, number: int, state: State) -> list[int]:
        kind, items = self.pool.kind[number], self.pool.items[number]
        match kind:
            case Kind.TRUE:
                return [0]
            case Kind.FALSE:
                return []
            case Kind.LITERAL:
                place = items[0]
                return [1 << place] if place >= 0 else [1 << self._atoms + ~place]
            case Kind.AND:
                return self._all(items, state)
            case Kind.OR:
                return self._minimal({way for item in items for way in self.ways(item, state)})
            case Kind.NEXT:
                return [self._later(items[0], strong=True)]
            case Kind.WEAK_NEXT:
                return [self._later(items[0], strong=False)]
            case Kind.YESTERDAY | Kind.WEAK_YESTERDAY:
                return [0] if self._held(number, state) else []
        if kind is Kind.UNTIL:
            rest = [self._later(number, strong=True) | 1 << self._at_late + self._place[number]]
        elif kind is Kind.RELEASE:
            rest = [self._later(number, strong=False)]
        else:
            rest = [0] if self._held(number, state) else []
        first, second = self.ways(items[0], state), self.ways(items[1], state)
        if kind is Kind.UNTIL or kind is Kind.SINCE:
            return self._minimal({*second, *self._meet(first, rest)})
        return self._meet(second, self._minimal({*first, *rest}))

    def _all(self, numbers: tuple[int, ...] | list[int], state: State) -> list[int]:
        made = [0]
        for ways in sorted((self.ways(number, state) for number in numbers), key=len):
            made = self._meet(made, ways)
            if not made:
                break
        return made

    def _held(self, number: int, state: State) -> bool:
        """What a past formula takes from the previous position."""
        kind = self.pool.kind[number]
        if state.known < 0:
            return kind is Kind.WEAK_YESTERDAY or kind is Kind.TRIGGER
        what = self._remembered(number)
        if what is None:
            return self.pool.items[number][0] == TRUE
        place = self._place[what & ~1]
        assert state.known >> place & 1, "a state fixes every past formula that it asks for"
        return bool(state.held >> place & 1) is not bool(what & 1)

    def _later(self, number: int, strong: bool) -> int:
        if number == FALSE:
            # Nothing satisfies it, so that a weak next of it holds at the end alone.
            bits = 1 << self._at_next + self._place[FALSE] | 1 << self._at_next + self._place[TRUE]
        else:
            bits = self.bits(number) << self._at_next
        return bits | (self._strong if strong and self.pool.finite else 0)

    def steps(self, state: State) -> tuple[int | None, list[Step]]:
        """A cube with which a finite trace may end here, or None; and the steps to what remains."""
        found = self._steps.get(state)
        if found is None:
            self.check()
            self.states += 1
            found = self._steps[state] = self._step(state)
        return found

    def _step(self, state: State) -> tuple[int | None, list[Step]]:
        made = self._all(self.numbers(state.todo), state)
        ends = None
        if self.pool.finite:
            ends = next((way & self._cube for way in made if not way & self._strong), None)
        groups: dict[tuple[int, int], dict[int, int]] = {}
        for way in made:
            for full, known, held in self._with_claims(way, state):
                shape = full >> self._at_next & ~(1 << (self._at_late - self._at_next + len(self.order)))
                groups.setdefault((known, held), {}).setdefault(shape, full & self._cube)
        found = []
        for (known, held), shapes in groups.items():
            for shape in self._minimal(set(shapes)):
                after = State(shape & self._mask, known, held)
                found.append(Step(shapes[shape], after, shape >> len(self.order)))
        return ends, found

    def _with_claims(self, way: int, state: State) -> list[tuple[int, int, int]]:
        """The way with every past formula that matters later proved or disproved here."""
        found = []
        todo = [(way, 0, 0)]
        while todo:
            full, known, held = todo.pop()
            after = full >> self._at_next & self._mask
            if after & (after >> 1) & self._even:
                continue  # possible at the end of a finite trace only
            open_ = self._needed(after) & ~known
            if not open_:
                found.append((full, known, held))
                continue
            self.check()
            bit = open_ & -open_
            number = self.order[bit.bit_length() - 1]
            todo += [(c, known | bit, held | bit) for c in self._meet([full], self.ways(number, state))]
            todo += [(c, known | bit, held) for c in self._meet([full], self.ways(number ^ 1, state))]
        return found

    def _needed(self, mask: int) -> int:
        needed = 0
        for number in self.numbers(mask):
            needed |= self._needs[number]
        return needed

    def letter(self, cube: int) -> frozenset[str]:
        """The letter of a cube in which no more atoms hold than have to."""
        return frozenset(name for place, name in enumerate(self.pool.atoms) if cube >> place & 1)
