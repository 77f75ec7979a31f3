"""SELECTs with a window whose rows may tie, read in the order of the rows' keys where ties are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope, WindowScope
from truespec.domains.sql.compile.unread import unread
from truespec.domains.sql.ir.bags import Term
from truespec.domains.sql.ir.kinds import BOOL
from truespec.domains.sql.ir.logic import FALSE
from truespec.domains.sql.ir.symbols import is_false
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.rules import alike_ties
from truespec.verdict import Incomplete, Nondeterministic, Unsupported

PLACED = ("RowNumber", "Lag", "Lead", "FirstValue", "LastValue", "NthValue", "Ntile")
"""Functions that look at the places of rows, whatever the frame."""

Read = Callable[[list[tuple[Term, Scope]]], tuple[list[Term], list[int | None]]]
"""Reads the outputs and sort keys of rows or groups, and where the sort keys stand among the outputs."""


class Tied(Nondeterministic):
    """Rows of a window may tie where their order matters."""


class How(Enum):
    """How a window is read whose rows may tie."""

    REFUSED = 1
    """`Tied` is raised."""
    BY_KEYS = 2
    """Rows that tie are in the order of their keys."""
    STOOD_FOR = 3
    """A variable stands for the window's value."""
    IN_SOME_ORDER = 4
    """Rows that tie are in an order of which nothing is known (`rules/any_order.py`)."""


@dataclass(eq=False)
class Breaking:
    """The reading of the one window of a SELECT that needs a total order."""

    how: How
    value: Val | None = None
    """Its value; then the variable that stands for it."""
    partition: tuple[Val, ...] = ()
    """What it is partitioned by, as classes."""
    keys: tuple[Val, ...] = ()
    """Its own sort keys."""
    arguments: list[Val] = field(default_factory=list)
    """What its function is applied to."""


def places_rows(name: str, *, by_rows: bool) -> bool:
    """Whether a window function of this name depends on the order of rows that tie."""
    return name in PLACED or by_rows


def read_rows(
    reader: Reader, node: exp.Select, names: list[str], read: Read, terms: list[tuple[Term, Scope]]
) -> tuple[list[Term], list[int | None]]:
    """The outputs of the rows or groups of a SELECT, ties of its one placed window included."""
    if len(terms) != 1 or len(set(map(repr, _placed(node)))) != 1:
        return read(terms)
    ((term, scope),) = terms
    if not isinstance(scope, WindowScope):
        return read(terms)
    scope.breaking = Breaking(How.REFUSED)
    try:
        return read(terms)
    except Tied:
        scope.breaking = Breaking(How.BY_KEYS)
        try:
            found = read(terms)
            scope.breaking.how = How.STOOD_FOR
            if _alike(reader, node, names, scope.breaking, term, read(terms)[0]):
                reader.aggregates.breaks_ties = True
                return found
        except (Unsupported, Nondeterministic, Incomplete):
            pass
        if _in_some_order(reader, node, scope):
            scope.breaking = Breaking(How.IN_SOME_ORDER)
            reader.sides_in_some_order.add(reader.side)
            return read(terms)
    finally:
        scope.breaking = None
    return read(terms)


def _in_some_order(reader: Reader, node: exp.Select, scope: Scope) -> bool:
    """Whether the one window of a SELECT is read in some order: the only one of its query, and once."""
    once = scope.parent is None and not (reader.outer or reader.rounds or reader.shared)
    (window, *others) = _placed(node)
    # A frame of RANGE takes all rows that tie; ROW_NUMBER's places are a choice by themselves.
    plain = isinstance(window.this, exp.Lag | exp.Lead) or _is_by_rows(window)
    free = reader.numbers_ties and reader.side not in reader.sides_in_some_order
    return once and free and plain and not others and not isinstance(window.this, exp.RowNumber)


def _placed(node: exp.Select) -> Iterator[exp.Window]:
    """The windows of a SELECT that may need a total order; not those of its subqueries."""
    todo: list[Any] = [*node.expressions, node.args.get("qualify"), node.args.get("order")]
    while todo:
        part = todo.pop()
        if part is None or isinstance(part, exp.Query):
            continue
        if isinstance(part, exp.Window):
            function: Any = part.this.this if isinstance(part.this, exp.IgnoreNulls) else part.this
            if places_rows(type(function).__name__, by_rows=_is_by_rows(part)):
                yield part
        todo += list(part.iter_expressions())


def _is_by_rows(window: exp.Window) -> bool:
    """Whether the frame of a window is one of ROWS."""
    spec = window.args.get("spec")
    return spec is not None and str(spec.args.get("kind") or "").upper() == "ROWS"


def _alike(
    reader: Reader, node: exp.Select, names: list[str], breaking: Breaking, term: Term, rows: list[Term]
) -> bool:
    """Whether rows that tie agree in all that matters; `rows` are read with a variable for the window."""
    (row,) = rows
    idle = unread(node, names)
    shown = [out for place, out in enumerate(row.outs) if place >= len(names) or names[place] not in idle]
    kept = Val(FALSE, row.cond, BOOL)
    return alike_ties.agree(
        reader.world, term, breaking.partition, breaking.keys, [*shown, *breaking.arguments, kept]
    )


def stand_in(reader: Reader, value: Val) -> Val:
    """A variable in place of a window's value, NULL where that may be so."""
    world = reader.world
    null = FALSE if is_false(value.null) else world.fresh(z3.BoolSort(), "window")
    return replace(Val(null, world.fresh(value.kind.sort, "window"), value.kind), sides=None)
