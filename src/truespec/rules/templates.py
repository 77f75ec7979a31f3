"""The Declare templates as obligations, each placed at the event that is to blame.

`a` and `b` stand in the usual order: `precedence(a, b)` says that every b was preceded by an a. Names and
meanings are those of Di Ciccio and Montali, "Declarative process specifications" (2022).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from truespec.rules import formula as f
from truespec.rules.formula import Formula

When = str | None
"""Which predicate starts the obligation: `a`, `b`, or the start of the trace."""


@dataclass(frozen=True, slots=True)
class Template:
    """A named pattern over one or two predicates."""

    needs: str
    """`a`, `ab`, or `an` and `abn` where a number is taken."""
    meaning: str
    """What it says, with {a}, {b} and {n} to fill in."""
    expand: Callable[[Formula, Formula, int], list[tuple[When, Formula]]]
    """Its obligations."""


def _at_least(a: Formula, n: int) -> Formula:
    made = f.T
    for step in range(n):
        made = f.finally_(f.both(a, made if step == 0 else f.next_(made)))
    return made


def _earlier(a: Formula, n: int) -> Formula:
    """At least n events before this one are a."""
    made = f.T
    for _ in range(n):
        made = f.yesterday(f.once(f.both(a, made)))
    return made


def _anywhere(b: Formula) -> Formula:
    return f.either(f.finally_(b), f.once(b))


TEMPLATES: dict[str, Template] = {
    "existence": Template("an", "{a} at least {n} times", lambda a, b, n: [(None, _at_least(a, n))]),
    "absence": Template("an", "{a} at most {n} times", lambda a, b, n: [("a", f.negation(_earlier(a, n)))]),
    "exactly": Template(
        "an",
        "{a} exactly {n} times",
        lambda a, b, n: [(None, _at_least(a, n)), ("a", f.negation(_earlier(a, n)))],
    ),
    "init": Template("a", "{a} first", lambda a, b, n: [(None, a)]),
    "last": Template("a", "{a} last", lambda a, b, n: [(None, f.finally_(f.both(a, f.weak_next(f.F))))]),
    "responded_existence": Template("ab", "if {a}, then also {b}", lambda a, b, n: [("a", _anywhere(b))]),
    "coexistence": Template(
        "ab", "{a} and {b} only together", lambda a, b, n: [("a", _anywhere(b)), ("b", _anywhere(a))]
    ),
    "response": Template("ab", "after {a}, {b}", lambda a, b, n: [("a", f.finally_(b))]),
    "precedence": Template("ab", "before {b}, {a}", lambda a, b, n: [("b", f.once(a))]),
    "succession": Template(
        "ab", "after {a}, {b}, and before {b}, {a}", lambda a, b, n: [("a", f.finally_(b)), ("b", f.once(a))]
    ),
    "alternate_response": Template(
        "ab",
        "after {a}, {b} before the next {a}",
        lambda a, b, n: [("a", f.next_(f.until(f.negation(a), b)))],
    ),
    "alternate_precedence": Template(
        "ab",
        "before {b}, {a} since the last {b}",
        lambda a, b, n: [("b", f.yesterday(f.since(f.negation(b), a)))],
    ),
    "alternate_succession": Template(
        "ab",
        "{a} and {b} in turn",
        lambda a, b, n: [
            ("a", f.next_(f.until(f.negation(a), b))),
            ("b", f.yesterday(f.since(f.negation(b), a))),
        ],
    ),
    "chain_response": Template("ab", "right after {a}, {b}", lambda a, b, n: [("a", f.next_(b))]),
    "chain_precedence": Template("ab", "right before {b}, {a}", lambda a, b, n: [("b", f.yesterday(a))]),
    "chain_succession": Template(
        "ab", "{a} right before {b}, always", lambda a, b, n: [("a", f.next_(b)), ("b", f.yesterday(a))]
    ),
    "not_coexistence": Template(
        "ab",
        "not both {a} and {b}",
        lambda a, b, n: [("a", f.negation(f.once(b))), ("b", f.negation(f.once(a)))],
    ),
    "not_succession": Template(
        "ab", "no {b} after {a}", lambda a, b, n: [("b", f.negation(f.yesterday(f.once(a))))]
    ),
    "not_chain_succession": Template(
        "ab", "no {b} right after {a}", lambda a, b, n: [("b", f.negation(f.yesterday(a)))]
    ),
    "choice": Template("ab", "{a} or {b}", lambda a, b, n: [(None, f.finally_(f.either(a, b)))]),
    "exclusive_choice": Template(
        "ab",
        "{a} or {b}, not both",
        lambda a, b, n: [
            (None, f.finally_(f.either(a, b))),
            ("a", f.negation(f.once(b))),
            ("b", f.negation(f.once(a))),
        ],
    ),
}
"""By name. `forbidden_edge` is `not_chain_succession` over the agent's calls."""
