"""Where names are looked up, and what a query or a FROM clause denotes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import Bag, Term, mentioned
from truespec.domains.sql.ir.existence import group_formula
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, conj
from truespec.domains.sql.ir.symbols import variables
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, membership
from truespec.domains.sql.rules.first_rows import Sort
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


@dataclass(frozen=True, slots=True)
class Name:
    """A column of a FROM clause."""

    table: str
    """Its table's alias, folded."""
    column: str
    """Its name, folded."""
    hidden: bool = False
    """Whether only a qualified name finds it: the second of two columns merged by USING."""


@dataclass(frozen=True, slots=True, eq=False)
class Denotation:
    """What a query denotes."""

    names: tuple[str, ...]
    """The output columns' names, folded."""
    bag: Bag
    """The tuples; after the named columns come the values of the sort keys."""
    sorts: tuple[Sort, ...] = ()
    """The sort keys."""
    limit: tuple[int | None, int] | None = None
    """LIMIT and OFFSET."""

    def unordered(self) -> Bag:
        """The bag of a query without LIMIT whose order does not matter."""
        return self.bag.cut(len(self.names))


class Position(exp.Expression):
    """A column of the source by its position, as a star stands for it."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


class Scope:
    """Where names are looked up: the columns of one FROM clause for one term, then the enclosing query."""

    def __init__(self, names: Sequence[Name], values: Sequence[Val], parent: Scope | None) -> None:
        self.names = names
        self.values = values
        self.parent = parent

    def known(self, node: Any) -> Val | None:
        """The value of an expression that this scope knows as a whole, such as a group key."""
        return None

    def find(self, column: exp.Column) -> int | None:
        """The position of a column; raises where the name is ambiguous."""
        table, name = column.table.lower(), column.name.lower()
        hits = [
            i
            for i, known in enumerate(self.names)
            if known.column == name and (known.table == table if table else not known.hidden)
        ]
        if len(hits) > 1:
            raise SpecificationError(ReasonCode.SCOPE, f"the column {column.sql()!r} is ambiguous")
        return hits[0] if hits else None

    def grouping(self, node: exp.Grouping) -> int:
        """The value of GROUPING(...): a bit for each argument, 1 where the grouping set is without it."""
        raise Unsupported(f"sql: {node.sql()[:60]} outside its group")

    def column(self, column: exp.Column) -> Val:
        """The value of a column."""
        if column.args.get("db") or column.args.get("catalog"):
            raise Unsupported(f"sql: the name {column.sql()!r} of several parts")
        position = self.find(column)
        if position is not None:
            return self.at(position)
        if self.parent is not None:
            return self.parent.column(column)
        raise SpecificationError(ReasonCode.SCOPE, f"unknown column {column.sql()!r}")

    def at(self, position: int) -> Val:
        """The value of the column at a position."""
        return self.values[position]

    def here(self) -> Formula:
        """What holds of the row, or the group, that something is computed for in this scope."""
        return TRUE

    def given(self, read: Collection[str]) -> Formula:
        """What holds wherever something is computed in this scope that reads variables with these names.

        What holds of a row around it counts where that row is read: a subquery that reads none of it is
        computed once, and PostgreSQL's parallel plans do so before there is a row.
        """
        facts, scope = [self.here()], self.parent
        while scope is not None:
            if any(name in read for value in scope.shown() for name in mentioned([value])):
                facts.append(scope.here())
            scope = scope.parent
        return conj(*facts)

    def used(self) -> Formula:
        """What holds wherever it matters what a value is that is computed below this scope."""
        return conj(self.here(), TRUE if self.parent is None else self.parent.used())

    def shown(self) -> Sequence[Val]:
        """What tells apart the rows, or the groups, for which a query below this scope is evaluated."""
        return self.values

    def variables(self) -> dict[str, Expr]:
        """The variables that what is looked up here, or further out, may depend on, by name."""
        found = {} if self.parent is None else self.parent.variables()
        for value in self.shown():
            found |= variables(value.null) | variables(value.val)
        return found


class JoinedScope(Scope):
    """The names of a FROM clause where it is joined or filtered, which is done for rows of its tables."""

    def __init__(self, names: Sequence[Name], terms: Sequence[Term], parent: Scope | None) -> None:
        super().__init__(names, tuple(out for term in terms for out in term.outs), parent)
        self._rows = [row for term in terms for row in term.rows]

    def here(self) -> Formula:
        return conj(*(membership(*row) for row in self._rows))


class RowScope(JoinedScope):
    """The names of a FROM clause for one of its terms: what is computed there is computed for its tuples."""

    def __init__(
        self, world: World, names: Sequence[Name], term: Term, parent: Scope | None, *, after: bool = False
    ) -> None:
        """`after`: nothing is computed there before the term's condition has been tested."""
        super().__init__(names, [term], parent)
        self._world = world
        self._groups = term.groups
        self._kept = term.cond
        self._after = after

    def here(self) -> Formula:
        tested = self._kept if self._after else TRUE
        return conj(tested, *(group_formula(self._world, group) for group in self._groups), super().here())

    def used(self) -> Formula:
        return conj(self._kept, super().used())


@dataclass(eq=False)
class Source:
    """A FROM clause: its columns and, for each term, their values."""

    names: tuple[Name, ...]
    """The columns."""
    bag: Bag
    """The rows; outputs are the columns' values."""


class GroupScope(Scope):
    """Names above a GROUP BY: group keys, and columns that are constant in each group."""

    def __init__(
        self,
        source: Source,
        keys: Sequence[tuple[str, Val]],
        operator: Operator,
        members: Bag,
        parent: Scope | None,
        constant: Callable[[GroupScope, int], Val],
        absent: Set[str] = frozenset(),
    ) -> None:
        """`constant` reads a column that is no key; `absent` are the keys of other grouping sets."""
        super().__init__(source.names, (), parent)
        self.operator = operator
        self.constant = constant
        self.source = source
        self.keys = dict(keys)
        self.members = members  # outputs are all columns of the source
        self.absent = absent
        self.filled: Formula = TRUE  # that the group has a row
        self.kept: Formula = TRUE  # that HAVING keeps the group
        self.after = False  # whether nothing is computed before HAVING has been tested
        self._any: dict[int, Val] = {}

    def grouping(self, node: exp.Grouping) -> int:
        number = 0
        for argument in node.expressions:
            print_ = fingerprint(argument.unnest(), self)
            if print_ not in self.keys:
                raise Unsupported(f"sql: {node.sql()[:60]} of what is no key")
            number = 2 * number + (print_ in self.absent)
        return number

    def known(self, node: Any) -> Val | None:
        if not self.keys or not isinstance(node, exp.Expr) or isinstance(node, exp.Literal):
            return None
        return self.keys.get(fingerprint(node, self))

    def at(self, position: int) -> Val:
        name = f"#{position}"
        if name in self.keys:
            return self.keys[name]
        if position not in self._any:
            self._any[position] = self.constant(self, position)
        return self._any[position]

    def here(self) -> Formula:
        return conj(self.kept if self.after else TRUE, self.filled)

    def used(self) -> Formula:
        return conj(self.kept, super().used())

    def shown(self) -> Sequence[Val]:
        return self.operator.values

    def scope_of(self, world: World, term: Term, *, after: bool = True) -> Scope:
        """The scope of one member, for the argument of an aggregate, `after` WHERE has been tested or not."""
        return RowScope(world, self.names, term, self.parent, after=after)


class WindowScope(Scope):
    """A scope that also knows the rows beside its own, for window functions."""

    def __init__(self, inner: Scope, siblings: Callable[[], list[tuple[Term, Scope]]], own: Term) -> None:
        """`own` is the term of the scope's row, `siblings` makes those of all rows."""
        super().__init__(inner.names, inner.values, inner.parent)
        self.inner = inner
        self.own = own
        self.siblings = siblings
        self.held: list[Formula] = []
        """What the windows that were read say of this row: their frames have a row where they hold it."""
        self.breaking: Any = None
        """How the one window is read that needs a total order (`compile/tied_windows.py`)."""

    def known(self, node: Any) -> Val | None:
        return self.inner.known(node)

    def grouping(self, node: exp.Grouping) -> int:
        return self.inner.grouping(node)

    def at(self, position: int) -> Val:
        return self.inner.at(position)

    def here(self) -> Formula:
        return conj(self.inner.here(), *self.held)

    def used(self) -> Formula:
        return conj(self.inner.used(), *self.held)

    def shown(self) -> Sequence[Val]:
        return self.inner.shown()


def fingerprint(node: exp.Expr, scope: Scope) -> str:
    """A text that equal expressions share, names resolved to positions; unlike ones never do."""
    if node.find(exp.Query):
        return f"query {id(node)}"
    return _structure(node, scope)


def _structure(part: Any, scope: Scope) -> str:
    """A syntax tree as text, all that the parser has kept of it included: generated SQL would drop some."""
    if isinstance(part, Position):
        return str(part.this)
    if isinstance(part, exp.Column):
        position = scope.find(part)
        if position is not None:
            return f"#{position}"
        return repr((part.table.lower(), part.name.lower()))
    if isinstance(part, exp.Expr):
        kept = ((key, value) for key, value in sorted(part.args.items()) if value not in (None, False, []))
        return f"{type(part).__name__}({', '.join(f'{k}={_structure(value, scope)}' for k, value in kept)})"
    if isinstance(part, list):
        return f"[{', '.join(_structure(item, scope) for item in part)}]"
    return repr(part)
