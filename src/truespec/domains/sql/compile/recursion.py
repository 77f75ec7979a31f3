"""WITH RECURSIVE: a first part, and a step that reads what the round before has added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from truespec.domains.sql.compile.classes import distinct_rows
from truespec.domains.sql.compile.denotations import each_output, nullable_columns, subquery_output
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Denotation
from truespec.domains.sql.compile.series import carried_out, grouped
from truespec.domains.sql.compile.text_widths import widths_of
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.kinds import BOOL, DATE, INT, LOOSE, TEXT, Kind, Padded
from truespec.domains.sql.ir.opaque import strict
from truespec.domains.sql.ir.relations import rows_of
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.places import At, place_of
from truespec.domains.sql.rules import (
    carried_columns,
    closures,
    ended_recursion,
    kept_in_rounds,
    later_start,
    rounds_apart,
    rows_of_recursion,
    walks,
)
from truespec.domains.sql.rules.same_recursion import Image, Recursion, image_of, unchanged
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def mentions(node: exp.Expr, name: str) -> int:
    """How often a table of this name stands in a query."""
    return sum(table.name.lower() == name for table in node.find_all(exp.Table))


def recursive_query(reader: Reader, cte: exp.CTE, columns: tuple[str, ...]) -> Denotation:
    """What a common table expression that names itself denotes."""
    body, name = cte.this, cte.alias.lower()
    with At(body):
        once = not mentions(body.this, name) and mentions(body, name) == 1
        if not once or not _has_one_step(body) or body.find(exp.With):
            raise Unsupported("sql: a recursive WITH that is no UNION of a first part and one step")
        for part in body.find_all(exp.Limit, exp.Offset, exp.Fetch, exp.Order):
            if part.find_ancestor(exp.Window) is None:
                raise Unsupported("sql: a recursive WITH with ORDER BY or LIMIT inside", place_of(part))
        choices = _choices(reader)
        start = reader.query(body.this, None)
        names = columns or start.names
        if len(names) != len(start.names):
            raise SpecificationError(ReasonCode.SCOPE, f"{name!r} has other columns than its names say")
        (first,) = coerced([each_output(reader.rows(start), subquery_output)], reader.dialect)
        kinds = tuple(out.kind for out in first.terms[0].outs) if first.terms else ()
        distinct = bool(body.args.get("distinct", True))
        _check_kinds(reader, kinds, distinct)
        cut = widths_of(cte, names, kinds, reader.world.schema) if reader.dialect.recursion_cuts_texts else {}
        plain = None if cut else _carried_out(reader, body, name, names, first, kinds)
        if plain is not None:
            return Denotation(names, plain)
        nullable = tuple(nullable_columns(first))
        rows = rows_of(reader.world, f"round {reader.rounds}", kinds, nullable)
        step = _cut(reader, _added(reader, body.expression, name, names, rows, kinds), cut)
        if any(may and not before for may, before in zip(nullable_columns(step), nullable, strict=True)):
            nullable = (True,) * len(kinds)
            rows = rows_of(reader.world, f"round {reader.rounds}", kinds, nullable)
            step = _cut(reader, _added(reader, body.expression, name, names, rows, kinds), cut)
        if _choices(reader) != choices:
            raise Unsupported("sql: a recursive WITH that leaves the engine a choice")

    def adds(rows: Bag) -> Bag:
        return _cut(reader, _added(reader, body.expression, name, names, rows, kinds), cut)

    added = _memory(adds, rows, step)
    found = Recursion(next(reader.world.recursions), first, rows, added, kinds, nullable, distinct)
    if cut:
        return Denotation(names, _growing(reader, found, step, cut))
    ended = ended_recursion.of(reader.world, first, rows, step)
    reader.ends = reader.ends or ended is not None
    if ended is not None and reader.writes_out:
        return Denotation(names, distinct_rows(reader, ended) if distinct else ended)
    walked = walks.of(reader.world, reader.walks, found, step) if reader.follows_walks else None
    if walked is not None:
        if walked.unending is not None:
            reader.unending[reader.side].add(walked.unending)
        return Denotation(names, distinct_rows(reader, walked.bag) if distinct else walked.bag)
    known, image, ahead, distinct = _named(reader, found, step)
    reader.named[reader.side].add(known.number)
    bag = image.of(rows_of_recursion.seen(reader.world, known.held, _result(reader, known)))
    bag = Bag((*ahead, *bag.terms))
    return Denotation(names, distinct_rows(reader, bag) if distinct else bag)


def _growing(reader: Reader, new: Recursion, step: Bag, cut: Mapping[int, int]) -> Bag:
    """The rows of a recursion whose texts may outgrow their columns: where they do, the query may fail.

    So it is another one's only where it has its columns of texts, each as wide: both fail then, or neither.
    """

    def same(one: Bag, other: Bag) -> bool:
        return _same(reader, new, one, other)

    for old in reader.recursions:
        image = image_of(old, new, same)
        if image is not None:
            break
    else:
        old, image = _kept(reader, new, step), unchanged(new)
    reader.named[reader.side].add(old.number)
    reader.cut[reader.side].update((old.number, image.columns[place], size) for place, size in cut.items())
    return image.of(rows_of_recursion.seen(reader.world, old.held, _result(reader, old)))


def _cut(reader: Reader, bag: Bag, cut: Mapping[int, int]) -> Bag:
    """The rows of a round as the engine keeps them in columns of so many characters."""

    def kept(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        return tuple(
            strict(reader.dialect, f"kept in {cut[place]}", [out], TEXT) if place in cut else out
            for place, out in enumerate(outs)
        )

    return bag.mapped(kept) if cut else bag


def _carried_out(
    reader: Reader, body: exp.Expr, name: str, names: tuple[str, ...], first: Bag, kinds: tuple[Kind, ...]
) -> Bag | None:
    """The rows of a recursion over constants, where it is one that ends soon."""

    def step(rows: Bag) -> Bag:
        return _added(reader, body.expression, name, names, rows, kinds)

    plain = not mentions_tables(body, name) and bool(first.terms)
    found = carried_out(first, step, distinct=bool(body.args.get("distinct", True))) if plain else None
    return None if found is None else grouped(reader.world, found)


def mentions_tables(body: exp.Expr, name: str) -> bool:
    """Whether a recursion reads anything but itself."""
    return any(table.name.lower() != name for table in body.find_all(exp.Table))


def _has_one_step(body: exp.Expr) -> bool:
    """Whether this is a union, and its first part no set operation of another kind."""
    if not isinstance(body, exp.Union):
        return False
    first = body.this.unnest()
    alike = isinstance(first, exp.Union) and first.args.get("distinct") == body.args.get("distinct")
    return not isinstance(first, exp.SetOperation) or (alike and _has_one_step(first))


def _result(reader: Reader, known: Recursion) -> Bag:
    """The rows of a recursion, under a new variable."""
    return rows_of(reader.world, f"recursion {known.number}", known.kinds, known.nullable)


Named = tuple[Recursion, Image, tuple[Term, ...], bool]


def _named(reader: Reader, new: Recursion, step: Bag) -> Named:
    """The recursion whose result a new one's is an image of, an earlier one or itself, and the map.

    With them, the first round, where the recursion is one that begins after it (`rules/later_start.py`); and
    whether duplicates are left out.
    """
    known = _earlier(reader, new)
    if known is not None:
        return *known, (), new.distinct
    mixed = any(old.distinct != new.distinct for old in reader.recursions)
    if mixed and rounds_apart.of(reader.world, new):
        known = _earlier(reader, replace(new, distinct=not new.distinct))
        if known is not None:
            return *known, (), not new.distinct

    def same(one: Bag, other: Bag) -> bool:
        return _same(reader, new, one, other)

    ahead: tuple[Term, ...] = ()
    later = later_start.of(reader.world, new, step) if reader.recursions or reader.starts_later else None
    for old in reader.recursions:
        image = None if later is None else image_of(old, later, same)
        if image is not None:
            return old, image, new.first.terms, new.distinct
    if later is not None and reader.starts_later:
        ahead, new = new.first.terms, later
    new = _kept(reader, new, step)
    return new, unchanged(new), ahead, new.distinct


def _kept(reader: Reader, new: Recursion, step: Bag) -> Recursion:
    """A recursion that is no image of an earlier one, with what is known of its rows."""
    result = _result(reader, new)
    new = replace(new, held=rows_of_recursion.of(reader.world, new.first, step, result))
    reader.recursions.append(new)
    facts = carried_columns.of(reader.world, new, step, result) + kept_in_rounds.of(
        reader.world, new, step, result
    )
    if facts:
        reader.world.adopt(result.terms[0].rows[0][1], {}, facts)
    return new


def _earlier(reader: Reader, new: Recursion) -> tuple[Recursion, Image] | None:
    """An earlier recursion whose result the new one's is an image of, and the map."""

    def same(one: Bag, other: Bag) -> bool:
        return _same(reader, new, one, other)

    for old in reader.recursions:
        image = image_of(old, new, same)
        if image is None and closures.apply(reader.world, old, new, same):
            image = unchanged(new)
        if image is not None:
            return old, image
    return None


def _same(reader: Reader, new: Recursion, one: Bag, other: Bag) -> bool:
    """Whether two bags are the same to a recursion: without duplicates, by their tuples."""
    aggregates = reader.aggregates
    return aggregates.same(one, other) or (new.distinct and aggregates.same_tuples(one, other))


def _memory(step: Callable[[Bag], Bag], rows: Bag, known: Bag) -> Callable[[Bag], Bag]:
    """The step, which is known for some rows."""
    return lambda others: known if others is rows else step(others)


def _added(
    reader: Reader, node: exp.Expr, name: str, names: tuple[str, ...], rows: Bag, kinds: tuple[Kind, ...]
) -> Bag:
    """What the step makes of the rows of the round before."""
    saved, reader.ctes = reader.ctes, [*reader.ctes, {name: Denotation(names, rows)}]
    reader.rounds += 1
    try:
        found = reader.query(node, None)
    finally:
        reader.ctes = saved
        reader.rounds -= 1
    if len(found.names) != len(names):
        raise SpecificationError(
            ReasonCode.TYPE, f"the step of {name!r} differs in width from its first part"
        )
    (step,) = coerced([each_output(reader.rows(found), subquery_output)], reader.dialect)
    for out, kind in zip(step.terms[0].outs if step.terms else (), kinds, strict=True):
        if out.kind != kind:
            raise Unsupported(f"sql: a recursive WITH whose step has values of type {out.kind} beside {kind}")
    return step


def _check_kinds(reader: Reader, kinds: tuple[Kind, ...], distinct: bool) -> None:
    """Engines fit the values of each round into the types of the first part, which are not all read."""
    fitting = {INT, DATE, BOOL}
    if reader.dialect.numbers_typed_by_value:
        fitting.add(LOOSE)
    if not (distinct and reader.dialect.collation_merges_texts):
        fitting.add(TEXT)
    for kind in kinds or (None,):
        if kind not in fitting and not isinstance(kind, Padded):  # a CHAR(n) is one in each round
            raise Unsupported(f"sql: a recursive WITH with a column of type {kind}")


def _choices(reader: Reader) -> int:
    """How many values the engine may choose, as far as the pair has been read."""
    return sum(len(operator.chosen) for operator in reader.aggregates.operators)
