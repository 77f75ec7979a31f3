"""First-order logic: time, answers and relations on recorded answers, mutants and rewritings of FOLIO.

Bars: 0 unknown at 4 s; median at most 1.5 ms and 99th percentile at most 10 ms inside the worker, on all
recorded pairs of the same signature and on 20 mutants of every distinct oracle. They are judged by CPU time,
that of the provers' processes included, because wall time depends on what else the machine does; both are
printed. The peer is a bare loop around Z3 (one query for each pair, no relation, no counterexample, no
replay), timed on the same pairs in the same run.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

import z3

from truespec.benchmark.sources.registry import load as load_source
from truespec.benchmark.task import PairRecord, Task
from truespec.domains.fol.parse import parse
from truespec.domains.fol.syntax import (
    All,
    And,
    Atom,
    Equal,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Some,
    Term,
    children,
    constants,
    predicates,
)
from truespec.domains.fol.write import write
from truespec.domains.registry import load
from truespec.domains.verify import Pair, verify_pair

SECONDS = 4.0
MUTANTS = 20
MEDIAN_BAR, TAIL_BAR = 1.5, 10.0
PEER_PAIRS = 4_000
"""The peer is timed on at most so many pairs of a set, evenly spread over it."""
SOURCES = Path(os.environ.get("TRUESPEC_SOURCES", Path(__file__).parents[2] / "shared" / "sources"))


def main(arguments: list[str] | None = None) -> None:
    """Print the table of every set, then whether the bars are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks fol")
    parser.add_argument("--quick", action="store_true", help="every 20th oracle, every 5th recorded pair")
    quick = parser.parse_args(arguments).quick
    folder = SOURCES / "fol"
    if not folder.is_dir():
        sys.exit(f"no data in {folder}: set TRUESPEC_SOURCES to the folder that holds fol/")
    domain = load("fol")
    domain.warm_up()
    oracles = {task.oracle: task.context for task in load_source("folio")(folder) if isinstance(task, Task)}
    some = list(oracles.items())[:: 20 if quick else 1]
    recorded = list(recorded_pairs(folder))[:: 5 if quick else 1]
    print(f"{len(oracles)} distinct FOLIO oracles, {len(some)} used; {SECONDS:g} s per pair")
    met = [
        measure("recorded, same signature", recorded),
        measure(f"{MUTANTS} mutants of each", list(mutants_of(some))),
    ]
    measure("laws applied to each", list(rewritings_of(some)))
    measure_renaming(list(recorded_pairs(folder, ("profile",)))[:: 5 if quick else 1])
    print(f"\nbars on the first two sets: {'met' if all(met) else 'MISSED'}")


def recorded_pairs(folder: Path, close: tuple[str, ...] = ("same", "case")) -> Iterator[Pair]:
    """Every recorded pair whose signatures are so close, repeats included."""
    for name in ("logic-lm", "linc", "llama-fol"):
        for record in load_source(name)(folder):
            if isinstance(record, PairRecord) and record.extra["signature"] in close:
                yield Pair("fol", record.oracle, record.candidate, record.context)


def mutants_of(oracles: list[tuple[str, Mapping[str, object]]]) -> Iterator[Pair]:
    """Single-point mutants, filled up with mutants of mutants."""
    domain = load("fol")
    for oracle, context in oracles:
        first = list(islice(domain.mutants(oracle, context), MUTANTS))
        plain = write(parse(oracle).formula)
        second = (again for mutant in first for again in domain.mutants(mutant, context) if again != plain)
        distinct = dict.fromkeys(chain(first, second)) if len(first) < MUTANTS else first
        for mutant in islice(distinct, MUTANTS):
            yield Pair("fol", oracle, mutant, context)


def rewritings_of(oracles: list[tuple[str, Mapping[str, object]]]) -> Iterator[Pair]:
    """Each oracle against itself, rewritten by each law."""
    domain = load("fol")
    for oracle, context in oracles:
        for text in domain.rewritings(oracle, context):
            yield Pair("fol", oracle, text, context)


def measure(name: str, pairs: list[Pair]) -> bool:
    """Decide the pairs and print their table; whether the bars are met."""
    random.Random(1).shuffle(pairs)  # so that no parse is cached because its neighbour had the same oracle
    answers: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    methods: Counter[str] = Counter()
    wall: list[float] = []
    cpu: list[float] = []
    gc.collect()
    gc.freeze()
    every = max(1, len(pairs) // PEER_PAIRS)
    sampled: list[tuple[Pair, str]] = []
    slowest = (0.0, pairs[0])
    for number, pair in enumerate(pairs):
        started = cpu_seconds()
        verdict = verify_pair(pair, SECONDS)
        cpu.append(1000 * (cpu_seconds() - started))
        wall.append(1000 * verdict.seconds)
        slowest = max(slowest, (cpu[-1], pair), key=lambda entry: entry[0])
        answers[verdict.answer.value] += 1
        methods[verdict.method] += 1
        if verdict.answer.value == "refuted":
            relations[verdict.relation.value if verdict.relation else "undecided"] += 1
        if number % every == 0:
            sampled.append((pair, verdict.answer.value))
    print(f"\n{name}: {len(pairs)} pairs, {len({(one.oracle, one.candidate) for one in pairs})} distinct")
    print(f"  answers    {shares(answers)}")
    print(f"  relations  {shares(relations)}")
    print(f"  methods    {shares(methods)}")
    print(f"  {'':22} {'median':>8} {'p90':>8} {'p99':>8} {'max':>9} ms")
    row("wall, as recorded", wall)
    row("CPU", cpu)
    peer, mismatches, gaps = run_peer(sampled)
    row(f"bare Z3 loop, {len(sampled)}, CPU", peer)
    ratio = [quantile(peer, part) / max(1e-9, quantile(cpu, part)) for part in (0.5, 0.9, 0.99)]
    print(f"  {'Z3 loop / truespec':22} {''.join(f'{one:8.2f} ' for one in ratio)}")
    print(f"  Z3 loop: {gaps} undecided, {mismatches} answers against ours")
    print(f"  slowest: {slowest[1].oracle[:90]} | {slowest[1].candidate[:90]}")
    return (
        answers["unknown"] == 0
        and mismatches == 0
        and quantile(cpu, 0.5) <= MEDIAN_BAR
        and quantile(cpu, 0.99) <= TAIL_BAR
    )


def measure_renaming(pairs: list[Pair]) -> None:
    """Search renamings for recorded answers under other names, as many of each arity as the oracle has."""
    distinct = {(pair.oracle, pair.candidate): pair for pair in pairs}
    found = 0
    cpu = []
    for pair in distinct.values():
        asked = Pair(pair.domain, pair.oracle, pair.candidate, {**pair.context, "renaming": "search"})
        started = cpu_seconds()
        found += bool(verify_pair(asked, SECONDS).notes)
        cpu.append(1000 * (cpu_seconds() - started))
    print(f"\nrecorded, other names of the same arities: {len(pairs)} pairs, {len(distinct)} distinct")
    print(f"  equivalent under a renaming: {found} ({found / len(distinct):.1%}), all others stay apart")
    row("CPU", cpu)


def cpu_seconds() -> float:
    """CPU time of this process, and of the children it has waited for."""
    children_time = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children_time.ru_utime + children_time.ru_stime


def shares(counts: Counter[str]) -> str:
    """Counts with their shares, most frequent first."""
    total = sum(counts.values())
    return ", ".join(f"{name} {count} ({count / total:.1%})" for name, count in counts.most_common())


def quantile(values: list[float], part: float) -> float:
    """The value below which this part of the values lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def row(label: str, values: list[float]) -> None:
    """One line of times."""
    cells = [quantile(values, part) for part in (0.5, 0.9, 0.99)]
    print(f"  {label:22} {''.join(f'{cell:8.3f} ' for cell in cells)}{max(values):9.1f}")


def run_peer(sampled: list[tuple[Pair, str]]) -> tuple[list[float], int, int]:
    """Times of the bare loop, answers that differ from ours, and pairs that Z3 leaves open."""
    times: list[float] = []
    mismatches = gaps = 0
    for pair, answer in sampled:
        if answer not in ("equivalent", "refuted"):
            continue
        started = time.process_time()
        left, right = (parse.__wrapped__(text).formula for text in (pair.oracle, pair.candidate))
        found = bare_z3(left, right)
        times.append(1000 * (time.process_time() - started))
        gaps += found == z3.unknown
        mismatches += found == (z3.sat if answer == "equivalent" else z3.unsat)
    return times, mismatches, gaps


def bare_z3(left: Formula, right: Formula) -> Any:
    """One query: is there a model in which the two differ?"""
    thing = z3.DeclareSort("Thing")
    symbols = {
        name: z3.Function(name, *[thing] * arity, z3.BoolSort())
        for name, arity in predicates(left, right).items()
    }
    points: dict[Term, Any] = {name: z3.Const(name, thing) for name in constants(left, right)}

    def term(name: Term) -> Any:
        return points.get(name) if isinstance(name, str) else z3.Const(f"?{name}", thing)

    def build(formula: Formula) -> Any:
        if isinstance(formula, Atom):
            return symbols[formula.predicate](*[term(one) for one in formula.terms])
        if isinstance(formula, Equal):
            return term(formula.left) == term(formula.right)
        parts = [build(part) for part in children(formula)]
        if isinstance(formula, All | Some):
            quantify: Callable[..., Any] = z3.ForAll if isinstance(formula, All) else z3.Exists
            return quantify([term(formula.variable)], parts[0])
        match formula:
            case Not():
                return z3.Not(parts[0])
            case And():
                return z3.And(parts)
            case Or():
                return z3.Or(parts)
            case Implies():
                return z3.Implies(*parts)
        result = parts[0]
        for part in parts[1:]:
            result = result == part if isinstance(formula, Iff) else z3.Xor(result, part)
        return result

    solver = z3.Solver()
    solver.set("timeout", int(1000 * SECONDS))
    solver.add(build(left) != build(right))
    return solver.check()


if __name__ == "__main__":
    main()
