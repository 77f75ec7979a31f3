"""What is found in a faulty trace and not in its clean twin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truespec.faults.fault import Fault
from truespec.rules.monitor import RuleSet, Violation
from truespec.traces.trace import Trace

Check = Callable[[Trace], Sequence[Violation]]
"""Whatever finds violations in a trace."""


def by_rules(rules: RuleSet) -> Check:
    """What monitors find. An advisory rule speaks here too: it is a fault to be found, not a cost."""
    return lambda trace: [v for finding in rules.check(trace) for v in finding.violations]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a checker finds more in the faulty trace."""

    fault: Fault
    """What was to be found."""
    more: tuple[Violation, ...]
    """All it finds there and not in the clean twin."""

    @property
    def right(self) -> tuple[Violation, ...]:
        """Of a kind and at a place that the fault has."""
        return tuple(
            v for v in self.more if v.kind in self.fault.breaks and v.message_index in self.fault.places
        )

    @property
    def wrong(self) -> tuple[Violation, ...]:
        """Anything else that does not follow from it either."""
        right = self.right
        return tuple(v for v in self.more if v not in right and v.kind not in self.fault.follows)

    @property
    def found(self) -> bool:
        """Whether the fault was found."""
        return bool(self.right)


def difference(fault: Fault, check: Check, clean: Sequence[Violation] | None = None) -> Difference:
    """Check both twins; `clean` is what is found in the clean one, if that is known already.

    A violation is the same in both where rule and message are; messages are followed through the edit.
    """
    before = check(fault.clean) if clean is None else clean
    counts: dict[tuple[str, int | None], int] = {}
    for v in before:
        key = (v.rule_id, v.message_index)
        counts[key] = counts.get(key, 0) + 1
    more = []
    for v in check(fault.faulty):
        place = (v.rule_id, fault.origin[v.message_index])
        if counts.get(place, 0):
            counts[place] -= 1
        else:
            more.append(v)
    return Difference(fault, tuple(more))
