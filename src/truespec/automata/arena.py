"""The arena of a question: its terms, simplified as they are made, each kept once.

The laws used here are equalities of span sets at every position; each is stated beside its code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from truespec.automata.terms import (
    AHEAD,
    ALWAYS,
    BEHIND,
    CONCAT,
    COUNT,
    DEPENDS,
    EPSILON,
    MEET,
    NEVER,
    NONE,
    NOT,
    STAR,
    SYMBOL,
    UNION,
    Term,
    count_of,
    has_point,
    inherit,
)

_LONG_UNION = 64
"""Unions longer than this skip the quadratic subsumption test; it only saves states."""


class Arena:
    """The terms of one question over one alphabet; dropped as a whole when the question is answered."""

    def __init__(self, full: int) -> None:
        self.full = full
        """The set of all blocks."""
        self._terms: dict[tuple[object, ...], Term] = {}
        self._concats: dict[tuple[int, int], Term] = {}
        self._pairs: dict[tuple[int, int, int], Term] = {}
        self._included: dict[tuple[int, int], bool] = {}
        self.check: Callable[[], None] | None = None
        """Called now and then while terms are made; may raise, and the arena is then to be dropped."""
        self.none = self._new((NONE,), NONE, NEVER)
        self.epsilon = self._new((EPSILON,), EPSILON, ALWAYS)
        self.any = self.symbol(full)
        self.all = self._new((STAR, self.any.index), STAR, ALWAYS)
        self.all.body = self.any
        self.some = self.count(self.any, 1, None)

    def __len__(self) -> int:
        return len(self._terms)

    def _new(self, key: tuple[object, ...], kind: int, empty: int) -> Term:
        if self.check is not None and not len(self._terms) & 31:
            self.check()
        term = Term(len(self._terms), kind, empty)
        self._terms[key] = term
        return term

    # One constructor for each operator -----------------------------------------------------------

    def symbol(self, mask: int) -> Term:
        """One letter in a block of `mask`."""
        if not mask:
            return self.none
        key = (SYMBOL, mask)
        term = self._terms.get(key)
        if term is None:
            term = self._new(key, SYMBOL, NEVER)
            term.mask = mask
        return term

    def concat(self, first: Term, rest: Term) -> Term:
        """First, then rest; kept right-nested."""
        if first is self.epsilon:
            return rest
        if rest is self.epsilon:
            return first
        if first is self.none or rest is self.none:
            return self.none
        key = (first.index, rest.index)
        term = self._concats.get(key)
        if term is None:
            term = self._concats[key] = self._concat(first, rest)
        return term

    def _concat(self, first: Term, rest: Term) -> Term:
        kind = first.kind
        if kind == CONCAT:
            return self.concat(first.body, self.concat(first.rest, rest))
        if first.located:
            # A condition on the start of the span is the same for the whole span: (A & x)y = A & xy.
            if first.point:
                return self.meet(first, self.concat(self.all, rest))
            if kind == MEET and any(item.point for item in first.items):
                held = [item for item in first.items if item.point]
                free = self.meet_of([item for item in first.items if not item.point])
                return self.meet_of([*held, self.concat(free, rest)])
            if kind == UNION and any(has_point(item) for item in first.items):
                return self.union_of([self.concat(item, rest) for item in first.items])
        # Any* x = Any* where x has every empty span; dually on the other side.
        if first is self.all and rest.empty == ALWAYS:
            return self.all
        if rest is self.all and first.empty == ALWAYS:
            return self.all
        # Counts of neighbours add up: x{a,b} x{c,d} = x{a+c,b+d}, with x = x{1,1} and x* = x{0,}.
        head, tail = (rest.body, rest.rest) if rest.kind == CONCAT else (rest, self.epsilon)
        base, least, most = count_of(first)
        other, more_least, more_most = count_of(head)
        if base is other:
            joined = None if most is None or more_most is None else most + more_most
            return self.concat(self.count(base, least + more_least, joined), tail)
        empty = NEVER if NEVER in (first.empty, rest.empty) else max(first.empty, rest.empty)
        term = self._new((CONCAT, first.index, rest.index), CONCAT, empty)
        term.body, term.rest = first, rest
        term.loose = rest if rest.kind == CONCAT and rest.body is self.all else rest.loose
        return inherit(term, first, rest)

    def union(self, left: Term, right: Term) -> Term:
        """One or the other."""
        if left is right or right is self.none:
            return left
        if left is self.none:
            return right
        if left is self.all or right is self.all:
            return self.all
        key = (
            (UNION, left.index, right.index) if left.index < right.index else (UNION, right.index, left.index)
        )
        term = self._pairs.get(key)
        if term is None:
            term = self._pairs[key] = self._union((left, right))
        return term

    def union_of(self, terms: Iterable[Term]) -> Term:
        """Any of them."""
        distinct = tuple(dict.fromkeys(terms))
        if len(distinct) < 3:
            return self.union(distinct[0], distinct[-1]) if distinct else self.none
        return self._union(distinct)

    def _union(self, terms: tuple[Term, ...]) -> Term:
        mask = 0
        kept: dict[Term, None] = {}
        ahead: list[Term] = []
        for term in terms:
            for item in term.items if term.kind == UNION else (term,):
                if item.kind == SYMBOL:
                    mask |= item.mask
                elif item.kind == AHEAD:
                    ahead.append(item.body)
                elif item is self.all:
                    return self.all
                elif item is not self.none:
                    kept[item] = None
        if mask:
            kept[self.symbol(mask)] = None
        if len(ahead) == 1:
            kept[self.ahead(ahead[0])] = None
        elif ahead:  # both sides speak of the same rest of the word
            kept[self.ahead(self.union_of(ahead))] = None
        if self.all in kept:
            return self.all
        if self.epsilon in kept and any(item.empty == ALWAYS for item in kept if item is not self.epsilon):
            del kept[self.epsilon]
        if any(item.kind == NOT and item.body in kept for item in kept):
            return self.all
        if len(kept) > 1:
            self._absorb(kept)
        if len(kept) == 1:
            return next(iter(kept))
        items = tuple(sorted(kept, key=_index))
        key = (UNION, *[item.index for item in items])
        found = self._terms.get(key)
        if found is not None:
            return found
        flags = [item.empty for item in items]
        term = self._new(key, UNION, ALWAYS if ALWAYS in flags else max(flags))
        term.items = items
        return inherit(term, *items)

    def _absorb(self, kept: dict[Term, None]) -> None:
        """Drop items that another item includes, and join counts of the same body."""
        # p Any* z is in Any* z, the tail it ends with.
        loose = {item for item in kept if item.kind == CONCAT and item.body is self.all}
        if loose:
            for item in list(kept):
                tail = item.loose
                while tail is not None:
                    if tail in loose:
                        del kept[item]
                        break
                    tail = tail.loose
        # x & y is in x.
        for item in [item for item in kept if item.kind == MEET]:
            if any(part in kept for part in item.items):
                del kept[item]
        counted = [item for item in kept if item.counted]
        if not 1 <= len(counted) <= _LONG_UNION:
            return
        self._join_counts(kept, counted)
        counted = [item for item in kept if item.counted]
        for small in counted:
            for large in counted:
                if small is not large and large in kept and self._includes(large, small):
                    del kept[small]
                    break
        for small in [item for item in kept if not item.counted]:
            if any(self._includes(large, small) for large in counted if large in kept):
                del kept[small]

    def _join_counts(self, kept: dict[Term, None], counted: list[Term]) -> None:
        """x{a,b}z | x{c,d}z = x{min,max}z where the two ranges touch."""
        groups: dict[tuple[int, int], list[Term]] = {}
        for item in counted:
            head, tail = (item.body, item.rest) if item.kind == CONCAT else (item, self.epsilon)
            if head.kind == COUNT:
                groups.setdefault((head.body.index, tail.index), []).append(item)
        for members in groups.values():
            if len(members) < 2:
                continue
            heads = [item.body if item.kind == CONCAT else item for item in members]
            tail = members[0].rest if members[0].kind == CONCAT else self.epsilon
            ranges = sorted(((head.least, head.most) for head in heads), key=lambda pair: pair[0])
            merged = [ranges[0]]
            for least, most in ranges[1:]:
                low, high = merged[-1]
                if high is None or least <= high + 1:
                    merged[-1] = (low, None if high is None or most is None else max(high, most))
                else:
                    merged.append((least, most))
            if len(merged) < len(members):
                for item in members:
                    del kept[item]
                for least, most in merged:
                    joined = self.concat(self.count(heads[0].body, least, most), tail)
                    # The tail may swallow the count or fall apart; both keep the meaning.
                    for part in joined.items if joined.kind == UNION else (joined,):
                        kept[part] = None

    def _includes(self, large: Term, small: Term) -> bool:
        """A cheap, sound and incomplete test that `small` is within `large`."""
        if small is large or large is self.all or small is self.none:
            return True
        if small is self.epsilon:
            return large.empty == ALWAYS
        key = (large.index, small.index)
        known = self._included.get(key)
        if known is None:
            self._included[key] = False
            known = self._included[key] = self._includes_anew(large, small)
        return known

    def _includes_anew(self, large: Term, small: Term) -> bool:
        if small.kind == UNION:
            return all(self._includes(large, item) for item in small.items)
        if large.kind == UNION:
            return any(self._includes(item, small) for item in large.items)
        head, tail = (large.body, large.rest) if large.kind == CONCAT else (large, self.epsilon)
        first, rest = (small.body, small.rest) if small.kind == CONCAT else (small, self.epsilon)
        base, least, most = count_of(head)
        other, fewest, highest = count_of(first)
        if base is other or (base.kind == SYMBOL == other.kind and other.mask & ~base.mask == 0):
            inside = least <= fewest and (most is None or (highest is not None and highest <= most))
            if inside and self._includes(tail, rest):
                return True
        # The head may match nothing.
        return head.empty == ALWAYS and tail is not large and self._includes(tail, small)

    def meet(self, left: Term, right: Term) -> Term:
        """Both at once."""
        if left is right or right is self.all:
            return left
        if left is self.all:
            return right
        if left is self.none or right is self.none:
            return self.none
        key = (MEET, left.index, right.index) if left.index < right.index else (MEET, right.index, left.index)
        term = self._pairs.get(key)
        if term is None:
            term = self._pairs[key] = self._meet((left, right))
        return term

    def meet_of(self, terms: Iterable[Term]) -> Term:
        """All of them."""
        distinct = tuple(dict.fromkeys(terms))
        if len(distinct) < 3:
            return self.meet(distinct[0], distinct[-1]) if distinct else self.all
        return self._meet(distinct)

    def _meet(self, terms: tuple[Term, ...]) -> Term:
        mask = -1
        kept: dict[Term, None] = {}
        ahead: list[Term] = []
        for term in terms:
            for item in term.items if term.kind == MEET else (term,):
                if item.kind == SYMBOL:
                    mask = item.mask if mask < 0 else mask & item.mask
                elif item.kind == AHEAD:
                    ahead.append(item.body)
                elif item is self.none:
                    return self.none
                elif item is not self.all:
                    kept[item] = None
        if mask >= 0:
            if not mask:
                return self.none
            kept[self.symbol(mask)] = None
        if len(ahead) == 1:
            kept[self.ahead(ahead[0])] = None
        elif ahead:
            joined = self.ahead(self.meet_of(ahead))
            if joined is self.none:
                return self.none
            if joined is not self.all:
                kept[joined] = None
        if self.epsilon in kept:
            if any(item.empty == NEVER for item in kept):
                return self.none
            kept = {item: None for item in kept if item.empty == DEPENDS or item is self.epsilon}
        if any(item.kind == NOT and item.body in kept for item in kept):
            return self.none
        # x & (x | y) = x.
        for item in [item for item in kept if item.kind == UNION]:
            if any(part in kept for part in item.items):
                del kept[item]
        if not kept:
            return self.all
        if len(kept) == 1:
            return next(iter(kept))
        items = tuple(sorted(kept, key=_index))
        key = (MEET, *[item.index for item in items])
        found = self._terms.get(key)
        if found is not None:
            return found
        flags = [item.empty for item in items]
        term = self._new(key, MEET, NEVER if NEVER in flags else max(flags))
        term.items = items
        return inherit(term, *items)

    def complement(self, body: Term) -> Term:
        """Every span that `body` does not have."""
        if body.kind == NOT:
            return body.body
        if body is self.none:
            return self.all
        if body is self.all:
            return self.none
        if body is self.epsilon:
            return self.some
        if body is self.some:
            return self.epsilon
        if body.kind == AHEAD:
            return self.ahead(self.complement(body.body))
        key = (NOT, body.index)
        term = self._terms.get(key)
        if term is None:
            term = self._new(key, NOT, DEPENDS if body.empty == DEPENDS else 1 - body.empty)
            term.body = body
            inherit(term, body)
        return term

    def star(self, body: Term) -> Term:
        """Any number of times."""
        return self.count(body, 0, None)

    def count(self, body: Term, least: int, most: int | None) -> Term:
        """Between `least` and `most` times; a star is a count without bounds."""
        if most == 0:
            return self.epsilon
        if body is self.none:
            return self.epsilon if least == 0 else self.none
        if body is self.epsilon or body is self.all:
            return self.epsilon if body is self.epsilon else self.all
        if body.empty == ALWAYS:
            least = 0  # the missing rounds match nothing
        if least == 1 and most == 1:
            return body
        if body.kind == STAR and (most is None or most >= 1):
            return body  # least is 0 here
        kind = STAR if least == 0 and most is None else COUNT
        key = (STAR, body.index) if kind == STAR else (COUNT, body.index, least, most)
        term = self._terms.get(key)
        if term is None:
            term = self._new(key, kind, ALWAYS if least == 0 else body.empty)
            term.body, term.least, term.most = body, least, most
            inherit(term, body)
            term.counted = term.counted or kind == COUNT
        return term

    def ahead(self, rest: Term) -> Term:
        """The rest of the word, from the start of the span, is in `rest`."""
        rest = self.unwrap(rest)
        if rest is self.none or rest is self.all:
            return rest
        key = (AHEAD, rest.index)
        term = self._terms.get(key)
        if term is None:
            term = self._new(key, AHEAD, DEPENDS)
            term.body = rest
            term.located = term.point = True
            term.positive = False
            term.tracks = rest.tracks
        return term

    def behind(self, track: Term) -> Term:
        """`track`, stepped along from the start of the word, has an empty span at the start of this one."""
        if track is self.none:
            return track
        if track is self.all:
            return track
        key = (BEHIND, track.index)
        term = self._terms.get(key)
        if term is None:
            term = self._new(key, BEHIND, DEPENDS)
            term.body = track
            term.located = term.tracks = term.point = True
            term.positive = False
        return term

    def unwrap(self, term: Term) -> Term:
        """For a term whose spans end with the word: AHEAD o is then o itself."""
        if not term.located:
            return term
        if term.kind == AHEAD:
            return term.body
        if term.kind == UNION:
            return self.union_of([self.unwrap(item) for item in term.items])
        if term.kind == MEET:
            return self.meet_of([self.unwrap(item) for item in term.items])
        if term.kind == NOT:
            return self.complement(self.unwrap(term.body))
        return term


def _index(term: Term) -> int:
    return term.index
