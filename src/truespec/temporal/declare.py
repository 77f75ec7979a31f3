"""The Declare templates as formulas on finite traces, each with a sentence.

Names and meanings are those of Di Ciccio and Montali, "Declarative process specifications" (2022): a trace is
a sequence of activities, one at a time. `{a}`, `{b}` and `{n}` are filled in.
"""

from __future__ import annotations

from dataclasses import dataclass

from truespec.temporal.syntax import Formula, atom, conjunction, negation


@dataclass(frozen=True, slots=True)
class Template:
    """A named pattern over one or two activities."""

    name: str
    """As Declare tools write it, without a number."""
    activities: int
    """How many activities it takes."""
    counted: bool
    """Whether a number may follow the name; 1 without one."""
    sentence: str
    """What it says."""


TEMPLATES: tuple[Template, ...] = (
    Template("Existence", 1, True, "{a} occurs at least {n} time(s)."),
    Template("Absence", 1, True, "{a} occurs fewer than {n} time(s)."),
    Template("Exactly", 1, True, "{a} occurs exactly {n} time(s)."),
    Template("Init", 1, False, "{a} is the first activity."),
    Template("End", 1, False, "{a} is the last activity."),
    Template("Choice", 2, False, "{a} or {b} occurs, perhaps both."),
    Template("Exclusive Choice", 2, False, "{a} or {b} occurs, but not both."),
    Template("Responded Existence", 2, False, "If {a} occurs, {b} occurs as well, before or after it."),
    Template("Co-Existence", 2, False, "If one of {a} and {b} occurs, so does the other."),
    Template("Response", 2, False, "Each {a} is followed by {b} at some later time."),
    Template("Alternate Response", 2, False, "Each {a} is followed by {b} before {a} occurs again."),
    Template("Chain Response", 2, False, "Each {a} is immediately followed by {b}."),
    Template("Precedence", 2, False, "{b} occurs only after {a} has occurred."),
    Template(
        "Alternate Precedence", 2, False, "Each {b} is preceded by {a}, with no other {b} between the two."
    ),
    Template("Chain Precedence", 2, False, "Each {b} is immediately preceded by {a}."),
    Template("Succession", 2, False, "{b} occurs after each {a}, and only after {a} has occurred."),
    Template("Alternate Succession", 2, False, "{a} and {b} occur in turns, {a} first and {b} last."),
    Template("Chain Succession", 2, False, "{a} and {b} occur only together, {b} immediately after {a}."),
    Template("Not Co-Existence", 2, False, "{a} and {b} do not both occur."),
    Template("Not Succession", 2, False, "{b} does not occur after {a}."),
    Template("Not Chain Succession", 2, False, "{b} does not occur immediately after {a}."),
)
BY_NAME = {template.name: template for template in TEMPLATES}


def _op(op: str, *items: Formula) -> Formula:
    return Formula(op, items)


def expand(template: Template, a: str, b: str = "", n: int = 1) -> Formula:
    """The formula of a template over its activities.

    >>> from truespec.temporal.syntax import write
    >>> write(expand(BY_NAME["Alternate Response"], "a", "b"))
    'G (a -> X (!a U b))'
    """
    first, second = atom(a), atom(b)
    response = _always(_then(first, _op("F", second)))
    precedence = _op("W", negation(second), first)
    alternate_response = _always(_then(first, _op("X", _op("U", negation(first), second))))
    alternate_precedence = conjunction([precedence, _always(_then(second, _op("N", precedence)))])
    chain_response = _always(_then(first, _op("X", second)))
    chain_precedence = conjunction([_always(_then(_op("X", second), first)), negation(second)])
    some, other = _op("F", first), _op("F", second)
    match template.name:
        case "Existence":
            return _at_least(first, n)
        case "Absence":
            return negation(_at_least(first, n))
        case "Exactly":
            return conjunction([_at_least(first, n), negation(_at_least(first, n + 1))])
        case "Init":
            return first
        case "End":
            return _op("F", conjunction([first, negation(_op("X", Formula("true")))]))
        case "Choice":
            return _op("|", some, other)
        case "Exclusive Choice":
            return _op("xor", some, other)
        case "Responded Existence":
            return _then(some, other)
        case "Co-Existence":
            return _op("<->", some, other)
        case "Response":
            return response
        case "Alternate Response":
            return alternate_response
        case "Chain Response":
            return chain_response
        case "Precedence":
            return precedence
        case "Alternate Precedence":
            return alternate_precedence
        case "Chain Precedence":
            return chain_precedence
        case "Succession":
            return conjunction([response, precedence])
        case "Alternate Succession":
            return conjunction([alternate_response, alternate_precedence])
        case "Chain Succession":
            return conjunction([chain_response, chain_precedence])
        case "Not Co-Existence":
            return negation(conjunction([some, other]))
        case "Not Succession":
            return _always(_then(first, _op("N", _always(negation(second)))))
        case "Not Chain Succession":
            return _always(_then(first, _op("N", negation(second))))
    raise ValueError(f"no template {template.name!r}")


def _always(inner: Formula) -> Formula:
    return Formula("G", (inner,))


def _then(left: Formula, right: Formula) -> Formula:
    return Formula("->", (left, right))


def _at_least(a: Formula, n: int) -> Formula:
    found = Formula("F", (a,))
    for _ in range(n - 1):
        found = Formula("F", (conjunction([a, Formula("X", (found,))]),))
    return found
