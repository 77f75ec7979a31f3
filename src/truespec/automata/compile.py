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
        # Chains of `is` rather than `match`: this is the hot path of short questions.
        form = type(expression)
        if form is Symbol:
            predicate = expression.predicate  # type: ignore[union-attr]
            return arena.any if predicate is None else arena.symbol(self.masks[predicate])
        if form is Sequence:
            term = arena.epsilon
            for part in reversed(expression.parts):  # type: ignore[union-attr]
                term = arena.concat(self.term(part), term)
            return term
        if form is Repeat:
            assert isinstance(expression, Repeat)
            return arena.count(self.term(expression.body), expression.least, expression.most)
        if form is Either:
            return arena.union_of([self.term(part) for part in expression.parts])  # type: ignore[union-attr]
        if form is Both:
            return arena.meet_of([self.term(part) for part in expression.parts])  # type: ignore[union-attr]
        if form is Complement:
            return arena.complement(self.term(expression.body))  # type: ignore[union-attr]
        if isinstance(expression, Ahead):
            rest = arena.concat(self.term(expression.body), arena.all)
            ahead = arena.ahead(rest if expression.holds else arena.complement(rest))
            return arena.meet(arena.epsilon, ahead)
        assert isinstance(expression, Behind)
        track = arena.behind(arena.concat(arena.all, self.term(expression.body)))
        return arena.meet(arena.epsilon, track if expression.holds else arena.complement(track))
