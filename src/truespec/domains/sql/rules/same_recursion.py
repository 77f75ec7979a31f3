"""Recursions that begin alike and go on alike have the same result, also if they do so in other columns.

Statement. Let f map tuples to tuples. The result of `B' UNION [ALL] S'(W)` is f of the result of
`B UNION [ALL] S(W)` where B' and f(B) are the same bag, and S'(f(W)) and f(S(W)) are the same bag for every
bag W of tuples of these kinds. Under UNION it is enough that they hold the same tuples, however often.

Side conditions. Both keep duplicates or neither does; where neither does, f is one to one on the tuples of
the result, as where the columns that it leaves out are those of the row whose key it takes. f takes some of
the columns, each at most once, in any order, and adds a constant to those of integers that are never NULL;
the columns have the same kinds, which values of S do not change. No part leaves a choice to the engine. Only
S names the recursion, and it does so once.

Why. By induction on the rounds: a round that is handed f(W) in place of W adds f of what was added, tuple
by tuple, and without duplicates a tuple is new just where its image is, however often a round meets it. A
column that is never NULL in B, nor in S(W) where it is never NULL in W, is never NULL. A recursion that
does not end has no result. A level counted from 1 so meets one counted from 0, and one that nothing reads
meets none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.kinds import INT, Kind
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.schema import Table

Same = Callable[[Bag, Bag], bool]
"""Whether two bags are proved to hold the same tuples: equally often where duplicates are kept."""

MAX_IMAGES = 6
"""The most maps that are tried from one recursion to another."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """What the tuples of a recursion hold of a table's rows."""

    table: Table
    """The table."""
    key: tuple[str, ...]
    """A unique key of it."""
    key_places: tuple[int, ...]
    """Where a tuple holds the key."""
    places: dict[int, str]
    """Where it holds other columns of the row with this key."""


@dataclass(frozen=True, slots=True, eq=False)
class Recursion:
    """A recursion that was read."""

    number: int
    """Which one it is in its world: what is known of the rows of one is not known of another's."""
    first: Bag
    """The tuples that it begins with."""
    round: Bag
    """The relation that stands for the tuples of the round before."""
    step: Callable[[Bag], Bag]
    """The tuples that a round adds, by those of the round before."""
    kinds: tuple[Kind, ...]
    """The kinds of its columns."""
    nullable: tuple[bool, ...]
    """Which columns may be NULL."""
    distinct: bool
    """Whether tuples are kept once (UNION)."""
    held: tuple[Held, ...] = ()
    """What its tuples hold of rows that they name by keys (`rows_of_recursion`)."""


@dataclass(frozen=True, slots=True)
class Image:
    """The map f: columns of one recursion, with what is added to them."""

    columns: tuple[int, ...]
    """The places of the columns, in order."""
    added: tuple[int, ...]
    """What is added to each."""

    def of(self, bag: Bag) -> Bag:
        """The bag of the images."""
        return bag.mapped(self._tuple)

    def _tuple(self, outs: tuple[Val, ...]) -> tuple[Val, ...]:
        pairs = zip(self.columns, self.added, strict=True)
        return tuple(outs[c] if not add else replace(outs[c], val=outs[c].val + add) for c, add in pairs)


def image_of(old: Recursion, new: Recursion, same: Same) -> Image | None:
    """A map that takes the result of one recursion to that of the other, by this rule."""
    tried = itertools.islice(images(old, new), MAX_IMAGES)
    return next((image for image in tried if apply(old, new, image, same)), None)


def unchanged(one: Recursion) -> Image:
    """The map that changes nothing."""
    width = len(one.kinds)
    return Image(tuple(range(width)), (0,) * width)


def images(old: Recursion, new: Recursion) -> Iterator[Image]:
    """The maps that may take one recursion to another; that of equal columns first."""
    width = len(new.kinds)
    if old.distinct != new.distinct:
        return
    for columns in itertools.permutations(range(len(old.kinds)), width):
        if old.distinct and not _tells_apart(old, set(columns)):
            continue
        if all(old.kinds[c] == kind for c, kind in zip(columns, new.kinds, strict=True)):
            yield Image(columns, tuple(_added(old, c, new, place) for place, c in enumerate(columns)))


def _tells_apart(one: Recursion, columns: set[int]) -> bool:
    """Whether tuples of the result that agree in these columns are one tuple."""
    rest = set(range(len(one.kinds))) - columns
    return not rest or any(columns.issuperset(h.key_places) and rest <= h.places.keys() for h in one.held)


def _added(old: Recursion, column: int, new: Recursion, place: int) -> int:
    """By how much a column of integers begins higher; 0 where that is not written."""
    if old.kinds[column] != INT or old.nullable[column]:
        return 0
    begin = [bag.terms[0].outs[at] for bag, at in ((old.first, column), (new.first, place)) if bag.terms]
    if len(begin) < 2 or not all(is_false(v.null) and z3.is_int_value(v.val) for v in begin):
        return 0
    return int(begin[1].val.as_long() - begin[0].val.as_long())


def apply(old: Recursion, new: Recursion, image: Image, same: Same) -> bool:
    """Whether the new recursion has the images of the old one's result, by this rule."""
    if not same(image.of(old.first), new.first):
        return False
    return same(image.of(old.step(old.round)), new.step(image.of(old.round)))
