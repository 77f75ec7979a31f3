"""The SQL prover alone: what it calls equal, with no refuter that could be quicker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from truespec.domains.registry import load
from truespec.domains.sql.domain import Sql
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.result import rows, same
from truespec.domains.sql.prove.parts import prove_by_parts
from truespec.domains.sql.prove.proof import ProofTrace, prove
from truespec.solvers.limit import Limit
from truespec.verdict import SpecificationError, Undecided


def proved(dialect: str, schema: str, oracle: str, candidate: str, **context: object) -> bool:
    """Whether the prover alone calls the two queries equal."""
    domain = cast(Sql, load("sql"))
    read = domain.read_context({"dialect": dialect, "schema": schema, **context}, oracle)
    trees = [domain.parse(text, read).tree for text in (oracle, candidate)]
    try:
        found = prove(trees[0], trees[1], read.schema, read.order, read.settings, Limit.start(60))
    except (Undecided, SpecificationError):
        return False
    return found is not None


def by_parts(dialect: str, schema: str, oracle: str, candidate: str) -> ProofTrace | None:
    """The proof that takes parts of both queries for unknown tables, if one is found."""
    domain = cast(Sql, load("sql"))
    read = domain.read_context({"dialect": dialect, "schema": schema}, oracle)
    trees = [domain.parse(text, read).tree for text in (oracle, candidate)]
    return prove_by_parts(trees[0], trees[1], read.schema, "auto", read.settings, Limit.start(120))


def told_apart(dialect: str, statements: Sequence[str], oracle: str, candidate: str) -> bool:
    """Whether the engine yields other rows for the two queries, on the database that the statements build."""
    engine = registry.engine(dialect)
    one, two = (rows(engine.replay(statements, query, Settings())) for query in (oracle, candidate))
    return not same(one, two, ordered="ORDER BY" in oracle)
