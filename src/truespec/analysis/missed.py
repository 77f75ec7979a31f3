"""Question 2: what do perfect outcomes hide? (section 4.3)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.analysis.corpus import Row, by_group
from truespec.metrics.proportion import Proportion


@dataclass(frozen=True, slots=True)
class Hidden:
    """Violations in traces with a perfect outcome, beside the others."""

    solved: Proportion
    """Perfect traces that break a mandatory rule."""
    failed: Proportion
    """Other traces that do."""
    kinds: tuple[tuple[str, bool, Proportion, int], ...]
    """Kind, whether mandatory, perfect traces that show it, and how often they do."""
    groups: tuple[tuple[str, str, Proportion, Proportion], ...]
    """Environment, model, and the two shares there."""


def hidden(rows: Sequence[Row]) -> Hidden:
    """The traces with an outcome, complete or not: a violation is one wherever it was found."""
    perfect = [row for row in rows if row.solved]
    other = [row for row in rows if row.solved is False]
    kinds = []
    for binding in (True, False):
        showing: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for row in perfect:
            for kind, count in (row.binding if binding else row.advisory).items():
                showing[kind] += 1
                times[kind] += count
        kinds += [
            (kind, binding, Proportion(count, len(perfect)), times[kind])
            for kind, count in showing.most_common()
        ]
    groups = []
    for (domain, model), mine in by_group(rows).items():
        solved = _breaking([row for row in mine if row.solved])
        groups.append((domain, model, solved, _breaking([row for row in mine if row.solved is False])))
    return Hidden(_breaking(perfect), _breaking(other), tuple(kinds), tuple(groups))


def _breaking(rows: Sequence[Row]) -> Proportion:
    return Proportion(sum(bool(row.binding) for row in rows), len(rows))
