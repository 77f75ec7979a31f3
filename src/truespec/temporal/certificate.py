"""The certificate of an equivalence: for each direction a set of states, closed under steps, without a word.

A state is a set of formulas and what held of past formulas one position before (null: there is none before).
The first state of a direction is what it takes to separate the two. As JSON:

    {"kind": "closure",
     "formulas": [["atom", "a"], ["not", "a"], ["U", 1, 0]],
     "directions": [{"states": [[[2, 1], null]], "steps": [[0]], "rank": [0], "until": [2]}, ...]}

`formulas` refer to earlier rows; `steps` lists the states that may follow each state. On finite traces no
state may end a trace. On infinite words every step falls in rank, or keeps it and puts off the until of the
rank: a word would have to put one until off for ever. `truespec.temporal.follow` checks that. The formulas
are those of the texts: nothing was simplified but constants, order and repetition in conjunctions and
disjunctions.
"""

from __future__ import annotations

from truespec.solvers.limit import Limit
from truespec.temporal.pool import Kind, Pool
from truespec.temporal.search import FiniteSearch, InfiniteSearch
from truespec.temporal.syntax import Formula
from truespec.temporal.unfold import State, Unfolding
from truespec.verdict import JSON, OutOfTime

MOST_STATES = 400
"""States in one direction; larger certificates are left out, with a note."""


class _TooLarge(Exception):
    pass


def certify(
    names: tuple[str, ...], finite: bool, left: Formula, right: Formula, scope: Formula, limit: Limit
) -> JSON:
    """The certificate that no word of `scope` separates the two; a note where it would be too large."""
    pool = Pool(names, finite, rewrite=False)
    within, a, b = (pool.add(one) for one in (scope, left, right))
    if a == b:
        return {"kind": "same"}
    table = _Table(pool)
    try:
        both = ((within, a, b ^ 1), (within, a ^ 1, b))
        directions = [_direction(pool, tops, table, limit) for tops in both]
    except (_TooLarge, OutOfTime) as error:
        late = isinstance(error, OutOfTime)
        why = "no time was left" if late else f"more than {MOST_STATES} states"
        return {"kind": "omitted", "reason": why}
    return {"kind": "closure", "formulas": table.rows, "directions": directions}


def _direction(pool: Pool, tops: tuple[int, ...], table: _Table, limit: Limit) -> JSON:
    def check() -> None:
        limit.check()
        if search.unfolding.states > MOST_STATES:
            raise _TooLarge

    search: FiniteSearch | InfiniteSearch
    if pool.finite:
        search = FiniteSearch(pool, tops, check)
        while search.frontier:
            if search.advance() is not None:
                raise AssertionError("the two formulas were proved equal")
        order = list(search.states())
    else:
        search = InfiniteSearch(pool, tops, check)
        if search.run() is not None:
            raise AssertionError("the two formulas were proved equal")
        start = search.unfolding.start
        order = [start, *(state for state in search.rank if state != start)]
    number = {state: place for place, state in enumerate(order)}
    steps: list[JSON] = []
    for state in order:
        after = {search.alias.get(step.after, step.after) for step in search.unfolding.steps(state)[1]}
        listed: list[JSON] = [*sorted(number[one] for one in after)]
        steps.append(listed)
    made: dict[str, JSON] = {
        "states": [table.state(search.unfolding, state) for state in order],
        "steps": steps,
    }
    if isinstance(search, InfiniteSearch):
        made["rank"] = [search.rank[state] for state in order]
        made["until"] = [None if until < 0 else table.row(until) for until in search.until]
    return made


class _Table:
    """Formulas as rows that refer to earlier rows."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.rows: list[JSON] = []
        self._known: dict[int, int] = {}

    def row(self, number: int) -> int:
        """The row of a formula."""
        for one in self.pool.below(number):
            if one not in self._known:
                made = self._made(one)
                self._known[one] = len(self.rows)
                self.rows.append(made)
        return self._known[number]

    def _made(self, number: int) -> JSON:
        kind, items = self.pool.kind[number], self.pool.items[number]
        if kind is Kind.LITERAL:
            name = self.pool.atoms[max(items[0], ~items[0])]
            return ["atom", name] if items[0] >= 0 else ["not", name]
        return [OPERATOR[kind], *(self._known[item] for item in items)]

    def state(self, unfolding: Unfolding, state: State) -> JSON:
        """A state: its formulas, and its claims as pairs of a formula and a truth value."""
        todo: list[JSON] = [self.row(number) for number in unfolding.numbers(state.todo)]
        if state.known < 0:
            return [todo, None]
        held = set(unfolding.numbers(state.held))
        claims: list[JSON] = [[self.row(n), int(n in held)] for n in unfolding.numbers(state.known)]
        return [todo, claims]


OPERATOR = {
    Kind.TRUE: "true",
    Kind.FALSE: "false",
    Kind.AND: "&",
    Kind.OR: "|",
    Kind.NEXT: "X",
    Kind.WEAK_NEXT: "N",
    Kind.UNTIL: "U",
    Kind.RELEASE: "R",
    Kind.YESTERDAY: "Y",
    Kind.WEAK_YESTERDAY: "Z",
    Kind.SINCE: "S",
    Kind.TRIGGER: "T",
}
"""How a certificate names the operators."""
