"""The published counts of tau2-bench and tau-bench traces, by rules."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

import needs
from truespec.rules.monitor import RuleSet
from truespec.rules.references import reference
from truespec.traces import Trace
from truespec.traces.importers.registry import read
from truespec.traces.joins import Joins

DOMAINS = ("airline", "retail", "telecom")


def counts(rules: RuleSet, trace: Trace) -> dict[str, list[int]]:
    found = {}
    for finding in rules.check(trace):
        if finding.status == "not_evaluated":
            assert finding.reason.startswith("for ")
            continue
        name = finding.rule.id
        for domain in DOMAINS:
            name = name.removesuffix("_" + domain)
        found[name] = [v.message_index for v in finding.violations]
    return found


def test_every_count_and_index_of_tau2_is_reproduced() -> None:
    root = needs.sources("traces")
    rules = RuleSet(reference("tau2"))
    truth = defaultdict(list)
    with gzip.open(root / "tau2/ground_truth_per_sim.jsonl.gz", "rt") as lines:
        for line in lines:
            entry = json.loads(line)
            truth[entry["file"]].append(entry)
    compared = 0
    for file, entries in truth.items():
        traces = [trace for trace in read(root / file) if isinstance(trace, Trace)]
        for entry in entries:
            trace = traces[entry["index"]]
            assert trace.id == entry["sim_id"]
            for name, indices in counts(rules, trace).items():
                assert len(indices) == entry.get(name, 0), (file, entry["index"], name)
                if name in entry["idx"]:
                    assert indices == entry["idx"][name], (file, entry["index"], name)
                compared += 1
    assert compared == 819 * 13


def test_the_sums_of_tau_bench_are_reproduced() -> None:
    root = needs.sources("traces")
    rules = RuleSet(reference("tau2"))
    joins = Joins(root / "tau1/domains", types=root / "tau2/domains")
    for entry in json.loads((root / "tau1/ground_truth_counts.json").read_text()):
        sums: Counter[str] = Counter()
        n = 0
        for trace in read(Path(root / entry["file"]), joins=joins):
            assert isinstance(trace, Trace)
            n += 1
            for name, indices in counts(rules, trace).items():
                sums[name] += len(indices)
        assert n == entry["n"]
        for name in sums:
            assert sums[name] == entry.get(name, 0), (entry["file"], name)
