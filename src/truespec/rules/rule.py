"""A rule, and the formal part of those that are checked rather than judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.rules.formula import Formula
from truespec.rules.predicate import ALWAYS, Predicate

CATEGORIES = (
    "output",
    "transition",
    "forbidden_edge",
    "argument",
    "groundedness",
    "plan",
    "final_state",
)
"""What a rule is about, after the evaluators of the paper."""
SEVERITIES = ("low", "medium", "high", "critical")
"""How bad a violation is, from the least."""
FORCES = ("mandatory", "advisory")
"""Whether the prompt commands, or advises."""
VIOLATIONS = (
    "simultaneous_call_text",
    "multiple_calls",
    "omitted_calculation",
    "skipped_verification",
    "skipped_authentication",
    "skipped_confirmation",
    "subjective_comments",
    "fabricated_information",
    "unavailable_information",
    "wrong_refusal",
    "invalid_argument",
    "ungrounded_argument",
)
"""Names of kinds of violations that many policies share, the paper's first; others may be given too."""
ACTIONS = ("block", "ask", "report")
"""What a guard may do about an act that would break a rule: stop it, ask a person, or only tell."""
KINDS = ("deterministic", "semantic")
"""Whether a monitor checks it, or a judge."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where in the prompt a rule's quote stands."""

    start: int
    """The first code point."""
    end: int
    """The code point after the last."""
    prompt_sha256: str | None = None
    """The prompt it was taken from."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """At every event where `when` holds, `require` has to hold, read at that event.

    A `when` of None is the start: `require` has to hold of the trace as a whole.
    """

    when: Predicate | None
    require: Formula


@dataclass(frozen=True, slots=True)
class Formal:
    """What a monitor checks."""

    predicates: tuple[Predicate, ...]
    """What the atoms of the formulas stand for, by number."""
    obligations: tuple[Obligation, ...]
    """All have to be kept."""
    bind: Mapping[str, str] = field(default_factory=dict)
    """Names for data of the event at which an obligation starts; predicates may compare with them."""
    over: Predicate = ALWAYS
    """The events that count; all others are skipped as if they were not there."""
    pairing: str = "nearest"
    """Which result a call has when its identifier is used again; see `traces.event.events`."""
    template: str = ""
    """The template it was written with, for people."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    id: str
    """Unique in its set."""
    text: str
    """What it says, in words."""
    category: str = "output"
    """One of `CATEGORIES`."""
    severity: str = "medium"
    """One of `SEVERITIES`."""
    force: str = "mandatory"
    """One of `FORCES`."""
    kind: str = "deterministic"
    """One of `KINDS`."""
    formal: Formal | None = None
    """The monitor's part; a semantic rule has none, nor has a final state that a replay decides."""
    quote: str | None = None
    """The words of the prompt it comes from."""
    position: Position | None = None
    """Where those words stand."""
    reading: str | None = None
    """Which reading of the words this is, where there are several."""
    domains: tuple[str, ...] = ()
    """The environments it is for; empty for all."""
    violation: str = ""
    """What a breach is called, e.g. `skipped_authentication`; empty for the name of the category."""
    action: str = ""
    """What a guard does about an act that would break the rule: one of `ACTIONS`, or empty: it blocks where
    the rule is mandatory and reports where it is advisory."""
    hint: str = ""
    """What a model that is stopped by the rule could do instead."""
    failures: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the rule's file says about which results of a tool tell a failure; see `rules.failures`."""
    required: bool | None = None
    """Whether the rule has to be evaluated: then a guard blocks, and checks fail, where it cannot be. None
    leaves it to who checks; see `needed`."""

    def __post_init__(self) -> None:
        for value, known, what in (
            (self.category, CATEGORIES, "category"),
            (self.severity, SEVERITIES, "severity"),
            (self.force, FORCES, "force"),
            (self.kind, KINDS, "kind"),
        ):
            if value not in known:
                raise ValueError(f"rule {self.id!r}: {what} is one of {', '.join(known)}, not {value!r}")
        if self.action not in ("", *ACTIONS):
            raise ValueError(f"rule {self.id!r}: action is one of {', '.join(ACTIONS)}, not {self.action!r}")
        if not isinstance(self.hint, str):
            raise ValueError(f"rule {self.id!r}: hint is a text, not {self.hint!r}")
        if self.required not in (None, True, False):
            raise ValueError(f"rule {self.id!r}: required is true or false, not {self.required!r}")
        if not isinstance(self.violation, str):
            raise ValueError(f"rule {self.id!r}: violation is the name of a kind, not {self.violation!r}")
        if not self.id or not self.text:
            raise ValueError("a rule has an id and a text")
        # A final state is decided by replaying the conversation, which needs no monitor.
        replayed = self.category == "final_state" and self.formal is None
        if (self.formal is None) == (self.kind == "deterministic") and not replayed:
            raise ValueError(
                f"rule {self.id!r}: deterministic rules have a formal part, semantic ones have none"
            )

    @property
    def needed(self) -> bool:
        """Whether an act may not pass where this rule cannot be evaluated: where the rule says so, and
        by default for mandatory rules that a monitor checks."""
        if self.required is not None:
            return self.required
        return self.force == "mandatory" and self.kind == "deterministic"

    def speaks_of(self, domain: str | None) -> bool:
        """Whether the rule is for an environment, or a variant of it such as `telecom-workflow`."""
        return not self.domains or any(
            domain == name or str(domain).startswith(name + "-") for name in self.domains
        )

    def summary(self) -> dict[str, Any]:
        """The rule as an artifact lists it."""
        return {
            "id": self.id,
            "category": self.category,
            "text": self.text,
            "quote": self.quote,
            "kind": self.kind,
            "force": self.force,
            "severity": self.severity,
            **({"reading": self.reading} if self.reading else {}),
            **({"violation": self.violation} if self.violation else {}),
            **({"required": self.required} if self.required is not None else {}),
        }
