"""Rows that are all constants: series, lists in FROM, and recursions that count.

GENERATESERIES, RANGE and UNNEST of literals are written out as VALUES for the prover. A recursion that
begins with constants and whose step makes constants of constants is carried out. Distinct constants are a
group, so that what is joined to them is read once and not for each of them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile import progressions
from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.bags import Bag, Group, Term, binding, fresh_values, normal, substitute_term
from truespec.domains.sql.ir.comparisons import is_written
from truespec.domains.sql.ir.dates import DAY, moment
from truespec.domains.sql.ir.day_parts import begin_of_month
from truespec.domains.sql.ir.kinds import DATE, DATETIME, INT, TEXT, ZONED
from truespec.domains.sql.ir.logic import FALSE, TRUE
from truespec.domains.sql.ir.symbols import functions, name_of
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MOST = 64
"""A longer series is not written out, nor is a recursion of more rows."""
LONGEST = 100_000
"""A longer one is not read at all."""
FEWEST = 4
"""Fewer constants stay apart: each is a case of its own."""
DAYS_AFTER = "days after "
"""How the name of the function begins that makes the text of the day so many days after another one."""
SERIES = (exp.GenerateSeries, exp.ExplodingGenerateSeries)
_STEP = re.compile(r"([0-9]{1,3})\s*(minute|hour|day|week|month|year)s?\Z", re.IGNORECASE)
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}(:[0-9]{2})?)?\Z")
_DATES = frozenset({exp.DataType.Type.DATE})
_TIMESTAMPS = frozenset({exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ})
"""Moments without a zone, by the names that the parser gives them."""


def written(node: Any, dialect: Dialect) -> exp.Expr | None:
    """A part of FROM as VALUES, or as a series under the name of its column; None for anything else."""
    match node:
        case exp.Table() if isinstance(node.this, SERIES) and not _has_more(node):
            alone = isinstance(node.this, exp.ExplodingGenerateSeries)
            found = _values(node, elements(node.this), alone=alone)
            if found is None:
                return _named(node, node.this) if alone and not _columns(node) else None
            return _zoned(found) if dialect.truncated_date_is_zoned else found
        case exp.Unnest() if len(node.expressions) == 1 and not node.args.get("offset"):
            found = _values(node, elements(node.expressions[0]), alone=True)
            return found or _named(node, node.expressions[0])
        case exp.Lateral() if not any(node.args.get(part) for part in ("view", "outer", "ordinality")):
            inner = node.this
            unnested = isinstance(inner, exp.Unnest) and len(inner.expressions) == 1
            return _named(node, inner.expressions[0] if unnested and not inner.args.get("offset") else inner)
    return None


def _has_more(node: exp.Table) -> bool:
    """Whether a part of FROM has more than a name: WITH ORDINALITY, joins, a sample."""
    return any(part for key, part in node.args.items() if key not in ("this", "alias"))


def _columns(node: Any) -> list[exp.Expr]:
    alias = node.args.get("alias")
    return [] if alias is None else list(alias.columns)


def _named(node: Any, series: Any) -> exp.Table | None:
    """A series in FROM under the name of its column, in PostgreSQL that of the table where none is given."""
    alias, columns = node.args.get("alias"), _columns(node)
    if not isinstance(series, SERIES) or alias is None or alias.this is None or len(columns) > 1:
        return None
    if not columns and not isinstance(series, exp.ExplodingGenerateSeries):
        return None
    named = exp.TableAlias(this=alias.this.copy(), columns=[part.copy() for part in columns or [alias.this]])
    return exp.Table(this=series.copy(), alias=named)


def elements(node: Any) -> list[exp.Expr] | None:
    """The elements of a list as it is written, or of a series of literals; None for anything else."""
    if isinstance(node, exp.Array):
        plain = all(isinstance(part, exp.Literal) for part in node.expressions)
        return [part.copy() for part in node.expressions] if plain and node.expressions else None
    if not isinstance(node, SERIES):
        return None
    start, end, step = node.args.get("start"), node.args.get("end"), node.args.get("step")
    open_end = bool(node.args.get("is_end_exclusive"))
    plain = all(isinstance(part, exp.Literal) and str(part.this).isdigit() for part in (start, end))
    if start is not None and end is not None and plain:
        whole = isinstance(step, exp.Literal) and str(step.this).isdigit()
        size = 1 if step is None else int(step.this) if whole else 0
        if size < 1:
            return None
        numbers = range(int(start.this), int(end.this) + (not open_end), size)
        return [exp.Literal.number(number) for number in numbers] if 0 < len(numbers) <= MOST else None
    return _moments(start, end, step, open_end)


def _moments(start: Any, end: Any, step: Any, open_end: bool) -> list[exp.Expr] | None:
    """A series from one moment to another, or from one day to another: those are moments as of DATE_TRUNC."""
    of_days = True
    first, last, size = _moment(start, _DATES), _moment(end, _DATES), size_of(step)
    if first is None:
        of_days = False
        first, last = _moment(start, _TIMESTAMPS), _moment(end, _TIMESTAMPS)
    if first is None or last is None or size is None or (of_days and size[1] in ("minute", "hour")):
        return None
    count, unit = size
    found: list[exp.Expr] = []
    for number in range(MOST + 1):
        at = _moved(first, count * number, unit)
        if at is None:
            return None
        if at > last or (open_end and at == last):
            break
        found.append(_day_of(at) if of_days else _cast(at.isoformat(" "), "TIMESTAMP"))
    return found if 0 < len(found) <= MOST else None


def _day_of(at: datetime.datetime) -> exp.Expr:
    return exp.TimestampTrunc(this=_cast(at.date().isoformat(), "DATE"), unit=exp.Var(this="DAY"))


def _cast(text: str, to: str) -> exp.Expr:
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build(to))


def _moment(node: Any, types: frozenset[Any]) -> datetime.datetime | None:
    """The moment that a literal of one of these types says."""
    if not isinstance(node, exp.Cast) or node.to.this not in types or node.to.expressions:
        return None
    text = node.this
    if not isinstance(text, exp.Literal) or not text.is_string or not _MOMENT.match(text.this):
        return None
    try:
        found = datetime.datetime.fromisoformat(text.this)
    except ValueError:
        return None
    return found if node.to.this not in _DATES or len(text.this) == len("2000-01-01") else None


def size_of(step: Any) -> tuple[int, str] | None:
    """How many units a step is."""
    if isinstance(step, exp.Cast) and step.to.this is exp.DataType.Type.INTERVAL:
        step = step.this
    text = step.this if isinstance(step, exp.Literal) and step.is_string else ""
    if isinstance(step, exp.Interval) and isinstance(step.this, exp.Literal):
        text = f"{step.this.this} {step.args['unit'].name if step.args.get('unit') else ''}"
    found = _STEP.match(text.strip())
    return (int(found[1]), found[2].lower()) if found and int(found[1]) > 0 else None


def _moved(at: datetime.datetime, count: int, unit: str) -> datetime.datetime | None:
    """The moment so many units later; None for one whose month may not have its day, or that is too late."""
    try:
        if unit in ("minute", "hour", "day", "week"):
            return at + datetime.timedelta(**{f"{unit}s": count})
        months = at.year * 12 + at.month - 1 + count * (12 if unit == "year" else 1)
        return None if at.day > 28 else at.replace(year=months // 12, month=months % 12 + 1)
    except (ValueError, OverflowError):
        return None


def counted(world: World, node: exp.Table) -> Bag | None:
    """A series that is too long to be written out, in FROM; None where it is no such series."""
    start, end, step = (node.this.args.get(part) for part in ("start", "end", "step"))
    open_end = bool(node.this.args.get("is_end_exclusive"))
    if all(isinstance(part, exp.Literal) and str(part.this).isdigit() for part in (start, end)):
        count = int(end.this) - int(start.this) - open_end + 1
        if step is not None or not MOST < count <= LONGEST:
            return None
        return progressions.series(world, Val(FALSE, z3.IntVal(int(start.this)), INT), 1, count, INT)
    of_days = _moment(start, _DATES) is not None
    types = _DATES if of_days else _TIMESTAMPS
    first, last, size = _day_begun_by(start, types), _day_begun_by(end, types), size_of(step)
    if first is None or last is None or size is None or size[1] not in ("day", "week"):
        return None
    distance = size[0] * (7 if size[1] == "week" else 1)
    count = (last - first - open_end) // distance + 1
    if not MOST < count <= LONGEST:
        return None
    for day in (first, last):
        world.note_date(day)
    zoned = of_days and world.dialect.truncated_date_is_zoned
    first_day = Val(FALSE, z3.IntVal(first), DATE)
    return progressions.series(world, first_day, distance, count, ZONED if zoned else DATETIME)


def _day_begun_by(node: Any, types: frozenset[Any]) -> int | None:
    """The day that a literal of one of these types is, or begins."""
    at = _moment(node, types)
    return at.toordinal() if at is not None and at.time() == datetime.time() else None


def _values(node: Any, found: list[exp.Expr] | None, *, alone: bool) -> exp.Values | None:
    """VALUES under the name of the series; `alone`: without a list of columns its name is the column's."""
    alias = node.args.get("alias")
    if found is None or alias is None or alias.this is None or len(alias.columns) > 1:
        return None
    if not alias.columns and not alone:
        return None
    columns = [column.copy() for column in alias.columns] or [alias.this.copy()]
    name = exp.TableAlias(this=alias.this.copy(), columns=columns)
    return exp.Values(expressions=[exp.Tuple(expressions=[value]) for value in found], alias=name)


def _zoned(values: exp.Values) -> exp.Expr:
    """The moments of a series, where they have a zone, as a function of their days."""
    rows = [row.expressions[0] for row in values.expressions]
    if not all(isinstance(row, exp.TimestampTrunc) for row in rows):
        return values
    name, (column,) = values.args["alias"], values.args["alias"].columns
    days = exp.Values(
        expressions=[exp.Tuple(expressions=[row.this]) for row in rows],
        alias=exp.TableAlias(this=exp.to_identifier("days"), columns=[column.copy()]),
    )
    moment = exp.TimestampTrunc(this=exp.column(column.name), unit=exp.Var(this="DAY"))
    query = exp.Select(expressions=[exp.alias_(moment, column.name)], from_=exp.From(this=days))
    return exp.Subquery(this=query, alias=name)


def grouped(world: World, bag: Bag) -> Bag:
    """Distinct constants as a series, or a group of which each is one value; other bags as they are."""
    if len(bag.terms) < FEWEST or not all(map(is_constant, bag.terms)):
        return bag
    seen = {tuple((str(out.null), str(out.val)) for out in term.outs) for term in bag.terms}
    if len(seen) != len(bag.terms):
        return bag
    shorter = progressions.shortened(world, bag)
    if shorter is not None:
        return shorter
    nullable = [any(z3.is_true(t.outs[i].null) for t in bag.terms) for i in range(len(bag.terms[0].outs))]
    body = bag.mapped(lambda outs: tuple(map(normal, outs)))
    body, made = _counted(world, body)
    values = fresh_values(world, body.terms[0].outs, nullable)
    outs = tuple(made[i](value) if i in made else value for i, value in enumerate(values))
    return Bag((Term((), (Group(values, body),), TRUE, outs),))


def _counted(world: World, body: Bag) -> tuple[Bag, dict[int, Callable[[Val], Val]]]:
    """Columns of moments that begin days, or months, by their numbers, and what makes moments of these.

    A day has one first moment and a month one first day, so that the tuples correspond one to one. Days meet
    days then, a month moved by months is one again, and the month of a day is a number as well.
    """
    made: dict[int, Callable[[Val], Val]] = {}
    terms = body.terms
    for place, first in enumerate(terms[0].outs):
        days = [_day_begun(term.outs[place]) for term in terms]
        known = [day for day in days if day is not None]
        if len(known) != len(days):
            continue
        months = all(day.day == 1 for day in known)
        world.months_met = world.months_met or months
        if months and world.by_months:
            made[place] = _first_moment if first.kind == DATETIME else _first_day
            numbers = [Val(FALSE, z3.IntVal(12 * day.year + day.month), INT) for day in known]
        elif first.kind == DATETIME:
            made[place] = moment
            numbers = [Val(FALSE, z3.IntVal(day.toordinal()), DATE) for day in known]
        else:
            continue
        terms = tuple(
            replace(term, outs=(*term.outs[:place], number, *term.outs[place + 1 :]))
            for term, number in zip(terms, numbers, strict=True)
        )
    return Bag(terms), made


def _day_begun(value: Val) -> datetime.date | None:
    """The day that a constant is or begins; None for other constants."""
    if value.kind not in (DATE, DATETIME) or not z3.is_int_value(value.val) or not z3.is_false(value.null):
        return None
    days, rest = divmod(value.val.as_long(), DAY if value.kind == DATETIME else 1)
    if rest or not 1 <= days <= datetime.date.max.toordinal():
        return None
    return datetime.date.fromordinal(days)


def _first_day(month: Val) -> Val:
    return Val(month.null, begin_of_month(month.val), DATE)


def _first_moment(month: Val) -> Val:
    return moment(_first_day(month))


def spelled_out(world: World, bag: Bag) -> Bag:
    """The days so many days after one, where the numbers are constants, as texts; other bags as they are."""
    if len(bag.terms) != 1 or bag.terms[0].rows or len(bag.terms[0].groups) != 1:
        return bag
    (term,) = bag.terms
    (group,) = term.groups
    days = any(name.startswith(DAYS_AFTER) for out in term.outs for name in functions(out.val))
    if not days or not all(map(is_constant, group.body.terms)):
        return bag
    found = []
    for body in group.body.terms:
        alone = substitute_term(replace(term, groups=()), binding(group.values, body.outs))
        plain = _plain(alone)
        if plain is not None and not z3.is_false(plain.cond):
            found.append(replace(plain, outs=tuple(_day_as_text(world, out) for out in plain.outs)))
    return grouped(world, Bag(tuple(found))) if found and all(map(is_constant, found)) else bag


def _day_as_text(world: World, value: Val) -> Val:
    """The text of a day so many days after another one, where the number is known and no less than 0."""
    name = name_of(value.val) if z3.is_app(value.val) else ""
    match = re.fullmatch(rf"{DAYS_AFTER}([0-9-]+):int", name)
    if match is None or not z3.is_int_value(value.val.arg(0)) or value.val.arg(0).as_long() < 0:
        return value
    try:
        day = datetime.date.fromisoformat(match[1])
        day += datetime.timedelta(days=value.val.arg(0).as_long())
    except (ValueError, OverflowError):
        return value
    return Val(FALSE, world.text(day.isoformat()), TEXT)


def is_constant(term: Term) -> bool:
    """Whether a term is one tuple of numbers, days and texts that are written."""
    return not term.rows and not term.groups and z3.is_true(term.cond) and all(map(_is_constant, term.outs))


def _is_constant(value: Val) -> bool:
    flagged = bool(z3.is_true(value.null) or z3.is_false(value.null))
    return flagged and bool(
        z3.is_int_value(value.val) or z3.is_rational_value(value.val) or is_written(value)
    )


def carried_out(first: Bag, step: Callable[[Bag], Bag], *, distinct: bool) -> Bag | None:
    """The rows of a recursion over constants; None where it makes something else, or too many of them."""
    found = [_plain(term) for term in first.terms]
    rows = [term for term in found if term is not None]
    if len(rows) != len(found) or not all(map(is_constant, rows)):
        return None
    every = last = _kept(rows, [], distinct)
    while last:
        made = [_plain(term) for term in step(Bag(tuple(last))).terms]
        rows = [term for term in made if term is not None]
        if len(rows) != len(made):
            return None
        rows = [term for term in rows if not z3.is_false(term.cond)]
        if not all(map(is_constant, rows)):
            return None
        last = _kept(rows, every, distinct)
        every = every + last
        if len(every) > MOST:
            return None
    return Bag(tuple(every))


def _plain(term: Term) -> Term | None:
    """A term without variables, with what can be computed of it."""
    if term.rows or term.groups:
        return None
    outs = tuple(Val(z3.simplify(out.null), z3.simplify(out.val), out.kind) for out in term.outs)
    return Term((), (), z3.simplify(term.cond), outs)


def _kept(rows: list[Term], before: list[Term], distinct: bool) -> list[Term]:
    """The rows that a round adds: those not there yet, where they are distinct."""
    if not distinct:
        return rows
    found: list[Term] = []
    for row in rows:
        if not any(_same(row, other) for other in (*before, *found)):
            found.append(row)
    return found


def _same(one: Term, other: Term) -> bool:
    for a, b in zip(one.outs, other.outs, strict=True):
        if not a.null.eq(b.null) or not (z3.is_true(a.null) or a.val.eq(b.val)):
            return False
    return True
