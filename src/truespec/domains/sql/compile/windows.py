"""Window functions as aggregates over the rows beside the current one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.aggregate_calls import Members, aggregate_over
from truespec.domains.sql.compile.classes import class_of, classes_of
from truespec.domains.sql.compile.denotations import nullable_columns
from truespec.domains.sql.compile.frames import Frame, Partition, Row, otherwise, read_frame, steps_of
from truespec.domains.sql.compile.ordering import sort_key, sort_of
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope, WindowScope
from truespec.domains.sql.compile.tied_windows import PLACED, Breaking, How, Tied, places_rows, stand_in
from truespec.domains.sql.ir.bags import Bag, Group, Term, fresh_values, is_tuple, normal, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT, REAL, Kind, Other
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, conj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import NULL, Val
from truespec.domains.sql.places import At
from truespec.domains.sql.rules import alike_ties, any_order, filled_group, first_rows, tied_numbers
from truespec.domains.sql.rules.first_rows import Sort, before
from truespec.verdict import Nondeterministic, Unsupported


def _is_output(term: Term, key: Val) -> bool:
    out = term.outs[0]
    return bool(out.val.eq(key.val) and out.null.eq(key.null) and out.kind == key.kind)


RANKING = ("Rank", "DenseRank", "RowNumber", "PercentRank", "CumeDist", "Ntile")
"""Functions that look at all rows before the current one, whatever the frame."""


def window(reader: Reader, node: exp.Window, scope: Scope) -> Val:
    """A window function as an aggregate over the rows beside this one."""
    if not isinstance(scope, WindowScope):
        raise Unsupported("sql: a window function here")
    if node.args.get("alias") or node.args.get("first") is not None:
        raise Unsupported("sql: a named window")
    with reader.where(alone=True):  # a window is computed before the CASE around it
        return _Window(reader, node, scope).value()


class _Window:
    """One window function in the scope of one row."""

    def __init__(self, reader: Reader, node: exp.Window, scope: WindowScope) -> None:
        self.reader = reader
        self.scope = scope
        self.skips = isinstance(node.this, exp.IgnoreNulls)
        self.function: Any = node.this.this if self.skips else node.this
        self.name = type(self.function).__name__
        self.partition: Sequence[exp.Expr] = node.args.get("partition_by") or []
        order = node.args.get("order")
        spec = node.args.get("spec")
        with At(spec):
            self.frame: Frame = read_frame(spec, order is not None)
        self.keys: Sequence[exp.Ordered] = [] if order is None else self._telling(order.expressions)
        by_rows = self.frame.rows and self.name not in RANKING and not self.frame.whole
        placed = places_rows(self.name, by_rows=by_rows)
        self.breaking: Breaking | None = scope.breaking if placed else None
        self.mine = [class_of(reader, reader.value(part, scope)) for part in self.partition]
        self.own = self._sort_keys(scope, scope.own)
        self.sorts: list[Sort] = [sort_of(key) for key in self.keys]
        self.sorts += [Sort(False, False)] * (len(self.own) - len(self.sorts))

    def _telling(self, keys: Sequence[exp.Ordered]) -> Sequence[exp.Ordered]:
        """The keys that may tell rows of a partition apart: those that it is not partitioned by, if any."""
        return [key for key in keys if key.this not in self.partition] or keys

    def value(self) -> Val:
        """The function's value."""
        breaking = self.breaking
        if breaking is None or breaking.how in (How.REFUSED, How.IN_SOME_ORDER):
            return self._value()
        if breaking.how is How.STOOD_FOR:
            assert breaking.value is not None
            return breaking.value
        value = self._value()
        breaking.partition, breaking.keys = tuple(self.mine), self.own[: len(self.keys)]
        breaking.arguments += self._arguments()
        breaking.value = stand_in(self.reader, value)
        return value

    def _arguments(self) -> Iterator[Val]:
        """What the function is applied to, in this row."""
        function = self.function
        if isinstance(function, exp.AggFunc) and self.name not in PLACED:
            written = {part for part, value in function.args.items() if value} - {"this", "big_int"}
            if written or isinstance(function.this, exp.Distinct):
                raise Unsupported("sql: an aggregate of several parts over rows that may tie")
        elif not isinstance(function, exp.Func):
            raise Unsupported("sql: such a function over rows that may tie")
        for part in function.iter_expressions():
            if not isinstance(part, exp.Star):
                yield self.reader.value(part, self.scope)

    def _value(self) -> Val:
        part = Partition(self.reader.aggregates, self._rows, self.own, tuple(self.sorts))
        members, peers = self._members(part)
        if self.frame.rows and self.name not in RANKING and not self.frame.whole:
            self._no_ties("a frame of ROWS", peers)
        if self.skips and self.name not in ("FirstValue", "LastValue"):
            raise Unsupported(f"sql: IGNORE NULLS of {self.name.upper()}")
        match self.name:
            case "Lag" | "Lead":
                return self._neighbour(part, peers)
            case "FirstValue" | "LastValue":
                return self._end(part, peers)
            case "Rank":
                return self._one_more(Bag(tuple(replace(t, outs=()) for t, _ in members)))
            case "DenseRank":
                return self._one_more(self._distinct_keys(members))
            case "RowNumber":
                place = self._place_among_ties(peers)
                number = self._one_more(Bag(tuple(replace(t, outs=()) for t, _ in members)))
                return number if place is None else replace(number, val=number.val + place)
            case "PercentRank":
                # A DOUBLE of both numbers; a quotient as written may be a DECIMAL.
                before, rows = self._count(t for t, _ in members), self._count(self._partition())
                return self._function("percent rank", [before, rows], REAL)
            case "CumeDist":
                reached = self._count([*(t for t, _ in members), *peers])
                return self._function("cumulative share", [reached, self._count(self._partition())], REAL)
            case "NthValue":
                return self._nth(part, peers)
            case "Ntile":
                return self._tile(members, peers)
        if isinstance(self.function, exp.AggFunc | exp.WithinGroup | exp.Filter):
            found = aggregate_over(self.reader, self.function, members)
            if self.frame.aside:
                return found
            held = exists(self.reader.world, Bag(tuple(replace(term, outs=()) for term, _ in members)))
            self.scope.held.append(held)
            return filled_group.of(found, held)
        raise Unsupported(f"sql: the window function {self.name}")

    def _sort_keys(self, scope: Scope, term: Term) -> tuple[Val, ...]:
        reader = self.reader
        keys = tuple(sort_key(reader, key, reader.output(key.this, scope)) for key in self.keys)
        if self.breaking is None or self.breaking.how is How.REFUSED:
            return keys
        if self.breaking.how is How.IN_SOME_ORDER:
            own = any_order.place(reader.aggregates, term)
        else:
            own = alike_ties.identity(reader.world, term)
        if own is None:
            raise Nondeterministic("sql: rows without a key, which may tie")
        return (*keys, *own)

    def _beside(self) -> list[tuple[Term, Scope, tuple[Val, ...]]]:
        """The rows of the partition under new variables, with their scopes and sort keys."""
        found = []
        for term, other in self.scope.siblings():
            theirs = [class_of(self.reader, self.reader.value(part, other)) for part in self.partition]
            same = [is_tuple([a], [b]) for a, b in zip(self.mine, theirs, strict=True)]
            sort = self._sort_keys(other, term)
            found.append((replace(term, cond=conj(term.cond, *same)), other, sort))
        return found

    def _rows(self) -> list[Row]:
        return [(term, sort) for term, _, sort in self._beside()]

    def _shown(self) -> list[Row]:
        """The rows of the partition, each with the function's argument as its output."""
        return [
            (replace(term, outs=(self.reader.value(self.function.this, other),)), sort)
            for term, other, sort in self._beside()
        ]

    def _members(self, part: Partition) -> tuple[Members, list[Term]]:
        """The rows that the function sees, and those that tie with the current one."""
        world = self.reader.world
        members: Members = []
        peers: list[Term] = []
        for term, other, sort in self._beside():
            peer = conj(*(null_safe_equal(world, a, b) for a, b in zip(self.own, sort, strict=True)))
            peers.append(replace(term, cond=conj(term.cond, peer)))
            if self.name in RANKING:
                test = before(world, sort, self.own, self.sorts)
            else:
                test = part.seen(self.frame, sort, peer)
            members.append((replace(term, cond=conj(term.cond, test)), other))
        return members, peers

    def _neighbour(self, part: Partition, peers: list[Term]) -> Val:
        """LAG and LEAD."""
        self._no_ties(self.name.upper(), peers)
        steps = steps_of(self.function)
        bag = part.neighbour(steps, isinstance(self.function, exp.Lag), self._shown)
        default = self.function.args.get("default")
        value = NULL if default is None else self.reader.value(default, self.scope)
        # Beside a frame whose rows are read one by one, a row is there where that row is, on either side.
        plain = self.reader.aggregates.reads_neighbours
        near = None if plain else part.side(isinstance(self.function, exp.Lag))
        return otherwise(self.reader.world, bag, self.reader.aggregates.any(bag, near, steps), value)

    def _end(self, part: Partition, peers: list[Term]) -> Val:
        """FIRST_VALUE and LAST_VALUE: rows that tie for the end do no harm where they agree in the value."""
        last = isinstance(self.function, exp.LastValue)
        distance = self.frame.ahead if last else self.frame.back
        if distance == 0 and not self.skips:
            return self._own_end(peers)
        if self.skips or distance is not None or self.frame.aside:
            ends, among = self._edge(part, last), None
        else:
            extreme = self._extreme(last)
            if extreme is not None:
                return extreme
            ends = part.end(last, self._shown)
            among = Bag(tuple(replace(term, outs=()) for term, _ in self._shown()))
        if not self.reader.aggregates.agree(ends):
            self._no_ties(self.name, peers)
        return self.reader.aggregates.any(ends, among)

    def _own_end(self, peers: list[Term]) -> Val:
        """The end of a frame that ends at the current row: its value, unless rows that tie have others."""
        world = self.reader.world
        shown = []
        for term, other, sort in self._beside():
            peer = conj(*(null_safe_equal(world, a, b) for a, b in zip(self.own, sort, strict=True)))
            value = self.reader.value(self.function.this, other)
            shown.append(replace(term, cond=conj(term.cond, peer), outs=(value,)))
        if not self.reader.aggregates.agree(Bag(tuple(shown))):
            self._no_ties(self.name, peers)
        return self.reader.value(self.function.this, self.scope)

    def _edge(self, part: Partition, last: bool) -> Bag:
        """The values of the first or last rows of the frame; NULLs left out where they are skipped."""
        world = self.reader.world

        def seen() -> Iterator[tuple[Term, tuple[Val, ...]]]:
            for term, other, sort in self._beside():
                peer = conj(*(null_safe_equal(world, a, b) for a, b in zip(self.own, sort, strict=True)))
                value = self.reader.value(self.function.this, other)
                filled = neg(value.null) if self.skips else TRUE
                cond = conj(term.cond, part.seen(self.frame, sort, peer), filled)
                yield replace(term, cond=cond, outs=(value,)), sort

        terms = []
        for term, sort in seen():
            beyond = [
                replace(
                    row,
                    cond=conj(row.cond, before(world, *((sort, s) if last else (s, sort)), self.sorts)),
                    outs=(),
                )
                for row, s in seen()
            ]
            terms.append(replace(term, cond=conj(term.cond, neg(exists(world, Bag(tuple(beyond)))))))
        return coerced([Bag(tuple(terms))], self.reader.dialect)[0]

    def _extreme(self, last: bool) -> Val | None:
        """The first value of the key that sorts first is MIN, or MAX, as long as NULLs go last."""
        sort = self.sorts[0] if self.sorts else None
        rows = [(term, keys[0]) for term, keys in self._shown() if keys]
        if sort is None or not rows or any(not _is_output(term, key) for term, key in rows):
            return None
        nulls_at_end = sort.nulls_first != last
        if nulls_at_end and any(not z3.is_false(key.null) for _, key in rows):
            return None
        if any(self.reader.world.is_collated(key) or isinstance(key.kind, Other) for _, key in rows):
            return None
        bag = Bag(tuple(term for term, _ in rows))
        return self.reader.aggregates.extreme("MAX" if sort.descending != last else "MIN", bag)

    def _nth(self, part: Partition, peers: list[Term]) -> Val:
        """NTH_VALUE: the row of the frame that so many rows precede; NULL where there is none."""
        if self.frame.back is not None or self.function.args.get("from_first") is False:
            raise Unsupported("sql: NTH_VALUE from another end than the partition's first row")
        self._no_ties("NTH_VALUE", peers)
        number = steps_of(self.function)
        return self.reader.aggregates.any(part.nth(number, self.frame, self._shown))

    def _distinct_keys(self, members: Members) -> Bag:
        """The distinct sort keys of the members."""
        reader = self.reader
        terms = []
        for term, other in members:
            ranks = [reader.value(key.this, other) for key in self.keys]
            terms.append(replace(term, outs=tuple(map(normal, ranks))))
        classes = classes_of(reader, coerced([Bag(tuple(terms))], reader.dialect)[0])
        values = fresh_values(reader.world, classes.terms[0].outs, nullable_columns(classes))
        return Bag((Term((), (Group(values, classes),), TRUE, ()),))

    def _tile(self, members: Members, peers: list[Term]) -> Val:
        """NTILE: a function of the row's number, of the number of rows and of that of the tiles."""
        self._no_ties("NTILE", peers)
        number, rows = self._count(t for t, _ in members), self._count(self._partition())
        tiles = self.reader.value(self.function.this, self.scope)
        if tiles.kind != INT or not z3.is_int_value(tiles.val) or tiles.val.as_long() < 1:
            raise Unsupported("sql: NTILE of what is no positive literal")
        return self._function("ntile", [number, rows, tiles.val], INT)

    def _function(self, name: str, arguments: Iterable[Expr], kind: Kind) -> Val:
        """A function of integers that is never NULL."""
        found = opaque(self.reader.dialect, name, [Val(FALSE, part, INT) for part in arguments], kind)
        return replace(found, null=FALSE)

    def _partition(self) -> Iterator[Term]:
        return (term for term, _, _ in self._beside())

    def _count(self, terms: Iterable[Term]) -> Expr:
        return self.reader.aggregates.count(Bag(tuple(replace(t, outs=()) for t in terms))).val

    def _one_more(self, bag: Bag) -> Val:
        return Val(FALSE, z3.IntVal(1) + self.reader.aggregates.count(bag).val, INT)

    def _place_among_ties(self, peers: list[Term]) -> Expr | None:
        """What ROW_NUMBER adds for the rows that tie; None where none do."""
        try:
            self._no_ties("ROW_NUMBER", peers)
        except Nondeterministic:
            if self.breaking is not None:
                raise
            reader = self.reader
            once = not (reader.outer or reader.rounds or reader.shared)
            alone = self.scope.parent is None and once
            if not (reader.numbers_ties and alone and len(peers) == 1):
                raise
            place = tied_numbers.place(reader.aggregates, self.scope.own, peers[0])
            if place is None:
                raise
            return place
        return None

    def _no_ties(self, function: str, peers: list[Term]) -> None:
        """ROW_NUMBER and LAG are functions of the row only where no two rows of a partition tie."""
        world = self.reader.world
        self.reader.aggregates.relate_numbers([replace(t, outs=s) for t, _, s in self._beside()])
        for (i, one), (j, other) in itertools.combinations_with_replacement(enumerate(peers), 2):
            copy = renamed(world, other)
            # `one` and `copy` both tie with the row at hand, hence with one another.
            both = conj(condition(world, one), condition(world, copy))
            if not world.holds(both, first_rows.same_choice(one, copy) if i == j else FALSE):
                raise Tied(f"sql: {function} where rows may tie")
