"""Importing traces: the CPU of this checkout against that of an earlier commit, format by format.

    python -m benchmarks importing --against COMMIT [--repeats N] [--bar RATIO] [PATH ...]

One process holds the code of each. They read each file by turns, so that what else runs on the machine slows
both. For each file the least CPU time of its repetitions counts. Exit 1 where a format's ratio is above
the bar.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from truespec.traces.importers.registry import files_below

OPERANDS = True
"""This command takes files as arguments, and runs only where it is named."""
ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"
BAR = 1.1
"""The largest ratio that counts as equal."""
_CHILD = """
import gc, sys, time
from pathlib import Path
from truespec.traces import Trace
from truespec.traces.importers.registry import read
for line in sys.stdin:
    path = Path(line.rstrip("\\n"))
    gc.collect()
    started = time.process_time()
    found = list(read(path))
    spent = time.process_time() - started
    print(spent, next((one.source.format for one in found if isinstance(one, Trace)), "-"), flush=True)
"""


class Reader:
    """A process that reads files by the code in one folder."""

    def __init__(self, source: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def read(self, path: Path) -> tuple[float, str]:
        """The CPU seconds of one reading, and the format."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path.resolve()}\n")
        self.process.stdin.flush()
        seconds, format_ = self.process.stdout.readline().split()
        return float(seconds), format_

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of formats, slowest ratio first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks importing")
    parser.add_argument("--against", required=True, metavar="COMMIT")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--bar", type=float, default=BAR)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT])
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run(["git", "archive", asked.against, "src"], check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=code.stdout, check=True)
        readers = Reader(Path(folder) / "src"), Reader(Path("src").resolve())
        files = defaultdict(list)
        for path in files_below(asked.paths):
            runs = [[one.read(path) for one in readers] for _ in range(asked.repeats + 1)]
            old, new = (min(run[which][0] for run in runs) for which in (0, 1))
            files[runs[0][1][1]].append((old, new))
        for one in readers:
            one.close()
    files["all"] = [pair for pairs in files.values() for pair in pairs]
    print(f"CPU seconds of {asked.against} and of this checkout, {asked.repeats} repetitions")
    print(f"{'format':24} {'files':>5} {'old':>9} {'new':>9} {'ratio':>6}")
    above = False
    for name, pairs in sorted(files.items(), key=lambda item: -_ratio(item[1])):
        ratio = _ratio(pairs)
        above |= ratio > asked.bar
        old, new = map(sum, zip(*pairs, strict=True))
        print(f"{name:24} {len(pairs):5} {old:9.4f} {new:9.4f} {ratio:6.2f}")
    sys.exit(1 if above else 0)


def _ratio(pairs: list[tuple[float, float]]) -> float:
    old, new = map(sum, zip(*pairs, strict=True))
    return new / old
