"""Many rules checked in one pass over a trace, and why some cannot be evaluated on it."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from truespec.rules import predicate as p
from truespec.rules.compiled import CompiledRules, all_predicates
from truespec.rules.failures import failures_of
from truespec.rules.finding import NEEDS_JUDGE, Finding, Status
from truespec.rules.predicate import NEVER, Predicate, simplified
from truespec.rules.rule import Rule
from truespec.rules.run import Run
from truespec.traces.event import events
from truespec.traces.trace import Trace


class RuleSet(CompiledRules):
    """Rules compiled for checking; build once, use for any number of traces. Threads take turns, since checks
    that are written in code keep what they saw of the present trace."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        super().__init__(rules)
        self._one_at_a_time = threading.Lock()
        self.failures = failures_of(self.rules)
        """Which results tell a failure."""
        self.pairings = {rule.formal.pairing for rule in self.rules if rule.formal is not None}
        """Which ways of pairing results are asked for."""
        self._why: dict[tuple[object, ...], list[tuple[int, str]]] = {}
        self._silent = [
            Finding(rule, Status.PASS, activations=int(self._always_speaks(index)))
            for index, rule in enumerate(self.rules)
        ]
        self._kinds = {pairing: self._kinds_for(pairing) for pairing in sorted(self.pairings)}
        self._looks_at_results = any(c[0] == "failed" for q in self.predicates for c in p.conditions(q))
        self._needs_schema = [self._asks(rule, "fits", "misfit_call") for rule in self.rules]
        self._needs_types = [self._asks(rule, "type") for rule in self.rules]
        self.needs_result = [
            rule.formal is not None and any(_asks_call_result(q) for q in all_predicates(rule.formal))
            for rule in self.rules
        ]
        """For each rule, whether it asks of a call how it ended."""

    def _asks(self, rule: Rule, *tags: str) -> bool:
        if rule.formal is None:
            return False
        return any(
            c[0] in tags or (c[0] == "coded" and c[1] in tags)
            for q in all_predicates(rule.formal)
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

    def check(self, trace: Trace) -> list[Finding]:
        """What each rule finds in a complete trace, in the order of the rules.

        A rule with a condition that cannot be decided on some text of the trace is not evaluated, nor is one
        with a condition on a value of another type. What was certain before is a breach all the same; its
        finding then has a reason too, which says from where on nothing is known.
        """
        trace = self.failures.settle(trace)
        with self._one_at_a_time:
            return self._checked(trace)

    def _checked(self, trace: Trace) -> list[Finding]:
        found = list(self._silent)
        for pairing, kinds in self._kinds.items():
            run = Run(self, trace, pairing)
            run.read(events(trace, pairing, kinds, self._looks_at_results))
            run.finish()
            active = run.activity()
            run.forget()
            broken = run.broken()
            for index, count in active.items():
                if index not in broken:
                    found[index] = Finding(self.rules[index], Status.PASS, (), "", count)
            for index in broken:
                find = lambda run=run, index=index: run.violations_of(index)  # noqa: E731
                found[index] = Finding(self.rules[index], Status.FAIL, (), "", active.get(index, 0), find)
            for index, reason in {**run.doubtful, **run.lost}.items():
                found[index] = found[index].with_reason(reason)
            for index, notes in run.notes.items():
                found[index] = found[index].with_notes(tuple(notes))
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
            return "nobody says which tools read and which write; supply tool_types.json with --types"
        return ""


def _asks_call_result(predicate: Predicate) -> bool:
    tags = list(p.conditions(predicate))
    return any(c[0] == "failed" for c in tags) and ("kind", "call") in tags
