"""Wrong rules planted in the SQL prover: execution on random databases finds each of them out.

The harness proves pairs that differ by a slip, and runs what was proved on SQLite, where texts of MySQL mean
the same but for what they choose. With the rules as they are nothing proved differs; with any one of them
spoiled, something does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import z3

from power.sql_slips import slips, wrongly_proved
from truespec.domains.sql import rules
from truespec.domains.sql.aggregates.table import AggregateTable
from truespec.domains.sql.compile import classes, joins
from truespec.domains.sql.compile.expr import conditions, texts
from truespec.domains.sql.ir import bags, comparisons
from truespec.domains.sql.ir.existence import exists
from truespec.domains.sql.ir.keys import reduced
from truespec.domains.sql.ir.kinds import BOOL
from truespec.domains.sql.ir.logic import FALSE, conj, neg
from truespec.domains.sql.ir.symbols import constants
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.prove.prover import Prover
from truespec.domains.sql.rules import (
    aggregate_axioms,
    alike_runs,
    alike_ties,
    any_order,
    carried_columns,
    choices,
    closures,
    counted_across,
    counted_before,
    counted_image,
    counted_last,
    counted_subset,
    covering_row,
    determined_keys,
    difference_of_counts,
    distinct_of_unique,
    empty_terms,
    ended_recursion,
    extreme_of_set,
    few_values,
    filled_group,
    first_exists,
    first_rows,
    flags,
    frame_rows,
    further_rows,
    greatest_counts,
    group_determined,
    independent_factors,
    joined_or_not,
    kept_in_rounds,
    key_cases,
    known_arguments,
    known_flags,
    known_values,
    later_start,
    least_rows,
    listed_extremes,
    listed_groups,
    looked_up_rows,
    many_choices,
    middle_values,
    optional_partner,
    ordered_pairs,
    other_constants,
    rebased_series,
    rounding,
    rounds_apart,
    rows_between,
    rows_of_recursion,
    run_keys,
    run_lengths,
    running_totals,
    runs,
    same_classes,
    same_recursion,
    settled_value,
    signed_sums,
    split_bounds,
    sum_laws,
    taken_places,
    tied_numbers,
    tied_rows,
    told_elsewhere,
    walk_links,
    walks,
    whole_and_parts,
)

Plant = Callable[[pytest.MonkeyPatch], None]


def always_unique(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(distinct_of_unique, "_unique", lambda world, part: True)


def never_duplicates(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Prover, "_free_of_duplicates", lambda self, terms, given: True)


def containment_one_way(patch: pytest.MonkeyPatch) -> None:
    real = Prover._contained

    def either(self: Any, one: Any, two: Any, given: Any) -> bool:
        return real(self, one, two, given) or real(self, two, one, given)

    patch.setattr(Prover, "_contained", either)


def null_is_false(patch: pytest.MonkeyPatch) -> None:
    def negated(value: Val) -> Val:
        return Val(z3.BoolVal(False), neg(where_true(value)), BOOL)

    for module in (comparisons, conditions, texts):
        patch.setattr(module, "logical_not", negated)


def sums_are_never_null(patch: pytest.MonkeyPatch) -> None:
    real = AggregateTable.sum
    patch.setattr(AggregateTable, "sum", lambda self, b: replace(real(self, b), null=z3.BoolVal(False)))


def nulls_are_summed(patch: pytest.MonkeyPatch) -> None:
    def filled(self: Any, b: bags.Bag) -> bags.Bag:
        return bags.Bag(
            tuple(replace(t, outs=(replace(t.outs[0], null=z3.BoolVal(False)),)) for t in b.terms)
        )

    patch.setattr(AggregateTable, "filled", filled)


def factors_vanish(patch: pytest.MonkeyPatch) -> None:
    real = independent_factors.of
    patch.setattr(independent_factors, "of", lambda term, value=None: real(term, value)[:1])


def coefficients_vanish(patch: pytest.MonkeyPatch) -> None:
    real = sum_laws.split

    def split(aggregates: Any, term: Any, value: Any) -> Any:
        while z3.is_mul(value) and z3.is_int_value(value.arg(0)):
            value = value.arg(1)
        return real(aggregates, term, value)

    patch.setattr(sum_laws, "split", split)


def orders_are_total(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(first_rows, "total", lambda world, bag: True)


def parts_count_by_their_images(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counted_subset, "_one_to_one", lambda world, inner, image: True)


def a_row_shares_its_image_with_itself(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counted_image, "same_choice", lambda whole, copy: z3.BoolVal(False))


def cases_overlap(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(key_cases, "neg", lambda case: z3.BoolVal(True))


def rows_are_always_there(patch: pytest.MonkeyPatch) -> None:
    real = first_exists.of

    def of(aggregates: Any, first: Any, among: Any, value: Any, place: Any) -> Any:
        return real(aggregates, first, bags.Bag((bags.Term((), (), z3.BoolVal(True), ()),)), value, 1)

    patch.setattr(first_exists, "of", of)


def sets_are_covered(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(covering_row, "_covered", lambda world, base, part: True)


def columns_tell_rows_apart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(covering_row, "one_to_one", lambda world, base: True)


def no_group_is_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(known_values, "_known", lambda group, column: not z3.is_false(group.values[column].null))


def bounds_are_exclusive(patch: pytest.MonkeyPatch) -> None:
    real = split_bounds.of

    def of(world: Any, term: Any) -> Any:
        found = real(world, term)
        return found and (replace(found[0], cond=z3.BoolVal(False)), found[1])

    patch.setattr(split_bounds, "of", of)


def determined_groups_always_exist(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(group_determined, "group_formula", lambda world, group: z3.BoolVal(True))


def least_is_greatest(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(aggregate_axioms, "_extreme", lambda world, symbol, value: z3.BoolVal(False))


def sums_do_not_count(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(extreme_of_set, "FUNCTIONS", ("MIN", "MAX", "SUM"))


def recursions_that_begin_alike_are_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(same_recursion, "apply", lambda old, new, image, same: same(old.first, new.first))


def paths_that_begin_alike_are_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(closures, "_grows_at_end", lambda world, one, same: True)


def outer_joins_are_inner(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(joins, "join", _without_side(joins.join))


def _without_side(real: Callable[..., Any]) -> Callable[..., Any]:
    def join(self: Any, left: Any, node: Any, parent: Any) -> Any:
        inner = node.copy()
        inner.set("side", None)
        return real(self, left, inner, parent)

    return join


def nullable_keys_are_never_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(World, "column", _never_null(World.column))


def _never_null(real: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, table, column, row: replace(real(self, table, column, row), null=z3.BoolVal(False))


def conditions_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(known_flags, "_rewritten", lambda world, part, units: z3.substitute(part, *units))


def partners_are_always_found(patch: pytest.MonkeyPatch) -> None:
    def apply(world: Any, one: Any, two: Any) -> Any:
        partner = reduced(world, two)
        if partner.rows or partner.groups:
            return None
        return replace(one, outs=one.outs + partner.outs)

    patch.setattr(optional_partner, "apply", apply)


def the_first_case_settles_the_value(patch: pytest.MonkeyPatch) -> None:
    real = settled_value.of
    patch.setattr(settled_value, "of", lambda terms: real(terms[:1]))


def all_numbers_are_whole(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rounding, "scale_of", lambda world, aggregates, value: 0)


def dependent_arguments_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    def told(term: Any, keys: Any, names: set[str]) -> Any:
        kept = (part for part in bags.conjuncts(term.cond) if not constants(part) & names)
        return replace(term, cond=conj(*kept))

    patch.setattr(known_arguments, "_rewritten", told)


def any_part_is_part_of_any_whole(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(whole_and_parts, "_lies_in", lambda world, part, whole, given: True)


def the_last_value_is_not_listed(patch: pytest.MonkeyPatch) -> None:
    real = listed_groups._leaves_of
    patch.setattr(listed_groups, "_leaves_of", lambda group, index: (real(group, index) or [])[:2] or None)


def only_the_other_constants_occur(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(other_constants, "_none_of", lambda tests: z3.BoolVal(False))


def other_keys_tell_the_same_rows_apart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(same_classes, "_same_pairs", lambda world, both, width, given: True)


def only_the_first_value_counts(patch: pytest.MonkeyPatch) -> None:
    real = few_values._listed
    patch.setattr(few_values, "_listed", lambda part: (real(part) or [])[:1] or None)


def groups_depend_on_what_stands_beside_them(patch: pytest.MonkeyPatch) -> None:
    for module in (bags, sum_laws):
        patch.setattr(module, "dependent", lambda term, groups=None: False)


def choices_from_different_tuples_are_alike(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(choices, "_tuples", lambda members, columns: bags.Bag(()))


def columns_are_chosen_apart(patch: pytest.MonkeyPatch) -> None:
    real = choices._tuples
    patch.setattr(choices, "_tuples", lambda members, columns: real(members, columns[-1:]))


def a_subquery_chooses_once(patch: pytest.MonkeyPatch) -> None:
    real = choices.choose

    def chosen(aggregates: Any, operator: Any, *rest: Any, **named: Any) -> Val:
        return real(aggregates, replace(operator, outer=()), *rest, **named)

    patch.setattr(choices, "choose", chosen)


def lists_are_sets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(choices, "_of_rows", lambda function: True)


def places_do_not_count(patch: pytest.MonkeyPatch) -> None:
    real = tied_rows.kept
    patch.setattr(tied_rows, "kept", lambda a, bag, width, sorts, limit: real(a, bag, width, sorts, (1, 0)))


def frames_hold_one_row_each(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(frame_rows, "_single", lambda world, term: True)


def any_further_row_is_one(patch: pytest.MonkeyPatch) -> None:
    stated = further_rows.of

    def of(left: Any, right: Any) -> Any:
        for one, (other,) in stated(left, right):
            shown = {out.val.get_id() for out in other.outs}
            kept = tuple((row, table) for row, table in other.rows if row.get_id() in shown)
            hidden = [row for row, _ in other.rows if row.get_id() not in shown]
            yield one, [replace(other, rows=kept, cond=z3.Exists(hidden, other.cond))]

    patch.setattr(further_rows, "of", of)


def all_counts_are_of_later_rows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counted_last, "_ordered", lambda world, whole, after: True)


def nothing_is_ever_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(empty_terms, "of", lambda world, term: True)


def all_sums_are_positive(patch: pytest.MonkeyPatch) -> None:
    def of(world: Any, symbol: Any) -> Any:
        total = symbol.apply(symbol.formals)
        formals = list(symbol.formals)
        return z3.ForAll(formals, total > 0, patterns=[total]) if formals else total > 0

    patch.setattr(signed_sums, "of", of)


def choices_are_always_different(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(many_choices, "same_choice", lambda one, copy: FALSE)


def all_numbers_are_flags(patch: pytest.MonkeyPatch) -> None:
    def proved(aggregates: Any, name: str) -> Any:
        tables = aggregates.world.schema.tables
        named = {f"column {t.name}.{c.name}": (t, c) for t in tables for c in t.columns}
        return named.get(name)

    patch.setattr(flags, "_proved", proved)


def the_first_key_decides_the_group(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(determined_keys, "telling", lambda world, keyed: [0])


def no_rows_tie(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tied_numbers, "place", lambda aggregates, own, peer: z3.IntVal(0))


def both_orders_are_alike(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ordered_pairs, "distinct", lambda aggregates, bag: bags.Bag(bag.terms[:1]))


def all_places_are_in_the_middle(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(middle_values, "_is_middle", lambda *_: True)


def each_literal_is_there(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(listed_extremes, "exists", lambda world, bag: z3.BoolVal(True))


def anything_is_an_order(patch: pytest.MonkeyPatch) -> None:
    real = least_rows.of

    def of(world: Any, first: Any) -> Any:
        with patch.context() as trusting:
            trusting.setattr(world, "holds", lambda *_: True)
            return real(world, first)

    patch.setattr(least_rows, "of", of)


def no_number_is_missing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rows_between, "_all_follow", lambda *_: z3.BoolVal(True))


def all_rows_are_counted_since(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counted_before, "neg", lambda formula: z3.BoolVal(True))


def each_row_is_before_all_rows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(counted_across, "_before", lambda *_: z3.BoolVal(True))
    patch.setattr(counted_across, "_grows", lambda *_: True)


def no_round_adds_a_row(patch: pytest.MonkeyPatch) -> None:
    real = ended_recursion.applied
    patch.setattr(ended_recursion, "applied", lambda *parts: replace(real(*parts), cond=FALSE))


def all_columns_are_carried_along(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(carried_columns, "carried", lambda rounds, step: [0, 1])


def each_greatest_count_is_0(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(greatest_counts, "exists", lambda world, bag: z3.BoolVal(False))


def a_part_leaves_nothing_of_a_whole(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(difference_of_counts, "rest_of", lambda *_: z3.IntVal(0))


def columns_that_are_one_are_any(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(group_determined, "is_tuple", lambda values, outs: z3.BoolVal(True))


def no_number_comes_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runs, "one_to_one", lambda aggregates, rows, place: True)


def no_aggregate_of_a_group_is_null(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(filled_group, "of", lambda value, member: replace(value, null=FALSE))


def rows_that_tie_are_alike(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(alike_ties, "agree", lambda world, term, partition, keys, shown: True)


def any_columns_are_keys(patch: pytest.MonkeyPatch) -> None:
    for part in ("_holds_key", "_one_to_one"):
        patch.setattr(looked_up_rows, part, lambda world, base, *_: True)


def all_that_is_told_is_told_elsewhere(patch: pytest.MonkeyPatch) -> None:
    def elsewhere(outs: Any, name: str, equal: Any) -> Any:
        return [pair for out in outs[1:] for pair in ((out.val, outs[0].val), (out.null, outs[0].null))]

    patch.setattr(told_elsewhere, "_elsewhere", elsewhere)


def no_total_is_ever_reached(patch: pytest.MonkeyPatch) -> None:
    def of(aggregates: Any, total: Any) -> Any:
        symbol = total.symbol
        value = symbol.apply(symbol.formals)
        return [z3.ForAll(list(symbol.formals), value < total.limit.numerator, patterns=[value])]

    patch.setattr(running_totals, "of", of)


def all_rows_are_one_run(patch: pytest.MonkeyPatch) -> None:
    def begun(aggregates: Any, rows: Any, place: Any) -> Any:
        earlier = bags.renamed(aggregates.world, rows)
        sooner = conj(earlier.cond, earlier.outs[0].val < rows.outs[0].val)
        some = exists(aggregates.world, bags.Bag((replace(earlier, cond=sooner, outs=()),)))
        first = conj(rows.cond, z3.Not(rows.outs[0].val > place), neg(some))
        return aggregates.count(bags.Bag((replace(rows, cond=first, outs=()),)))

    patch.setattr(run_keys, "_begun", begun)


def any_rows_are_of_one_kind(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(alike_runs._Runs, "proved", lambda self, told: True)


def no_number_is_left_out(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(run_lengths, "exists", lambda world, bag: z3.BoolVal(True))


def all_places_are_taken(patch: pytest.MonkeyPatch) -> None:
    real = taken_places.of

    def of(aggregates: Any, place: Any) -> Any:
        with patch.context() as trusting:
            trusting.setattr(aggregates.world, "holds", lambda *_: True)
            return real(aggregates, place)

    patch.setattr(taken_places, "of", of)


def no_round_meets_what_was_met(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rounds_apart, "of", lambda world, one: True)


def steps_keep_what_they_begin_with(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rows_of_recursion, "_common", lambda some, others: some)


def each_round_keeps_what_it_began_with(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kept_in_rounds, "_kept", lambda *_: True)


def the_first_round_counts_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(later_start, "of", lambda world, one, step: one)


def ties_are_in_the_order_of_their_keys(patch: pytest.MonkeyPatch) -> None:
    def place(aggregates: Any, term: Any) -> Any:
        ((row, table),) = term.rows
        key = aggregates.world.column(table, table.column("id"), row)
        return (replace(key, val=-key.val),)

    patch.setattr(any_order, "place", place)


def all_series_begin_alike(patch: pytest.MonkeyPatch) -> None:
    real = bags.substitute_term
    patch.setattr(
        rebased_series,
        "substitute_term",
        lambda term, pairs: real(term, [(old, moved.arg(0)) for old, moved in pairs]),
    )


def all_walks_are_one(patch: pytest.MonkeyPatch) -> None:
    seen = walk_links.Seen
    patch.setattr(walk_links, "_as_known", lambda world, old, links: seen(old, False, (0,)))


def walks_begin_at_any_column(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(walks, "_nodes", lambda world, step, term: iter([tuple(row for row, _ in term.rows)]))


def all_months_are_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(classes, "operands", lambda value: (z3.IntVal(1),))


def what_is_joined_is_put_out_anyway(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        joined_or_not,
        "_kept",
        lambda world, joined, alone, parts: [] if len(joined.rows) > len(alone.rows) else None,
    )


PLANTS: dict[Plant, str] = {
    any_further_row_is_one: "SELECT a, COUNT(*) FROM t WHERE b IN (SELECT sal FROM emp) GROUP BY a",
    all_walks_are_one: (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 FROM r "
        "JOIN emp e ON e.dept = r.i WHERE l < 12) SELECT i FROM r"
    ),
    walks_begin_at_any_column: (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE sal = 1 UNION ALL SELECT e.id, l + 1 FROM r "
        "JOIN emp e ON e.dept = r.i WHERE l < 12) SELECT i FROM r WHERE l > 0"
    ),
    all_months_are_one: (
        "WITH v(m) AS (VALUES (CAST('2024-01-01' AS DATE)), (CAST('2025-01-01' AS DATE)), "
        "(CAST('2026-01-01' AS DATE)), (CAST('2027-01-01' AS DATE))) SELECT m FROM v GROUP BY m"
    ),
    what_is_joined_is_put_out_anyway: (
        "WITH v(n) AS (VALUES (0), (1), (2), (3)) SELECT n FROM v LEFT JOIN t ON a = n "
        "WHERE c > 1 OR c IS NULL GROUP BY n"
    ),
    all_series_begin_alike: (
        "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r"
    ),
    any_rows_are_of_one_kind: (
        "SELECT dept, MIN(id) FROM (SELECT id, dept, ROW_NUMBER() OVER (ORDER BY id) - ROW_NUMBER() OVER "
        "(PARTITION BY sal ORDER BY id) AS g FROM emp WHERE sal IS NOT NULL) q GROUP BY dept, g"
    ),
    all_places_are_taken: (
        "SELECT MAX(c) IS NULL FROM t x WHERE (SELECT COUNT(*) FROM t y WHERE y.c > x.c) >= 1"
    ),
    no_round_meets_what_was_met: (
        "WITH RECURSIVE r(i) AS (SELECT dept FROM emp WHERE sal = 1 UNION ALL SELECT e.id FROM r JOIN emp e "
        "ON e.dept = r.i WHERE e.id > r.i) SELECT i FROM r"
    ),
    no_number_is_left_out: "SELECT dept, COUNT(*) FROM emp GROUP BY dept",
    ties_are_in_the_order_of_their_keys: "SELECT id, LAG(sal) OVER (ORDER BY dept) FROM emp",
    each_round_keeps_what_it_began_with: (
        "WITH RECURSIVE r(i, l) AS (SELECT id, 0 FROM emp WHERE dept IS NULL UNION ALL SELECT e.id, l - 1 "
        "FROM r JOIN emp e ON e.dept = r.i WHERE l > -9) SELECT i FROM r"
    ),
    the_first_round_counts_twice: (
        "WITH RECURSIVE r(i) AS (SELECT id FROM emp WHERE dept IS NULL UNION ALL SELECT e.id FROM r "
        "JOIN emp e ON e.dept = r.i) SELECT i FROM r"
    ),
    steps_keep_what_they_begin_with: (
        "WITH RECURSIVE r(i, d) AS (SELECT id, dept FROM emp WHERE sal = 1 UNION ALL SELECT r.i, e.dept "
        "FROM r JOIN emp e ON e.sal = r.d) SELECT i, d FROM r"
    ),
    all_rows_are_one_run: (
        "SELECT who, MIN(day) AS a FROM (SELECT who, day, ROW_NUMBER() OVER (PARTITION BY who ORDER BY day) "
        "- day AS run FROM seen) q GROUP BY who, run"
    ),
    no_total_is_ever_reached: (
        "SELECT id FROM (SELECT id, sal, SUM(sal) OVER (ORDER BY id) AS s FROM emp WHERE sal > 0) q "
        "WHERE s >= 2 AND s - sal < 2"
    ),
    rows_that_tie_are_alike: "SELECT id, ROW_NUMBER() OVER (ORDER BY sal) AS n FROM emp",
    any_columns_are_keys: "SELECT DISTINCT d.dname FROM emp e JOIN dept d ON d.id = e.dept",
    all_that_is_told_is_told_elsewhere: "SELECT DISTINCT x.a, y.b FROM t x JOIN t y ON x.c = y.c",
    all_numbers_are_flags: "SELECT SUM(c) FROM t",
    the_first_key_decides_the_group: "SELECT who, spent, COUNT(*) FROM visit GROUP BY who, spent",
    no_rows_tie: "SELECT a FROM (SELECT a, ROW_NUMBER() OVER (ORDER BY a) AS n FROM t) q WHERE n = 1",
    both_orders_are_alike: (
        "SELECT MIN(x.id, y.id) AS p, MAX(x.id, y.id) AS q FROM emp x JOIN emp y ON x.sal = y.code "
        "GROUP BY MIN(x.id, y.id), MAX(x.id, y.id)"
    ),
    all_places_are_in_the_middle: (
        "SELECT AVG(c) FROM (SELECT c, ROW_NUMBER() OVER (ORDER BY c) AS p, COUNT(*) OVER () AS n FROM t) q "
        "WHERE 2 * p BETWEEN n AND n + 2"
    ),
    each_literal_is_there: "SELECT MAX(CASE WHEN a > 1 THEN 1 ELSE 0 END) FROM t",
    anything_is_an_order: "SELECT c FROM t WHERE c = (SELECT MIN(c) FROM t)",
    choices_are_always_different: "SELECT what FROM seen GROUP BY what HAVING COUNT(*) >= 3",
    no_number_is_missing: (
        "SELECT who, MIN(day) AS a FROM (SELECT who, day, day - ROW_NUMBER() OVER "
        "(PARTITION BY who ORDER BY day) AS run FROM seen) q GROUP BY who, run"
    ),
    all_rows_are_counted_since: "SELECT id, LEAD(code) OVER (ORDER BY sal, id) FROM emp WHERE sal > 0",
    each_row_is_before_all_rows: (
        "SELECT id, LAG(id) OVER (ORDER BY n) FROM (SELECT id, RANK() OVER (ORDER BY id) AS n FROM emp) q"
    ),
    no_round_adds_a_row: (
        "WITH RECURSIVE r(n, l) AS (SELECT a, 0 FROM t UNION ALL SELECT n + 1, l + 1 FROM r WHERE l < 1) "
        "SELECT n FROM r"
    ),
    all_columns_are_carried_along: (
        "WITH RECURSIVE r(i, d) AS (SELECT id, dept FROM emp WHERE sal = 1 UNION ALL SELECT r.i, e.dept "
        "FROM r JOIN emp e ON e.sal = r.d) SELECT i, d FROM r"
    ),
    each_greatest_count_is_0: (
        "SELECT MAX(k) FROM (SELECT b, SUM(CASE WHEN a = 1 THEN 1 ELSE 0 END) AS k FROM t GROUP BY b) q"
    ),
    a_part_leaves_nothing_of_a_whole: (
        "SELECT a - b FROM (SELECT sal, ROW_NUMBER() OVER (ORDER BY id) AS a, ROW_NUMBER() OVER "
        "(PARTITION BY sal ORDER BY id) AS b FROM emp WHERE id > 0) q WHERE sal = 1 GROUP BY a - b"
    ),
    columns_that_are_one_are_any: "SELECT a, c FROM t GROUP BY a, b, c HAVING b = c",
    no_number_comes_twice: (
        "SELECT DISTINCT run FROM (SELECT n - RANK() OVER (ORDER BY n) AS run FROM plain "
        "WHERE n IS NOT NULL) q GROUP BY run HAVING COUNT(*) >= 3"
    ),
    frames_hold_one_row_each: (
        "SELECT id, LAG(sal) OVER w, SUM(sal) OVER (w ROWS 1 PRECEDING), "
        "(SELECT COUNT(*) FROM t WHERE NOT EXISTS "
        "(SELECT 1 FROM emp e WHERE e.sal = t.a)) FROM emp WINDOW w AS (ORDER BY id)"
    ),
    all_counts_are_of_later_rows: (
        "SELECT COUNT(*) FROM t x WHERE (SELECT COUNT(*) FROM t y WHERE y.c > x.c) < 2"
    ),
    nothing_is_ever_counted: "SELECT COUNT(*) FROM t x, t y",
    all_sums_are_positive: "SELECT a FROM t GROUP BY a HAVING SUM(c) > 0",
    no_aggregate_of_a_group_is_null: "SELECT a, SUM(b) FROM t GROUP BY a",
    lists_are_sets: "SELECT c, GROUP_CONCAT(a) FROM t GROUP BY c",
    places_do_not_count: "SELECT a FROM t ORDER BY a LIMIT 1 OFFSET 1",
    a_subquery_chooses_once: (
        "SELECT COUNT(DISTINCT q) > 1 FROM (SELECT x.a, (SELECT y.c FROM t y WHERE y.a = x.c AND "
        "y.b = 1 GROUP BY y.b) AS q FROM t x) z WHERE q IS NOT NULL"
    ),
    columns_are_chosen_apart: "SELECT c, b, a FROM t GROUP BY c",
    choices_from_different_tuples_are_alike: "SELECT c, MIN(a), b FROM t GROUP BY c",
    groups_depend_on_what_stands_beside_them: (
        "SELECT CASE WHEN k = 2 THEN s % 2 ELSE 0 END FROM (SELECT COUNT(*) AS k, SUM(n) AS s FROM "
        "(SELECT a, COUNT(DISTINCT c) AS n FROM t GROUP BY a) p) q"
    ),
    dependent_arguments_are_forgotten: (
        "SELECT x.c, (SELECT COUNT(*) FROM t y WHERE y.b = x.c AND y.c > x.c + 1) FROM t x GROUP BY x.c"
    ),
    any_part_is_part_of_any_whole: "SELECT COUNT(d.id) FROM emp e LEFT JOIN dept d ON d.id = e.dept",
    the_last_value_is_not_listed: (
        "SELECT CASE WHEN c > 2 THEN 'x' WHEN c > 1 THEN 'y' ELSE 'z' END AS k, COUNT(*) FROM t GROUP BY k"
    ),
    only_the_other_constants_occur: "SELECT c, COUNT(*) AS n FROM t GROUP BY c",
    other_keys_tell_the_same_rows_apart: "SELECT a FROM t GROUP BY a",
    only_the_first_value_counts: "SELECT a FROM t WHERE b IN (1, 2) GROUP BY a HAVING COUNT(DISTINCT b) = 1",
    conditions_are_forgotten: "SELECT a, COUNT(*) FROM t GROUP BY a",
    partners_are_always_found: "SELECT COUNT(d.id) FROM emp e LEFT JOIN dept d ON d.id = e.dept",
    the_first_case_settles_the_value: "SELECT MAX(x) FROM (SELECT 1 AS x UNION ALL SELECT 2) q",
    all_numbers_are_whole: "SELECT ROUND(a * 0.25, 1) FROM t",
    always_unique: "SELECT DISTINCT a FROM t",
    never_duplicates: "SELECT DISTINCT a FROM t",
    containment_one_way: "SELECT a, COUNT(*) FROM t GROUP BY a",
    null_is_false: "SELECT a FROM t WHERE a NOT IN (SELECT b FROM t)",
    sums_are_never_null: "SELECT SUM(a) FROM t",
    nulls_are_summed: "SELECT SUM(a + b) FROM t",
    factors_vanish: "SELECT COUNT(*) FROM t x, t y",
    coefficients_vanish: "SELECT SUM(3 * c) FROM t",
    orders_are_total: "SELECT a FROM t ORDER BY c LIMIT 1",
    parts_count_by_their_images: (
        "SELECT c FROM t WHERE (SELECT COUNT(*) FROM emp WHERE dept > 0) = "
        "(SELECT COUNT(*) FROM dept WHERE id > 0)"
    ),
    rows_are_always_there: "SELECT id, n FROM (SELECT id, LAG(sal) OVER (ORDER BY id) AS n FROM emp) q",
    a_row_shares_its_image_with_itself: "SELECT c FROM t GROUP BY c HAVING COUNT(a) > COUNT(DISTINCT a)",
    cases_overlap: "SELECT d.id FROM dept d JOIN t ON d.id IN (t.a, t.b)",
    sets_are_covered: "SELECT id FROM dept UNION SELECT sal FROM emp WHERE sal IS NOT NULL",
    columns_tell_rows_apart: "SELECT c FROM t WHERE a > 1 UNION SELECT c FROM t WHERE b > 1",
    no_group_is_null: "SELECT COUNT(DISTINCT floor) FROM dept",
    bounds_are_exclusive: "SELECT id, (SELECT COUNT(*) FROM emp x WHERE x.id <= e.id) FROM emp e",
    determined_groups_always_exist: "SELECT q.a FROM (SELECT DISTINCT a FROM t) q JOIN emp e ON e.id = q.a",
    least_is_greatest: "SELECT MAX(a) FROM t",
    sums_do_not_count: "SELECT SUM(c) FROM t JOIN emp ON emp.sal = t.a",
    recursions_that_begin_alike_are_one: (
        "WITH RECURSIVE r AS (SELECT a AS n FROM t UNION SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r"
    ),
    paths_that_begin_alike_are_one: (
        "WITH RECURSIVE r AS (SELECT a, b FROM t UNION SELECT t.a, r.b FROM t JOIN r ON t.b = r.a) "
        "SELECT a, b FROM r"
    ),
    outer_joins_are_inner: "SELECT c FROM t LEFT JOIN emp ON emp.id = t.a",
    nullable_keys_are_never_null: "SELECT SUM(a + b) FROM t",
}
"""Each plant with the oracle of a slip that it proves; that one is tried first."""


RULES = sorted(
    path.stem
    for path in Path(str(rules.__file__)).parent.glob("*.py")
    if path.stem not in ("__init__", "normalise")
)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_stated_and_spoiled(rule: str) -> None:
    """Each file of `rules/` says what it rests on, and some plant above spoils it."""
    text = str(import_module(f"truespec.domains.sql.rules.{rule}").__doc__)
    for part in ("Statement", "Side conditions", "Why"):
        assert f"\n\n{part}. " in text
    assert any(rule in plant.__code__.co_names for plant in PLANTS)


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: str(plant.__name__))
def test_a_planted_wrong_rule_is_found_out(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    likely = [slip for slip in slips() if slip[2] == PLANTS[plant]]
    others = [slip for slip in slips() if slip[2] != PLANTS[plant]]
    assert next(chain(wrongly_proved(likely, 60.0), wrongly_proved(others)), None) is not None
