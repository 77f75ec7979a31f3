"""What every engine does: accept or reject a text, and run queries on a small database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from truespec.domains.sql.engines.result import Outcome
from truespec.domains.sql.schema import Schema
from truespec.verdict import ReasonCode, TruespecError, Unsupported

STATEMENT_SECONDS = 1.0
"""How long one statement may run on a database of a dozen rows before it is stopped."""
MAX_ROWS = 10_000
"""A result of more rows is not read to its end."""
ARRANGEMENTS = 4
"""How many physical arrangements of the same rows each engine offers; see `Engine.run`."""


class Stopped(TruespecError):
    """A query was stopped, or its outcome does not count: a limit, an overflow, a lost connection."""


class BadDatabase(TruespecError):
    """The engine refused the rows: they violate a constraint or a type."""


class NotAQuery(Unsupported):
    """The engine did not run a text as one statement that reads and returns rows, or lacked the right to.

    What our own limits refuse is no outcome of the query.
    """


class SessionChanged(Unsupported):
    """A query changed its session; the session was discarded, and what it yielded does not count."""


Answered: TypeAlias = "list[Outcome] | Stopped | BadDatabase"
"""What all queries yield on one database, or why that says nothing."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an engine does not accept a text."""

    code: ReasonCode
    """`syntax`, `scope` or `type`."""
    message: str
    """What the engine said."""
    offset: int | None = None
    """The offset in the text, where the engine names one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set for a session."""

    sql_mode: str | None = None
    """MariaDB's `sql_mode`; None is its default, which lacks ONLY_FULL_GROUP_BY."""
    digits: int = 4
    """MariaDB's `div_precision_increment`: how many digits a division adds; 4 is its default."""


class Engine(ABC):
    """A database engine with the tables of the schemas it has met.

    Texts given to `check` and `run` have passed `guard`; the engine's own limits hold them anyway.
    """

    dialect: ClassVar[str]
    """The dialect it speaks."""
    first: ClassVar[int] = 12
    """On how many databases a pair is tried before a proof: most wrong queries differ on one of them."""
    batch: ClassVar[int] = 1
    """How many databases `run_many` takes in one request."""
    arranged_like: ClassVar[tuple[int, ...]] = tuple(range(ARRANGEMENTS))
    """Of each arrangement the first one that is the same, so that nothing is run twice in one."""
    begins_pairs: ClassVar[bool] = False
    """Whether `check` makes anew what the pair before has used."""

    @abstractmethod
    def label(self) -> str:
        """Its name and version, e.g. `MariaDB 10.11.6`."""

    @abstractmethod
    def check(self, text: str, schema: Schema, settings: Settings) -> Rejection | None:
        """Why the engine does not accept this query; None when it does.

        `OracleError` when it does not accept the schema.
        """

    @abstractmethod
    def run(
        self,
        schema: Schema,
        inserts: Sequence[str],
        queries: Sequence[str],
        settings: Settings,
        *,
        seconds: float = STATEMENT_SECONDS,
        arrangement: int = 0,
    ) -> list[Outcome]:
        """What each query yields on the database that these INSERT statements build.

        Arrangement 0 declares every constraint, and `BadDatabase` says which one the rows violate. Others
        keep the rows and change what a query must not depend on: no indexes, or other plans, so that the
        order of the INSERT statements decides what is met first. `Stopped` when an outcome does not count.

        No run affects another. A text that is no query does not run: `NotAQuery`, or a `Failure` with what
        the parser said. `SessionChanged` where a query got at the session all the same.
        """

    def run_many(
        self,
        schema: Schema,
        databases: Sequence[Sequence[str]],
        queries: Sequence[str],
        settings: Settings,
        *,
        seconds: float = STATEMENT_SECONDS,
        arrangement: int = 0,
    ) -> list[Answered]:
        """`run` on each of these databases, in their order; an engine may do it in fewer round trips."""
        found: list[Answered] = []
        for inserts in databases:
            try:
                found.append(
                    self.run(schema, inserts, queries, settings, seconds=seconds, arrangement=arrangement)
                )
            except (Stopped, BadDatabase) as error:
                found.append(error)
        return found

    def takes(self, statements: Sequence[str], settings: Settings) -> None:
        """Raises what `replay` does where these CREATE and INSERT statements build no database."""
        self.replay(statements, "SELECT 1", settings)

    @abstractmethod
    def replay(self, statements: Sequence[str], query: str, settings: Settings) -> list[tuple[object, ...]]:
        """The raw rows of a query in a new database that these CREATE and INSERT statements build.

        It shares no session or table with `run`. The database may serve further replays of the same
        statements, which nothing has changed since. Raises `Stopped`, `NotAQuery` and
        `SessionChanged` as `run` does, and whatever the driver raises.
        """

    @abstractmethod
    def close(self) -> None:
        """Release connections and end servers."""
