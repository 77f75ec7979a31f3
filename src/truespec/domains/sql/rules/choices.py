"""Queries that leave a choice to the engine, and when two of them leave the same one.

GROUP BY and DISTINCT under a collation put out one of several texts that count as equal; MySQL without
ONLY_FULL_GROUP_BY puts out some value of a column that the group does not determine. Such a query denotes
the set of its possible results: one for each way to choose a row for each group.

Statement. Let each operator of one side that leaves choices have a partner on the other side such that, for
equal groups, both choose among the same tuples. If the two queries are equal whenever partners choose alike,
they denote the same set of results.

Side conditions. Partners correspond one to one. An operator has a partner only where it is evaluated once:
in FROM clauses of the outermost query, not in a subquery used as a value or a condition, and not in a WITH
that several references share, unless one of them alone reads a column that depends on what is chosen. Any
other choice is left arbitrary, each on its own: then the queries must be equal whatever it is.
A subquery chooses anew for each row of the enclosing queries: engines move conditions
on such rows into it, so that they may decide what is met first.
The tuples compared hold all columns that the operator chooses. Where one of them is more than a row, as the
order in which values are listed or the most frequent value among ties, the partners' rows are compared as
bags: each order of the rows, and each choice that depends on how often they occur, is then there on either
side. Groups that HAVING drops, by what it says whatever is chosen, are left out of the comparison; or they
are compared as well, where the other side drops them later.

No ORDER BY has sorted rows below a choice that has a partner: an engine may keep that order
(`prove/kept_orders.py`).

Why. A result of one side comes from a choice function; the other side has the same function available, by
the equality of the tuples to choose from, and yields the same result with it. And conversely.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from truespec.domains.sql.ir.aggregates import Aggregates, Operator
from truespec.domains.sql.ir.bags import Bag, Substitution, Term, conjuncts, substitute_bag
from truespec.domains.sql.ir.kinds import Kind
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import functions, is_false
from truespec.domains.sql.ir.values import Val

ANY_ORDER = "CHOICE distinct"
"""The beginning of the function of a symbol that is an order of distinct values, or one of their greatest."""

Columns = tuple[tuple[Val, ...], ...]
"""Columns of a group's rows: for each, its value in each member."""


def arguments(values: tuple[Val, ...]) -> tuple[Expr, ...]:
    """What tells the groups of one evaluation apart: their values and NULL flags."""
    found: list[Expr] = []
    for value in values:
        found.append(value.val)
        if not is_false(value.null):
            found.append(value.null)
    return tuple(found)


ANY_ROW = "CHOICE"
"""The function of a symbol that is a value of an arbitrary row; what is chosen otherwise has more words."""


def choose(
    aggregates: Aggregates,
    operator: Operator,
    column: tuple[Val, ...],
    function: str = ANY_ROW,
    *,
    kind: Kind | None = None,
    beside: tuple[tuple[Val, ...], ...] = (),
) -> Val:
    """The chosen value of a column, given its value in each member.

    `function` says how it is chosen where it is not the value of a row; `kind` is then that of the result,
    and `beside` are further columns that it is chosen by.
    """
    kind, columns = kind or column[0].kind, (column, *beside)
    for name, known in operator.chosen:
        if aggregates.symbols[name].function == function and _same_columns(known, columns):
            return _value(aggregates, name, operator, kind)
    paired = _partner_symbol(aggregates, operator, columns, function) if _may_pair(operator) else None
    if paired is None:
        formals = arguments(operator.values) + operator.outer
        paired = aggregates.choice(function, _tuples(operator.members, columns), formals, kind)
    operator.chosen.append((paired, columns))
    return _value(aggregates, paired, operator, kind)


def without_choices(aggregates: Aggregates, test: Formula) -> Formula:
    """What a condition says whatever is chosen: its conjuncts that mention no choice."""

    def chosen(name: str) -> bool:
        symbol = aggregates.symbols.get(name.removesuffix("?"))
        return symbol is not None and symbol.function.startswith(ANY_ROW)

    return conj(*(part for part in conjuncts(test) if not any(map(chosen, functions(part)))))


ROWS = -1
"""What stands for the rows of a bag among its outputs."""


def depending(aggregates: Aggregates, bag: Bag, operators: Sequence[Operator]) -> set[int]:
    """The outputs of a bag that depend on what these operators choose; `ROWS` where the rows do."""
    chosen = {name for operator in operators for name, _ in operator.chosen}
    met: dict[str, bool] = {}

    def depends(names: frozenset[str]) -> bool:
        return any(map(is_chosen, names))

    def is_chosen(name: str) -> bool:
        name = name.removesuffix("?")
        if name not in met:
            symbol = aggregates.symbols.get(name)
            met[name] = name in chosen
            if symbol is not None and not met[name]:
                met[name] = any(map(term_depends, symbol.bag.terms))
        return met[name]

    def row_depends(term: Term) -> bool:
        inside = any(term_depends(part) for group in term.groups for part in group.body.terms)
        return inside or depends(functions(term.cond))

    def term_depends(term: Term) -> bool:
        return row_depends(term) or any(depends(functions(o.null) | functions(o.val)) for o in term.outs)

    found: set[int] = set()
    for term in bag.terms if chosen else ():
        found |= {ROWS} if row_depends(term) else set()
        places = enumerate(term.outs)
        found |= {place for place, out in places if depends(functions(out.null) | functions(out.val))}
    return found


def _same_columns(left: Columns, right: Columns) -> bool:
    return len(left) == len(right) and all(
        a.null.eq(b.null) and a.val.eq(b.val)
        for one, other in zip(left, right, strict=True)
        for a, b in zip(one, other, strict=True)
    )


def _value(aggregates: Aggregates, name: str, operator: Operator, kind: Kind) -> Val:
    symbol = aggregates.symbols[name]
    given = symbol.formals
    if operator.partner is not None and any(name == known for known, _ in operator.partner.chosen):
        given = arguments(tuple(operator.values[i] for i in operator.order))
    return Val(symbol.null(given), symbol.apply(given), kind)


def _partner_symbol(
    aggregates: Aggregates, operator: Operator, columns: Columns, function: str
) -> str | None:
    others = [operator.partner] if operator.partner else [o for o in aggregates.operators if _free(o)]
    taken = {name for name, _ in operator.chosen}
    for other in others:
        for order in [operator.order] if operator.partner else _orders(other, operator):
            back: Substitution = []
            for theirs, index in zip(other.values, order, strict=True):
                mine = operator.values[index]
                back += zip(arguments((theirs,)), arguments((mine,)), strict=True)
            known = dict(other.chosen)
            shared = [(name, mine) for name, mine in operator.chosen if name in known]
            for name, their_columns in other.chosen:
                if name in taken or not _alike(aggregates, name, function, their_columns, columns):
                    continue
                ours = [*itertools.chain(*(mine for _, mine in shared), columns)]
                yours = [*itertools.chain(*(known[name] for name, _ in shared), their_columns)]
                rows = all(_of_rows(aggregates.symbols[n].function) for n in (name, *dict(shared)))
                same = aggregates.same_tuples if rows else aggregates.same
                if any(
                    same(_tuples(mine, ours), substitute_bag(_tuples(theirs, yours), back))
                    for mine, theirs in _rows_of(operator, other)
                ):
                    operator.partner, operator.order, other.partner = other, order, operator
                    return name
    return None


def _rows_of(one: Operator, other: Operator) -> Iterator[tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """The rows that both choose among: without the groups that are dropped, and with them."""
    yield one.members, other.members
    if one.whole or other.whole:
        yield one.whole or one.members, other.whole or other.members


def _of_rows(function: str) -> bool:
    """Whether a choice does not depend on how often a row occurs."""
    return function == ANY_ROW or function.startswith(ANY_ORDER)


def _alike(aggregates: Aggregates, name: str, function: str, theirs: Columns, ours: Columns) -> bool:
    """Whether the same is chosen, from columns of the same kinds."""
    kinds = [[column[0].kind for column in columns] for columns in (theirs, ours)]
    return aggregates.symbols[name].function == function and kinds[0] == kinds[1]


def _may_pair(operator: Operator) -> bool:
    return operator.side == 1 and operator.single


def _free(operator: Operator) -> bool:
    return operator.side == 0 and operator.single and operator.partner is None


def _orders(left: Operator, right: Operator) -> Iterator[tuple[int, ...]]:
    if len(left.values) != len(right.values) or len(left.values) > 5:
        return
    for order in itertools.permutations(range(len(right.values))):
        if all(
            theirs.val.sort() == right.values[i].val.sort()
            and is_false(theirs.null) == is_false(right.values[i].null)
            for theirs, i in zip(left.values, order, strict=True)
        ):
            yield order


def _tuples(members: tuple[Term, ...], columns: Sequence[tuple[Val, ...]]) -> Bag:
    return Bag(
        tuple(replace(term, outs=tuple(column[i] for column in columns)) for i, term in enumerate(members))
    )
