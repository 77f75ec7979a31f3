"""The search for a correspondence of the choices of two bags."""

from __future__ import annotations

import itertools
from dataclasses import replace

import z3

from truespec.domains.sql.aggregates.candidates import unrelated
from truespec.domains.sql.aggregates.table import AggregateTable
from truespec.domains.sql.ir.bags import Bag, Term, conjuncts, renamed
from truespec.domains.sql.ir.existence import condition, exists, unfolded
from truespec.domains.sql.ir.keys import rerooted
from truespec.domains.sql.ir.logic import TRUE, Expr, Formula, conj, disj, ite, neg
from truespec.domains.sql.ir.symbols import functions, is_false, is_true
from truespec.domains.sql.ir.values import identical
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.prove.alignment import (
    MAX_ALIGNMENTS,
    alignments,
    exclusive_terms,
    identical_terms,
    shape,
    views,
)
from truespec.domains.sql.prove.by_cases import ByCases
from truespec.domains.sql.prove.equal_aggregates import Equal, rewritten
from truespec.domains.sql.prove.outputs import alike, said_of, same_outputs, same_quotients
from truespec.domains.sql.rules import (
    choices,
    distinct_of_unique,
    further_rows,
    known_arguments,
    same_classes,
    whole_and_parts,
)
from truespec.domains.sql.rules.normalise import normalised

MAX_VIEWS = 4
"""Ways tried to see the rows of one side as the tuples of a group."""
EMPTY_SHARE = 4
"""That a term is empty is seen with this part of the effort, or not at all."""
MAX_DEPTH = 3
"""Aggregates inside aggregates that are compared in context."""


class Prover(ByCases):
    """Proves bags equal in one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.aggregates = AggregateTable(world, self.same)
        self.aggregates.plainly_same = self.plainly_same
        self.aggregates.plainly_apart = self.plainly_apart
        self.aggregates.same_tuples = self.same_tuples
        self.aggregates.aligned = alignments
        self.depth = 0
        self.steps: list[str] = []

    def same(self, left: Bag, right: Bag, given: Formula = TRUE) -> bool:
        """Whether the bags hold the same tuples equally often wherever `given` holds."""
        self.world.limit.check()
        first, second = self.tidy(left), self.tidy(right)
        if self.depth == 0:
            self.aggregates.relate([*first, *second])
        if self._by_classes(first, second, given, new=True) or self._match(first, second, given):
            return True
        shrunk = False
        if not len(first) == len(second) == 1:  # both would be empty, which `_match` has seen
            fewer = self._possible(first, given), self._possible(second, given)
            shrunk = len(fewer[0]) < len(first) or len(fewer[1]) < len(second)
            first, second = fewer
        if shrunk and self._match(first, second, given):
            return True
        return (
            self._pointwise(first, second, given)
            or self._from_another_side(first, second, given)
            or self._as_sets(first, second, given)
            or self._one_to_one(first, second, given)
            or self._beside_their_rows(first, second, given)
            or self._by_classes(first, second, given)
            or self._over_rows(first, second, given)
            or self._by_cases(first, second, given)
            or self._by_constants(first, second, given)
            or self._by_key_cases(first, second, given)
        )

    def plainly_same(self, left: Bag, right: Bag) -> bool:
        """Whether the bags are one term each, and the same one but for the names of its rows."""
        self.world.limit.check()
        first, second = left.terms, right.terms
        return len(first) == len(second) == 1 and identical_terms(first[0], second[0])

    def plainly_apart(self, left: Bag, right: Bag) -> bool:
        """Whether no row lies in both bags, each one term: they are the same only where both are empty."""
        first, second = left.terms, right.terms
        return len(first) == len(second) == 1 and exclusive_terms(self.world, first[0], second[0])

    def same_tuples(self, left: Bag, right: Bag) -> bool:
        """Whether the bags hold the same tuples, however often."""
        first, second = self.tidy(left), self.tidy(right)
        return self._contained(first, second, TRUE) and self._contained(second, first, TRUE)

    def tidy(self, bag: Bag) -> list[Term]:
        """The terms in normal form, without those that are plainly empty."""
        terms = [known_arguments.apply(self.aggregates, normalised(self.world, term)) for term in bag.terms]
        return [term for term in terms if not is_false(z3.simplify(term.cond))]

    def _possible(self, terms: list[Term], given: Formula) -> list[Term]:
        world = self.world
        return [t for t in terms if not world.impossible(conj(given, condition(world, t)), EMPTY_SHARE)]

    # Term by term: rule `match_terms`

    def _match(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        if len(left) != len(right):
            return False
        if sorted(map(shape, left)) != sorted(map(shape, right)):
            return False
        rest = list(right)
        for term in left:
            for other in rest:
                if shape(term) == shape(other) and self._equal(term, other, given):
                    rest.remove(other)
                    break
            else:
                return False
        return True

    def _equal(self, left: Term, right: Term, given: Formula) -> bool:
        aligned = itertools.islice(alignments(left, right), MAX_ALIGNMENTS)
        return any(self._equal_as_aligned(left, other, given) for other in aligned)

    def _equal_as_aligned(self, left: Term, aligned: Term, given: Formula) -> bool:
        """Whether two terms over the same variables are equal for each choice of them."""
        world = self.world
        here, there = condition(world, left), condition(world, aligned)
        goal = conj(here == there, z3.Implies(here, same_outputs(left.outs, aligned.outs)))
        if self._holds_at_once(here, there, goal, given) or (
            not world.denied and self._holds_by_columns(left, aligned, given)
        ):
            self.steps.append("match_terms")
            return True
        # What the aggregates are equal under must not mention them: it has to follow from either side.
        plain = dict.fromkeys((self._plain_part(here), self._plain_part(there)))
        equal: list[Formula] = []
        for known in plain:
            found = self._equal_aggregates(left, aligned, conj(given, known))
            equal += [one.fact for one in found]
            if found and (
                self._holds_rewritten(left, rewritten(aligned, found), given)
                or world.holds(conj(given, *equal), goal)
            ):
                self.steps.append("match_terms with aggregates equal in context")
                return True
        if self.depth > 0:
            return False
        for known in plain:
            terms = [left, aligned]
            parts = whole_and_parts.of(self.aggregates, terms, conj(given, known), alignments)
            equal += parts
            if not parts:
                continue
            if world.holds(conj(given, *equal), goal) or self._holds_of_quotients(
                left, aligned, conj(given, *equal)
            ):
                self.steps.append("match_terms with whole_and_parts")
                return True
        return False

    def _holds_of_quotients(self, left: Term, aligned: Term, given: Formula) -> bool:
        """Whether two terms are equal since their quotients are so part by part."""
        same = same_quotients(left.outs, aligned.outs)
        here, there = condition(self.world, left), condition(self.world, aligned)
        return same is not None and (
            self.world.holds(given, here == there) and self.world.holds(conj(given, here, there), same)
        )

    def _holds_at_once(self, here: Formula, there: Formula, goal: Formula, given: Formula) -> bool:
        """Whether the goal holds as it is; one side at a time where rows are known to follow one another."""
        world = self.world
        if not world.in_steps:
            return world.holds(given, goal)
        return all(world.holds(conj(given, side), goal) for side in (here, there))

    def _holds_by_columns(self, left: Term, aligned: Term, given: Formula) -> bool:
        """Whether the conditions are the same, and each column is under what either says without aggregates.

        A column is asked about alone: of many aggregates, few are needed for it.
        """
        world = self.world
        pairs = [pair for pair in zip(left.outs, aligned.outs, strict=True) if not alike(*pair)]
        here, there = condition(world, left), condition(world, aligned)
        plain = conj(given, self._plain_part(here), self._plain_part(there))
        if self.depth > 0 or (not left.outs and plain.eq(conj(given, here, there))):
            return False
        sides = () if is_true(z3.simplify(here == there)) else ((here, there), (there, here))
        return all(world.holds(conj(given, one), other) for one, other in sides) and all(
            world.holds(plain, one.null == other.null)
            and world.holds(conj(plain, neg(one.null), neg(other.null)), same_outputs([one], [other]))
            for one, other in pairs
        )

    def _holds_rewritten(self, left: Term, aligned: Term, given: Formula) -> bool:
        """Whether two terms are equal, the second one with aggregates of the first put for its equals.

        The equations hold where the conjuncts without aggregates do, so these are compared without them.
        """
        world = self.world
        sides = condition(world, left), condition(world, aligned)
        plain = [self._plain_part(side) for side in sides]
        if not world.holds(given, plain[0] == plain[1]):
            return False
        known = conj(given, *plain)
        return world.holds(known, sides[0] == sides[1]) and all(
            world.holds(conj(known, *sides), same_outputs([one], [other]))
            for one, other in zip(left.outs, aligned.outs, strict=True)
            if not alike(one, other)
        )

    # Group by group: rule `same_classes`

    def _by_classes(self, left: list[Term], right: list[Term], given: Formula, *, new: bool = False) -> bool:
        """Groups of the same rows by keys that tell the same rows apart; `new`: by other keys."""
        if len(left) != 1 or len(right) != 1:
            return False
        for one, other in same_classes.instances(self.world, left[0], right[0], given, alignments, new=new):
            if self._equal_as_aligned(one, other, given):
                self.steps.append("same_classes")
                return True
        return False

    def _equal_aggregates(self, left: Term, right: Term, given: Formula) -> list[Equal]:
        """Equalities between aggregates of either side that hold wherever `given` does."""
        if self.depth >= MAX_DEPTH:
            return []
        first, second = self.aggregates.applied(left), self.aggregates.applied(right)
        facts: list[Equal] = []
        self.depth += 1
        try:
            for (name, one), (other, two) in itertools.product(first.items(), second.items()):
                a, b = one[0], two[0]
                # A choice of one side is nobody else's choice, unless `rules/choices.py` made them partners.
                if name == other or any(x.function.startswith(choices.ANY_ROW) for x in (a, b)):
                    continue
                if a.function != b.function or a.kind != b.kind or self.aggregates.told_apart(a, b):
                    continue
                bags = (
                    self.aggregates.instance(a, a.apply(one[1])),
                    self.aggregates.instance(b, b.apply(two[1])),
                )
                if not self.plainly_apart(*bags) and not unrelated(*bags) and self.same(*bags, given):
                    pairs = [(a.apply(one[1]), b.apply(two[1]))]
                    if a.function not in ("COUNT", "SUM", "MIN", "MAX"):
                        pairs.append((a.null(one[1]), b.null(two[1])))
                    facts.append(Equal(given, tuple(pairs)))
        finally:
            self.depth -= 1
        return facts

    def _plain_part(self, formula: Formula) -> Formula:
        """The conjuncts without aggregates."""
        return conj(
            *(
                part
                for part in conjuncts(formula)
                if not any(name.startswith("agg!") for name in functions(part))
            )
        )

    def _from_another_side(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Term by term, where one keeps another of its rows (`rerooted`)."""
        if len(left) != len(right):
            return False
        for index, term in enumerate(left):
            for twin in itertools.islice(rerooted(self.world, term), MAX_VIEWS):
                if self._match(
                    [*left[:index], normalised(self.world, twin), *left[index + 1 :]], right, given
                ):
                    return True
        return False

    # Choice by choice: rule `pointwise`

    def _pointwise(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Terms over the same variables: for each choice of them, both sides put out the same tuples."""
        if not left or not right or len(left) + len(right) > 10:
            return not left and not right
        if len(left) == len(right) == 1:
            return False  # `_match` has tried it
        shapes = {shape(term) for term in [*left, *right]}
        if len(shapes) > 1:
            # In an order that does not depend on how Python hashes texts; the longest fails soonest.
            longest = sorted(shapes, key=lambda kind: (-len(kind), kind))
            return all(self._pointwise_alike(left, right, kind, given) for kind in longest)
        base = left[0]
        choices = [list(itertools.islice(alignments(base, term), 3)) for term in [*left[1:], *right]]
        for combination in itertools.islice(itertools.product(*choices), 9):
            terms = [base, *combination]
            conditions = [condition(self.world, term) for term in terms]
            goals = []
            for i, term in enumerate(terms):
                ours: list[Expr] = []
                theirs: list[Expr] = []
                for j, other in enumerate(terms):
                    hit = conj(conditions[j], same_outputs(term.outs, other.outs))
                    (ours if j < len(left) else theirs).append(ite(hit, z3.IntVal(1), z3.IntVal(0)))
                goals.append(z3.Implies(conditions[i], z3.Sum(*ours) == z3.Sum(*theirs)))
            if self.world.holds(given, conj(*goals)):
                self.steps.append("pointwise")
                return True
            plain = conj(given, disj(*map(self._plain_part, conditions)))
            pairs = itertools.product(terms[: len(left)], terms[len(left) :])
            equal = [e.fact for one, two in pairs for e in self._equal_aggregates(one, two, plain)]
            if equal and self.world.holds(conj(given, *equal), conj(*goals)):
                self.steps.append("pointwise with aggregates equal in context")
                return True
        return False

    def _pointwise_alike(self, left: list[Term], right: list[Term], kind: str, given: Formula) -> bool:
        """The same of the terms of one shape."""
        first, second = ([term for term in side if shape(term) == kind] for side in (left, right))
        return self._match(first, second, given) or self._pointwise(first, second, given)

    def _as_sets(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Rule `as_sets`: neither side has duplicates, and each tuple of one is a tuple of the other."""
        if not left or not right:
            return not left and not right
        # Whether there are duplicates is the cheaper question by far, and the one that fails more often.
        return (
            self._free_of_duplicates(left, given)
            and self._free_of_duplicates(right, given)
            and self._contained(left, right, given)
            and self._contained(right, left, given)
        )

    def _one_to_one(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Rule `one_to_one`: choices that put nothing out are as many as the tuples that tell them apart.

        Rows on one side are counted, the tuples of a group on the other: where the rows, seen through the
        group's columns, are the tuples of the group and no two of them look alike, both are as many.
        """
        if len(left) != 1 or len(right) != 1 or left[0].outs or right[0].outs:
            return False
        for rows, groups in ((left[0], right[0]), (right[0], left[0])):
            if groups.rows or len(groups.groups) != 1 or rows.groups or not rows.rows:
                continue
            (group,) = groups.groups
            tuples = [replace(groups, outs=group.values)]
            for seen in itertools.islice(views(rows, group), MAX_VIEWS):
                if self._as_sets([replace(rows, outs=seen)], tuples, given):
                    self.steps.append("one_to_one")
                    return True
        return False

    def _beside_their_rows(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Rule `further_rows`: with rows put out too, both sides are the same sets."""
        same = any(self._as_sets(one, other, given) for one, other in further_rows.of(left, right))
        self.steps += ["further_rows"] * same
        return same

    # Over rows: rule `covering_row`

    def _over_rows(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        """Where one side chooses tuples of a group and the other rows of a table, row by row."""
        if len(left) != 1 or len(right) != 1:
            return False
        first, second = (
            distinct_of_unique.over_rows_of(self.world, one, {table.name for _, table in other.rows})
            if one.groups and len(other.rows) > len(one.rows)
            else one
            for one, other in ((left[0], right[0]), (right[0], left[0]))
        )
        if first is left[0] and second is right[0]:
            return False
        if self._match([normalised(self.world, first)], [normalised(self.world, second)], given):
            self.steps.append("covering_row")
            return True
        return False

    def _free_of_duplicates(self, terms: list[Term], given: Formula) -> bool:
        world = self.world
        for i, one in enumerate(terms):
            for j, two in enumerate(terms[i:], i):
                copy = renamed(world, two)
                both = conj(given, condition(world, one), condition(world, copy))
                both = conj(both, same_outputs(one.outs, copy.outs))
                same = z3.BoolVal(False)
                if i == j:
                    rows = [a == b for (a, _), (b, _) in zip(one.rows, copy.rows, strict=True)]
                    groups = [
                        identical(a, b)
                        for g, h in zip(one.groups, copy.groups, strict=True)
                        for a, b in zip(g.values, h.values, strict=True)
                    ]
                    same = conj(*rows, *groups)
                if not world.holds(both, same):
                    return False
        return True

    def _contained(self, left: list[Term], right: list[Term], given: Formula) -> bool:
        world = self.world
        for term in unfolded(world, Bag(tuple(left))).terms:
            # Renamed: a variable of `term` must not be captured by the quantifier over the other side.
            others = [
                replace(other, cond=conj(other.cond, same_outputs(term.outs, other.outs)))
                for other in (renamed(world, other) for other in right)
            ]
            goals = [replace(other, outs=()) for other in others]
            said = [said_of(self.world, term, other) for other in others]
            known, there = conj(given, term.cond, *said), Bag(tuple(goals))
            if not world.holds(known, exists(world, there)):
                # Of several rows, those that are there may be what is sought: a row and its neighbours.
                several = self.depth == 0 and any(len(goal.rows) > 1 for goal in goals)
                if not several or not world.holds(known, exists(world, there, by_rows=True)):
                    return False
        self.steps.append("as_sets")
        return True
