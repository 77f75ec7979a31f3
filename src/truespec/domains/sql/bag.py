"""Queries as sums of products (U-expressions; Chu et al., PLDI 2017), over rows instead of output tuples.

A bag is a sum of terms. A term stands for one output tuple per way to choose its variables so that its
condition holds: `rows` range over the rows of tables, `groups` over the distinct tuples of another bag
(DISTINCT, GROUP BY, UNION). Every construct of SQL that is read here has exactly this meaning, so two bags
are equal when their choices correspond one to one with equal outputs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import z3

from truespec.domains.sql.schema import Table
from truespec.domains.sql.symbols import (
    constants,
    is_and,
    is_eq,
    is_false,
    is_ite,
    is_not,
    is_or,
    is_true,
    name_of,
    operands,
    quantifier_depth,
    remembered,
)
from truespec.domains.sql.world import (
    ALWAYS_NULL,
    BARE,
    BOOLEANS,
    FALSE,
    NUMBERS,
    TRUE,
    UNTYPED,
    Expr,
    Formula,
    Val,
    World,
    computed,
    conj,
    default_of,
    disj,
    folded,
    ite,
    membership,
    neg,
    real,
    sort_of,
    united,
)
from truespec.verdict import Incomplete, Unsupported

MAX_TERMS = 96
"""More terms than this are not worth a search: nested outer joins double them."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variables that range over the distinct tuples of a bag."""

    values: tuple[Val, ...]
    """One variable, with its NULL flag, per column."""
    body: Bag
    """The bag; its outputs are as many as the values, NULLs normalised."""


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One product: choose rows and groups so that the condition holds, and put out the values."""

    rows: tuple[tuple[Expr, Table], ...]
    """Row variables with their tables; that they lie in the table is part of the condition."""
    groups: tuple[Group, ...]
    """Group variables; that they lie in the group's bag is not part of the condition."""
    cond: Formula
    """The condition."""
    outs: tuple[Val, ...]
    """The output tuple."""

    def __post_init__(self) -> None:
        # Choices are independent but for the condition: all rules that split, swap or join terms need it.
        if self.groups and dependent(self):
            raise Incomplete("sql: a group would depend on a row or a group that is chosen beside it")


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """A sum of terms with outputs of the same width."""

    terms: tuple[Term, ...]
    """Its terms."""

    def __post_init__(self) -> None:
        if len(self.terms) > MAX_TERMS:
            raise Unsupported(f"sql: the query expands to {len(self.terms)} cases")


Swap = list[tuple[Expr, Expr]]
"""Variables and what to put in their place."""


def swap_value(value: Val, swap: Swap) -> Val:
    """The value after substitution."""
    if not swap:
        return value
    return Val(z3.substitute(value.null, *swap), z3.substitute(value.val, *swap), value.kind, value.literal)


def swap_bag(bag: Bag, swap: Swap) -> Bag:
    """The bag after substitution of its free variables."""
    return Bag(tuple(swap_term(term, swap) for term in bag.terms))


def swap_term(term: Term, swap: Swap) -> Term:
    """The term after substitution; variables bound by it must not be swapped."""
    if not swap:
        return term
    return Term(
        term.rows,
        tuple(Group(group.values, swap_bag(group.body, swap)) for group in term.groups),
        z3.substitute(term.cond, *swap),
        tuple(swap_value(out, swap) for out in term.outs),
    )


def fresh_values(world: World, outs: Iterable[Val], nullable: Iterable[bool]) -> tuple[Val, ...]:
    """New variables for a tuple of these kinds."""
    values = []
    for out, may in zip(outs, nullable, strict=True):
        null = world.fresh(z3.BoolSort(), "null") if may else FALSE
        values.append(Val(null, world.fresh(sort_of(out.kind), "group"), out.kind))
    return tuple(values)


def binding(values: Iterable[Val], outs: Iterable[Val]) -> Swap:
    """What to substitute so that group variables become the tuple `outs`."""
    swap: Swap = []
    for value, out in zip(values, outs, strict=True):
        if not is_false(value.null):
            swap.append((value.null, out.null))
        swap.append((value.val, normal(out).val))
    return swap


def is_tuple(values: Iterable[Val], outs: Iterable[Val]) -> Formula:
    """Whether group variables are the tuple `outs`, as equalities; variables are in normal form."""
    parts: list[Formula] = []
    for value, out in zip(values, outs, strict=True):
        if is_false(value.null):
            parts += [neg(out.null), value.val == out.val]
        else:
            parts += [value.null == out.null, value.val == normal(out).val]
    return folded(conj(*parts))


def normal(value: Val) -> Val:
    """The value with the kind's stand-in where it is NULL; variables of a group are so already."""
    if _of_group(value) or _is_normal(value):
        return Val(value.null, value.val, value.kind)
    return Val(value.null, ite(value.null, default_of(value.kind), value.val), value.kind)


def _is_normal(value: Val) -> bool:
    """Whether the value has been brought to normal form before."""
    if not is_ite(value.val):
        return False
    test, stand_in, _ = operands(value.val)
    return bool(test.eq(value.null) and stand_in.eq(default_of(value.kind)))


def _of_group(value: Val) -> bool:
    """Whether this is a group's variable beside its own flag, which `fresh_values` made just before it."""
    if is_false(value.null) or not (z3.is_const(value.null) and z3.is_const(value.val)):
        return False
    flag, variable = name_of(value.null).split("!"), name_of(value.val).split("!")
    if (flag[0], variable[0]) != ("null", "group"):
        return False
    return int(variable[1]) == int(flag[1]) + 1


def renamed(world: World, term: Term) -> Term:
    """The same term with new bound variables."""
    swap: Swap = []
    rows = []
    for row, table in term.rows:
        new = world.fresh_row(table)
        rows.append((new, table))
        swap.append((row, new))
    groups = []
    for group in term.groups:
        values = fresh_values(world, group.values, [not is_false(v.null) for v in group.values])
        groups.append(Group(values, group.body))
        for old, now in zip(group.values, values, strict=True):
            if not is_false(old.null):
                swap.append((old.null, now.null))
            swap.append((old.val, now.val))
    return replace(swap_term(replace(term, rows=(), groups=tuple(groups)), swap), rows=tuple(rows))


def unfolded(world: World, bag: Bag) -> Bag:
    """A bag of the same tuples without groups: multiplicities are lost, for contexts where none count."""
    done: list[Term] = []
    for term in bag.terms:
        if not term.groups:
            done.append(term)
            continue
        bodies = [unfolded(world, group.body).terms for group in term.groups]
        for choice in itertools.product(*bodies):
            rows, cond, swap = list(term.rows), [term.cond], []
            for group, part in zip(term.groups, choice, strict=True):
                part = renamed(world, part)
                rows += part.rows
                cond.append(part.cond)
                swap += binding(group.values, part.outs)
            # Groups may not refer to one another, so one simultaneous substitution is enough.
            body = swap_term(Term((), (), conj(*cond), term.outs), swap)
            done.append(replace(body, rows=tuple(rows)))
            if len(done) > MAX_TERMS:
                raise Unsupported("sql: the query expands to too many cases")
    return Bag(tuple(done))


def exists(world: World, bag: Bag) -> Formula:
    """Whether the bag has any tuple."""
    return disj(*(_exists_term(reduced(world, term)) for term in unfolded(world, bag).terms))


def _exists_term(term: Term) -> Formula:
    if is_false(term.cond) or not term.rows:
        return term.cond
    # Named by depth, so that formulas that differ in the names of bound rows alone are one term of Z3.
    depth = quantifier_depth(term.cond)
    ordered = sorted(term.rows, key=lambda pair: pair[1].name)
    rows = [
        z3.Const(f"row.{table.name.lower()}@{depth}.{index}", row.sort())
        for index, (row, table) in enumerate(ordered)
    ]
    cond = z3.substitute(term.cond, *((row, new) for (row, _), new in zip(ordered, rows, strict=True)))
    inside = [membership(new, table) for (_, table), new in zip(ordered, rows, strict=True)]
    pattern = inside[0] if len(inside) == 1 else z3.MultiPattern(*inside)
    return z3.Exists(rows, cond, patterns=[pattern])


def group_formula(world: World, group: Group) -> Formula:
    """Whether the group's variables are a tuple of its bag, in normal form."""
    matching = [
        replace(term, cond=conj(term.cond, is_tuple(group.values, term.outs)), outs=())
        for term in group.body.terms
    ]
    shaped = [z3.Implies(v.null, v.val == default_of(v.kind)) for v in group.values if not is_false(v.null)]
    return conj(exists(world, Bag(tuple(matching))), *shaped)


def condition(world: World, term: Term) -> Formula:
    """The whole condition of a term, membership of its groups included."""
    return conj(term.cond, *(group_formula(world, group) for group in term.groups))


@remembered
def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of nested conjunctions."""
    parts: list[Formula] = []
    todo = [formula]
    while todo:
        node = todo.pop()
        if is_and(node):
            todo.extend(reversed(operands(node)))
        elif is_not(node) and is_or(node.arg(0)):
            todo.extend(neg(part) for part in reversed(operands(node.arg(0))))
        else:
            parts.append(node)
    return tuple(parts)


def reduced(world: World, term: Term, keep: Expr | None = None, *, by_groups: bool = False) -> Term:
    """The term without rows that a key determines: such a row is the key's inverse. `keep` goes last.

    Only with `by_groups` a row is told by a group's variables: a row may tell the group, and is simpler.
    """
    term = replace(term, cond=flat(term.cond))
    while True:
        found = _determined(world, term, keep, by_groups)
        if found is None:
            return term
        row, image, keys = found
        rows = tuple(pair for pair in term.rows if not pair[0].eq(row))
        # The key's columns are what they equal, but for the one statement that they do.
        moved = swap_term(swap_term(replace(term, rows=()), keys), [(row, image)])
        stated = [z3.substitute(column, (row, image)) == value for column, value in keys]
        term = replace(moved, rows=rows, cond=flat(conj(moved.cond, *stated)))


def rerooted(world: World, term: Term) -> Iterator[Term]:
    """The same term told from the side of a row that a key determines.

    Two rows that determine one another, such as a day and the day before, can both be the one that is chosen.
    """
    own = bound(term)
    said = {part.get_id() for part in conjuncts(term.cond)}
    for part in conjuncts(term.cond):
        for table in world.schema.tables:
            for key in table.unique_keys():
                image = _looked_up(world, part, table, key)
                if image is None or not constants(image) & own:
                    continue
                values = [world.column(table, table.column(name), image) for name in key]
                if any(
                    (world.key_expression(value) == wanted).get_id() not in said
                    or not (is_false(value.null) or neg(value.null).get_id() in said)
                    for value, wanted in zip(values, operands(image), strict=True)
                ):
                    continue
                row = world.fresh_row(table)
                moved = swap_term(replace(term, rows=()), [(image, row)])
                twin = reduced(world, replace(moved, rows=(*term.rows, (row, table))), keep=row)
                if len(twin.rows) == len(term.rows) and any(other.eq(row) for other, _ in twin.rows):
                    yield twin


def _looked_up(world: World, part: Formula, table: Table, key: tuple[str, ...]) -> Expr | None:
    """The row that a conjunct says to be in the table, where it is a key's inverse."""
    if not z3.is_app(part) or part.num_args() != 1:
        return None
    image = part.arg(0)
    if not part.eq(membership(image, table)) or image.num_args() != len(key):
        return None
    return image if image.eq(world.inverse(table, key, tuple(operands(image)))) else None


@remembered
def flat(formula: Formula) -> Formula:
    """Conjunctions flattened, duplicates and trivial parts dropped, without touching anything below."""
    seen: dict[int, Formula] = {}
    for part in conjuncts(formula):
        if is_false(part):
            return FALSE
        if is_eq(part) and part.arg(0).eq(part.arg(1)):
            continue
        if not is_true(part):
            seen.setdefault(part.get_id(), part)
    return conj(*seen.values())


_NUMBERED = re.compile(r"(?<![ (|]text)(?<![ (|]agg)![0-9]+")
"""The number in a variable's name; a literal's number is the same in both queries."""


def _determined(
    world: World, term: Term, keep: Expr | None, by_groups: bool
) -> tuple[Expr, Expr, Swap] | None:
    """A row variable that the condition fixes through a key, the row that it equals, and its key's values.

    Of several, the choice does not depend on how variables are numbered: where each of two rows fixes the
    other, both queries keep the same one.
    """
    parts = conjuncts(term.cond)
    equal = equalities(parts)
    known = {part.get_id() for part in parts}
    shown = mentioned(term.outs)
    barred = set() if by_groups else set().union(*(named(group.values) for group in term.groups))

    def late(pair: tuple[Expr, Table]) -> tuple[bool, bool, str]:
        return bool(keep is not None and pair[0].eq(keep)), name_of(pair[0]) in shown, pair[1].name.lower()

    found: list[tuple[Expr, Table, tuple[str, ...], list[Val], list[Expr]]] = []
    for row, table in sorted(term.rows, key=late):
        if found and late(found[0][:2]) != late((row, table)):
            break
        for key in table.unique_keys():
            columns = [world.column(table, table.column(name), row) for name in key]
            if not all(is_false(v.null) or neg(v.null).get_id() in known for v in columns):
                continue
            images = [_image(world, value, barred | {name_of(row)}, equal) for value in columns]
            if all(image is not None for image in images):
                found.append((row, table, key, columns, images))
                break
    if not found:
        return None
    if len(found) > 1:
        found.sort(key=lambda choice: _unnumbered(choice[4]))
    row, table, key, columns, images = found[0]
    twin = _row_with_key(world, table, key, images, term)
    image = twin if twin is not None else world.inverse(table, key, tuple(images))
    return row, image, [(world.key_expression(v), e) for v, e in zip(columns, images, strict=True)]


def _image(world: World, value: Val, barred: set[str], equal: dict[int, list[Expr]]) -> Expr | None:
    """What the condition says a key's column equals, without mention of these variables."""
    others = equal.get(world.key_expression(value).get_id(), ())
    return next((e for e in others if not constants(e) & barred), None)


def _unnumbered(images: list[Expr]) -> str:
    return " ".join(_NUMBERED.sub("!", image.sexpr()) for image in images)


def _row_with_key(
    world: World, table: Table, key: tuple[str, ...], images: list[Expr], term: Term
) -> Expr | None:
    """A row variable of the same table whose own key is `images`; it is the same row."""
    for row, other in term.rows:
        if other.name != table.name:
            continue
        columns = [world.column(table, table.column(name), row) for name in key]
        if all(is_false(v.null) for v in columns) and all(
            world.key_expression(v).eq(image) for v, image in zip(columns, images, strict=True)
        ):
            return row
    return None


def equalities(parts: Iterable[Formula]) -> dict[int, list[Expr]]:
    """Expression to what the condition says it equals, through chains of equalities."""
    classes: list[list[Expr]] = []
    for left, right in itertools.chain.from_iterable(map(solved, parts)):
        touched = [c for c in classes if any(m.eq(left) or m.eq(right) for m in c)]
        merged: list[Expr] = []
        for members in [*touched, [left, right]]:
            merged += [m for m in members if not any(m.eq(k) for k in merged)]
        classes = [c for c in classes if not any(c is t for t in touched)] + [merged]
    return {m.get_id(): [o for o in members if not o.eq(m)] for members in classes for m in members}


def solved(part: Formula) -> Swap:
    """What a conjunct says to be equal; a linear equation of integers is solved for each of its unknowns."""
    if not is_eq(part):
        return []
    left, right = part.arg(0), part.arg(1)
    while left.sort() == z3.RealSort() and z3.is_to_real(left) and z3.is_to_real(right):
        left, right = left.arg(0), right.arg(0)  # an equality of integers
    pairs = [(left, right)]
    if left.sort() == z3.IntSort() and not (_is_unknown(left) and _is_unknown(right)):
        summands = _summands(left, 1) + _summands(right, -1)
        for index, (sign, unknown) in enumerate(summands):
            if _is_unknown(unknown) and not unknown.eq(left) and not unknown.eq(right):
                rest = [(-sign * other, part) for i, (other, part) in enumerate(summands) if i != index]
                pairs.append((unknown, z3.Sum(*(part if s > 0 else -part for s, part in rest))))
    return pairs


def _is_unknown(expression: Expr) -> bool:
    """Whether this is a column, a variable or another value that only a database gives."""
    return bool(z3.is_app_of(expression, z3.Z3_OP_UNINTERPRETED))


def _summands(expression: Expr, sign: int) -> list[tuple[int, Expr]]:
    """The signed summands of an integer expression."""
    if z3.is_add(expression):
        return [pair for part in operands(expression) for pair in _summands(part, sign)]
    if z3.is_sub(expression):
        first, *rest = operands(expression)
        return _summands(first, sign) + [pair for part in rest for pair in _summands(part, -sign)]
    if z3.is_app_of(expression, z3.Z3_OP_UMINUS):
        return _summands(expression.arg(0), -sign)
    return [(sign, expression)]


def bound(term: Term) -> set[str]:
    """The names of the variables that a term binds."""
    found = {name_of(row) for row, _ in term.rows}
    for group in term.groups:
        found |= named(group.values)
    return found


def dependent(term: Term, groups: Iterable[Group] | None = None) -> bool:
    """Whether the body of a group (one of the term's own, unless others are given) mentions what it binds."""
    own = bound(term)
    return any(free(group.body) & own for group in (term.groups if groups is None else groups))


def free(bag: Bag) -> set[str]:
    """The names of the variables that a bag mentions and does not bind."""
    found: set[str] = set()
    for term in bag.terms:
        inside = constants(term.cond) | mentioned(term.outs)
        inside = inside.union(*(free(group.body) for group in term.groups))
        found |= inside - bound(term)
    return found


def named(values: Iterable[Val]) -> set[str]:
    """The names of group variables and of their NULL flags."""
    found: set[str] = set()
    for value in values:
        found.add(name_of(value.val))
        if not is_false(value.null):
            found.add(name_of(value.null))
    return found


def mentioned(values: Iterable[Val]) -> set[str]:
    """The names of the free variables of these values."""
    found: set[str] = set()
    for value in values:
        found |= constants(value.null) | constants(value.val)
    return found


def coerced(bags: list[Bag], dialect: str, nulls: str = BARE) -> list[Bag]:
    """The bags with outputs of one kind per column; raises where the kinds do not meet.

    `nulls` is the kind of a column of NULLs without a type.
    """
    if len(bags) > 1 and not all(bag.terms for bag in bags):
        raise Unsupported("sql: a side without any rows, whose types are not known")
    width = len(bags[0].terms[0].outs) if bags[0].terms else 0
    kinds: list[set[str]] = [set() for _ in range(width)]
    for bag in bags:
        for term in bag.terms:
            if len(term.outs) != width:
                raise Unsupported("sql: sides of unequal width")
            for i, out in enumerate(term.outs):
                kinds[i].add(out.kind)
    goals = [_meet(column, dialect, nulls) for column in kinds]
    return [
        Bag(
            tuple(
                replace(t, outs=tuple(_cast(out, goal) for out, goal in zip(t.outs, goals, strict=True)))
                for t in bag.terms
            )
        )
        for bag in bags
    ]


def _meet(kinds: set[str], dialect: str, nulls: str) -> str:
    # SQLite's NULLs have no type anywhere.
    kinds = kinds - ({*ALWAYS_NULL} if dialect == "sqlite" else {"null", UNTYPED})
    if not kinds:
        return nulls
    if len(kinds) == 1:
        return next(iter(kinds))
    shown = {computed(Val(FALSE, FALSE, kind)).kind for kind in kinds}
    if len(shown) == 1:
        return next(iter(shown))
    if kinds <= {*NUMBERS, "bool"} and not ("bool" in kinds and dialect in BOOLEANS):
        return united((kinds - {"bool"}) | ({"int"} if "bool" in kinds else set()), dialect)
    raise Unsupported(f"sql: one column with values of types {' and '.join(sorted(kinds))}")


def _cast(value: Val, goal: str) -> Val:
    if value.kind == goal:
        return value
    if is_true(value.null) or value.kind in ALWAYS_NULL:
        return Val(TRUE, default_of(goal), goal)
    if goal == computed(value).kind:
        return computed(value)
    raw = ite(value.val, z3.IntVal(1), z3.IntVal(0)) if value.kind == "bool" else value.val
    return Val(value.null, raw if goal == "int" else real(raw), goal)
