"""What the compiler reads of each kind of node: any other part of it is refused, never overlooked.

A new version of the parser may put meaning into a new field; a field that is not listed here makes the query
unsupported instead of misread.
"""

from __future__ import annotations

from sqlglot import exp

from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported

_PAIR = frozenset({"this", "expression"})
_QUERY = frozenset({"with_", "order", "limit", "offset"})
_READ: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        words(
            """
            Add And Sub Mul Div Mod IntDiv EQ NEQ LT LTE GT GTE Or Xor NullSafeEQ NullSafeNEQ Nullif
            Pow DPipe
            """
        ),
        _PAIR | {"typed", "safe"},
    ),
    **dict.fromkeys(
        words(
            """
            Paren Not Neg Null Boolean Having Where From Sum Avg Min Max Year Month Day DayOfMonth
            TsOrDsToTimestamp All Any Abs Floor Ceil Date AnyValue Stddev StddevPop StddevSamp
            Variance VariancePop IgnoreNulls
            LogicalAnd LogicalOr BitwiseAndAgg BitwiseOrAgg BitwiseXorAgg
            """
        ),
        frozenset({"this"}),
    ),
    "TsOrDsToDate": frozenset({"this", "safe"}),
    "Is": _PAIR | {"negate"},
    "Like": _PAIR | {"negate"},
    "ILike": _PAIR | {"negate"},
    **dict.fromkeys(("RegexpLike", "StartsWith", "EndsWith", "Contains", "Glob", "Right"), _PAIR),
    "In": frozenset({"this", "expressions", "query"}),
    "Between": frozenset({"this", "low", "high"}),
    "Exists": frozenset({"this"}),
    "Cast": frozenset({"this", "to"}),
    "Count": frozenset({"this", "expressions", "big_int"}),
    "Window": frozenset({"this", "partition_by", "order", "spec", "over", "alias"}),
    "WindowSpec": frozenset({"kind", "start", "start_side", "end", "end_side"}),
    "Filter": _PAIR,
    "Case": frozenset({"this", "ifs", "default"}),
    "If": frozenset({"this", "true", "false"}),
    "Coalesce": frozenset({"this", "expressions", "is_nvl", "is_null"}),
    "Round": frozenset({"this", "decimals", "casts_non_integer_decimals"}),
    "DateDiff": _PAIR | {"unit", "date_part_boundary", "big_int"},
    "TimestampDiff": _PAIR | {"unit"},
    "DateAdd": _PAIR | {"unit"},
    "DateSub": _PAIR | {"unit"},
    "Extract": _PAIR,
    "TimestampTrunc": frozenset({"this", "unit"}),
    "TimeToStr": frozenset({"this", "format"}),
    "Left": _PAIR | {"negative_length_returns_empty"},
    "Column": frozenset({"this", "table", "db", "catalog"}),
    "Literal": frozenset({"this", "is_string"}),
    **dict.fromkeys(("Overlaps", "ArrayOverlaps"), _PAIR),
    "Interval": frozenset({"this", "unit"}),
    "Ordered": frozenset({"this", "desc", "nulls_first"}),
    "Order": frozenset({"this", "expressions"}),
    "Group": frozenset({"expressions", "grouping_sets", "cube", "rollup", "totals", "all"}),
    "Join": frozenset({"this", "on", "side", "kind", "using", "method"}),
    "Table": frozenset({"this", "alias", "db", "catalog", "joins"}),
    "Subquery": _QUERY | {"this", "alias", "joins"},
    "Select": _QUERY
    | {"expressions", "distinct", "from_", "joins", "where", "group", "having", "qualify", "windows"},
    "Qualify": frozenset({"this"}),
    "Lateral": frozenset({"this", "alias", "view", "outer"}),
    "Union": _QUERY | _PAIR | {"distinct", "by_name"},
    "Except": _QUERY | _PAIR | {"distinct"},
    "Intersect": _QUERY | _PAIR | {"distinct"},
    "CTE": frozenset({"this", "alias", "materialized"}),
    "With": frozenset({"expressions", "recursive"}),
    "TableAlias": frozenset({"this", "columns"}),
    "Limit": frozenset({"expression"}),
    "Offset": frozenset({"expression"}),
    "Fetch": frozenset({"direction", "count", "limit_options"}),
    "Values": frozenset({"expressions", "alias"}),
    "Distinct": frozenset({"expressions", "on"}),
    "Alias": frozenset({"this", "alias"}),
    "Tuple": frozenset({"expressions"}),
    "Rank": frozenset(),
    "DenseRank": frozenset(),
    "RowNumber": frozenset(),
    "PercentRank": frozenset(),
    "CumeDist": frozenset(),
    "NthValue": frozenset({"this", "offset"}),
    "Ntile": frozenset({"this"}),
    "GroupConcat": frozenset({"this", "separator"}),
    "Median": frozenset({"this"}),
    "PercentileCont": _PAIR,
    "PercentileDisc": _PAIR,
    "WithinGroup": _PAIR,
    **dict.fromkeys(("Sign", "Mode", "First", "Last", "ArrayAgg", "JSONArrayAgg"), frozenset({"this"})),
    **dict.fromkeys(("ArgMax", "ArgMin", "Corr", "CovarPop", "CovarSamp"), _PAIR),
    **dict.fromkeys(("RegrSlope", "RegrIntercept", "RegrR2"), _PAIR),
    "Greatest": frozenset({"this", "expressions", "ignore_nulls"}),
    "Least": frozenset({"this", "expressions", "ignore_nulls"}),
    "LastDay": frozenset({"this", "unit"}),
    "Identifier": frozenset({"this", "quoted"}),
}


def check_readable(tree: exp.Expr) -> None:
    """Raise `Unsupported` for a part of a node that the compiler would overlook."""
    for node in tree.walk(bfs=True):
        read = _READ.get(type(node).__name__)
        if read is None:
            continue  # the compiler refuses what it has no reading for
        for key, part in node.args.items():
            if key not in read and part not in (None, False, [], ""):
                seen = node.sql(comments=False)[:60]
                what = f"sql: {key.rstrip('_').upper()} of {type(node).__name__} in {seen!r}"
                raise Unsupported(what, place_of(part) or place_of(node))
