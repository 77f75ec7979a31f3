"""Proof by parts: what both queries compute alike on the way stands for any table in the rest.

Statement. Let P be a CTE or a derived table of one query, Q one of the other, and f a choice of columns of P.
Where Q and f(P) are the same bag, and the queries are equal with the rows of an unknown table R in place of P
and with f(R) in place of Q, whatever rows of the columns' kinds R has that meet the facts F, the queries are
equal, provided that P meets F. A part may be proved with parts that it holds replaced, and so on.

Side conditions. Neither P nor Q mentions a column of the queries around it, stands in a recursion, or leaves
the engine a choice. Each column of P has one kind, and the column of Q that it becomes has the same; it is no
string literal and no NULL as written, whose types depend on what stands beside them; nor is it a constant
where the queries divide, as PostgreSQL divides by it before the query runs, tested or not. F says which
columns are never NULL, which columns tell the rows apart (texts by their class under the collation), which
values are those of another table's key, and how small numbers are; each of it is proved of P. The texts of
the queries are the same as before: only the rows that a name stands for are unknown, so that names, stars and
conversions mean what they meant. Bags are equal by their bytes, as results are.

Why. On a legal database let R be the rows of P there. It meets F, f(R) is the bag of Q, and the meaning of a
query is a function of the bags of its parts, since it depends on no order of their rows. So each query is
what it is with R, and these are equal. Another part that is f'(P) is f'(R).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from sqlglot import exp

from truespec.domains.sql.compile.parts import Place, marked
from truespec.domains.sql.compile.scope import Source
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.ir.effort import Effort
from truespec.domains.sql.ir.kinds import Kind
from truespec.domains.sql.ir.parts import View
from truespec.domains.sql.ir.symbols import reads_rows
from truespec.domains.sql.ir.world import World
from truespec.domains.sql.prove.part_columns import Way, kinds_of, ways
from truespec.domains.sql.prove.part_facts import facts_of
from truespec.domains.sql.prove.proof import ProofTrace, prove_in, readers_in
from truespec.domains.sql.prove.prover import Prover
from truespec.domains.sql.schema import Schema
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, OutOfTime, SpecificationError, Undecided

OF_PART = Effort(60_000, 150, 60_000)
"""How hard to try for a part: what is no part of the other query is to be seen soon."""
OF_REST = Effort(200_000, 600, 200_000)
"""How hard to try for what is left."""
PART_PORTION = 0.6
"""The share of the time that is left which one pair of parts may take."""
MAX_WAYS = 3
"""Correspondences of columns tried for one pair of parts."""

Trees = tuple[exp.Expr, exp.Expr]
"""Both queries, their parts marked."""
Choose = Callable[[tuple[Source, Source]], Way | None]
"""Says which columns of two parts that were read correspond."""
Views = dict[str, View]
"""The parts that stand for any table, by what they are called."""


class Stage(Enum):
    """Which parts are compared, in order; where the first stage finds none, nothing more is tried."""

    LIKELY = 1
    """Those of as many columns, and those of which one has all columns of the other by name."""
    OTHERS = 2
    """All others of which neither stands for a table yet."""
    AGAIN = 3
    """Those of which one does."""


def prove_by_parts(
    oracle: exp.Expr,
    candidate: exp.Expr,
    schema: Schema,
    order: str,
    settings: Settings,
    limit: Limit,
) -> ProofTrace | None:
    """A proof that takes parts of both queries for one unknown table each; None where none is found."""
    (left, mine), (right, yours) = marked(oracle, 0), marked(candidate, 1)
    search = _Search((left, right), schema, settings, limit)
    for stage in Stage:
        for one, other in itertools.product(mine, yours):
            if search.is_open(one, other, stage):
                search.compare(one, other)
        if not search.views:
            return None
    try:
        trace = prove_in(World(schema, settings, limit, OF_REST), left, right, order, search.views)
    except OutOfTime:
        raise
    except (Undecided, SpecificationError, RecursionError):
        return None
    if trace is None:
        return None
    return replace(trace, parts=tuple(search.records), steps=(*search.steps, *trace.steps))


@dataclass(eq=False)
class _Search:
    """The parts of one pair of queries that were proved equal so far."""

    trees: Trees
    schema: Schema
    settings: Settings
    limit: Limit
    views: Views = field(default_factory=dict)
    """What they stand for."""
    records: list[dict[str, JSON]] = field(default_factory=list)
    """The proofs, for a certificate."""
    steps: list[str] = field(default_factory=list)
    """The proofs, for readers."""
    kinds: dict[str, tuple[Kind, ...] | None] = field(default_factory=dict)
    """The kinds of the columns of parts that were read, None where they cannot be replaced."""

    def is_open(self, one: Place, other: Place, stage: Stage) -> bool:
        """Whether two parts may be one table at a stage, by what they read, and by their kinds if known."""
        known = [place.part in self.views for place in (one, other)]
        if any(known) != (stage is Stage.AGAIN) or all(known) or one.tables != other.tables:
            return False
        if (stage is Stage.OTHERS) == _are_likely(one, other) and stage is not Stage.AGAIN:
            return False
        mine, yours = self.kinds.get(one.part, ()), self.kinds.get(other.part, ())
        if mine is None or yours is None:
            return False
        if not mine or not yours:
            return True
        return (not known[1] and _embeds(yours, mine)) or (not known[0] and _embeds(mine, yours))

    def compare(self, one: Place, other: Place) -> None:
        """Take two parts for one table where that is proved."""
        alike = one.columns is None or other.columns is None or len(one.columns) == len(other.columns)
        for number in range(MAX_WAYS if alike else 1):
            if not self._attempt(one, other, number):
                return

    def _attempt(self, one: Place, other: Place, number: int) -> bool:
        """Try one of the correspondences of columns; whether it fails and there are more."""
        limit = self.limit.portion(PART_PORTION)
        world = World(self.schema, self.settings, limit, OF_PART)
        parts = one.part, other.part
        found: list[Way] = []

        def choose(sources: tuple[Source, Source]) -> Way | None:
            self.kinds |= {part: kinds_of(source.bag) for part, source in zip(parts, sources, strict=True)}
            wide = next((side for side, part in enumerate(parts) if part in self.views), None)
            found.extend(ways(*sources, wide))
            return found[number] if number < len(found) else None

        try:
            added = proved(world, self.trees, self.views, parts, choose)
        except OutOfTime:
            self.limit.check()
            added = None
        except (Undecided, SpecificationError, RecursionError):
            added = None
        if added is None:
            return number + 1 < len(found)
        self.views |= added
        self.records.append(_record(parts, found[number], world))
        self.steps.append(f"the part {one.shown!r} of the oracle is {other.shown!r} of the candidate")
        return False


def _are_likely(one: Place, other: Place) -> bool:
    """Whether two parts look like one table."""
    if one.columns is None or other.columns is None or len(one.columns) == len(other.columns):
        return True
    mine, yours = frozenset(one.columns), frozenset(other.columns)
    return mine <= yours or yours <= mine


def _embeds(few: tuple[Kind, ...], many: tuple[Kind, ...]) -> bool:
    """Whether the columns of one part may be among those of the other, by their kinds."""
    return all(few.count(kind) <= many.count(kind) for kind in few)


def leaves_choices(prover: Prover) -> bool:
    """Whether what was read leaves the engine a choice."""
    aggregates = prover.aggregates
    return bool(aggregates.ties) or any(operator.chosen for operator in aggregates.operators)


def same_bags(prover: Prover, wide: Source, narrow: Source, way: Way) -> bool:
    """Whether the columns that correspond hold the same rows equally often."""
    return prover.same(wide.bag.mapped(way.seen), narrow.bag)


def proved(
    world: World, trees: Trees, views: Mapping[str, View], parts: tuple[str, str], choose: Choose
) -> Views | None:
    """The views that take two parts for one table, where that is proved in this world.

    Where one of them stands for a table already, the other one is compared with what it was.
    """
    known = [views[part] for part in parts if part in views]
    if len(known) == len(parts):
        return None
    taken = {view.part for view in known}
    prover, compiler = readers_in(world, *trees)
    compiler.parts = {name: view for name, view in views.items() if view.part not in taken}
    sources = compiler.read_part(trees[0], 0, parts[0]), compiler.read_part(trees[1], 1, parts[1])
    if leaves_choices(prover):
        return None
    way = choose(sources)
    if way is None or (known and parts[way.wide] not in views):
        return None
    wide, narrow = sources[way.wide], sources[1 - way.wide]
    kinds, others = kinds_of(wide.bag), kinds_of(narrow.bag)
    if kinds is None or others is None or not way.fits(kinds, others):
        return None
    if compiler.cut[0] != compiler.cut[1]:
        return None
    if compiler.quotients and any(tree.find(exp.Cast) is not None for tree in trees):
        return None  # the rest would not show what a CAST of such a quotient meets
    if _hides_constants(world, trees, (wide, narrow)) or not same_bags(prover, wide, narrow, way):
        return None
    names = tuple(column.column for column in narrow.names)
    if known:
        (view,) = known
        return {parts[1 - way.wide]: View(view.part, tuple(view.columns[c] for c in way.columns), names)}
    part = facts_of(prover, wide.bag, kinds, 1 + len({view.part for view in views.values()}))
    every = View(part, tuple(range(len(kinds))), tuple(column.column for column in wide.names))
    return {parts[way.wide]: every, parts[1 - way.wide]: View(part, way.columns, names)}


_FAILING = (exp.Div, exp.IntDiv, exp.Mod, exp.DateFromParts, exp.Anonymous)
"""What may fail by its arguments' values (`no_error` in `compile/expr/numbers.py`)."""


def _hides_constants(world: World, trees: Trees, sources: tuple[Source, Source]) -> bool:
    """Whether a view would hide a constant that a planner may compute with before the query runs."""
    if not world.dialect.errors_raise or world.dialect.quotients_may_be_infinite:
        return False
    values = [out.val for source in sources for term in source.bag.terms for out in term.outs]
    return not all(map(reads_rows, values)) and any(tree.find(*_FAILING) is not None for tree in trees)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a certificate says of two parts."""

    parts: tuple[str, str]
    """What the oracle's part and the candidate's are called."""
    way: Way
    """Which columns correspond."""
    trace: str
    """The trail of the proof."""

    def chosen(self, sources: tuple[Source, Source]) -> Way:
        """The columns that correspond, whatever was read."""
        return self.way


def recorded(record: JSON) -> Recorded | None:
    """What a certificate says of two parts; None where that is nothing."""
    if not isinstance(record, dict):
        return None
    first, second, trace = (record.get(key) for key in ("oracle", "candidate", "trace"))
    wide, columns = record.get("wide"), record.get("columns")
    if not isinstance(first, str) or not isinstance(second, str) or not isinstance(trace, str):
        return None
    if not isinstance(wide, int) or wide not in (0, 1) or not isinstance(columns, list):
        return None
    places = tuple(column for column in columns if isinstance(column, int))
    return Recorded((first, second), Way(wide, places), trace) if len(places) == len(columns) else None


def _record(parts: tuple[str, str], way: Way, world: World) -> dict[str, JSON]:
    """What a certificate says of two parts."""
    return {
        "oracle": parts[0],
        "candidate": parts[1],
        "wide": way.wide,
        "columns": list(way.columns),
        "trace": "".join(world.trail),
    }
