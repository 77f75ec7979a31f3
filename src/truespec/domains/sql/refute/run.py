"""Two queries on one engine: their outcomes on a database, and whether a difference between them counts."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from random import Random
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import (
    STATEMENT_SECONDS,
    Answered,
    Engine,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.engines.result import Outcome, Rows, folded, same
from truespec.domains.sql.engines.script import Database, insert_statements
from truespec.domains.sql.places import SIDES, place_of
from truespec.domains.sql.refute.equals import Equals, equals
from truespec.domains.sql.refute.measured import measured
from truespec.domains.sql.refute.rounding import MOVES, TOLERANCE, Arithmetic
from truespec.domains.sql.refute.ties import Variants, variants
from truespec.domains.sql.schema import Schema
from truespec.solvers.limit import Limit
from truespec.verdict import OutOfTime, TruespecError

MAX_STOPPED = 8
"""So many stopped queries end a search: what does not finish on a dozen rows will not finish on others."""
FEW_SHUFFLES, SHUFFLES, MORE_SHUFFLES = 1, 4, 14
"""Row orders that a difference must survive: while it is made smaller, in the end, and in the end where a
query leaves a choice to the engine."""
EXACT = 2**53
"""Numbers beyond this may have been rounded or overflowed."""


Determined = Callable[[exp.Expr, Limit], bool]
"""A proof that a query has one result on every database."""
DETERMINED_PORTION = 0.5
"""The share of the time that is left in which a query may be proved to have one result."""


def is_ordered(tree: exp.Expr) -> bool:
    """Whether a query orders its result at the top level."""
    around: Any = tree
    while isinstance(around, exp.Subquery) and not around.args.get("order"):
        around = around.this
    return around.args.get("order") is not None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a difference does not count."""

    wavering: frozenset[int] = frozenset()
    """The queries whose results changed with the order of rows; empty where rounding is the reason."""


class Run:
    """One pair on one engine."""

    def __init__(
        self,
        texts: Sequence[str],
        trees: Sequence[exp.Expr],
        schema: Schema,
        order: str,
        settings: Settings,
        limit: Limit,
        determined: Determined,
    ) -> None:
        self.texts = list(texts)
        self.trees = list(trees)
        self.schema = schema
        self.settings = settings
        self.limit = limit
        self.engine: Engine = engine(schema.dialect)
        self.ordered = order != "bag" and all(map(is_ordered, self.trees))
        self.arithmetic = Arithmetic.of(self.trees, schema)
        self.inexact = any(map(self.arithmetic.is_inexact, self.trees))
        self.choices = any(map(_leaves_choices, self.trees)) or self.ordered
        self.determined = determined
        self._determined: dict[int, bool] = {}
        self._doubted: tuple[Database, Doubt | None] | None = None
        self._patience = [0.0, 0.0]
        seed = hashlib.sha256("\0".join([*sorted(self.texts), schema.ddl]).encode("utf-8", "surrogatepass"))
        self.seed = int.from_bytes(seed.digest()[:8], "big")

    def outcomes(
        self, database: Database, texts: list[str] | None = None, settings: Settings | None = None
    ) -> list[Outcome]:
        return self.engine.run(
            self.schema,
            insert_statements(database, self.schema),
            texts or self.texts,
            settings or self.settings,
            seconds=_coarse(self.limit.remaining()),
        )

    def many(self, databases: Sequence[Database], arrangement: int = 0) -> list[Answered]:
        """What both queries yield on each database; one that is stopped in haste is run again alone."""
        if not databases:
            return []
        inserts = [insert_statements(database, self.schema) for database in databases]

        def run(some: list[list[str]], seconds: float) -> list[Answered]:
            return self.engine.run_many(
                self.schema, some, self.texts, self.settings, seconds=seconds, arrangement=arrangement
            )

        found = run(inserts, _coarse(self.limit.remaining() / len(databases) / 2))
        for place, one in enumerate(found):
            if isinstance(one, Stopped) and len(found) > 1:
                (found[place],) = run([inserts[place]], _coarse(self.limit.remaining() / 2))
                if isinstance(found[place], Stopped):
                    break  # so will the others be
        return found

    def differ(self, found: list[Outcome]) -> bool:
        return not same(found[0], found[1], ordered=self.ordered)

    def doubt(self, database: Database, found: list[Outcome], *, quickly: bool = False) -> Doubt | None:
        """Why a difference does not count; None where it does.

        It counts where numbers are exact, rounding has no part in it, and row order and plans change nothing;
        or where they change the candidate's result alone and the oracle is proved to have one: the candidate
        then allows a result, the one that the engine returned, which the oracle does not. Lists of another
        length differ whatever the order of the rows.
        """
        doubt = self._doubt(database, found, quickly=quickly)
        # Which plan fails is no matter of the query's meaning: both results are rows.
        if doubt is not None and doubt.wavering and self._differ_in_length(database, quickly=quickly):
            return None
        free = doubt is not None and doubt.wavering == {1} and self._differ_as_bags(found)
        if free and all(isinstance(one, Rows) for one in found) and self.is_determined(0):
            return None
        return doubt

    def _differ_as_bags(self, found: list[Outcome]) -> bool:
        """Whether results that differ do so in more than the order of their rows."""
        return not self.ordered or not same(found[0], found[1], ordered=False)

    def is_determined(self, side: int) -> bool:
        """Whether a query is proved to have one result, as a bag, on every database.

        Asked once; where time runs out, again as soon as there is half as much more of it.
        """
        portion = self.limit.portion(DETERMINED_PORTION)
        if side not in self._determined and portion.remaining() >= self._patience[side]:
            self._patience[side] = 1.5 * portion.remaining()
            with contextlib.suppress(OutOfTime):
                self._determined[side] = self.determined(self.trees[side], portion)
        return self._determined.get(side, False)

    def allowed(self, database: Database, wanted: Outcome) -> Database | None:
        """The rows in an order in which the candidate gives the oracle's result; None where none was met."""
        random = Random(self.seed)
        moved = [_shuffled(database, random, backwards=number == 0) for number in range(MORE_SHUFFLES)]
        for one, again in zip(moved, self.many(moved), strict=True):
            if isinstance(again, list) and same(again[1], wanted, ordered=False):
                return one
        return None

    def wavers(self, database: Database, found: list[Outcome]) -> bool:
        """Whether a difference is one in some order of rows, or by rounding, alone."""
        return self._doubt(database, found, quickly=False) is not None

    def _doubt(self, database: Database, found: list[Outcome], *, quickly: bool) -> Doubt | None:
        """See `doubt`; here a result that changes never counts. What was asked last in full is known."""
        if self._doubted is not None and self._doubted[0] is database:
            return self._doubted[1]
        doubt = self._new_doubt(database, found, quickly=quickly)
        if not quickly:
            self._doubted = database, doubt
        return doubt

    def _new_doubt(self, database: Database, found: list[Outcome], *, quickly: bool) -> Doubt | None:
        # Sorted rows that differ in more than their order differ whatever it is.
        ordered = not self._differ_as_bags(found)
        if not all(map(_exact, found)):
            return Doubt()
        if self.inexact and not self._beyond_rounding(database, found, ordered):
            return Doubt()
        if self.choices:
            doubt = self._hidden_ties(database, found, ordered) or self._kept_of_equals(
                database, found, ordered
            )
            if doubt is not None:
                return doubt
        shuffles = MORE_SHUFFLES if self.choices else SHUFFLES
        if quickly:
            shuffles = FEW_SHUFFLES if self.choices else 0
        for some, arrangement in self._orders(database, shuffles):
            for again in self.many(some, arrangement):
                if isinstance(again, TruespecError):
                    raise again
                pairs = enumerate(zip(found, again, strict=True))
                moved = [side for side, (one, other) in pairs if not same(one, other, ordered=ordered)]
                if moved:
                    return Doubt(frozenset(moved))
        return None

    def _orders(self, database: Database, shuffles: int) -> list[tuple[list[Database], int]]:
        """The rows in so many orders, each with an arrangement; what the engine takes alike comes once."""
        random = Random(self.seed)
        moved = [_shuffled(database, random, backwards=number == 0) for number in range(shuffles)]
        # The first alone: most differences that do not count vanish there.
        groups = ((moved[:1], 1), (moved[1::3], 2), (moved[2::3], 3), (moved[3::3], 1))
        seen: set[tuple[int, tuple[str, ...]]] = set()
        orders: list[tuple[list[Database], int]] = []
        for some, arrangement in groups:
            like = self.engine.arranged_like[arrangement]
            keys = {(like, tuple(insert_statements(one, self.schema))): one for one in some}
            orders.append(([one for key, one in keys.items() if key not in seen], arrangement))
            seen |= keys.keys()
        return orders

    def _differ_in_length(self, database: Database, *, quickly: bool) -> bool:
        """Whether the queries differ by the lengths of the lists that they put out, whatever the order."""
        other = self._measured
        if other is None:
            return False
        other.limit = self.limit
        found = other.outcomes(database)
        if not all(isinstance(one, Rows) for one in found) or not other.differ(found):
            return False
        return other.doubt(database, found, quickly=quickly) is None

    @cached_property
    def _measured(self) -> Run | None:
        """The pair with lengths in place of lists; None where it has none, or is such a pair."""
        of_lists = DIALECTS[self.schema.dialect].lists_have_length
        trees = None if self.ordered else measured(self.trees, of_lists=of_lists)
        if trees is None:
            return None
        try:
            texts = [tree.sql(self.schema.dialect) for tree in trees]
        except Exception:  # a generator's own limits
            return None
        return Run(texts, trees, self.schema, "bag", self.settings, self.limit, lambda *_: False)

    @cached_property
    def tied(self) -> list[Variants | None]:
        """What tells of each query whether it chooses among hidden ties."""
        return [variants(tree, self.schema, self.ordered) for tree in self.trees]

    def _hidden_ties(self, database: Database, found: list[Outcome], ordered: bool) -> Doubt | None:
        """Ties that are broken by values, which no order of rows shows."""
        for side, hidden in enumerate(self.tied):
            if hidden is None or (hidden.questions and self._have_peers(database, hidden.questions)):
                if not ordered and self.is_determined(side):
                    continue  # whatever it chooses among, the choice shows at most in the order of the result
                return Doubt(frozenset({side}))
            elif hidden.texts:
                for outcome in self.outcomes(database, texts=hidden.texts):
                    if not same(outcome, found[side], ordered=ordered):
                        return Doubt(frozenset({side}))
        return None

    def _kept_of_equals(self, database: Database, found: list[Outcome], ordered: bool) -> Doubt | None:
        """Values that are equal and can be told apart, of which a query keeps either (`equals.py`)."""
        letters = self._equals[0].texts or self._equals[1].texts
        alike = same(*(folded(one, letters=letters) for one in found), ordered=ordered)
        for side, kept in enumerate(self._equals):
            if not kept.shown and not (letters and alike):
                continue  # results that differ in more than the forms of texts
            if not (kept.unasked or (kept.questions and self._have_peers(database, kept.questions))):
                continue
            if ordered or not self.is_determined(side):
                return Doubt(frozenset({side}))
        return None

    @cached_property
    def _equals(self) -> list[Equals]:
        return [equals(tree, self.schema, self.ordered) for tree in self.trees]

    def _have_peers(self, database: Database, questions: list[str]) -> bool:
        """Whether rows tie on a database, or may."""
        counted = self.outcomes(database, texts=questions)
        return any(not isinstance(one, Rows) or one.rows != ((0,),) for one in counted)

    def _beyond_rounding(self, database: Database, found: list[Outcome], ordered: bool) -> bool:
        """See `rounding` for the two cases."""
        if self.arithmetic.in_cents:
            return False
        settings = self.settings
        if DIALECTS[self.schema.dialect].division_digits_set_by_session:
            settings = replace(settings, digits=30)
            found = self.outcomes(database, settings=settings)
        if same(*found, ordered=ordered):
            return False
        exact = self._refusing_inexact
        if exact is None:
            return False
        # MariaDB's error is an overflow, which stops a query.
        with contextlib.suppress(Stopped):
            again = self.outcomes(database, texts=exact, settings=settings)
            if all(same(one, other, ordered=ordered) for one, other in zip(found, again, strict=True)):
                return True
        if not all(map(self.arithmetic.only_shown, self.trees)):
            return False
        if same(*found, ordered=ordered, tolerance=TOLERANCE):
            return False
        # A rewritten query that fails where the original does not is another result.
        for texts in self._moved:
            if texts is None:
                return False
            again = self.outcomes(database, texts=texts, settings=settings)
            for one, other in zip(found, again, strict=True):
                if not isinstance(other, Rows) or not same(one, other, ordered=ordered, tolerance=TOLERANCE):
                    return False
        return True

    def too_large(self) -> str | None:
        """Where operations that may round are too large to ask what they round; None where they are not."""
        for side, tree in zip(SIDES, self.trees, strict=True):
            found = self.arithmetic.too_large(tree)
            if found is not None:
                place = next(filter(None, map(place_of, found.walk(bfs=False))), None)
                return side if place is None else f"{side}, {place}"
        return None

    @cached_property
    def _refusing_inexact(self) -> list[str] | None:
        """The texts with an error for every inexact result; the same for all databases."""
        return self._rewritten(self.arithmetic.refusing_inexact)

    @cached_property
    def _moved(self) -> list[list[str] | None]:
        """The texts with every inexact result moved, in each of the ways; the same for all databases."""
        found = [self._rewritten(partial(self.arithmetic.moved, ways=ways)) for ways in MOVES]
        return [texts for place, texts in enumerate(found) if texts not in found[:place]]

    def _rewritten(self, rewrite: Callable[[exp.Expr], str | None]) -> list[str] | None:
        texts = [
            rewrite(tree) if self.arithmetic.is_inexact(tree) else text
            for tree, text in zip(self.trees, self.texts, strict=True)
        ]
        kept = [text for text in texts if text is not None]
        return kept if len(kept) == len(texts) else None


def _leaves_choices(tree: exp.Expr) -> bool:
    """Whether a query may leave a choice to the engine: which rows, which of a group, in which order."""
    return (
        tree.find(exp.Limit, exp.Fetch, exp.Offset, exp.Window, exp.GroupConcat, exp.Group, exp.Distinct)
        is not None
        or tree.find(exp.SetOperation) is not None
        or tree.find(exp.AggFunc, exp.Anonymous, exp.AnyValue, exp.First, exp.Last) is not None
    )


_CHOICES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("LIMIT without a total order", (exp.Limit, exp.Fetch, exp.Offset)),
    ("ties in the order of a window", (exp.Window,)),
    ("the order inside an aggregate", (exp.GroupConcat, exp.ArrayAgg, exp.First, exp.Last, exp.AnyValue)),
    ("a column that GROUP BY does not determine, or texts that the collation calls equal", (exp.Group,)),
    ("which of the texts that the collation calls equal is kept", (exp.Distinct, exp.Max, exp.Min)),
)
"""Constructs that leave a choice to an engine, from the likeliest to the rarest."""


def choice_of(tree: exp.Expr) -> str:
    """What in a query leaves the engine a choice."""
    for name, nodes in _CHOICES:
        if tree.find(*nodes) is not None:
            return name
    return "ties in ORDER BY" if is_ordered(tree) else "a choice that the engine makes"


def _shuffled(database: Database, random: Random, backwards: bool) -> Database:
    tables = {}
    for name, found in database.tables.items():
        order = list(found)
        if backwards:
            order.reverse()
        else:
            random.shuffle(order)
        tables[name] = tuple(order)
    return Database(tables)


def _exact(outcome: Outcome) -> bool:
    if not isinstance(outcome, Rows):
        return True
    return not any(
        isinstance(value, int | float | Decimal) and not abs(float(value)) <= EXACT
        for row in outcome.rows
        for value in row
    )


def _coarse(seconds: float) -> float:
    """A statement's limit out of a few, because setting one takes a round trip."""
    return next(limit for limit in (STATEMENT_SECONDS, 0.5, 0.25, 0.1, 0.05) if limit <= max(seconds, 0.05))
