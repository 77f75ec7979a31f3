"""The syntax tree of located regular expressions.

An expression denotes a set of spans: for a word and two positions in it, whether the part between them
belongs. Without `Ahead` and `Behind` the surroundings do not matter and this is a language as usual; with
them it is the semantics of lookarounds, anchors and word boundaries
(Moseley et al., "Derivative based nonbacktracking real-world regex matching", PLDI 2023).

Nodes are compared by identity, so that one which occurs often is recognised without a look inside.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """One letter that satisfies the predicate."""

    predicate: Hashable
    """A predicate of the algebra; null means every letter."""


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """One part after the other; with no parts, the empty word."""

    parts: tuple[Expression, ...]
    """In order."""


@dataclass(frozen=True, slots=True, eq=False)
class Either:
    """At least one of the parts; with no parts, nothing at all."""

    parts: tuple[Expression, ...]
    """In any order."""


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """All of the parts, on the same span; with no parts, anything."""

    parts: tuple[Expression, ...]
    """In any order."""


@dataclass(frozen=True, slots=True, eq=False)
class Complement:
    """Every span that the body does not have."""

    body: Expression
    """What is excluded."""


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """The body, `least` to `most` times."""

    body: Expression
    """What is repeated."""
    least: int
    """At least so often."""
    most: int | None
    """At most so often; null for no bound."""


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """The empty span where the body matches (or, negated, does not match) a part that starts here."""

    body: Expression
    """What is looked for."""
    holds: bool = True
    """False for the negative form."""


@dataclass(frozen=True, slots=True, eq=False)
class Behind:
    """The empty span where the body matches (or does not match) a part that ends here."""

    body: Expression
    """What is looked for."""
    holds: bool = True
    """False for the negative form."""


Expression = Symbol | Sequence | Either | Both | Complement | Repeat | Ahead | Behind
"""Every form."""

NOTHING = Either(())
"""No span."""
EMPTY = Sequence(())
"""Every empty span."""
ANYTHING = Both(())
"""Every span."""
START = Behind(Symbol(None), holds=False)
"""The empty span at the start of the word."""
END = Ahead(Symbol(None), holds=False)
"""The empty span at the end of the word."""


def predicates(expression: Expression) -> Iterator[Hashable]:
    """Every predicate that occurs, repeats included, without recursion."""
    waiting: list[Expression] = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Symbol):
            if node.predicate is not None:
                yield node.predicate
        elif isinstance(node, Sequence | Either | Both):
            waiting.extend(node.parts)
        else:
            waiting.append(node.body)
