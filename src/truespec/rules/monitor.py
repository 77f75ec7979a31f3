"""Monitors: many rules over one trace, read once.

Rules share their predicates: each distinct one is evaluated once per event, and only for events of a class
(kind, who, tool, type) that leaves it open. The set of predicates that hold is one number; what it means to
each rule is looked up. A rule whose state an event cannot change is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from json import dumps, loads
from typing import Any

from truespec.domains.regex.finder import Unmatched
from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.coded import CODED, Coded
from truespec.rules.predicate import ALWAYS, NEVER, Predicate, bound_values, simplified, values_at
from truespec.rules.progress import FAILED, PASSED, Machine
from truespec.rules.rule import Formal, Rule
from truespec.traces.event import Event, Feed, events
from truespec.traces.trace import Message, Trace
from truespec.verdict import Undecided

QUOTE = 240
"""Characters of a quote."""
NEEDS_JUDGE = "a semantic rule: it needs a judge"
"""Why no monitor evaluates a semantic rule."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of one rule, at one message."""

    rule_id: str
    """The rule."""
    kind: str
    """What such a breach is called: the rule's `violation`, or else its category."""
    message_index: int
    """The offending message."""
    quote: str
    """What was said or called there."""
    severity: str
    """The rule's severity."""
    effect: str
    """`took_effect` or `blocked` for a call, by its result; `none` where there is no call or no result."""
    root: str | None = None
    """The violation (`rule@message`) that this one follows from."""
    call: int | None = None
    """The offending call's position in the message, where it is a call."""
    known_at: int | None = None
    """The message at which the breach became certain; None for the end of the trace."""

    @property
    def name(self) -> str:
        """How other violations refer to this one."""
        return f"{self.rule_id}@{self.message_index}"


class Finding:
    """What a rule found in a trace. The violations are written out when they are asked for."""

    __slots__ = ("_index", "_run", "_violations", "activations", "reason", "rule", "status")

    def __init__(
        self,
        rule: Rule,
        status: str,
        violations: tuple[Violation, ...] = (),
        reason: str = "",
        activations: int = 0,
        run: Run | None = None,
        index: int = 0,
    ) -> None:
        self.rule = rule
        """The rule."""
        self.status = status
        """`pass`, `fail` or `not_evaluated`."""
        self.reason = reason
        """Why it was not evaluated."""
        self.activations = activations
        """How many events the rule had something to say about; a rule that passes with none says nothing."""
        self._violations = violations
        self._run = run
        self._index = index

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every breach, in the order of messages."""
        if self._run is not None:
            self._violations = tuple(self._run.violations_of(self._index))
            self._run = None
        return self._violations

    def with_violations(self, violations: tuple[Violation, ...]) -> Finding:
        """The same finding with other violations."""
        return Finding(self.rule, self.status, violations, self.reason, self.activations)

    def __repr__(self) -> str:
        return f"Finding({self.rule.id}: {self.status})"


class _Track:
    """One obligation of one rule, compiled."""

    __slots__ = (
        "bind",
        "bits",
        "bound",
        "coded",
        "fixed",
        "formal",
        "idle",
        "looks_ahead",
        "looks_back",
        "machine",
        "number",
        "over",
        "rule",
        "skips",
        "start",
        "when",
    )

    def __init__(
        self, number: int, rule: int, formal: Formal, which: int, bit: Callable[[Predicate], int]
    ) -> None:
        obligation = formal.obligations[which]
        self.number = number
        self.rule = rule
        self.formal = formal
        self.machine = Machine(obligation.require)
        atoms = sorted(
            {node.atom for node in f.walk(obligation.require) if node.kind in (f.ATOM, f.NOT_ATOM)}
        )
        self.when = -1 if obligation.when is None else bit(obligation.when)
        self.bits = [
            (bit(formal.predicates[a]), 1 << a) for a in atoms if not p.variables(formal.predicates[a])
        ]
        self.bound = {a: formal.predicates[a] for a in atoms if p.variables(formal.predicates[a])}
        self.bind = [(formal.predicates[a], 1 << a) for a in atoms if p.variables(formal.predicates[a])]
        self.over = formal.over
        self.start = obligation.when is None
        self.fixed = obligation.require is f.F
        self.coded = _single_coded(obligation.when)
        kinds = {node.kind for node in f.walk(obligation.require)}
        self.looks_ahead = not kinds.isdisjoint(f.FUTURE)
        self.looks_back = not kinds.isdisjoint(f.PAST)
        self.skips = _skips_nothing(obligation.require)
        self.idle: dict[tuple[int, tuple[int, ...]], bool] = {}


def _single_coded(predicate: Predicate | None) -> Predicate | None:
    if predicate is None:
        return None
    found = [c for c in p.conditions(predicate) if c[0] == "coded"]
    return found[0] if len(found) == 1 and (predicate == found[0] or predicate[0] == "and") else None


class _State:
    """A track's state along one trace."""

    __slots__ = ("activations", "begun", "instances", "past", "pending", "registers")

    def __init__(self) -> None:
        self.registers = 0
        self.pending: dict[int, list[Event]] = {}
        self.begun = False
        self.activations = 0
        self.instances: dict[Any, _Instance] = {}
        self.past: list[tuple[Event, int]] = []


class _Instance:
    """A track's state for one choice of bound values."""

    __slots__ = ("pending", "registers", "spawned", "values")

    def __init__(self, values: dict[str, frozenset[str]]) -> None:
        self.values = values
        self.registers = 0
        self.spawned = PASSED
        self.pending: dict[int, list[Event]] = {}


class RuleSet:
    """Rules compiled for checking; build once, use for any number of traces, one at a time."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        """All rules, semantic ones too."""
        self._predicates: list[Predicate] = []
        self._bit_of: dict[Predicate, int] = {}
        self._tracks: list[_Track] = []
        self.pairings = {rule.formal.pairing for rule in self.rules if rule.formal is not None}
        """Which ways of pairing results are asked for."""
        for index, rule in enumerate(self.rules):
            if rule.formal is not None:
                for which in range(len(rule.formal.obligations)):
                    self._tracks.append(_Track(len(self._tracks), index, rule.formal, which, self._bit))
        self.coded: dict[Predicate, Coded] = {
            c: CODED[c[1]](loads(c[2])) for q in self._predicates for c in p.conditions(q) if c[0] == "coded"
        }
        self.quotes: dict[tuple[int, int, Predicate], list[str]] = {}
        self._tests: dict[Predicate, p.Test] = {}
        self._by_pairing: dict[str, tuple[list[_Track], frozenset[int]]] = {}
        self._why: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
        self._silent = [
            Finding(rule, "pass", activations=int(self._always_speaks(index)))
            for index, rule in enumerate(self.rules)
        ]
        self._without: dict[frozenset[int], RuleSet] = {}
        self._kinds = {pairing: self._kinds_for(pairing) for pairing in sorted(self.pairings)}
        self._looks_at_results = any(c[0] == "failed" for q in self._predicates for c in p.conditions(q))
        self._starts = [t for t in self._tracks if t.start]
        self._restless = frozenset(t.number for t in self._tracks if t.start or not _is_idle(t, _State()))
        self._plans: dict[tuple[str, str, str | None, str | None], _Plan] = {}
        self._needs_schema = [self._asks(rule, "fits", "misfit_call") for rule in self.rules]
        self._needs_types = [self._asks(rule, "type") for rule in self.rules]
        self._needs_result = [
            rule.formal is not None and any(_asks_call_result(q) for q in self._all_predicates(rule.formal))
            for rule in self.rules
        ]

    @staticmethod
    def _all_predicates(formal: Formal) -> list[Predicate]:
        return [*formal.predicates, *(o.when for o in formal.obligations if o.when is not None)]

    def _asks(self, rule: Rule, *tags: str) -> bool:
        if rule.formal is None:
            return False
        return any(
            c[0] in tags or (c[0] == "coded" and c[1] in tags)
            for q in self._all_predicates(rule.formal)
            for c in p.conditions(q)
        )

    def _always_speaks(self, index: int) -> bool:
        return any(t.rule == index and (t.fixed or t.start) for t in self._tracks)

    def _kinds_for(self, pairing: str) -> frozenset[str]:
        """The kinds of events that count for any rule; code wants to see them all."""
        kinds = ("message", "call", "result")
        if self.coded:
            return frozenset(kinds)

        def known(condition: Predicate, kind: str) -> bool | None:
            return condition[1] == kind if condition[0] == "kind" else None

        return frozenset(
            kind
            for kind in kinds
            for track in self._tracks
            if track.formal.pairing == pairing
            and simplified(track.over, lambda c, kind=kind: known(c, kind)) != NEVER  # type: ignore[misc]
        )

    def _bit(self, predicate: Predicate) -> int:
        number = self._bit_of.get(predicate)
        if number is None:
            number = self._bit_of[predicate] = len(self._predicates)
            self._predicates.append(predicate)
        return number

    def check(self, trace: Trace) -> list[Finding]:
        """What each rule finds in a complete trace, in the order of the rules.

        A rule with a condition that cannot be decided on some text of the trace is not evaluated.
        """
        try:
            return self._check(trace)
        except Undecided as undecided:
            lost, reason = self.blocked_by(undecided), undecided.message
        rest = iter(self.without(lost).check(trace))
        return [
            Finding(rule, "not_evaluated", (), reason) if index in lost else next(rest)
            for index, rule in enumerate(self.rules)
        ]

    def _check(self, trace: Trace) -> list[Finding]:
        reasons = self._reasons(trace)
        found = list(self._silent)
        for pairing, kinds in self._kinds.items():
            run = Run(self, trace, pairing)
            run.read(events(trace, pairing, kinds, self._looks_at_results))
            run.finish()
            active = run.activity()
            broken = run.broken()
            for index, count in active.items():
                if index not in broken:
                    found[index] = Finding(self.rules[index], "pass", (), "", count)
            for index in broken:
                found[index] = Finding(self.rules[index], "fail", (), "", active.get(index, 0), run, index)
        for index, reason in reasons:
            found[index] = Finding(self.rules[index], "not_evaluated", (), reason)
        return found

    def blocked_by(self, undecided: Undecided) -> frozenset[int]:
        """The rules with the condition that could not be decided; raises where there is none."""
        pattern = undecided.pattern if isinstance(undecided, Unmatched) else None
        named = {
            index
            for index, rule in enumerate(self.rules)
            if rule.formal is not None
            for q in self._all_predicates(rule.formal)
            for c in p.conditions(q)
            if (c[0] in ("text~", "tool~") and c[1] == pattern)
            or (c[0] == "arg" and c[2:] == ("matches", pattern))
        }
        lost = named or {index for index, rule in enumerate(self.rules) if self._reads_schemas(rule)}
        if not lost:
            raise undecided
        return frozenset(lost)

    def without(self, lost: frozenset[int]) -> RuleSet:
        """The other rules."""
        found = self._without.get(lost)
        if found is None:
            kept = [rule for index, rule in enumerate(self.rules) if index not in lost]
            found = self._without[lost] = RuleSet(kept)
        return found

    def _reads_schemas(self, rule: Rule) -> bool:
        return self._asks(rule, "fits", "misfit_call") or any(
            c[0] == "arg" and c[2] == "schema"
            for q in (self._all_predicates(rule.formal) if rule.formal is not None else ())
            for c in p.conditions(q)
        )

    def _reasons(self, trace: Trace) -> list[tuple[int, str]]:
        """Which rules cannot be evaluated on traces of this sort, and why."""
        key = (trace.domain, trace.tools is None, bool(trace.kinds), bool(trace.tools))
        known = self._why.get(key)
        if known is None:
            known = [(i, reason) for i in range(len(self.rules)) if (reason := self.why_not(i, trace))]
            self._why[key] = known
        return known

    def why_not(self, index: int, trace: Trace) -> str:
        """Why a rule cannot be evaluated on a trace; empty when it can."""
        rule = self.rules[index]
        if not rule.speaks_of(trace.domain):
            return f"for {', '.join(rule.domains)}, not for {trace.domain}"
        if rule.formal is None:
            return NEEDS_JUDGE
        if trace.tools is None and self._needs_schema[index]:
            return "the trace holds no tool schemas; supply them with --tools or --join"
        if self._needs_types[index] and not trace.kinds and (trace.tools is None or trace.tools):
            return "nobody says which tools read and which write; supply tool_types.json with --join"
        return ""

    def test_of(self, predicate: Predicate) -> p.Test:
        """The compiled test of a predicate without variables."""
        found = self._tests.get(predicate)
        if found is None:
            found = self._tests[predicate] = self._compiled(predicate)
        return found

    def _compiled(self, predicate: Predicate) -> p.Test:
        tag = predicate[0]
        if tag == "not":
            inner = self.test_of(predicate[1])
            return lambda e: not inner(e)
        if tag in ("and", "or"):
            parts = [self.test_of(part) for part in sorted(predicate[1:], key=_cost)]
            if len(parts) == 2:
                first, second = parts
                return (
                    (lambda e: first(e) and second(e)) if tag == "and" else (lambda e: first(e) or second(e))
                )
            return (
                (lambda e: all(t(e) for t in parts)) if tag == "and" else (lambda e: any(t(e) for t in parts))
            )
        if tag == "coded":
            coded = self.coded[predicate]

            def holds(event: Event) -> bool:
                quotes = coded.quotes(event)
                if quotes:
                    self.quotes[event.index, event.number, predicate] = quotes
                return bool(quotes)

            return holds
        return p.condition_test(predicate)

    def _tracks_of(self, pairing: str) -> tuple[list[_Track], frozenset[int]]:
        found = self._by_pairing.get(pairing)
        if found is None:
            mine = [t for t in self._tracks if t.formal.pairing == pairing]
            found = self._by_pairing[pairing] = (mine, frozenset(t.number for t in mine))
        return found

    def plan(self, event: Event) -> _Plan:
        """What has to be done for events of this class."""
        key = (event.kind, event.by, event.tool, event.type)
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = _Plan(self, event)
        return found


class _Plan:
    """For one class of events: the predicates left open, those that hold, and the tracks that count them."""

    __slots__ = ("active", "bound", "counts", "letters", "open", "sure")

    def __init__(self, rules: RuleSet, event: Event) -> None:
        def known(condition: Predicate) -> bool | None:
            return p.condition_test(condition)(event) if condition[0] in p.STATIC else None

        self.sure = 0
        self.open: list[tuple[int, p.Test]] = []
        for number, predicate in enumerate(rules._predicates):
            rest = simplified(predicate, known)
            if rest == ALWAYS:
                self.sure |= 1 << number
            elif rest != NEVER:
                self.open.append((1 << number, rules.test_of(rest)))
        self.active = [p.evaluate(track.over, lambda c: bool(known(c))) for track in rules._tracks]
        self.bound = {
            track.number
            for track in rules._tracks
            if track.bind and any(simplified(q, known) != NEVER for q, _ in track.bind)
        }
        self.counts = [track.number for track in rules._tracks if self.active[track.number]]
        self.letters: dict[int, list[tuple[_Track, int, bool]]] = {}


class Run:
    """One pass of a rule set over one trace, complete or still going on."""

    def __init__(self, rules: RuleSet, trace: Trace | None = None, pairing: str = "nearest") -> None:
        self.rules = rules
        self.trace = trace
        tracks = rules._tracks
        self._tracks, self._wanted = rules._tracks_of(pairing)
        self._states: list[_State | None] = [None] * len(tracks)
        self._found: dict[int, list[tuple[Event, Event | None]]] = {}
        for made in rules.coded.values():
            made.start(trace)
        self._quotes = rules.quotes = {}
        self._coded = tuple(rules.coded.values())
        self._restless = {n for n in rules._restless if n in self._wanted}
        self._last: Event | None = None
        self.fresh: list[tuple[int, Event, Event | None]] = []

    def read(self, stream: Iterable[Event]) -> None:
        """Take every event of a stream."""
        for event in stream:
            self.take(event)

    def take(self, event: Event) -> None:
        """Take the next event."""
        plan = self.rules.plan(event)
        mask = plan.sure
        for bit, test in plan.open:
            if test(event):
                mask |= bit
        rows = plan.letters.get(mask)
        if rows is None:
            rows = plan.letters[mask] = self._rows(plan, mask)
        if self._restless:
            touched = {track.number for track, _, _ in rows}
            for number in list(self._restless):
                if number not in touched and plan.active[number]:
                    self._step(self.rules._tracks[number], self._state(number), 0, False, event)
        wanted = self._wanted
        for track, letter, starts in rows:
            number = track.number
            if number in wanted:
                self._step(track, self._states[number] or self._state(number), letter, starts, event)
        for coded in self._coded:
            coded.see(event)
        self._last = event

    def _state(self, number: int) -> _State:
        found = self._states[number]
        if found is None:
            found = self._states[number] = _State()
        return found

    def _rows(self, plan: _Plan, mask: int) -> list[tuple[_Track, int, bool]]:
        rows = []
        for number in plan.counts:
            track = self.rules._tracks[number]
            letter = 0
            for bit, local in track.bits:
                if mask >> bit & 1:
                    letter |= local
            starts = track.when >= 0 and bool(mask >> track.when & 1)
            if letter or starts or (track.bind and (number in plan.bound or not track.skips)):
                rows.append((track, letter, starts))
        return rows

    def _step(self, track: _Track, state: _State, letter: int, starts: bool, event: Event) -> None:
        if track.bind:
            self._step_bound(track, state, letter, starts, event)
            return
        if track.fixed and not track.start:
            if starts:
                state.activations += 1
                self._report(track, event, event)
            return
        registers = state.registers
        pending = state.pending
        machine = track.machine
        if pending:
            state.pending = self._moved(track, pending, registers, letter, event)
        if track.start and not state.begun:
            starts = state.begun = True
        after, spawned = machine.step(registers, letter)
        if starts:
            state.activations += 1
            if spawned == FAILED:
                self._report(track, event, event)
            elif spawned != PASSED:
                state.pending.setdefault(spawned, []).append(event)
        elif not pending and after == registers:
            return
        state.registers = after
        if _is_idle(track, state):
            self._restless.discard(track.number)
        else:
            self._restless.add(track.number)

    def _moved(
        self, track: _Track, pending: dict[int, list[Event]], registers: int, letter: int, event: Event
    ) -> dict[int, list[Event]]:
        moved: dict[int, list[Event]] = {}
        for residual, origins in pending.items():
            target = track.machine.move(residual, registers, letter)
            if target == FAILED:
                for origin in origins:
                    self._report(track, origin, event)
            elif target != PASSED:
                if target in moved:
                    moved[target] += origins
                else:
                    moved[target] = origins
        return moved

    def _step_bound(self, track: _Track, state: _State, letter: int, starts: bool, event: Event) -> None:
        """A step of a track with bound names, in the cheapest way its formula allows."""
        if not track.looks_ahead:
            # Past alone: looked up backwards when an obligation starts, as far as it takes.
            state.past.append((event, letter))
            if starts:
                state.activations += 1
                values = {name: bound_values(event, path) for name, path in track.formal.bind.items()}
                if not self._held(track, track.machine.formula, values, state.past, len(state.past) - 1):
                    self._report(track, event, event)
            return
        for key, instance in list(state.instances.items()):
            if track.looks_back or instance.pending:
                self._step_instance(track, instance, letter, event)
            if not track.looks_back and not instance.pending:
                del state.instances[key]
        if starts:
            values = {name: bound_values(event, path) for name, path in track.formal.bind.items()}
            key = tuple(sorted((name, tuple(sorted(found))) for name, found in values.items()))
            if key not in state.instances:
                made = state.instances[key] = _Instance(values)
                for old, old_letter in state.past:
                    self._step_instance(track, made, old_letter, old)
                self._step_instance(track, made, letter, event)
            instance = state.instances[key]
            state.activations += 1
            if instance.spawned == FAILED:
                self._report(track, event, event)
            elif instance.spawned != PASSED:
                instance.pending.setdefault(instance.spawned, []).append(event)
        if track.looks_back:
            state.past.append((event, letter))

    def _held(
        self,
        track: _Track,
        formula: f.Formula,
        values: dict[str, frozenset[str]],
        past: list[tuple[Event, int]],
        at: int,
    ) -> bool:
        """Whether a formula of the past holds at a position, for one choice of bound values."""
        kind = formula.kind
        if kind in (f.ATOM, f.NOT_ATOM):
            event, letter = past[at]
            bound = track.bound.get(formula.atom)
            if bound is None:
                value = bool(letter >> formula.atom & 1)
            else:
                value = self._holds_bound(bound, event, values)
            return value == (kind == f.ATOM)
        if kind <= f.FALSE:
            return kind == f.TRUE
        items = formula.items
        if kind == f.AND:
            return all(self._held(track, item, values, past, at) for item in items)
        if kind == f.OR:
            return any(self._held(track, item, values, past, at) for item in items)
        if kind in (f.YESTERDAY, f.WEAK_YESTERDAY):
            return self._held(track, items[0], values, past, at - 1) if at else kind == f.WEAK_YESTERDAY
        since = kind == f.SINCE
        for position in range(at, -1, -1):
            if self._held(track, items[1], values, past, position) == since:
                return since
            if self._held(track, items[0], values, past, position) != since:
                return not since
        return not since

    def _step_instance(self, track: _Track, instance: _Instance, letter: int, event: Event) -> None:
        for predicate, bit in track.bind:
            if self._holds_bound(predicate, event, instance.values):
                letter |= bit
        registers = instance.registers
        if instance.pending:
            instance.pending = self._moved(track, instance.pending, registers, letter, event)
        instance.registers, instance.spawned = track.machine.step(registers, letter)

    def _holds_bound(self, predicate: Predicate, event: Event, values: dict[str, frozenset[str]]) -> bool:
        def test(condition: Predicate) -> bool:
            if condition[0] == "var":
                bound = values[condition[2]]
                return not bound.isdisjoint(bound_values(event, condition[1]))
            if condition[0] == "text var":
                return event.text is not None and any(v and v in event.text for v in values[condition[2]])
            return self.rules.test_of(condition)(event)

        return p.evaluate(predicate, test)

    def _report(self, track: _Track, origin: Event, at: Event | None) -> None:
        self._found.setdefault(track.rule, []).append((origin, at))
        self.fresh.append((track.rule, origin, at))

    def finish(self) -> None:
        """The trace has ended: what is still owed is a breach."""
        for track in self.rules._starts:
            if track.number in self._wanted and self._states[track.number] is None:
                if not track.machine.empty_holds:
                    self._report(track, self._last or Event("message", 0, "system", trace=self.trace), None)
        for number, state in enumerate(self._states):
            if state is None or not (state.pending or state.instances):
                continue
            track = self.rules._tracks[number]
            for pending in (state.pending, *(i.pending for i in state.instances.values())):
                for residual, origins in pending.items():
                    if not track.machine.ends_well(residual):
                        for origin in origins:
                            blamed = (self._last or origin) if track.start else origin
                            self._report(track, blamed, None)

    def activity(self) -> dict[int, int]:
        """For each rule that had something to say, how many events have started an obligation."""
        found: dict[int, int] = {}
        for number, state in enumerate(self._states):
            if state is not None and state.activations:
                rule = self.rules._tracks[number].rule
                found[rule] = found.get(rule, 0) + state.activations
        return found

    def broken(self) -> frozenset[int]:
        """The rules with a breach."""
        return frozenset(self._found)

    def violations_of(self, index: int) -> list[Violation]:
        """The breaches of one rule so far, in the order of messages."""
        made = [
            violation
            for origin, at in self._found.get(index, ())
            for violation in self._violations(self.rules.rules[index], index, origin, at)
        ]
        made.sort(key=lambda v: (v.message_index, -1 if v.call is None else v.call))
        return made

    def _violations(self, rule: Rule, index: int, origin: Event, at: Event | None) -> list[Violation]:
        base = Violation(
            rule.id,
            rule.violation or rule.category,
            origin.index,
            quote_of(origin),
            rule.severity,
            effect_of(origin),
            call=origin.number if origin.kind == "call" else None,
            known_at=None if at is None else at.index,
        )
        for track in self._tracks:
            if track.rule == index and track.coded is not None:
                quotes = self._quotes.get((origin.index, origin.number, track.coded))
                if quotes:
                    return [replace(base, quote=_cut(quote)) for quote in quotes]
        return [base]


def _is_idle(track: _Track, state: _State) -> bool:
    """Whether an event that means nothing to the track leaves its state as it is."""
    if track.start and not state.begun:
        return False
    if track.bind:
        return True
    machine = track.machine
    key = (state.registers, tuple(state.pending))
    known = track.idle.get(key)
    if known is None:
        registers = state.registers
        known = track.idle[key] = machine.step(registers, 0)[0] == registers and all(
            machine.move(residual, registers, 0) == residual for residual in state.pending
        )
    return known


def _skips_nothing(formula: f.Formula) -> bool:
    """Whether an event of which no atom holds can never change the value of a formula at another event.

    So it is where every temporal operator is U, R, S or T over states, and passes such an event by.
    """
    for node in f.walk(formula):
        if node.kind in f.PAST or node.kind in f.FUTURE:
            if len(node.items) != 2 or not all(f.is_state(item) for item in node.items):
                return False
            left, right = (_holds_of_nothing(item) for item in node.items)
            if (left, right) != ((True, False) if node.kind in (f.UNTIL, f.SINCE) else (False, True)):
                return False
    return True


def _holds_of_nothing(formula: f.Formula) -> bool:
    """Whether a state formula holds of an event of which no atom holds."""
    if formula.kind == f.AND:
        return all(_holds_of_nothing(item) for item in formula.items)
    if formula.kind == f.OR:
        return any(_holds_of_nothing(item) for item in formula.items)
    return formula.kind in (f.TRUE, f.NOT_ATOM)


def _cost(predicate: Predicate) -> int:
    tags = {c[0] for c in p.conditions(predicate)}
    return 3 if "coded" in tags else 2 if tags & {"text~", "fits"} else 1 if tags & {"text+", "arg"} else 0


def _asks_call_result(predicate: Predicate) -> bool:
    tags = list(p.conditions(predicate))
    return any(c[0] == "failed" for c in tags) and ("kind", "call") in tags


def quote_of(event: Event) -> str:
    """What was said or called at an event."""
    if event.kind == "call":
        args = event.call.raw if event.call is not None and event.call.arguments is None else None
        given = args if args is not None else dumps(event.args, ensure_ascii=False, default=str)
        return _cut(f"{event.tool}({given})")
    if event.kind == "message" and event.calls and not event.said:
        return f"({event.calls} calls)"
    return _cut(event.text or "")


def _cut(text: str) -> str:
    return text if len(text) <= QUOTE else text[: QUOTE - 1] + "…"


def effect_of(event: Event) -> str:
    """Whether the call at an event, or any call of its message, took effect."""
    if event.kind == "call":
        if event.failed is None and event.trace is not None:
            answer = event.trace.results.get((event.index, event.number))
            if answer is not None:
                return "blocked" if event.trace.messages[answer].failed else "took_effect"
        return "none" if event.failed is None else "blocked" if event.failed else "took_effect"
    if event.kind == "result":
        return "blocked" if event.failed else "took_effect"
    trace = event.trace
    if event.calls and trace is not None:
        answers = [
            trace.results[event.index, n] for n in range(event.calls) if (event.index, n) in trace.results
        ]
        if answers:
            return "blocked" if all(trace.messages[i].failed for i in answers) else "took_effect"
    return "none"


class Monitor:
    """Rules on line: fed message by message, it tells what is broken as soon as it is certain.

    To stop an agent before the act, ask `would_break` about the message it wants to send or the calls it
    wants to make, and carry them out only when nothing comes back:

    >>> from truespec.rules.language import load_rules
    >>> from truespec.traces import Message, ToolCall
    >>> monitor = Monitor(load_rules('''
    ... - {id: ask-first, text: Ask before you book., formal: {template: precedence,
    ...    a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
    ... '''))
    >>> act = Message("assistant", None, (ToolCall("book", {"seat": 3}),))
    >>> [v.rule_id for v in monitor.would_break(act)]
    ['ask-first']
    >>> monitor.observe(Message("user", "Yes, please."))
    []
    >>> monitor.would_break(act)
    []
    """

    def __init__(self, rules: RuleSet | Sequence[Rule], trace: Trace | None = None) -> None:
        self.rules = RuleSet(rules.rules if isinstance(rules, RuleSet) else rules)
        late = [
            rule.id for rule, asks in zip(self.rules.rules, self.rules._needs_result, strict=True) if asks
        ]
        if late:
            raise ValueError(
                f"{', '.join(late)}: a call does not know its result before the act; speak of a result event"
            )
        self.not_evaluated: dict[str, str] = {}
        """Rules that were given up, with the reason: a condition could not be decided on some text."""
        self._trace = trace
        self._messages: list[Message] = []
        self._restart()

    def _restart(self, messages: int | None = None) -> None:
        self._run = Run(self.rules, self._trace)
        self._feed = Feed(self._trace.kinds if self._trace is not None else None)
        for message in self._messages[:messages]:
            for event in self._feed.feed(message):
                event.trace = self._trace
                self._run.take(event)
        self._run.fresh.clear()

    def observe(self, message: Message) -> list[Violation]:
        """Take what has happened; the breaches that became certain by it."""
        self._messages.append(message)
        return self._take(message, len(self._messages) - 1)

    def _take(self, message: Message, after: int) -> list[Violation]:
        try:
            for event in self._feed.feed(message):
                event.trace = self._trace
                self._run.take(event)
        except Undecided as undecided:
            lost = self.rules.blocked_by(undecided)
            self.not_evaluated |= {self.rules.rules[index].id: undecided.message for index in lost}
            self.rules = self.rules.without(lost)
            self._restart(after)
            return self._take(message, after)
        made = [
            violation
            for rule, origin, at in self._run.fresh
            for violation in self._run._violations(self.rules.rules[rule], rule, origin, at)
        ]
        self._run.fresh.clear()
        return made

    def would_break(self, message: Message) -> list[Violation]:
        """What would become certain if this message were sent; nothing is remembered."""
        found = self._take(message, len(self._messages))
        self._restart()
        return found

    def finish(self) -> list[Violation]:
        """The conversation is over: what is still owed."""
        self._run.fresh.clear()
        self._run.finish()
        return [
            violation
            for rule, origin, at in self._run.fresh
            for violation in self._run._violations(self.rules.rules[rule], rule, origin, at)
        ]


def assert_complies(trace: Trace, rules: RuleSet | Sequence[Rule], severity: str = "low") -> None:
    """For tests: fails with every breach of at least this severity, one line each."""
    from truespec.rules.rule import SEVERITIES

    compiled = rules if isinstance(rules, RuleSet) else RuleSet(rules)
    least = SEVERITIES.index(severity)
    lines = [
        f"message {v.message_index}: {v.rule_id} ({v.severity}, {v.effect}): {v.quote}"
        for finding in compiled.check(trace)
        for v in finding.violations
        if SEVERITIES.index(v.severity) >= least
    ]
    if lines:
        raise AssertionError(f"trace {trace.id} breaks {len(lines)} rules:\n" + "\n".join(lines))


__all__ = ["Finding", "Monitor", "RuleSet", "Run", "Violation", "assert_complies", "values_at"]
