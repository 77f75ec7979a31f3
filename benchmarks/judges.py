"""Judges whose errors are known, over labelled candidates: do the figures say what theory says?

Judges: always right, always wrong, always 3, random (30 % FAR, 10 % FRR), and one that goes by the order.
Bars: FAR, FRR, inflation and kappa as theory gives them, exactly or within the 99 % interval of the count,
and the corrected rate's interval around the true one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from truespec.benchmark.select import bundled_tasks
from truespec.executors.bench import run_judges
from truespec.executors.candidates import labelled, write_run
from truespec.judges.judgement import Judgement
from truespec.metrics.agreement import cohen_kappa
from truespec.metrics.judging import correct, judge_rates
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import percent, share
from truespec.models.call import Call
from truespec.models.function import FunctionModel
from truespec.reports.bench_items import join
from truespec.store.runs import Run
from truespec.verdict import Answer

DOMAINS = ("arith", "fol", "regex")
FAR, FRR = 0.3, 0.1
Judge = Callable[[Call, bool], int]


def _random(call: Call, right: bool) -> int:
    chance = random.Random(call.key).random()
    return 3 if (chance >= FRR if right else chance < FAR) else 0


JUDGES: dict[str, tuple[str, Judge, float, float]] = {
    "always right": ("formalization", lambda _, right: 3 if right else 0, 0.0, 0.0),
    "always wrong": ("formalization", lambda _, right: 0 if right else 3, 1.0, 1.0),
    "always 3": ("equivalence", lambda *_: 3, 1.0, 0.0),
    "random": ("formalization", _random, FAR, FRR),
    "by order": ("equivalence", lambda call, _: 3 if "oracle-first" in call.subject else 0, 0.0, 1.0),
}
"""Name to kind, score of a call about a right or wrong candidate, and the FAR and FRR that theory gives.

By order: 3 and 0 disagree and sum to less than 4, so that everything is rejected (RESpecBench, 3.1).
"""


def within(found: Proportion, expected: float) -> bool:
    """Whether theory's figure lies in the interval; exactly, where it leaves no room for chance."""
    if expected in (0.0, 1.0):
        return found.value == expected
    reach = found.wilson(0.99)
    return reach is not None and expected in reach


def main(arguments: list[str] | None = None) -> None:
    """Print one row a judge; exit with 1 where a figure is not what theory gives."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks judges")
    parser.add_argument("--quick", action="store_true", help="150 candidates instead of 600")
    count = 150 if parser.parse_args(arguments).quick else 600
    failed = []
    with tempfile.TemporaryDirectory() as home:
        run = Run(Path(home))
        made, _ = labelled(
            bundled_tasks(DOMAINS), count, seed=11, timeout=4.0, jobs=len(os.sched_getaffinity(0))
        )
        write_run(run, made, 4.0)
        truth = {
            f"{one['task']}|{one['model']}|{one['epoch']}": one["verdict"]["answer"] == "equivalent"  # type: ignore[index]
            for one in run.read("answers")
        }
        print(f"{len(made)} labelled candidates of {len({one.proposal.task.id for one in made})} tasks")
        print(f"{'judge':13} {'FAR':27} {'FRR':27} {'inflation':>9} {'kappa':>6}  corrected success; true")
        for name, (kind, score, far, frr) in JUDGES.items():

            def reply(call: Call, score: Judge = score) -> str:
                return f"```\n{score(call, truth[call.subject.rpartition('/')[2]])}\n```"

            run_judges(run, [name], [kind], given={name: FunctionModel(name, reply)})
            items = [i for i in join(run.read("answers"), run.read("judgements")) if i.judge == name]
            rates = judge_rates((item.answer, item.judgement) for item in items)
            kappa = cohen_kappa(
                [item.answer is Answer.EQUIVALENT for item in items],
                [item.judgement is Judgement.ACCEPT for item in items],
            )
            # The errors are measured on one half and taken out of the judged success on the other.
            halves = [judge_rates((i.answer, i.judgement) for i in items[part::2]) for part in (0, 1)]
            fixed = correct(halves[1].judge_success, halves[0].far, halves[0].frr)
            true = halves[1].verifier_success.value or 0.0
            balance = rates.verifier_success.value or 0.0
            inflation = balance * (1 - frr) + (1 - balance) * far - balance
            good = within(rates.far, far) and within(rates.frr, frr) and len(items) == len(made)
            good &= abs((rates.inflation or 0.0) - inflation) < (1e-9 if far in (0.0, 1.0) else 0.05)
            good &= fixed is None if far + frr >= 1 else fixed is not None and true in fixed.interval
            if kappa is not None and far in (0.0, 1.0):
                good &= abs(kappa.value - (1 - far - frr if far == frr else 0.0)) < 0.02
            shown = "-"
            if fixed:
                low, high = 100 * fixed.interval.low, 100 * fixed.interval.high
                shown = f"{percent(fixed.value)} in {low:.0f}-{high:.0f}"
            figures = (
                f"{share(rates.far):27} {share(rates.frr):27} {percent(rates.inflation, signed=True):>9} "
                f"{f'{kappa.value:.2f}' if kappa else '-':>6}"
            )
            print(f"{name:13} {figures}  {shown}; {percent(true)}  {'ok' if good else 'NOT AS THEORY'}")
            failed += [] if good else [name]
    if failed:
        sys.exit(f"not as theory: {', '.join(failed)}")


if __name__ == "__main__":
    main()
