"""Aggregates by name: a symbol per bag, the choices that operators leave, and what rules may ask of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import z3

from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.kinds import Kind
from truespec.domains.sql.ir.logic import Expr, Formula
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.schema import Column, Table


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A named aggregate: what it computes, of which bag, over which parameters."""

    function: str
    """COUNT, SUM, MIN, MAX, ANY, CHOICE for an arbitrary tuple, or CHOICE and what else is chosen freely."""
    name: str
    """The function symbol's name."""
    formals: tuple[Expr, ...]
    """The bag's free variables."""
    bag: Bag
    """What it aggregates; one term for COUNT and SUM."""
    kind: Kind
    """The kind of its value."""

    def apply(self, arguments: tuple[Expr, ...]) -> Expr:
        """The aggregate of the bag at these parameters."""
        if not arguments:
            return z3.Const(self.name, self.kind.sort)
        sorts = [argument.sort() for argument in arguments]
        return z3.Function(self.name, *sorts, self.kind.sort)(*arguments)

    def null(self, arguments: tuple[Expr, ...]) -> Formula:
        """For ANY: whether the chosen value is NULL."""
        if not arguments:
            return z3.Const(f"{self.name}?", z3.BoolSort())
        sorts = [argument.sort() for argument in arguments]
        return z3.Function(f"{self.name}?", *sorts, z3.BoolSort())(*arguments)


@dataclass(eq=False)
class Operator:
    """A GROUP BY or DISTINCT that chooses a row for each group."""

    side: int
    """0 for the oracle, 1 for the candidate."""
    single: bool
    """Whether it is evaluated once, so that it may have a partner."""
    values: tuple[Val, ...]
    """The group's variables."""
    members: tuple[Term, ...]
    """The rows of the group."""
    outer: tuple[Expr, ...]
    """Variables of the enclosing queries, for each choice of which this one is evaluated anew."""
    chosen: list[tuple[str, tuple[tuple[Val, ...], ...]]] = field(default_factory=list)
    """Symbols of what is chosen, and the columns that it is chosen from: a value for each of `members`."""
    partner: Operator | None = None
    """The operator of the other side that chooses alike."""
    order: tuple[int, ...] = ()
    """Which of the partner's group variables each of its own corresponds to."""
    whole: tuple[Term, ...] = ()
    """The rows of the group, those of groups that HAVING drops too; empty where `members` are all."""


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """Rows that tie, where ROW_NUMBER tells them apart."""

    own: tuple[Expr, ...]
    """The variables of a row."""
    others: tuple[Expr, ...]
    """Those of another row."""
    tied: Formula
    """Whether the two tie, and the other is in its tables."""
    facts: tuple[Formula, ...]
    """What is known of a row's place among those that tie with it."""


class Aggregates(ABC):
    """The aggregates of one pair of queries, as rules see them."""

    world: World
    """Where statements are proved."""
    symbols: dict[str, Symbol]
    """What is named, by name."""
    operators: list[Operator]
    """What leaves choices, in the order of reading."""
    breaks_ties = False
    """Whether rows that tie were read in the order of their keys (`rules/alike_ties.py`)."""
    reads_neighbours = False
    """Whether rows are read by their distance, as LAG and LEAD do, and in a frame of so many rows."""
    flags: dict[str, tuple[Table, Column] | None]
    """The columns of zeros and ones that were asked for, by their functions; None for other columns."""
    ties: dict[str, Ties]
    """What is known of the places of rows among ties (`rules/tied_numbers.py`), by their functions."""
    plainly_same: Callable[[Bag, Bag], bool]
    """Whether two bags are the same by their form, which no solver is asked for."""
    same: Callable[[Bag, Bag], bool]
    """Whether two bags are proved the same."""
    same_tuples: Callable[[Bag, Bag], bool]
    """Whether two bags hold the same tuples, however often."""

    aligned: Callable[[Term, Term], Iterator[Term]]
    """The second term in the variables of the first, in all ways that give each its own."""

    @abstractmethod
    def count(self, bag: Bag) -> Val:
        """COUNT(*) of a bag."""

    @abstractmethod
    def whole(self, function: str, bag: Bag, kind: Kind) -> Val:
        """A function of a bag of tuples, of which only this is known: equal bags give equal results."""

    @abstractmethod
    def any(self, bag: Bag) -> Val:
        """The value of the one column that all tuples share, or an arbitrary one; NULL where no tuple is."""

    @abstractmethod
    def unknown(self, function: str, bag: Bag) -> Val:
        """An aggregate of values of which only this is known: equal bags give equal results."""

    @abstractmethod
    def count_term(self, term: Term) -> Expr:
        """The number of choices of a term."""

    @abstractmethod
    def sum_term(self, term: Term, value: Expr) -> Expr:
        """The sum of a value over the choices of a term."""

    @abstractmethod
    def extreme_value(self, function: str, bag: Bag) -> Expr:
        """MIN or MAX of a bag of values none of which is NULL, where it has any."""

    @abstractmethod
    def choice(self, function: str, bag: Bag, formals: tuple[Expr, ...], kind: Kind) -> str:
        """The name of a new symbol for what is chosen from a bag, as `function` says."""

    @abstractmethod
    def relate_numbers(self, terms: list[Term]) -> None:
        """Note what rules say of the numbers of rows, in a union as well, which are to tell rows apart."""

    @abstractmethod
    def note(self, name: str, fact: Formula) -> None:
        """Note what a rule says of an aggregate, by its name."""

    @abstractmethod
    def names_in(self, formula: Formula) -> list[str]:
        """The names of the aggregates that a formula applies, below quantifiers as well, in their order."""

    @abstractmethod
    def note_signs(self, formula: Formula) -> None:
        """Learn of the sums in a formula whether they are positive or negative."""

    @abstractmethod
    def applied(self, term: Term) -> dict[int, tuple[Symbol, tuple[Expr, ...]]]:
        """Applications of aggregates outside quantifiers, by the number of the expression."""

    @abstractmethod
    def instance(self, symbol: Symbol, application: Expr) -> Bag:
        """The bag that a symbol aggregates where it is applied like this."""
