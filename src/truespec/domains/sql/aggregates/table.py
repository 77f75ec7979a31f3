"""Aggregates as functions of bags: one symbol per bag that is proved different from all others.

COUNT and SUM are split over the terms of their bag and rewritten by the laws in `rules/sum_laws.py`. What
remains is a function symbol applied to the expressions that the bag depends on. Two bags that are proved
equal share a symbol; the axioms of `rules/aggregate_axioms.py` say what is known of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import z3

from truespec.domains.sql.aggregates.abstraction import abstracted, outer_part
from truespec.domains.sql.aggregates.candidates import Role, matched, roles, unrelated
from truespec.domains.sql.aggregates.learned import Learned
from truespec.domains.sql.aggregates.places import fact_of
from truespec.domains.sql.aggregates.quantiles import quantile
from truespec.domains.sql.ir.aggregates import Aggregates, Operator, Symbol
from truespec.domains.sql.ir.bags import (
    Bag,
    Group,
    Term,
    fresh_values,
    mentioned,
    renamed,
    substitute_bag,
)
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import (
    BOOL,
    CLASS,
    INT,
    LOOSE,
    NUMBERS,
    REAL,
    TEXT,
    Enumerated,
    Kind,
    Other,
)
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite, neg, real
from truespec.domains.sql.ir.ordered_types import is_ordered
from truespec.domains.sql.ir.symbols import functions, is_false, name_of, operands
from truespec.domains.sql.ir.values import Val, check_compared, identical, known, numeric, to_real, united
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import (
    aggregate_axioms,
    counted_last,
    empty_terms,
    extreme_of_set,
    few_values,
    first_exists,
    frame_rows,
    greatest_counts,
    independent_factors,
    key_cases,
    known_flags,
    listed_extremes,
    middle_values,
    settled_value,
    split_bounds,
    sum_laws,
)
from truespec.domains.sql.rules.normalise import normalised
from truespec.verdict import Nondeterministic, Unsupported


class AggregateTable(Aggregates):
    """The aggregates of one pair of queries."""

    def __init__(self, world: World, same: Callable[[Bag, Bag], bool], *, attached: bool = True) -> None:
        self.world = world
        self.same = same
        self.symbols: dict[str, Symbol] = {}
        self.operators: list[Operator] = []
        self.flags = {}
        self.ties = {}
        self.learned = Learned(self)
        self._firsts: dict[str, Formula] = {}
        self._roles: dict[str, list[Role]] = {}
        self.aligned: Callable[[Term, Term], Iterator[Term]] = lambda left, right: iter(())
        self.plainly_same: Callable[[Bag, Bag], bool] = lambda left, right: False
        self.plainly_apart: Callable[[Bag, Bag], bool] = lambda left, right: False
        self.same_tuples: Callable[[Bag, Bag], bool] = lambda left, right: False
        if attached:
            world.extra_axioms = self.axioms

    def axioms(self, names: set[str]) -> list[Formula]:
        """What is known of the aggregates among these names."""
        found: list[Formula] = []
        for name in sorted(names):
            found += self.ties[name].facts if name in self.ties else self.learned.of_rows(name)
            symbol = self.symbols.get(name.removesuffix("?"))
            if symbol is not None and self.learned.needs_axioms(symbol):
                first = self._firsts.get(symbol.name)
                pairs = self.learned.pairs_matter(symbol)
                found += aggregate_axioms.of(self.world, symbol, pairs=pairs) if first is None else [first]
                found += self.learned.facts.get(symbol.name, [])
        return found

    # What queries ask for

    def count(self, bag: Bag) -> Val:
        """COUNT(*)."""
        total: Expr = z3.IntVal(0)
        for term in bag.terms:
            part = self.count_term(term)
            total = part if z3.is_int_value(total) and total.as_long() == 0 else total + part
        return Val(FALSE, total, INT)

    def filled(self, bag: Bag) -> Bag:
        """The bag without the tuples whose first value is NULL: aggregates ignore them."""
        return Bag(
            tuple(
                replace(t, cond=conj(t.cond, neg(first.null)), outs=(known(first), *rest))
                for t in bag.terms
                for first, *rest in [t.outs]
            )
        )

    def sum(self, bag: Bag) -> Val:
        """SUM of the one column; NULL where no value is."""
        bag = self.filled(bag)
        terms = [replace(t, outs=(numeric(t.outs[0]),)) for t in bag.terms]
        if not terms:
            raise Unsupported("sql: SUM over no rows, whose type is not known")
        dialect = self.world.dialect
        kind = united({t.outs[0].kind for t in terms}, typed_by_value=dialect.numbers_typed_by_value)
        if kind == INT and not dialect.sum_of_integers_is_integer:
            kind = LOOSE  # a sum of BIGINTs is no BIGINT
        if kind != INT:
            terms = [replace(t, outs=(to_real(t.outs[0]),)) for t in terms]
        parts = [sum_laws.split(self, replace(t, outs=()), t.outs[0].val) for t in terms]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return Val(neg(exists(self.world, bag)), total, kind)

    def average(self, bag: Bag) -> Val:
        """AVG is SUM by COUNT, exactly; NULL where no value is. Over the middle places it is the median."""
        middle = middle_values.of(self, self.filled(bag))
        if middle is not None:
            whole, name, fact = middle
            self.learned.add(name, fact)
            return replace(quantile(self, whole, "1/2 ascending", between=True), kind=REAL)
        total, number = to_real(self.sum(bag)), to_real(self.count(self.filled(bag)))
        return Val(total.null, total.val / number.val, REAL)

    def distinct(self, bag: Bag) -> Bag:
        """The distinct non-NULL values of the one column, by the dialect's equality."""
        bag = self.filled(bag)
        terms = []
        for term in bag.terms:
            term = known_flags.apply(self.world, term)
            out = term.outs[0]
            check_compared((out,))
            if out.kind == TEXT and self.world.is_collated(out):
                out = Val(out.null, self.world.key_expression(out), CLASS)
            terms.append(replace(term, outs=(out,)))
        if not terms:
            return Bag(())
        values = fresh_values(self.world, terms[0].outs, [False])
        return Bag((Term((), (Group(values, Bag(tuple(terms))),), TRUE, values),))

    def extreme(self, function: str, bag: Bag) -> Val:
        """MIN or MAX of the one column; NULL where no value is."""
        world = self.world
        bag = self.filled(bag)
        truths = world.dialect.has_boolean_type and any(t.outs[0].kind == BOOL for t in bag.terms)
        terms = list(bag.mapped(lambda outs: (numeric(outs[0]) if outs[0].kind == BOOL else outs[0],)).terms)
        if not terms:
            raise Unsupported(f"sql: {function} over no rows, whose type is not known")
        kinds = {t.outs[0].kind for t in terms}
        kind = next(iter(kinds))
        if len(kinds) > 1 and kinds <= NUMBERS:
            kind = united(kinds, typed_by_value=world.dialect.numbers_typed_by_value)
            terms = [replace(t, outs=(replace(to_real(t.outs[0]), kind=kind),)) for t in terms]
        elif len(kinds) > 1:
            raise Unsupported(f"sql: {function} over values of types {' and '.join(sorted(map(str, kinds)))}")
        check_compared(term.outs[0] for term in terms)
        if isinstance(kind, Enumerated):
            raise Unsupported(f"sql: {function} of an ENUM, which an index orders by position")
        if kind == TEXT and world.enums and not world.dialect.expressions_lose_type:
            raise Unsupported(f"sql: {function} of a text beside ENUM columns, which order by position")
        if isinstance(kind, Other) and not is_ordered(kind):
            if self.agree(Bag(tuple(terms))):
                return self.any(Bag(tuple(terms)))
            raise Unsupported(f"sql: {function} over values of type {kind.shown}")
        bag = Bag(tuple(terms))
        if kind == TEXT and world.dialect.collation_merges_texts and not self.exact(bag):
            raise Nondeterministic(f"sql: {function} of texts that differ only by case or trailing blanks")
        empty = neg(exists(world, bag))
        value = self.extreme_value(function, bag)
        return Val(empty, value == z3.IntVal(1), BOOL) if truths else Val(empty, value, kind)

    def any(self, bag: Bag, among: Bag | None = None, place: int = 1) -> Val:
        """The value of the one column that all tuples share, or an arbitrary one; NULL where no tuple is.

        `among`: the bag holds the first of these in some order, or the one at another place in a total order.
        """
        if not bag.terms:
            raise Unsupported("sql: a value of no rows, whose type is not known")
        single = self._single(bag)
        empty = neg(exists(self.world, bag))
        if single is not None:
            return Val(disj(empty, single.null), single.val, single.kind)
        null, value = self._choose("ANY", bag)
        if all(is_false(term.outs[0].null) for term in bag.terms):
            null = FALSE
        if among is not None and name_of(value) in self.symbols:
            fact = fact_of(self, value, bag, among, place)
            if fact is not None:
                self._firsts[name_of(value)] = fact
                empty = neg(first_exists.reached(self, among, place))
        return Val(disj(empty, null), value, bag.terms[0].outs[0].kind)

    def unknown(self, function: str, bag: Bag) -> Val:
        """An aggregate of which only this is known: equal bags of values give equal results."""
        bag = self.filled(bag)
        if not bag.terms:
            raise Unsupported(f"sql: the aggregate {function.upper()} of nothing")
        null, value = self._choose(function, bag)
        return Val(null, value, bag.terms[0].outs[0].kind)

    def agree(self, bag: Bag) -> bool:
        """Whether all tuples of the bag are proved identical."""
        world = self.world
        for a, b in itertools.combinations_with_replacement(bag.terms, 2):
            copy = renamed(world, b)
            first, second = condition(world, a), condition(world, copy)
            if not world.holds(conj(first, second), conj(*map(identical, a.outs, copy.outs))):
                return False
        return True

    def exact(self, bag: Bag) -> bool:
        """Whether texts of the bag that the collation calls equal are proved equal by their bytes."""
        world = self.world
        for a, b in itertools.combinations_with_replacement(bag.terms, 2):
            copy = renamed(world, b)
            same = world.collation(a.outs[0].val) == world.collation(copy.outs[0].val)
            premise = conj(condition(world, a), condition(world, copy), same)
            if not world.holds(premise, a.outs[0].val == copy.outs[0].val):
                return False
        return True

    def whole(self, function: str, bag: Bag, kind: Kind) -> Val:
        """A function of a bag of tuples, of which only this is known: equal bags give equal results."""
        terms = [normalised(self.world, term) for term in bag.terms]
        terms = [term for term in terms if not is_false(term.cond)]
        if not terms:
            return Val(TRUE, kind.stand_in, kind)
        symbol, arguments = self._symbol(function, Bag(tuple(terms)), kind)
        return Val(symbol.null(arguments), symbol.apply(arguments), kind)

    def choice(self, function: str, bag: Bag, formals: tuple[Expr, ...], kind: Kind) -> str:
        """A new symbol for what is chosen from a bag."""
        name = f"agg!{len(self.symbols)}"
        self.symbols[name] = Symbol(function, name, formals, bag, kind)
        return name

    def relate(self, terms: list[Term]) -> None:
        """Note what rules say of the aggregates that these terms compare."""
        self.learned.relate(terms)

    def relate_numbers(self, terms: list[Term]) -> None:
        self.learned.relate_numbers(terms)

    def told_apart(self, one: Symbol, other: Symbol) -> bool:
        """Whether it is known how two aggregates differ: no proof is looked for that they are equal."""
        return self.learned.told_apart(one, other)

    def note(self, name: str, fact: Formula) -> None:
        self.learned.add(name, fact)

    def names_in(self, formula: Formula) -> list[str]:
        return [name for name in self.symbols if name in functions(formula)]

    def note_signs(self, formula: Formula) -> None:
        self.learned.note_signs(formula)

    # Symbols

    def applied(self, term: Term) -> dict[int, tuple[Symbol, tuple[Expr, ...]]]:
        """Applications of aggregates outside quantifiers, by the number of the expression."""
        found: dict[int, tuple[Symbol, tuple[Expr, ...]]] = {}
        todo = [term.cond, *(out.null for out in term.outs), *(out.val for out in term.outs)]
        seen: set[int] = set()
        while todo:
            node = todo.pop()
            if node.get_id() in seen or self.symbols.keys().isdisjoint(functions(node)):
                continue  # what a part applies is remembered: parts without aggregates are not walked
            if not z3.is_app(node):
                continue
            seen.add(node.get_id())
            symbol = self.symbols.get(node.decl().name())
            if symbol is not None:
                found[node.get_id()] = (symbol, tuple(operands(node)))
            todo.extend(operands(node))
        return found

    def instance(self, symbol: Symbol, application: Expr) -> Bag:
        """The bag that a symbol aggregates where it is applied like this."""
        # Renamed: what is assumed may speak of variables that once named this bag's own rows.
        bag = Bag(tuple(renamed(self.world, term) for term in symbol.bag.terms))
        return substitute_bag(bag, list(zip(symbol.formals, operands(application), strict=True)))

    def extreme_value(self, function: str, bag: Bag) -> Expr:
        """MIN or MAX of a bag of values none of which is NULL, where it has any."""
        single = self._single(bag)
        if single is not None:
            return single.val
        some, bag = greatest_counts.of(self, function, bag)
        listed = listed_extremes.of(self.world, function, bag)
        value = self._choose(function, bag)[1] if listed is None else listed
        return ite(some, value, z3.IntVal(0))

    def _single(self, bag: Bag) -> Val | None:
        """The one value of a bag whose rows, or whose values, the condition determines."""
        terms = [normalised(self.world, t) for t in bag.terms]
        terms = [t for t in terms if not is_false(t.cond)]
        if len(terms) == 1 and not terms[0].rows and not terms[0].groups:
            return terms[0].outs[0]
        return settled_value.of(terms)

    def count_term(self, term: Term) -> Expr:
        """The number of choices of a term."""
        world = self.world
        term = normalised(world, replace(term, outs=()))
        if is_false(term.cond) or empty_terms.of(world, term):
            return z3.IntVal(0)
        listed = few_values.of(world, term)
        if listed is not None:
            return z3.Sum(*(ite(test, z3.IntVal(1), z3.IntVal(0)) for test in listed))
        divided = split_bounds.of(world, term)
        if divided is not None:
            return self.count_term(divided[0]) + self.count_term(divided[1])
        places = frame_rows.of(self, term)
        if places is not None:
            return frame_rows.total(self, places, value=False)
        last = counted_last.number(self, term)
        if last is not None:
            return self._named_last(term, last)
        outer, inner = outer_part(term)
        cases = key_cases.summed(inner)
        if cases is not None:
            return ite(outer, z3.Sum(*map(self.count_term, cases)), z3.IntVal(0))
        outer, term = outer_part(independent_factors.pinned(term))
        product: Expr | None = None
        for factor in independent_factors.of(term):
            if not factor.rows and not factor.groups:
                part = ite(factor.cond, z3.IntVal(1), z3.IntVal(0))
            else:
                symbol, arguments = self._symbol("COUNT", Bag((factor,)), INT)
                part = symbol.apply(arguments)
            product = part if product is None else product * part
        return ite(outer, z3.IntVal(1) if product is None else product, z3.IntVal(0))

    def _named_last(self, term: Term, last: Expr) -> Expr:
        """The symbol of a count of which `counted_last` says that it is this number."""
        symbol, arguments = self._symbol("COUNT", Bag((term,)), INT)
        return symbol.apply(arguments) if self.learned.counts_last(symbol) else last

    def sum_term(self, term: Term, value: Expr) -> Expr:
        """The sum of a value over the choices of a term, without any law."""
        kind = REAL if value.sort() == z3.RealSort() else INT
        term = normalised(self.world, replace(term, outs=(Val(FALSE, value, kind),)))
        if is_false(term.cond) or empty_terms.of(self.world, term):
            return kind.stand_in
        divided = split_bounds.of(self.world, term)
        if divided is not None:
            first, second = (self.sum_term(part, part.outs[0].val) for part in divided)
            return first + second
        places = frame_rows.of(self, term) or frame_rows.at_place(self, term)
        if places is not None:
            return frame_rows.total(self, places, value=True)
        outer, inner = outer_part(term)
        cases = key_cases.summed(inner)
        if cases is not None:
            total = z3.Sum(*(self.sum_term(case, case.outs[0].val) for case in cases))
            return ite(outer, total, kind.stand_in)
        outer, term = outer_part(independent_factors.pinned(term))
        if not term.rows and not term.groups:
            return ite(conj(outer, term.cond), term.outs[0].val, kind.stand_in)
        needed = mentioned(term.outs)
        summed, *counted = independent_factors.of(term, needed)
        if not summed.rows and not summed.groups:
            number = self.count_term(replace(term, outs=()))
            total = term.outs[0].val * (real(number) if kind == REAL else number)
            return ite(outer, total, kind.stand_in)
        symbol, arguments = self._symbol("SUM", Bag((summed,)), kind)
        total = symbol.apply(arguments)
        for factor in counted:
            number = self.count_term(replace(factor, outs=()))
            total = total * (real(number) if kind == REAL else number)
        return ite(outer, total, kind.stand_in)

    def _choose(self, function: str, bag: Bag) -> tuple[Formula, Expr]:
        terms = [normalised(self.world, term) for term in bag.terms]
        terms = [term for term in terms if not is_false(term.cond)]
        if not terms:
            return TRUE, bag.terms[0].outs[0].kind.stand_in
        self.learned.relate_places(terms)
        symbol, arguments = self._symbol(function, Bag(tuple(terms)), terms[0].outs[0].kind)
        return symbol.null(arguments), symbol.apply(arguments)

    def _symbol(self, function: str, bag: Bag, kind: Kind) -> tuple[Symbol, tuple[Expr, ...]]:
        """The symbol of a bag, and the arguments at which it is meant here."""
        bag, formals, arguments = abstracted(self.world, bag)
        mine = roles(bag, formals)
        known = [
            (symbol, substitute_bag(symbol.bag, pairs), order)
            for symbol in list(self.symbols.values())  # comparing bags may name further aggregates
            if symbol.function == function and symbol.kind == kind
            for order, pairs in matched(symbol.formals, formals, self._roles_of(symbol), mine)
        ]
        ways = (self.plainly_same, self.same, partial(extreme_of_set.apply, self, function))
        for same in ways[:1] if self.learned.plainly else ways:
            for symbol, there, order in known:
                if same != self.plainly_same and (
                    unrelated(there, bag, self.symbols) or self.plainly_apart(there, bag)
                ):
                    continue
                if same(there, bag):
                    if same != self.plainly_same and not formals:
                        self._note_emptiness(there, bag)
                    return symbol, tuple(arguments[i] for i in order)
        name = f"agg!{len(self.symbols)}"
        symbol = Symbol(function, name, tuple(formals), bag, kind)
        self.symbols[name] = symbol
        self._roles[name] = mine
        return symbol, tuple(arguments)

    def _note_emptiness(self, one: Bag, other: Bag) -> None:
        """Note that two bags that were found to be the same are empty together; neither has a parameter.

        Where their conditions speak of aggregates, that they are the same may have taken more than Z3 knows.
        """
        inside = [name for term in other.terms for name in functions(term.cond) if name in self.symbols]
        if inside:
            some = [exists(self.world, bag.mapped(lambda _: ())) for bag in (one, other)]
            self.learned.add(min(inside), z3.simplify(some[0] == some[1]))

    def _roles_of(self, symbol: Symbol) -> list[Role]:
        if symbol.name not in self._roles:
            self._roles[symbol.name] = roles(symbol.bag, symbol.formals)
        return self._roles[symbol.name]
