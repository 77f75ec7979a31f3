"""`python -m benchmarks groundedness`: how often the groundedness pack flags calls of recorded agents.

A row for each corpus and each reading of texts of several words (`phrases` of the pack). tau2-bench has exact
identifiers; TRAIL and Magentic-One have search queries, which agents put together in their own words. For
TRAIL, the last column counts the flagged calls at or beside a message that people labelled as a
hallucination (`Language-only`, `Tool-related`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from truespec.rules.packs import pack
from truespec.rules.ruleset import RuleSet
from truespec.traces.importers.registry import read
from truespec.traces.trace import Trace

CORPORA = {
    "tau2-bench": "tau2/*__*.json.gz",
    "TRAIL, GAIA": "trail/GAIA/*.json.gz",
    "TRAIL, SWE-bench": "trail/SWE_Bench/*.json.gz",
    "AgentRx, tau-bench": "agentrx/samples/tau-retail/*.json.gz",
    "AgentRx, Magentic-One": "agentrx/samples/magentic-one/*.json.gz",
}
"""Where the traces of each corpus stand."""
LABELS = ("language-only", "tool-related")
"""TRAIL's categories of hallucinations, in lower case."""


def main(options: list[str]) -> None:
    """Print the table; `--quick` leaves tau2-bench out."""
    folder = Path(os.environ.get("TRUESPEC_SOURCES", "../shared/sources")) / "traces"
    print(
        f"{'corpus':24}{'phrases':>9}{'traces':>8}{'calls':>7}{'flagged':>9}{'in traces':>11}{'labelled':>10}"
    )
    for name, pattern in CORPORA.items():
        if "--quick" in options and name == "tau2-bench":
            continue
        traces = [trace for path in sorted(folder.glob(pattern)) for trace in _traces(path)]
        calls = sum(len(message.calls) for trace in traces for message in trace.messages)
        for phrases in ("whole", "words", "skip"):
            rules = RuleSet(pack("groundedness", {"phrases": phrases}))
            flagged = labelled = touched = 0
            for trace in traces:
                places = [v.message_index for found in rules.check(trace) for v in found.violations]
                flagged += len(places)
                touched += bool(places)
                wrong = _labelled(folder / "trail", trace) if name.startswith("TRAIL") else ()
                labelled += sum(any(abs(place - other) <= 1 for other in wrong) for place in places)
            told = f"{labelled:11}" if name.startswith("TRAIL") else f"{'·':>11}"
            print(f"{name:24}{phrases:>9}{len(traces):11}{calls:11}{flagged:11}{touched:11}{told}")


def _traces(path: Path) -> Iterator[Trace]:
    for item in read(path):
        if isinstance(item, Trace):
            yield item


def _labelled(folder: Path, trace: Trace) -> list[int]:
    """The messages that people labelled as hallucinations."""
    for path in folder.glob(f"processed_annotations_*/{trace.id}.json"):
        errors = json.loads(path.read_text(encoding="utf-8")).get("errors", [])
        places = [trace.locate(e["location"]) for e in errors if e["category"].lower() in LABELS]
        return [place for place in places if place is not None]
    return []
