"""The benchmark's tables on judges (RESpecBench, 3.2, 3.3 and appendix C), and what they mean for a user."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import mean
from typing import Any

from truespec.judges.judgement import Judgement
from truespec.metrics.agreement import Kappa, cohen_kappa
from truespec.metrics.clustered import Estimate, clustered, mean_estimate, mean_share
from truespec.metrics.comparing import holm, sign_flip_exact
from truespec.metrics.judging import WRONG, Corrected, JudgeRates, correct, judge_rates
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import Cell, Table, estimated, number, percent, share
from truespec.reports.bench_items import (
    KINDS,
    Item,
    by_model_and_domain,
    grouped,
    in_order,
    median_of,
    share_of,
    total,
)
from truespec.verdict import Answer


def judge_tables(items: Sequence[Item], oracles: Sequence[dict[str, Any]]) -> list[Table]:
    """Every table on judges that the records can fill.

    `items` also holds the answers that are not judged, since they hold no specification; only the tables with
    an inflation count them.
    """
    found: list[Table] = []
    kinds = [kind for kind in KINDS if any(item.kind == kind for item in items)]
    if items:
        found += [judged(items), pooled(items)]
        found += [rates_by_domain(items, kind) for kind in kinds]
        found += [inflation(items, kind) for kind in kinds]
    items = [item for item in items if item.judgement is not None]
    if items:
        found += [corrected(items)]
        found += [thresholds(items, kind) for kind in kinds if scored(items, kind)]
    if any(len(item.scores) == 2 for item in items):
        found.append(position(items))
    if items:
        found += [between(items), cost(items)]
        found += [malformed_scores(items, kind) for kind in kinds]
    if oracles:
        found += [on_oracles(oracles), malformed_on_oracles(oracles)]
    return found


FIGURES: dict[str, Callable[[JudgeRates], Estimate | None]] = {
    "FAR": lambda rates: mean_share([rates.far]),
    "FRR": lambda rates: mean_share([rates.frr]),
    "inflation": lambda rates: rates.inflated,
}
"""The three figures of section 3.1, each with its interval."""


def rates_of(items: Sequence[Item]) -> JudgeRates:
    """The rates over some judgements, their intervals by task."""
    return judge_rates([(item.answer, item.judgement) for item in items], [item.cluster for item in items])


def judged(items: Sequence[Item]) -> Table:
    """Table 4: FAR, FRR and inflation of both judges by model, each the mean over the domains."""
    heads = ["model"] + [f"{kind} {name}" for kind in KINDS for name in FIGURES]
    figures: dict[str, list[Estimate | None]] = {}
    by_judge: defaultdict[str, list[str]] = defaultdict(list)
    for model, some in grouped(items, lambda item: item.pairing).items():
        figures[model] = []
        first = some[0]
        who = f"models judged by {first.judge}"
        if first.own:
            who = "models that judge themselves" + (f" ({first.manner})" if first.manner else "")
        by_judge[who].append(model)
        for kind in KINDS:
            parts = grouped([i for i in some if i.kind == kind], lambda i: i.domain).values()
            by_domain = [rates_of(part) for part in parts]
            for figure in FIGURES.values():
                known = [found for found in map(figure, by_domain) if found]
                figures[model].append(mean_estimate(known))
    rows = [(model, *_estimates(values)) for model, values in figures.items()]
    for who, models in by_judge.items():
        if len(models) > 1:
            columns = [
                [found for found in column if found]
                for column in zip(*[figures[model] for model in models], strict=True)
            ]
            means = [mean_estimate(column, together=True) for column in columns]
            rows.append((f"Mean over {who}", *_estimates(means)))
            medians = [median_of(found.value for found in column) for column in columns]
            rows.append((f"Median over {who}", *_percents(medians)))
    note = (
        "FAR: accepted, of the refuted and invalid. FRR: rejected, of the equivalent. Inflation: the judge's "
        "success minus the verifier's, each over its own decided answers; an answer without a specification "
        "is not judged, and is no success of the verifier's. Means over domains, 95 % intervals by task. "
        "Models answer the same tasks: the interval of a mean over models is the widest that theirs allow."
    )
    return Table("judges", "Judges against the verifier", tuple(heads), tuple(rows), note)


def pooled(items: Sequence[Item]) -> Table:
    """The same over all answers at once, with counts and intervals."""
    groups = grouped(items, lambda i: f"{KINDS[i.kind]}, {i.pairing}")
    rows = tuple((name, *_rates(some)) for name, some in groups.items())
    note = "Every answer counts once, whatever its domain. Intervals are by task."
    return Table("judges-pooled", "Judges against the verifier, pooled", ("judge", *RATES), rows, note)


def rates_by_domain(items: Sequence[Item], kind: str) -> Table:
    """Figure 3 as numbers: one judge's rates by model and domain, with counts and intervals."""
    chosen = [item for item in items if item.kind == kind]
    groups = grouped(chosen, lambda i: f"{i.pairing}, {i.domain}")
    rows = tuple((name, *_rates(some)) for name, some in groups.items())
    return Table(f"rates-{kind}", f"{KINDS[kind]} by model and domain", ("model, domain", *RATES), rows)


RATES = ("FAR", "FRR", "precision", "inflation", "on judged answers alone", "kappa", "FAR on invalid")


def _rates(some: Sequence[Item]) -> tuple[str, ...]:
    rates, clear = rates_of(some), _clear(some)
    kappa = cohen_kappa(
        [i.answer is Answer.EQUIVALENT for i in clear],
        [i.judgement is Judgement.ACCEPT for i in clear],
        clusters=[i.cluster for i in clear],
    )
    shares = [share(p) for p in (rates.far, rates.frr, rates.precision)]
    both = [estimated(found, signed=True) for found in (rates.inflated, rates.inflated_judged)]
    return (*shares, *both, _kappa(kappa), share(rates.invalid_accepted))


def inflation(items: Sequence[Item], kind: str) -> Table:
    """Figure 4 as numbers: inflation by model and domain, in percentage points."""
    chosen = [item for item in items if item.kind == kind]
    domains = in_order(item.domain for item in chosen)
    rows = []
    for model, some in grouped(chosen, lambda i: i.pairing).items():
        rates = [rates_of([i for i in some if i.domain == domain]) for domain in domains]
        values = [each.inflated for each in rates]
        means = [
            mean_estimate([found for found in some if found])
            for some in (values, [each.inflated_judged for each in rates])
        ]
        rows.append((model, *[estimated(found, signed=True) for found in (*values, *means)]))
    title = f"{KINDS[kind]}: inflation in percentage points"
    heads = ("model", *domains, "overall", "overall, judged answers alone")
    note = (
        "As in RESpecBench, the verifier's success is over all answers that it decided, also those without a "
        "specification, which no judge is asked about. The last column leaves these out."
    )
    return Table(f"inflation-{kind}", title, heads, tuple(rows), note)


def corrected(items: Sequence[Item]) -> Table:
    """What a judge's acceptance rate says once its measured error is taken out.

    The error is measured on one half of the tasks and taken out of the judged success on the other half,
    beside the verified success there: what a team would learn that calibrates its judge and then uses it.
    """
    heads = (
        "judge, model",
        "judged success",
        "corrected (95 % interval)",
        "verified success",
        "from all tasks",
    )
    rows = []
    for (kind, model), some in grouped(items, lambda i: (i.kind, i.pairing)).items():
        measured = rates_of([item for item in some if _half(item.cluster)])
        used = rates_of([item for item in some if not _half(item.cluster)])
        rates = rates_of(some)
        cells = (
            share(used.judge_success),
            _estimate(correct(used.judge_success, measured.far, measured.frr)),
            share(used.verifier_success),
            _estimate(correct(rates.judge_success, rates.far, rates.frr)),
        )
        rows.append((f"{KINDS[kind]}, {model}", *cells))
    note = (
        "Rogan and Gladen's estimate. FAR and FRR are measured on one half of the tasks and taken out of "
        "the judged success on the other half; the last column measures and corrects on all tasks. The "
        "interval carries the uncertainty of all three rates. A dash: the judge is no better than chance, or "
        "a rate is of nothing."
    )
    title = "Judged success, corrected for the judge's measured error"
    return Table("corrected", title, heads, tuple(rows), note)


def _half(task: str) -> bool:
    """Which half of the tasks a task belongs to, by its name alone."""
    return hashlib.sha256(task.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 0


def _estimate(found: Corrected | None) -> Cell:
    if found is None:
        return estimated(None)
    return estimated(Estimate(found.value, found.interval, 1))


def scored(items: Sequence[Item], kind: str) -> list[Item]:
    """The judgements of a kind that have a score for each order; recorded ones may be a yes or no alone."""
    return [i for i in items if i.kind == kind and len(i.scores) == (1 if kind == "formalization" else 2)]


def passing(kind: str) -> range:
    """Every least score, or sum of both scores, that could count as a pass."""
    return range(1, 4) if kind == "formalization" else range(1, 7)


def at_threshold(items: Sequence[Item], least: int) -> tuple[Proportion, Proportion]:
    """FAR and FRR when a judgement passes from a (sum of) score(s) of `least`."""
    scored = [
        (item, sum(score for score in item.scores if score is not None))
        for item in items
        if item.scores and None not in item.scores
    ]
    far = clustered((item.cluster, s >= least) for item, s in scored if item.answer in WRONG)
    frr = clustered((item.cluster, s < least) for item, s in scored if item.answer is Answer.EQUIVALENT)
    return far, frr


def thresholds(items: Sequence[Item], kind: str) -> Table:
    """FAR and FRR at each score that could count as a pass."""
    rows = []
    for judge, some in grouped(scored(items, kind), lambda i: i.judge).items():
        rows += [
            (f"{judge}, pass from {least}", *map(share, at_threshold(some, least))) for least in passing(kind)
        ]
    of = "passing score" if kind == "formalization" else "passing sum of both scores"
    name = "thresholds" if kind == "formalization" else "thresholds-equivalence"
    return Table(name, f"{KINDS[kind]} by {of}", ("judge", "FAR", "FRR"), tuple(rows))


def position(items: Sequence[Item]) -> Table:
    """Whether the equivalence judge depends on which specification it is shown first."""
    rows = []
    for judge, some in grouped([i for i in items if i.kind == "equivalence"], lambda i: i.judge).items():
        both = [
            (item.cluster, a, b) for item in some for a, b in [item.scores] if a is not None and b is not None
        ]
        flips = clustered((cluster, (a >= 2) != (b >= 2)) for cluster, a, b in both)
        shift = number(mean(a - b for _, a, b in both) if both else None, "+.2f")
        first, second = sum(a >= 2 > b for _, a, b in both), sum(b >= 2 > a for _, a, b in both)
        p = number(_paired([(cluster, a >= 2, b >= 2) for cluster, a, b in both]), ".3g")
        rows.append((judge, share(flips), shift, number(first), number(second), p))
    heads = (
        "judge",
        "verdict depends on the order",
        "mean score, oracle first minus second",
        "passes only oracle first",
        "only oracle second",
        "p",
    )
    note = "p: that either order passes equally often, by the exact sign-flip test over tasks."
    return Table("position", "Position bias of the equivalence judge", heads, tuple(rows), note)


def _paired(items: Sequence[tuple[str, bool, bool]]) -> float:
    """The exact p-value that two marks of the same items, given with their clusters, are equally frequent."""
    apart: defaultdict[str, int] = defaultdict(int)
    for cluster, one, two in items:
        apart[cluster] += one - two
    return sign_flip_exact(list(apart.values()))


def between(items: Sequence[Item]) -> Table:
    """Agreement between judges on the same answers: shares, kappa, and whether one errs more often."""
    by_judge = {
        f"{KINDS[kind]} {judge}": {(i.task, i.model, i.epoch): i for i in some}
        for (kind, judge), some in grouped(items, lambda i: (i.kind, i.judge)).items()
    }
    found = []
    for (one, first), (two, second) in combinations(by_judge.items(), 2):
        both = [(first[key], second[key]) for key in first if key in second]
        clear = [(a, b) for a, b in both if Judgement.UNKNOWN not in (a.judgement, b.judgement)]
        if not clear:
            continue
        kappa = cohen_kappa(
            [a.judgement for a, _ in clear],
            [b.judgement for _, b in clear],
            clusters=[a.cluster for a, _ in clear],
        )
        agree = clustered((a.cluster, a.judgement is b.judgement) for a, b in clear)
        p = _paired([(a.cluster, _errs(a), _errs(b)) for a, b in clear if a.answer is not Answer.UNKNOWN])
        found.append((f"{one} and {two}", share(agree), _kappa(kappa), p))
    adjusted = holm([p for *_, p in found])
    rows = [(*row, number(p, ".3g"), number(q, ".3g")) for (*row, p), q in zip(found, adjusted, strict=True)]
    heads = ("judges", "agree", "kappa", "p that both err equally often", "p adjusted")
    note = (
        "Over answers on which neither is malformed. p: exact sign-flip test over tasks (McNemar's where "
        f"each task has one answer); adjusted by Holm's method for {len(rows)} comparisons."
    )
    return Table("agreement", "Agreement between judges", heads, tuple(rows), note)


def _kappa(kappa: Kappa | None) -> Cell:
    return number(kappa.value, ".2f", interval=kappa.interval) if kappa else number(None)


def _clear(items: Sequence[Item]) -> list[Item]:
    """What both the judge and the verifier decided."""
    decided = (Judgement.ACCEPT, Judgement.REJECT)
    return [i for i in items if i.judgement in decided and i.answer is not Answer.UNKNOWN]


def _errs(item: Item) -> bool:
    return (item.judgement is Judgement.ACCEPT) is not (item.answer is Answer.EQUIVALENT)


def accuracy(items: Sequence[Item]) -> Proportion:
    """Right judgements of those where judge and verifier both decided."""
    clear = _clear(items)
    return clustered((item.cluster, not _errs(item)) for item in clear)


def cost(items: Sequence[Item]) -> Table:
    """What a judge costs, and how often it is right."""
    rows = []
    for (kind, judge), some in grouped(items, lambda i: (i.kind, i.judge)).items():
        tokens, spent = total(i.tokens for i in some), total(i.cost for i in some)
        cells = (
            share(accuracy(some)),
            number(None if tokens is None else tokens / len(some), ".0f"),
            number(1000 * sum(i.seconds for i in some) / len(some), ".0f"),
            number(None if spent is None else 1000 * spent / len(some), ".3f"),
        )
        rows.append((f"{KINDS[kind]}, {judge}", number(len(some)), *cells))
    heads = ("judge", "judgements", "accuracy", "tokens each", "ms each", "US$ per 1,000")
    return Table("cost", "Cost against accuracy, by judge", heads, tuple(rows))


def malformed_scores(items: Sequence[Item], kind: str) -> Table:
    """Tables 9 and 10: judgements that could not be read."""
    chosen = [
        {
            "model": item.pairing,
            "domain": item.domain,
            "judgement": item.judgement.value,
            "task": item.task,
            "cluster": item.cluster,
        }
        for item in items
        if item.kind == kind and item.judgement is not None
    ]
    return by_model_and_domain(
        f"malformed-{kind}", f"Malformed judgements of the {kind} judge", chosen, _lost
    )


def on_oracles(records: Sequence[dict[str, Any]]) -> Table:
    """Table 5: oracles that the formalization judge accepts."""
    return by_model_and_domain(
        "oracles",
        "Oracles accepted by the formalization judge",
        [{**record, "model": record["judge"]} for record in records],
        lambda some: share_of(
            some, lambda r: r["judgement"] == "accept", lambda r: r["judgement"] != "unknown"
        ),
    )


def malformed_on_oracles(records: Sequence[dict[str, Any]]) -> Table:
    """Table 11: judgements of oracles that could not be read."""
    named = [{**record, "model": record["judge"]} for record in records]
    return by_model_and_domain("malformed-oracles", "Malformed judgements of oracles", named, _lost)


def _lost(some: Sequence[dict[str, Any]]) -> Proportion:
    return share_of(some, lambda r: r["judgement"] == "unknown")


def _estimates(values: Sequence[Estimate | None]) -> list[str]:
    return [estimated(value, signed=position % 3 == 2) for position, value in enumerate(values)]


def _percents(values: Sequence[float | None]) -> list[Cell]:
    return [
        Cell(percent(value, signed=position % 3 == 2), value, is_percent=True)
        for position, value in enumerate(values)
    ]
