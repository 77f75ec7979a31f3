"""What rules find in traces: findings with their status, and violations with their place and quote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from json import dumps

from truespec.rules.rule import Rule
from truespec.traces.event import Event

QUOTE = 240
"""Characters of a quote."""
NEEDS_JUDGE = "a semantic rule: it needs a judge"
"""Why no monitor evaluates a semantic rule."""


class Status(StrEnum):
    """What is known of a rule on a trace, or of an evaluator."""

    PASS = "pass"
    """Evaluated, and kept."""
    FAIL = "fail"
    """Evaluated, and broken."""
    NOT_EVALUATED = "not_evaluated"
    """Nothing is known, for a reason that is given. Never counted as kept."""
    NO_RULES = "no_rules"
    """Of an evaluator alone: no rule of its kind was given."""


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

    __slots__ = ("_find", "_violations", "activations", "elsewhere", "notes", "reason", "rule", "status")

    def __init__(
        self,
        rule: Rule,
        status: Status,
        violations: tuple[Violation, ...] = (),
        reason: str = "",
        activations: int = 0,
        find: Callable[[], list[Violation]] | None = None,
        notes: tuple[str, ...] = (),
        elsewhere: bool = False,
    ) -> None:
        self.rule = rule
        """The rule."""
        self.status = status
        """`pass`, `fail` or `not_evaluated`."""
        self.notes = notes
        """What was assumed on the way, e.g. that a text was read as a number, each with its place."""
        self.elsewhere = elsewhere
        """Whether the rule is for other domains than the trace's, and was not evaluated for that."""
        self.reason = reason
        """Why it was not evaluated; of a rule that is broken, why nothing is known of the rest."""
        self.activations = activations
        """How many events the rule had something to say about; a rule that passes with none says nothing."""
        self._violations = violations
        self._find = find

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Every breach, in the order of messages."""
        if self._find is not None:
            self._violations = tuple(self._find())
            self._find = None
        return self._violations

    def with_violations(self, violations: tuple[Violation, ...]) -> Finding:
        """The same finding with other violations."""
        return Finding(
            self.rule,
            self.status,
            violations,
            self.reason,
            self.activations,
            None,
            self.notes,
            self.elsewhere,
        )

    def with_reason(self, reason: str) -> Finding:
        """The same finding, of which some part could not be evaluated: what is broken stays so, and of what
        is not nothing is known."""
        status = self.status if self.status == Status.FAIL else Status.NOT_EVALUATED
        activations = self.activations if status == Status.FAIL else 0
        return Finding(self.rule, status, self._violations, reason, activations, self._find, self.notes)

    def with_notes(self, notes: tuple[str, ...]) -> Finding:
        """The same finding with notes."""
        find, listed = self._find, self._violations
        return Finding(
            self.rule, self.status, listed, self.reason, self.activations, find, notes, self.elsewhere
        )

    def __repr__(self) -> str:
        return f"Finding({self.rule.id}: {self.status})"


def quote_of(event: Event) -> str:
    """What was said or called at an event."""
    if event.kind == "call":
        args = event.call.raw if event.call is not None and event.call.arguments is None else None
        given = args if args is not None else dumps(event.args, ensure_ascii=False, default=str)
        return cut(f"{event.tool}({given})")
    if event.kind == "message" and event.calls and not event.said:
        return f"({event.calls} calls)"
    return cut(event.text or "")


def cut(text: str) -> str:
    """The text, shortened to `QUOTE` characters."""
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
