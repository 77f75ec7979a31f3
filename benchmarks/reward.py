"""How much reward a judge gives to wrong answers: the paper's inflation, seen as reward that can be hacked.

Over the recorded baseline: a judge's acceptance is the reward 1, a rejection 0, beside the verifier's reward.
Per judge and domain: the mean reward of wrong answers, the share of all reward that wrong answers take, and
what choosing by the judge comes to. Choosing takes for each task the answer that the judge scores highest
(the mean over ties), as training by that reward would; a verifier takes a right one where there is one.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import mean

from truespec.benchmark.bundled import baseline
from truespec.benchmark.select import bundled_tasks
from truespec.judges.judgement import Judgement
from truespec.metrics.clustered import clustered
from truespec.metrics.judging import WRONG
from truespec.metrics.table import Table, percent, share
from truespec.reports.bench_items import DOMAINS, KINDS, Item, grouped, join, with_clusters
from truespec.verdict import Answer


def rows(items: Sequence[Item]) -> list[tuple[str, ...]]:
    """One row a judge and domain: who is rewarded, and what choosing by the judge comes to."""
    found: list[tuple[str, ...]] = []
    for (kind, judge), judged in grouped(items, lambda i: (i.kind, i.judge)).items():
        for domain in (*DOMAINS, "all"):
            some = [i for i in judged if domain in (i.domain, "all")]
            decided = [i for i in some if i.answer in WRONG or i.answer is Answer.EQUIVALENT]
            decided = [i for i in decided if i.judgement in (Judgement.ACCEPT, Judgement.REJECT)]
            if not decided:
                continue
            wrong = [(i.cluster, i.judgement is Judgement.ACCEPT) for i in decided if i.answer in WRONG]
            paid = [(i.cluster, i.answer in WRONG) for i in decided if i.judgement is Judgement.ACCEPT]
            tasks = [one for one in grouped(decided, lambda i: i.task).values() if len(one) > 1]
            cells = (
                share(clustered(wrong)),
                share(clustered(paid)),
                percent(mean(map(_at_random, tasks))) if tasks else "–",
                percent(mean(map(_chosen, tasks))) if tasks else "–",
                percent(mean(float(any(map(_right, one))) for one in tasks)) if tasks else "–",
            )
            found.append((f"{KINDS[kind]}, {judge}, {domain}", str(len(tasks)), *cells))
    return found


def _right(item: Item) -> bool:
    return item.answer is Answer.EQUIVALENT


def _at_random(one: Sequence[Item]) -> float:
    return mean(float(_right(item)) for item in one)


def _chosen(one: Sequence[Item]) -> float:
    """The share of right answers among those with the judge's highest score."""
    reward = [sum(score or 0 for score in item.scores) for item in one]
    best = [item for item, value in zip(one, reward, strict=True) if value == max(reward)]
    return _at_random(best)


def main(arguments: list[str] | None = None) -> None:
    """Print the table; with `--quick`, the rows over all domains alone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reward")
    parser.add_argument("--quick", action="store_true", help="the rows over all domains alone")
    quick = parser.parse_args(arguments).quick
    tasks = bundled_tasks()
    stored = baseline.load(tasks)
    items = join(*(with_clusters(records, tasks) for records in (stored.answers, stored.judgements)))
    heads = (
        *("judge, domain", "tasks", "wrong answers rewarded", "of the reward, to wrong answers"),
        *("right at random", "right when the judge chooses", "right when the verifier chooses"),
    )
    found = [row for row in rows(items) if not quick or row[0].endswith(", all")]
    note = "Tasks with several answers. A verifier's reward is never given to a wrong answer."
    print(Table("reward", "Judges as rewards", heads, tuple(found), note).to_markdown())


if __name__ == "__main__":
    main()
