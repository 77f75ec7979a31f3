"""Is there a word in which a conjunction of formulas holds? Traces breadth first, lassos by components.

A set of formulas that includes another one has fewer words. Finite search never enters a state that includes
one it has met; infinite search treats a state that includes one without words as that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from truespec.temporal.pool import Pool
from truespec.temporal.unfold import State, Step, Unfolding
from truespec.temporal.words import Word


@dataclass(slots=True)
class _Seen:
    """States by what they claim, to find one that a new state includes."""

    by_claim: dict[tuple[int, int], list[State]] = field(default_factory=dict)

    def add(self, state: State) -> None:
        self.by_claim.setdefault(state[1:], []).append(state)

    def within(self, state: State) -> State | None:
        """A state whose words include all words of this one."""
        todo, known, held = state
        for (other_known, other_held), states in self.by_claim.items():
            same = other_known == known and other_held == held
            fewer = known >= 0 and other_known >= 0 and other_known & known == other_known
            if not same and not (fewer and held & other_known == other_held):
                continue
            for other in states:
                if other.todo & todo == other.todo:
                    return other
        return None


class FiniteSearch:
    """The traces of a conjunction, by ascending length: `advance` tries the next length."""

    def __init__(self, pool: Pool, tops: tuple[int, ...], check: Callable[[], None]) -> None:
        self.unfolding = Unfolding(pool, tops, check)
        start = self.unfolding.start
        self.frontier: list[State] = [start]
        """The states reached first by the length tried last."""
        self.seen = _Seen()
        self.seen.add(start)
        self.alias: dict[State, State] = {}
        """States that were not entered, each with the one it includes."""
        self._came: dict[State, tuple[State, int]] = {}

    def advance(self) -> Word | None:
        """A trace one longer than the last length tried, or None; no `frontier` is left when there is
        none."""
        after: list[State] = []
        for state in self.frontier:
            ends, steps = self.unfolding.steps(state)
            if ends is not None:
                return self._trace(state, ends)
            for step in steps:
                if step.after in self._came or step.after in self.alias:
                    continue
                within = self.seen.within(step.after)
                if within is not None:
                    if within != step.after:
                        self.alias[step.after] = within
                    continue
                self.seen.add(step.after)
                self._came[step.after] = (state, step.cube)
                after.append(step.after)
        self.frontier = after
        return None

    def _trace(self, state: State, cube: int) -> Word:
        cubes = [cube]
        while state in self._came:
            state, cube = self._came[state]
            cubes.append(cube)
        return Word(tuple(self.unfolding.letter(cube) for cube in reversed(cubes)))

    def states(self) -> Iterator[State]:
        """Every state that was entered."""
        yield self.unfolding.start
        yield from self._came


@dataclass(slots=True)
class _Component:
    """A candidate for a strongly connected component of the states on the path."""

    first: int
    """The number of its first state."""
    stuck: int
    """The untils that every step inside it puts off."""
    entry: int
    """The untils that the step into it puts off."""


class InfiniteSearch:
    """A lasso of a conjunction, by Couvreur's search for strongly connected components.

    A component has a word if no until is put off by all of its steps. Where there is none, `rank` and `until`
    are a proof: every step falls in rank, or keeps it and puts off the until of the rank.
    """

    def __init__(self, pool: Pool, tops: tuple[int, ...], check: Callable[[], None]) -> None:
        self.unfolding = Unfolding(pool, tops, check)
        self.rank: dict[State, int] = {}
        """For each state without words the number of its component; successors have smaller ones."""
        self.until: list[int] = []
        """For each component the number of an until that all its steps put off, or -1 where there are
        none."""
        self.alias: dict[State, State] = {}
        """States that were not entered, each with one without words that it includes."""
        self._closed = _Seen()
        self._number: dict[State, int] = {}
        self._path: list[State] = []
        self._components: list[_Component] = []

    def run(self) -> Word | None:
        """A word, or None when there is none."""
        todo: list[tuple[State, Iterator[Step]]] = []
        every = self.unfolding.untils

        def enter(state: State, late: int) -> None:
            self._number[state] = len(self._number)
            self._path.append(state)
            self._components.append(_Component(self._number[state], every, late))
            todo.append((state, iter(self.unfolding.steps(state)[1])))

        enter(self.unfolding.start, every)
        while todo:
            state, steps = todo[-1]
            step = next(steps, None)
            if step is None:
                todo.pop()
                if self._components[-1].first == self._number[state]:
                    self._close()
                continue
            after = step.after
            if after in self.rank or after in self.alias:
                continue
            if after not in self._number:
                within = self._closed.within(after)
                if within is not None:
                    self.alias[after] = within
                else:
                    enter(after, step.late)
                continue
            if not self._merge(self._number[after], step.late):
                return self._lasso()
        return None

    def _merge(self, number: int, late: int) -> int:
        """Join the components down to that of the state; what is stuck in all of it."""
        while self._components[-1].first > number:
            gone = self._components.pop()
            late &= gone.stuck & gone.entry
        self._components[-1].stuck &= late
        return self._components[-1].stuck

    def _close(self) -> None:
        component = self._components.pop()
        stuck = component.stuck
        self.until.append(self.unfolding.order[(stuck & -stuck).bit_length() - 1] if stuck else -1)
        while self._path and self._number[self._path[-1]] >= component.first:
            state = self._path.pop()
            self.rank[state] = len(self.until) - 1
            self._closed.add(state)

    def _lasso(self) -> Word:
        first = self._components[-1].first
        inside = {state for state in self._path if self._number[state] >= first}
        root = next(state for state in self._path if self._number[state] == first)
        stem = self._route(self.unfolding.start, None, lambda step: step.after == root, True)
        cycle: list[Step] = []
        stuck = self.unfolding.untils
        while stuck:
            here = cycle[-1].after if cycle else root
            wanted = stuck
            cycle += self._route(here, inside, lambda step: step.late & wanted != wanted, False)  # noqa: B023
            for step in cycle:
                stuck &= step.late
        if not cycle or cycle[-1].after != root:
            here = cycle[-1].after if cycle else root
            cycle += self._route(here, inside, lambda step: step.after == root, False)
        letters = [self.unfolding.letter(step.cube) for step in (*stem, *cycle)]
        return Word(tuple(letters), len(stem))

    def _route(
        self, start: State, inside: set[State] | None, goal: Callable[[Step], bool], empty: bool
    ) -> list[Step]:
        """The shortest way through known states to a step with the property; none where empty is enough."""
        if empty and start == self._path[0] and goal(Step(0, start, 0)):
            return []
        came: dict[State, tuple[State, Step] | None] = {start: None}
        order = [start]
        for state in order:
            if state not in self._number or (inside is not None and state not in inside):
                continue
            for step in self.unfolding.steps(state)[1]:
                if inside is not None and step.after not in inside:
                    continue
                if goal(step):
                    route = [step]
                    back = came[state]
                    while back is not None:
                        route.append(back[1])
                        back = came[back[0]]
                    return route[::-1]
                if step.after not in came:
                    came[step.after] = (state, step)
                    order.append(step.after)
        raise AssertionError("a component of the search is connected")
