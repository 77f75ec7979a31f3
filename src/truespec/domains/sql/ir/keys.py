"""What keys determine: a row whose key is known is the key's inverse, and need not be chosen."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    Substitution,
    Term,
    bound,
    conjuncts,
    flat,
    mentioned,
    named,
    substitute_term,
)
from truespec.domains.sql.ir.facts import STARTS
from truespec.domains.sql.ir.logic import Expr, Formula, conj, neg
from truespec.domains.sql.ir.symbols import (
    constants,
    functions,
    is_eq,
    is_false,
    name_of,
    operands,
    substituted,
)
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World, inverse_name, membership
from truespec.domains.sql.schema import Table

_NUMBERED = re.compile(r"(?<![ (|]text)(?<![ (|]agg)![0-9]+")
"""The number in a variable's name; a literal's number is the same in both queries."""


def reduced(world: World, term: Term, keep: Expr | None = None, *, by_groups: bool = False) -> Term:
    """The term without rows that a key determines: such a row is the key's inverse. `keep` goes last.

    Only with `by_groups` a group's variables determine a row: a row may determine the group, and is simpler.
    """
    term = replace(term, cond=flat(term.cond))
    while True:
        found = _determined(world, term, keep, by_groups)
        if found is None:
            return term
        row, image, keys = found
        rows = tuple(pair for pair in term.rows if not pair[0].eq(row))
        # The key's columns are what they equal, but for the one statement that they do.
        moved = substitute_term(substitute_term(replace(term, rows=()), keys), [(row, image)])
        stated = [substituted(column, (row, image)) == value for column, value in keys]
        term = replace(moved, rows=rows, cond=flat(conj(moved.cond, *stated)))


def rerooted(world: World, term: Term) -> Iterator[Term]:
    """The same term with another choice of the rows that are kept and the rows that keys determine.

    Two rows that determine one another, such as a day and the day before, can both be the one that is chosen.
    """
    own = bound(term)
    said = {part.get_id() for part in conjuncts(term.cond)}
    for part in conjuncts(term.cond):
        for table in world.tables:
            for key in table.unique_keys():
                image = looked_up(world, part, table, key, said)
                if image is None or not constants(image) & own:
                    continue
                row = world.fresh_row(table)
                moved = substitute_term(replace(term, rows=()), [(image, row)])
                twin = reduced(world, replace(moved, rows=(*term.rows, (row, table))), keep=row)
                if len(twin.rows) == len(term.rows) and any(other.eq(row) for other, _ in twin.rows):
                    yield twin


def chosen(world: World, term: Term, wanted: Callable[[Expr, Table], bool]) -> Term:
    """The same term with a choice of each row that a key determines and that is wanted."""
    while True:
        said = {part.get_id() for part in conjuncts(term.cond)}
        images = (
            (image, table)
            for part in conjuncts(term.cond)
            for table in world.schema.tables
            for key in table.unique_keys()
            if (image := looked_up(world, part, table, key, said)) is not None and wanted(image, table)
        )
        found = next(images, None)
        if found is None:
            return term
        image, table = found
        row = world.fresh_row(table)
        moved = substitute_term(replace(term, rows=()), [(image, row)])
        term = replace(moved, rows=(*term.rows, (row, table)))


def names_keys(world: World, term: Term) -> bool:
    """Whether the term names all columns of some key of each of its rows: else it tells no two rows apart.

    Rows are known to be one by a key alone. What a CHECK, an adopted table or an aggregate says is not read
    here, and may fix a key.
    """
    parts = (term.cond, *(part for out in term.outs for part in (out.null, out.val)))
    names = frozenset[str]().union(*map(functions, parts))
    return any(name.startswith("agg!") for name in names) or all(
        bool(table.checks)
        or table.name in world.adopted
        or any(_names_key(world, table, key, row, names) for key in table.unique_keys())
        for row, table in term.rows
    )


def _names_key(world: World, table: Table, key: tuple[str, ...], row: Expr, names: Collection[str]) -> bool:
    columns = (world.column(table, table.column(name), row).val for name in key)
    return inverse_name(table, key) in names or all(name_of(column) in names for column in columns)


def looked_up(
    world: World, part: Formula, table: Table, key: tuple[str, ...], said: Collection[int]
) -> Expr | None:
    """The row that a conjunct says to be in the table, where it is the inverse of a key that it has.

    `said` are the numbers of the conjuncts, which say that the row has the key.
    """
    if not z3.is_app(part) or part.num_args() != 1:
        return None
    image = part.arg(0)
    if not part.eq(membership(image, table)) or image.num_args() != len(key):
        return None
    if not image.eq(world.inverse(table, key, tuple(operands(image)))):
        return None
    values = [world.column(table, table.column(name), image) for name in key]
    has = all(
        (world.key_expression(value) == wanted).get_id() in said
        and (is_false(value.null) or neg(value.null).get_id() in said)
        for value, wanted in zip(values, operands(image), strict=True)
    )
    return image if has else None


def _determined(
    world: World, term: Term, keep: Expr | None, by_groups: bool
) -> tuple[Expr, Expr, Substitution] | None:
    """A row variable that the condition fixes through a key, the row that it equals, and its key's values.

    Of several, the choice does not depend on how variables are numbered: where each of two rows fixes the
    other, both queries keep the same one.
    """
    parts = conjuncts(term.cond)
    equal = equalities(parts)
    known = {part.get_id() for part in parts}
    shown = mentioned(term.outs)
    barred = set() if by_groups else set().union(*(named(group.values) for group in term.groups))

    def late(pair: tuple[Expr, Table]) -> tuple[bool, bool, str]:
        return bool(keep is not None and pair[0].eq(keep)), name_of(pair[0]) in shown, pair[1].name.lower()

    found: list[tuple[Expr, Table, tuple[str, ...], list[Val], list[Expr]]] = []
    for row, table in sorted(term.rows, key=late):
        if found and late(found[0][:2]) != late((row, table)):
            break
        for key in table.unique_keys():
            columns = [world.column(table, table.column(name), row) for name in key]
            if not all(is_false(v.null) or neg(v.null).get_id() in known for v in columns):
                continue
            images = [_image(world, value, barred | {name_of(row)}, equal) for value in columns]
            if all(image is not None for image in images):
                found.append((row, table, key, columns, images))
                break
    if not found:
        return None
    if len(found) > 1:
        found.sort(key=lambda choice: unnumbered(choice[4]))
    row, table, key, columns, images = found[0]
    twin = _row_with_key(world, table, key, images, term)
    image = twin if twin is not None else world.inverse(table, key, tuple(images))
    return row, image, [(world.key_expression(v), e) for v, e in zip(columns, images, strict=True)]


def _image(world: World, value: Val, barred: set[str], equal: dict[int, list[Expr]]) -> Expr | None:
    """What the condition says a key's column equals, without mention of these variables."""
    others = equal.get(world.key_expression(value).get_id(), ())
    return next((e for e in others if not constants(e) & barred), None)


def unnumbered(images: list[Expr]) -> str:
    """Expressions as a text that does not depend on how variables are numbered."""
    return " ".join(_NUMBERED.sub("!", image.sexpr()) for image in images)


def _row_with_key(
    world: World, table: Table, key: tuple[str, ...], images: list[Expr], term: Term
) -> Expr | None:
    """A row variable of the same table whose own key is `images`; it is the same row."""
    for row, other in term.rows:
        if other.name != table.name:
            continue
        columns = [world.column(table, table.column(name), row) for name in key]
        if all(is_false(v.null) for v in columns) and all(
            world.key_expression(v).eq(image) for v, image in zip(columns, images, strict=True)
        ):
            return row
    return None


def equalities(parts: Iterable[Formula]) -> dict[int, list[Expr]]:
    """Expression to what the condition says it equals, through chains of equalities."""
    classes: list[list[Expr]] = []
    for left, right in itertools.chain.from_iterable(map(solved, parts)):
        touched = [c for c in classes if any(m.eq(left) or m.eq(right) for m in c)]
        merged: list[Expr] = []
        for members in [*touched, [left, right]]:
            merged += [m for m in members if not any(m.eq(k) for k in merged)]
        classes = [c for c in classes if not any(c is t for t in touched)] + [merged]
    return {m.get_id(): [o for o in members if not o.eq(m)] for members in classes for m in members}


def solved(part: Formula) -> Substitution:
    """What a conjunct says to be equal; a linear equation of integers is solved for each of its unknowns."""
    if not is_eq(part):
        return []
    left, right = part.arg(0), part.arg(1)
    while left.sort() == z3.RealSort() and z3.is_to_real(left) and z3.is_to_real(right):
        left, right = left.arg(0), right.arg(0)  # an equality of integers
    if functions(left) & STARTS and functions(right) & STARTS and name_of(left) == name_of(right) in STARTS:
        left, right = left.arg(0), right.arg(0)  # no two months begin on one day
    pairs = [(left, right)]
    if left.sort() == z3.IntSort() and not (_is_unknown(left) and _is_unknown(right)):
        summands = _summands(left, 1) + _summands(right, -1)
        for index, (sign, unknown) in enumerate(summands):
            if _is_unknown(unknown) and not unknown.eq(left) and not unknown.eq(right):
                rest = [(-sign * other, part) for i, (other, part) in enumerate(summands) if i != index]
                pairs.append((unknown, z3.Sum(*(part if s > 0 else -part for s, part in rest))))
    return pairs


def _is_unknown(expression: Expr) -> bool:
    """Whether this is a column, a variable or another value that only a database gives."""
    return bool(z3.is_app_of(expression, z3.Z3_OP_UNINTERPRETED))


def _summands(expression: Expr, sign: int) -> list[tuple[int, Expr]]:
    """The signed summands of an integer expression."""
    if z3.is_add(expression):
        return [pair for part in operands(expression) for pair in _summands(part, sign)]
    if z3.is_sub(expression):
        first, *rest = operands(expression)
        return _summands(first, sign) + [pair for part in rest for pair in _summands(part, -sign)]
    if z3.is_app_of(expression, z3.Z3_OP_UMINUS):
        return _summands(expression.arg(0), -sign)
    return [(sign, expression)]
