"""Aggregates that list values: GROUP_CONCAT and STRING_AGG as a text, ARRAY_AGG and LIST as a list.

In an order that leaves no choice they are functions of the bag of values with their sort keys. Without an
order, or where values that differ may tie, the engine chooses an order of the rows (rule `choices`): it is
read where the group's operator may choose, and not in a window.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.denotations import nullable_columns
from truespec.domains.sql.compile.ordering import sort_key, sort_of
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import Bag, Group, Term, fresh_values, normal, renamed
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.comparisons import null_safe_equal
from truespec.domains.sql.ir.existence import condition, exists
from truespec.domains.sql.ir.kinds import BOOL, DATE, INT, NULL_KIND, TEXT, Kind, Sealed
from truespec.domains.sql.ir.logic import FALSE, TRUE, conj, neg
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import Val, identical
from truespec.domains.sql.rules import choices
from truespec.verdict import Nondeterministic, Unsupported

LISTS = (exp.GroupConcat, exp.ArrayAgg, exp.JSONArrayAgg)
"""Nodes that list values."""


@dataclass(frozen=True, slots=True)
class _List:
    """A list as the text says it."""

    name: str
    """What it is called, with its separator."""
    value: exp.Expr
    """The value of each row."""
    keys: Sequence[exp.Ordered]
    """Its order."""
    distinct: bool
    """Whether each value stands there once."""
    skips: bool
    """Whether NULLs are left out."""
    kind: Kind
    """The kind of the result."""

    @property
    def own(self) -> bool:
        """Whether the values themselves are the order."""
        return len(self.keys) == 1 and self.value == self.keys[0].this

    @property
    def label(self) -> str:
        """The list's name with its order: what a symbol for it is named by."""
        ways = [f"{'descending' if key.args.get('desc') else 'ascending'}" for key in self.keys]
        if not self.own or not self.skips:
            ways = [f"{w} NULLs {sort_of(k).nulls_first}" for w, k in zip(ways, self.keys, strict=True)]
        return f"{self.name} {' and '.join(ways)} by {'itself' if self.own else 'keys'}"


def listed(reader: Reader, node: Any, members: list[tuple[Term, Scope]], operator: Operator | None) -> Val:
    """A list of the values of a group; NULL where there is none to list."""
    found = _read(node)
    if not members:
        raise Unsupported(f"sql: the aggregate {found.name} over no rows")
    for key in found.keys:
        _check_key(found, key)
    found, raw = _settling(reader, found, _raw(reader, found, members))
    if found.distinct and found.keys and not found.own:
        raise Unsupported("sql: an aggregated list of distinct values in another order")
    bag = _values(reader, found, raw)
    kind = bag.terms[0].outs[0].kind
    if kind not in (INT, DATE, TEXT) and not (kind == BOOL and not found.skips):
        raise Unsupported(f"sql: the aggregate {found.name} of values of type {kind.shown}")
    if reader.dialect.dates_are_texts and kind == DATE:
        raise Unsupported(f"sql: the aggregate {found.name} of dates")
    some = exists(reader.world, Bag(tuple(replace(term, outs=()) for term in bag.terms)))
    if found.keys and _settled(reader, found, bag):
        return Val(neg(some), _text(reader, found, bag).val, found.kind)
    return Val(neg(some), _in_some_order(reader, found, raw, operator).val, found.kind)


def _read(node: Any) -> _List:
    inner, separator = node.this, node.args.get("separator")
    if not (separator is None or (isinstance(separator, exp.Literal) and separator.is_string)):
        raise Unsupported("sql: the aggregate GROUP_CONCAT with a separator that is no literal")
    keys: Sequence[exp.Ordered] = []
    if isinstance(inner, exp.Order):
        inner, keys = inner.this, inner.expressions
    if isinstance(node, exp.GroupConcat):
        name, kind = f"joined by {(',' if separator is None else separator.this)!r}", TEXT
    else:
        shown = "array" if isinstance(node, exp.ArrayAgg) else "JSON array"
        name, kind = f"{shown} of", Sealed(f"sealed:{shown}", derived=True)
    distinct = isinstance(inner, exp.Distinct)
    if distinct:
        if len(inner.expressions) != 1:
            raise Unsupported(f"sql: {node.sql()[:60]}")
        inner = inner.expressions[0]
        if isinstance(inner, exp.Order):  # MariaDB writes the order behind DISTINCT
            inner, keys = inner.this, inner.expressions
    return _List(name, inner, keys, distinct, isinstance(node, exp.GroupConcat), kind)


def _check_key(found: _List, key: exp.Ordered) -> None:
    column = key.this.unnest()
    if key.this.find(exp.Column) is None:
        raise Unsupported("sql: an aggregated list by a constant, or by a position")
    value = found.value
    named = isinstance(column, exp.Column) and isinstance(value, exp.Column)
    if named and column != value and column.name.lower() == value.name.lower():
        raise Unsupported(f"sql: an aggregated list by a name of its value, {column.sql()!r}")


def _raw(reader: Reader, found: _List, members: list[tuple[Term, Scope]]) -> Bag:
    """The value of each row with its sort keys."""
    terms = []
    for term, scope in members:
        sorts = [sort_key(reader, key, reader.output(key.this, scope)) for key in found.keys]
        value = reader.value(found.value, scope)
        if value.kind == NULL_KIND:
            raise Unsupported(f"sql: the aggregate {found.name} of NULLs")
        terms.append(replace(term, outs=(value, *([] if found.own else sorts))))
    return coerced([Bag(tuple(terms))], reader.dialect)[0]


def _settling(reader: Reader, found: _List, raw: Bag) -> tuple[_List, Bag]:
    """The list and its rows without the keys behind the values themselves: values that tie there are alike.

    Those that a collation calls equal are not, unless only one of them stands in the list.
    """
    place = next((place for place, key in enumerate(found.keys) if key.this == found.value), None)
    if place is None or (_merges(reader, raw) and not found.distinct):
        return found, raw
    cut = replace(found, keys=found.keys[: place + 1])
    width = 1 if cut.own else place + 2
    return cut, raw.mapped(lambda outs: outs[:width])


def _values(reader: Reader, found: _List, bag: Bag) -> Bag:
    """The rows without NULLs where they are skipped; each value once where they are distinct."""
    if found.skips:
        bag = reader.aggregates.filled(bag)
    if not found.distinct or _merges(reader, bag):
        return bag
    body = bag.mapped(lambda outs: (normal(outs[0]),))
    values = fresh_values(reader.world, body.terms[0].outs, nullable_columns(body))
    return Bag((Term((), (Group(values, body),), TRUE, values),))


def _merges(reader: Reader, bag: Bag) -> bool:
    """Whether some values that the engine calls equal are written in several ways."""
    return reader.dialect.collation_merges_texts and bag.terms[0].outs[0].kind == TEXT


def _settled(reader: Reader, found: _List, bag: Bag) -> bool:
    """Whether values that tie in the order are written alike."""
    world = reader.world
    if found.own:
        return not _merges(reader, bag)
    for one, other in itertools.combinations_with_replacement(bag.terms, 2):
        copy = renamed(world, other)
        tied = [null_safe_equal(world, a, b) for a, b in zip(one.outs[1:], copy.outs[1:], strict=True)]
        both = conj(condition(world, one), condition(world, copy), *tied)
        if not world.holds(both, identical(one.outs[0], copy.outs[0])):
            return False
    return True


def _text(reader: Reader, found: _List, bag: Bag) -> Val:
    """The list as a function of the bag of values and keys; a NULL is part of the bag as well."""
    flagged = bag.mapped(lambda outs: tuple(map(normal, outs)))
    whole = reader.aggregates.whole(f"{found.label} {bag.terms[0].outs[0].kind}", flagged, INT)
    number = Val(FALSE, whole.val, INT)
    return opaque(reader.dialect, f"list {found.label}", [number], found.kind)


def _in_some_order(reader: Reader, found: _List, bag: Bag, operator: Operator | None) -> Val:
    """The list in an order that the engine chooses among the rows of the group."""
    if operator is None or len(operator.members) != len(bag.terms):
        raise Nondeterministic(f"sql: values {found.name} in an order that the engine chooses")
    width = range(len(bag.terms[0].outs))
    first, *beside = (tuple(normal(term.outs[place]) for term in bag.terms) for place in width)
    function = f"{choices.ANY_ORDER if found.distinct else choices.ANY_ROW} {found.label}"
    return choices.choose(reader.aggregates, operator, first, function, kind=found.kind, beside=tuple(beside))
