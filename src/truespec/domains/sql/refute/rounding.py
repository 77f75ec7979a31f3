"""Whether a difference rests on rounding, which the contract leaves out: arithmetic is exact.

The engines round what a division or an average yields: MariaDB to four more digits, the others to sixteen or
so. A difference on a database counts in one of two cases.

1. Both queries still yield their results when evaluating an inexact quotient is made an error: none was
   evaluated.
2. Quotients stand only among the outputs of the outermost query, nothing there asks whether two numbers are
   equal, and the difference stays when every inexact quotient is moved a little up, and a little down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

NUDGE = "0.0000001"
"""How far, relatively, an inexact result is moved."""
TOLERANCE = 1e-5
"""Numbers of the moved queries that are this close count as equal."""
EXACT_DIGITS = 9
"""A result is exact when cutting it after so many digits changes nothing."""
MAX_SITES = 24
"""A query with more inexact operations is not rewritten."""
MAX_DEPTH = 3
"""Nor one with more of them inside one another: each level triples the text."""

_INEXACT: tuple[Any, ...] = (
    exp.Div,
    exp.Avg,
    exp.Sqrt,
    exp.Exp,
    exp.Ln,
    exp.Log,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
    exp.Corr,
    exp.CovarPop,
    exp.CovarSamp,
    exp.PercentRank,
    exp.CumeDist,
    exp.Median,
    exp.PercentileCont,
)
_EQUALITIES: tuple[Any, ...] = (
    exp.EQ,
    exp.NEQ,
    exp.In,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.Mod,
)


def is_inexact(tree: exp.Expr) -> bool:
    """Whether a query divides, averages or computes with roots and logarithms."""
    return tree.find(*_INEXACT) is not None


def only_shown(tree: exp.Expr) -> bool:
    """Whether inexact results stand only among the outputs of the outermost query, and meet no equality."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    for site in tree.find_all(*_INEXACT):
        around: Any = site
        while around.parent is not None and around.parent is not tree:
            around = around.parent
            if isinstance(around, (exp.Query, *_EQUALITIES)):
                return False
        if around.arg_key != "expressions":
            return False
    return True


def moved(tree: exp.Expr, dialect: str, upwards: bool) -> str | None:
    """The query with every inexact result moved; None where that cannot be written."""
    factor = exp.Literal.number("1" + NUDGE[1:] if upwards else str(1 - float(NUDGE)))
    return _rewritten(tree, dialect, lambda value: exp.Mul(this=value, expression=factor.copy()))


def refusing_inexact(tree: exp.Expr, dialect: str) -> str | None:
    """The query with a run-time error for every inexact result; None where that cannot be written."""
    return _rewritten(tree, dialect, lambda value: _error(value, dialect))


def _error(value: exp.Expr, dialect: str) -> exp.Expr:
    """An expression whose evaluation fails; made of the value, so that no planner evaluates it early."""
    if dialect == "mysql":  # beyond every double; most other errors are but warnings in a SELECT
        exponent = exp.Add(this=exp.Literal.number(400), expression=exp.Abs(this=value))
        wrong = exp.Anonymous(this="POW", expressions=[exp.Literal.number(10), exponent])
        return exp.cast(wrong, "DECIMAL(40, 9)", dialect=dialect)
    text = exp.cast(value, "TEXT", dialect=dialect)
    if dialect == "sqlite":
        opened = exp.DPipe(this=exp.Literal.string("{"), expression=text)
        return exp.Anonymous(this="json", expressions=[opened])
    letter = exp.DPipe(this=exp.Literal.string("x"), expression=text)
    return exp.cast(letter, "DECIMAL(18, 9)", dialect=dialect)


def _rewritten(tree: exp.Expr, dialect: str, instead: Callable[[exp.Expr], exp.Expr]) -> str | None:
    copy = tree.copy()
    sites = list(copy.find_all(*_INEXACT))
    if len(sites) > MAX_SITES or any(_depth(node) > MAX_DEPTH for node in sites):
        return None
    for node in reversed(sites):  # breadth first: the innermost come first
        site: Any = node
        while isinstance(site.parent, exp.Window | exp.Filter | exp.IgnoreNulls) and site.arg_key == "this":
            site = site.parent
        site.replace(_where_inexact(site.copy(), dialect, instead))
    try:
        return copy.sql(dialect)
    except Exception:  # a generator's own limits
        return None


def _depth(node: Any) -> int:
    depth, around = 0, node.parent
    while around is not None:
        depth += isinstance(around, _INEXACT)
        around = around.parent
    return depth


def _where_inexact(value: Any, dialect: str, instead: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    wrapped = exp.Paren(this=value)
    digits = exp.Literal.number(EXACT_DIGITS)
    if dialect == "mysql":
        cut: exp.Expr = exp.Anonymous(this="TRUNCATE", expressions=[wrapped.copy(), digits])
    elif dialect == "postgres":
        number = exp.cast(wrapped.copy(), "DECIMAL(60, 30)", dialect="postgres")
        cut = exp.Anonymous(this="TRUNC", expressions=[number, digits])
    else:
        cut = exp.Anonymous(this="ROUND", expressions=[wrapped.copy(), digits])
    exact = exp.EQ(this=cut, expression=wrapped.copy())
    return exp.Paren(
        this=exp.Case(ifs=[exp.If(this=exact, true=wrapped.copy())], default=instead(wrapped.copy()))
    )
