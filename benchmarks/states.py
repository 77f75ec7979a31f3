"""`python -m benchmarks states`: final states decided by replay, beside the database checks of tau2-bench.

Each conversation of the airline and retail files is replayed on the model of its environment, each task's
reference actions likewise. The two databases are compared, and the answer with the `db_check` that the
harness recorded. A conversation whose recorded results the model does not predict is not counted as either.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from truespec.compliance.final_state import FinalStates
from truespec.rules.finding import Status
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace
from truespec.worlds.registry import Worlds
from truespec.worlds.replay import replay

HEADS = ("runs", "results", "agree", "differ", "not believed", "no check")
"""The columns."""


def main(options: list[str]) -> None:
    """Print a row for each file; `--quick` reads one of each environment."""
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces" / "tau2"
    files = [path for name in ("airline", "retail") for path in sorted(folder.glob(f"{name}__*.json.gz"))]
    if "--quick" in options:
        files = [files[0], files[-1]]
    states = FinalStates(Worlds(folder / "domains"), reference=True)
    total: Counter[str] = Counter()
    print(f"{'file':34}" + "".join(f" {head:>12}" for head in HEADS))
    for path in files:
        counts = _file(path, states)
        total += counts
        _row(path.name.removesuffix(".json.gz"), counts)
    _row("all", total)


def _row(name: str, counts: Counter[str]) -> None:
    print(f"{name:34}" + "".join(f" {counts[head]:12}" for head in HEADS))


def _file(path: Path, states: FinalStates) -> Counter[str]:
    counts: Counter[str] = Counter()
    for trace in read(path):
        if not isinstance(trace, Trace):
            continue
        counts["runs"] += 1
        found = states.worlds.of(trace)
        assert isinstance(found, tuple), found
        counts["results"] += replay(*found, trace).compared
        findings = states.findings(trace)
        check = trace.outcome.parts.get("db_check")
        if any(one.status == Status.NOT_EVALUATED for one in findings):
            counts["not believed"] += 1
        elif not isinstance(check, dict):
            counts["no check"] += 1
        else:
            holds = all(one.status == Status.PASS for one in findings)
            counts["agree" if holds == check["db_match"] else "differ"] += 1
    return counts
