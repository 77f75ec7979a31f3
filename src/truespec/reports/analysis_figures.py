"""The figures of an analysis."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.analysis.corpus import AGGREGATE, evaluators
from truespec.analysis.mean import Mean
from truespec.analysis.profiles import Standing
from truespec.reports import plots
from truespec.reports.analysis import Analysis, shown_mean
from truespec.reports.plots import Dot, Figure


def figures(found: Analysis) -> list[Figure]:
    """Every figure, in the order of the page."""
    made = []
    if found.follows.curve:
        series = {
            "aggregate": [(place, a / 100) for place, a, _ in found.follows.curve],
            "composite outcome": [(place, c / 100) for place, _, c in found.follows.curve],
        }
        title = (
            "Traces from the lowest to the highest aggregate, beside their composite outcome score (Figure 5)"
        )
        made.append(
            Figure("follows", title, plots.lines(series, title, across="traces by aggregate", up="score"))
        )
    rows = [
        (one.name, [Dot("AUC", one.auc.value, one.auc.interval.low, one.auc.interval.high)])
        for one in found.classifiers
        if one.auc is not None
    ]
    if rows:
        title = "AUC of each score as a classifier of failure; 50 % says nothing"
        made.append(Figure("auc", title, plots.dots(rows, title)))
    for name in (AGGREGATE, "output_spec"):
        curve = next((one.curve for one in found.classifiers if one.name == name), ())
        if curve:
            title = f"What flagging every trace up to a threshold of {name} catches (Figure 8)"
            series = {
                "failures flagged": [(t.score, t.caught.value or 0.0) for t in curve],
                "successes flagged": [(t.score, t.false_alarms.value or 0.0) for t in curve],
            }
            made.append(
                Figure(
                    f"threshold-{name}", title, plots.lines(series, title, across="threshold", up="flagged")
                )
            )
    costs = {
        j.name: [(j.cost / max(1, j.agreed.total + j.unread), j.auc.value)] for j in found.judges if j.auc
    }
    costs |= {
        r.judge: [(r.cost, r.aggregate.value)] for r in found.runs if r.aggregate and r.cost is not None
    }
    if costs:
        title = "Judges: AUC against dollars per trace"
        drawn = plots.lines(costs, title, across="dollars per trace", up="AUC", joined=False)
        made.append(Figure("judges", title, drawn))
    scores = evaluators(found.rows)
    title = "Mean scores by evaluator and {} (Figure {})"
    made.append(_profile("models", title.format("model", 6), found.models, scores))
    made.append(_profile("domains", title.format("environment", 7), found.domains, scores))
    outcome = [
        (g.name, [_dot("aggregate", g.scores.get(AGGREGATE)), _dot("composite outcome", g.composite)])
        for g in found.groups
    ]
    title = "Aggregate and composite outcome score by environment and model (Figure 9)"
    made.append(Figure("outcomes", title, plots.dots(outcome, title)))
    return made


def _profile(name: str, title: str, groups: Sequence[Standing], scores: Sequence[str]) -> Figure:
    rows: list[tuple[str, list[Dot] | None]] = []
    for one in scores:
        rows.append((one, None))
        rows += [(g.name, [_dot("mean", g.scores[one])]) for g in groups if one in g.scores]
    return Figure(f"scores-{name}", title, plots.dots(rows, title))


def _dot(series: str, value: Mean | None) -> Dot:
    if value is None:
        return Dot(series, None)
    return Dot(
        series,
        value.value / 100,
        max(0.0, value.interval.low / 100),
        min(1.0, value.interval.high / 100),
        f"{shown_mean(value)} of {value.total} traces",
    )
