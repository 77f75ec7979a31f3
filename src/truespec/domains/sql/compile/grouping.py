"""GROUP BY and HAVING: groups as variables over the distinct keys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import z3
from sqlglot import exp

from truespec.domains.sql.compile.classes import (
    classes_of,
    made_columns,
    made_for,
    numbers_in,
    operator_of,
    representative,
)
from truespec.domains.sql.compile.denotations import nullable_columns
from truespec.domains.sql.compile.grouping_sets import Items, Keys, grouping_sets
from truespec.domains.sql.compile.output_names import inline
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.scope import GroupScope, Position, RowScope, Scope, Source, WindowScope
from truespec.domains.sql.dialects.dialect import Ungrouped
from truespec.domains.sql.ir.aggregates import Operator
from truespec.domains.sql.ir.bags import (
    Bag,
    Group,
    Substitution,
    Term,
    fresh_values,
    is_tuple,
    normal,
    substitute_value,
)
from truespec.domains.sql.ir.columns import coerced
from truespec.domains.sql.ir.dates import day_within, moment_like
from truespec.domains.sql.ir.day_parts import months_of
from truespec.domains.sql.ir.differences import is_negative
from truespec.domains.sql.ir.existence import exists, group_formula
from truespec.domains.sql.ir.kinds import CLASS, INT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Formula, conj, folded, neg, real, whole
from truespec.domains.sql.ir.symbols import substituted
from truespec.domains.sql.ir.truth import where_true
from truespec.domains.sql.ir.values import Val, null_of
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.rules import (
    alike_runs,
    choices,
    determined_keys,
    difference_of_counts,
    ordered_pairs,
    run_keys,
)
from truespec.verdict import Nondeterministic, Unsupported


def grouped(
    reader: Reader,
    source: Source,
    parent: Scope | None,
    items: Items,
    group: exp.Group | None,
    having: exp.Having | None,
    read: Sequence[exp.Expr],
) -> list[tuple[Term, Scope]]:
    """The groups that HAVING leaves, each with the scope of its outputs; one term per grouping set.

    `read` are all expressions that are computed for the groups.
    """
    sets = grouping_sets(reader, source, parent, items, group)
    every: Keys = []
    for keys in sets:
        every += [key for key in keys if key[0] not in [known for known, _ in every]]
    grouping = _Grouping(reader, source, parent, items, having, read)
    result: list[tuple[Term, Scope]] = []
    for keys in sets:
        absent = [key for key in every if key[0] not in [known for known, _ in keys]]
        result += grouping.by(keys, absent)

    def siblings() -> list[tuple[Term, Scope]]:
        # Choices made for the copies are their own; the proof then holds whatever they are.
        reader.shared += 1
        try:
            return grouped(reader, source, parent, items, group, having, read)
        finally:
            reader.shared -= 1

    return [(t, WindowScope(s, siblings, t)) for t, s in result]


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The groups of one grouping set."""

    values: tuple[Val, ...]
    """Their variables."""
    whole: Group
    """The distinct keys that the variables range over."""
    members: Bag
    """The rows of a group; outputs are all columns of the source."""

    @classmethod
    def of(cls, world: World, values: tuple[Val, ...], rows: Bag, classes: Bag) -> _Groups:
        telling = determined_keys.telling(world, classes)
        return cls(values, _range(values, classes), _members_of(values, rows, classes, telling))


@dataclass(frozen=True, slots=True, eq=False)
class _Grouping:
    """What is grouped."""

    reader: Reader
    source: Source
    parent: Scope | None
    items: Items
    having: exp.Having | None
    read: Sequence[exp.Expr]

    def by(self, keys: Keys, absent: Keys) -> list[tuple[Term, Scope]]:
        """The groups of one grouping set; keys of the other sets are NULL."""
        reader, rows = self.reader, self.source.bag
        known: list[tuple[str, Val]] = []
        others = frozenset(print_ for print_, _ in absent)
        for print_, key in absent:
            for term in rows.terms[:1]:
                out = reader.output(key, Scope(self.source.names, term.outs, self.parent))
                known.append((print_, null_of(out.kind)))
        if not keys:
            scope = self._scope(known, operator_of(reader, (), rows), rows, others)
            return [self._having(Term((), (), TRUE, ()), scope)]
        if not rows.terms:
            return []
        keyed = self._by_runs(keys, self._keyed(keys))
        rows, keyed = _by_order(rows, keyed)
        halved = replace(self, source=replace(self.source, bag=rows))
        return halved._by_keys(keys, known, others, keyed, twice=len(rows.terms) > len(self.source.bag.terms))

    def _by_keys(
        self, keys: Keys, known: list[tuple[str, Val]], others: frozenset[str], keyed: Bag, *, twice: bool
    ) -> list[tuple[Term, Scope]]:
        """The groups by keys of which there are some; `twice`: of rows in two cases each."""
        reader, rows = self.reader, self.source.bag
        moments = _moments_of_days(keyed)
        integers = _whole(keyed)
        bare = _without_fractions(_by_day(keyed, moments), integers)
        made = made_columns(bare)
        bare = numbers_in(bare, made)
        pair = _year_and_month(bare)
        bare = _by_months(bare, pair)
        turned = _turned(bare)
        classes = classes_of(reader, _negated(bare, turned))
        values = fresh_values(reader.world, classes.terms[0].outs, nullable_columns(classes))
        groups = _Groups.of(reader.world, values, rows, classes)
        if twice:
            body = ordered_pairs.distinct(reader.aggregates, groups.whole.body)
            groups = replace(groups, whole=replace(groups.whole, body=body))

        def above(operator: Operator, groups: _Groups) -> tuple[GroupScope, Substitution]:
            """The scope above the groups; and what the classes of chosen texts are."""
            named, same = list(known), []
            for index, (print_, _) in enumerate(keys):
                value = groups.values[index]
                if index in pair:
                    value = _part_of_months(groups.values[pair[0]], year=index == pair[0])
                if index in turned:
                    value = replace(value, val=-value.val)
                if index in integers:
                    value = Val(value.null, real(value.val), keyed.terms[0].outs[index].kind)
                if index in made:
                    value = made_for(made[index], value)
                if index in moments:
                    value = moment_like(value, keyed.terms[0].outs[index].kind)
                if value.kind == CLASS:
                    stands = representative(reader, operator, tuple(k.outs[index] for k in keyed.terms))
                    same.append((reader.world.collation(stands.val), value.val))
                    if not z3.is_false(stands.null):
                        same.append((stands.null, value.null))
                    value = stands
                named.append((print_, value))
            return self._scope(named, operator, groups.members, others), same

        kept: Formula = TRUE
        if self.having is not None and reader.dialect.ungrouped is Ungrouped.ANY_ROW:
            # A choice for a group that HAVING drops is nobody's: only the others count.
            operator = Operator(reader.side, False, values, groups.members.terms, reader.outer)
            kept = self._kept_whatever_is_chosen(*above(operator, groups))
            groups, kept = self._without_null_classes(groups, classes, kept)
        narrowed = Bag(tuple(replace(t, cond=conj(t.cond, kept)) for t in groups.members.terms))
        whole = () if z3.is_true(kept) else groups.members.terms
        scope, _ = above(operator_of(reader, groups.values, narrowed, whole), groups)
        some = exists(reader.world, groups.members.mapped(lambda _: ()))
        scope.filled = conj(group_formula(reader.world, groups.whole), some)
        return [self._having(Term((), (groups.whole,), kept, ()), scope)]

    def _scope(
        self,
        known: list[tuple[str, Val]],
        operator: Operator,
        members: Bag,
        absent: frozenset[str],
    ) -> GroupScope:
        constant = partial(constant_in_group, self.reader)
        return GroupScope(self.source, known, operator, members, self.parent, constant, absent)

    def _keyed(self, keys: Keys) -> Bag:
        """The rows with the keys as their outputs."""
        terms = []
        for term in self.source.bag.terms:
            scope = RowScope(self.reader.world, self.source.names, term, self.parent)
            outs = (self.reader.output(key, scope) for _, key in keys)
            told = (difference_of_counts.of(self.reader.aggregates, term, out) for out in outs)
            terms.append(replace(term, outs=tuple(told)))
        return coerced([Bag(tuple(terms))], self.reader.dialect)[0]

    def _by_runs(self, keys: Keys, keyed: Bag) -> Bag:
        """The rows with the numbers of their runs in place of a key that tells runs apart."""
        if len(keyed.terms) != 1 or not self.reader.counts_runs:
            return keyed
        (term,) = keyed.terms
        for index, (print_, _) in enumerate(keys):
            if not print_.startswith("#") or self._is_read(int(print_[1:])):
                continue
            others = [out for place, out in enumerate(term.outs) if place != index]
            given = self.reader.aggregates, replace(term, outs=()), term.outs[index], others
            number = run_keys.of(*given) or alike_runs.of(*given)
            if number is not None:
                outs = tuple(number if place == index else out for place, out in enumerate(term.outs))
                term = replace(term, outs=outs)
        return Bag((term,))

    def _is_read(self, position: int) -> bool:
        """Whether what is computed for the groups may name a column of the source."""
        scope = Scope(self.source.names, (), self.parent)
        for part in self.read:
            for node in part.walk():
                if isinstance(node, Position) and node.this == f"#{position}":
                    return True
                if isinstance(node, exp.Column) and node.name.lower() == scope.names[position].column:
                    return True
        return False

    def _kept_whatever_is_chosen(self, scope: GroupScope, same: Substitution) -> Formula:
        """What HAVING says of a group that no choice decides; `same`: the classes of chosen texts."""
        test = self._test(scope)
        return choices.without_choices(self.reader.aggregates, substituted(test, *same) if same else test)

    def _without_null_classes(self, groups: _Groups, classes: Bag, kept: Formula) -> tuple[_Groups, Formula]:
        """The groups without NULL flags of classes that HAVING proves never to be NULL."""
        world = self.reader.world
        given = conj(kept, group_formula(world, groups.whole))
        never = [
            value.kind == CLASS and not z3.is_false(value.null) and world.holds(given, neg(value.null))
            for value in groups.values
        ]
        if not any(never):
            return groups, kept
        pairs = list(zip(groups.values, never, strict=True))
        kept = folded(substituted(kept, *((value.null, FALSE) for value, strict in pairs if strict)))
        values = tuple(replace(value, null=FALSE) if strict else value for value, strict in pairs)
        return _Groups.of(world, values, self.source.bag, classes), kept

    def _having(self, term: Term, scope: GroupScope) -> tuple[Term, Scope]:
        if self.having is None:
            return term, scope
        scope.kept = self._test(scope)
        select = self.having.parent
        scope.after = self.reader.is_whole and select is not None and select.args.get("qualify") is None
        return replace(term, cond=conj(term.cond, scope.kept)), scope

    def _test(self, scope: GroupScope) -> Formula:
        assert self.having is not None
        return where_true(
            self.reader.condition(inline(self.reader, self.having.this, dict(self.items), scope), scope)
        )


def _by_order(rows: Bag, keyed: Bag) -> tuple[Bag, Bag]:
    """The rows and their keys, in two cases where a key is the lesser or the greater of two values."""
    cases, keys = [], []
    for row, key in zip(rows.terms, keyed.terms, strict=True):
        for test, moved in ordered_pairs.cases(row, key.outs):
            cases.append(replace(row, cond=conj(row.cond, test)))
            outs = tuple(substitute_value(out, moved) for out in key.outs)
            keys.append(replace(key, cond=conj(key.cond, test), outs=outs))
    return Bag(tuple(cases)), Bag(tuple(keys))


def _moments_of_days(keyed: Bag) -> set[int]:
    """The keys that are the first moments of days in all rows: the days tell the same groups apart."""
    width = range(len(keyed.terms[0].outs))
    return {i for i in width if all(day_within(term.outs[i]) is not None for term in keyed.terms)}


def _by_day(keyed: Bag, moments: set[int]) -> Bag:
    def days(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        return tuple((day_within(out) or out) if i in moments else out for i, out in enumerate(outs))

    return keyed.mapped(days) if moments else keyed


def _year_and_month(keyed: Bag) -> tuple[int, ...]:
    """The first keys that are a year and the month in it, in all rows; none where there are no such."""
    for year, month in itertools.permutations(range(len(keyed.terms[0].outs)), 2):
        if all(months_of(term.outs[year], term.outs[month]) is not None for term in keyed.terms):
            return year, month
    return ()


def _by_months(keyed: Bag, pair: tuple[int, ...]) -> Bag:
    """The keys with the months since year 0 in place of a year and of the month in it: they tell both."""

    def months(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        number = months_of(outs[pair[0]], outs[pair[1]])
        assert number is not None, "a year and its month"
        both = Val(outs[pair[0]].null, number, INT)
        return tuple(both if i in pair else out for i, out in enumerate(outs))

    return keyed.mapped(months) if pair else keyed


def _part_of_months(months: Val, *, year: bool) -> Val:
    """The year of a number of months, or the month in it."""
    number = (months.val - 1) / 12
    return Val(months.null, number if year else months.val - 12 * number, INT)


def _whole(keyed: Bag) -> set[int]:
    """The keys that are whole in all rows, though of a type with fractions, as EXTRACT is in PostgreSQL."""
    width = range(len(keyed.terms[0].outs))
    return {
        i
        for i in width
        if keyed.terms[0].outs[i].val.sort() == z3.RealSort()
        and all(whole(term.outs[i].val) is not None for term in keyed.terms)
    }


def _without_fractions(keyed: Bag, indices: set[int]) -> Bag:
    def integers(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        return tuple(Val(o.null, whole(o.val), INT) if i in indices else o for i, o in enumerate(outs))

    return keyed.mapped(integers) if indices else keyed


def _turned(keyed: Bag) -> set[int]:
    """The keys that are negated: `a - b` and `b - a` tell the same groups apart, and are written one way."""
    width = range(len(keyed.terms[0].outs))
    return {i for i in width if all(is_negative(term.outs[i]) for term in keyed.terms)}


def _negated(keyed: Bag, turned: set[int]) -> Bag:
    def other(outs: tuple[Val, ...]) -> tuple[Val, ...]:
        return tuple(replace(out, val=-out.val) if i in turned else out for i, out in enumerate(outs))

    return keyed.mapped(other) if turned else keyed


def constant_in_group(reader: Reader, scope: GroupScope, position: int) -> Val:
    """A column that is no group key: its value where all rows of the group share it."""
    name = scope.names[position]
    strict = "ONLY_FULL_GROUP_BY" in (reader.world.settings.sql_mode or "").upper()
    ungrouped = reader.dialect.ungrouped
    if ungrouped is Ungrouped.NOT_READ or (ungrouped is Ungrouped.ANY_ROW and strict):
        raise Unsupported(f"sql: the column {name.column!r} is not in GROUP BY")
    column = tuple(t.outs[position] for t in scope.members.terms)
    if not scope.operator.values or ungrouped is Ungrouped.DETERMINED:
        bag = Bag(tuple(replace(t, outs=(out,)) for t, out in zip(scope.members.terms, column, strict=True)))
        if not reader.aggregates.agree(bag):
            raise Nondeterministic(f"sql: the column {name.column!r} is not determined by the groups")
        if not scope.operator.values:
            return reader.aggregates.any(bag)
    return representative(reader, scope.operator, column)


def _range(values: tuple[Val, ...], classes: Bag) -> Group:
    """Group variables over the keys that rows have; without NULLs where a variable has no flag."""
    terms = []
    for term in classes.terms:
        present = [
            neg(out.null) for value, out in zip(values, term.outs, strict=True) if z3.is_false(value.null)
        ]
        outs = [
            replace(out, null=FALSE) if z3.is_false(value.null) else normal(out)
            for value, out in zip(values, term.outs, strict=True)
        ]
        terms.append(replace(term, cond=conj(term.cond, *present), outs=tuple(outs)))
    return Group(values, Bag(tuple(terms)))


def _members_of(values: tuple[Val, ...], rows: Bag, classes: Bag, telling: list[int]) -> Bag:
    """The rows of a group, by the keys that tell them."""
    told = [values[place] for place in telling]
    return Bag(
        tuple(
            replace(row, cond=conj(row.cond, is_tuple(told, [keys.outs[place] for place in telling])))
            for row, keys in zip(rows.terms, classes.terms, strict=True)
        )
    )
