"""The domain: two schedules are equivalent when they fire at the same minutes of every year."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from truespec.domains.contract import Domain, RawContext, Recheck
from truespec.solvers.limit import Limit
from truespec.verdict import Counterexample, Proof, Relation, Undecided, Verdict, equivalent, refuted
from truespec_example.cron import recheck
from truespec_example.cron.schedule import Schedule, read

_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DATES = [(month, day) for month, length in enumerate(_LENGTHS, 1) for day in range(1, length + 1)]
"""Every day that some year has. Each falls on every day of the week, 29 February too, within 400 years."""

Fires = tuple[frozenset[int], frozenset[int], frozenset[tuple[int, int, int]]]
"""The minutes, the hours, and the days as month, day and day of the week."""


@dataclass(frozen=True, slots=True)
class Context:
    """What both schedules are read against."""

    both: bool
    """Whether a day has to match both of its fields, where both are restricted."""


class Cron(Domain[Context, Schedule]):
    """Schedules of five fields."""

    name = "cron"
    has_relation = True
    rechecks_relation = True

    def read_context(self, raw: RawContext, oracle: str) -> Context:
        """How the two fields for days are joined."""
        return Context(raw.get("days") == "both")

    def parse(self, text: str, context: Context) -> Schedule:
        """Read the five fields."""
        return read(text)

    def decide(self, oracle: Schedule, candidate: Schedule, context: Context, limit: Limit) -> Verdict:
        """Compare three finite sets: a schedule fires at its minutes of its hours of its days."""
        left, right = fires(oracle, context), fires(candidate, context)
        lost, added = _outside(left, right), _outside(right, left)
        if lost is None and added is None:
            trusts = ("truespec_example.cron.schedule", "the Gregorian calendar")
            return equivalent(self.name, "sets", Proof("equal minutes, hours and days", trusts))
        point = lost or added
        assert point is not None
        replayed = (
            recheck.fires_at(oracle.text, point, context.both),
            recheck.fires_at(candidate.text, point, context.both),
        )
        if replayed != (lost is not None, lost is None):
            raise Undecided(f"the replay disagrees at {point}: please report this pair")
        relation = Relation.INCOMPARABLE if lost and added else Relation.STRONGER if lost else Relation.WEAKER
        return refuted(self.name, "sets", Counterexample(point, *replayed, recheck.NAME), relation)

    def recheck(
        self, oracle: str, candidate: str, raw: RawContext, verdict: Verdict, limit: Limit
    ) -> Recheck:
        """Replay the counterexample, or compare minute by minute, with a reader of another kind."""
        return recheck.recheck(oracle, candidate, raw.get("days") == "both", verdict)

    def fixed_context(self, oracle: str, raw: RawContext) -> RawContext:
        """The context itself: nothing is read off the oracle."""
        return raw

    def mutants(self, text: str, raw: RawContext) -> Iterator[str]:
        """One field replaced by its least value or by all values."""
        fields = text.split()
        for position, least in enumerate(("0", "0", "1", "1", "0")):
            for other in (least, "*"):
                if fields[position] != other:
                    yield " ".join([*fields[:position], other, *fields[position + 1 :]])

    def rewritings(self, text: str, raw: RawContext) -> Iterator[str]:
        """Each restricted field as a list of its values."""
        schedule = read(text)
        written = [schedule.minutes, schedule.hours, schedule.days, schedule.months, schedule.weekdays]
        fields = text.split()
        for position, values in enumerate(written):
            if not fields[position].startswith("*"):
                spelt = ",".join(map(str, sorted(values)))
                yield " ".join([*fields[:position], spelt, *fields[position + 1 :]])


def fires(schedule: Schedule, context: Context) -> Fires:
    """When a schedule fires; three empty sets where it never does."""
    either = not (context.both or schedule.any_day or schedule.any_weekday)
    days = set()
    for month, day in DATES:
        for weekday in range(7):
            hits = day in schedule.days, weekday in schedule.weekdays
            if month in schedule.months and (any(hits) if either else all(hits)):
                days.add((month, day, weekday))
    if not days:
        return frozenset(), frozenset(), frozenset()
    return schedule.minutes, schedule.hours, frozenset(days)


def _outside(left: Fires, right: Fires) -> dict[str, int] | None:
    """The first moment at which `left` fires and `right` does not."""
    for position, (mine, others) in enumerate(zip(left, right, strict=True)):
        if missing := mine - others:
            first = [min(values) for values in left]
            first[position] = min(missing)
            minute, hour, (month, day, weekday) = first
            return {"month": month, "day": day, "weekday": weekday, "hour": hour, "minute": minute}
    return None
