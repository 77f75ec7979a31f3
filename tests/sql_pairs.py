"""The SQL prover alone: what it calls equal, with no refuter that could be quicker."""

from __future__ import annotations

from typing import cast

from truespec.domains.registry import load
from truespec.domains.sql.domain import Sql
from truespec.domains.sql.proof import prove
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
