"""`python -m benchmarks._rocq_ordering`: count which strategy proves which tuned pair.

The counts go to `domains/rocq/ordering.json`, which the prover orders its strategies by.
"""

from __future__ import annotations

import argparse
import json
import threading
from collections import Counter, defaultdict
from statistics import fmean

from benchmarks.rocq import labelled
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.library import library
from truespec.domains.rocq.ordering import COUNTS, features
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import THEOREM, opening
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Interrupted, Session
from truespec.domains.rocq.strategies import STRATEGIES
from truespec.solvers.limit import Limit

SLICE = 0.6
"""Processor seconds of each strategy on each pair."""


def main() -> None:
    """Run all strategies on every so many tuned pairs and write the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="one pair in so many")
    every: int = parser.parse_args().every
    pairs: Counter[str] = Counter()
    proved: dict[str, Counter[str]] = defaultdict(Counter)
    seconds: dict[str, list[float]] = defaultdict(list)
    equivalent = [one for one in labelled("tuned") if one.expected == "equivalent"][::every]
    for one in equivalent:
        context = read_context(one.pair.context)
        layout = Layout(context, screen(one.pair.oracle), screen(one.pair.candidate))
        present = features(layout)
        pairs.update(present)
        for name, work, done in _runs(layout):
            seconds[name].append(work)
            if done:
                for feature in present:
                    proved[feature][name] += 1
    table = {
        "features": {
            name: {"pairs": pairs[name], "proved": dict(sorted(proved[name].items()))}
            for name in sorted(pairs)
        },
        "seconds": {name: round(fmean(works), 3) for name, works in sorted(seconds.items())},
    }
    COUNTS.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    print(f"{COUNTS}: {len(equivalent)} pairs")


def _runs(layout: Layout) -> list[tuple[str, float, bool]]:
    prelude = [sentence.text for sentence in layout.context.prelude]
    session = Session([*prelude, "Require Truespec.Portfolio.", "Unset Lia Cache."], library())
    runs: list[tuple[str, float, bool]] = []
    try:
        session.ready()
        dialogue = Dialogue(session, Limit.start(600), threading.Event())
        for sentence in (*layout.preamble(), *layout.modules(), *layout.statement(), *opening(layout)):
            dialogue.must(sentence)
        for strategy in STRATEGIES:
            dialogue.must(THEOREM)
            before = session.worked()
            done = dialogue.tries(f"{strategy.name}.", SLICE)
            runs.append((strategy.name, session.worked() - before, done))
            dialogue.must("Abort.")
    except Interrupted:
        pass  # the process had to be ended; what was seen counts
    finally:
        session.kill()
    return runs


if __name__ == "__main__":
    main()
