"""Medians and other quantiles: functions of the bag of values that are not NULL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sqlglot import exp

from truespec.domains.sql.aggregates.quantiles import quantile as of_values
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.bags import Bag, Term
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.kinds import DATE, INT, NUMBERS
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported

QUANTILES = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.WithinGroup)
"""Nodes that may be quantiles."""


@dataclass(frozen=True, slots=True)
class _Quantile:
    """A quantile as the text says it."""

    value: exp.Expr
    """The value of each row."""
    share: Fraction
    """The share of the values before it."""
    between: bool
    """Whether it may lie between two values; else it is one of them."""
    descending: bool
    """Whether the greatest value comes first."""


def quantile(reader: Reader, node: Any, members: list[tuple[Term, Scope]]) -> Val:
    """MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC."""
    found = _read(node)
    terms = [replace(t, outs=(reader.value(found.value, s),)) for t, s in members]
    if not terms:
        raise Unsupported("sql: a quantile of no rows")
    bag = reader.aggregates.filled(coerced([Bag(tuple(terms))], reader.dialect)[0])
    kind = bag.terms[0].outs[0].kind
    if kind not in (NUMBERS if found.between else {*NUMBERS, DATE}):
        raise Unsupported(f"sql: a quantile of values of type {kind.shown}")
    share, descending = found.share, found.descending
    if found.between and descending and kind == INT:
        share, descending = 1 - share, False  # the line between two neighbours is the same from either end
    name = f"{share} {'descending' if descending else 'ascending'}"
    return of_values(reader.aggregates, bag, name, between=found.between)


def _read(node: Any) -> _Quantile:
    descending = False
    value, share = node.this, node.args.get("expression")
    if isinstance(node, exp.WithinGroup):
        call, order = node.this, node.expression
        if not isinstance(call, exp.PercentileCont | exp.PercentileDisc) or call.expression is not None:
            raise Unsupported(f"sql: {type(call).__name__.upper()} WITHIN GROUP")
        if not isinstance(order, exp.Order) or len(order.expressions) != 1:
            raise Unsupported("sql: a quantile in an order of several keys")
        key = order.expressions[0]
        node, value, share, descending = call, key.this, call.this, bool(key.args.get("desc"))
    elif isinstance(node, exp.Median):
        share = exp.Literal.number("0.5")
    if not isinstance(share, exp.Literal) or share.is_string or isinstance(value, exp.Distinct | exp.Order):
        raise Unsupported(f"sql: {node.sql()[:60]}")
    number = Fraction(share.this)
    if not 0 <= number <= 1:
        raise Unsupported(f"sql: the quantile {share.this}")
    return _Quantile(value, number, not isinstance(node, exp.PercentileDisc), descending)
