"""Faults of known kind and place in real traces, looked for by the built-in rule packs.

Bars: at least 8 kinds and 1,000 faulty traces with clean twins; every kind that a monitor can see is found
with recall and precision 1.0, both counted on the difference to the twin. A left-out step is looked for with
the twin's own changes as the plan.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter, defaultdict
from pathlib import Path

from truespec.compliance.difference import Check, Difference, by_rules, difference
from truespec.extraction.plan import PlanStep, plan_rules
from truespec.faults.fault import Fault
from truespec.faults.registry import KINDS, NEEDS_A_JUDGE, inject_all
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.rules.monitor import RuleSet, Violation
from truespec.rules.packs import all_packs
from truespec.traces import Trace
from truespec.traces.importers.registry import files_below, read

ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each kind."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks faults")
    parser.add_argument("--quick", action="store_true", help="at most 25 of each kind")
    parser.add_argument("--misses", action="store_true", help="print what was missed or wrongly found")
    options = parser.parse_args(arguments)
    if not ROOT.is_dir():
        print(f"no traces below {ROOT}; set TRUESPEC_SOURCES")
        return
    paths = [path for path in files_below([ROOT / "tau2", ROOT / "tau1"]) if "__" in path.name]
    traces = (item for path in paths for item in read(path) if isinstance(item, Trace))
    rows: dict[str, list[Difference]] = defaultdict(list)
    packs = by_rules(RuleSet(all_packs()))
    known: dict[int, list[Violation]] = {}
    for fault in inject_all(traces, most=25 if options.quick else None):
        if fault.kind == "skip_step":
            rows[fault.kind].append(difference(fault, with_plan(packs, fault)))
            continue
        clean = known.get(id(fault.clean))
        if clean is None:
            known.clear()
            clean = known[id(fault.clean)] = list(packs(fault.clean))
        rows[fault.kind].append(difference(fault, packs, clean))
    print(f"{'fault':<20} {'traces':>6}  {'recall':<28} precision")
    wrong: Counter[str] = Counter()
    for kind in KINDS:
        made = rows[kind]
        if kind in NEEDS_A_JUDGE:
            noise = sum(bool(one.more) for one in made)
            print(f"{kind:<20} {len(made):>6}  for judges; {noise} of them change what monitors find")
            continue
        found = Proportion(sum(one.found for one in made), len(made))
        right = sum(len(one.right) for one in made)
        exact = Proportion(right, right + sum(len(one.wrong) for one in made))
        print(f"{kind:<20} {len(made):>6}  {share(found):<28} {share(exact)}")
        for one in made:
            wrong.update(f"{kind}: {v.rule_id}" for v in one.wrong)
            if options.misses and (one.wrong or not one.found):
                print("   ", one.fault.faulty.id, sorted(one.fault.places), one.fault.note)
                print("       ", [(v.rule_id, v.message_index) for v in one.more])
    total = sum(map(len, rows.values()))
    print(f"{total} faulty traces of {len(KINDS)} kinds; bars: 1000 of 8, recall and precision 1.0")
    for name, count in wrong.most_common(10):
        print(f"  also found: {name} {count}")


def with_plan(packs: Check, fault: Fault) -> Check:
    """The packs, and the changes of the clean twin as a plan."""
    steps = [
        PlanStep(call.name, dict(call.arguments or {}), changes=True)
        for index, message in enumerate(fault.clean.messages)
        for number, call in enumerate(message.calls)
        if fault.clean.kinds.get(call.name) == "write"
        and (answer := fault.clean.results.get((index, number))) is not None
        and not fault.clean.messages[answer].failed
    ]
    plan = by_rules(RuleSet(plan_rules(steps)))
    return lambda trace: [*packs(trace), *plan(trace)]
