"""Which of the bags that have a name a new bag may be, and which parameter may stand for which."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence

import z3

from truespec.domains.sql.ir.bags import Bag, Substitution, Term, conjuncts
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import constants, functions, is_eq, name_of, operands

MAX_ORDERS = 12
"""Orders of one bag's parameters tried for another bag."""

Role = frozenset[str]
"""What a parameter stands beside."""


def matched(
    left: Sequence[Expr], right: Sequence[Expr], ours: Sequence[Role], theirs: Sequence[Role]
) -> Iterator[tuple[tuple[int, ...], Substitution]]:
    """A few ways to give each parameter of one bag a parameter of the other of the same sort.

    Where there are ways that give each one that has a role in common with it, only those are tried.
    """
    sorts = [[str(one.sort()) for one in side] for side in (left, right)]
    if sorted(sorts[0]) != sorted(sorts[1]):
        return
    straight = tuple(range(len(left)))
    candidates = itertools.permutations(straight) if len(left) <= 6 else iter([straight])
    orders = [o for o in candidates if all(sorts[0][i] == sorts[1][j] for i, j in enumerate(o))]
    alike = [o for o in orders if all(_alike(ours[i], theirs[j]) for i, j in enumerate(o))]
    for order in (alike or orders)[:MAX_ORDERS]:
        yield order, list(zip(left, (right[i] for i in order), strict=True))


def _alike(one: Role, other: Role) -> bool:
    return one == other or not one.isdisjoint(other)


def roles(bag: Bag, formals: Sequence[Expr]) -> list[Role]:
    """The functions that each parameter is an argument of, or is compared or combined with the value of."""
    found: dict[str, set[str]] = {name_of(formal): set() for formal in formals}
    seen: set[int] = set()
    todo: list[Expr] = []
    bags = [bag]
    while bags:
        for term in bags.pop().terms:
            todo += [term.cond, *(part for out in term.outs for part in (out.null, out.val))]
            bags += [group.body for group in term.groups]
    while todo:
        node = todo.pop()
        if node.get_id() in seen or constants(node).isdisjoint(found):
            continue
        seen.add(node.get_id())
        if z3.is_quantifier(node):
            todo.append(node.body())
            continue
        parts = operands(node)
        for place, part in enumerate(parts):
            if z3.is_const(part) and name_of(part) in found:
                found[name_of(part)] |= _beside(node, place)
        todo += parts
    return [Role(found[name_of(formal)]) for formal in formals]


def _beside(node: Expr, place: int) -> set[str]:
    """What says of a parameter where it stands: the function around it, else those of its neighbours."""
    if z3.is_app_of(node, z3.Z3_OP_UNINTERPRETED):
        return {f"{name_of(node)} at {place}"}
    others = [part for index, part in enumerate(operands(node)) if index != place]
    return {name_of(part) for part in others if z3.is_app(part) and part.num_args() > 0}


def unrelated(left: Bag, right: Bag, symbols: Container[str] = ()) -> bool:
    """Whether one puts out a column that nothing ties to what the other holds: no proof makes them one.

    Nor are the rows of one group looked for among those of another by a key of other aggregates.
    """
    if len(left.terms) != 1 or len(right.terms) != 1:
        return False
    terms = left.terms[0], right.terms[0]
    for term, other in (terms, reversed(terms)):
        keys = aggregates_in_keys(term, symbols)
        if keys and keys.isdisjoint(functions(other.cond)):
            return True
    if left.terms[0].groups or right.terms[0].groups:
        return False
    columns = [_free_columns(term) for term in terms]
    if None not in columns and columns[0] != columns[1]:
        return True
    return any(
        not any(column in functions(part) for part in (other.cond, other.outs[0].val))
        for own, other in zip(columns, reversed(terms), strict=True)
        for column in own or ()
    )


def aggregates_in_keys(term: Term, symbols: Container[str]) -> set[str]:
    """The aggregates in what the condition says a parameter equals."""
    found: set[str] = set()
    for part in conjuncts(term.cond):
        if is_eq(part) and any(
            z3.is_const(side) and name_of(side).startswith("arg!") for side in operands(part)
        ):
            found |= {name for name in functions(part) if name in symbols}
    return found


def _free_columns(term: Term) -> frozenset[str] | None:
    """The columns of whose product a term puts out, where no equation between expressions speaks of one."""
    if not term.outs:
        return None
    columns: set[str] = set()
    todo = [term.outs[0].val]
    while todo:
        value = todo.pop()
        if z3.is_mul(value) or z3.is_to_real(value):
            todo += operands(value)
            continue
        name = name_of(value) if z3.is_app(value) and value.num_args() == 1 else ""
        if not name.startswith("column "):
            return None
        columns.add(name)
    for part in conjuncts(term.cond):
        tied = is_eq(part) and all(constants(side) for side in operands(part))
        if (tied or (not is_eq(part) and len(constants(part)) > 1)) and columns & functions(part):
            return None
    return frozenset(columns)
