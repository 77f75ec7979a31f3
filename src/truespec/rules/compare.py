"""What rules mean to each other: implied, equal, contradictory, vacuous, or unknown with the reason.

A rule denotes the set of traces that keep it. Inclusion is decided by the engine of `automata`: the two rules
run side by side over the cells of their predicates (`algebra`), and a bisimulation looks for a trace that one
keeps and the other breaks. What is found is made a real trace and replayed by `direct`, which shares no code
with the search; only then is it an answer.

Rules are compared over all sequences of events. That a call follows the message it stands in, or a result
its call, is not assumed: what is proved holds of every trace, but two rules that differ only on sequences
which no conversation has (a call without its message) are told apart.

Rules with bound names are compared start by start: if the obligations that one event starts imply each other,
whatever else holds of the bound values, so do the rules. That proves implications; a refutation still needs a
real trace.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.automata import bisimulation
from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.algebra import Cell, cells, document_at, merge
from truespec.rules.direct import holds
from truespec.rules.monitor import RuleSet, Run
from truespec.rules.progress import Machine
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.solvers.limit import Limit
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.event import Event
from truespec.verdict import OutOfTime, Undecided

SECONDS = 5.0
"""The default limit for one question."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How one rule stands to another."""

    relation: str
    """`equal`, `stronger` (keeping the first keeps the second), `weaker`, `contradictory` (no trace with an
    activation keeps both), `incomparable`, or `unknown`."""
    reason: str = ""
    """Why it is unknown."""
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
    """Why not."""
    witness: tuple[Event, ...] = ()
    """A replayed trace that keeps the first and breaks the second."""


class _Product:
    """Rules as states of the engine: each obligation is run as a formula of the trace as a whole.

    A state is a tuple of what is left of each side; letters are cells, one bit each.
    """

    def __init__(self, sides: Sequence[f.Formula], letters: Sequence[int]) -> None:
        self.machines = [Machine(side) for side in sides]
        self.letters = letters
        self.states: dict[tuple[tuple[int, int], ...], _State] = {}
        self.start = self.state(tuple((-1, 0) for _ in sides))

    def state(self, key: tuple[tuple[int, int], ...]) -> _State:
        """The one object of a state."""
        found = self.states.get(key)
        if found is None:
            found = self.states[key] = _State(key)
        return found

    def settle(self, state: _State) -> _State:
        """For the engine: states are settled as they are."""
        return state

    def accepts(self, state: _State) -> bool:
        """Whether the first side ends well and the second does not."""
        first, *rest = (
            machine.empty_holds if residual < 0 else machine.ends_well(residual)
            for machine, (residual, _) in zip(self.machines, state.key, strict=True)
        )
        return first and not all(rest)

    def step(self, state: _State) -> dict[_State, int]:
        """The states after each letter."""
        if state.steps is None:
            state.steps = {}
            for bit, letter in enumerate(self.letters):
                key = []
                for machine, (residual, registers) in zip(self.machines, state.key, strict=True):
                    after, started = machine.step(registers, letter)
                    left = started if residual < 0 else machine.move(residual, registers, letter)
                    key.append((left, after if machine.formula.kind != f.TRUE else 0))
                # What is settled for good needs no registers.
                target = self.state(tuple((r, 0) if 0 <= r <= 1 else (r, g) for r, g in key))
                state.steps[target] = state.steps.get(target, 0) | 1 << bit
        return state.steps


class _State:
    """A state of the product, compared by identity."""

    __slots__ = ("key", "steps")

    def __init__(self, key: tuple[tuple[int, int], ...]) -> None:
        self.key = key
        self.steps: dict[_State, int] | None = None


class _Nothing:
    """The empty language beside a product, for the engine's comparison."""

    def __init__(self, product: _Product) -> None:
        self.product = product
        self.dead = _State(())
        self.everything = (1 << len(product.letters)) - 1

    def settle(self, state: _State) -> _State:
        return state

    def accepts(self, state: _State) -> bool:
        return state is not self.dead and self.product.accepts(state)

    def letters(self, _: _State) -> None:
        """Only a step can tell."""

    def step(self, state: _State) -> dict[_State, int]:
        return {self.dead: self.everything} if state is self.dead else self.product.step(state)


def _as_formula(formal: Formal, number: Callable[[p.Predicate], int]) -> f.Formula:
    """The rule as one formula of the whole trace, over predicates numbered by `number`."""
    kept = []
    for obligation in formal.obligations:
        require = _renumbered(obligation.require, [number(q) for q in formal.predicates])
        if obligation.when is None:
            kept.append(require)
        elif obligation.when == p.ALWAYS:
            kept.append(f.globally(require))
        else:
            kept.append(f.globally(f.implies(f.atom(number(obligation.when)), require)))
    return f.both(*kept)


def _pointed(formal: Formal, number: Callable[[p.Predicate], int], mark: int) -> f.Formula:
    """What the marked event alone owes."""
    kept = []
    for obligation in formal.obligations:
        require = _renumbered(obligation.require, [number(q) for q in formal.predicates])
        when = f.T if obligation.when in (None, p.ALWAYS) else f.atom(number(obligation.when or p.ALWAYS))
        kept.append(f.globally(f.implies(f.both(f.atom(mark), when), require)))
    return f.both(*kept)


def _renumbered(formula: f.Formula, numbers: Sequence[int]) -> f.Formula:
    made: dict[int, f.Formula] = {}
    for node in f.walk(formula):
        items = tuple(made[item.index] for item in node.items)
        if node.kind == f.ATOM:
            new = f.atom(numbers[node.atom])
        elif node.kind == f.NOT_ATOM:
            new = f.negation(f.atom(numbers[node.atom]))
        elif node.kind == f.AND:
            new = f.both(*items)
        elif node.kind == f.OR:
            new = f.either(*items)
        elif node.kind <= f.FALSE:
            new = node
        else:
            build = {
                f.NEXT: f.next_,
                f.WEAK_NEXT: f.weak_next,
                f.YESTERDAY: f.yesterday,
                f.WEAK_YESTERDAY: f.weak_yesterday,
            }
            two = {f.UNTIL: f.until, f.RELEASE: f.release, f.SINCE: f.since, f.TRIGGERED: f.triggered}
            new = build[node.kind](items[0]) if node.kind in build else two[node.kind](items[0], items[1])
        made[node.index] = new
    return made[formula.index]


@dataclass(frozen=True)
class Toolbox:
    """What is known about the tools: with it, only these exist."""

    tools: tuple[ToolSchema, ...] | None = None

    @property
    def names(self) -> list[str] | None:
        """Their names; None for any."""
        return None if self.tools is None else [tool.name for tool in self.tools]

    @property
    def types(self) -> dict[str, str]:
        """What they do, where known."""
        return {tool.name: tool.kind for tool in self.tools or () if tool.kind}


ANY_TOOLS = Toolbox()


def included(left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> Inclusion:
    """Whether every trace that keeps the left rule keeps the right one."""
    if left.formal is None or right.formal is None:
        return Inclusion(None, "a semantic rule has no formal meaning")
    if left.formal == right.formal:
        return Inclusion(True)
    if left.formal.over != right.formal.over:
        left, right = _over_all(left), _over_all(right)
    try:
        return _included(left, right, toolbox, Limit.start(seconds))
    except OutOfTime:
        return Inclusion(None, f"no decision within {seconds:g} s")
    except Undecided as error:
        return Inclusion(None, error.message)


def _over_all(rule: Rule) -> Rule:
    """The same rule over all events: every operator skips what `over` leaves out."""
    formal = rule.formal
    assert formal is not None
    if formal.over == p.ALWAYS:
        return rule
    o = f.atom(len(formal.predicates))
    obligations = []
    for obligation in formal.obligations:
        require = _relative(obligation.require, o)
        if obligation.when is not None:
            obligations.append(Obligation(p.all_of(formal.over, obligation.when), require))
            continue
        first = f.until(f.negation(o), f.both(o, require))
        if Machine(obligation.require).empty_holds:
            first = f.either(first, f.globally(f.negation(o)))
        # Of a trace without any event, "until" is false: the rule's own value is kept.
        obligations.append(Obligation(None, first))
    predicates = (*formal.predicates, formal.over)
    made = replace(formal, predicates=predicates, over=p.ALWAYS, obligations=tuple(obligations))
    return replace(rule, formal=made)


def _relative(formula: f.Formula, o: f.Formula) -> f.Formula:
    """A formula that means, at an event where `o` holds, what it means when only such events count."""
    outside = f.negation(o)
    made: dict[int, f.Formula] = {}
    for node in f.walk(formula):
        a, b = (made[node.items[0].index], made[node.items[-1].index]) if node.items else (f.T, f.T)
        kind = node.kind
        if kind <= f.NOT_ATOM:
            new = node
        elif kind in (f.AND, f.OR):
            new = (f.both if kind == f.AND else f.either)(*(made[item.index] for item in node.items))
        elif kind == f.NEXT:
            new = f.next_(f.until(outside, f.both(o, a)))
        elif kind == f.WEAK_NEXT:
            new = f.weak_next(f.release(o, f.implies(o, a)))
        elif kind == f.YESTERDAY:
            new = f.yesterday(f.since(outside, f.both(o, a)))
        elif kind == f.WEAK_YESTERDAY:
            new = f.weak_yesterday(f.triggered(o, f.implies(o, a)))
        elif kind in (f.UNTIL, f.SINCE):
            new = (f.until if kind == f.UNTIL else f.since)(f.implies(o, a), f.both(o, b))
        else:
            new = (f.release if kind == f.RELEASE else f.triggered)(f.both(o, a), f.implies(o, b))
        made[node.index] = new
    return made[formula.index]


def _included(left: Rule, right: Rule, toolbox: Toolbox, limit: Limit) -> Inclusion:
    assert left.formal is not None
    assert right.formal is not None
    bound = bool(left.formal.bind or right.formal.bind)
    predicates: list[p.Predicate] = []

    def number(predicate: p.Predicate) -> int:
        if predicate not in predicates:
            predicates.append(predicate)
        return predicates.index(predicate)

    def named(formal: Formal) -> Formal:
        """Bound conditions carry the path they are bound to, so equal names of other origin differ."""
        paths = dict(formal.bind)
        return replace(formal, predicates=tuple(_with_paths(q, paths) for q in formal.predicates))

    first, second = named(left.formal), named(right.formal)
    if bound:
        mark = number(("mark",))
        sides = [_pointed(first, number, mark), _pointed(second, number, mark)]
    else:
        sides = [_as_formula(first, number), _as_formula(second, number)]
    conditions = {c for q in predicates for c in p.conditions(q) if c != ("mark",)}
    over = left.formal.over
    every = [
        cell
        for cell in cells(conditions | set(p.conditions(over)), toolbox.names, toolbox.types)
        if p.evaluate(over, cell.holds.__contains__)
    ]
    limit.check()
    letters: list[tuple[Cell, int, bool]] = []
    known: dict[int, int] = {}
    for cell in every:
        for marked in (False, True) if bound else (False,):
            letter = 0
            for bit, predicate in enumerate(predicates):
                if predicate == ("mark",):
                    letter |= marked << bit
                elif p.evaluate(predicate, cell.holds.__contains__):
                    letter |= 1 << bit
            # Of cells that mean the same to both rules, the first with a witness stands for all.
            if letter not in known:
                known[letter] = len(letters)
                letters.append((cell, letter, marked))
    product = _Product(sides, [letter for _, letter, _ in letters])
    nothing = _Nothing(product)
    outcome = bisimulation.compare(nothing, product.start, nothing.dead, limit.check)  # type: ignore[arg-type]
    if outcome.word is None:
        return Inclusion(True)
    chosen = [letters[block][0] for block in outcome.word]
    if any(cell.witness is None for cell in chosen):
        return Inclusion(None, "a trace that would separate them needs a text or a value that was not found")
    marks = [letters[block][2] for block in outcome.word]
    both = {**left.formal.bind, **right.formal.bind}
    # How data has to be chosen for the trace to be one that separates them is tried; the replay decides.
    tries = [(right.formal.bind, True), (left.formal.bind, True), (both, True), (both, False)]
    for bind, fill in tries if bound else tries[:1]:
        trace, events = _real(chosen, marks, bind, fill, toolbox)
        if _kept(left, trace, events) and not _kept(right, trace, events):
            return Inclusion(False, witness=tuple(events))
    return Inclusion(None, "the trace that would separate them could not be made real")


def _with_paths(predicate: p.Predicate, paths: dict[str, str]) -> p.Predicate:
    if predicate[0] in ("and", "or", "not"):
        return (predicate[0], *(_with_paths(part, paths) for part in predicate[1:]))
    if predicate[0] in ("var", "text var"):
        return (*predicate, paths.get(predicate[2], ""))
    return predicate


def _real(
    chosen: Sequence[Cell], marks: Sequence[bool], bind: Mapping[str, str], fill: bool, toolbox: Toolbox
) -> tuple[Trace, list[Event]]:
    """A trace whose events are exactly those of the cells. Calls and results stand alone here: what a rule
    says of an event does not depend on whether its message has a call event of its own."""
    events: list[Event] = []
    for index, cell in enumerate(chosen):
        witness = cell.witness
        assert witness is not None
        call = (
            ToolCall(witness.tool or "", dict(witness.args), f"c{index}")
            if witness.kind != "message"
            else None
        )
        events.append(
            Event(
                witness.kind,
                index,
                witness.by,
                witness.text,
                witness.tool,
                witness.args,
                witness.failed,
                witness.calls,
                witness.said,
                witness.type,
                0,
                call,
            )
        )
    if bind:
        _bind_values(events, chosen, marks, bind, fill)
    role = {"message": "", "call": "assistant", "result": "tool"}
    messages = tuple(Message(role[e.kind] or e.by, e.text) for e in events)
    # Where any tools may be, these are there; what is meant to misfit them says so.
    names = sorted({event.tool for event in events if event.tool})
    tools = toolbox.tools or tuple(ToolSchema(name, _PERMISSIVE) for name in names)
    trace = Trace("witness", messages, Source("witness", "", "", ""), tools=tools)
    for event in events:
        event.trace = trace
    return trace, events


_PERMISSIVE = {"type": "object", "not": {"required": ["__misfit__"]}}


def _bind_values(
    events: Sequence[Event],
    chosen: Sequence[Cell],
    marks: Sequence[bool],
    bind: Mapping[str, str],
    fill: bool,
) -> None:
    """Give bound data values that make the cells true: the marked event's where a condition holds, others
    elsewhere. A value that the marked event has already is kept; with `fill`, it is given those it lacks."""
    marked = next((event for event, mark in zip(events, marks, strict=True) if mark), None)
    if marked is None:
        return
    values: dict[str, str] = {}
    for path in bind.values():
        present = sorted(value for value in p.bound_values(marked, path) if value)
        values[path] = present[0] if present else "v1"
        if fill and not present and path.startswith("args.") and marked.kind != "message":
            marked.args = _with_value(marked.args, path, "v1")
    for index, (event, cell) in enumerate(zip(events, chosen, strict=True)):
        asked = [c for c in cell.holds if c[0] in ("var", "text var")]
        if event.kind != "message" and event is not marked and not asked:
            event.args = {**event.args, "other": f"w{index}"}
        for condition in asked:
            value = values.get(condition[3], "v1")
            if condition[0] == "text var":
                event.text = f"{event.text or ''} {value}".strip()
            elif condition[1] == "args" and event is not marked:
                event.args = dict(marked.args)
            elif condition[1].startswith("args.") and event.kind != "message":
                event.args = _with_value(event.args, condition[1], value)
    for event in events:
        if event.call is not None:
            event.call = ToolCall(event.tool or "", dict(event.args), event.call.id)


def _with_value(args: Mapping[str, Any], path: str, value: str) -> dict[str, Any]:
    """Arguments with a value at a path; where a list stands in the way, it is replaced."""
    made = copy.deepcopy(dict(args))
    merge(made, document_at(path.removeprefix("args."), value) or {})
    return made


def _kept(rule: Rule, trace: Trace, stream: Sequence[Event]) -> bool:
    """Whether a trace keeps a rule, by definition."""
    formal = rule.formal
    assert formal is not None
    coded = {
        c
        for q in [*formal.predicates, *(o.when or p.ALWAYS for o in formal.obligations)]
        for c in p.conditions(q)
    }
    if any(c[0] == "coded" for c in coded):
        return _kept_by_code(rule, trace, stream)
    counted = [e for e in stream if p.evaluate(formal.over, lambda c, e=e: p.condition_test(c)(e))]  # type: ignore[misc]
    for obligation in formal.obligations:
        if obligation.when is None:
            if not holds(obligation.require, _word(formal, counted, None)):
                return False
            continue
        for position, event in enumerate(counted):
            if p.evaluate(obligation.when, lambda c, e=event: p.condition_test(c)(e)):  # type: ignore[misc]
                if not holds(obligation.require, _word(formal, counted, event), position):
                    return False
    return True


def _kept_by_code(rule: Rule, trace: Trace, stream: Sequence[Event]) -> bool:
    """Rules with coded checks are replayed by the monitor: the code is the definition."""
    rules = RuleSet([rule])
    assert rule.formal is not None
    run = Run(rules, trace, rule.formal.pairing)
    run.read(stream)
    run.finish()
    return not run.violations_of(0)


def _word(formal: Formal, stream: Sequence[Event], start: Event | None) -> list[set[int]]:
    def test(condition: p.Predicate, event: Event) -> bool:
        if condition[0] in ("var", "text var"):
            assert start is not None
            bound = p.bound_values(start, formal.bind[condition[2]])
            if condition[0] == "var":
                return bool(bound & p.bound_values(event, condition[1]))
            return event.text is not None and any(v and v in event.text for v in bound)
        return p.condition_test(condition)(event)

    return [
        {n for n, q in enumerate(formal.predicates) if p.evaluate(q, lambda c, e=event: test(c, e))}  # type: ignore[misc]
        for event in stream
    ]


def compare(left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> Relation:
    """How the left rule stands to the right one."""
    forth, back = included(left, right, toolbox, seconds), included(right, left, toolbox, seconds)
    if forth.holds is None or back.holds is None:
        return Relation("unknown", forth.reason or back.reason, _told(forth), _told(back))
    if forth.holds and back.holds:
        return Relation("equal")
    if forth.holds:
        return Relation("stronger", "", (), _told(back))
    if back.holds:
        return Relation("weaker", "", _told(forth), ())
    return Relation("incomparable", "", _told(forth), _told(back))


def _told(found: Inclusion) -> tuple[str, ...]:
    return tuple(describe(event) for event in found.witness)


def describe(event: Event) -> str:
    """An event in words."""
    said = f" saying {event.text!r}" if event.text else ""
    if event.kind == "message":
        calls = f" with {event.calls} calls" if event.calls else ""
        return f"{event.by} message{said}{calls}"
    state = "" if event.failed is None else " failed" if event.failed else " succeeded"
    kind = f" ({event.type})" if event.type else ""
    return f"{event.by}'s {event.kind} of {event.tool}{kind}{dict(event.args) or ''}{state}{said}"


def _with(rule: Rule, obligations: Sequence[tuple[p.Predicate | None, f.Formula]], text: str) -> Rule:
    assert rule.formal is not None
    made = tuple(Obligation(when, require) for when, require in obligations)
    # Without bound names, nothing may ask for them.
    told = tuple(p.NEVER if p.variables(q) else q for q in rule.formal.predicates)
    formal = replace(rule.formal, obligations=made, bind={}, predicates=told)
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
        return Health("unknown", empty.reason or full.reason)
    return Health("sound")


def examples(
    rule: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS
) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """Events that keep a rule which has something to say about them, and events that break it; replayed.

    Either is empty where none was found. They are sequences of events, not yet conversations.
    """
    if rule.formal is None:
        return (), ()
    always = _with(rule, [(None, f.T)], "always")
    starts = [o.when for o in rule.formal.obligations]
    if all(when is not None for when in starts):
        still = _with(rule, [(when, f.F) for when in starts if when is not None], "starts")
    else:
        still = _with(rule, [(None, f.F)], "never")
    kept = included(rule, still, toolbox, seconds)
    return kept.witness, included(always, rule, toolbox, seconds).witness


def conflict(left: Rule, right: Rule, toolbox: Toolbox = ANY_TOOLS, seconds: float = SECONDS) -> bool | None:
    """Whether two rules contradict each other: each can be kept where it has something to say, both cannot.

    Rules that are started by events are in conflict when no trace with an event that starts both, or either
    one's whole-trace demand, keeps both. None where it was not decided.
    """
    if left.formal is None or right.formal is None:
        return None
    if left.formal.bind or right.formal.bind:
        return None
    if left.formal.over != right.formal.over:
        left, right = _over_all(left), _over_all(right)
    assert left.formal is not None
    assert right.formal is not None
    offset = len(left.formal.predicates)
    moved = [
        (o.when, _renumbered(o.require, [offset + i for i in range(len(right.formal.predicates))]))
        for o in right.formal.obligations
    ]
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
    "Relation",
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
    rule = _over_all(rule)
    assert rule.formal is not None
    predicates: list[p.Predicate] = []

    def number(predicate: p.Predicate) -> int:
        if predicate not in predicates:
            predicates.append(predicate)
        return predicates.index(predicate)

    side = _as_formula(rule.formal, number)
    conditions = {c for q in predicates for c in p.conditions(q)}
    letters = {
        sum(1 << bit for bit, q in enumerate(predicates) if p.evaluate(q, cell.holds.__contains__))
        for cell in cells(conditions, toolbox.names, toolbox.types)
    }
    product = _Product([f.T, side], sorted(letters))
    limit = Limit.start(SECONDS)
    return bisimulation.determinise(_Nothing(product), product.start, most, limit.check)  # type: ignore[arg-type]
