"""Which rows of one table a term speaks of in the same way, so that terms that differ in names alone match.

As in colour refinement: a row's role is what the conjuncts and outputs say of it, with the other rows known
by their roles of the round before. Equal roles are a hint, no proof: whoever uses them proves what follows.
"""

from __future__ import annotations

from collections import Counter

import z3

from truespec.domains.sql.ir.bags import Term, conjuncts
from truespec.domains.sql.ir.logic import Expr, Formula, conj
from truespec.domains.sql.ir.symbols import constants, is_eq, name_of, operands, substituted

ROUNDS = 4
"""How often roles are refined, at most."""

Said = tuple[int, tuple[Expr, ...], list[str]]
"""An output's place, or 0 for a conjunct; its sides; the names of the rows in it."""


def roles(*terms: Term) -> dict[str, int]:
    """A number for each row of a table that its term has several rows of, by the row's name.

    It depends on what the terms say and not on the rows' names.
    """
    numbers: dict[str, int] = {}
    spoken = [(rows, _said(term, rows)) for term in terms for rows in [_repeated(term)] if rows]
    for _ in range(ROUNDS if spoken else 0):
        keys = {
            name: (str(row.sort()), numbers.get(name, 0), *_profile(name, rows, parts, numbers))
            for rows, parts in spoken
            for name, row in rows.items()
        }
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())), 1)}
        refined = {name: ranks[key] for name, key in keys.items()}
        if len(ranks) == len(set(numbers.values())):
            break
        numbers = refined
    return numbers


def in_order(parts: tuple[Formula, ...]) -> Formula:
    """The conjunction with its parts, and the sides of its equations, in an order of their own."""
    turned = []
    for part in parts:
        if is_eq(part):
            left, right = sorted(operands(part), key=lambda side: side.hash())
            part = part if left.eq(part.arg(0)) else left == right
        turned.append(part)
    return conj(*sorted(turned, key=lambda part: part.hash()))


def _repeated(term: Term) -> dict[str, Expr]:
    counts = Counter(table.name for _, table in term.rows)
    return {name_of(row): row for row, table in term.rows if counts[table.name] > 1}


def _said(term: Term, rows: dict[str, Expr]) -> list[Said]:
    parts = [(0, operands(part) if is_eq(part) else (part,)) for part in conjuncts(term.cond)]
    values = [value for out in term.outs for value in (out.null, out.val)]
    parts += [(place, (value,)) for place, value in enumerate(values, 1)]
    found = []
    for place, sides in parts:
        among = sorted(frozenset[str]().union(*map(constants, sides)) & rows.keys())
        if among:
            found.append((place, sides, among))
    return found


def _profile(
    name: str, rows: dict[str, Expr], parts: list[Said], numbers: dict[str, int]
) -> list[tuple[int, ...]]:
    """What is said of one row; Z3's hash depends on the form of an expression alone."""
    profile = []
    for place, sides, among in parts:
        if name in among:
            pairs = []
            for other in among:
                number = -1 if other == name else numbers.get(other, 0)
                pairs.append((rows[other], z3.Const(f"row in role {number}", rows[other].sort())))
            profile.append((place, *sorted(substituted(side, *pairs).hash() for side in sides)))
    return sorted(profile)
