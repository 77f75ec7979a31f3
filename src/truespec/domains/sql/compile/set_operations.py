"""UNION, EXCEPT, INTERSECT and VALUES."""

from __future__ import annotations

from dataclasses import replace

import z3
from sqlglot import exp

from truespec.domains.sql.compile.classes import classes_of, distinct_rows
from truespec.domains.sql.compile.denotations import each_output, subquery_output
from truespec.domains.sql.compile.ordering import tail
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Denotation, Scope
from truespec.domains.sql.compile.series import grouped
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import INT, UNTYPED
from truespec.domains.sql.ir.logic import TRUE, conj, neg
from truespec.domains.sql.ir.relations import rows_of
from truespec.domains.sql.ir.values import Val, all_identical, computed
from truespec.domains.sql.places import place_of
from truespec.domains.sql.rules import first_rows
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def values_clause(reader: Reader, node: exp.Values, parent: Scope | None) -> Denotation:
    """What VALUES denotes."""
    scope = Scope((), (), parent)
    terms = []
    for row in node.expressions:
        items = row.expressions if isinstance(row, exp.Tuple) else [row]
        values = [reader.typed(reader.value(item, scope)) for item in items]
        terms.append(Term((), (), TRUE, tuple(values)))
    (bag,) = coerced([Bag(tuple(terms))], reader.dialect, UNTYPED)
    bag = grouped(reader.world, bag)
    return Denotation(tuple(f"column{i + 1}" for i in range(len(terms[0].outs))), bag)


def set_operation(reader: Reader, node: exp.SetOperation, parent: Scope | None) -> Denotation:
    """What UNION, EXCEPT or INTERSECT denotes."""
    left = reader.query(node.this, parent)
    right = reader.query(node.expression, parent)
    if node.args.get("by_name"):
        right = _by_name(node, left, right)
    if node.args.get("on"):
        raise Unsupported("sql: a set operation by name")
    if len(left.names) != len(right.names):
        raise SpecificationError(ReasonCode.TYPE, "the sides of a set operation differ in width")
    sides = []
    for part, side in ((node.this, left), (node.expression, right)):
        # An ENUM is a text above a set operation; NULLs that one has united with NULLs have got a type there.
        see = subquery_output if isinstance(part.unnest(), exp.SetOperation) else computed
        sides.append(each_output(reader.rows(side), see))
    first, second = coerced(sides, reader.dialect, UNTYPED)
    distinct = node.args.get("distinct")
    if distinct is None:
        distinct = True
    match node:
        case exp.Union():
            bag = Bag(first.terms + second.terms)
            bag = distinct_rows(reader, bag) if distinct else bag
        case exp.Except() | exp.Intersect() if distinct:
            bag = _kept(reader, first, second, isinstance(node, exp.Intersect))
        case _ if _is_collated(reader, first):
            raise Unsupported("sql: EXCEPT ALL or INTERSECT ALL of texts under a collation")
        case _:
            bag = _counted(reader, first, second, isinstance(node, exp.Intersect))
    return tail(reader, node, Denotation(left.names, bag))


def _by_name(node: exp.SetOperation, left: Denotation, right: Denotation) -> Denotation:
    """The right side with its columns in the order of the left side's names; both have the same ones.

    What an engine calls an output without a name is not known here. Sort keys and LIMIT are about the columns
    in their own order, and are refused.
    """
    for side in (node.this.unnest(), node.expression.unnest()):
        named = isinstance(side, exp.Select) and all(
            isinstance(item, exp.Alias | exp.Column | exp.Star) for item in side.expressions
        )
        if not named:
            raise Unsupported("sql: a set operation by name over outputs without names", place_of(node))
    same = sorted(left.names) == sorted(right.names) and len(set(left.names)) == len(left.names)
    if not same or right.sorts or right.limit:
        raise Unsupported("sql: a set operation by name over other columns", place_of(node))
    order = [right.names.index(name) for name in left.names]
    terms = (replace(term, outs=tuple(term.outs[i] for i in order)) for term in right.bag.terms)
    return replace(right, names=left.names, bag=Bag(tuple(terms)))


def _kept(reader: Reader, first: Bag, second: Bag, wanted: bool) -> Bag:
    """EXCEPT and INTERSECT: the distinct tuples of the first bag that the second does not hold, or holds.

    Under a collation the engine keeps one of the first bag's texts that are equal; all of them are left out,
    or none is.
    """
    if not _is_collated(reader, first):
        return _tested(reader, distinct_rows(reader, first), second, wanted)
    keys, others = classes_of(reader, first), classes_of(reader, second)
    tested = _tested(reader, keys, others, wanted)
    kept = (replace(t, cond=known.cond) for t, known in zip(first.terms, tested.terms, strict=True))
    return distinct_rows(reader, Bag(tuple(kept)))


def _is_collated(reader: Reader, bag: Bag) -> bool:
    return any(reader.world.is_collated(out) for term in bag.terms for out in term.outs)


def _tested(reader: Reader, first: Bag, second: Bag, wanted: bool) -> Bag:
    """The tuples of the first bag that the second holds, or those that it does not hold."""
    terms = []
    for term in first.terms:
        found = exists(reader.world, _alike(reader, second, term.outs))
        terms.append(replace(term, cond=conj(term.cond, found if wanted else neg(found))))
    return Bag(tuple(terms))


def _counted(reader: Reader, first: Bag, second: Bag, wanted: bool) -> Bag:
    """EXCEPT ALL and INTERSECT ALL: each distinct tuple as often as the counts of both sides say.

    The relation of ordinals holds 1, 2, 3, ...; a tuple is put out for each ordinal up to its number.
    Where one side holds no tuple twice, and the other does not add any, it is put out once or not at all.
    """
    if first_rows.total(reader.world, first):
        return _tested(reader, first, second, wanted)
    if wanted and first_rows.total(reader.world, second):
        return _tested(reader, second, first, wanted)
    terms = []
    for term in distinct_rows(reader, first).terms:
        one, two = (reader.aggregates.count(_alike(reader, bag, term.outs)).val for bag in (first, second))
        (ordinal,) = rows_of(reader.world, "ordinals", (INT,), (False,)).terms
        place = ordinal.outs[0].val
        most = conj(place <= one, place <= two) if wanted else place <= one - two
        cond = conj(term.cond, ordinal.cond, place >= z3.IntVal(1), most)
        terms.append(replace(term, rows=term.rows + ordinal.rows, cond=cond))
    return Bag(tuple(terms))


def _alike(reader: Reader, bag: Bag, outs: tuple[Val, ...]) -> Bag:
    """The choices of a bag that put this tuple out."""
    terms = (renamed(reader.world, term) for term in bag.terms)
    return Bag(tuple(replace(t, cond=conj(t.cond, all_identical(outs, t.outs)), outs=()) for t in terms))
