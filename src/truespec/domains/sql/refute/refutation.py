"""A database on which two queries differ, and how it reads."""

from __future__ import annotations

from dataclasses import dataclass

from truespec.domains.sql.engines.result import Failure, Outcome, to_json
from truespec.domains.sql.engines.script import Database, Value, create_statements, insert_statements, script
from truespec.domains.sql.schema import Schema
from truespec.verdict import JSON, Counterexample, Relation


@dataclass(frozen=True, slots=True)
class Refutation:
    """A database that satisfies every constraint and on which the two queries yield different results."""

    schema: Schema
    """The tables."""
    database: Database
    """The rows."""
    oracle: Outcome
    """What the oracle yielded."""
    candidate: Outcome
    """What the candidate yielded."""
    engine: str
    """Where: name and version."""
    ordered: bool
    """Whether the results were compared as lists."""
    tried: int
    """How many databases the search ran before."""
    note: str = ""
    """Where the engine refused the schema's own text: its message, and which tables took the rows instead."""

    choice: str = ""
    """What in the candidate leaves the engine a choice, where its result is one of several."""
    allowed: Database | None = None
    """The same rows in an order in which the candidate gave the oracle's result."""

    @property
    def relation(self) -> Relation | None:
        """`weaker` where the candidate was seen to allow what the oracle says, and something else."""
        return Relation.WEAKER if self.allowed is not None else None

    def script(self) -> str:
        """The CREATE TABLE and INSERT statements that build the database."""
        return script([*create_statements(self.schema), *insert_statements(self.database, self.schema)])

    def counterexample(self) -> Counterexample:
        """The evidence of a verdict."""
        tables: dict[str, JSON] = {
            name: [[_shown(v, c) for v, c in zip(row, self._computed(name), strict=True)] for row in found]
            for name, found in self.database.tables.items()
        }
        return Counterexample(
            point={"script": self.script(), "tables": tables},
            oracle_value=to_json(self.oracle),
            candidate_value=to_json(self.candidate),
            replayed_by=self.engine,
            extra={
                "compared_as": "list" if self.ordered else "bag",
                "databases_tried": self.tried,
                **({"schema_note": self.note} if self.note else {}),
                **({"choice": self._choice()} if self.choice else {}),
                **({"allowed_script": self._allowed_script(self.allowed)} if self.allowed else {}),
            },
        )

    def _computed(self, table: str) -> list[bool]:
        """For each column of a table, whether the engine computes it."""
        found = self.schema.table(table)
        return [column.name in found.generated for column in found.columns]

    def _choice(self) -> str:
        return f"the candidate allows results that the oracle does not: {self.choice}"

    def _allowed_script(self, allowed: Database) -> str:
        return script([*create_statements(self.schema), *insert_statements(allowed, self.schema)])

    def __str__(self) -> str:
        return self.script() + "\n" + side_by_side(self.oracle, self.candidate)


def _shown(value: Value, computed: bool) -> JSON:
    if computed:
        return "(generated)"
    return value if isinstance(value, int | None) else str(value)


def side_by_side(oracle: Outcome, candidate: Outcome) -> str:
    """Both results as text, the oracle's on the left."""
    left, right = ["oracle", *_lines(oracle)], ["candidate", *_lines(candidate)]
    height, width = max(len(left), len(right)), max(map(len, left))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    return "\n".join(f"{one:<{width}} | {other}".rstrip() for one, other in zip(left, right, strict=True))


def _lines(outcome: Outcome) -> list[str]:
    if isinstance(outcome, Failure):
        return [f"error: {outcome.message}"]
    if not outcome.rows:
        return ["(no rows)"]
    return [", ".join("NULL" if value is None else str(value) for value in row) for row in outcome.rows]
