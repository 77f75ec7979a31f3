"""Which columns of two parts correspond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from truespec.domains.sql.compile.scope import Source
from truespec.domains.sql.ir.bags import Bag
from truespec.domains.sql.ir.kinds import ALWAYS_NULL, Kind, Sealed
from truespec.domains.sql.ir.symbols import functions, is_true
from truespec.domains.sql.ir.values import Val

_NAMELESS = ("row.", "group!", "null!", "v!")
"""How the names of variables begin, which differ from reading to reading."""

Told = tuple[object, ...]
"""What is known of a column; columns that share it are likely the same."""


@dataclass(frozen=True, slots=True)
class Way:
    """A correspondence of columns."""

    wide: int
    """Which side's part has more columns: that of the oracle (0) or of the candidate (1)."""
    columns: tuple[int, ...]
    """For each column of the other part, the place of that column among those of the wide one."""

    def fits(self, wide: tuple[Kind, ...], narrow: tuple[Kind, ...]) -> bool:
        """Whether it takes each column of the narrow part to one of the same kind."""
        return len(self.columns) == len(narrow) and all(
            0 <= place < len(wide) and wide[place] == kind
            for place, kind in zip(self.columns, narrow, strict=True)
        )

    def seen(self, outs: tuple[Val, ...]) -> tuple[Val, ...]:
        """The columns of the narrow part in a tuple of the wide one."""
        return tuple(outs[place] for place in self.columns)


def kinds_of(bag: Bag) -> tuple[Kind, ...] | None:
    """The kinds of the columns of a part; None where they depend on what stands beside them."""
    found: list[Kind] = []
    for column in zip(*(term.outs for term in bag.terms), strict=True):
        kinds = {value.kind for value in column}
        if len(kinds) != 1 or kinds & ALWAYS_NULL or any(value.literal is not None for value in column):
            return None
        if all(is_true(value.null) for value in column) or isinstance(column[0].kind, Sealed):
            return None
        found.append(column[0].kind)
    return tuple(found) or None


def ways(one: Source, other: Source, wide: int | None = None) -> Iterator[Way]:
    """Correspondences of the columns of two parts, the likeliest first.

    `wide` is the side whose part has to be the wide one, if any has.
    """
    if wide is None:
        wide = int(len(other.names) > len(one.names))
    many, few = (other, one) if wide else (one, other)
    kinds, others = kinds_of(many.bag), kinds_of(few.bag)
    if kinds is None or others is None or len(kinds) < len(others):
        return
    names = [[column.column for column in source.names] for source in (many, few)]
    said = [_said(many.bag), _said(few.bag)]
    every = zip((*kinds, *others), (*names[0], *names[1]), (*said[0], *said[1]), strict=True)
    everything = [[(kind, name, of), (kind, of), (kind, name), (kind,)] for kind, name, of in every]
    tried: set[tuple[int, ...]] = set()
    for measures in ((0, 1, 2, 3), (0, 2, 3), (3,)):
        told: list[list[Told]] = [[facts[i] for i in measures] for facts in everything]
        columns, last = _matched(told[: len(kinds)], told[len(kinds) :])
        if columns is not None and columns not in tried:
            tried.add(columns)
            yield Way(wide, columns)
        if columns is None or measures[last] == 0:
            return  # no other correspondence is likelier than one of equal names and makings


def _matched(many: list[list[Told]], few: list[list[Told]]) -> tuple[tuple[int, ...] | None, int]:
    """For each of the few a place among the many, no place twice: those that share most facts first.

    None where there are not enough of a kind; and by which measure the last of them found its place.
    """
    places: dict[int, int] = {}
    last = 0
    for measure in range(len(few[0])):
        for number, told in enumerate(few):
            if number in places:
                continue
            free = (place for place in range(len(many)) if place not in places.values())
            found = next((place for place in free if many[place][measure] == told[measure]), None)
            if found is not None:
                places[number], last = found, measure
    return (tuple(places[number] for number in range(len(few))) if len(places) == len(few) else None), last


def _said(bag: Bag) -> list[frozenset[str]]:
    """The functions that make each column; equal aggregates have one name."""
    return [
        frozenset(
            name
            for value in column
            for expression in (value.null, value.val)
            for name in functions(expression)
            if not name.startswith(_NAMELESS)
        )
        for column in zip(*(term.outs for term in bag.terms), strict=True)
    ]
