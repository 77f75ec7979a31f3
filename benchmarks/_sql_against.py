"""The prover against the refuter, on every pair of the sources: no pair may be both proved and refuted.

The prover works on every pair; where it succeeds, the refuter looks for a database that says otherwise. The
run goes on where it was left: `against.jsonl` holds a line per pair that is done, and a pair that ended the
process is not taken up again. To go through all of them fast, the prover has less time than in a verdict.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from truespec.benchmark.sources.registry import load as load_source
from truespec.benchmark.task import PairRecord
from truespec.domains.registry import load
from truespec.domains.sql.context import Context
from truespec.domains.sql.domain import Query
from truespec.domains.sql.prove.proof import prove
from truespec.domains.sql.refute.search import Hunt
from truespec.solvers.limit import Limit
from truespec.verdict import OutOfTime, TruespecError

FOLDERS = {
    "verieql": "verieql",
    "sqlsolver": "sqlsolver",
    "judge-sql": "llm_judge_equiv",
    "polygon": "polygon_leetcode",
    "spider": "spider_llm",
}
"""Where each source with candidates lies below `sql/`."""
PROOF_SECONDS, SEARCH_SECONDS = 1.0, 3.0
"""Limits of each side, in seconds."""
DATABASES = 60
"""Databases against a proof."""
MAX_KILOBYTES = 1_500_000
"""A process that has grown to this size starts anew: Z3 gives no memory back."""


def main(sources: Path, out: Path, part: str = "1/1") -> None:
    """Go on with the run, and say how far it is and what it found.

    `part` is `k/n`: the k-th of n shares of the pairs, each with a ledger of its own, so that several
    processes can go through them side by side.
    """
    share, shares = (int(number) for number in part.split("/"))
    out.mkdir(parents=True, exist_ok=True)
    name = "against" if shares == 1 else f"against-{share}-of-{shares}"
    ledger, current = out / f"{name}.jsonl", out / f"{name}.current"
    done = {str(record["key"]): record for path in out.glob("against*.jsonl") for record in _records(path)}
    if current.exists():
        key, identity = current.read_text(encoding="utf-8").split("\n", 1)
        if key not in done:
            done[key] = {"key": key, "id": identity, "proof": "crash", "search": "crash"}
            _append(ledger, done[key])
    domain = load("sql")
    domain.warm_up()
    pairs = list(_pairs(sources))
    random.Random(1).shuffle(pairs)
    for pair in pairs:
        key = _key(pair)
        if key in done or int(key, 16) % shares != share % shares:
            continue
        current.write_text(f"{key}\n{pair.id}", encoding="utf-8")
        started = time.monotonic()
        try:
            context = domain.read_context(pair.context, pair.oracle)
            sides = [domain.parse(text, context) for text in (pair.oracle, pair.candidate)]
            proof = _prove(sides[0], sides[1], context)
            found = _search(sides[0], sides[1], context) if proof == "proved" else "not asked"
        except TruespecError as error:
            proof = found = f"not read: {type(error).__name__}"
        record: dict[str, object] = {"key": key, "id": pair.id, "proof": proof, "search": found}
        record["seconds"] = round(time.monotonic() - started, 3)
        done[key] = record
        _append(ledger, record)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MAX_KILOBYTES:
            current.unlink()
            os.execv(
                sys.executable, [sys.executable, "-m", "benchmarks", "sql", "--against", f"--part={part}"]
            )
    current.unlink(missing_ok=True)
    report(pairs, done)


def report(pairs: list[PairRecord], done: Mapping[str, Mapping[str, object]]) -> None:
    """Print how many pairs are covered, and every pair on which the two sides contradict each other."""
    covered = [done[key] for pair in pairs if (key := _key(pair)) in done]
    answers = Counter((str(record["proof"]), str(record["search"])) for record in covered)
    print(f"{len(covered)} of {len(pairs)} pairs, {len(done)} of them different")
    for (proof, found), count in answers.most_common():
        print(f"  {count:6} prover: {proof:12} refuter: {found}")
    both = [record["id"] for record in done.values() if (record["proof"], record["search"]) == BOTH]
    print(f"both proved and refuted: {len(both)} {both[:20] if both else ''}")


BOTH = ("proved", "refuted")


def _prove(oracle: Query, candidate: Query, context: Context) -> str:
    if oracle.text == candidate.text:
        return "identical"
    limit = Limit.start(PROOF_SECONDS)
    try:
        found = prove(oracle.tree, candidate.tree, context.schema, context.order, context.settings, limit)
    except OutOfTime:
        return "timeout"
    except RecursionError:
        return "nested"
    except TruespecError as error:
        return type(error).__name__.lower()
    return "proved" if found is not None else "none"


def _search(oracle: Query, candidate: Query, context: Context) -> str:
    texts, trees = (oracle.text, candidate.text), (oracle.tree, candidate.tree)
    try:
        hunt = Hunt(texts, trees, context.schema, context.order, context.settings)
        found = hunt.go(Limit.start(SEARCH_SECONDS), DATABASES)
    except TruespecError as error:
        return type(error).__name__.lower()
    if found.refutation is not None:
        return "refuted"
    return "none" if found.databases >= DATABASES else f"{found.ended} after {found.databases // 50 * 50}"


def _pairs(sources: Path) -> Iterator[PairRecord]:
    for source, folder in FOLDERS.items():
        if (sources / "sql" / folder).is_dir():
            for record in load_source(source)(sources / "sql" / folder):
                if isinstance(record, PairRecord):
                    yield record


def _key(pair: PairRecord) -> str:
    """Equal for pairs of equal texts and contexts."""
    text = "\0".join([json.dumps(pair.context, sort_keys=True), pair.oracle, pair.candidate])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _records(path: Path) -> Iterator[dict[str, object]]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # cut by a kill


def _append(path: Path, record: Mapping[str, object]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
