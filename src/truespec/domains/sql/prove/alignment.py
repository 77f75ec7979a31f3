"""Which variables of two terms may correspond."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import z3

from truespec.domains.sql.ir.bags import (
    Group,
    Substitution,
    Term,
    bound,
    mentioned,
    substitute_term,
    substitute_value,
)
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import is_false, name_of
from truespec.domains.sql.ir.values import Val

MAX_ALIGNMENTS = 48
"""Correspondences of variables tried for one pair of terms."""


def views(term: Term, group: Group) -> Iterator[tuple[Val, ...]]:
    """The columns of a group, read off a row of the term in place of one of the group's own rows."""
    for part in group.body.terms:
        for (theirs, table), (mine, other) in itertools.product(part.rows, term.rows):
            if table.name != other.name:
                continue
            outs = tuple(substitute_value(out, [(theirs, mine)]) for out in part.outs)
            if not mentioned(outs) & (bound(part) - {name_of(theirs)}):
                yield outs


def shape(term: Term) -> str:
    """What terms share whose variables may correspond: their tables, and the sorts of their groups."""
    tables = sorted(table.name for _, table in term.rows)
    groups = sorted(
        ",".join(sorted(f"{v.val.sort()}{'' if is_false(v.null) else '?'}" for v in group.values))
        for group in term.groups
    )
    return f"{tables} {groups}"


def alignments(left: Term, right: Term) -> Iterator[Term]:
    """The right term with its variables renamed to those of the left, in every way that types permit."""
    pools: dict[str, tuple[list[Expr], list[Expr]]] = {}
    for side, term in ((0, left), (1, right)):
        for row, table in term.rows:
            pools.setdefault(table.name, ([], []))[side].append(row)
    options: list[list[Substitution]] = []
    for mine, yours in pools.values():
        if len(mine) != len(yours):
            return
        orders = itertools.islice(itertools.permutations(yours), MAX_ALIGNMENTS)
        options.append([list(zip(order, mine, strict=True)) for order in orders])
    for order in itertools.permutations(range(len(right.groups))):
        columns: list[list[Substitution]] = []
        for position, index in enumerate(order):
            mine_values, your_values = left.groups[position].values, right.groups[index].values
            if len(mine_values) != len(your_values):
                break
            ways: list[Substitution] = []
            for arrangement in itertools.permutations(your_values):
                substitution: Substitution = []
                for a, b in zip(arrangement, mine_values, strict=True):
                    if a.val.sort() != b.val.sort() or is_false(a.null) != is_false(b.null):
                        break
                    substitution.append((a.val, b.val))
                    if not is_false(a.null):
                        substitution.append((a.null, b.null))
                else:
                    ways.append(substitution)
                if len(ways) >= MAX_ALIGNMENTS:
                    break
            columns.append(ways)
        else:
            for combination in itertools.product(*options, *columns):
                pairs = [pair for part in combination for pair in part]
                moved = substitute_term(replace(right, rows=(), groups=()), pairs)
                groups = tuple(
                    replace(
                        right.groups[index],
                        values=tuple(
                            Val(_moved(v.null, pairs), _moved(v.val, pairs), v.kind)
                            for v in right.groups[index].values
                        ),
                    )
                    for index in order
                )
                yield replace(moved, groups=groups)


def _moved(expression: Expr, pairs: Substitution) -> Expr:
    return z3.substitute(expression, *pairs) if pairs else expression
