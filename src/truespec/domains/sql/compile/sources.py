"""FROM: tables, derived tables, common table expressions, and WHERE."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from truespec.domains.sql.compile.computed_series import elements_of, series_of
from truespec.domains.sql.compile.denotations import each_output, without_empty
from truespec.domains.sql.compile.joins import joined
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.recursion import mentions, recursive_query
from truespec.domains.sql.compile.scope import Denotation, JoinedScope, Name, Scope, Source
from truespec.domains.sql.compile.series import counted
from truespec.domains.sql.compile.set_operations import values_clause
from truespec.domains.sql.compile.unread import read_by_others
from truespec.domains.sql.ir.bags import Bag, Term, renamed
from truespec.domains.sql.ir.existence import condition, never_null
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.kinds import BARE, TEXT, UNTYPED
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj
from truespec.domains.sql.ir.parts import View, rows_of
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import null_of
from truespec.domains.sql.places import place_of
from truespec.domains.sql.rules import choices, known_flags
from truespec.verdict import ReasonCode, SpecificationError, Unsupported

PART = "part"
"""The note at a CTE or a derived table that says what it is called."""


def source_of(reader: Reader, node: exp.Expr, parent: Scope | None) -> Source:
    """The rows of one part of a FROM clause, and what their columns are called."""
    alias = node.alias.lower() if node.alias else ""
    match node:
        case exp.Table():
            if node.args.get("joins"):
                inner = reader.table(_without(node, "joins"), parent)
                return joined(reader, inner, node.args["joins"], parent)
            if not isinstance(node.this, exp.Identifier):
                if isinstance(node.this, exp.GenerateSeries | exp.ExplodingGenerateSeries):
                    return _series(reader, node, parent)
                raise Unsupported(f"sql: the table function {node.sql()[:40]}")
            for extra in ("pivots", "sample", "version", "when", "partition"):
                if node.args.get(extra):
                    raise Unsupported(f"sql: {extra} of a table")
            return _named_table(reader, node, alias)
        case exp.Subquery():
            if node.args.get("joins"):
                inner = reader.table(_without(node, "joins"), parent)
                return joined(reader, inner, node.args["joins"], parent)
            if isinstance(node.this, exp.Table | exp.Subquery) and not isinstance(node.this, exp.Query):
                return reader.table(node.this, parent)
            if isinstance(node.this, exp.Subquery) and not alias:
                return reader.table(node.this, parent)
            view = reader.parts.get(called(node))
            if view is not None:
                return _viewed(reader, view, alias)
            # A derived table does not see its siblings; an enclosing query it may see where SQL allows.
            query = reader.query(node.this, parent)
            columns = node.args["alias"].columns if node.args.get("alias") else []
            names = [str(c.name).lower() for c in columns] or list(query.names)
            return _derived(reader, query, names, alias)
        case exp.Paren():
            return reader.table(node.this, parent)
        case exp.Values():
            query = values_clause(reader, node, parent)
            columns = node.args["alias"].columns if node.args.get("alias") else []
            names = [str(c.name).lower() for c in columns] or list(query.names)
            return _derived(reader, query, names, alias)
    raise Unsupported(f"sql: {type(node).__name__} in FROM")


def _series(reader: Reader, node: exp.Table, parent: Scope | None) -> Source:
    """A series of numbers or days in FROM that reads no table beside it."""
    series = series_of(node)
    if series is None:
        raise Unsupported(f"sql: the table function {node.sql()[:40]}")
    bag = counted(reader.world, node)
    return Source((series.name,), bag or elements_of(reader, series, Scope((), (), parent)))


def _derived(reader: Reader, query: Denotation, names: list[str], alias: str) -> Source:
    if len(names) != len(query.names):
        raise SpecificationError(ReasonCode.SCOPE, f"{alias or 'a derived table'} has too many names")
    if len(set(names)) != len(names) and reader.dialect.derived_names_unique:
        raise SpecificationError(ReasonCode.SCOPE, f"the derived table {alias!r} has one column name twice")
    goal = TEXT if reader.dialect.untyped_nulls_become_text else BARE
    bag = each_output(reader.rows(query), lambda out: null_of(goal) if out.kind == UNTYPED else out)
    return Source(tuple(Name(alias, name) for name in names), bag)


def _named_table(reader: Reader, node: exp.Table, alias: str) -> Source:
    name = node.name.lower()
    if node.args.get("db") or node.args.get("catalog"):
        raise Unsupported(f"sql: the table name {node.sql()[:60]!r} of several parts")
    for position in range(len(reader.ctes) - 1, -1, -1):
        if name in reader.ctes[position]:
            known = reader.ctes[position][name]
            if isinstance(known, Denotation):
                again = Bag(tuple(renamed(reader.world, term) for term in known.bag.terms))
                return _derived(reader, replace(known, bag=again), list(known.names), alias or name)
            cte, columns, size = known
            view = reader.parts.get(called(cte))
            if view is not None:
                return _viewed(reader, view, alias or name)
            saved, reader.ctes = reader.ctes, reader.ctes[:size]
            several = reader.references.get(name, 2) > 1
            try:
                query = _read_once(reader, cte, columns, node if several else None)
            finally:
                reader.ctes = saved
            return _derived(reader, query, list(columns or query.names), alias or name)
    try:
        table = reader.world.schema.table(name)
    except KeyError:
        raise SpecificationError(ReasonCode.SCOPE, f"unknown table {node.name!r}") from None
    row = reader.world.fresh_row(table)
    values = tuple(reader.world.column(table, column, row) for column in table.columns)
    names = tuple(Name(alias or name, column.name.lower()) for column in table.columns)
    return Source(names, Bag((Term(((row, table),), (), reader.world.in_table(table, row), values),)))


def _read_once(
    reader: Reader, cte: exp.CTE, columns: tuple[str, ...], shared: exp.Table | None
) -> Denotation:
    """What a common table expression denotes where it is named; `shared`: the name is one of several.

    What the engine chooses in it is met by one reference alone where the others read no column that depends
    on it: whether it is evaluated once or for each reference makes no difference then.
    """

    def read(several: bool) -> Denotation:
        reader.shared += several
        try:
            if _recursive(cte):
                return recursive_query(reader, cte, columns)
            return reader.query(cte.this, None)
        finally:
            reader.shared -= several

    if shared is None:
        return read(False)
    known = len(reader.aggregates.operators)
    query, others = read(True), read_by_others(shared)
    if others is None or reader.shared or query.limit is not None or _recursive(cte):
        return query
    chosen = choices.depending(reader.aggregates, query.bag, reader.aggregates.operators[known:])
    if not chosen or not chosen <= set(range(len(query.names))):
        return query
    names = columns or query.names
    if any(names[place] in others for place in chosen):
        return query
    del reader.aggregates.operators[known:]
    return read(False)


def called(node: exp.Expr) -> str:
    """What a CTE or a derived table that may stand for a table is called; the empty text where it may not.

    Copies of the node keep the note.
    """
    return str(node.meta.get(PART, "")) if node.meta else ""


def _viewed(reader: Reader, view: View, alias: str) -> Source:
    """A part whose rows are unknown."""
    return Source(tuple(Name(alias, name) for name in view.names), rows_of(reader.world, view))


def _recursive(cte: exp.CTE) -> bool:
    """Whether a common table expression is meant by its own name in its body."""
    clause = cte.parent
    recursive = isinstance(clause, exp.With) and bool(clause.args.get("recursive"))
    return recursive and mentions(cte.this, cte.alias.lower()) > 0


def from_clause(reader: Reader, node: exp.Select, parent: Scope | None) -> Source:
    """The rows that FROM and WHERE leave."""
    clause = node.args.get("from_")
    if clause is None:
        source = Source((), Bag((Term((), (), TRUE, ()),)))
    else:
        source = reader.table(clause.this, parent)
    source = joined(reader, source, node.args.get("joins") or [], parent)
    if node.args.get("laterals"):
        raise Unsupported("sql: LATERAL", place_of(node.args["laterals"][0]))
    where = node.args.get("where")
    if where is None:
        return source
    terms = []
    for term in source.bag.terms:
        scope = JoinedScope(source.names, [term], parent)
        test = where_true(reader.condition(where.this, scope))
        test = conj(*never_null(test), test)
        terms.append(
            known_flags.apply(reader.world, reduced(reader.world, replace(term, cond=conj(term.cond, test))))
        )
    return Source(source.names, possible(reader, Bag(tuple(without_empty(terms)))))


def possible(reader: Reader, bag: Bag) -> Bag:
    """The bag without terms that the schema rules out; asked only where terms are many."""
    if len(bag.terms) < 2:
        return bag
    kept = tuple(t for t in bag.terms if not reader.world.impossible(condition(reader.world, t), 4))
    return Bag(kept or (replace(bag.terms[0], cond=FALSE),))


def _without(node: exp.Expr, part: str) -> exp.Expr:
    copy = node.copy()
    copy.set(part, None)
    return copy
