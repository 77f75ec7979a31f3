"""What a proof takes for granted of the values that a database holds, said beside the verdict."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from truespec.domains.sql import check_queries
from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.schema import Kind, Schema

_RECKONED = (exp.Interval, exp.MakeInterval, exp.ToDays, exp.DateAdd, exp.DateSub)
"""Expressions that an engine adds to a date or a moment, up to the end of its calendar."""
_UNITS = ("HOUR", "MINUTE", "WEEK", "MONTH", "YEAR")
"""Units of which a function of DuckDB makes intervals."""
_PASSING = (
    *(exp.Column, exp.Min, exp.Max, exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.If),
    *(exp.Window, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.Subquery, exp.Paren),
)
"""Expressions that may pass on a day that they read."""
_QUOTIENTS = (exp.Div, exp.Avg, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop)
"""Expressions whose value an engine divides for."""


def assumptions(trees: Iterable[exp.Expr], schema: Schema, settings: Settings) -> tuple[str, ...]:
    """What a proof over these queries takes for granted of quotients, and of the values in the columns named.

    PostgreSQL and DuckDB compare NaN and infinity, which no arithmetic of rationals has; the contract leaves
    rounding out of scope, so that a proof says where it rests on that. PostgreSQL's TO_CHAR writes a year
    before Christ like the one after, and a text that begins with 10000 sorts before one with 2000. MariaDB
    stores `0000-00-00` and `2020-01-00` unless its mode forbids them; functions of such days are NULL, and IS
    NULL is true of the first in a column that is NOT NULL.
    """
    trees = list(trees)
    trees += check_queries.beside(trees, schema)
    named: set[str] = set()
    tables: set[str] = set()
    starred = False
    for tree in trees:
        named |= {column.name.lower() for column in tree.find_all(exp.Column)}
        tables |= {table.name.lower() for table in tree.find_all(exp.Table)}
        starred |= any(not isinstance(star.parent, exp.Count) for star in tree.find_all(exp.Star))
        for join in tree.find_all(exp.Join):  # columns that are compared without a name, or by USING
            starred |= (join.method or "").upper() == "NATURAL"
            named |= {part.name.lower() for part in join.args.get("using") or []}
    dialect = DIALECTS[schema.dialect]
    finite, exact, dates, days, declared = [], [], [], [], []
    for table in schema.tables:
        for column in table.columns:
            if table.name.lower() not in tables or not (starred or column.name.lower() in named):
                continue
            name = f"{table.name}.{column.name}"
            if column.type.kind.value in dialect.infinite_kinds:
                finite.append(name)
            if column.type.kind is Kind.FLOAT:
                exact.append(name)
            if dialect.types_are_affinities and not table.strict and column.type.kind is not Kind.OTHER:
                declared.append(name)
            if column.type.kind in (Kind.DATE, Kind.DATETIME) and dialect.dates_may_be_infinite:
                dates.append(name)
            if column.type.kind in (Kind.DATE, Kind.DATETIME) and dialect.dates_may_be_zero:
                days.append(name)
    found = []
    if schema.unread:
        found.append(f"constraints that are not read are left out of account: {'; '.join(schema.unread)}")
    if any(tree.find(exp.Collate) is not None for tree in trees) or schema.collated(tables):
        found.append("the collations that are written order texts as the database's own one does")
    if declared:
        found.append(
            f"the values of {', '.join(declared)} are of their declared types; no table is STRICT there"
        )
    if finite:
        found.append(f"the numbers of {', '.join(finite)} are finite")
    if exact:
        found.append(f"arithmetic with {', '.join(exact)} is exact")
    if dates:
        found.append(f"the dates of {', '.join(dates)} are finite")
    if days:
        found.append(f"the dates of {', '.join(days)} are of the calendar; no zero date is stored")
    if any(_reckons(tree, schema) for tree in trees):
        found.append("dates and moments that intervals are added to stay within the engine's calendar")
    if dates and dialect.years_beyond_four_digits and any(tree.find(exp.TimeToStr) for tree in trees):
        found.append(f"the dates of {', '.join(dates)}, and those made of them, are of the years 1 to 9999")
    return (*found, *_quotients(trees, dialect, settings))


def _quotients(trees: Iterable[exp.Expr], dialect: Dialect, settings: Settings) -> list[str]:
    """That quotients and averages are exact, where there are any: engines keep some of their digits."""
    if not any(tree.find(*_QUOTIENTS) for tree in trees):
        return []
    if dialect.division_digits_set_by_session:
        digits = f"{settings.digits} digits more than the dividend has (div_precision_increment)"
        return [f"quotients and averages are exact; the engine keeps {digits}"]
    whole = "that are not cut to integers " if dialect.division_truncates else ""
    return [f"quotients {whole}and averages are exact; the engine rounds them"]


def _reckons(tree: exp.Expr, schema: Schema) -> bool:
    """Whether a query adds intervals to dates or moments, or numbers to dates."""
    if tree.find(*_RECKONED) is not None:
        return True
    calls = {str(call.this).upper() for call in tree.find_all(exp.Anonymous)}
    if calls & {"ADDDATE", "SUBDATE", *(f"TO_{unit}S" for unit in _UNITS)}:
        return True
    if not DIALECTS[schema.dialect].dates_count_days:
        return False
    days = {c.name.lower() for t in schema.tables for c in t.columns if c.type.kind is Kind.DATE}
    while added := _renamed_days(tree, days) - days:
        days |= added
    sums = tree.find_all(exp.Add, exp.Sub)
    return any(_is_day(one.this, days) != _is_day(one.expression, days) for one in sums)


def _renamed_days(tree: exp.Expr, days: set[str]) -> set[str]:
    """What the outputs of queries are called that may be days, of which some are called `days`."""
    found = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if _is_day(alias.this, days)}
    for named in tree.find_all(exp.CTE, exp.Subquery):
        columns = named.args["alias"].columns if named.args.get("alias") else []
        outputs = named.this.selects if isinstance(named.this, exp.Query) else []
        for column, output in zip(columns, outputs, strict=False):
            found |= {column.name.lower()} if _is_day(output.unalias(), days) else set()
    return found


def _is_day(node: exp.Expr, days: set[str]) -> bool:
    """Whether an expression may be a day, as far as its form tells."""
    if isinstance(node, exp.Cast):
        return bool(node.to.this is exp.DataType.Type.DATE)
    if isinstance(node, exp.Column):
        return node.name.lower() in days
    return isinstance(node, _PASSING) and any(
        _is_day(part, days) for part in node.find_all(exp.Column, exp.Cast)
    )
