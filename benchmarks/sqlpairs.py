"""Proofs about drawn SQL pairs, attacked on the real engines.

Schemas and queries come from a grammar, candidates from plausible rewrites of which most miss the meaning by
a NULL, a duplicate or a bound. Every pair that the prover calls equivalent is run on legal databases with
hostile values, on the engine, without any part of the refuter. A find is a proof that a database contradicts.
`--family joins` draws joins of tables with themselves under aggregates (`_sql_joins.py`), `--family counted`
recursions, set operations that count, and windows by number and share (`_sql_counted.py`), `--family
constructs` rows picked from groups, days truncated and cases listed (`_sql_constructs.py`), `--family
analytics` windows built on others, quantiles, lists and days as written (`_sql_analytics.py`), `--family
functions` characters compared, days counted, values listed and picked (`_sql_functions.py`), `--family
neighbours` frames and distances, ranks and counts, first values, shares of totals (`_sql_neighbours.py`),
`--family runs` runs of numbers, counts compared with numbers, orders of tuples (`_sql_runs.py`).
Where a query leaves a choice (a LIMIT among ties), two results that the same query gives for rows in another
order are no find; they are counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from benchmarks import (
    _sql_analytics,
    _sql_constructs,
    _sql_counted,
    _sql_functions,
    _sql_joins,
    _sql_neighbours,
    _sql_runs,
)
from benchmarks._sql_draws import Drawer, schema
from benchmarks._sql_rewrites import rewritten
from truespec.domains.registry import load
from truespec.domains.sql.assumed import assumptions
from truespec.domains.sql.context import Context
from truespec.domains.sql.domain import Query
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import ARRANGEMENTS
from truespec.domains.sql.engines.result import Failure, Outcome, same
from truespec.domains.sql.engines.script import Database, Value, insert_statements
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.schema import Column, Kind, Schema, Table
from truespec.solvers.limit import Limit
from truespec.verdict import OutOfTime, ToolMissing, TruespecError

COUNT = 2_000
QUICK = 80
DATABASES = 100
"""Legal databases against each proof."""
CHUNK = 20
"""Databases of one request."""
PROOF_SECONDS = 2.0
CHOICE = "a choice"
QUOTIENT = "digits of a quotient"
EXACT_DIGITS = 30
"""Digits of quotients at which the engine's roundings are too small to be seen."""
HOSTILE: dict[Kind, tuple[Value, ...]] = {
    Kind.BOOL: (True, False),
    Kind.DATE: ("2020-01-01", "2020-02-29", "2020-12-31", "2021-01-01"),
    Kind.TEXT: ("a", "A", "a ", "b", "ab", "", "1", "ä", "01"),
}
NUMBERS: tuple[Value, ...] = (0, 1, 2, 3, -1, 100, 101)


def main(arguments: list[str] | None = None) -> None:
    """Print what became of the pairs of each engine, and every find; exit 1 where there is one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sqlpairs")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} pairs")
    parser.add_argument("--count", type=int, default=COUNT, help="pairs over the four engines")
    parser.add_argument("--start", type=int, default=0, help="number of the first pair of each engine")
    parser.add_argument("--seconds", type=float, default=3_600.0, help="limit of the run")
    parser.add_argument("--dialect", action="append", choices=list(registry.ENGINES), help="this one alone")
    parser.add_argument("--family", choices=list(FAMILIES), default="queries", help="what is drawn")
    options = parser.parse_args(arguments)
    chosen = options.dialect or list(registry.ENGINES)
    count = (QUICK if options.quick else options.count) // len(chosen)
    finds: list[str] = []
    for dialect in chosen:
        try:
            seen, found = attack(dialect, options.start, count, options.seconds / len(chosen), options.family)
        except ToolMissing as missing:
            print(f"{dialect:9} not run: {missing}")
            continue
        shown = ", ".join(f"{number} {what}" for what, number in seen.most_common())
        print(f"{dialect:9} {shown}; {len(found)} finds", flush=True)
        print("\n\n".join(found[:20]), flush=True)
        finds += found
    if finds:
        sys.exit(1)


def queries(dialect: str, random: Random) -> Drawn:
    """A query of the grammar and a plausible rewrite."""
    tables = schema(dialect, random)
    oracle = Drawer(dialect, tables, random).query()
    candidate, names = rewritten(oracle, dialect, random)
    return tables.ddl, oracle, candidate, names


def joins(_: str, random: Random) -> Drawn:
    """Joins of tables with themselves, and the same in other words or with a slip."""
    return _sql_joins.SCHEMA, *_sql_joins.pair(random), ["joins"]


def counted(dialect: str, random: Random) -> Drawn:
    """Recursions, set operations that count, and windows by number and share."""
    return _sql_counted.SCHEMA, *_sql_counted.pair(dialect, random), ["counted"]


def constructs(dialect: str, random: Random) -> Drawn:
    """Rows picked from groups, days truncated, cases listed, lists that groups make."""
    return _sql_constructs.SCHEMA, *_sql_constructs.pair(dialect, random), ["constructs"]


def analytics(dialect: str, random: Random) -> Drawn:
    """Windows built on others, quantiles, lists, days as written, functions of NULL."""
    return _sql_analytics.SCHEMA, *_sql_analytics.pair(dialect, random), ["analytics"]


def functions(dialect: str, random: Random) -> Drawn:
    """Functions that compare characters and days, lists of a group's values, values picked from a group."""
    return _sql_functions.SCHEMA, *_sql_functions.pair(dialect, random), ["functions"]


def neighbours(_: str, random: Random) -> Drawn:
    """Frames and distances, ranks and counts, first values and shares of totals."""
    return _sql_neighbours.SCHEMA, *_sql_neighbours.pair(random), ["neighbours"]


def runs(_: str, random: Random) -> Drawn:
    """Runs of numbers, counts that are compared, orders of tuples, years of days."""
    return _sql_runs.SCHEMA, *_sql_runs.pair(random), ["runs"]


Drawn = tuple[str, str, str, list[str]]
"""A schema, an oracle, a candidate, and the names of the rewrites between them."""
FAMILIES = {
    "queries": queries,
    "joins": joins,
    "counted": counted,
    "constructs": constructs,
    "analytics": analytics,
    "functions": functions,
    "neighbours": neighbours,
    "runs": runs,
}


def attack(
    dialect: str, start: int, count: int, seconds: float, family: str = "queries"
) -> tuple[Counter[str], list[str]]:
    """What became of the pairs of these numbers, and the proofs that databases contradict."""
    domain = load("sql")
    seen: Counter[str] = Counter()
    finds: list[str] = []
    end = time.monotonic() + seconds
    for number in range(start, start + count):
        if time.monotonic() > end:
            print(f"{dialect:9} stopped in time; go on with --dialect {dialect} --start {number}")
            break
        random = Random(f"{dialect} {number}")
        ddl, oracle, candidate, names = FAMILIES[family](dialect, random)
        seen["pairs"] += 1
        try:
            context = domain.read_context({"schema": ddl, "dialect": dialect}, oracle)
            sides = domain.parse(oracle, context), domain.parse(candidate, context)
            proved = _is_proved(*sides, context)
        except TruespecError as error:
            seen[f"not decided: {type(error).__name__}"] += 1
            continue
        if not proved:
            seen["without a proof"] += 1
            continue
        seen["proved"] += 1
        legal, against = _contradiction(*sides, context, random)
        seen["legal databases"] += legal
        if against in (CHOICE, QUOTIENT):
            seen[f"apart by {against}"] += 1
        elif against:
            about = "\n  ".join((ddl, oracle, candidate, against))
            finds.append(f"{dialect} {number} ({', '.join(names)})\n  {about}")
            print(f"FIND {finds[-1]}", flush=True)
    return seen, finds


def _is_proved(oracle: Query, candidate: Query, context: Context) -> bool:
    limit = Limit.start(PROOF_SECONDS)
    try:
        return (
            prove(oracle.tree, candidate.tree, context.schema, context.order, context.settings, limit)
            is not None
        )
    except OutOfTime:
        return False


def _contradiction(oracle: Query, candidate: Query, context: Context, random: Random) -> tuple[int, str]:
    """How many legal databases were tried, and the first on which the two differ, with both results."""
    engine = registry.engine(context.schema.dialect)
    ordered = all(side.tree.args.get("order") is not None for side in (oracle, candidate))
    legal = 0
    for _ in range(3 * DATABASES // CHUNK):
        scripts = [insert_statements(database(context.schema, random), context.schema) for _ in range(CHUNK)]
        answers = engine.run_many(context.schema, scripts, (oracle.text, candidate.text), context.settings)
        for script, answer in zip(scripts, answers, strict=True):
            if isinstance(answer, TruespecError):
                continue
            legal += 1
            if not same(*answer, ordered=ordered):
                if _chosen(context, script, (oracle.text, candidate.text), ordered=ordered):
                    return legal, CHOICE
                if _rounded(oracle, candidate, context, script, ordered=ordered):
                    return legal, QUOTIENT
                failed = " (an error of the engine)" if any(isinstance(a, Failure) for a in answer) else ""
                return legal, f"{'; '.join(script)}\n  {answer[0]}\n  {answer[1]}{failed}"
        if legal >= DATABASES:
            break
    return legal, ""


def _chosen(context: Context, script: list[str], texts: tuple[str, str], *, ordered: bool) -> bool:
    """Whether a query gives several results on the same rows, one of which is the other query's."""
    engine = registry.engine(context.schema.dialect)
    outcomes: tuple[list[Outcome], list[Outcome]] = ([], [])
    for arrangement in range(ARRANGEMENTS):
        for rows in (script, [_reversed(statement) for statement in script]):
            try:
                answer = engine.run(context.schema, rows, texts, context.settings, arrangement=arrangement)
            except TruespecError:
                continue
            outcomes[0].append(answer[0])
            outcomes[1].append(answer[1])
    return any(same(one, other, ordered=ordered) for one in outcomes[0] for other in outcomes[1])


def _rounded(oracle: Query, candidate: Query, context: Context, script: list[str], *, ordered: bool) -> bool:
    """Whether the proof trusts quotients to be exact, and the results agree where they nearly are."""
    trees = (oracle.tree, candidate.tree)
    if not any(one.startswith("quotients") for one in assumptions(trees, context.schema, context.settings)):
        return False
    engine, settings = registry.engine(context.schema.dialect), replace(context.settings, digits=EXACT_DIGITS)
    return same(*engine.run(context.schema, script, (oracle.text, candidate.text), settings), ordered=ordered)


def _reversed(statement: str) -> str:
    """An INSERT with its rows in the other order."""
    head, _, rows = statement.partition(" VALUES\n  ")
    return f"{head} VALUES\n  " + ",\n  ".join(reversed(rows.split(",\n  ")))


def database(schema: Schema, random: Random) -> Database:
    """Few rows with values at the borders; keys are kept apart and references mostly met."""
    found: dict[str, tuple[tuple[Value, ...], ...]] = {}
    for table in sorted(schema.tables, key=lambda table: bool(table.foreign_keys)):
        found[table.name] = tuple(_rows(table, found, schema, random))
    return Database(found)


def _rows(
    table: Table, before: dict[str, tuple[tuple[Value, ...], ...]], schema: Schema, random: Random
) -> Iterator[tuple[Value, ...]]:
    keys = {column for key in table.unique_keys() for column in key if len(key) == 1}
    parents = {f.columns[0]: f for f in table.foreign_keys if len(f.columns) == 1}
    taken: dict[str, set[Value]] = {name: set() for name in keys}
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 4))):
        row: list[Value] = []
        for column in table.columns:
            choices = _values(column)
            if column.name in parents:
                reference = parents[column.name]
                parent = schema.table(reference.table)
                position = [c.name for c in parent.columns].index(reference.references[0])
                choices = tuple(r[position] for r in before.get(parent.name, ()))
            if column.nullable and random.random() < 0.3:
                choices = (None,)
            free = [v for v in choices if v not in taken.get(column.name, ())]
            if not free:
                return
            value = random.choice(free)
            if column.name in keys and value is not None:
                taken[column.name].add(value)
            row.append(value)
        yield tuple(row)


def _values(column: Column) -> tuple[Value, ...]:
    return HOSTILE.get(column.type.kind, NUMBERS)
