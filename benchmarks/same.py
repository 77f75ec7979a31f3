"""The same pairs decided by local workers, in shards that are merged, and on a Ray cluster: how many differ.

Bar: 0 of 10,000 verdicts differ in answer, relation or reason. Evidence may differ: a solver that has decided
other pairs before may find another counterexample. How often it does is printed too. Ray binds the host's
address, so its run has a network namespace of its own that holds nothing but `lo`. Without the right to make
one it is left out, and that is said.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._scale_pairs import drawn, pairs

SHARDS = 4
TIMEOUT = "30"
"""Seconds a pair; long, so that other work on the machine decides no record."""


def truespec(*arguments: object, within: tuple[str, ...] = ()) -> None:
    """Run a command; its failure ends the measurement."""
    line = [*within, sys.executable, "-m", "truespec", *map(str, arguments)]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"{' '.join(line)}: exit code {run.returncode}\n{run.stdout}{run.stderr}")


def lasting(path: Path) -> list[dict[str, Any]]:
    """The records of a file without the time that each took."""
    with path.open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


def concluded(record: dict[str, Any]) -> tuple[object, ...]:
    """What a verdict says, without how it was found."""
    reason = record.get("reason") or {}
    return record["id"], record["answer"], record["relation"], reason.get("code")


def loopback() -> tuple[str, ...]:
    """The words before a command that let it see no network but `lo`; empty where that is not allowed."""
    ip, unshare = shutil.which("ip"), shutil.which("unshare")
    if not ip or not unshare:
        return ()
    rights = () if os.getuid() == 0 else ("--user", "--map-root-user")
    words = (unshare, *rights, "--net", "sh", "-c", f'{ip} link set lo up && exec "$@"', "sh")
    allowed = subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    return words if allowed else ()


def main(arguments: list[str] | None = None) -> None:
    """Print for each way how many records it wrote, how many differ from the local run, and its time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks same")
    parser.add_argument("--quick", action="store_true", help="300 pairs instead of 10,000")
    count = 300 if parser.parse_args(arguments).quick else 10_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = folder / "pairs.jsonl"
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in pairs(drawn(), count)]
        given.write_text("".join(lines), "utf-8")
        wanted: list[dict[str, Any]] = []
        for way in ("local", "shards", "ray"):
            output, started = folder / f"{way}.jsonl", time.perf_counter()
            if way == "local":
                truespec("batch", given, "-o", output, "--timeout", TIMEOUT)
            elif way == "shards":
                parts = [folder / f"part{number}.jsonl" for number in range(1, SHARDS + 1)]
                for number, part in enumerate(parts, 1):
                    shard = f"{number}/{SHARDS}"
                    truespec("batch", given, "-o", part, "--timeout", TIMEOUT, "--shard", shard)
                truespec("merge", *parts, "-o", output, "--pairs", given)
            elif within := loopback():
                truespec(
                    "batch", given, "-o", output, "--timeout", TIMEOUT, "--executor", "ray", within=within
                )
            else:
                print("ray: left out: no network namespace can be made here")
                continue
            found = lasting(output)
            wanted = wanted or found
            changed = [(one, other) for one, other in zip(wanted, found, strict=True) if one != other]
            differing = [(one, other) for one, other in changed if concluded(one) != concluded(other)]
            took = time.perf_counter() - started
            print(
                f"{way:<7} {len(found):7,} records in {took:.0f} s: {len(differing)} verdicts differ, and "
                f"{len(changed) - len(differing)} times only the evidence",
                flush=True,
            )
            for one, other in differing[:3]:
                print(f"  {json.dumps(one)[:300]}\n  {json.dumps(other)[:300]}")


if __name__ == "__main__":
    main()
