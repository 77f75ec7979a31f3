"""Arithmetic: every GSM-Symbolic oracle against itself, rewritings and mutants; the recorded model programs.

Bars: 0 unknown at 4 s, 0 wrong, median at most 15 ms. Wrong is checked from outside: Python itself (the twin
of the tests) evaluates both sides at legal points; an equivalent pair that it tells apart is wrong, and so is
a refuted one whose counterexample it does not see, or a rewriting that is not proved. Times are CPU time,
because wall time depends on what else the machine does; wall time is printed beside it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from truespec.benchmark.sources.registry import load as load_source
from truespec.benchmark.task import PairRecord, Skipped, Task
from truespec.domains.arith.context import read_context
from truespec.domains.arith.points import scope
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Counterexample, Verdict

SECONDS = 4.0
MUTANTS = 12
ROOT = Path(__file__).parent.parent


def main(options: list[str]) -> None:
    """Print the tables; `--quick` takes every tenth task."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks arith")
    parser.add_argument("--quick", action="store_true", help="every tenth task")
    parser.add_argument("--slow-list", action="store_true", help="name the slowest pairs")
    parser.add_argument("--recheck", action="store_true", help="re-check every decided verdict as well")
    chosen = parser.parse_args(options)
    folder = Path(os.environ.get("TRUESPEC_SOURCES", ROOT.parent / "shared" / "sources")) / "gsm"
    if not folder.exists():
        print(f"no upstream data at {folder}: set TRUESPEC_SOURCES")
        return
    records = list(load_source("gsm-symbolic")(folder))
    tasks = [record for record in records if isinstance(record, Task)]
    pairs = [record for record in records if isinstance(record, PairRecord)]
    skipped = [record for record in records if isinstance(record, Skipped)]
    templates = sum("templates" in record.source.file for record in skipped)
    print(f"{len(tasks)} tasks, {templates} templates skipped; {len(pairs)} programs lifted, "
          f"{len(skipped) - templates} left out")  # fmt: skip
    load("arith").warm_up()
    run = _Run(chosen.recheck)
    for task in tasks[:: 10 if chosen.quick else 1]:
        run.task(task)
    run.show("oracles")
    if chosen.slow_list:
        run.slowest()
    programs = _Run(chosen.recheck)
    labels: Counter[tuple[object, str]] = Counter()
    for record in pairs[:: 10 if chosen.quick else 1]:
        verdict = programs.pair("program", record.context, record.oracle, record.candidate)
        assert isinstance(record.upstream_label, Mapping)
        labels["right" if record.upstream_label["correct"] else "wrong", verdict.answer.value] += 1
    programs.show("recorded model programs")
    print("\nupstream's judgement of one answer, and ours of the program")
    for (label, answer), count in sorted(labels.items(), key=str):
        print(f"  {label:>6}  {answer:<12} {count:5d}")


class _Run:
    def __init__(self, recheck: bool) -> None:
        self.recheck = recheck
        self.twin = _twin()
        self.times: dict[str, list[tuple[float, float, str]]] = {}
        self.answers: Counter[tuple[str, str]] = Counter()
        self.methods: Counter[str] = Counter()
        self.rechecks: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.unknown: list[str] = []
        self.points: list[dict[str, Fraction]] = []
        self.where = ""

    def task(self, task: Task) -> None:
        """The oracle against itself, its rewritings and its mutants."""
        domain = load("arith")
        self.where = task.id
        self.points = _legal_points(task.context)
        self.pair("itself", task.context, task.oracle, task.oracle)
        for text in domain.rewritings(task.oracle, task.context):
            self.pair("rewriting", task.context, task.oracle, text)
        for text in islice(_spread(domain.mutants(task.oracle, task.context)), MUTANTS):
            self.pair("mutant", task.context, task.oracle, text)

    def pair(self, kind: str, context: Mapping[str, Any], oracle: str, candidate: str) -> Verdict:
        """Decide one pair, and check the answer from outside."""
        wall, cpu = time.perf_counter(), time.process_time()
        verdict = verify_pair(Pair("arith", oracle, candidate, context), SECONDS)
        spent = time.process_time() - cpu, time.perf_counter() - wall
        name = f"{self.where}: {candidate}"
        self.times.setdefault(kind, []).append((*spent, f"{name} [{verdict.method}]"))
        self.answers[kind, verdict.answer.value] += 1
        self.methods[verdict.method] += 1
        if verdict.answer in (Answer.UNKNOWN, Answer.INVALID):
            assert verdict.reason
            self.unknown.append(f"{name}: {verdict.reason.detail}")
        elif self._is_wrong(kind, context, oracle, candidate, verdict):
            self.wrong.append(f"{name}: {verdict.answer.value}")
        if self.recheck and verdict.answer in (Answer.EQUIVALENT, Answer.REFUTED):
            found = load("arith").recheck(oracle, candidate, context, verdict, Limit.start(10))
            self.rechecks[f"{verdict.answer.value}: {found.status.value}"] += 1
        return verdict

    def _is_wrong(
        self, kind: str, context: Mapping[str, Any], oracle: str, candidate: str, verdict: Verdict
    ) -> bool:
        names = list(context["variables"])
        left, right = self.twin.function(oracle, names), self.twin.function(candidate, names)
        if verdict.answer is Answer.REFUTED:
            assert isinstance(verdict.evidence, Counterexample)
            shown = verdict.evidence.point
            point = {name: Fraction(str(shown[name])) for name in names}
            legal = all(
                self.twin.function(text, names)(*point.values()) is True for text in context["constraints"]
            )
            return (
                not legal
                or left(*point.values()) == right(*point.values())
                or kind in ("itself", "rewriting")
            )
        return any(left(*point.values()) != right(*point.values()) for point in self.points)

    def show(self, title: str) -> None:
        """The table of one run."""
        print(f"\n{title}")
        print(f"  {'pairs':<10} {'count':>6} {'equiv.':>7} {'refuted':>8} {'unknown':>8} {'invalid':>8}"
              f" {'median':>9} {'99 %':>9} {'most':>9}   CPU ms (wall median)")  # fmt: skip
        for kind, times in self.times.items():
            spent = sorted(cpu * 1000 for cpu, _, _ in times)
            wall = statistics.median(wall * 1000 for _, wall, _ in times)
            counts = [self.answers[kind, answer.value] for answer in (
                Answer.EQUIVALENT, Answer.REFUTED, Answer.UNKNOWN, Answer.INVALID)]  # fmt: skip
            print(f"  {kind:<10} {len(times):6d} {counts[0]:7d} {counts[1]:8d} {counts[2]:8d} {counts[3]:8d}"
                  f" {statistics.median(spent):9.2f} {spent[int(len(spent) * 0.99)]:9.2f} {spent[-1]:9.2f}"
                  f"   ({wall:.2f})")  # fmt: skip
        every = [cpu * 1000 for times in self.times.values() for cpu, _, _ in times]
        median = statistics.median(every)
        print(f"  bars: unknown {len(self.unknown)} (0), wrong {len(self.wrong)} (0),"
              f" median {median:.2f} ms (15): {'met' if self._met(median) else 'NOT MET'}")  # fmt: skip
        print("  by: " + ", ".join(f"{method} {count}" for method, count in self.methods.most_common()))
        if self.rechecks:
            print("  recheck: " + ", ".join(f"{k} {v}" for k, v in sorted(self.rechecks.items())))
        for what, listed in (("unknown", self.unknown), ("wrong", self.wrong)):
            for line in listed[:40]:
                print(f"  {what}: {line[:300]}")

    def _met(self, median: float) -> bool:
        return not self.unknown and not self.wrong and median <= 15

    def slowest(self) -> None:
        """The pairs that took longest."""
        every = sorted((entry for times in self.times.values() for entry in times), reverse=True)
        for cpu, _, name in every[:30]:
            print(f"  {cpu * 1000:9.1f} ms  {name[:200]}")


def _spread(texts: Iterator[str]) -> Iterator[str]:
    """Mutants of every kind: each third one first, so that a few are not all of one operator."""
    every = list(texts)
    yield from (every[index] for start in range(3) for index in range(start, len(every), 3))


def _legal_points(context: Mapping[str, Any]) -> list[dict[str, Fraction]]:
    """Legal points found apart from the verifier's own, which are those of its first search."""
    made = scope(read_context(context))
    made.tried = 5_000  # other restarts than the verifier's
    names = list(context["variables"])
    return [
        {name: Fraction(value) for name, value in zip(names, values, strict=True)}
        for values in made.sample(150, Limit.start(60), effort=150_000)
    ]


def _twin() -> ModuleType:
    path = ROOT / "tests" / "domains" / "arith" / "twin.py"
    spec = importlib.util.spec_from_file_location("twin_arith", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
