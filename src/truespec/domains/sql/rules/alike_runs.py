"""Rows of one kind share the number of runs begun up to them, as they share the number of others before.

Statement. Let "y comes before x" be a strict order of the rows of B, total on the rows before any one, and
let rows be of kinds. Let D(x) be the number of rows of another kind than x before x, and S(x) the number of
rows y, up to x, that begin a run: no row of y's kind is the last one before y. For x and x' of one kind, of
which one comes before the other, D(x) = D(x') just where S(x) = S(x'). So groups by the kind and D are groups
by the kind and S. If x comes before x' and is of another kind, S(x) < S(x').

Side conditions. The key is such a count, D, and a constant; B is a table's rows that meet the condition of
the row that is grouped. It is proved of all rows of B: that what comes before one is of B, that the order is
strict, and total before each row; that kinds are an equivalence; and that two rows which agree in the other
keys of the group are of one kind, and one comes before the other. Nothing but the grouping reads the key.

Why. Let x come before x'. D(x') - D(x) counts the rows of another kind from x on and before x', and S(x') -
S(x) those after x and up to x' that begin a run. Where there is none of another kind, each row after x and up
to x' comes right after one of its own kind. Where there are some, the first of them comes right after a row
of x's kind, and begins a run; so it is where x' is of another kind. The case that matters: runs of equal
states, told apart by the difference of two row numbers (`difference_of_counts`) in one query, and by a
running count of changes in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import z3

from truespec.domains.sql.ir.aggregates import Aggregates
from truespec.domains.sql.ir.bags import Bag, Term, conjuncts
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.symbols import constants, is_eq, is_false, is_not, name_of, substituted
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules.counted_before import one_row
from truespec.domains.sql.schema import Table

Relation = Callable[[Expr, Expr], Formula]
"""What is said of two rows."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Rows in an order, and their kinds."""

    aggregates: Aggregates
    table: Table
    inside: Callable[[Expr], Formula]
    """Whether a row is one of B."""
    before: Relation
    """Whether a row comes before another one."""
    alike: Relation
    """Whether two rows are of one kind."""

    def begins(self, row: Expr) -> Formula:
        """Whether a row begins a run."""
        earlier, between = (self.aggregates.world.fresh_row(self.table) for _ in range(2))
        nearer = self._some(between, conj(self.before(earlier, between), self.before(between, row)))
        return neg(
            self._some(earlier, conj(self.before(earlier, row), self.alike(earlier, row), neg(nearer)))
        )

    def _some(self, row: Expr, cond: Formula) -> Formula:
        return exists(self.aggregates.world, Bag((Term(((row, self.table),), (), cond, ()),)))

    def proved(self, told: Callable[[Expr, Expr], Formula]) -> bool:
        """Whether the side conditions hold; `told`: whether rows agree in the other keys of the group."""
        world = self.aggregates.world
        x, y, z = (world.fresh_row(self.table) for _ in range(3))
        one, two = self.inside(x), conj(self.inside(x), self.inside(y))
        three = conj(two, self.inside(z))
        before, alike = self.before, self.alike

        def ordered(a: Expr, b: Expr) -> Formula:
            return disj(a == b, before(a, b), before(b, a))

        return (
            world.holds(conj(two, told(x, y)), conj(ordered(x, y), alike(x, y)))
            and world.holds(conj(one, before(y, x)), self.inside(y))
            and world.holds(one, conj(neg(before(x, x)), alike(x, x)))
            and world.holds(conj(two, alike(x, y)), alike(y, x))
            and world.holds(conj(three, before(x, y), before(y, z)), before(x, z))
            and world.holds(conj(three, before(x, z), before(y, z)), ordered(x, y))
            and world.holds(conj(three, alike(x, y), alike(y, z)), alike(x, z))
        )

    def number(self, row: Expr) -> Val:
        """S of a row; what is known of rows of two kinds is noted beside it."""
        world = self.aggregates.world
        other = world.fresh_row(self.table)
        begun = conj(self.before(other, row), self.begins(other))
        count = self.aggregates.count_term(Term(((other, self.table),), (), begun, ()))
        begun_here = ite(self.begins(row), z3.IntVal(1), z3.IntVal(0))
        if z3.is_app(count) and name_of(count) in self.aggregates.symbols:
            self._note(row, begun_here, count)
        return Val(FALSE, begun_here + count, INT)

    def _note(self, row: Expr, begun_here: Expr, count: Expr) -> None:
        x, y = (self.aggregates.world.fresh_row(self.table) for _ in range(2))
        apart = conj(self.inside(x), self.inside(y), self.before(x, y), neg(self.alike(x, y)))
        first, last = (substituted(count, (row, end)) for end in (x, y))
        fewer, more = (substituted(begun_here + count, (row, end)) for end in (x, y))
        fact = z3.Implies(apart, fewer < more)
        self.aggregates.note(name_of(count), z3.ForAll([x, y], fact, patterns=[z3.MultiPattern(first, last)]))


def of(aggregates: Aggregates, term: Term, key: Val, others: Sequence[Val]) -> Val | None:
    """The number of runs begun up to a row, in place of a key; None where the key tells no such runs apart.

    `others` are the keys beside it.
    """
    world = aggregates.world
    applied = list(aggregates.applied(Term((), (), TRUE, (key,))).values())
    if not is_false(key.null) or key.kind != INT or len(applied) != 1 or not others:
        return None
    ((symbol, arguments),) = applied
    row = one_row(term, arguments)
    if row is None or symbol.function != "COUNT" or len(term.rows) != 1 or term.groups:
        return None
    (counted,) = symbol.bag.terms
    if counted.groups or [table for _, table in counted.rows] != [term.rows[0][1]]:
        return None
    if not z3.is_int_value(z3.simplify(key.val - symbol.apply(arguments))):
        return None
    ((own, table),) = counted.rows
    formals = symbol.formals
    if constants(counted.cond) - {name_of(own), *map(name_of, formals)}:
        return None

    def at(part: Formula) -> Relation:
        def holds(one: Expr, other: Expr) -> Formula:
            values = (substituted(argument, (row, other)) for argument in arguments)
            return substituted(part, (own, one), *zip(formals, values, strict=True))

        return holds

    def told(one: Expr, other: Expr) -> Formula:
        pairs = ((_moved(value, row, one), _moved(value, row, other)) for value in others)
        return conj(*(null_safe_equal(world, a, b) for a, b in pairs))

    whole = condition(world, term)
    for kind, rest in _kinds(counted.cond, set(map(name_of, formals))):
        runs = _Runs(aggregates, table, lambda x: substituted(whole, (row, x)), at(rest), at(kind))
        if runs.proved(told):
            return runs.number(row)
    return None


def _kinds(cond: Formula, formals: set[str]) -> Iterator[tuple[Formula, Formula]]:
    """What a conjunct denies that says that two values are equal, with the other conjuncts."""
    parts = conjuncts(cond)
    for place, part in enumerate(parts):
        if not is_not(part) or not constants(part) & formals:
            continue
        if all(map(is_eq, conjuncts(part.arg(0)))):
            yield part.arg(0), conj(*parts[:place], *parts[place + 1 :])


def _moved(value: Val, row: Expr, other: Expr) -> Val:
    return Val(substituted(value.null, (row, other)), substituted(value.val, (row, other)), value.kind)
