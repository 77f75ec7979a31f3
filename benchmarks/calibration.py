"""Scripted judges of known error rates on faults in real traces: calibration has to give those rates back.

Bars: each rate lies within its 95 % interval (of many such intervals one in twenty may miss); the share of
broken traces in a mix lies within the interval of the corrected rate.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import tempfile
from pathlib import Path

from truespec.compliance.calibration import Trial, trials
from truespec.compliance.evaluators.ask import call_text
from truespec.executors.calibrate import calibrate_traces
from truespec.executors.evaluate import Judging
from truespec.metrics.calibration import calibrate, corrected_violations
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.models.call import Call
from truespec.models.function import FunctionModel
from truespec.store.calls import CallLedger
from truespec.traces import Trace
from truespec.traces.importers.registry import files_below, read

ROOT = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"
RATES = ((0.0, 0.0), (0.1, 0.3), (0.35, 0.05))
"""False acceptances and rejections of the scripted judges."""
BUDGET = 2_000_000
"""Scripted judges read any trace whole."""


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each scripted judge and kind of fault."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration")
    parser.add_argument("--quick", action="store_true", help="fewer faults")
    most = 10 if parser.parse_args(arguments).quick else 60
    if not ROOT.is_dir():
        print(f"no traces below {ROOT}; set TRUESPEC_SOURCES")
        return
    paths = [path for path in files_below([ROOT / "tau2"]) if "__" in path.name]
    traces = [item for path in paths for item in read(path) if isinstance(item, Trace)]
    random.Random(0).shuffle(traces)
    found = list(trials(traces, most=most))
    print(f"{len(found)} faults in {len({trial.fault.clean.id for trial in found})} traces")
    inside = total = 0
    with tempfile.TemporaryDirectory() as folder, CallLedger(Path(folder) / "calls.sqlite") as ledger:
        for number, (far, frr) in enumerate(RATES):
            name = f"judge {number}"
            model = FunctionModel(name, Scripted(found, far, frr))
            judging = Judging({name: model}, ledger, name, budget=BUDGET)
            print(f"true FAR {far:.0%}, FRR {frr:.0%}")
            for one in calibrate(calibrate_traces(iter(found), judging)):
                if one.domain:
                    continue
                rates = f"FAR {share(one.far):<26} FRR {share(one.frr):<26}"
                print(f"  {one.category or 'all':<20} {rates} {one.trust}")
                if one.category:
                    intervals = (one.far.wilson(), far), (one.frr.wilson(), frr)
                    inside += sum(interval is not None and truth in interval for interval, truth in intervals)
                    total += len(intervals)
                    continue
                mixed = Proportion(round(1000 * (0.3 * far + 0.7 * (1 - frr))), 1000)
                fixed = corrected_violations(mixed, one)
                if fixed:
                    print(
                        f"  30.0% broken, judged {100 - mixed.hits / 10:.1f}%, corrected "
                        f"{100 * fixed[0]:.1f}% ({100 * fixed[1]:.0f}–{100 * fixed[2]:.0f})"
                    )
    print(f"{inside} of {total} rates within their intervals; bar: 95 %")


class Scripted:
    """A judge that knows the truth and errs at its rates, independently for each twin and rule."""

    def __init__(self, found: list[Trial], far: float, frr: float) -> None:
        self.faulty = {trial.fault.faulty.id: trial for trial in found}
        self.far, self.frr = far, frr

    def __call__(self, call: Call) -> str:
        name = call.subject.split("/")[1]
        items = re.findall(r'<item id="([^"]+)"', call.prompt)
        first = re.search(r'<message index="(\d+)" role="(?:assistant|user)">\n([^<\n&]{3,60})', call.prompt)
        assert first is not None
        listed = [
            _violation(item, int(first[1]), first[2])
            for item in items
            # What it imagines in the clean twin, it imagines in the faulty one too.
            if _chance("frr", self.frr, name.split("~")[0], item) < self.frr
        ]
        trial = self.faulty.get(name)
        if trial is not None and _chance("far", self.far, name) >= self.far:
            place = min(trial.fault.places)
            message = trial.fault.faulty.messages[place]
            quote = message.text if message.text and len(message.text) > 1 else call_text(message.calls[0])
            listed.append(_violation(min(trial.ids), place, quote))
        return json.dumps({"violations": listed, "score": max(0, 100 - 4 * len(listed)), "reasoning": ""})


def _violation(item: str, index: int, quote: str) -> dict[str, object]:
    return {"rule_id": item, "kind": "other", "message_index": index, "quote": quote, "severity": "low"}


def _chance(*parts: object) -> float:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:12], 16) / 16**12
