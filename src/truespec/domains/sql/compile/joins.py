"""Joins, and the columns that USING and NATURAL merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from truespec.domains.sql.compile.computed_series import Series, elements_of, series_of
from truespec.domains.sql.compile.denotations import outputs_of, without_empty
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import JoinedScope, Name, Scope, Source
from truespec.domains.sql.ir.bags import MAX_TERMS, Bag, Term
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.comparisons import equal
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.logic import TRUE, Formula, conj, ite, neg
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val, null_of
from truespec.domains.sql.places import At
from truespec.domains.sql.rules import known_flags, optional_partner
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

Pair = tuple[Term, Term, Formula]
"""A term of either side, and where their rows match."""


_PLAIN = ("", "INNER", "OUTER", "CROSS")
"""Kinds of join that put out the columns of both sides."""
_FILTERS = ("SEMI", "ANTI")
"""Kinds of join that keep a row of the left side for its partners, or for having none."""


def joined(reader: Reader, left: Source, joins: Sequence[exp.Join], parent: Scope | None) -> Source:
    """The rows of a table and of all that is joined to it."""
    for node in joins:
        reader.world.limit.check()
        with At(node):
            left = join(reader, left, node, parent)
    return left


def join(reader: Reader, left: Source, node: exp.Join, parent: Scope | None) -> Source:
    """The rows of one join."""
    side, kind = (node.side or "").upper(), (node.kind or "").upper()
    if (node.method or "").upper() not in ("", "NATURAL") or kind not in (*_PLAIN, *_FILTERS):
        raise Unsupported(f"sql: {node.method} {kind} JOIN".replace("  ", " "))
    if isinstance(node.this, exp.Lateral):
        return _lateral(reader, left, node, parent)
    series = series_of(node.this)
    if series is not None and series.node.find(exp.Column) is not None:
        return _series(reader, left, node, series, parent)
    right = reader.table(node.this, parent)
    taken = {name.table for name in left.names if name.table} & {n.table for n in right.names if n.table}
    if taken:
        raise SpecificationError(ReasonCode.SCOPE, f"the table name {sorted(taken)[0]!r} is used twice")
    merged = _merged_names(reader, left, right, node)
    on = node.args.get("on")
    if on is None and not merged and side and reader.dialect.outer_join_needs_condition:
        raise SpecificationError(ReasonCode.SYNTAX, f"{side} JOIN without a condition")
    names = left.names + right.names

    def matches(one: Term, two: Term) -> Formula:
        scope = JoinedScope(names, [one, two], parent)
        parts = [] if on is None else [where_true(reader.condition(on, scope))]
        for column in merged:
            a = Scope(left.names, one.outs, None).column(exp.column(column))
            b = Scope(right.names, two.outs, None).column(exp.column(column))
            parts.append(where_true(equal(reader.world, a, b)))
        return conj(*parts)

    pairs = [(one, two, matches(one, two)) for one in left.bag.terms for two in right.bag.terms]
    if kind in _FILTERS:
        return _filtered(reader, left, pairs, kind == "ANTI")
    terms = _optional(reader, pairs) if side == "LEFT" and len(right.bag.terms) == 1 else None
    if terms is None:
        terms = _terms(reader, left, right, side, pairs)
    if not merged:
        return Source(names, Bag(tuple(terms)))
    return _using(reader, left, right, merged, side, terms)


def _filtered(reader: Reader, left: Source, pairs: Sequence[Pair], anti: bool) -> Source:
    """SEMI and ANTI JOIN: the rows of the left side that match some row, or none."""
    terms = []
    for one in left.bag.terms:
        partners = [(two, both) for other, two, both in pairs if other is one]
        alone = _unmatched(reader, partners)
        term = replace(one, cond=conj(one.cond, alone if anti else neg(alone)))
        terms.append(known_flags.apply(reader.world, reduced(reader.world, term)))
    return Source(left.names, Bag(tuple(without_empty(terms))))


def _lateral(reader: Reader, left: Source, node: exp.Join, parent: Scope | None) -> Source:
    """LATERAL: for each row of the left side, the rows of a query that sees it.

    Such a query is one whose outer query has the left side's columns, so it is read once for each term.
    """
    side, kind, lateral = (node.side or "").upper(), (node.kind or "").upper(), node.this
    if side not in ("", "LEFT") or kind in _FILTERS or node.method or node.args.get("using"):
        raise Unsupported("sql: LATERAL in such a join")
    if not isinstance(lateral.this, exp.Subquery) or lateral.args.get("view") or lateral.args.get("outer"):
        raise Unsupported("sql: LATERAL of what is no query")
    alias = lateral.args.get("alias")
    if alias is None or alias.this is None:
        raise Unsupported("sql: LATERAL without a name")
    called, on = alias.name.lower(), node.args.get("on")
    terms: list[Term] = []
    names: tuple[Name, ...] = ()
    for one in left.bag.terms:
        query = reader.inner(lateral.this.this, Scope(left.names, one.outs, parent))
        columns = [str(column.name).lower() for column in alias.columns] or list(query.names)
        if len(columns) != len(query.names):
            raise SpecificationError(ReasonCode.SCOPE, f"{called} has too many names")
        names = left.names + tuple(Name(called, column) for column in columns)
        right = Source(names[len(left.names) :], reader.rows(query))
        pairs = []
        for two in right.bag.terms:
            scope = Scope(names, one.outs + two.outs, parent)
            pairs.append((one, two, TRUE if on is None else where_true(reader.condition(on, scope))))
        terms += _terms(reader, Source(left.names, Bag((one,))), right, side, pairs)
    if not names:
        raise Unsupported("sql: LATERAL beside no rows")
    return Source(names, Bag(tuple(terms)))


def _series(reader: Reader, left: Source, node: exp.Join, series: Series, parent: Scope | None) -> Source:
    """For each row of the left side, the elements of a series whose ends it has."""
    side, kind, on = (node.side or "").upper(), (node.kind or "").upper(), node.args.get("on")
    if side not in ("", "LEFT") or kind in _FILTERS or node.method or node.args.get("using"):
        raise Unsupported("sql: a series in such a join")
    names = (*left.names, series.name)
    terms: list[Term] = []
    for one in left.bag.terms:
        bag = elements_of(reader, series, JoinedScope(left.names, [one], parent))
        (two,) = bag.terms
        both = (
            TRUE if on is None else where_true(reader.condition(on, JoinedScope(names, [one, two], parent)))
        )
        one_left, right = Source(left.names, Bag((one,))), Source((series.name,), bag)
        terms += _terms(reader, one_left, right, side, [(one, two, both)])
    return Source(names, Bag(tuple(terms)))


def _merged_names(reader: Reader, left: Source, right: Source, node: exp.Join) -> list[str]:
    """The columns that USING or NATURAL merges, in the order in which they are put out."""
    named = [str(part.name).lower() for part in node.args.get("using") or ()]
    ours = [name.column for name in left.names if not name.hidden]
    if (node.method or "").upper() == "NATURAL":
        theirs = {name.column for name in right.names if not name.hidden}
        return [column for column in ours if column in theirs]
    if reader.dialect.using_follows_left_table:
        return [column for column in ours if column in named] or named
    return named


def _optional(reader: Reader, pairs: Sequence[Pair]) -> list[Term] | None:
    """A left join in which each row has one partner at most; None where that is not known."""
    found: list[Term] = []
    for one, two, both in pairs:
        term = optional_partner.apply(reader.world, one, replace(two, cond=conj(two.cond, both)))
        if term is None:
            return None
        found.append(known_flags.apply(reader.world, term))
    return found


def _terms(reader: Reader, left: Source, right: Source, side: str, pairs: Sequence[Pair]) -> list[Term]:
    """The rows that match and, of an outer join, those that match nothing."""
    terms = [_beside(one, two, both) for one, two, both in pairs]
    if side in ("LEFT", "FULL"):
        nulls = tuple(null_of(out.kind) for out in outputs_of(right.bag))
        for one in left.bag.terms:
            alone = _unmatched(reader, [(two, both) for other, two, both in pairs if other is one])
            terms.append(replace(one, cond=conj(one.cond, alone), outs=one.outs + nulls))
    if side in ("RIGHT", "FULL"):
        nulls = tuple(null_of(out.kind) for out in outputs_of(left.bag))
        for two in right.bag.terms:
            alone = _unmatched(reader, [(one, both) for one, other, both in pairs if other is two])
            terms.append(replace(two, cond=conj(two.cond, alone), outs=nulls + two.outs))
    terms = without_empty([known_flags.apply(reader.world, reduced(reader.world, term)) for term in terms])
    if len(terms) > MAX_TERMS:
        raise Unsupported(f"sql: joins that expand to {len(terms)} cases")
    return terms


def _beside(one: Term, two: Term, both: Formula) -> Term:
    """The rows of two terms that match."""
    cond = conj(one.cond, two.cond, both)
    return Term(one.rows + two.rows, one.groups + two.groups, cond, one.outs + two.outs)


def _unmatched(reader: Reader, partners: Sequence[tuple[Term, Formula]]) -> Formula:
    """Whether none of these rows of the other side matches."""
    terms = tuple(replace(term, cond=conj(term.cond, both), outs=()) for term, both in partners)
    return neg(exists(reader.world, Bag(terms)))


def _using(
    reader: Reader, left: Source, right: Source, merged: list[str], side: str, terms: list[Term]
) -> Source:
    """USING and NATURAL: merged columns come first, or keep their place on the left.

    Those that were merged stay reachable by table.
    """
    if side == "RIGHT" and reader.dialect.right_join_reorders_merged:
        raise Unsupported("sql: RIGHT JOIN with USING or NATURAL, whose columns MariaDB orders by side")
    width = len(left.names)
    columns: list[tuple[int, Name, Sequence[Val]]] = []  # each with what it is sorted by, and its values
    for column in merged:
        i = next(i for i, n in enumerate(left.names) if n.column == column and not n.hidden)
        j = width + next(j for j, n in enumerate(right.names) if n.column == column and not n.hidden)
        place = -1 if reader.dialect.merged_columns_first else i
        columns.append((place, Name("", column), _merged(reader, terms, i, j, side)))
    for position, name in enumerate(left.names + right.names):
        hidden = name.hidden or name.column in merged
        columns.append((position, replace(name, hidden=hidden), [term.outs[position] for term in terms]))
    columns.sort(key=lambda column: column[0])
    rows = (
        replace(term, outs=tuple(values[number] for _, _, values in columns))
        for number, term in enumerate(terms)
    )
    return Source(tuple(name for _, name, _ in columns), Bag(tuple(rows)))


def _merged(reader: Reader, terms: Sequence[Term], i: int, j: int, side: str) -> list[Val]:
    """The values of a merged column in each term: those of one side, of a FULL JOIN those that are there."""
    one, two = ([term.outs[place] for term in terms] for place in (i, j))
    common = side == "FULL" or reader.dialect.merged_columns_have_common_type
    if common and len({value.kind for value in (*one, *two)}) > 1:
        columns = [Bag(tuple(Term((), (), TRUE, (value,)) for value in values)) for values in (one, two)]
        one, two = ([term.outs[0] for term in bag.terms] for bag in coerced(columns, reader.dialect))
    if side != "FULL":
        return two if side == "RIGHT" else one
    return [_either(a, b) for a, b in zip(one, two, strict=True)]


def _either(one: Val, two: Val) -> Val:
    """The left side's value, or the right one's where that is NULL; both are of one kind."""
    return Val(conj(one.null, two.null), ite(one.null, two.val, one.val), one.kind)
