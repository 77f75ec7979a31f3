"""What rules say of named aggregates beyond the axioms, noted where terms that are compared ask for it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import z3

from truespec.domains.sql.aggregates.candidates import aggregates_in_keys
from truespec.domains.sql.ir.aggregates import Aggregates, Symbol
from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.logic import Expr, Formula
from truespec.domains.sql.ir.symbols import constants, name_of
from truespec.domains.sql.rules import (
    counted_across,
    counted_before,
    counted_image,
    counted_last,
    counted_subset,
    least_rows,
    many_choices,
    rows_between,
    run_lengths,
    running_totals,
    runs,
    signed_sums,
    taken_places,
)


class Learned:
    """The facts about the aggregates of one pair of queries."""

    def __init__(self, aggregates: Aggregates) -> None:
        self.aggregates = aggregates
        self.facts: dict[str, list[Formula]] = {}
        """By the name of an aggregate that a fact speaks of, or of the rows that it speaks of."""
        self.plainly = False
        """Whether an aggregate is named that is an earlier one only where their bags are written alike."""
        self._signed: set[str] = set()
        self._related: set[tuple[str, str, tuple[tuple[int, int], ...]]] = set()
        self._numbered: set[tuple[str, int]] = set()
        self._between: set[str] = set()
        self._spans: set[str] = set()
        self._runs: set[str] = set()
        self._places: set[str] = set()
        self._orders: list[Formula] = []
        self._totals: dict[str, set[tuple[Fraction, bool]]] = {}
        self._last: set[str] = set()
        self._taken: set[tuple[str, int]] = set()
        self._lengths: set[str] = set()
        self._across: set[frozenset[str]] = set()

    def add(self, name: str, *facts: Formula | None) -> None:
        """Note facts about an aggregate, as many as there are."""
        self.facts.setdefault(name, []).extend(fact for fact in facts if fact is not None)

    def of_rows(self, name: str) -> list[Formula]:
        """What is known of all rows of a table, by the name of its membership; nothing for other names."""
        return self.facts.get(name, []) if name.startswith("rows ") else []

    def relate(self, terms: list[Term]) -> None:
        """Note what rules say of the aggregates that these terms compare."""
        for counts in counted_subset.compared(self.aggregates, _nested(terms)):
            self._relate_counts(counts)
        for formula in signed_sums.compared(terms):
            self.note_signs(formula)
        for formula in signed_sums.compared(_nested(terms)):
            for symbol, number in many_choices.compared(self.aggregates, formula):
                self._note_number(symbol, number)
        for symbol, stepped in rows_between.in_keys(self.aggregates, terms, self._runs):
            self._note_between(symbol, stepped)
        for symbol, term, arguments in rows_between.numbered(self.aggregates, terms):
            if rows_between.read(symbol) is not None:
                self._note_between(symbol, stepped=False)
            elif symbol.name not in self._between:
                self._note_before(symbol, term, arguments)
        self.relate_places(_nested(terms))
        self._relate_firsts(terms)
        for greatest in run_lengths.asked(self.aggregates, _nested(terms)):
            self._note_length(greatest)
        for total in running_totals.asked(self.aggregates, _nested(terms)):
            self._note_total(total)

    def _relate_firsts(self, terms: list[Term]) -> None:
        """Note that below each row there is a first one, beside an extreme or ties, or in groups."""
        applied = [symbol for term in terms for symbol, _ in self.aggregates.applied(term).values()]
        extremes = [symbol.name for symbol in applied if symbol.function in ("MIN", "MAX")]
        if self.aggregates.breaks_ties and not extremes:
            extremes = [symbol.name for symbol in applied if symbol.function == "COUNT"]
        if extremes:
            self._note_firsts(extremes[0], terms)
        grouped = _nested(part for term in terms for group in term.groups for part in group.body.terms)
        self._note_firsts(None, grouped)

    def _note_firsts(self, name: str | None, terms: list[Term]) -> None:
        """Note it under the name of an aggregate, or of the table."""
        for first in least_rows.asked(self.aggregates, terms):
            order = first.key()
            if len(self._orders) < least_rows.MAX_ORDERS and not any(order.eq(old) for old in self._orders):
                self._orders.append(order)
                place = f"rows {first.table.name.lower()}" if name is None else name
                self.add(place, least_rows.of(self.aggregates.world, first))

    def relate_numbers(self, terms: list[Term]) -> None:
        """Note what is said of the numbers of rows, in a union as well, where they are to tell rows apart."""
        applied = [pair for term in terms for pair in self.aggregates.applied(term).values()]
        rows = {name_of(row) for term in terms for row, _ in term.rows}
        outer = {name for _, arguments in applied for part in arguments for name in constants(part) - rows}
        asked = frozenset(symbol.name for symbol, _ in applied) | outer
        if not applied or asked in self._across:
            return
        self._across.add(asked)
        for name, fact in counted_across.of(self.aggregates, terms):
            self.add(name, fact)

    def relate_places(self, terms: list[Term]) -> None:
        """Note that rows have one place each, and which are taken, where terms ask for rows at a place."""
        for placed in counted_across.placed(self.aggregates, terms):
            self.relate_numbers([placed])
        for place in taken_places.asked(self.aggregates, terms):
            symbol, _, _, number = place
            if (symbol.name, number) not in self._taken:
                self._taken.add((symbol.name, number))
                self.add(symbol.name, taken_places.of(self.aggregates, place))

    def note_signs(self, formula: Formula) -> None:
        """Learn of the sums in a formula whether they are positive or negative."""
        for name in self.aggregates.names_in(formula):
            symbol = self.aggregates.symbols[name]
            if symbol.function == "SUM" and name not in self._signed:
                self._signed.add(name)
                self.add(name, signed_sums.of(self.aggregates.world, symbol))

    def pairs_matter(self, symbol: Symbol) -> bool:
        """Whether the axioms say when a count is at least 2; of rows that follow one another, others do."""
        return symbol.name not in self._spans | self._runs

    def needs_axioms(self, symbol: Symbol) -> bool:
        """Whether anything depends on an aggregate's own axioms; not on those of a place in a run."""
        return symbol.name not in self._places or symbol.name in self._spans

    def told_apart(self, one: Symbol, other: Symbol) -> bool:
        """Whether `rows_between` says all that is to be said of two counts, or one alone is of a run."""
        if one.name in self._spans and other.name in self._spans:
            return True
        symbols = self.aggregates.symbols
        keyed = [bool(aggregates_in_keys(symbol.bag.terms[0], symbols)) for symbol in (one, other)]
        return self.aggregates.world.in_steps and keyed[0] != keyed[1]

    def counts_last(self, symbol: Symbol) -> bool:
        """Whether `counted_last` says what a count is, which is noted."""
        if symbol.name not in self._last:
            number = counted_last.number(self.aggregates, symbol.bag.terms[0])
            if number is None:
                return False
            self._last.add(symbol.name)
            count, formals = symbol.apply(symbol.formals), list(symbol.formals)
            fact = count == number
            self.add(symbol.name, z3.ForAll(formals, fact, patterns=[count]) if formals else fact)
        return True

    def _relate_counts(self, counts: counted_subset.Compared) -> None:
        pair = counts.one.name, counts.two.name, counts.shared
        if pair in self._related:
            return
        self._related.add(pair)
        for way in counts.orders():
            fact = counted_subset.of(self.aggregates.world, way)
            if fact is None:
                fact = counted_image.of(self.aggregates, way)
            if fact is not None:
                self.add(way.one.name, fact)
                return

    def _note_number(self, symbol: Symbol, number: int) -> None:
        if (symbol.name, number) in self._numbered:
            return
        self._numbered.add((symbol.name, number))
        run = runs.of(self.aggregates, symbol, number)
        fact = None if run is None else run[0]
        if run is not None:
            self._runs.add(symbol.name)
            self._places.add(run[1].name)
        elif many_choices.LEAST < number <= many_choices.MOST:
            fact = many_choices.of(self.aggregates.world, symbol, number)
        self.add(symbol.name, fact)

    def _note_before(self, symbol: Symbol, term: Term, arguments: tuple[Expr, ...]) -> None:
        self._between.add(symbol.name)
        known, self.plainly = set(self.aggregates.symbols), True
        fact = counted_before.of(self.aggregates, symbol, term, arguments)
        self.plainly = False
        if fact is not None:
            self.add(symbol.name, fact)
            self._spans |= {symbol.name} | (self.aggregates.symbols.keys() - known)
            self.aggregates.world.in_numbers = True

    def _note_length(self, greatest: Symbol) -> None:
        if greatest.name not in self._lengths:
            self._lengths.add(greatest.name)
            found = run_lengths.of(self.aggregates, greatest)
            if found is not None:
                self.add(*found)

    def _note_total(self, total: running_totals.Total) -> None:
        limits = self._totals.setdefault(total.symbol.name, set())
        if (total.limit, total.strict) not in limits and len(limits) < running_totals.MOST_LIMITS:
            limits.add((total.limit, total.strict))
            self.add(total.symbol.name, *running_totals.of(self.aggregates, total))

    def _note_between(self, symbol: Symbol, stepped: bool) -> None:
        if symbol.name in self._between:
            return
        self._between.add(symbol.name)
        known, self.plainly = set(self.aggregates.symbols), True
        fact = rows_between.of(self.aggregates, symbol, whole=stepped)
        self.plainly = False
        if fact is not None:
            self.add(symbol.name, fact)
            self._spans |= {symbol.name} | (self.aggregates.symbols.keys() - known)
            self.aggregates.world.in_steps |= stepped
            self.aggregates.world.in_numbers |= not stepped


def _nested(terms: Iterable[Term]) -> list[Term]:
    """The terms, and those of the bags that their groups range over."""
    found: list[Term] = []
    for term in terms:
        found += [term, *_nested(part for group in term.groups for part in group.body.terms)]
    return found
