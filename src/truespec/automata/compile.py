"""From an expression to a term over the blocks of its alphabet."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from truespec.automata.expression import (
    Ahead,
    Behind,
    Both,
    Complement,
    Either,
    Expression,
    Repeat,
    Sequence,
    Symbol,
)
from truespec.automata.terms import Arena, Term


class Compiler:
    """Compiles expressions into one arena."""

    def __init__(self, arena: Arena, masks: Mapping[Hashable, int]) -> None:
        self.arena = arena
        """Where the terms live."""
        self.masks = masks
        """The blocks of each predicate."""

    def term(self, expression: Expression) -> Term:
        """The term of an expression, for spans at the start of the word and later."""
        arena = self.arena
        match expression:
            case Symbol(predicate):
                return arena.symbol(arena.full if predicate is None else self.masks[predicate])
            case Sequence(parts):
                term = arena.epsilon
                for part in reversed(parts):
                    term = arena.concat(self.term(part), term)
                return term
            case Either(parts):
                return arena.union_of([self.term(part) for part in parts])
            case Both(parts):
                return arena.meet_of([self.term(part) for part in parts])
            case Complement(body):
                return arena.complement(self.term(body))
            case Repeat(body, least, most):
                return arena.count(self.term(body), least, most)
            case Ahead(body, holds):
                rest = arena.concat(self.term(body), arena.all)
                return arena.meet(arena.epsilon, arena.ahead(rest if holds else arena.complement(rest)))
            case Behind(body, holds):
                track = arena.behind(arena.concat(arena.all, self.term(body)))
                return arena.meet(arena.epsilon, track if holds else arena.complement(track))
