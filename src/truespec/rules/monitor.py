"""Monitors: rules on line, message by message, before the act and after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from truespec.rules.finding import NEEDS_JUDGE, QUOTE, Finding, Status, Violation
from truespec.rules.predicate import values_at
from truespec.rules.rule import Rule
from truespec.rules.ruleset import RuleSet
from truespec.rules.run import Run
from truespec.traces.event import Feed
from truespec.traces.trace import Message, ToolCall, Trace

LATE = "it reads results as 'results: last' does, which needs the complete trace"
"""Why a rule with that pairing is not evaluated on line."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a message would do, or has done."""

    violations: tuple[Violation, ...] = ()
    """What becomes certain by it."""
    not_evaluated: dict[str, str] = field(default_factory=dict)
    """Every rule of which nothing is known from then on, with the reason."""
    unread: dict[str, str] = field(default_factory=dict)
    """Rules with a condition on a number that met another type of value; reported here."""


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
        """`trace` holds what is known beside the messages: tools with their schemas and types, the domain."""
        self.rules = RuleSet(rules.rules if isinstance(rules, RuleSet) else rules)
        late = [rule.id for rule, asks in zip(self.rules.rules, self.rules.needs_result, strict=True) if asks]
        if late:
            raise ValueError(
                f"{', '.join(late)}: a call does not know its result before the act; speak of a result event"
            )
        self.elsewhere: dict[str, str] = {}
        """Rules for other domains than the conversation's, which say nothing here."""
        self._reasons: dict[str, str] = {}
        self._trace = trace
        self._run = Run(self.rules, trace)
        self._feed = Feed(trace.kinds if trace is not None else None)
        for index, rule in enumerate(self.rules.rules):
            reason = self.rules.why_not(index, trace)
            if not reason and rule.formal is not None and rule.formal.pairing != "nearest":
                reason = LATE
            if reason:
                self._run.lose(index, reason)
                known = trace is not None and trace.domain is not None
                if known and not rule.speaks_of(trace.domain if trace is not None else None):
                    self.elsewhere[rule.id] = reason

    @property
    def not_evaluated(self) -> dict[str, str]:
        """Rules of which nothing is known, with the reason: what they need is not there, or a condition
        could not be decided on some text, or compared with some value."""
        return self._named({**self._run.doubtful, **self._run.lost})

    def _named(self, reasons: Mapping[int, str]) -> dict[str, str]:
        rules = self.rules.rules
        return {
            rules[index].id: reason
            for index, reason in reasons.items()
            if rules[index].id not in self.elsewhere
        }

    def observe(self, message: Message) -> list[Violation]:
        """Take what has happened; the breaches that became certain by it."""
        message = self._settled(message)
        self._take(message)
        self._feed.commit(message)
        made = list(self._fresh())
        self._run.fresh.clear()
        return made

    def asked(self, message: Message) -> ToolCall | None:
        """The open call that a result answers; None where there is none."""
        return self._feed.asked(message)

    def _settled(self, message: Message) -> Message:
        if message.role != "tool":
            return message
        source = self._trace.source.format if self._trace is not None else None
        asked = self._feed.asked(message)
        tool = asked.name if asked is not None else message.tool
        return self.rules.failures.settled(message, tool, source)

    def _take(self, message: Message) -> None:
        for event in self._feed.events_of(message):
            event.trace = self._trace
            self._run.take(event)

    def _fresh(self) -> Iterator[Violation]:
        for rule, origin, at in self._run.fresh:
            yield from self._run.violations(rule, origin, at)

    def look_ahead(self, message: Message) -> Outlook:
        """What would become certain if this message were sent, and which rules could not be evaluated then;
        nothing is remembered. The cost does not depend on the length of the conversation."""
        message = self._settled(message)
        self._run.begin_trial()
        try:
            self._run.unread = {}
            self._take(message)
            unread = {self.rules.rules[rule].id: reason for rule, reason in self._run.unread.items()}
            return Outlook(tuple(self._fresh()), self._named(self._run.lost), unread)
        finally:
            self._run.end_trial()

    def would_break(self, message: Message) -> list[Violation]:
        """What would become certain if this message were sent; see `look_ahead`, which also says what could
        not be evaluated."""
        return list(self.look_ahead(message).violations)

    def owed(self) -> list[Violation]:
        """The open obligations: what would be broken if the conversation ended now."""
        return [v for rule, origin in self._run.owed() for v in self._run.violations(rule, origin, None)]

    def finish(self) -> list[Violation]:
        """The conversation is over: what is still owed."""
        self._run.fresh.clear()
        self._run.finish()
        return list(self._fresh())


__all__ = [
    "NEEDS_JUDGE",
    "QUOTE",
    "Finding",
    "Monitor",
    "Outlook",
    "RuleSet",
    "Run",
    "Status",
    "Violation",
    "values_at",
]
