"""A batch from 10^3 pairs upwards: time per pair, and the memory of the driver, which must not grow.

Bar: the memory of the driver at the largest size is at most 64 MiB above that at the smallest.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BAR_MIB = 64
QUICK, USUAL, FULL = (1_000, 3_000), (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)
"""Numbers of pairs; `--full` takes hours on few cores."""

DRIVER = (
    "import resource, sys\n"
    "from pathlib import Path\n"
    "from truespec.executors.batch import run_batch\n"
    "run_batch(Path(sys.argv[1]), Path(sys.argv[2]), timeout=4.0, jobs=int(sys.argv[3]), resume=False)\n"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
)


def records(count: int) -> Iterator[dict[str, Any]]:
    """Seeded pairs of three cheap domains, every one different from the others."""
    chance = random.Random(2026)
    parts = ["a", "b", "[0-9]", "(ab|c)", "d?", "e*", "f+", "g{2,4}"]
    for number in range(count):
        kind = number % 3
        record: dict[str, Any] = {"id": f"p{number}"}
        if kind == 0:
            text = "".join(chance.choices(parts, k=5)) + str(number)
            other = text if chance.random() < 0.5 else text + chance.choice(parts)
            record |= {"domain": "regex", "oracle": text, "candidate": other}
        elif kind == 1:
            first, second = chance.sample("PQRST", 2)
            left, right = f"{first}{number}(x)", f"{second}{number}(x)"
            other = f"∀x (¬{left} ∨ {right})" if chance.random() < 0.5 else f"∀x ({left} ∧ {right})"
            record |= {"domain": "fol", "oracle": f"∀x ({left} → {right})", "candidate": other}
        else:
            factor = chance.randint(2, 99)
            other = (
                f"{factor} * a + {factor * number}" if chance.random() < 0.5 else f"{factor} * a + {number}"
            )
            context = {"variables": {"a": {"type": "int"}}}
            record |= {"domain": "arith", "oracle": f"{factor} * (a + {number})", "candidate": other}
            record["context"] = context
        yield record


def main(arguments: list[str] | None = None) -> None:
    """Print a table: pairs, wall time, time per pair and core, memory of the driver, size of the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale")
    parser.add_argument("--quick", action="store_true", help="1,000 and 3,000 pairs only")
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 pairs")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else FULL if options.full else USUAL
    cores = len(os.sched_getaffinity(0))
    print(f"regex, fol and arith pairs on {cores} cores (load {os.getloadavg()[0]:.1f})")
    print(f"{'pairs':>9} {'wall s':>9} {'ms/pair/core':>13} {'driver MiB':>11} {'ledger MiB':>11}")
    memory: list[float] = []
    for count in sizes:
        with tempfile.TemporaryDirectory() as folder:
            pairs, output = Path(folder) / "pairs.jsonl", Path(folder) / "out.jsonl"
            with pairs.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records(count))
            started = time.perf_counter()
            line = [sys.executable, "-c", DRIVER, str(pairs), str(output), str(cores)]
            run = subprocess.run(line, capture_output=True, text=True, check=True)
            wall = time.perf_counter() - started
            memory.append(int(run.stdout) / 1024)
            ledger = output.with_name(output.name + ".ledger").stat().st_size / 2**20
            with output.open(encoding="utf-8") as file:
                written = sum(1 for _ in file)
            assert written == count, f"{written} records for {count} pairs"
        each = 1000 * wall * cores / count
        print(f"{count:9,} {wall:9.1f} {each:13.2f} {memory[-1]:11.0f} {ledger:11.1f}", flush=True)
    grown = memory[-1] - memory[0]
    print(f"memory of the driver grew by {grown:.0f} MiB (bar: {BAR_MIB} MiB)")


if __name__ == "__main__":
    main()
