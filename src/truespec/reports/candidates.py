"""What a generator of labelled candidates, or a search for accepted ones, came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truespec.executors.candidates import LABELS, Labelled, Tally
from truespec.judges.judgement import Judgement
from truespec.metrics.clustered import clustered
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Table, share
from truespec.reports.bench_items import grouped, in_order
from truespec.verdict import Answer


def labels(found: Sequence[Labelled], tally: Tally) -> Table:
    """Candidates by domain and label, and what the verifier could not decide of all that were proposed."""
    rows = []
    for domain, proposed in tally.proposed.items():
        kept = [one.verdict.answer for one in found if one.proposal.task.domain == domain]
        lost = Proportion(tally.answers[domain, Answer.UNKNOWN], proposed)
        counts = [str(kept.count(label)) for label in LABELS]
        rows.append((domain, *counts, str(proposed), share(lost)))
    heads = ("domain", "equivalent", "refuted", "proposed", "undecided of the proposed")
    return Table("candidates", "Labelled candidates", heads, tuple(rows))


def accepted(tried: Sequence[Mapping[str, object]]) -> Table:
    """Of the refuted candidates that a judge judged, the share it accepts, by domain and by mutation."""
    by_domain = grouped(tried, lambda one: str(one["domain"]))
    by_kind = grouped(tried, lambda one: str(one["mutation"]) or "no single mutation")
    rows = [
        *((domain, *_accepted(by_domain[domain])) for domain in in_order(by_domain)),
        *((kind, *_accepted(by_kind[kind])) for kind in sorted(by_kind)),
    ]
    heads = ("domain, or mutation", "judged", "malformed", "accepted of the decided")
    return Table("tried", "Refuted candidates that the judge was asked about", heads, tuple(rows))


def _accepted(some: Sequence[Mapping[str, object]]) -> tuple[str, str, str]:
    decided = [one for one in some if one["judgement"] != Judgement.UNKNOWN.value]
    hits = clustered((str(one["task"]), one["judgement"] == Judgement.ACCEPT.value) for one in decided)
    return str(len(some)), str(len(some) - len(decided)), share(hits)
