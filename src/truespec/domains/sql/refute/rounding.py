"""Whether a difference rests on rounding, which the contract leaves out: arithmetic is exact.

The engines round what a division or an average yields: MariaDB to four more digits, the others to sixteen
or so. Where numbers may be binary, as in SQLite, beside columns, casts, literals and functions of floating
point, every operation may round: its result counts as exact only where it is a whole number of small parts
and below 2^53, and a literal beyond 2^53 does not count as exact at all. What an engine that keeps types
computes with integers alone is exact: there an integer division drops what it drops by its meaning. So are
sums of decimals, and decimals times integers. MONEY rounds to cents at each step: beside it no difference
counts where a product with a fraction or a quotient stands. Elsewhere one on a database counts in two cases.

1. Both queries still yield their results when evaluating an inexact quotient is made an error: none was
   evaluated.
2. Quotients stand only among the outputs of the outermost query, nothing there asks whether two numbers are
   equal, and neither result changes, but for small parts of its numbers, when the inexact quotients are moved
   a little: all up, all down, and every other one against those between. Where one is cut or compared just
   at a border, as one that ought to be 1 and comes out below it, some move changes the result.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.refute.check_constraints import parse
from truespec.domains.sql.schema import Kind, Schema

NUDGE = "0.0000001"
"""How far, relatively, an inexact result is moved."""
TOLERANCE = 1e-5
"""Numbers of the moved queries that are this close count as equal."""
MOVES = ((1, 1), (-1, -1), (1, -1), (-1, 1))
"""The ways of the inexact results that stand in even and in odd places."""
EXACT_DIGITS = 9
"""A result is exact when cutting it after so many digits changes nothing."""
BINARY_UNITS = 2**20
"""A binary number is exact when it is a whole number of such parts."""
BINARY_LIMIT = 2**53
"""Beyond it not all whole numbers are binary numbers, and integers may have turned into them."""
MAX_WEIGHT = 1_200
"""A query whose inexact operations have more nodes is not rewritten: each of them is written seven times."""
QUERY_WEIGHT = 40
"""What a subquery among them counts for: engines plan it anew at each place."""

_INEXACT: tuple[Any, ...] = (
    exp.Div,
    exp.Avg,
    exp.Pow,
    exp.Sqrt,
    exp.Cbrt,
    exp.Exp,
    exp.Ln,
    exp.Log,
    exp.Sin,
    exp.Cos,
    exp.Degrees,
    exp.Radians,
    exp.Stddev,
    exp.StddevPop,
    exp.StddevSamp,
    exp.Variance,
    exp.VariancePop,
    exp.Corr,
    exp.CovarPop,
    exp.CovarSamp,
    *(exp.RegrAvgx, exp.RegrAvgy, exp.RegrIntercept, exp.RegrR2, exp.RegrSlope, exp.RegrSxx),
    *(exp.RegrSxy, exp.RegrSyy, exp.Kurtosis, exp.Skewness),
    exp.PercentRank,
    exp.CumeDist,
    exp.Median,
    exp.PercentileCont,
)
_DOUBLE: tuple[Any, ...] = tuple(
    node for node in _INEXACT if node not in (exp.Div, exp.Avg, exp.PercentRank, exp.CumeDist)
)
"""Functions of floating point."""
_NAMED = frozenset(
    {
        *("ACOS", "ACOSH", "ASIN", "ASINH", "ATAN", "ATAN2", "ATANH", "CBRT", "COS"),
        *("COSH", "COT", "DEGREES", "EXP", "LN", "LOG", "LOG10", "LOG2", "PI"),
        *("ENTROPY", "FAVG", "FDIV", "FSUM", "GEOMEAN", "GEOMETRIC_MEAN", "KAHAN_SUM", "KURTOSIS", "MAD"),
        *("PRODUCT", "REGR_AVGX", "REGR_AVGY", "REGR_INTERCEPT", "REGR_R2", "REGR_SLOPE", "REGR_SXX"),
        *("REGR_SXY", "REGR_SYY", "SKEWNESS", "SUMKAHAN"),
        *("POW", "POWER", "RADIANS", "RAND", "RANDOM", "SIN", "SINH", "SQRT", "TAN", "TANH"),
    }
)
"""The same, and more, where the parser leaves a function its name."""
_ARITHMETIC: tuple[Any, ...] = (exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.Sum, exp.Round, exp.IntDiv)
_INTEGERS = frozenset({Kind.INT})
_DECIMALS = frozenset({Kind.INT, Kind.DECIMAL})
_MOMENTS = frozenset({Kind.DATE, Kind.DATETIME})
_MONEY = frozenset({exp.DataType.Type.MONEY, exp.DataType.Type.SMALLMONEY})
_EQUALITIES: tuple[Any, ...] = (
    exp.EQ,
    exp.NEQ,
    exp.In,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.Mod,
)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Which operations of two queries may round, and how their engine computes."""

    dialect: str
    """The dialect of both."""
    binary: bool
    """Whether numbers may be binary: a fraction is exact only if its denominator is a power of two."""
    nodes: tuple[Any, ...]
    """The kinds of operations that may round."""
    whole: frozenset[str]
    """Names that can only mean columns of whole numbers."""
    decimal: frozenset[str]
    """Names that can only mean columns of whole numbers or of decimals."""
    moments: frozenset[str]
    """Names that can only mean columns of days or moments, whose sums and differences are no fractions."""
    in_cents: bool
    """Whether amounts of MONEY are computed with, which round at each step and cannot be moved a little."""

    @classmethod
    def of(cls, trees: Sequence[exp.Expr], schema: Schema) -> Arithmetic:
        """What the schema and both queries call for."""
        literals = [node for tree in trees for node in tree.find_all(exp.Literal) if not node.is_string]
        checks = [
            tree for table in schema.tables for text in table.checks if (tree := parse(text, schema.dialect))
        ]
        literals += [node for tree in checks for node in tree.find_all(exp.Literal) if not node.is_string]
        doubles = (
            any(column.type.kind is Kind.FLOAT for table in schema.tables for column in table.columns)
            or any(_is_double(node) for tree in (*trees, *checks) for node in tree.walk())
            or any("e" in literal.name.lower() for literal in literals)
        )
        dialect = DIALECTS[schema.dialect]
        by_division = dialect.divides_in_binary and not dialect.computes_in_binary
        divided = by_division and any(tree.find(*_INEXACT) is not None for tree in trees)
        everywhere = dialect.computes_in_binary or doubles or divided
        # In SQLite without fractions, only numbers that are too large stop being integers.
        computed = doubles or divided or any(map(_is_fraction, literals))
        nodes = _INEXACT + _ARITHMETIC if everywhere and computed else _INEXACT
        if dialect.computes_in_binary:
            nodes += (exp.Mul,)
        binary = everywhere or dialect.divides_in_binary
        # In SQLite an integer that grows too large becomes a binary number; elsewhere it is an error.
        none = frozenset[str]()
        whole = none if dialect.computes_in_binary else _columns_of(_INTEGERS, trees, schema)
        decimal = none if dialect.computes_in_binary else _columns_of(_DECIMALS, trees, schema)
        moments = _columns_of(_MOMENTS, trees, schema) if dialect.moments_differ_by_spans else none
        in_cents = any(_names_money(tree, schema) for tree in trees)
        return cls(schema.dialect, binary, tuple(dict.fromkeys(nodes)), whole, decimal, moments, in_cents)

    def sites(self, tree: exp.Expr) -> list[exp.Expr]:
        """The operations and literals that may not be exact, the outermost first."""
        return [node for node in tree.walk(bfs=True) if self._may_round(node)]

    def _may_round(self, node: exp.Expr) -> bool:
        if self.in_cents and isinstance(node, exp.Mul):
            return not (self._is_whole(node.this) or self._is_whole(node.expression))
        if isinstance(node, self.nodes) or _is_double(node):
            return not (isinstance(node, _ARITHMETIC) and self._is_exact(node))
        return self.binary and isinstance(node, exp.Literal) and not node.is_string and _is_large(node)

    def _is_exact(self, node: Any) -> bool:
        return self._is_whole(node) or self._is_decimal(node) or self._moves(node)

    def _is_whole(self, node: Any) -> bool:
        """Whether an engine that keeps types computes this with integers alone: nothing there rounds."""
        match node:
            case exp.Literal():
                return not node.is_string and node.name.isdigit() and not _is_large(node)
            case exp.Column():
                return node.name.lower() in self.whole
            case exp.Mul() | exp.IntDiv() | exp.Mod():
                return self._is_whole(node.this) and self._is_whole(node.expression)
        return _passes_on(node, self._is_whole)

    def _is_decimal(self, node: Any) -> bool:
        """Whether an engine that keeps types computes this with decimals: it has as many digits as it takes.

        A product of two decimals would have the digits of both, of which an engine may keep some only.
        """
        match node:
            case exp.Literal():
                plain = re.fullmatch(r"[\d.]+", node.name) is not None
                return bool(self.decimal) and not node.is_string and plain
            case exp.Column():
                return node.name.lower() in self.decimal
            case exp.Mul():
                factors = (node.this, node.expression)
                return all(map(self._is_decimal, factors)) and any(map(self._is_whole, factors))
        return _passes_on(node, self._is_decimal)

    def _moves(self, node: exp.Expr) -> bool:
        """Whether this is a sum or difference of a day or a moment: a day, a moment, a span or whole days."""
        if not isinstance(node, exp.Add | exp.Sub):
            return False
        if isinstance(node.expression.unnest(), exp.Interval):
            return True
        return self._is_moment(node.this.unnest()) or self._is_moment(node.expression.unnest())

    def _is_moment(self, node: exp.Expr) -> bool:
        if isinstance(node, exp.Add | exp.Sub):
            return self._is_moment(node.this.unnest()) and isinstance(node.expression, exp.Interval)
        if isinstance(node, exp.Cast):
            return bool(self.moments) and node.to.this in exp.DataType.TEMPORAL_TYPES
        return isinstance(node, exp.Column) and node.name.lower() in self.moments

    def is_inexact(self, tree: exp.Expr) -> bool:
        """Whether a query holds an operation that may round."""
        return any(map(self._may_round, tree.walk()))

    def only_shown(self, tree: exp.Expr) -> bool:
        """Whether inexact results stand only among the outermost query's outputs, and meet no equality."""
        if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
            return False
        for site in self.sites(tree):
            around: Any = site
            while around.parent is not None and around.parent is not tree:
                around = around.parent
                if isinstance(around, (exp.Query, *_EQUALITIES)):
                    return False
            if around.arg_key != "expressions":
                return False
        return True

    def moved(self, tree: exp.Expr, ways: tuple[int, int]) -> str | None:
        """The query with every inexact result moved, in turn the one way and the other; None where that
        cannot be written."""
        places = itertools.cycle(ways)

        def times(exact: exp.Expr, value: exp.Expr, _: exp.Expr) -> exp.Expr:
            factor = exp.Literal.number(str(1 + next(places) * Decimal(NUDGE)))
            by = exp.Case(ifs=[exp.If(this=exact, true=exp.Literal.number(1))], default=factor)
            return exp.Mul(this=value, expression=exp.Paren(this=by))

        return self._rewritten(tree, times)

    def refusing_inexact(self, tree: exp.Expr) -> str | None:
        """The query with a run-time error for every inexact result; None where that cannot be written."""

        def refuse(exact: exp.Expr, value: exp.Expr, plain: exp.Expr) -> exp.Expr:
            failing = DIALECTS[self.dialect].failing(plain)
            return exp.Case(ifs=[exp.If(this=exact, true=value)], default=failing)

        return self._rewritten(tree, refuse)

    def too_large(self, tree: exp.Expr) -> exp.Expr | None:
        """The outermost operation that may round of a query that is not rewritten for its size."""
        sites = [_whole(node) for node in self.sites(tree)]
        size = sum(_weight(site) for site in sites)
        return max(sites, key=_weight) if size > MAX_WEIGHT else None

    def _rewritten(
        self, tree: exp.Expr, instead: Callable[[exp.Expr, exp.Expr, exp.Expr], exp.Expr]
    ) -> str | None:
        """The query with each operation that may round put into `instead`.

        That is given whether the result is exact, the operation with those in it put in their places, and
        the operation as it was written, which alone is what the question of exactness repeats: the text
        grows by as many copies an operation, not by as many times for each that stands around another.
        """
        if self.too_large(tree) is not None:
            return None
        copy = tree.copy()
        sites = [_whole(node) for node in self.sites(copy)]
        written = [exp.Paren(this=site.copy()) for site in sites]
        # Breadth first: the innermost come first.
        for site, plain in zip(reversed(sites), reversed(written), strict=True):
            value = exp.Paren(this=site.copy())
            site.replace(exp.Paren(this=instead(self._exact(plain), value, plain.copy())))
        try:
            return copy.sql(self.dialect, copy=False)
        except Exception:  # a generator's own limits
            return None

    def _exact(self, value: exp.Expr) -> exp.Expr:
        """That a result is exact."""
        exact = _is_cut(value, self.dialect)
        if not self.binary:
            return exact
        number = DIALECTS[self.dialect].to_exact_digits(value.copy())
        scaled = exp.Mul(this=number, expression=exp.Literal.number(BINARY_UNITS))
        whole = exp.Anonymous(this="ROUND", expressions=[scaled.copy(), exp.Literal.number(0)])
        size = exp.Abs(this=value.copy())
        small = exp.LT(this=size, expression=exp.Literal.number(BINARY_LIMIT))
        return exp.and_(small, exact, exp.EQ(this=whole, expression=exp.Paren(this=scaled)))


def _passes_on(node: Any, of_type: Callable[[Any], bool]) -> bool:
    """Whether an operation yields a number of a type where all that it takes are: sums, and choices."""
    match node:
        case exp.Count() | exp.Null():
            return True
        case exp.Paren() | exp.Neg() | exp.Abs() | exp.Sum() | exp.Min() | exp.Max():
            return of_type(node.this)
        case exp.Add() | exp.Sub():
            return of_type(node.this) and of_type(node.expression)
        case exp.Case():
            parts = [branch.args["true"] for branch in node.args["ifs"]]
            return all(map(of_type, [*parts, node.args.get("default") or exp.Null()]))
        case exp.Coalesce():
            return all(map(of_type, [node.this, *node.expressions]))
    return False


def _whole(node: Any) -> Any:
    """The operation with the window or the filter that belongs to it."""
    site = node
    while (
        isinstance(site.parent, exp.Window | exp.Filter | exp.IgnoreNulls | exp.WithinGroup)
        and site.arg_key == "this"
    ):
        site = site.parent
    return site


def _weight(site: Any) -> int:
    """What an engine has to plan for one more copy: the nodes, and much for each subquery."""
    return sum(QUERY_WEIGHT if isinstance(node, exp.Select) else 1 for node in site.walk())


def _columns_of(kinds: frozenset[Kind], trees: Sequence[exp.Expr], schema: Schema) -> frozenset[str]:
    """The names of columns of these kinds that are no names of anything else; none beside set operations.

    A column of a set operation has a name of its first side, and values of all.
    """
    if any(tree.find(exp.SetOperation) for tree in trees):
        return frozenset()
    found: set[str] = set()
    others: set[str] = set()
    for table in schema.tables:
        for column in table.columns:
            (found if column.type.kind in kinds else others).add(column.name.lower())
    for tree in trees:
        others |= {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
        for table_alias in tree.find_all(exp.TableAlias):
            others |= {column.name.lower() for column in table_alias.columns}
        others |= {table.alias_or_name.lower() for table in tree.find_all(exp.Table, exp.Subquery)}
    return frozenset(found - others)


def _names_money(tree: exp.Expr, schema: Schema) -> bool:
    """Whether a query names a column of MONEY, or makes such amounts."""
    names = {
        column.name.lower()
        for table in schema.tables
        for column in table.columns
        if column.type.sql.upper().startswith("MONEY")
    }
    made = any(cast.to.this in _MONEY for cast in tree.find_all(exp.Cast))
    return made or any(str(column.name).lower() in names for column in tree.find_all(exp.Column))


def _is_double(node: exp.Expr) -> bool:
    """Whether an operation yields a number of floating point."""
    if isinstance(node, exp.Cast):
        return node.to.this in exp.DataType.FLOAT_TYPES
    if isinstance(node, exp.Anonymous):
        return str(node.this).upper() in _NAMED
    return isinstance(node, _DOUBLE)


def _is_large(node: exp.Literal) -> bool:
    """Whether a number is so large that not all its neighbours are binary numbers."""
    try:
        return not abs(Decimal(str(node.name))) < BINARY_LIMIT
    except ArithmeticError:
        return True


def _is_fraction(node: exp.Literal) -> bool:
    """Whether a number has no exact binary form."""
    try:
        number = Decimal(str(node.name)) * BINARY_UNITS
    except ArithmeticError:
        return True
    return not number.is_finite() or abs(number) > 2**53 or number != int(number)


def _is_cut(wrapped: exp.Expr, dialect: str) -> exp.Expr:
    """That cutting a number after a few digits changes nothing."""
    cut = DIALECTS[dialect].cut_to_digits(wrapped.copy(), exp.Literal.number(EXACT_DIGITS))
    return exp.EQ(this=cut, expression=wrapped.copy())
