"""UNION, EXCEPT, INTERSECT and VALUES."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from truespec.domains.sql.compile.classes import distinct_rows
from truespec.domains.sql.compile.denotations import each_output, subquery_output
from truespec.domains.sql.compile.ordering import tail
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Denotation, Scope
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import TEXT, UNTYPED
from truespec.domains.sql.ir.logic import TRUE, conj, neg
from truespec.domains.sql.ir.values import all_identical, computed
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
    return Denotation(tuple(f"column{i + 1}" for i in range(len(terms[0].outs))), bag)


def set_operation(reader: Reader, node: exp.SetOperation, parent: Scope | None) -> Denotation:
    """What UNION, EXCEPT or INTERSECT denotes."""
    left = reader.query(node.this, parent)
    right = reader.query(node.expression, parent)
    if len(left.names) != len(right.names):
        raise SpecificationError(ReasonCode.TYPE, "the sides of a set operation differ in width")
    sides = []
    for part, side in ((node.this, left), (node.expression, right)):
        # An ENUM is a text above a set operation; NULLs that one has united with NULLs have got a type there.
        see = subquery_output if isinstance(part.unnest(), exp.SetOperation) else computed
        sides.append(each_output(reader.rows(side), see))
    first, second = coerced(sides, reader.dialect, UNTYPED)
    if node.args.get("by_name") or node.args.get("on"):
        raise Unsupported("sql: a set operation by name")
    distinct = node.args.get("distinct")
    if distinct is None:
        distinct = True
    match node:
        case exp.Union():
            bag = Bag(first.terms + second.terms)
            bag = distinct_rows(reader, bag) if distinct else bag
        case exp.Except() | exp.Intersect() if distinct:
            # The collation decides what equals; a representative of another side would be arbitrary.
            if reader.dialect.collation_merges_texts and any(
                o.kind == TEXT for t in first.terms for o in t.outs
            ):
                raise Unsupported("sql: EXCEPT or INTERSECT of texts under a collation")
            wanted = isinstance(node, exp.Intersect)
            terms = []
            for term in distinct_rows(reader, first).terms:
                matching = [
                    replace(o, cond=conj(o.cond, all_identical(term.outs, o.outs)), outs=())
                    for o in (renamed(reader.world, other) for other in second.terms)
                ]
                found = exists(reader.world, Bag(tuple(matching)))
                terms.append(replace(term, cond=conj(term.cond, found if wanted else neg(found))))
            bag = Bag(tuple(terms))
        case _:
            raise Unsupported(f"sql: {type(node).__name__.upper()} ALL")
    return tail(reader, node, Denotation(left.names, bag))
