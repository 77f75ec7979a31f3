"""How far a judge can be trusted: its error rates against known labels, group by group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from truespec.judges.judgement import Judgement
from truespec.metrics.agreement import Kappa, cohen_kappa
from truespec.metrics.judging import WRONG, correct, judge_rates
from truespec.metrics.proportion import CONFIDENCE, Proportion
from truespec.metrics.table import UNDEFINED, Table, share
from truespec.verdict import Answer

TOLERATED = 0.2
"""A judge is trusted where both error rates are below this with confidence, by default."""


@dataclass(frozen=True, slots=True)
class Item:
    """One judgement of something whose truth is known."""

    judge: str
    """Who judged."""
    category: str
    """What kind of question it was."""
    domain: str
    """Where it comes from."""
    truth: Answer
    """What holds: `EQUIVALENT` where nothing is wrong, `REFUTED` or `INVALID` where something is."""
    judgement: Judgement
    """What the judge said."""
    located: bool | None = None
    """Of a wrong thing that was rejected: whether the judge pointed at what is wrong; None where unasked."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge's rates in one group."""

    judge: str
    """Who."""
    category: str
    """Which questions; empty for all."""
    domain: str
    """Which domain; empty for all."""
    far: Proportion
    """False acceptances: wrong things accepted, of those decided."""
    frr: Proportion
    """False rejections: right things rejected, of those decided."""
    located: Proportion
    """Rejected wrong things in which the judge pointed at what is wrong."""
    kappa: Kappa | None
    """Agreement with the truth beyond chance."""
    malformed: Proportion
    """Questions without a usable answer."""
    tolerated: float = TOLERATED
    """The bound on both error rates."""

    @property
    def trust(self) -> str:
        """`yes` where both rates are below the bound with confidence, `no` where one is above it with
        confidence, else `more data`."""
        intervals = (self.far.wilson(), self.frr.wilson())
        if any(interval is not None and interval.low > self.tolerated for interval in intervals):
            return "no"
        if all(interval is not None and interval.high <= self.tolerated for interval in intervals):
            return "yes"
        return "more data"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "judge": self.judge,
            "category": self.category or None,
            "domain": self.domain or None,
            "far": _rate(self.far),
            "frr": _rate(self.frr),
            "located": _rate(self.located),
            "kappa": None
            if self.kappa is None
            else {
                "value": self.kappa.value,
                "low": self.kappa.interval.low,
                "high": self.kappa.interval.high,
                "total": self.kappa.total,
            },
            "malformed": _rate(self.malformed),
            "trust": self.trust,
        }


def _rate(proportion: Proportion) -> dict[str, Any]:
    interval = proportion.wilson()
    return {
        "hits": proportion.hits,
        "total": proportion.total,
        "value": proportion.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def calibrate(items: Iterable[Item], tolerated: float = TOLERATED) -> list[Calibration]:
    """Each judge's rates by category and domain, by category, and over all, in this order for each judge.

    >>> right = Item("j", "sums", "shop", Answer.EQUIVALENT, Judgement.REJECT)
    >>> [(c.category, c.frr.value) for c in calibrate([right])]
    [('sums', 1.0), ('', 1.0)]
    """
    groups: dict[tuple[str, str, str], list[Item]] = {}
    for item in items:
        for key in (
            (item.judge, item.category, item.domain),
            (item.judge, item.category, ""),
            (item.judge, "", ""),
        ):
            groups.setdefault(key, []).append(item)
    # Where a category has one domain only, its own row says it all.
    domains: dict[tuple[str, str], set[str]] = {}
    for judge, category, domain in groups:
        if domain:
            domains.setdefault((judge, category), set()).add(domain)
    made = []
    for key in sorted(groups, key=lambda k: (k[0], not k[1], k[1], not k[2], k[2])):
        judge, category, domain = key
        if domain and len(domains[judge, category]) == 1:
            continue
        made.append(_calibration(key, groups[key], tolerated))
    return made


def _calibration(key: tuple[str, str, str], items: Sequence[Item], tolerated: float) -> Calibration:
    rates = judge_rates((item.truth, item.judgement) for item in items)
    known = WRONG | {Answer.EQUIVALENT}
    decided = [i for i in items if i.judgement is not Judgement.UNKNOWN and i.truth in known]
    asked = [
        item.located
        for item in decided
        if item.truth in WRONG and item.judgement is Judgement.REJECT and item.located is not None
    ]
    kappa = cohen_kappa(
        [item.truth is Answer.EQUIVALENT for item in decided],
        [item.judgement is Judgement.ACCEPT for item in decided],
    )
    located = Proportion(sum(asked), len(asked))
    return Calibration(*key, rates.far, rates.frr, located, kappa, rates.malformed, tolerated)


def table(found: Sequence[Calibration]) -> Table:
    """The rates with their intervals, for people."""
    rows = [
        (
            one.judge,
            one.category or "all",
            one.domain or "all",
            share(one.far),
            share(one.frr),
            share(one.located),
            UNDEFINED
            if one.kappa is None
            else f"{one.kappa.value:.2f} ({one.kappa.interval.low:.2f}–{one.kappa.interval.high:.2f})",
            share(one.malformed),
            one.trust,
        )
        for one in found
    ]
    bound = f"{100 * (found[0].tolerated if found else TOLERATED):g} %"
    return Table(
        "calibration",
        "Judges against known truth",
        ("judge", "category", "domain", "FAR", "FRR", "located", "kappa", "malformed", "trusted"),
        tuple(rows),
        f"Percent (count, {100 * CONFIDENCE:g} % Wilson interval). FAR: wrong things accepted; FRR: right "
        "things rejected; located: of the wrong things rejected, those where the judge pointed at what is "
        f"wrong. Trusted: both error rates below {bound} with confidence; 'no': one of them above it.",
    )


def corrected_violations(passed: Proportion, calibration: Calibration) -> tuple[float, float, float] | None:
    """The share of traces with a violation behind a judge's share, with its interval; None where the judge
    tells nothing (see `judging.correct`)."""
    found = correct(passed, calibration.far, calibration.frr)
    if found is None:
        return None
    return 1 - found.value, 1 - found.interval.high, 1 - found.interval.low
