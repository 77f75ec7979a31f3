"""Many rules compiled for one pass over a trace.

Rules share their predicates: each distinct one is evaluated once per event, and only for events of a class
(kind, who, tool, type) that leaves it open. The set of predicates that hold is one number; what it means to
each rule is looked up. A rule whose state an event cannot change is not touched. `run.py` does the pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import loads

from truespec.rules import predicate as p
from truespec.rules.checks import CODED
from truespec.rules.coded import Coded
from truespec.rules.failures import failures_of
from truespec.rules.finding import NEEDS_JUDGE, Finding, Status
from truespec.rules.predicate import ALWAYS, NEVER, Predicate, simplified
from truespec.rules.rule import Formal, Rule
from truespec.rules.run import Run
from truespec.rules.track import Track
from truespec.traces.event import Event, events
from truespec.traces.trace import Trace
from truespec.verdict import Undecided

MOST_PLANS = 4096
"""Classes of events that are kept prepared; agents may invent names of tools without end."""


class RuleSet:
    """Rules compiled for checking; build once, use for any number of traces, one at a time."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        """All rules, semantic ones too."""
        self.predicates: list[Predicate] = []
        """Every distinct predicate, by number."""
        self.users: list[set[int]] = []
        """For each predicate, the rules that speak of it."""
        self._bit_of: dict[Predicate, int] = {}
        self.tracks: list[Track] = []
        """Every obligation of every rule, by number."""
        self.failures = failures_of(self.rules)
        """Which results tell a failure."""
        self.pairings = {rule.formal.pairing for rule in self.rules if rule.formal is not None}
        """Which ways of pairing results are asked for."""
        for index, rule in enumerate(self.rules):
            if rule.formal is not None:
                for which in range(len(rule.formal.obligations)):
                    self._compile(index, rule.formal, which)
        self.coded: dict[Predicate, Coded] = {
            c: CODED[c[1]](loads(c[2])) for q in self.predicates for c in p.conditions(q) if c[0] == "coded"
        }
        self.quotes: dict[tuple[int, int, Predicate], list[str]] = {}
        self._tests: dict[Predicate, p.Test] = {}
        self.coded_of = [_single_coded(rule) for rule in self.rules]
        """For each rule, the coded conditions at which its obligations start."""
        self._speakers: dict[Predicate, list[int]] = {}
        self._by_pairing: dict[str, tuple[list[Track], frozenset[int]]] = {}
        self._why: dict[tuple[object, ...], list[tuple[int, str]]] = {}
        self._silent = [
            Finding(rule, Status.PASS, activations=int(self._always_speaks(index)))
            for index, rule in enumerate(self.rules)
        ]
        self._kinds = {pairing: self._kinds_for(pairing) for pairing in sorted(self.pairings)}
        self._looks_at_results = any(c[0] == "failed" for q in self.predicates for c in p.conditions(q))
        self._plans: dict[tuple[str, str, str | None, str | None], Plan] = {}
        self._needs_schema = [self._asks(rule, "fits", "misfit_call") for rule in self.rules]
        self._needs_types = [self._asks(rule, "type") for rule in self.rules]
        self.needs_result = [
            rule.formal is not None and any(_asks_call_result(q) for q in _all_predicates(rule.formal))
            for rule in self.rules
        ]
        """For each rule, whether it asks of a call how it ended."""

    def _compile(self, rule: int, formal: Formal, which: int) -> None:
        track = Track(len(self.tracks), rule, formal, which, self._bit)
        self.tracks.append(track)
        for number in (track.when, *(bit for bit, _ in track.bits)):
            if number >= 0:
                self.users[number].add(rule)

    def _asks(self, rule: Rule, *tags: str) -> bool:
        if rule.formal is None:
            return False
        return any(
            c[0] in tags or (c[0] == "coded" and c[1] in tags)
            for q in _all_predicates(rule.formal)
            for c in p.conditions(q)
        )

    def _always_speaks(self, index: int) -> bool:
        return any(t.rule == index and (t.fixed or t.start) for t in self.tracks)

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
            for track in self.tracks
            if track.formal.pairing == pairing
            and simplified(track.over, lambda c, kind=kind: known(c, kind)) != NEVER  # type: ignore[misc]
        )

    def _bit(self, predicate: Predicate) -> int:
        number = self._bit_of.get(predicate)
        if number is None:
            number = self._bit_of[predicate] = len(self.predicates)
            self.predicates.append(predicate)
            self.users.append(set())
        return number

    def check(self, trace: Trace) -> list[Finding]:
        """What each rule finds in a complete trace, in the order of the rules.

        A rule with a condition that cannot be decided on some text of the trace is not evaluated.
        """
        trace = self.failures.settle(trace)
        found = list(self._silent)
        for pairing, kinds in self._kinds.items():
            run = Run(self, trace, pairing)
            run.read(events(trace, pairing, kinds, self._looks_at_results))
            run.finish()
            active = run.activity()
            broken = run.broken()
            for index, count in active.items():
                if index not in broken:
                    found[index] = Finding(self.rules[index], Status.PASS, (), "", count)
            for index in broken:
                find = lambda run=run, index=index: run.violations_of(index)  # noqa: E731
                found[index] = Finding(self.rules[index], Status.FAIL, (), "", active.get(index, 0), find)
            for index, notes in run.notes.items():
                found[index] = found[index].with_notes(tuple(notes))
            for index, reason in run.lost.items():
                found[index] = Finding(self.rules[index], Status.NOT_EVALUATED, (), reason)
        for index, reason in self._reasons(trace):
            elsewhere = trace.domain is not None and not self.rules[index].speaks_of(trace.domain)
            found[index] = Finding(self.rules[index], Status.NOT_EVALUATED, (), reason, elsewhere=elsewhere)
        return found

    def _reasons(self, trace: Trace) -> list[tuple[int, str]]:
        """Which rules cannot be evaluated on traces of this sort, and why."""
        key = (trace.domain, trace.tools is None, bool(trace.kinds), bool(trace.tools))
        known = self._why.get(key)
        if known is None:
            known = [(i, reason) for i in range(len(self.rules)) if (reason := self.why_not(i, trace))]
            self._why[key] = known
        return known

    def why_not(self, index: int, trace: Trace | None) -> str:
        """Why a rule cannot be evaluated on a trace; empty when it can. None is a trace of which nothing
        is known but its messages."""
        rule = self.rules[index]
        domain, tools = (None, None) if trace is None else (trace.domain, trace.tools)
        if not rule.speaks_of(domain):
            there = f"not for {domain}" if domain is not None else "and no domain is named here"
            return f"for {', '.join(rule.domains)}, {there}"
        if rule.formal is None:
            return NEEDS_JUDGE
        if tools is None and self._needs_schema[index]:
            return "the trace holds no tool schemas; supply them with --tools or --join"
        if self._needs_types[index] and (trace is None or not trace.kinds) and (tools is None or tools):
            return "nobody says which tools read and which write; supply tool_types.json with --join"
        return ""

    def speakers(self, condition: Predicate) -> list[int]:
        """The rules that speak of a condition."""
        found = self._speakers.get(condition)
        if found is None:
            found = self._speakers[condition] = [
                index
                for index, rule in enumerate(self.rules)
                if rule.formal is not None
                and any(c == condition for q in _all_predicates(rule.formal) for c in p.conditions(q))
            ]
        return found

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

    def tracks_of(self, pairing: str) -> tuple[list[Track], frozenset[int]]:
        """The obligations of rules with this pairing, and their numbers."""
        found = self._by_pairing.get(pairing)
        if found is None:
            mine = [t for t in self.tracks if t.formal.pairing == pairing]
            found = self._by_pairing[pairing] = (mine, frozenset(t.number for t in mine))
        return found

    def plan(self, event: Event) -> Plan:
        """What has to be done for events of this class."""
        key = (event.kind, event.by, event.tool, event.type)
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            found = self._plans[key] = Plan(self, event)
        return found


class Plan:
    """For one class of events: the predicates left open, those that hold, and the tracks that count them."""

    __slots__ = ("active", "bound", "letters", "lost", "open", "rules", "sure")

    def __init__(self, rules: RuleSet, event: Event) -> None:
        def known(condition: Predicate) -> bool | None:
            return p.condition_test(condition)(event) if condition[0] in p.STATIC else None

        self.rules = rules
        self.sure = 0
        self.open: list[tuple[int, p.Test]] = []
        """The number of each open predicate, and what is left of its test."""
        self.lost: dict[int, str] = {}
        """Rules that cannot be evaluated on such events, with the reason."""
        for number, predicate in enumerate(rules.predicates):
            try:
                rest = simplified(predicate, known)
            except Undecided as undecided:
                self.lost |= dict.fromkeys(rules.users[number], undecided.message)
                continue
            if rest == ALWAYS:
                self.sure |= 1 << number
            elif rest != NEVER:
                self.open.append((number, rules.test_of(rest)))
        self.active: list[bool] = []
        """For each track, whether the event counts for it."""
        self.bound: set[int] = set()
        """Tracks with a predicate of bound names that the event may satisfy."""
        for track in rules.tracks:
            try:
                self.active.append(p.evaluate(track.over, lambda c: bool(known(c))))
                if any(simplified(q, known) != NEVER for q, _ in track.bind):
                    self.bound.add(track.number)
            except Undecided as undecided:
                del self.active[track.number :]
                self.active.append(False)
                self.lost[track.rule] = undecided.message
        self.letters: dict[int, list[tuple[Track, int, bool]]] = {}

    def rows(self, mask: int) -> list[tuple[Track, int, bool]]:
        """For the predicates that hold, the tracks to step: each with its letter, and whether it starts."""
        found = self.letters.get(mask)
        if found is None:
            if len(self.letters) >= MOST_PLANS:
                self.letters.clear()
            found = self.letters[mask] = list(self._rows(mask))
        return found

    def _rows(self, mask: int) -> Iterator[tuple[Track, int, bool]]:
        for track in self.rules.tracks:
            if not self.active[track.number]:
                continue
            letter = 0
            for bit, local in track.bits:
                if mask >> bit & 1:
                    letter |= local
            starts = track.when >= 0 and bool(mask >> track.when & 1)
            if letter or starts or track.number in self.bound:
                yield track, letter, starts


def _single_coded(rule: Rule) -> list[Predicate]:
    found = []
    for obligation in rule.formal.obligations if rule.formal is not None else ():
        when = obligation.when or ALWAYS
        coded = [c for c in p.conditions(when) if c[0] == "coded"]
        if len(coded) == 1 and (when == coded[0] or when[0] == "and"):
            found += coded
    return found


def _all_predicates(formal: Formal) -> list[Predicate]:
    return [*formal.predicates, *(o.when for o in formal.obligations if o.when is not None)]


def _cost(predicate: Predicate) -> int:
    tags = {c[0] for c in p.conditions(predicate)}
    return 3 if "coded" in tags else 2 if tags & {"text~", "fits"} else 1 if tags & {"text+", "arg"} else 0


def _asks_call_result(predicate: Predicate) -> bool:
    tags = list(p.conditions(predicate))
    return any(c[0] == "failed" for c in tags) and ("kind", "call") in tags
