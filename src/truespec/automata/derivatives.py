"""Steps of terms along a letter.

`step(t)` is what remains of `t`, for spans that start here, after a letter; `shift(t)` what `t` becomes for
spans that start later. Both are given for all letters at once, as disjoint sets of blocks (*transition
regexes*, Stanford, Veanes, Bjorner, "Symbolic Boolean derivatives", PLDI 2021). `shift` is the identity but
for BEHIND, which follows the word from its start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from truespec.automata.arena import Arena
from truespec.automata.terms import (
    AHEAD,
    ALWAYS,
    BEHIND,
    CONCAT,
    COUNT,
    DEPENDS,
    MEET,
    NEVER,
    NOT,
    STAR,
    SYMBOL,
    UNION,
    Term,
)

Steps = dict[Term, int]
"""Disjoint sets of blocks, together all blocks, by the term they lead to."""


class Stepper:
    """The derivatives of the terms of one arena, each computed once."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    def step(self, term: Term) -> Steps:
        """What remains of `term` after each letter."""
        steps = term.memo_step
        if steps is None:
            steps = term.memo_step = self._step(term)
        return steps

    def _step(self, term: Term) -> Steps:
        arena = self.arena
        kind = term.kind
        if kind == SYMBOL:
            others = arena.full ^ term.mask
            return {arena.epsilon: term.mask, arena.none: others} if others else {arena.epsilon: term.mask}
        if kind == CONCAT:
            return self._step_concat(term.body, term.rest)
        if kind == UNION:
            return self._join(term.items, arena.none, arena.all, arena.union_of)
        if kind == MEET:
            return self._join(term.items, arena.all, arena.none, arena.meet_of)
        if kind == NOT:
            return _map(self.step(term.body), arena.complement)
        if kind == STAR:
            return self._followed(self.step(term.body), term)
        if kind == COUNT:
            return self._step_count(term)
        if kind == AHEAD:
            return _map(self.step(term.body), arena.ahead)
        if kind == BEHIND:
            return self.step(arena.ahead(self.when_empty(term.body)))
        return {arena.none: arena.full}  # NONE, EPSILON

    def _step_concat(self, first: Term, rest: Term) -> Steps:
        arena = self.arena
        taken = self._followed(self.step(first), rest)
        if first.empty == NEVER:
            return taken
        if first.empty == ALWAYS:
            return _product(taken, self.step(rest), arena.union)
        condition = self.when_empty(first)
        if condition is arena.none:
            return taken
        skipped = _product(self.step(arena.ahead(condition)), self.step(rest), arena.meet)
        return _product(taken, skipped, arena.union)

    def _step_count(self, term: Term) -> Steps:
        arena, body = self.arena, term.body
        fewer = None if term.most is None else term.most - 1
        taken = self._followed(self.step(body), arena.count(body, max(term.least - 1, 0), fewer))
        if body.empty == NEVER or term.least <= 1:
            return taken
        # Where the body matches nothing here, the rounds that are still owed can be spent here.
        spent = self._followed(self.step(body), arena.count(body, 0, fewer))
        condition = arena.ahead(self.when_empty(body))
        if condition is arena.none:
            return taken
        return _product(taken, _product(self.step(condition), spent, arena.meet), arena.union)

    def _followed(self, steps: Steps, rest: Term) -> Steps:
        """Each remainder followed by `rest`, which shifts along meanwhile."""
        concat = self.arena.concat
        if rest.tracks:
            return _product(steps, self.shift(rest), concat)
        out: Steps = {}
        for target, mask in steps.items():
            joined = concat(target, rest)
            out[joined] = out.get(joined, 0) | mask
        return out

    def _join(
        self, items: Sequence[Term], unit: Term, zero: Term, combine: Callable[[Sequence[Term]], Term]
    ) -> Steps:
        parts: dict[tuple[Term, ...], int] = {(): self.arena.full}
        for item in items:
            refined: dict[tuple[Term, ...], int] = {}
            steps = self.step(item)
            for chosen, mask in parts.items():
                if chosen == (zero,):
                    refined[chosen] = refined.get(chosen, 0) | mask
                    continue
                for target, blocks in steps.items():
                    common = mask & blocks
                    if not common:
                        continue
                    if target is zero:
                        key: tuple[Term, ...] = (zero,)
                    elif target is unit:
                        key = chosen
                    else:
                        key = (*chosen, target)
                    refined[key] = refined.get(key, 0) | common
            parts = refined
        out: Steps = {}
        for chosen, mask in parts.items():
            target = combine(chosen)
            out[target] = out.get(target, 0) | mask
        return out

    def shift(self, term: Term) -> Steps:
        """What `term` becomes after each letter, for spans that start later."""
        if not term.tracks:
            return {term: self.arena.full}
        steps = term.memo_shift
        if steps is None:
            steps = term.memo_shift = self._shift(term)
        return steps

    def _shift(self, term: Term) -> Steps:
        arena = self.arena
        kind = term.kind
        if kind == BEHIND:
            return _map(self.step(term.body), arena.behind)
        if kind == CONCAT:
            return _product(self.shift(term.body), self.shift(term.rest), arena.concat)
        if kind == AHEAD:
            return _map(self.shift(term.body), arena.ahead)
        if kind == NOT:
            return _map(self.shift(term.body), arena.complement)
        if kind in (STAR, COUNT):
            return _map(self.shift(term.body), lambda body: arena.count(body, term.least, term.most))
        combine = arena.union if kind == UNION else arena.meet
        out = self.shift(term.items[0])
        for item in term.items[1:]:
            out = _product(out, self.shift(item), combine)
        return out

    def when_empty(self, term: Term) -> Term:
        """The words that may follow here if `term` is to have the empty span here."""
        if term.empty != DEPENDS:
            return self.arena.all if term.empty == ALWAYS else self.arena.none
        known = term.memo_when
        if known is None:
            known = term.memo_when = self.settle(self._when_empty(term))
        return known

    def _when_empty(self, term: Term) -> Term:
        arena = self.arena
        kind = term.kind
        if kind == AHEAD:
            return term.body
        if kind in (BEHIND, COUNT):
            return self.when_empty(term.body)
        if kind == CONCAT:
            return arena.meet(self.when_empty(term.body), self.when_empty(term.rest))
        if kind == NOT:
            return arena.complement(self.when_empty(term.body))
        parts = [self.when_empty(item) for item in term.items]
        return arena.union_of(parts) if kind == UNION else arena.meet_of(parts)

    def accepts(self, term: Term) -> bool:
        """Whether `term` has the empty span here, with no letter left."""
        if term.empty != DEPENDS:
            return term.empty == ALWAYS
        known = term.memo_accepts
        if known is None:
            known = term.memo_accepts = self._accepts(term)
        return known

    def _accepts(self, term: Term) -> bool:
        kind = term.kind
        if kind in (AHEAD, BEHIND, COUNT):
            return self.accepts(term.body)
        if kind == CONCAT:
            return self.accepts(term.body) and self.accepts(term.rest)
        if kind == NOT:
            return not self.accepts(term.body)
        if kind == UNION:
            return any(self.accepts(item) for item in term.items)
        return all(self.accepts(item) for item in term.items)

    def letters(self, term: Term) -> int | None:
        """The blocks whose letters alone are words of `term`; null where only a step can tell."""
        if term.located:
            return None
        known = term.memo_letters
        if known is None:
            known = term.memo_letters = self._letters(term)
        return known

    def _letters(self, term: Term) -> int:
        # No part of a term that is not located is located.
        kind = term.kind
        if kind == SYMBOL:
            return term.mask
        if kind == CONCAT:
            blocks = 0
            if term.rest.empty:
                blocks = self.letters(term.body) or 0
            if term.body.empty:
                blocks |= self.letters(term.rest) or 0
            return blocks
        if kind == NOT:
            return self.arena.full ^ (self.letters(term.body) or 0)
        if kind == STAR or (kind == COUNT and term.least <= 1):
            return self.letters(term.body) or 0  # where least is 2 or more, the body has no empty word
        blocks = self.arena.full if kind == MEET else 0
        for item in term.items:
            letters = self.letters(item) or 0
            blocks = blocks & letters if kind == MEET else blocks | letters
        return blocks

    def settle(self, term: Term) -> Term:
        """An equal, simpler term for spans that start here and end with the word: conditions become terms."""
        if not term.located:
            return term
        known = term.memo_settle
        if known is None:
            known = term.memo_settle = self._settle(term)
            known.memo_settle = known
        return known

    def _settle(self, term: Term) -> Term:
        arena = self.arena
        kind = term.kind
        if kind == AHEAD:
            return self.settle(term.body)
        if kind == BEHIND:
            return self.when_empty(term.body)
        if kind == UNION:
            return arena.union_of([self.settle(item) for item in term.items])
        if kind == MEET:
            return arena.meet_of([self.settle(item) for item in term.items])
        if kind == NOT:
            return arena.complement(self.settle(term.body))
        return term


def _map(steps: Steps, function: Callable[[Term], Term]) -> Steps:
    out: Steps = {}
    for target, mask in steps.items():
        image = function(target)
        out[image] = out.get(image, 0) | mask
    return out


def _product(left: Steps, right: Steps, combine: Callable[[Term, Term], Term]) -> Steps:
    out: Steps = {}
    for first, mask in left.items():
        for second, blocks in right.items():
            common = mask & blocks
            if common:
                target = combine(first, second)
                out[target] = out.get(target, 0) | common
    return out
