"""A query used as a value."""

from __future__ import annotations

import z3
from sqlglot import exp

from truespec.domains.sql.compile.denotations import subquery_output
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.bags import Bag, renamed
from truespec.domains.sql.ir.existence import condition
from truespec.domains.sql.ir.logic import FALSE, conj
from truespec.domains.sql.ir.values import Val, null_of
from truespec.domains.sql.rules import counted_across, first_rows
from truespec.domains.sql.rules.normalise import normalised
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def scalar_subquery(reader: Reader, node: exp.Expr, scope: Scope) -> Val:
    """A query used as a value: NULL without rows; two rows would be an error, so that is ruled out."""
    query = reader.inner(node, scope)
    if len(query.names) != 1:
        raise SpecificationError(ReasonCode.TYPE, "a subquery of several columns is used as a value")
    extreme = reader.first_key(query)
    if extreme is not None:
        return extreme
    bag = reader.rows(query)
    terms = [normalised(reader.world, t) for t in bag.terms]
    terms = [t for t in terms if not z3.is_false(t.cond)]
    if not terms:
        if not query.bag.terms:
            raise Unsupported("sql: a subquery without any rows, whose type is not known")
        return null_of(subquery_output(query.bag.terms[0].outs[0]).kind)
    bag = Bag(tuple(terms))
    _at_most_one(reader, bag)
    among = query.bag.cut(0) if query.limit == (1, 0) and query.sorts else None
    return subquery_output(reader.aggregates.any(bag, among))


def _at_most_one(reader: Reader, bag: Bag) -> None:
    world = reader.world
    for term in counted_across.placed(reader.aggregates, bag.terms):
        reader.aggregates.relate_numbers([term])
    for i, one in enumerate(bag.terms):
        for j, two in enumerate(bag.terms[i:], i):
            copy = renamed(world, two)
            both = conj(condition(world, one), condition(world, copy))
            if not world.holds(both, first_rows.same_choice(one, copy) if i == j else FALSE):
                raise Unsupported("sql: a subquery used as a value may have several rows")
