"""What worker processes and the ledger cost per pair, against the same verifier in a loop in one process.

Bar: at most 1 ms per item at 10,000 regex pairs. `--mariadb` counts instead what a pair costs on MariaDB:
requests, round trips, and CPU time of the client and of the server.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

from pymysql.connections import Connection

from truespec.domains.registry import load
from truespec.domains.sql.engines import registry as engines
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
    parser.add_argument("--mariadb", action="store_true", help="90 SQL pairs on MariaDB instead")
    options = parser.parse_args(arguments)
    if options.mariadb:
        mariadb(30 if options.quick else 90)
        return
    count = 1_000 if options.quick else 10_000
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


SCHEMA = """
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, s VARCHAR(10));
CREATE TABLE u (id INT PRIMARY KEY, t_id INT, c INT, FOREIGN KEY (t_id) REFERENCES t (id))
"""
QUERIES = (
    ("SELECT a FROM t WHERE b > {0}", "SELECT a FROM t WHERE b >= {0}"),
    (
        "SELECT a, COUNT(*) FROM t WHERE b > {0} GROUP BY a",
        "SELECT a, COUNT(*) FROM t WHERE NOT b <= {0} GROUP BY a",
    ),
    (
        "SELECT t.a FROM t JOIN u ON u.t_id = t.id WHERE c = {0}",
        "SELECT a FROM t WHERE id IN (SELECT t_id FROM u WHERE c = {0})",
    ),
)
"""Two pairs that a few databases refute, and one that is proved."""


def mariadb(count: int) -> None:
    """Print requests, round trips and CPU time per pair on MariaDB."""
    context = {"schema": SCHEMA, "dialect": "mysql"}
    pairs = []
    for number in range(count):
        oracle, candidate = (text.format(number // 3) for text in QUERIES[number % 3])
        pairs.append(Pair("sql", oracle, candidate, context))
    verify_pair(Pair("sql", "SELECT 1", "SELECT 2", context), 4.0)
    verify_pair(Pair("sql", "SELECT a FROM t WHERE b > -1", "SELECT a FROM t WHERE b >= 0", context), 4.0)
    seen: Counter[str] = Counter()
    asked: set[int] = set()
    write, read = Connection._write_bytes, Connection._read_bytes

    def writing(self: Any, data: bytes) -> Any:
        seen["requests"] += 1
        asked.add(id(self))
        return write(self, data)

    def reading(self: Any, size: int) -> Any:
        if id(self) in asked:
            asked.remove(id(self))
            seen["round trips"] += 1
        return read(self, size)

    before = time.process_time(), _server_cpu()
    with (
        mock.patch.object(Connection, "_write_bytes", writing),
        mock.patch.object(Connection, "_read_bytes", reading),
    ):
        answers = Counter(verify_pair(pair, 4.0).answer.value for pair in pairs)
    client, server = time.process_time() - before[0], _server_cpu() - before[1]
    print(f"{count} SQL pairs on {engines.engine('mysql').label()}: {dict(answers)}; per pair")
    for what, number in seen.items():
        print(f"  {what:34} {number / count:8.1f}")
    print(f"  {'CPU of the client, ms':34} {1000 * client / count:8.1f}")
    print(f"  {'CPU of the server, ms':34} {1000 * server / count:8.1f}")
    engines.close_all()


def _server_cpu() -> float:
    """CPU seconds of the engine's own server."""
    server = getattr(engines.engine("mysql"), "_server", None)
    if server is None:
        return float("nan")
    number = int((server.directory / "pid").read_text())
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
