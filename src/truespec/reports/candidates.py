"""What a generator of labelled candidates came to."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.executors.candidates import LABELS, Labelled, Tally
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Table, share
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
