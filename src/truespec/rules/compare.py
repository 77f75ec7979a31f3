"""What rules mean to each other: implied, equal, contradictory, vacuous, or unknown with the reason.

A rule denotes the set of traces that keep it. Inclusion is decided by the engine of `automata`: the two rules
run side by side over the cells of their predicates (`algebra`), and a bisimulation looks for a trace that one
keeps and the other breaks. What is found is made a real trace and replayed by `direct`, which shares no code
with the search; only then is it an answer.

Rules are compared over all sequences of events. That a call follows the message it stands in, or a result
its call, is not assumed: what is proved holds of every trace, but two rules that differ only on sequences
which no conversation has (a call without its message) are distinguished.

Rules with bound names are compared start by start: if the obligations that one event starts imply each other,
whatever else holds of the bound values, so do the rules. That proves implications; a refutation still needs a
real trace.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.automata import bisimulation
from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.algebra import Cell, cells
from truespec.rules.concrete import registers_of, search
from truespec.rules.product import MARK, Nothing, Product, as_formula, over_all, pointed, renumbered
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.rules.witness import ANY_TOOLS, Toolbox, describe, kept, real
from truespec.solvers.limit import Limit
from truespec.traces.event import Event
from truespec.verdict import OutOfTime, Undecided, Unsupported

SECONDS = 5.0
"""The default limit for one question."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How one rule stands to another."""

    relation: str
    """`equal`, `stronger` (keeping the first keeps the second), `weaker`, `contradictory` (no trace with an
    activation keeps both), `incomparable`, or `unknown`."""
    reason: str = ""
    """Why it is unknown, or where the two differ."""
    left_only: tuple[str, ...] = ()
    """A trace that keeps the first and breaks the second, event by event."""
    right_only: tuple[str, ...] = ()
    """A trace that keeps the second and breaks the first."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Whether one rule implies another."""

    holds: bool | None
    """None where it was not decided."""
    reason: str = ""
    """Why not, or where it does not hold."""
    witness: tuple[Event, ...] = ()
    """A replayed trace that keeps the first and breaks the second."""


def included(
    left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS, *, replays: bool = True
) -> Inclusion:
    """Whether every trace that keeps the left rule keeps the right one.

    Without `replays`, nothing is tried where no proof is found: it is then not decided, without a reason.
    """
    if left.formal is None or right.formal is None:
        return Inclusion(None, "a semantic rule has no formal meaning")
    if not _covers(left, right):
        # Where the left rule is not evaluated it asks for nothing: the right one has to hold by itself.
        there = f"where {right.id} is evaluated and {left.id} is not"
        found = included(_with(right, [(None, f.T)], "always"), right, toolbox, seconds, replays=replays)
        return Inclusion(found.holds, found.reason or there, found.witness)
    if left.formal == right.formal and left.failures == right.failures:
        return Inclusion(True)
    try:
        return _included(left, right, toolbox, Limit.start(seconds), replays)
    except OutOfTime:
        return Inclusion(None, f"no decision within {seconds:g} s")
    except Undecided as error:
        return Inclusion(None, error.message)


def _covers(left: Rule, right: Rule) -> bool:
    """Whether the left rule is evaluated in every environment in which the right one is."""
    return not left.domains or (bool(right.domains) and all(map(left.speaks_of, right.domains)))


def _included(left: Rule, right: Rule, toolbox: Toolbox, limit: Limit, replays: bool) -> Inclusion:
    assert left.formal is not None
    assert right.formal is not None
    question = _Question(left, right)
    if any(
        formal.bind and o.when is None for formal in (left.formal, right.formal) for o in formal.obligations
    ):
        raise Unsupported("a rule with bound names and an obligation that no event starts")
    word = question.separating(toolbox, limit.check)
    if word is None:
        return Inclusion(True)
    if not replays:
        return Inclusion(None)
    found = _replayed(left, right, word, toolbox)
    if found is not None:
        return Inclusion(False, witness=found)
    if names := sorted({name for formal in (left.formal, right.formal) for name, _ in registers_of(formal)}):
        why = (
            f"{', '.join(names)}: what came before is kept in registers, which comparison does not look into"
        )
        return Inclusion(None, f"{why}; such a rule is checked on traces, and proved equal to itself alone")
    if any(cell.witness is None for cell, _ in word):
        return Inclusion(None, "a trace that would separate them needs a text or a value that was not found")
    return Inclusion(None, "the trace that would separate them could not be made real")


Word = Sequence[tuple[Cell, bool]]
"""Cells, and whether the event is the marked one."""


def _replayed(left: Rule, right: Rule, word: Word, toolbox: Toolbox) -> tuple[Event, ...] | None:
    """Events of these cells that keep the left rule and break the right one; None where none was found."""
    assert left.formal is not None
    assert right.formal is not None
    if any(cell.witness is None for cell, _ in word):
        return None
    chosen, marks = [cell for cell, _ in word], [marked for _, marked in word]
    both = {**left.formal.bind, **right.formal.bind}
    # How data has to be chosen for the trace to be one that separates them is tried; the replay decides.
    tries = [(right.formal.bind, True), (left.formal.bind, True), (both, True), (both, False)]
    for bind, fill in tries if both else tries[:1]:
        trace, events = real(chosen, marks, bind, fill, toolbox)
        if kept(left, trace, events) is True and kept(right, trace, events) is False:
            return tuple(events)
    return None


class _Question:
    """The formal parts of two rules as formulas over one list of predicates, and how their calls fail."""

    def __init__(self, first_rule: Rule, second_rule: Rule) -> None:
        left, right = first_rule.formal, second_rule.formal
        assert left is not None
        assert right is not None
        if left.over != right.over:
            left, right = over_all(left), over_all(right)
        self.over = left.over
        self.predicates: list[p.Predicate] = []
        self.bound = bool(left.bind or right.bind)
        outcomes = _outcomes(first_rule), _outcomes(second_rule)
        asked = outcomes if outcomes[0] != outcomes[1] else ("", "")
        first, second = _explicit(left, asked[0]), _explicit(right, asked[1])
        # With bound names, the question is asked for one event at a time: does what it owes to the left rule,
        # or the left rule as a whole where that binds no names, imply what it owes to the right one?
        self.sides = [
            self._pointed(first) if left.bind else as_formula(first, self._number),
            self._pointed(second) if self.bound else as_formula(second, self._number),
        ]

    def _pointed(self, formal: Formal) -> f.Formula:
        return pointed(formal, self._number, self._number(MARK))

    def _number(self, predicate: p.Predicate) -> int:
        if predicate not in self.predicates:
            self.predicates.append(predicate)
        return self.predicates.index(predicate)

    def separating(self, toolbox: Toolbox, check: Callable[[], None]) -> Word | None:
        """Cells of a trace that would keep the first and break the second; None where there is none."""
        letters = self._letters(toolbox, check)
        product = Product(self.sides, [letter for _, letter, _ in letters])
        nothing = Nothing(product)
        outcome = bisimulation.compare(nothing, product.start, nothing.dead, check)  # type: ignore[arg-type]
        if outcome.word is None:
            return None
        return [(letters[block][0], letters[block][2]) for block in outcome.word]

    def _letters(self, toolbox: Toolbox, check: Callable[[], None]) -> list[tuple[Cell, int, bool]]:
        """The cells of the events that count, each with the bits of its predicates, marked and not."""
        asked = [q for q in self.predicates if q != MARK]
        made = []
        for cell in _cells([*asked, self.over], toolbox, check):
            if self.over not in cell.true:
                continue
            for marked in (False, True) if self.bound else (False,):
                held = {*cell.true, MARK} if marked else cell.true
                letter = sum(1 << bit for bit, q in enumerate(self.predicates) if q in held)
                made.append((cell, letter, marked))
        return made


_MOST_KEPT = 32
_known_cells: dict[tuple[Any, ...], list[Cell]] = {}


def _cells(predicates: Sequence[p.Predicate], toolbox: Toolbox, check: Callable[[], None]) -> list[Cell]:
    """Their cells, which are the same for both directions of a comparison."""
    names, types = toolbox.names, toolbox.types
    key = (frozenset(predicates), None if names is None else tuple(names), tuple(types.items()))
    found = _known_cells.get(key)
    if found is None:
        found = cells(predicates, names, types, check)
        if len(_known_cells) >= _MOST_KEPT:
            _known_cells.clear()
        _known_cells[key] = found
    return found


def _outcomes(rule: Rule) -> str:
    """What tells whether a call has failed: how results are paired with calls, and the file's `failures`."""
    assert rule.formal is not None
    return f"{rule.formal.pairing} {json.dumps(rule.failures, sort_keys=True, default=str)}"


def _explicit(formal: Formal, outcomes: str) -> Formal:
    """The formal part with conditions that say all they depend on: for bound values the path they come from;
    for outcomes, where the two rules differ in it, what tells a failure."""

    def explicit(predicate: p.Predicate) -> p.Predicate:
        if predicate[0] in ("and", "or", "not"):
            return (predicate[0], *map(explicit, predicate[1:]))
        if predicate[0] in ("var", "text var"):
            path = formal.bind[predicate[2]]
            return (*predicate[:2], path, path)
        if predicate[0] in ("failed", "coded") and outcomes:  # code may look at outcomes
            return (*predicate, outcomes)
        return predicate

    obligations = tuple(
        Obligation(None if o.when is None else explicit(o.when), o.require) for o in formal.obligations
    )
    return replace(formal, predicates=tuple(map(explicit, formal.predicates)), obligations=obligations)


def compare(left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> Standing:
    """How the left rule stands to the right one."""
    forth, back = included(left, right, toolbox, seconds), included(right, left, toolbox, seconds)
    if forth.holds is None or back.holds is None:
        return Standing("unknown", forth.reason or back.reason, _in_words(forth), _in_words(back))
    if forth.holds and back.holds:
        return Standing("equal")
    if forth.holds:
        return Standing("stronger", back.reason, (), _in_words(back))
    if back.holds:
        return Standing("weaker", forth.reason, _in_words(forth), ())
    return Standing("incomparable", forth.reason or back.reason, _in_words(forth), _in_words(back))


def _in_words(found: Inclusion) -> tuple[str, ...]:
    return tuple(describe(event) for event in found.witness)


def _with(rule: Rule, obligations: Sequence[tuple[p.Predicate | None, f.Formula]], text: str) -> Rule:
    assert rule.formal is not None
    made = tuple(Obligation(when, require) for when, require in obligations)
    # Without bound names, nothing may ask for them.
    unbound = tuple(p.NEVER if p.variables(q) else q for q in rule.formal.predicates)
    formal = replace(rule.formal, obligations=made, bind={}, predicates=unbound)
    return replace(rule, id=f"{rule.id}:{text}", formal=formal)


@dataclass(frozen=True, slots=True)
class Health:
    """What is wrong with a rule on its own."""

    status: str
    """`sound`, `unsatisfiable` (no trace keeps it), `vacuous` (every trace keeps it), `idle` (no event starts
    it with these tools), or `unknown`."""
    reason: str = ""
    """Why it is unknown."""


def health(rule: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> Health:
    """Whether a rule can be kept, can be broken, and can have anything to say."""
    if rule.formal is None:
        return Health("unknown", "a semantic rule has no formal meaning")
    never = _with(rule, [(None, f.F)], "never")
    always = _with(rule, [(None, f.T)], "always")
    starts = [o.when for o in rule.formal.obligations]
    if all(when is not None for when in starts):
        quiet = _with(rule, [(when, f.F) for when in starts if when is not None], "starts")
        idle = included(always, quiet, toolbox, seconds)
        if idle.holds:
            return Health("idle")
    empty, full = included(rule, never, toolbox, seconds), included(always, rule, toolbox, seconds)
    if empty.holds:
        return Health("unsatisfiable")
    if full.holds:
        return Health("vacuous")
    if empty.holds is None or full.holds is None:
        if registers_of(rule.formal) and all(search(rule, toolbox, seconds)):
            return Health("sound")  # its monitor has kept a run that it speaks of, and broken another
        return Health("unknown", empty.reason or full.reason)
    return Health("sound")


def examples(
    rule: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Events that keep a rule which has something to say about them, and events that break it; replayed.

    They are shortest, except where conditions keep registers: see `concrete`. What keeps a rule that
    only forbids shows an event that the rule nearly forbids. Either is empty where none was found. They are
    sequences of events, not yet conversations.
    """
    if rule.formal is None:
        return (), ()
    always = _with(rule, [(None, f.T)], "always")
    starts = [o.when for o in rule.formal.obligations]
    if all(when is not None for when in starts):
        still = _with(rule, [(when, f.F) for when in starts if when is not None], "starts")
    else:
        still = _with(rule, [(None, f.F)], "never")
    kept = included(rule, still, toolbox, seconds).witness
    broken = included(always, rule, toolbox, seconds).witness
    if kept and broken:
        return kept, broken
    tried = search(rule, toolbox, seconds, not kept, not broken)
    return kept or tried[0], broken or tried[1]


def conflict(left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> bool | None:
    """Whether two rules contradict each other: each can be kept where it has something to say, both cannot.

    Rules that are started by events are in conflict when no trace with an event that starts both, or either
    one's whole-trace demand, keeps both. None where it was not decided.
    """
    if left.formal is None or right.formal is None:
        return None
    if left.formal.bind or right.formal.bind or _outcomes(left) != _outcomes(right):
        return None
    if (
        left.domains
        and right.domains
        and not any([*map(left.speaks_of, right.domains), *map(right.speaks_of, left.domains)])
    ):
        return False  # no environment has both
    if left.formal.over != right.formal.over:
        left = replace(left, formal=over_all(left.formal))
        right = replace(right, formal=over_all(right.formal))
    assert left.formal is not None
    assert right.formal is not None
    offset = len(left.formal.predicates)
    moved = [(o.when, renumbered(o.require, lambda atom: offset + atom)) for o in right.formal.obligations]
    joint = _with(left, [*((o.when, o.require) for o in left.formal.obligations), *moved], "both")
    assert joint.formal is not None
    joint = replace(
        joint, formal=replace(joint.formal, predicates=(*left.formal.predicates, *right.formal.predicates))
    )
    # Starting events of the left that may still happen when both are kept.
    starts = [
        o.when
        for rule in (left, right)
        for o in (rule.formal.obligations if rule.formal else ())
        if o.when is not None
    ]
    never = included(joint, _with(joint, [(None, f.F)], "never"), toolbox, seconds).holds
    if never or not starts:
        return never
    for rule in (left, right):
        assert rule.formal is not None
        mine = [o.when for o in rule.formal.obligations if o.when is not None]
        for when in mine:
            alone = included(rule, _with(rule, [(when, f.F)], "no start"), toolbox, seconds).holds
            together = included(joint, _with(joint, [(when, f.F)], "no start"), toolbox, seconds).holds
            if alone is False and together is True:
                return True
            if together is None or alone is None:
                return None
    return False


def pairs(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule]]:
    """Every pair of deterministic rules, once."""
    yield from itertools.combinations([rule for rule in rules if rule.formal is not None], 2)


__all__ = [
    "ANY_TOOLS",
    "Health",
    "Inclusion",
    "Standing",
    "Toolbox",
    "compare",
    "conflict",
    "examples",
    "health",
    "included",
    "pairs",
]


def automaton(
    rule: Rule, toolbox: Toolbox = ANY_TOOLS, most: int = 2000
) -> bisimulation.Deterministic | None:
    """The minimal automaton of the traces that break a rule, over the cells of its predicates.

    None where the rule binds names (it has no finite alphabet) or needs more than `most` states.
    """
    formal = rule.formal
    if formal is None or formal.bind:
        return None
    predicates: list[p.Predicate] = []

    def number(predicate: p.Predicate) -> int:
        if predicate not in predicates:
            predicates.append(predicate)
        return predicates.index(predicate)

    side = as_formula(over_all(formal), number)
    limit = Limit.start(SECONDS)
    letters = {
        sum(1 << bit for bit, q in enumerate(predicates) if q in cell.true)
        for cell in cells(predicates, toolbox.names, toolbox.types, limit.check)
    }
    product = Product([f.T, side], sorted(letters))
    return bisimulation.determinise(Nothing(product), product.start, most, limit.check)  # type: ignore[arg-type]
