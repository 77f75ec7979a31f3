"""The benchmark's tables: success, judges against the verifier, unknowns (RESpecBench, 3.2, 3.3, C)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any, TypeVar

from truespec.judges.judgement import Judgement
from truespec.metrics.agreement import cohen_kappa
from truespec.metrics.judging import WRONG, JudgeRates, correct, judge_rates
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import UNDEFINED, Table, percent, share
from truespec.verdict import Answer

Group = TypeVar("Group")

KINDS = {"formalization": "Formalization judge", "equivalence": "Equivalence judge"}
"""The judges of answers; the third kind, `oracle`, judges oracles."""


@dataclass(frozen=True, slots=True)
class Item:
    """One judgement joined with the verdict on the same answer."""

    domain: str
    """Which language."""
    task: str
    """The task."""
    model: str
    """Who answered."""
    judge: str
    """Who judged."""
    kind: str
    """`formalization` or `equivalence`."""
    scores: tuple[int | None, ...]
    """The scores, one per order."""
    judgement: Judgement
    """What they came to."""
    answer: Answer
    """What the verifier says."""

    @property
    def pairing(self) -> str:
        """Who answered and, where that is somebody else, who judged."""
        return self.model if self.judge == self.model else f"{self.model}, judged by {self.judge}"


def join(answers: Iterable[dict[str, Any]], judgements: Iterable[dict[str, Any]]) -> list[Item]:
    """Judgements of answers with the verdicts on them."""
    verdicts = {(a["task"], a["model"], a["epoch"]): Answer(a["verdict"]["answer"]) for a in answers}
    return [
        Item(
            domain=record["domain"],
            task=record["task"],
            model=record["model"],
            judge=record["judge"],
            kind=record["kind"],
            scores=tuple(record["scores"]),
            judgement=Judgement(record["judgement"]),
            answer=verdicts[record["task"], record["model"], record["epoch"]],
        )
        for record in judgements
        if record["kind"] in KINDS and (record["task"], record["model"], record["epoch"]) in verdicts
    ]


def tables(answers: Sequence[dict[str, Any]], judgements: Sequence[dict[str, Any]]) -> list[Table]:
    """Every table that the records can fill, in the order of the paper."""
    items = join(answers, judgements)
    oracles = [record for record in judgements if record["kind"] == "oracle"]
    found = [success(answers), failures(answers), unknowns(answers), times(answers), replies(answers)]
    if items:
        found += [judged(items)] + [rates_by_domain(items, kind) for kind in KINDS]
        found += [corrected(items), thresholds(items), malformed_scores(items)]
        if any(item.kind == "equivalence" for item in items):
            found.append(position(items))
    if oracles:
        found.append(on_oracles(oracles))
    return found


def success(answers: Sequence[dict[str, Any]]) -> Table:
    """Table 3: equivalent answers over all, by model and domain; overall is the mean over the domains."""
    return _by_model_and_domain(
        "success",
        "Answers proved equivalent to the oracle, of all answers",
        answers,
        lambda some: Proportion(sum(_answer(a) is Answer.EQUIVALENT for a in some), len(some)),
        "Percent (count, 95 % Wilson interval). Overall: mean over the domains; pooled: every answer once.",
    )


def unknowns(answers: Sequence[dict[str, Any]]) -> Table:
    """Table 8: answers that the verifier could not decide."""
    return _by_model_and_domain(
        "unknown",
        "Answers that the verifier could not decide",
        answers,
        lambda some: Proportion(sum(_answer(a) is Answer.UNKNOWN for a in some), len(some)),
    )


def failures(answers: Sequence[dict[str, Any]]) -> Table:
    """How answers fail: by relation of the refuted, and the invalid apart."""
    heads = (
        "model",
        "answers",
        "equivalent",
        "stronger",
        "weaker",
        "incomparable",
        "other refuted",
        "invalid",
        "unknown",
    )
    rows = []
    for model, some in _group(answers, "model").items():
        relations = [a["verdict"]["relation"] for a in some if _answer(a) is Answer.REFUTED]
        related = [relations.count(name) for name in ("stronger", "weaker", "incomparable")]
        counts = [sum(_answer(a) is answer for a in some) for answer in Answer]
        equivalent, refuted, unknown, invalid = counts
        other = refuted - sum(related)
        rows.append((model, *map(str, (len(some), equivalent, *related, other, invalid, unknown))))
    return Table(
        "failures",
        "How answers fail",
        heads,
        tuple(rows),
        "Stronger: the answer demands more than the oracle.",
    )


def times(answers: Sequence[dict[str, Any]]) -> Table:
    """The verifier's wall time by domain."""
    rows = []
    for domain, some in _group(answers, "domain").items():
        seconds = sorted(a["verdict"]["seconds"] for a in some)
        late = seconds[min(len(seconds) - 1, int(0.99 * len(seconds)))]
        cells = (f"{1000 * median(seconds):.1f} ms", f"{1000 * late:.0f} ms", f"{seconds[-1]:.2f} s")
        rows.append((domain, str(len(some)), *cells))
    heads = ("domain", "answers", "median", "99th percentile", "longest")
    return Table("times", "Wall time of the verifier", heads, tuple(rows))


def replies(answers: Sequence[dict[str, Any]]) -> Table:
    """Form and cost of the replies."""
    rows = []
    for model, some in _group(answers, "model").items():
        malformed = Proportion(sum(a["candidate"] is None for a in some), len(some))
        loose = sum(a["candidate"] is not None and not a["strict"] for a in some)
        cells = [_sum(a["reply"][name] for a in some) for name in ("input_tokens", "output_tokens", "cost")]
        rows.append((model, share(malformed), str(loose), *cells))
    heads = ("model", "malformed", "read tolerantly", "input tokens", "output tokens", "cost in US$")
    return Table("replies", "Form and cost of the replies", heads, tuple(rows))


def judged(items: Sequence[Item]) -> Table:
    """Table 4: FAR, FRR and inflation of both judges by model, each the mean over the domains."""
    heads = ["model"] + [f"{kind} {name}" for kind in KINDS for name in ("FAR", "FRR", "inflation")]
    figures: dict[str, list[float | None]] = {}
    for model, some in _grouped(items, lambda item: item.pairing).items():
        figures[model] = []
        for kind in KINDS:
            by_domain = [
                judge_rates((i.answer, i.judgement) for i in part)
                for part in _grouped([i for i in some if i.kind == kind], lambda i: i.domain).values()
            ]
            for figure in _FIGURES.values():
                figures[model].append(_mean(figure(rates) for rates in by_domain))
    rows = [(model, *_percents(values)) for model, values in figures.items()]
    if len(figures) > 1:
        columns = list(zip(*figures.values(), strict=True))
        rows.append(("Mean", *_percents([_mean(column) for column in columns])))
        rows.append(("Median", *_percents([_median(column) for column in columns])))
    note = (
        "FAR: accepted, of the refuted and invalid. FRR: rejected, of the equivalent. Inflation: the judge's "
        "success minus the verifier's, each over its own decided answers. Means over domains."
    )
    return Table("judges", "Judges against the verifier", tuple(heads), tuple(rows), note)


def rates_by_domain(items: Sequence[Item], kind: str) -> Table:
    """Figures 3 and 4 as numbers: one judge's rates by model and domain, with counts and intervals."""
    heads = ("model, domain", "FAR", "FRR", "precision", "inflation", "kappa", "FAR on invalid")
    rows = []
    chosen = [item for item in items if item.kind == kind]
    for (model, domain), some in _grouped(chosen, lambda i: (i.pairing, i.domain)).items():
        rates = judge_rates((i.answer, i.judgement) for i in some)
        clear = [i for i in some if i.judgement is not Judgement.UNKNOWN and i.answer is not Answer.UNKNOWN]
        kappa = cohen_kappa(
            [i.answer is Answer.EQUIVALENT for i in clear], [i.judgement is Judgement.ACCEPT for i in clear]
        )
        agreement = (
            f"{kappa.value:.2f} ({kappa.interval.low:.2f}–{kappa.interval.high:.2f})" if kappa else UNDEFINED
        )
        shares = [share(p) for p in (rates.far, rates.frr, rates.precision)]
        inflation = percent(rates.inflation, signed=True)
        rows.append((f"{model}, {domain}", *shares, inflation, agreement, share(rates.invalid_accepted)))
    return Table(f"rates-{kind}", f"{KINDS[kind]} by model and domain", heads, tuple(rows))


def corrected(items: Sequence[Item]) -> Table:
    """What a judge's acceptance rate says once its measured error is taken out."""
    heads = ("judge, model", "judged success", "corrected", "95 % interval", "verified success")
    rows = []
    for (kind, model), some in _grouped(items, lambda i: (i.kind, i.pairing)).items():
        rates = judge_rates((i.answer, i.judgement) for i in some)
        estimate = correct(rates.judge_success, rates.far, rates.frr)
        cells = (
            (
                percent(estimate.value),
                f"{percent(estimate.interval.low)} to {percent(estimate.interval.high)}",
            )
            if estimate
            else (UNDEFINED, "the judge is no better than chance, or an error rate is undefined")
        )
        label = f"{KINDS[kind]}, {model}"
        rows.append((label, share(rates.judge_success), *cells, share(rates.verifier_success)))
    note = "Rogan and Gladen's estimate from FAR and FRR on the same answers; the interval carries all three."
    return Table(
        "corrected", "Judged success, corrected for the judge's measured error", heads, tuple(rows), note
    )


def thresholds(items: Sequence[Item]) -> Table:
    """FAR and FRR of the formalization judge at each score that could count as a pass."""
    rows = []
    for judge, some in _grouped([i for i in items if i.kind == "formalization"], lambda i: i.judge).items():
        for least in (1, 2, 3):
            scored = [(i.answer, i.scores[0]) for i in some if i.scores[0] is not None]
            wrong = [score for answer, score in scored if answer in WRONG]
            right = [score for answer, score in scored if answer is Answer.EQUIVALENT]
            far = Proportion(sum(score >= least for score in wrong), len(wrong))
            frr = Proportion(sum(score < least for score in right), len(right))
            rows.append((f"{judge}, pass from {least}", share(far), share(frr)))
    heads = ("judge", "FAR", "FRR")
    return Table("thresholds", "Formalization judge by passing score", heads, tuple(rows))


def position(items: Sequence[Item]) -> Table:
    """Whether the equivalence judge depends on which specification it is shown first."""
    rows = []
    for judge, some in _grouped([i for i in items if i.kind == "equivalence"], lambda i: i.judge).items():
        both = [(a, b) for a, b in (i.scores for i in some) if a is not None and b is not None]
        flips = Proportion(sum((a >= 2) != (b >= 2) for a, b in both), len(both))
        shift = f"{mean(a - b for a, b in both):+.2f}" if both else UNDEFINED
        rows.append((judge, share(flips), shift))
    heads = ("judge", "verdict depends on the order", "mean score, oracle first minus second")
    return Table("position", "Position bias of the equivalence judge", heads, tuple(rows))


def malformed_scores(items: Sequence[Item]) -> Table:
    """Tables 9 and 10: judgements that could not be read."""
    rows = []
    for (kind, judge), some in _grouped(items, lambda i: (i.kind, i.judge)).items():
        lost = Proportion(sum(i.judgement is Judgement.UNKNOWN for i in some), len(some))
        rows.append((f"{KINDS[kind]}, {judge}", share(lost)))
    return Table("malformed", "Malformed judgements", ("judge", "malformed"), tuple(rows))


def on_oracles(records: Sequence[dict[str, Any]]) -> Table:
    """Table 5: oracles that the formalization judge accepts."""
    named = [{**record, "model": record["judge"]} for record in records]
    return _by_model_and_domain(
        "oracles",
        "Oracles accepted by the formalization judge",
        named,
        lambda some: Proportion(
            sum(r["judgement"] == "accept" for r in some), sum(r["judgement"] != "unknown" for r in some)
        ),
    )


_FIGURES: dict[str, Callable[[JudgeRates], float | None]] = {
    "FAR": lambda rates: rates.far.value,
    "FRR": lambda rates: rates.frr.value,
    "inflation": lambda rates: rates.inflation,
}


def _by_model_and_domain(
    name: str,
    title: str,
    records: Sequence[dict[str, Any]],
    measure: Callable[[Sequence[dict[str, Any]]], Proportion],
    note: str = "",
) -> Table:
    domains = sorted({record["domain"] for record in records})
    rows = []
    for model, some in _group(records, "model").items():
        parts = [measure([r for r in some if r["domain"] == domain]) for domain in domains]
        overall = percent(_mean(part.value for part in parts))
        rows.append((model, *map(share, parts), overall, share(measure(some))))
    return Table(name, title, ("model", *domains, "overall", "pooled"), tuple(rows), note)


def _answer(record: dict[str, Any]) -> Answer:
    return Answer(record["verdict"]["answer"])


def _group(records: Sequence[dict[str, Any]], field: str) -> dict[str, list[dict[str, Any]]]:
    groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        groups[record[field]].append(record)
    return dict(groups)


def _grouped(items: Sequence[Item], key: Callable[[Item], Group]) -> dict[Group, list[Item]]:
    groups: defaultdict[Group, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _percents(values: Sequence[float | None]) -> list[str]:
    return [percent(value, signed=position % 3 == 2) for position, value in enumerate(values)]


def _sum(values: Iterable[float | int | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return UNDEFINED
    return f"{sum(known):.2f}" if any(isinstance(value, float) for value in known) else str(sum(known))
