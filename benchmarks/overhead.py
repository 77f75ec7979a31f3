"""What worker processes and the ledger cost per pair, against the same verifier in a loop in one process.

Bar: at most 1 ms per item at 10,000 regex pairs.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.executors.batch import run_batch
from truespec.executors.pool import Job, verifiers

BAR_MS = 1.0


def make_pairs(count: int) -> list[Pair]:
    """Seeded pairs of small patterns, every one different from the others."""
    chance = random.Random(2026)
    parts = ["a", "b", "[0-9]", "(ab|c)", "d?", "e*", "f+", "g{2,4}"]
    pairs = []
    for number in range(count):
        text = "".join(chance.choices(parts, k=5)) + str(number)
        other = text if chance.random() < 0.5 else "".join(chance.choices(parts, k=5)) + str(number)
        pairs.append(Pair("regex", text, other))
    return pairs


def main(arguments: list[str] | None = None) -> None:
    """Print the wall time per pair of a bare loop, of the workers, and of a whole batch."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks overhead")
    parser.add_argument("--quick", action="store_true", help="1,000 pairs instead of 10,000")
    count = 1_000 if parser.parse_args(arguments).quick else 10_000
    pairs = make_pairs(count)
    load("regex").warm_up()
    verify_pair(pairs[0], 4.0)

    started = time.perf_counter()
    alone = [verify_pair(pair, 4.0).answer for pair in pairs]
    loop = time.perf_counter() - started

    print(f"{count} regex pairs, wall time per pair in ms")
    print(f"  {'bare loop, one process':34} {1000 * loop / count:8.3f}")
    for jobs in (1, 2):
        with verifiers(["regex"], jobs) as workers:
            workers.run_one(pairs[0], 4.0)
            started = time.perf_counter()
            found = dict(workers.run(Job(number, pair, 4.0) for number, pair in enumerate(pairs)))
            pooled = time.perf_counter() - started
        assert [found[number].answer for number in range(count)] == alone
        print(f"  {f'workers, jobs={jobs}':34} {1000 * pooled / count:8.3f}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        records = [
            {"id": str(n), "domain": p.domain, "oracle": p.oracle, "candidate": p.candidate}
            for n, p in enumerate(pairs)
        ]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        started = time.perf_counter()
        run_batch(path, Path(folder) / "out.jsonl", timeout=4.0, jobs=1, resume=False)
        whole = time.perf_counter() - started
    overhead = 1000 * (whole - loop) / count
    print(f"  {'batch, jobs=1, files and ledger':34} {1000 * whole / count:8.3f}")
    print(f"overhead of batch over the loop: {overhead:.3f} ms per pair (bar: {BAR_MS} ms)")


if __name__ == "__main__":
    main()
