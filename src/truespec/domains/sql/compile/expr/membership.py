"""IN, EXISTS, ANY and ALL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import z3
from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.comparisons import compare, equal, null_safe_equal, written_day
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.kinds import (
    BOOL,
    DATE,
    DATETIME,
    INT,
    MOMENTS,
    NULL_KIND,
    NUMBERS,
    TEXT,
    Enumerated,
    Kind,
)
from truespec.domains.sql.ir.logic import FALSE, conj, neg
from truespec.domains.sql.ir.truth import logical_and, logical_not, logical_or, where_true
from truespec.domains.sql.ir.values import Val
from truespec.verdict import ReasonCode, SpecificationError, Unsupported


def quantified(reader: Reader, node: exp.Binary, operator: str, right: Any, scope: Scope) -> Val:
    query = right.this.unnest() if isinstance(right.this, exp.Paren | exp.Subquery) else right.this
    if isinstance(query, exp.Array) and query.expressions:
        return _over_list(reader, node, operator, query.expressions, isinstance(right, exp.Any), scope)
    if not isinstance(query, exp.Query):
        raise Unsupported("sql: ANY or ALL over something else than a query")
    value = reader.value(node.this, scope)
    some = isinstance(right, exp.Any)

    def test(outs: Sequence[Val]) -> Val:
        if isinstance(outs[0].kind, Enumerated) and operator not in ("=", "<>"):
            raise Unsupported("sql: ANY or ALL by the order of an ENUM, which an index changes")
        result = compare(reader.world, operator, value, outs[0])
        return result if some else logical_not(result)

    found = where_some(reader, query, scope, 1, test)
    return found if some else logical_not(found)


def _over_list(
    reader: Reader, node: exp.Binary, operator: str, choices: Sequence[Any], some: bool, scope: Scope
) -> Val:
    """`x = ANY (ARRAY[...])` is a disjunction, and ALL a conjunction; the elements take one type."""
    value, others = reader.value(node.this, scope), [reader.value(choice, scope) for choice in choices]
    if len({other.kind for other in others} - {NULL_KIND}) != 1 or others[0].kind not in (
        INT,
        TEXT,
        value.kind,
    ):
        raise Unsupported("sql: ANY or ALL over a list of several types")
    if TEXT in (value.kind, others[0].kind) and value.kind != others[0].kind:
        raise Unsupported("sql: ANY or ALL over a list of another type")
    tests = [compare(reader.world, operator, value, other) for other in others]
    return logical_or(tests) if some else logical_and(tests)


def where_some(reader: Reader, query: exp.Expr, scope: Scope, width: int, test: Any) -> Val:
    """True where the test is true of a row, NULL where it is NULL of one but true of none."""
    found = reader.inner(query, scope)
    if len(found.names) != width:
        raise SpecificationError(ReasonCode.TYPE, "a subquery of the wrong width")
    true, maybe = [], []
    for term in reader.rows(found).terms:
        result = test(term.outs)
        true.append(Term(term.rows, term.groups, conj(term.cond, where_true(result)), ()))
        if not z3.is_false(result.null):
            maybe.append(Term(term.rows, term.groups, conj(term.cond, result.null), ()))
    yes = exists(reader.world, Bag(tuple(true)))
    if not maybe:
        return Val(FALSE, yes, BOOL)
    perhaps = exists(reader.world, Bag(tuple(maybe)))
    return Val(conj(neg(yes), perhaps), yes, BOOL, sides=(yes, conj(neg(yes), neg(perhaps))))


def in_list(reader: Reader, node: exp.In, scope: Scope) -> Val:
    query = node.args.get("query")
    left = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
    items = left.expressions if isinstance(left, exp.Tuple) else [left]
    values = [reader.value(item, scope) for item in items]
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        if reader.dialect.parenthesised_query_is_value and isinstance(inner, exp.Subquery):
            # In further parentheses, SQLite takes a query for one value: that of its first row.
            return in_list(reader, exp.In(this=node.this, expressions=[inner]), scope)

        def test(outs: Sequence[Val]) -> Val:
            return logical_and([equal(reader.world, a, b) for a, b in zip(values, outs, strict=True)])

        return where_some(reader, inner, scope, len(values), test)
    if node.args.get("unnest") or node.args.get("field"):
        raise Unsupported("sql: IN over an array")
    tests = []
    families = [[value] for value in values]
    for choice in node.expressions:
        choice = choice.unnest() if isinstance(choice, exp.Paren) else choice
        query = isinstance(choice, exp.Subquery | exp.Select) and len(node.expressions) == 1
        if query and not reader.dialect.parenthesised_query_is_value:
            return in_list(reader, exp.In(this=node.this, query=choice), scope)
        parts = choice.expressions if isinstance(choice, exp.Tuple) else [choice]
        if len(parts) != len(values):
            raise SpecificationError(ReasonCode.TYPE, "IN over tuples of another width")
        others = [reader.value(part, scope) for part in parts]
        for mine, other in zip(families, others, strict=True):
            mine.append(other)
        pairs = list(zip(values, others, strict=True))
        tests.append(tuples_equal(reader, pairs) if len(pairs) > 1 else equal(reader.world, *pairs[0]))
    for family in families:
        check_one_family(reader, "IN", family)
    return logical_or(tests)


def tuples_equal(reader: Reader, pairs: Sequence[tuple[Val, Val]]) -> Val:
    """Whether tuples are equal: by SQL's logic, or as wholes in which NULL equals NULL."""
    if not reader.dialect.tuples_compare_as_wholes:
        return logical_and([equal(reader.world, a, b) for a, b in pairs])
    return Val(FALSE, conj(*(null_safe_equal(reader.world, a, b) for a, b in pairs)), BOOL)


def _exists(reader: Reader, node: exp.Exists, scope: Scope) -> Val:
    query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    return Val(FALSE, exists(reader.world, reader.some_rows(reader.inner(query, scope))), BOOL)


def check_one_family(reader: Reader, name: str, values: Sequence[Val]) -> None:
    """Texts among numbers: MariaDB compares all of a BETWEEN as numbers, and IN by its own rules."""
    kinds = {value.kind for value in values} - {NULL_KIND}
    if reader.dialect.list_shares_comparison and TEXT in kinds and kinds & {*NUMBERS, BOOL}:
        raise Unsupported(f"sql: {name} over texts and numbers")
    if values[0].kind == TEXT and kinds & MOMENTS and not _day_among(reader, values):
        raise Unsupported(f"sql: {name} of a text over dates")


def _day_among(reader: Reader, values: Sequence[Val]) -> bool:
    """Whether the first is a day as an engine writes it: then it compares alike as a text and as a date."""
    others = {_as_written(reader, value) for value in values[1:]} - {NULL_KIND}
    whole = _DAY.match(values[0].literal or "") is not None
    return whole and (others == {DATE} or (others == {DATETIME} and reader.dialect.literals_take_type))


def _as_written(reader: Reader, value: Val) -> Kind:
    """The kind of a value; a text that the engine has written for a day is one."""
    is_day = reader.dialect.mixed_branches_are_texts and written_day(reader.world, value) is not None
    return DATE if is_day else value.kind


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


READERS: Readers = {
    exp.In: in_list,
    exp.Exists: _exists,
}
