"""What counts as one value: group keys, DISTINCT, and the value that stands for a class of texts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import z3

from truespec.domains.sql.compile.denotations import each_output, nullable_columns
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import Bag, Group, Term, fresh_values, is_tuple, normal
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.facts import STARTS, WRITTEN
from truespec.domains.sql.ir.kinds import CLASS, DATE, INT, TEXT, UNTYPED
from truespec.domains.sql.ir.logic import TRUE, conj
from truespec.domains.sql.ir.symbols import name_of, operands
from truespec.domains.sql.ir.values import Val, check_compared
from truespec.domains.sql.rules import choices


def classes_of(reader: Reader, keyed: Bag) -> Bag:
    """Group keys as grouping compares them: texts under a collation by their class."""
    for term in keyed.terms:
        check_compared(term.outs)
    world = reader.world
    return each_output(
        keyed,
        lambda out: Val(out.null, world.key_expression(out), CLASS) if world.is_collated(out) else out,
    )


def class_of(reader: Reader, value: Val) -> Val:
    """A value as GROUP BY and PARTITION BY compare it, in normal form."""
    check_compared((value,))
    if value.kind == TEXT and reader.world.is_collated(value):
        value = Val(value.null, reader.world.collation(value.val), CLASS)
    return normal(value)


def made_columns(bag: Bag) -> dict[int, str]:
    """The columns that are texts or first days for numbers in every row, each by one function, named here.

    Such values are equal, under every collation, only where the numbers are.
    """
    found: dict[int, str] = {}
    for place in range(len(bag.terms[0].outs)):
        names = {_function(term.outs[place]) for term in bag.terms}
        if len(names) == 1 and names <= WRITTEN | STARTS:
            (found[place],) = names
    return found


def _function(value: Val) -> str:
    return name_of(value.val) if value.kind in (TEXT, DATE) and z3.is_app(value.val) else ""


def numbers_in(bag: Bag, columns: Collection[int]) -> Bag:
    """The bag with the numbers that the values of these columns are made for."""

    def numbers(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        return tuple(
            Val(out.null, operands(out.val)[0], INT) if place in columns else out
            for place, out in enumerate(outs)
        )

    return bag.mapped(numbers) if columns else bag


def made_for(function: str, number: Val) -> Val:
    """The text or the first day that the function makes for a number."""
    kind = DATE if function in STARTS else TEXT
    return Val(number.null, z3.Function(function, z3.IntSort(), kind.sort)(number.val), kind)


def operator_of(
    reader: Reader, values: tuple[Val, ...], members: Bag, whole: tuple[Term, ...] = ()
) -> Operator:
    """A new operator that may choose a row of each group; `whole`: with the groups that are dropped."""
    operator = Operator(reader.side, reader.shared == 0, values, members.terms, reader.outer, whole=whole)
    reader.aggregates.operators.append(operator)
    return operator


def representative(reader: Reader, operator: Operator, column: tuple[Val, ...]) -> Val:
    """The value that stands for a group: the one that all rows share, or one that the engine chooses."""
    bag = Bag(tuple(replace(t, outs=(out,)) for t, out in zip(operator.members, column, strict=True)))
    if reader.aggregates.agree(bag):
        return reader.aggregates.any(bag)
    return choices.choose(reader.aggregates, operator, column)


def distinct_rows(reader: Reader, bag: Bag) -> Bag:
    """DISTINCT over all columns."""
    if not bag.terms:
        return bag
    (bag,) = coerced([bag], reader.dialect, UNTYPED)
    made = made_columns(bag)
    classes = classes_of(reader, numbers_in(bag, made))
    width = range(len(bag.terms[0].outs))
    values = fresh_values(reader.world, classes.terms[0].outs, nullable_columns(classes))
    body = each_output(classes, normal)
    outs = [made_for(made[i], value) if i in made else value for i, value in enumerate(values)]
    if any(value.kind == CLASS for value in values):
        members = Bag(
            tuple(
                replace(t, cond=conj(t.cond, is_tuple(values, c.outs)))
                for t, c in zip(bag.terms, classes.terms, strict=True)
            )
        )
        operator = operator_of(reader, values, members)
        for i in width:
            if values[i].kind == CLASS:
                outs[i] = representative(reader, operator, tuple(t.outs[i] for t in bag.terms))
    return Bag((Term((), (Group(values, body),), TRUE, tuple(outs)),))
