"""From an expression to a term over the blocks of its alphabet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from truespec.automata.arena import Arena
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
from truespec.automata.terms import Term

MOST_KNOWN = 4_096
"""Expressions whose terms are remembered from one question to the next."""


def nothing() -> None:
    """The check of a caller that sets no limit."""


class Compiler:
    """Compiles expressions into one arena."""

    def __init__(self, arena: Arena, masks: Mapping[Hashable, int]) -> None:
        self.arena = arena
        """Where the terms live."""
        self.masks = masks
        """The blocks of each predicate."""
        self._known: dict[Expression, Term] = {}
        self._check = nothing

    def terms(self, expressions: Iterable[Expression], check: Callable[[], None] = nothing) -> list[Term]:
        """The terms of the expressions of one question; `KeyError` for a predicate without blocks.

        `check` is called again and again; what it raises ends the work.
        """
        self._check = check
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        return [self._term(expression) for expression in expressions]

    def _term(self, expression: Expression) -> Term:
        term = self._known.get(expression)
        if term is None:
            term = self._known[expression] = self._compiled(expression)
        return term

    def _compiled(self, expression: Expression) -> Term:
        arena = self.arena
        # Chains of `is` rather than `match`: this is the hot path of short questions.
        form = type(expression)
        if form is Symbol:
            predicate = expression.predicate  # type: ignore[union-attr]
            return arena.any if predicate is None else arena.symbol(self.masks[predicate])
        if form is Sequence:
            term = arena.epsilon
            known = self._known
            for part in reversed(expression.parts):  # type: ignore[union-attr]
                self._check()
                term = arena.concat(known.get(part) or self._term(part), term)
            return term
        if form is Repeat:
            assert isinstance(expression, Repeat)
            return arena.count(self._term(expression.body), expression.least, expression.most)
        if form is Either:
            return arena.union_of([self._term(part) for part in expression.parts])  # type: ignore[union-attr]
        if form is Both:
            return arena.meet_of([self._term(part) for part in expression.parts])  # type: ignore[union-attr]
        if form is Complement:
            return arena.complement(self._term(expression.body))  # type: ignore[union-attr]
        if isinstance(expression, Ahead):
            rest = arena.concat(self._term(expression.body), arena.all)
            ahead = arena.ahead(rest if expression.holds else arena.complement(rest))
            return arena.meet(arena.epsilon, ahead)
        assert isinstance(expression, Behind)
        track = arena.behind(arena.concat(arena.all, self._term(expression.body)))
        return arena.meet(arena.epsilon, track if expression.holds else arena.complement(track))
