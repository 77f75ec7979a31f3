"""The bundled tasks: how many, how spread, and how alike the two most alike of each domain are."""

from __future__ import annotations

import sys
from collections import Counter
from statistics import median

from truespec.benchmark import bundled
from truespec.benchmark.bundled.variants import templates
from truespec.benchmark.likeness import THRESHOLD, compare
from truespec.verdict import Answer

BARS = {"arith": 120, "sql": 100, "regex": 120, "fol": 120, "rocq": 60, "temporal": 120}
"""Individually written tasks wanted of each domain."""
ALL = 760
"""Tasks wanted in all, variants included."""


def main(options: list[str]) -> None:
    """Print the counts beside their bars, then the pairs of tasks that are most alike."""
    print("domain  tasks   bar  variants  templates  right  wrong  difficulty  tags  most alike")
    total = 0
    for name, bar in BARS.items():
        own, every = bundled.tasks(name), bundled.tasks(name, variants=True)
        total += len(every)
        answers = Counter(answer.expected for task in own for answer in task.answers)
        size = [int(str(task.task.extra["difficulty"])) for task in own] or [0]
        tags = {tag for task in own for tag in task.task.tags}
        alike = max((pair.likeness for pair in compare(task.task for task in own)), default=0.0)
        print(
            f"{name:7}{len(own):6}{bar:6}{len(every) - len(own):10}{len(templates(name)):11}"
            f"{answers[Answer.EQUIVALENT]:7}{answers[Answer.REFUTED]:7}"
            f"{min(size):5}-{median(size):g}-{max(size):<4}{len(tags):4}{alike:12.2f}"
        )
    print(f"all  {total} tasks, bar {ALL}; likeness counts as near-duplicate from {THRESHOLD} on")
    shown = 1 if "--quick" in options else 5
    for name in BARS:
        pairs = sorted(compare(task.task for task in bundled.tasks(name)), key=lambda pair: -pair.likeness)
        for pair in pairs[:shown]:
            print(
                f"  {pair.likeness:.2f} (statements {pair.statements:.2f}, oracles {pair.oracles:.2f})"
                f"  {pair.one}  {pair.two}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
