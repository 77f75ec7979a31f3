"""A pair never affects another: pairs and hostile texts in two random orders, in one process.

Two parts. Whole pairs are verified, candidates that are hostile among them. Then texts go directly to the
`run` of each engine, past the guard: queries of the same pairs, statements that an engine has to refuse,
queries that work on their session, and queries that show what another one left behind. Bars: both orders give
every text the same outcome, and queries the outcome that they have with no hostile text among them; every
statement is refused. A pair whose answer differs between the orders is verified again alone, with less and
more time: its limit is one of time, and it is no find where time alone makes the same difference.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import yaml
from sqlglot import exp

from benchmarks._sql_hostile import LEAVING, REFUSED, SHOWING, WRAPPERS, WRITES
from truespec.benchmark import bundled
from truespec.domains.sql.engines import registry
from truespec.domains.sql.engines.contract import BadDatabase, NotAQuery, SessionChanged, Settings, Stopped
from truespec.domains.sql.engines.result import Failure
from truespec.domains.sql.engines.script import insert_statements
from truespec.domains.sql.prove.proof import is_determined
from truespec.domains.sql.refute.generate import Generator
from truespec.domains.sql.schema import Schema, read_schema
from truespec.domains.sql.text.query import read_query, rendered
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import ToolMissing, TruespecError

COUNT = 5_000
QUICK = 60
SECONDS = 2.0
"""The limit of a pair."""
SHARE = 0.2
"""How much of each part is hostile."""
AGAIN = (0.25, 1.0, 4.0)
"""The limits, in shares of the ordinary one, of a pair that is verified alone."""
TIME = "unknown: timeout"
"""An answer that a busy machine gives; beside it, any one other answer is no contradiction."""
CASES = Path(__file__).parents[1] / "tests" / "domains" / "sql" / "cases"


@dataclass(frozen=True)
class Text:
    """What goes to an engine directly."""

    schema: Schema
    """Its tables."""
    inserts: tuple[str, ...]
    """The database."""
    text: str
    """A query, or a hostile text."""
    kind: str
    """`query`, `refused`, `wrapped`, `leaving` or `showing`."""


def main(arguments: list[str] | None = None) -> None:
    """Print both parts; exit 1 where there is a find."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks isolation")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} pairs and texts")
    parser.add_argument("--count", type=int, default=COUNT, help="pairs; and texts over the four engines")
    parser.add_argument("--seed", type=int, default=1, help="of the draws and orders")
    parser.add_argument("--part", choices=("pairs", "texts"), help="this one alone")
    options = parser.parse_args(arguments)
    count = QUICK if options.quick else options.count
    finds: list[str] = []
    if options.part != "pairs":
        for dialect in registry.ENGINES:
            try:
                seen, found = attack(dialect, count // len(registry.ENGINES), options.seed)
            except ToolMissing as missing:
                print(f"{dialect:9} not run: {missing}")
                continue
            told = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
            print(f"{dialect:9} {told}; {len(found)} finds", flush=True)
            finds += found
    if options.part != "texts":
        began = time.monotonic()
        seen, found = in_two_orders(pairs(count, options.seed), options.seed)
        told = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
        print(f"pairs     {told}; {len(found)} finds; {time.monotonic() - began:.0f} s", flush=True)
        finds += found
    print("\n".join(finds[:40]), flush=True)
    if finds:
        sys.exit(1)


@cache
def recorded() -> tuple[Pair, ...]:
    """The pairs of the case tables and of the bundled tasks."""
    found: list[Pair] = []
    for path in sorted(CASES.glob("*.yml")):
        table = _read(path.read_text(encoding="utf-8"))
        shared = table.get("defaults", {}).get("context", {}) if isinstance(table, dict) else {}
        for case in table["cases"] if isinstance(table, dict) else table:
            context = {**shared, **case.get("context", {})}
            found.append(Pair("sql", case["oracle"], case["candidate"], context))
    for task in bundled.tasks("sql", variants=True):
        oracle, context = str(task.task.oracle), dict(task.task.context)
        found += [Pair("sql", oracle, str(answer.text), context) for answer in task.answers]
    return tuple(found)


def _read(text: str) -> Any:
    """A case table; by LibYAML, which is ten times faster, where it is there and reads the text."""
    try:
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:  # it refuses escapes of surrogates
        return yaml.safe_load(text)


def pairs(count: int, seed: int) -> list[Pair]:
    """So many pairs, a share of them with a hostile candidate; more than there are come in other dialects."""
    random = Random(f"pairs {seed}")
    own = recorded()
    others = [
        Pair(pair.domain, pair.oracle, pair.candidate, {**pair.context, "dialect": dialect})
        for pair in own
        for dialect in registry.ENGINES
        if dialect != pair.context["dialect"]
    ]
    ordinary = [*random.sample(own, len(own)), *random.sample(others, len(others))]
    found = ordinary[: round(count * (1 - SHARE))]
    while len(found) < count:
        base = random.choice(own)
        dialect = random.choice(list(registry.ENGINES))
        context = {**base.context, "dialect": dialect}
        hostile = random.choice((*REFUSED[dialect], *LEAVING[dialect], *SHOWING[dialect]))
        found.append(Pair("sql", base.oracle, hostile, context))
    return found


def in_two_orders(some: Sequence[Pair], seed: int) -> tuple[Counter[str], list[str]]:
    """How the pairs ended, and those whose answers differ between two orders, but not alone."""
    seen: Counter[str] = Counter({"verified": len(some)})
    finds: list[str] = []
    answers: list[dict[int, str]] = []
    for order in (1, 2):
        places = list(range(len(some)))
        Random(f"order {seed} {order}").shuffle(places)
        answers.append({place: answer(some[place]) for place in places})
    for place, pair in enumerate(some):
        one, two = (found[place] for found in answers)
        seen[one.split(":")[0]] += 1
        if one == two:
            continue
        alone = set()
        for share in AGAIN:
            registry.close_all()
            alone.add(answer(pair, SECONDS * share))
        decided = {one, two, *alone} - {TIME}
        if {one, two} <= alone or (TIME in (one, two) and len(decided) <= 1):
            seen["decided by time"] += 1
        else:
            finds.append(f"{pair!r}: {one!r} and {two!r}; alone {alone!r}")
    return seen, finds


def answer(pair: Pair, seconds: float = SECONDS) -> str:
    """A verdict as far as it may not depend on other pairs."""
    verdict = verify_pair(pair, seconds)
    return f"{verdict.answer.value}: {verdict.reason.code.value}" if verdict.reason else verdict.answer.value


def attack(dialect: str, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How the texts of one engine ended, and where one had an effect on another."""
    random = Random(f"texts {dialect} {seed}")
    queries = ordinary_texts(dialect, round(count * (1 - SHARE)), random)
    hostile = hostile_texts(dialect, max(count - len(queries), 1), queries, random)
    every = [*queries, *hostile]
    seen: Counter[str] = Counter(text.kind for text in every)
    finds: list[str] = []
    places = range(len(every))
    orders = [list(range(len(queries))), *(random.sample(places, len(every)) for _ in (1, 2))]
    passes = [{place: outcome(dialect, every[place]) for place in order} for order in orders]
    for place, text in enumerate(every):
        found = {repr(one[place]) for one in passes if place in one}
        if len(found) > 1:
            finds.append(f"{dialect}: {text.kind} {text.text!r}: {sorted(found)}")
        if text.kind == "refused" and passes[1][place][0] == "rows":
            finds.append(f"{dialect}: not refused: {text.text!r}: {passes[1][place]}")
    seen["refusals"] = sum(passes[1][place][0] != "rows" for place in range(len(every)))
    return seen, finds


def ordinary_texts(dialect: str, count: int, random: Random) -> list[Text]:
    """Queries of the recorded pairs that the engine accepts, each with a database.

    A window over rows that may tie is left out: what the engine chooses among them differs from run to run.
    """
    found: list[Text] = []
    own = recorded()
    for pair in random.sample(own, len(own)):
        try:
            schema = read_schema(str(pair.context["schema"]), dialect)
            trees = [read_query(text, schema, Settings()) for text in (pair.oracle, pair.candidate)]
        except ToolMissing:
            raise
        except TruespecError:
            continue
        if not all(map(partial(_is_settled, schema), trees)):
            continue
        drawn = Generator(schema, trees, random.randrange(1 << 30)).draw()
        inserts = tuple(insert_statements(drawn, schema))
        texts = (rendered(text, dialect) for text in (pair.oracle, pair.candidate))
        found += [Text(schema, inserts, text, "query") for text in texts]
        if len(found) >= count:
            break
    return found


def _is_settled(schema: Schema, tree: exp.Expr) -> bool:
    """Whether a query has no window, or one result."""
    return tree.find(exp.Window) is None or is_determined(tree, schema, Settings(), Limit.start(5.0))


def hostile_texts(dialect: str, count: int, queries: Sequence[Text], random: Random) -> list[Text]:
    """Hostile texts on the tables of some query, of all kinds in turn."""
    refused = [*REFUSED[dialect], *WRITES]
    wrapped = [wrapper.replace("{text}", text) for wrapper in WRAPPERS for text in refused]
    kinds = {
        "wrapped": cycle(random.sample(wrapped, len(wrapped))),
        "refused": cycle(random.sample(refused, len(refused))),
        "leaving": cycle(random.sample(LEAVING[dialect], len(LEAVING[dialect]))),
        "showing": cycle(random.sample(SHOWING[dialect], len(SHOWING[dialect]))),
    }
    found: list[Text] = []
    for number in range(count):
        kind = ("refused", "wrapped", "leaving", "wrapped", "showing")[number % 5]
        text = next(kinds[kind])
        near = random.choice(queries)
        table = near.schema.tables[0]
        named = text.replace("{table}", table.name).replace("{column}", table.columns[-1].name)
        found.append(Text(near.schema, near.inserts, named, kind))
    return found


def outcome(dialect: str, text: Text) -> tuple[str, object]:
    """What the engine yields: rows as a bag, or what it says instead."""
    engine = registry.engine(dialect)
    try:
        engine.check(text.text, text.schema, Settings())  # as each pair does
        (found,) = engine.run(text.schema, text.inserts, [text.text], Settings())
    except (NotAQuery, SessionChanged, BadDatabase) as error:
        return type(error).__name__, str(error)
    except Stopped:
        return "Stopped", ""
    if isinstance(found, Failure):
        return "Failure", found.message
    # Plans, and with them the order of rows, follow the statistics of tables.
    return "rows", sorted(map(repr, found.rows))
