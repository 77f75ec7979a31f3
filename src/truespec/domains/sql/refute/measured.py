"""Lists by their length, which no order of the rows changes.

GROUP_CONCAT without an order may put out the same values in any order, so that two results that differ say
little. Where the lists among the outputs differ in length as well, they differ whatever the order: equal
results would have equal lengths. Queries are compared so where the lists stand among the outputs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

LISTS = (exp.GroupConcat, exp.ArrayAgg)
"""Aggregates that list values."""


def measured(trees: Sequence[exp.Expr], *, of_lists: bool) -> list[exp.Expr] | None:
    """The queries with the lengths of those outputs that are lists in either; None where there are none.

    `of_lists`: whether LENGTH measures lists as well as texts.
    """
    copies: list[Any] = [tree.copy() for tree in trees]
    for copy in copies:
        if not isinstance(copy, exp.Select) or copy.args.get("distinct") or copy.args.get("order"):
            return None
        if any(output.is_star for output in copy.expressions):
            return None
    if len({len(copy.expressions) for copy in copies}) != 1:
        return None
    places = {place for copy in copies for place, output in enumerate(copy.expressions) if _is_list(output)}
    if not places or not all(_lists(copy) <= places for copy in copies):
        return None
    kinds = {type(copy.expressions[place].unalias()) for copy in copies for place in places}
    if kinds - {exp.GroupConcat} and not of_lists:
        return None
    for copy in copies:
        for place in places:
            value = copy.expressions[place].unalias()
            value.replace(exp.Length(this=value.copy()))
    return copies


def _is_list(output: Any) -> bool:
    return isinstance(output.unalias(), LISTS)


def _lists(query: Any) -> set[int]:
    """The places of the outputs that hold a list; -1 for one elsewhere, or for a name of one."""
    found = {place for place, output in enumerate(query.expressions) if output.find(*LISTS) is not None}
    names = {str(query.expressions[place].alias).lower() for place in found} - {""}
    for key, part in query.args.items():
        if key == "expressions" or not isinstance(part, exp.Expr | list):
            continue
        for node in part if isinstance(part, list) else [part]:
            if node.find(*LISTS) is not None or any(
                str(c.name).lower() in names for c in node.find_all(exp.Column)
            ):
                found.add(-1)
    return found
