"""The search itself: draw, run on the target engine, confirm, shrink."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.domains.contract import RecheckStatus
from truespec.domains.sql.engines.accept import accept
from truespec.domains.sql.engines.contract import (
    BadDatabase,
    Settings,
    Stopped,
)
from truespec.domains.sql.engines.result import Outcome, same
from truespec.domains.sql.engines.script import Database
from truespec.domains.sql.refute.bounded import space
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.refute.guide import Guide
from truespec.domains.sql.refute.mutate import Mutator
from truespec.domains.sql.refute.refutation import Refutation
from truespec.domains.sql.refute.replay import replay, replay_allowed
from truespec.domains.sql.refute.run import MAX_STOPPED, Determined, Run, _shuffled, choice_of
from truespec.domains.sql.refute.seeds import propose
from truespec.domains.sql.refute.shrink import shrink
from truespec.domains.sql.schema import Schema
from truespec.solvers.limit import Limit
from truespec.verdict import JSON, OutOfTime, TruespecError, Unsupported

MAX_DATABASES = 1_000
"""A search that found nothing on so many databases ends, though time is left.

Of 720 pairs that draws alone refuted, one took more than 400: 906. Changes find some beyond.
"""
MAX_UNCONFIRMED = 150
"""So many differences that were not stable end a search."""
DRAWN, GUIDED = 60, 0.8
"""So many databases are drawn by themselves; how many of those after them are changes of earlier ones."""
SHRINK_PORTION = 0.5
"""The share of the time that is left in which a database is made smaller."""
BATCH_SECONDS = 0.1
"""How long the databases of one request may take, by the pace of the last request."""
PROBES = 12
"""On how many databases a query's own dependence on the order of rows is looked for."""


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
        self._run = Run(texts, trees, schema, order, settings, Limit.start(0), determined)
        self._generator = Generator(schema, self._run.trees, self._run.seed)
        self._guide = Guide(Mutator(self._generator, self._run.trees, self._run.seed), self._run.seed)
        self._random = Random(self._run.seed)
        self._tried = self._unstable = self._rounded = self._stopped = 0
        self._refused: list[BadDatabase] = []
        self._again: list[Database] = []
        self._given: list[Database] = []
        self._wavering: frozenset[int] = frozenset()
        self._size = 2
        self.first = self._run.engine.first
        """On how many databases the pair is tried before a proof."""

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
                    counts = run.doubt(database, found) is None
                    refutation = self._refutation(database, found) if counts else None
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

    def unasked(self) -> list[str]:
        """What no database told: columns without values, and differences that may be more than rounding."""
        found = [
            f"the column {name}, of type {kind}, was NULL in all of them"
            for name, kind in self._generator.without_values()
        ]
        if 2 * len(self._refused) > self._tried:
            many = f"{len(self._refused)} of {self._tried}"
            found.append(f"the engine refused the rows of {many} databases ({self._refused[-1]})")
        place = self._run.too_large() if self._rounded else None
        if place is not None:
            databases = f"{self._rounded} of {self._tried} databases tell the queries apart"
            found.append(
                f"{databases}, but whether by rounding alone is not asked of so many operations ({place})"
            )
        return found

    def _ended(self, how: str, found: Refutation | None = None) -> Search:
        return Search(found, self._tried, self._unstable, self._rounded, self._wavering, self._stopped, how)

    def _step(self, size: int) -> Refutation | None:
        """One request."""
        run = self._run
        drawn = [self._next() for _ in range(size)]
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
                    self._guide.note(database, found)
                    continue
                doubt = run.doubt(database, found)
                if doubt is not None:
                    self._unstable += bool(doubt.wavering)
                    self._rounded += not doubt.wavering
                    self._wavering |= doubt.wavering
                    continue
            except BadDatabase as error:
                self._refused.append(error)
                continue
            except Stopped:
                self._stopped += 1
                self._again.append(database)
                continue
            refutation = self._refutation(database, found)
            if refutation is not None:
                return refutation
        return None

    def _next(self) -> Database:
        """One that is given, or a change of one that showed something new, or a new one."""
        if self._given:
            return self._given.pop()
        guided = self._tried >= DRAWN and self._random.random() < GUIDED
        return (self._guide.propose() if guided else None) or self._generator.draw()

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
            if run.wavers(made.database, [made.oracle, made.candidate]):
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


def _shrunk(run: Run, database: Database, found: list[Outcome]) -> tuple[Database, list[Outcome]]:
    """A smaller database with a confirmed difference, or the given one."""
    budget = run.limit.portion(SHRINK_PORTION)
    last: tuple[Database, list[Outcome]] = (database, found)
    failed: set[str] = set()

    def differs(candidate: Database) -> bool:
        nonlocal last
        try:
            again = run.outcomes(candidate)
            if not run.differ(again) or run.doubt(candidate, again, quickly=True) is not None:
                return False
        except (BadDatabase, Stopped):
            return False
        last = (candidate, again)
        return True

    def still(candidate: Database) -> bool:
        budget.check()
        key = repr(candidate.tables)
        if key in failed:
            return False
        if not differs(candidate):
            failed.add(key)
            return False
        return True

    with contextlib.suppress(OutOfTime):
        shrink(run.schema, database, still)
    with contextlib.suppress(OutOfTime, Stopped, BadDatabase):
        if last[0] is database or run.doubt(*last) is None:
            return last
    return database, found
