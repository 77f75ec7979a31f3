"""What a window function sees: frames, and rows at a distance or by number (LAG, LEAD, NTH_VALUE, ...).

Positions in a partition are numbers of rows between; they need a total order, which the compiler proves first
(rule `first_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.ir import spans
from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.dates import DAY
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import DATE, INT, MOMENTS, NULL_KIND, NUMBERS, SPAN, Kind
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules.first_rows import Sort, before
from truespec.verdict import Unsupported

Row = tuple[Term, tuple[Val, ...]]
"""A row of the partition and its sort keys."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The rows beside the current one that an aggregate sees."""

    rows: bool
    """Whether distances count rows; else peers belong together."""
    back: int | None
    """How far back; None for the whole way, below 0 where the frame begins ahead."""
    ahead: int | None
    """How far ahead; None for the whole way, below 0 where the frame ends before the current row."""
    unit: Kind | None = None
    """Where distances are of the one sort key: its kind, INT for any number; SPAN of days and moments."""

    @property
    def aside(self) -> bool:
        """Whether it lies before or behind the current row, and may be empty."""
        return any(distance is not None and distance < 0 for distance in (self.back, self.ahead))

    @property
    def whole(self) -> bool:
        """Whether it is all of the partition."""
        return self.back is None and self.ahead is None


DEFAULT = Frame(False, None, 0)
"""Everything up to the current row and its peers."""


def read_frame(spec: exp.WindowSpec | None, ordered: bool) -> Frame:
    """The frame of a window; raises `Unsupported` for one that is not read."""
    if spec is None:
        return DEFAULT if ordered else Frame(False, None, None)
    rows = str(spec.args.get("kind") or "").upper() == "ROWS"
    if rows and any(isinstance(spec.args.get(end), exp.Interval) for end in ("start", "end")):
        raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")
    back = _distance(spec, "start", "PRECEDING")
    ahead = 0 if not spec.args.get("end") else _distance(spec, "end", "FOLLOWING")
    aside = [distance is not None and distance < 0 for distance in (back, ahead)]
    if any(aside) and (not ordered or all(aside)):
        raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")
    frame = Frame(rows, back, ahead)
    if str(spec.args.get("kind") or "").upper() not in ("ROWS", "RANGE"):
        raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")
    intervals = [isinstance(spec.args.get(end), exp.Interval) for end in ("start", "end")]
    if not rows and (back is not None or ahead not in (0, None)):
        far = [index for index, distance in enumerate((back, ahead)) if distance]
        if not ordered or len({intervals[index] for index in far}) != 1:
            raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")
        return replace(frame, unit=SPAN if intervals[far[0]] else INT)
    if ordered:
        return frame
    if rows and not frame.whole:
        raise Unsupported("sql: the frame of rows of a window without ORDER BY")
    return Frame(False, None, None)  # without an order, all rows are peers


def _distance(spec: exp.WindowSpec, end: str, side: str) -> int | None:
    value: Any = spec.args.get(end)
    written = str(value).upper()
    if written == "CURRENT ROW":
        return 0
    written_side = str(spec.args.get(f"{end}_side") or "").upper()
    if written_side in ("PRECEDING", "FOLLOWING"):
        if written == "UNBOUNDED":
            if written_side != side:
                raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")
            return None
        if isinstance(value, exp.Interval) and value.name.isdigit():
            span = spans.written(value.name, str(value.args.get("unit")))
            value = value if span is None else exp.Literal.number(span.val.as_long())
        if isinstance(value, exp.Literal) and not value.is_string and value.this.isdigit():
            return int(value.this) if written_side == side else -int(value.this)
    raise Unsupported(f"sql: the frame {spec.sql()[:60]} of a window")


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows beside the current one."""

    aggregates: Aggregates
    """Where aggregates are named."""
    rows: Callable[[], Sequence[Row]]
    """The rows, under new variables at each call."""
    own: tuple[Val, ...]
    """The sort keys of the current row."""
    sorts: tuple[Sort, ...]
    """The sort keys' directions."""

    @property
    def world(self) -> World:
        """Where things are proved."""
        return self.aggregates.world

    def seen(self, frame: Frame, keys: tuple[Val, ...], peer: Formula) -> Formula:
        """Whether the frame holds a row with these sort keys; `peer`: it ties with the current one."""
        if not self.sorts or frame.whole:
            return TRUE
        if frame.unit is not None:
            return self._near(frame, keys, frame.unit)
        if frame.ahead is not None and frame.ahead < 0:
            return self._aside(frame, keys, self.own, frame.back, -frame.ahead)
        if frame.back is not None and frame.back < 0:
            return self._aside(frame, self.own, keys, frame.ahead, -frame.back)
        return disj(
            self._within(frame, keys, self.own, frame.back),
            peer,
            self._within(frame, self.own, keys, frame.ahead),
        )

    def _near(self, frame: Frame, keys: tuple[Val, ...], unit: Kind) -> Formula:
        """Whether the one sort key is no farther from the current row's than the frame says."""
        own, key = self.own[0], keys[0]
        fits = MOMENTS if unit == SPAN else NUMBERS
        if len(keys) > 1 or key.kind != own.kind or own.kind not in fits:
            raise Unsupported(f"sql: a frame by distance over a sort key of type {own.kind.shown}")
        if not (z3.is_false(own.null) and z3.is_false(key.null)):
            raise Unsupported("sql: a frame by distance over a sort key that may be NULL")
        size = DAY if own.kind == DATE else 1
        if any(distance is not None and distance % size for distance in (frame.back, frame.ahead)):
            raise Unsupported("sql: a frame by parts of a day over days")
        below, above = (frame.ahead, frame.back) if self.sorts[0].descending else (frame.back, frame.ahead)
        # As BETWEEN is read, which rules look for.
        return conj(
            TRUE if below is None else neg(key.val < z3.simplify(own.val - below // size)),
            TRUE if above is None else neg(z3.simplify(own.val + above // size) < key.val),
        )

    def _aside(
        self, frame: Frame, first: tuple[Val, ...], second: tuple[Val, ...], far: int | None, near: int
    ) -> Formula:
        """Whether a row is neither nearer than `near` to the current row nor farther than `far`."""
        within = self._within(frame, first, second, far)
        return within if near == 1 else conj(within, neg(self._fewer_between(first, second, near - 1)))

    def _within(
        self, frame: Frame, first: tuple[Val, ...], second: tuple[Val, ...], distance: int | None
    ) -> Formula:
        if distance == 0:
            return FALSE
        sorted_so = before(self.world, first, second, self.sorts)
        if distance is None or not frame.rows:
            return sorted_so
        return conj(sorted_so, self._fewer_between(first, second, distance))

    def _between(self, first: tuple[Val, ...], second: tuple[Val, ...] | None) -> Bag:
        """The rows after `first` and before `second`."""
        terms = []
        for term, keys in self.rows():
            after = before(self.world, first, keys, self.sorts)
            until = TRUE if second is None else before(self.world, keys, second, self.sorts)
            terms.append(replace(term, cond=conj(term.cond, after, until), outs=()))
        return Bag(tuple(terms))

    def _fewer_between(self, first: tuple[Val, ...], second: tuple[Val, ...], number: int) -> Formula:
        between = self._between(first, second)
        if number == 1:
            return neg(exists(self.world, between))
        return self.aggregates.count(between).val < z3.IntVal(number)

    def side(self, back: bool) -> Bag:
        """The rows before the current one, or after it."""
        return self._earlier(self.own) if back else self._between(self.own, None)

    def neighbour(
        self, steps: int, back: bool, value: Callable[[], Sequence[tuple[Term, tuple[Val, ...]]]]
    ) -> Bag:
        """The value, given with the sort keys, of the row so many steps back or ahead: one tuple or none."""
        terms = []
        for term, keys in value():
            first, second = (keys, self.own) if back else (self.own, keys)
            near = self._fewer_between(first, second, steps)
            if steps > 1:
                near = conj(near, neg(self._fewer_between(first, second, steps - 1)))
            terms.append(
                replace(term, cond=conj(term.cond, before(self.world, first, second, self.sorts), near))
            )
        return coerced([Bag(tuple(terms))], self.world.dialect)[0]

    def nth(
        self, number: int, frame: Frame, value: Callable[[], Sequence[tuple[Term, tuple[Val, ...]]]]
    ) -> Bag:
        """The value of the row of this number in a frame that begins with the partition, or no tuple."""
        terms = []
        for term, keys in value():
            peer = conj(*(null_safe_equal(self.world, a, b) for a, b in zip(self.own, keys, strict=True)))
            place = self._place(keys, number)
            terms.append(replace(term, cond=conj(term.cond, self.seen(frame, keys, peer), place)))
        return coerced([Bag(tuple(terms))], self.world.dialect)[0]

    def _place(self, keys: tuple[Val, ...], number: int) -> Formula:
        """Whether the row with these sort keys has this number in the partition."""
        earlier = self._earlier(keys)
        if number == 1:
            return neg(exists(self.world, earlier))
        return self.aggregates.count(earlier).val == z3.IntVal(number - 1)

    def _earlier(self, keys: tuple[Val, ...]) -> Bag:
        """The rows of the partition before these sort keys."""
        return Bag(
            tuple(
                replace(t, cond=conj(t.cond, before(self.world, k, keys, self.sorts)), outs=())
                for t, k in self.rows()
            )
        )

    def end(self, last: bool, value: Callable[[], Sequence[tuple[Term, tuple[Val, ...]]]]) -> Bag:
        """The value of the first or last row of the partition."""
        terms = []
        for term, keys in value():
            if last:
                beyond = self._between(keys, None)
            else:
                beyond = self._earlier(keys)
            terms.append(replace(term, cond=conj(term.cond, neg(exists(self.world, beyond)))))
        return coerced([Bag(tuple(terms))], self.world.dialect)[0]


def steps_of(function: exp.Expr) -> int:
    """The distance of LAG and LEAD."""
    offset = function.args.get("offset")
    if offset is None:
        return 1
    if (
        isinstance(offset, exp.Literal)
        and not offset.is_string
        and offset.this.isdigit()
        and int(offset.this) > 0
    ):
        return int(offset.this)
    raise Unsupported(f"sql: {function.sql()[:40]}: a distance that is no positive literal")


def otherwise(world: World, bag: Bag, found: Val, default: Val) -> Val:
    """The value that was found, or the default where there is no such row: what is found there is NULL."""
    if default.kind == NULL_KIND:
        return found
    if default.kind == found.kind:
        some = exists(world, bag)
        val = ite(some, found.val, default.val)
        return Val(ite(some, found.null, default.null), val, found.kind)
    raise Unsupported(f"sql: a default of type {default.kind} beside values of type {found.kind}")
