"""A batch from 10^3 to 10^6 pairs, from start to report: cost per pair, memory of the driver, ledger, report.

The pairs are arith, fol and regex candidates as `bench candidates` draws them. Cost is CPU time of the driver
and of everything below it, which other work on the machine hardly changes. Bars: the memory of the driver at
the largest size is at most 64 MiB above that at the smallest, and the cost per pair there is at most 15 %
above that at 10,000 pairs (the smallest size where 10,000 is not measured).

A second table says what a million pairs of SQL and of Rocq would cost, reckoned from a sample.

With `--keep FOLDER` a run may be stopped (Ctrl-C) and goes on when it is started again: what is measured
stands in the folder, and the cost of a size is the sum of what its parts cost.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks._scale_pairs import drawn, pairs
from truespec.executors.batch import Summary, run_batch
from truespec.executors.guardian import PR_SET_CHILD_SUBREAPER, end_all
from truespec.store.rows import rows

BAR_MIB, BAR_COST = 64, 1.15
QUICK, USUAL, FULL = (1_000, 3_000), (1_000, 10_000, 100_000), (1_000, 10_000, 100_000, 1_000_000)
"""Numbers of pairs; `--full` takes an hour or more on two cores."""
REFERENCE = 10_000
"""The size whose cost per pair is compared with that of the largest."""
SAMPLE = {"sql": 60, "rocq": 24}
"""How many pairs of the dear domains are decided."""


def driver(stage: str, folder: Path, jobs: int) -> None:
    """One stage in a process of its own; prints what it cost as one JSON object.

    As a subreaper it also takes over servers that lost their parent, so that their CPU time is counted.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    started = time.perf_counter()
    told: dict[str, Any] = {}
    if stage == "report":
        told["rows"] = sum(1 for _ in rows(folder / "out.jsonl"))
    else:
        told |= decided(folder, jobs)
    told["wall"] = time.perf_counter() - started
    end_all()
    own, below = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    told["driver"], told["mib"] = own.ru_utime + own.ru_stime, peak_mib()
    told["cpu"] = told["driver"] + below.ru_utime + below.ru_stime
    print(json.dumps(told))


def decided(folder: Path, jobs: int) -> dict[str, Any]:
    """Decide the pairs that the ledger in the folder does not hold; what was done until the end or Ctrl-C."""
    output = folder / "out.jsonl"
    resume = (folder / "out.jsonl.ledger").exists()
    seen = Summary()

    def progress(lines: int, all_lines: int, summary: Summary) -> None:
        nonlocal seen
        seen = summary

    stopped = False
    try:
        seen = run_batch(
            folder / "pairs.jsonl", output, timeout=4.0, jobs=jobs, resume=resume, progress=progress
        )
    except KeyboardInterrupt:
        stopped = True
    return {"lines": seen.lines, "reused": seen.reused, "answers": seen.answers, "stopped": stopped}


def peak_mib() -> float:
    """The most memory that this process held; `ru_maxrss` also counts what the parent held when it forked."""
    status = Path("/proc/self/status").read_text("utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def staged(stage: str, folder: Path, jobs: int) -> dict[str, Any]:
    """What `driver` prints for this stage; Ctrl-C ends the stage, which still prints what it did."""
    line = [sys.executable, "-m", "benchmarks.scale", "--stage", stage, str(folder), str(jobs)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, start_new_session=True) as run:
        try:
            run.wait()
        except KeyboardInterrupt:
            run.terminate()
        assert run.stdout is not None
        printed = run.stdout.read().splitlines()
    if not printed:
        sys.exit(f"stage {stage} ended with {run.returncode}")
    told: dict[str, Any] = json.loads(printed[-1])
    return told


def measured(draws: list[dict[str, Any]], count: int, jobs: int, keep: Path | None) -> dict[str, Any]:
    """A batch of so many pairs: its cost, then that of `--resume` on the whole ledger, then of flat rows."""
    with place(keep, count) as folder:
        done = folder / "done.json"
        if done.exists():
            kept: dict[str, Any] = json.loads(done.read_text("utf-8"))
            return kept
        source = folder / "pairs.jsonl"
        if not source.exists():
            unfinished = source.with_suffix(".new")
            with unfinished.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs(draws, count))
            unfinished.rename(source)
        told = in_parts(folder, jobs)
        ledger = (folder / "out.jsonl.ledger").stat().st_size / 2**20
        again, report = staged("resume", folder, jobs), staged("report", folder, jobs)
        for what, found in (
            ("written", told["lines"]),
            ("reused", again["reused"]),
            ("read", report["rows"]),
        ):
            if found != count:
                sys.exit(f"{found} records {what} for {count} pairs")
        told |= {"ledger": ledger, "resume": again["cpu"], "report": report["cpu"]}
        done.write_text(json.dumps(told), "utf-8")
        return told


@contextmanager
def place(keep: Path | None, count: int) -> Iterator[Path]:
    """The folder for a size: below the kept one, or a temporary one."""
    if keep is None:
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)
        return
    folder = keep / str(count)
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def in_parts(folder: Path, jobs: int) -> dict[str, Any]:
    """The cost of deciding all pairs of the folder, over this part and those that were stopped before it.

    A part that was killed leaves no cost behind; the pairs that it decided are then left out of the mean.
    """
    costs = folder / "parts.jsonl"
    told = staged("batch", folder, jobs)
    with costs.open("a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")
    parts = [json.loads(line) for line in costs.read_text("utf-8").splitlines()]
    known = sum(part["lines"] - part["reused"] for part in parts)
    if told["stopped"]:
        sys.exit(f"stopped at line {told['lines']:,}: start the command again to go on")
    if len(parts) > 1 or known != told["lines"]:
        print(f"{told['lines']:,} pairs in {len(parts)} parts; the cost of {known:,} is known")
    sums = {name: sum(part[name] for part in parts) for name in ("wall", "cpu", "driver")}
    return {**told, **sums, "mib": max(part["mib"] for part in parts), "known": known}


def grow(sizes: tuple[int, ...], jobs: int, keep: Path | None) -> None:
    """Print the table of sizes and how it stands to the bars."""
    draws = drawn()
    print(f"{len(draws)} different arith, fol and regex candidates; with larger numbers they come in copies")
    heads = ("pairs", "wall s", "CPU ms/pair", "driver ms/pair", "driver MiB", "ledger MiB")
    print(" ".join(f"{head:>14}" for head in (*heads, "resume CPU s", "rows CPU s")))
    found: dict[int, dict[str, Any]] = {}
    for count in sizes:
        told = found[count] = measured(draws, count, jobs, keep)
        each, own = (1000 * told[name] / told["known"] for name in ("cpu", "driver"))
        figures = (each, own, told["mib"], told["ledger"], told["resume"], told["report"])
        print(f"{count:14,} {told['wall']:14.1f} " + " ".join(f"{one:14.2f}" for one in figures), flush=True)
    first, last = found[sizes[0]], found[sizes[-1]]
    base = REFERENCE if REFERENCE in found else sizes[0]
    ratio = last["cpu"] / last["known"] / (found[base]["cpu"] / found[base]["known"])
    print(f"memory of the driver grew by {last['mib'] - first['mib']:.0f} MiB (bar: {BAR_MIB} MiB)")
    print(
        f"cost per pair at {sizes[-1]:,} is {ratio:.2f} times that at {base:,} (bar: {BAR_COST}); "
        f"the driver takes {100 * last['driver'] / last['cpu']:.0f} % of it, and serves "
        f"{last['cpu'] / last['driver']:.0f} cores before it is the narrow place"
    )


def reckon(jobs: int, sample: dict[str, int]) -> None:
    """Print what a million pairs of the dear domains would take, from a sample of the bundled candidates."""
    print(f"{'per 10^6 pairs':<15} {'sample':>7} {'CPU s/pair':>11} {'core hours':>11} {'on 64 cores':>12}")
    for domain, count in sample.items():
        draws = drawn((domain,), variants=False)
        with tempfile.TemporaryDirectory() as name:
            lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in pairs(draws, count)]
            (Path(name) / "pairs.jsonl").write_text("".join(lines), "utf-8")
            told = staged("batch", Path(name), jobs)
        each = told["cpu"] / told["lines"]
        hours = each * 1e6 / 3600
        answers = ", ".join(f"{number} {answer}" for answer, number in sorted(told["answers"].items()))
        print(
            f"{domain:<15} {told['lines']:7} {each:11.2f} {hours:11,.0f} {hours / 64:10.1f} h  ({answers})",
            flush=True,
        )
    print("The set-up of servers and provers is part of a sample's cost: a long run is cheaper per pair.")


def main(arguments: list[str] | None = None) -> None:
    """Print the table of sizes and the table of what is reckoned."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale")
    parser.add_argument("--quick", action="store_true", help="1,000 and 3,000 pairs, and small samples")
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 pairs")
    parser.add_argument("--paper", action="store_true", help="only what is reckoned for SQL and Rocq")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="go on with what the folder holds")
    parser.add_argument("--stage", nargs=3, metavar=("STAGE", "FOLDER", "JOBS"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.stage:
        stage, folder, jobs = options.stage
        driver(stage, Path(folder), int(jobs))
        return
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores, load {os.getloadavg()[0]:.1f}")
    if not options.paper:
        grow(QUICK if options.quick else FULL if options.full else USUAL, cores, options.keep)
    reckon(cores, dict.fromkeys(SAMPLE, 8) if options.quick else SAMPLE)


if __name__ == "__main__":
    main()
