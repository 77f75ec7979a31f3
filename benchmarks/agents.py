"""Agents' traces against hand-written rules, without a model: four analyses, and recorded human labels.

Bars: on the tau2-bench traces, artifacts for every trace, all four analyses and report in under 3 minutes;
the recorded verdicts of GPT-4o give AUC 0.69, 0.62 and 0.72 (airline, retail, telecom) and agree with the
outcome on 34, 25, 20 of 50, 70 of 114 and 87 of 114. Hits on AgentRx's root causes and TRAIL's spans are told
beside what as many violations at random messages would hit.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.analysis.recorded import read_recorded, standing
from truespec.compliance.artifact import artifact
from truespec.reports.analysis import analyse, headline
from truespec.reports.analysis_page import write_analysis
from truespec.rules.monitor import RuleSet
from truespec.rules.packs import all_packs
from truespec.rules.sets import all_sets
from truespec.traces import Trace
from truespec.traces.importers.registry import files_below, read

ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"
JUDGES = {
    "airline_policy_conversation_v1": (34, 0.69),
    "airline_quick_triage_v1": (25, None),
    "airline_customer_outcome_v1": (20, None),
    "retail_policy_conversation_v1": (70, 0.62),
    "telecom_policy_conversation_v1": (87, 0.72),
}
"""What the recorded verdicts have to give: agreements with the outcome, and AUC."""


def main(arguments: list[str] | None = None) -> None:
    """Print the figures with the bars beside them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks agents")
    parser.add_argument("--quick", action="store_true", help="airline traces alone")
    quick = parser.parse_args(arguments).quick
    if not ROOT.is_dir():
        print(f"no traces below {ROOT}; set TRUESPEC_SOURCES")
        return
    whole(quick)
    recorded()
    root_causes()
    spans()


def whole(quick: bool) -> None:
    """From result files to the analysis, on one core."""
    wall, started = time.monotonic(), time.process_time()
    rules = RuleSet(all_sets())
    artifacts: list[Mapping[str, Any]] = []
    for path in files_below([ROOT / "tau2"]):
        if not quick or path.name.startswith("airline"):
            artifacts += [artifact(t, rules.check(t)) for t in read(path) if isinstance(t, Trace)]
    checked = time.process_time() - started
    found = analyse(artifacts)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TRUESPEC_SCRATCH")) as folder:
        write_analysis(found, Path(folder))
    seconds, total = time.process_time() - started, time.monotonic() - wall
    formal = sum(rule.formal is not None for rule in rules.rules)
    print(f"tau2-bench: {len(artifacts)} traces, {formal} of {len(rules.rules)} rules formal, no model")
    print(f"  import and check {checked:.1f} s, analyses and report {seconds - checked:.1f} s of CPU;")
    print(f"  {total:.1f} s by the clock   bar: 180 s")
    for sentence in headline(found):
        print(f"  {sentence}")
    for one in found.classifiers:
        if one.auc is not None:
            low, high = one.auc.interval.low, one.auc.interval.high
            within = 0.5 if one.within is None else one.within
            auc = f"AUC {one.auc.value:.3f} [{low:.2f}, {high:.2f}]"
            print(f"  {one.name:22} {auc}  within groups {within:.3f}")


def recorded() -> None:
    """GPT-4o's verdicts on GPT-4o's traces."""
    for name, (agreed, auc) in JUDGES.items():
        path = ROOT / "tau2" / "recorded_judges" / f"{name}.json.gz"
        if not path.exists():
            continue
        found = standing(name, read_recorded(path))
        value = "–" if found.auc is None else f"{found.auc.value:.2f}"
        kappa = "–" if found.kappa is None else f"{found.kappa.value:+.2f}"
        bar = f"{agreed}, AUC {auc}" if auc is not None else str(agreed)
        print(
            f"  {name:32} agrees on {found.agreed.hits:3} of {found.agreed.total}, AUC {value}, "
            f"kappa {kappa}, ${found.cost:.2f}   bar: {bar}"
        )


def chance(places: Iterable[int], broken: Sequence[int], choices: int, reach: int) -> float:
    """The expected hits on places, were the broken messages spread at random over so many choices."""
    hits = 0.0
    for _ in places:
        miss = 1.0
        for taken in range(len(broken)):
            miss *= max(0.0, 1 - (2 * reach + 1) / max(1, choices - taken))
        hits += 1 - miss
    return hits


def root_causes() -> None:
    """Do violations stand where people saw the root cause of a failure?"""
    path = ROOT / "agentrx" / "tau_retail_full.json.gz"
    truth = ROOT / "agentrx" / "tau_ground_truth.json"
    if not path.exists():
        return
    rules = RuleSet([*all_packs(), *all_sets()])
    traces = {str(t.task_id): t for t in read(path) if isinstance(t, Trace)}
    exact = near = later = total = unmatched = 0
    expected = 0.0
    for entry in json.loads(truth.read_text(encoding="utf-8")):
        trace = traces.get(str(entry["trajectory_id"]))
        cause = entry["root_cause"]["failure_id"]
        failure = next((f for f in entry["failures"] if f["failure_id"] == cause), None)
        if trace is None or failure is None:
            unmatched += 1
            continue
        step = int(failure["step_number"]) - 1  # steps count from 1
        broken = sorted({v.message_index for f in rules.check(trace) for v in f.violations})
        total += 1
        exact += step in broken
        near += any(abs(step - at) <= 1 for at in broken)
        later += bool(broken) and broken[0] <= step
        expected += chance([step], broken, len(trace.messages), 1)
    print(f"AgentRx: {total} root causes (and {unmatched} without a trace or a step)")
    print(
        f"  a violation at the very message: {exact}; within one message: {near} (at random {expected:.1f})"
    )
    print(f"  the first violation at the root cause or before: {later}")


def spans() -> None:
    """Do violations stand in the spans that people marked as errors?"""
    rules = RuleSet(all_packs())
    errors = resolved = hits = 0
    expected = 0.0
    by_category: dict[str, list[int]] = {}
    for kind in ("gaia", "swe_bench"):
        notes = ROOT / "trail" / f"processed_annotations_{kind}"
        for path in files_below([ROOT / "trail"]):
            if "annotations" in str(path):
                continue
            note = notes / (path.name.split(".")[0] + ".json")
            if not note.exists():
                continue
            trace = next((t for t in read(path) if isinstance(t, Trace)), None)
            if trace is None:
                continue
            broken = sorted({v.message_index for f in rules.check(trace) for v in f.violations})
            for error in _json(note).get("errors", []):
                errors += 1
                at = trace.locate(error["location"])
                if at is None:
                    continue
                resolved += 1
                hit = at in broken
                hits += hit
                expected += chance([at], broken, len(trace.messages), 0)
                by_category.setdefault(error["category"].title(), []).append(hit)
    print(f"TRAIL: {errors} marked errors in the traces that are here, {resolved} resolve to a message")
    print(f"  a violation in the same message: {hits} (at random {expected:.1f})")
    for category, found in sorted(by_category.items(), key=lambda item: -sum(item[1]))[:4]:
        print(f"    {category}: {sum(found)} of {len(found)}")


def _json(path: Path) -> Any:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        return json.load(stream)
