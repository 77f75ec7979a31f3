"""What the tests cost: `--cost=FILE` writes the CPU seconds of every test, `costs.yml` keeps the dear ones.

A cost is the processor time, user and system, of the test process and of all processes below it, so it hardly
depends on what else the machine does. A fixture that several tests share is paid by the test that asks for it
first. Work of a process that left the tree (a daemon) is not seen.

`python tests/cost.py FILE...` takes the costs of a whole run over into `costs.yml`, then those of runs of
parts, which replace what the whole run says of their tests. Without a file it prints the tests that cost the
most, each with the reason why it is worth it.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from cases import read_yaml

KEPT = Path(__file__).with_name("costs.yml")
"""A row per test function that costs `SLOW` or more, the dearest first."""

SLOW = 0.3
"""A test of so many CPU seconds is slow: `make quick` leaves it out."""

MOMENT = 0.005
"""Seconds."""

SHOWN = 30
"""How many rows are printed."""

HEAD = "# Made by 'make costs'; the reasons (why) are written by hand.\n"

_TICK = 1 / os.sysconf("SC_CLK_TCK")


class Meter:
    """The CPU seconds of this process and of all processes below it, from one reading to the next.

    A child tells what it used while it lives, and its parent does once it has waited for the child.
    """

    def __init__(self) -> None:
        self.known: dict[tuple[int, str], tuple[float, float]] = {}
        self.gone: dict[tuple[int, str], tuple[float, float]] = {}
        self.read()

    def read(self) -> float:
        """The CPU seconds since the reading before."""
        found = dict(_tree(os.getpid()))
        own = taken_over = 0.0
        for process, (used, of_children) in found.items():
            before = self.known.get(process) or self.gone.get(process) or (0.0, 0.0)
            own += used - before[0]
            taken_over += of_children - before[1]
        # A process that ended told most of it before. One that was overlooked once comes back.
        gone = {process: times for process, times in self.known.items() if process not in found}
        told = sum(map(sum, gone.values()))
        self.known, self.gone = found, gone
        return own + max(0.0, taken_over - told)


def _tree(process: int) -> Iterator[tuple[tuple[int, str], tuple[float, float]]]:
    """Each process from this one down, with its start: its own time, that of the children it waited for."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it ended in between
        return
    user, system, ended_user, ended_system = map(int, fields[11:15])
    yield (process, fields[19]), ((user + system) * _TICK, (ended_user + ended_system) * _TICK)
    for child in _children(process):
        yield from _tree(child)


def _children(process: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    except OSError:
        pass
    return found


class Costs:
    """Each phase of a test carries its cost in its report; the process that gets the reports adds them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.costs: dict[str, dict[str, float]] = defaultdict(dict)
        self.meter = Meter()

    def pytest_collection_finish(self) -> None:
        self.meter.read()  # no test pays for the collection

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        made: pytest.TestReport = yield
        report: Any = made
        # A phase of a moment is added to the next one: looking at all processes costs time itself.
        look = made.duration >= MOMENT or made.when == "teardown"
        report.test = item.nodeid
        report.cpu = self.meter.read() if look else 0.0
        return made

    def pytest_runtest_logreport(self, report: Any) -> None:
        if hasattr(report, "cpu"):  # a process that died reports no cost
            self.costs[report.test][report.when] = report.cpu

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Writes a line per test (total, set-up, call, tear-down, name), the dearest first."""
        rows = [(sum(phases.values()), phases, name) for name, phases in self.costs.items()]
        rows.sort(key=lambda row: -row[0])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("w", encoding="utf-8") as out:
            for total, phases, name in rows:
                parts = "\t".join(f"{phases.get(phase, 0.0):.2f}" for phase in ("setup", "call", "teardown"))
                print(f"{total:.2f}\t{parts}\t{name}", file=out)
        terminalreporter.section(f"the {min(SHOWN, len(rows))} dearest of {len(rows)} tests, in CPU seconds")
        for total, _, name in rows[:SHOWN]:
            terminalreporter.write_line(f"{total:8.2f}  {name}")
        terminalreporter.write_line(f"{sum(row[0] for row in rows):8.2f}  all of them; each in {self.path}")


@cache
def known() -> dict[str, float]:
    """The kept costs: of a slow test its own, of another one the mean of its function."""
    costs: dict[str, float] = {}
    for row in _rows():
        slow: dict[str, float] = row.get("slow", {})
        others = row["tests"] - len(slow)
        costs[row["test"]] = max(0.0, row["seconds"] - sum(slow.values())) / others if others else 0.0
        costs |= {row["test"] + (f"[{case}]" if case else ""): seconds for case, seconds in slow.items()}
    return costs


def cost(test: str) -> float:
    """The kept cost of a test in CPU seconds; 0.0 where none is kept."""
    costs = known()
    return costs.get(test, costs.get(test.partition("[")[0], 0.0))


def take_over(files: list[Path]) -> None:
    """Make `costs.yml` anew from the costs of a whole run and of parts after it; the reasons stay."""
    reasons = {row["test"]: row["why"] for row in _rows() if "why" in row}
    functions: dict[str, dict[str, float]] = defaultdict(dict)
    for line in chain.from_iterable(file.read_text(encoding="utf-8").splitlines() for file in files):
        seconds, _, _, _, test = line.split("\t", 4)
        function, _, case = test.partition("[")
        functions[function][case.removesuffix("]")] = float(seconds)
    rows = []
    for function, cases in sorted(functions.items(), key=lambda entry: -sum(entry[1].values())):
        total = round(sum(cases.values()), 1)
        if total < SLOW:
            break
        row: dict[str, Any] = {"test": function, "seconds": total, "tests": len(cases)}
        if function in reasons:
            row["why"] = reasons[function]
        slow = {case: round(seconds, 1) for case, seconds in cases.items() if seconds >= SLOW}
        rows.append(row | ({"slow": slow} if slow else {}))
    text = yaml.safe_dump(rows, sort_keys=False, allow_unicode=True, width=1000)
    KEPT.write_text(HEAD + text, encoding="utf-8")


def _rows() -> list[dict[str, Any]]:
    return read_yaml(KEPT) if KEPT.exists() else []


def main(arguments: list[str]) -> None:
    if arguments:
        take_over([Path(file) for file in arguments])
    print("CPU seconds  tests  test, and why it is worth it")
    for row in _rows()[:SHOWN]:
        print(f"{row['seconds']:11.1f}  {row['tests']:5}  {row['test']}")
        print(f"{'':20}{row.get('why', 'no reason is given yet')}")


if __name__ == "__main__":
    main(sys.argv[1:])
