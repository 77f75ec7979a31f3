"""The search itself: draw, run on the target engine, confirm, shrink."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.contract import RecheckStatus
from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.accept import accept
from truespec.domains.sql.engines.contract import (
    STATEMENT_SECONDS,
    Answered,
    BadDatabase,
    Engine,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.registry import engine
from truespec.domains.sql.engines.result import Outcome, Rows, same
from truespec.domains.sql.engines.script import Database, insert_statements
from truespec.domains.sql.refute.bounded import space
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.refutation import Refutation
from truespec.domains.sql.refute.replay import replay, replay_allowed
from truespec.domains.sql.refute.rounding import TOLERANCE, Arithmetic
from truespec.domains.sql.refute.seeds import propose
from truespec.domains.sql.refute.shrink import shrink
from truespec.domains.sql.refute.ties import variants
from truespec.domains.sql.schema import Schema
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, OutOfTime, TruespecError, Unsupported

MAX_DATABASES = 2_500
"""A search that found nothing on so many databases ends, though time is left."""
MAX_STOPPED = 8
"""So many stopped queries end a search: what does not finish on a dozen rows will not finish on others."""
MAX_UNCONFIRMED = 150
"""So many differences that were not stable end a search."""
SHRINK_PORTION = 0.5
"""The share of the time that is left in which a database is made smaller."""
FEW_SHUFFLES, SHUFFLES, MORE_SHUFFLES = 1, 4, 14
"""Row orders that a difference must survive: while it is made smaller, in the end, and in the end where a
query leaves a choice to the engine."""
BATCH_SECONDS = 0.1
"""How long the databases of one request may take, by the pace of the last request."""
DETERMINED_PORTION = 0.3
"""The share of the time that is left in which the oracle may be proved to have one result."""
PROBES = 12
"""On how many databases a query's own dependence on the order of rows is looked for."""
EXACT = 2**53
"""Numbers beyond this may have been rounded or overflowed."""


Determined = Callable[[exp.Expr, Limit], bool]
"""A proof that a query has one result on every database."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a search found."""

    refutation: Refutation | None
    """A confirmed difference, shrunk."""
    databases: int
    """How many databases both queries were run on."""
    unstable: int
    """Differences that vanished when rows were reordered."""
    rounded: int
    """Differences that rest on rounding or on numbers too large to be exact, or that did not replay."""
    wavering: frozenset[int]
    """Which queries gave other results when rows were reordered: 0 the oracle, 1 the candidate."""
    stopped: int
    """Databases on which a query was stopped."""
    ended: str
    """Why the search ended: `found`, `time`, `databases`, `stopped` or `unstable`."""


def refute(
    oracle: str,
    candidate: str,
    schema: Schema,
    dialect: str,
    order: str,
    settings: Settings,
    limit: Limit,
) -> Refutation | None:
    """A database that tells the two queries apart on the dialect's engine, or None.

    Deterministic up to the limit: databases are drawn from a seed of the pair. `ToolMissing` where the engine
    is not installed.
    """
    if dialect != schema.dialect:
        raise ValueError(f"the schema is of dialect {schema.dialect!r}, not {dialect!r}")
    found = search(oracle, candidate, schema, order, settings, limit)
    return found.refutation


def is_ordered(tree: exp.Expr) -> bool:
    """Whether a query orders its result at the top level."""
    around: Any = tree
    while isinstance(around, exp.Subquery) and not around.args.get("order"):
        around = around.this
    return around.args.get("order") is not None


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Why a difference does not count."""

    wavering: frozenset[int] = frozenset()
    """The queries whose results changed with the order of rows; empty where rounding is the reason."""


class _Run:
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
        self.tied = [variants(tree, schema, self.ordered) for tree in self.trees]
        self.determined = determined
        self._is_determined: bool | None = None
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

    def doubt(self, database: Database, found: list[Outcome], *, quickly: bool = False) -> _Doubt | None:
        """Why a difference does not count; None where it does.

        It counts where numbers are exact, rounding has no part in it, and row order and plans change nothing;
        or where they change the candidate's result alone and the oracle is proved to have one: the candidate
        then allows a result, the one that the engine returned, which the oracle does not.
        """
        doubt = self._doubt(database, found, quickly=quickly)
        # Which plan fails is no matter of the query's meaning: both results are rows.
        free = doubt is not None and doubt.wavering == {1} and not self.ordered
        if free and all(isinstance(one, Rows) for one in found) and self.oracle_is_determined():
            return None
        return doubt

    def oracle_is_determined(self) -> bool:
        """Whether the oracle is proved to have one result on every database; asked once."""
        if self._is_determined is None:
            self._is_determined = self.determined(self.trees[0], self.limit.portion(DETERMINED_PORTION))
        return self._is_determined

    def allowed(self, database: Database, wanted: Outcome) -> Database | None:
        """The rows in an order in which the candidate gives the oracle's result; None where none was met."""
        random = Random(self.seed)
        moved = [_shuffled(database, random, backwards=number == 0) for number in range(MORE_SHUFFLES)]
        for one, again in zip(moved, self.many(moved), strict=True):
            if isinstance(again, list) and same(again[1], wanted, ordered=False):
                return one
        return None

    def _doubt(self, database: Database, found: list[Outcome], *, quickly: bool) -> _Doubt | None:
        """See `doubt`; here a result that changes never counts."""
        if not all(map(_exact, found)):
            return _Doubt()
        if self.inexact and not self._beyond_rounding(database):
            return _Doubt()
        if self.choices:
            doubt = self._hidden_ties(database, found)
            if doubt is not None:
                return doubt
        random = Random(self.seed)
        shuffles = MORE_SHUFFLES if self.choices else SHUFFLES
        if quickly:
            shuffles = FEW_SHUFFLES if self.choices else 0
        shuffled = [_shuffled(database, random, backwards=number == 0) for number in range(shuffles)]
        # The first alone: most differences that do not count vanish there.
        groups = [(shuffled[:1], 1), (shuffled[1::3], 2), (shuffled[2::3], 3), (shuffled[3::3], 1)]
        for some, arrangement in groups:
            for again in self.many(some, arrangement):
                if isinstance(again, TruespecError):
                    raise again
                pairs = enumerate(zip(found, again, strict=True))
                moved = [side for side, (one, other) in pairs if not same(one, other, ordered=self.ordered)]
                if moved:
                    return _Doubt(frozenset(moved))
        return None

    def _hidden_ties(self, database: Database, found: list[Outcome]) -> _Doubt | None:
        """Ties that are broken by values, which no order of rows shows."""
        for side, texts in enumerate(self.tied):
            if texts is None:
                return _Doubt(frozenset({side}))
            if texts:
                for outcome in self.outcomes(database, texts=texts):
                    if not same(outcome, found[side], ordered=self.ordered):
                        return _Doubt(frozenset({side}))
        return None

    def _beyond_rounding(self, database: Database) -> bool:
        """See `rounding` for the two cases."""
        settings = self.settings
        if DIALECTS[self.schema.dialect].division_digits_set_by_session:
            settings = replace(settings, digits=30)
        found = self.outcomes(database, settings=settings)
        if not self.differ(found):
            return False
        exact = self._rewritten(self.arithmetic.refusing_inexact)
        if exact is None:
            return False
        # MariaDB's error is an overflow, which stops a query.
        with contextlib.suppress(Stopped):
            again = self.outcomes(database, texts=exact, settings=settings)
            if all(same(one, other, ordered=self.ordered) for one, other in zip(found, again, strict=True)):
                return True
        if not all(map(self.arithmetic.only_shown, self.trees)):
            return False
        for upwards in (True, False):
            texts = self._rewritten(partial(self.arithmetic.moved, upwards=upwards))
            if texts is None:
                return False
            one, other = self.outcomes(database, texts=texts, settings=settings)
            # A rewritten query that fails where the original does not says nothing.
            if not isinstance(one, Rows) or not isinstance(other, Rows):
                return False
            if same(one, other, ordered=self.ordered, tolerance=TOLERANCE):
                return False
        return True

    def _rewritten(self, rewrite: Callable[[exp.Expr], str | None]) -> list[str] | None:
        texts = [
            rewrite(tree) if self.arithmetic.is_inexact(tree) else text
            for tree, text in zip(self.trees, self.texts, strict=True)
        ]
        kept = [text for text in texts if text is not None]
        return kept if len(kept) == len(texts) else None


def search(
    oracle: str,
    candidate: str,
    schema: Schema,
    order: str,
    settings: Settings,
    limit: Limit,
    databases: int = MAX_DATABASES,
) -> Search:
    """Draw databases until one tells the queries apart, or a limit is reached.

    `SpecificationError` for a text that the engine does not accept.
    """
    texts = (oracle, candidate)
    for text in texts:
        accept(text, schema, settings)
    try:
        trees = [sqlglot.parse_one(text, read=schema.dialect) for text in texts]
    except SqlglotError as error:
        raise Unsupported(f"not parsed: {str(error).splitlines()[0]}") from error
    return Hunt(texts, trees, schema, order, settings).go(limit, databases)


def _never(_: exp.Expr, __: Limit) -> bool:
    return False


class Hunt:
    """A search that can go on where it stopped."""

    def __init__(
        self,
        texts: Sequence[str],
        trees: Sequence[exp.Expr],
        schema: Schema,
        order: str,
        settings: Settings,
        determined: Determined = _never,
    ) -> None:
        """Two queries that the engine accepts, with their trees.

        `determined` proves, within a limit, that a query has one result on every database.
        """
        self._run = _Run(texts, trees, schema, order, settings, Limit.start(0), determined)
        self._generator = Generator(schema, self._run.trees, self._run.seed)
        self._tried = self._unstable = self._rounded = self._stopped = 0
        self._again: list[Database] = []
        self._given: list[Database] = []
        self._wavering: frozenset[int] = frozenset()
        self._size = 2

    def go(self, limit: Limit, databases: int) -> Search:
        """Run both queries on databases until `databases` were tried in all, or the limit is reached.

        Databases on which a statement was stopped are tried again here: a busy machine or a short limit may
        have been the reason.
        """
        self._run.limit = limit
        before = self._stopped
        again, self._again = self._again, []
        self._tried -= len(again)
        self._given = [*reversed(again), *self._given]
        try:
            while self._tried < databases:
                limit.check()
                # A statement is given no less than a twentieth of a second.
                most = max(1, int(limit.remaining() * 5))
                found = self._step(min(self._size, most, databases - self._tried))
                if found is not None:
                    return self._ended("found", found)
                if self._unstable + self._rounded >= MAX_UNCONFIRMED:
                    return self._ended("unstable")
                if self._stopped - before >= MAX_STOPPED:
                    return self._ended("stopped")
        except OutOfTime:
            return self._ended("time")
        return self._ended("databases")

    def propose(self, limit: Limit) -> Refutation | None:
        """Run both queries on databases that Z3 proposes; its values are among those drawn from then on."""
        run = self._run
        found = propose(run.schema, run.trees, self._generator, run.seed, limit)
        if found.witnesses:
            self._generator = Generator(run.schema, run.trees, run.seed + 1, found.witnesses)
        self._given = [*self._given, *reversed(found.databases)]
        return self.go(limit, self._tried + len(found.databases)).refutation

    def sweep(self, limit: Limit) -> tuple[Refutation | None, dict[str, JSON] | None]:
        """Every database up to a bound: one that tells the queries apart, or the bound if there is none.

        Neither where there are too many, where time runs out, or where a difference does not count.
        """
        run = self._run
        run.limit = limit
        everything = space(run.schema, run.trees, self._generator)
        valid = 0
        agreed = everything is not None
        try:
            for some in _batches(everything.databases if everything else (), run.engine.batch):
                limit.check()
                for database, found in zip(some, run.many(some), strict=True):
                    if isinstance(found, BadDatabase):
                        continue
                    if isinstance(found, TruespecError):
                        return None, None
                    valid += 1
                    if not run.differ(found):
                        continue
                    if run.doubt(database, found) is None:
                        refutation = self._refutation(database, found)
                        if refutation is not None:
                            return refutation, None
                    agreed = False
        except (OutOfTime, Stopped, BadDatabase):
            return None, None
        return None, everything.bound(valid) if everything and agreed and valid else None

    def wavering(self, limit: Limit) -> frozenset[int]:
        """The queries that give other results when the rows of a database come in another order."""
        run = self._run
        run.limit = limit
        found = set(self._wavering)
        if run.choices:
            drawn = [self._generator.draw() for _ in range(PROBES)]
            random = Random(run.seed)
            for arrangement in (1, 2):
                moved = [_shuffled(database, random, backwards=False) for database in drawn]
                for one, other in zip(run.many(drawn), run.many(moved, arrangement), strict=True):
                    if isinstance(one, TruespecError) or isinstance(other, TruespecError):
                        continue
                    pairs = enumerate(zip(one, other, strict=True))
                    found |= {side for side, (a, b) in pairs if not same(a, b, ordered=run.ordered)}
        return frozenset(found)

    def _ended(self, how: str, found: Refutation | None = None) -> Search:
        return Search(found, self._tried, self._unstable, self._rounded, self._wavering, self._stopped, how)

    def _step(self, size: int) -> Refutation | None:
        """One request."""
        run = self._run
        drawn = [self._given.pop() if self._given else self._generator.draw() for _ in range(size)]
        started = time.monotonic()
        answers = run.many(drawn)
        pace = (time.monotonic() - started) / size
        most = int(min(run.engine.batch, BATCH_SECONDS / max(pace, 1e-6)))
        self._size = max(1, min(2 * self._size, most))
        for database, found in zip(drawn, answers, strict=True):
            self._tried += 1
            try:
                if isinstance(found, TruespecError):
                    raise found
                if not run.differ(found):
                    continue
                doubt = run.doubt(database, found)
                if doubt is not None:
                    self._unstable += bool(doubt.wavering)
                    self._rounded += not doubt.wavering
                    self._wavering |= doubt.wavering
                    continue
            except BadDatabase:
                continue
            except Stopped:
                self._stopped += 1
                self._again.append(database)
                continue
            refutation = self._refutation(database, found)
            if refutation is not None:
                return refutation
        return None

    def _refutation(self, database: Database, found: list[Outcome]) -> Refutation | None:
        """The difference, made small; None where a new database of a new session does not show it."""
        run = self._run
        best, (oracle, candidate) = _shrunk(run, database, found)
        label = run.engine.label()
        made = Refutation(run.schema, best, oracle, candidate, label, run.ordered, self._tried)
        made = self._with_choice(made)
        one, other = run.texts
        again = replay(one, other, run.schema, run.settings, made.counterexample())
        if again.status is RecheckStatus.CONFIRMED:
            return replace(made, note=again.detail)
        self._rounded += 1
        return None

    def _with_choice(self, made: Refutation) -> Refutation:
        """The refutation with what the candidate leaves open, where the order of rows changes its result."""
        run = self._run
        if not run.choices or run.ordered:
            return made
        with contextlib.suppress(OutOfTime, TruespecError):
            if run._doubt(made.database, [made.oracle, made.candidate], quickly=False) is not None:
                made = replace(made, choice=choice_of(run.trees[1]))
                allowed = run.allowed(made.database, made.oracle)
                seen = replace(made, allowed=allowed)
                text = run.texts[1]
                again = replay_allowed(text, run.schema, run.settings, seen.counterexample())
                return seen if allowed and again.status is RecheckStatus.CONFIRMED else made
        return made


def _batches(databases: Sequence[Database], size: int) -> Iterator[Sequence[Database]]:
    for start in range(0, len(databases), size):
        yield databases[start : start + size]


def _shrunk(run: _Run, database: Database, found: list[Outcome]) -> tuple[Database, list[Outcome]]:
    """A smaller database with a confirmed difference, or the given one."""
    budget = run.limit.portion(SHRINK_PORTION)
    last: tuple[Database, list[Outcome]] = (database, found)

    def still(candidate: Database) -> bool:
        budget.check()
        nonlocal last
        try:
            again = run.outcomes(candidate)
            if not run.differ(again) or run.doubt(candidate, again, quickly=True) is not None:
                return False
        except (BadDatabase, Stopped):
            return False
        last = (candidate, again)
        return True

    with contextlib.suppress(OutOfTime):
        shrink(run.schema, database, still)
    with contextlib.suppress(OutOfTime, Stopped, BadDatabase):
        if last[0] is database or run.doubt(*last) is None:
            return last
    return database, found


def _coarse(seconds: float) -> float:
    """A statement's limit out of a few, because setting one takes a round trip."""
    return next(limit for limit in (STATEMENT_SECONDS, 0.5, 0.25, 0.1, 0.05) if limit <= max(seconds, 0.05))


def _leaves_choices(tree: exp.Expr) -> bool:
    """Whether a query may leave a choice to the engine: which rows, which of a group, in which order."""
    return (
        tree.find(exp.Limit, exp.Fetch, exp.Offset, exp.Window, exp.GroupConcat, exp.Group, exp.Distinct)
        is not None
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
