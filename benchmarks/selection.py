"""The paper's selection and our own tasks side by side: are the oracles certified, what stays unknown at 4 s?

Candidates are made from every oracle (mutants, rewritings and both together); the share of them that the
verifiers leave undecided stands beside the paper's, of models' answers (RESpecBench, Table 8).
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from truespec.benchmark.respecbench import COUNTS, select
from truespec.benchmark.select import bundled_tasks
from truespec.benchmark.task import Task
from truespec.domains.verify import Pair
from truespec.executors.candidates import proposals
from truespec.executors.pool import Job, verifiers
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.verdict import Answer, TruespecError

PAPER = {"arith": "0.0%", "sql": "34.2-50.0%", "fol": "0.0%", "regex": "0.0%", "rocq": "83.9-93.5%"}
"""Table 8: the least and the largest share over nine models."""
TIMEOUT = 4.0


def measure(tasks: Sequence[Task], each: int, jobs: int) -> tuple[Proportion, Proportion, Counter[str]]:
    """Oracles proved equal to themselves; candidates left unknown, and the reasons."""
    pairs = [Pair(task.domain, task.oracle, task.oracle, dict(task.context)) for task in tasks]
    made = []
    for task in tasks:
        try:
            texts = [one.text for one in islice(proposals(task, 0), each)]
        except TruespecError:
            continue  # the oracle is outside the part of the language that can be changed
        made += [Pair(task.domain, task.oracle, text, dict(task.context)) for text in texts]
    with verifiers(sorted({task.domain for task in tasks}), jobs) as workers:
        work = [*(("self", pair) for pair in pairs), *(("made", pair) for pair in made)]
        verdicts = list(workers.run(Job(kind, pair, TIMEOUT) for kind, pair in work))
    same = [verdict for kind, verdict in verdicts if kind == "self"]
    other = [verdict for kind, verdict in verdicts if kind == "made"]
    reasons = Counter(
        verdict.reason.code.value for verdict in other if verdict.answer is Answer.UNKNOWN and verdict.reason
    )
    return (
        Proportion(sum(verdict.answer is Answer.EQUIVALENT for verdict in same), len(same)),
        Proportion(sum(verdict.answer is Answer.UNKNOWN for verdict in other), len(other)),
        reasons,
    )


def main(arguments: list[str] | None = None) -> None:
    """Print one row a set and domain."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks selection")
    parser.add_argument("--quick", action="store_true", help="at most 20 tasks of each set and domain")
    parser.add_argument("--domain", action="append", help="only this domain")
    options = parser.parse_args(arguments)
    most, each = (20, 3) if options.quick else (10_000, 6)
    jobs = len(os.sched_getaffinity(0))
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources"))
    sets: dict[tuple[str, str], Sequence[Task]] = {}
    ours = bundled_tasks()
    for domain in COUNTS:
        sets[domain, "our own"] = [task for task in ours if task.domain == domain]
    if folder.is_dir():
        for one in select(folder):
            sets[one.domain, "the paper's"] = one.tasks
            print(
                f"{one.domain}: {len(one.tasks)} of the paper's {COUNTS[one.domain]} tasks; {dict(one.taken)}"
            )
    else:
        print(f"the paper's selection is left out: {folder} is not there (set TRUESPEC_SOURCES)")
    print(
        f"{'set':20} {'tasks':>5}  {'oracle = itself':26} {'candidates unknown at 4 s':30} paper's  reasons"
    )
    for (domain, name), every in sorted(sets.items(), key=lambda item: list(COUNTS).index(item[0][0])):
        if not every or (options.domain and domain not in options.domain):
            continue
        tasks = random.Random(0).sample(list(every), min(most, len(every)))
        same, unknown, reasons = measure(tasks, each, jobs)
        why = ", ".join(f"{code} {count}" for code, count in reasons.most_common())
        print(
            f"{domain + ', ' + name:20} {len(tasks):5}  {share(same):26} {share(unknown):30} "
            f"{PAPER[domain]:12} {why}",
            flush=True,
        )


if __name__ == "__main__":
    main()
