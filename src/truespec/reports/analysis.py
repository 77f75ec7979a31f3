"""The page, tables and figures of an analysis: `index.html`, `tables/*.csv`, `summary.json`."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from truespec.analysis.classifier import Classifier, Follows, classifiers, follows
from truespec.analysis.corpus import AGGREGATE, Lost, Row, evaluators, lost, row_of
from truespec.analysis.digest import Entry, digest
from truespec.analysis.judge_runs import JudgeRun
from truespec.analysis.mean import Mean
from truespec.analysis.missed import Hidden, hidden
from truespec.analysis.profiles import Standing, Trait, standings, traits
from truespec.analysis.recorded import Standing as Judge
from truespec.analysis.trends import Trend, trend
from truespec.metrics.ranking import Auc
from truespec.metrics.table import UNDEFINED, Table, percent, share
from truespec.reports import plots
from truespec.reports.plots import Dot, Figure
from truespec.reports.visible import in_line
from truespec.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
LISTED = 30
"""Rows of a long table on the page; the CSV file beside it holds all."""
SHOWN = {"digest": 12}
"""Fewer, where a table is to be read in a minute."""
_FIGURE = re.compile(r"(?:[+-]?\d|–$|< 0)")


@dataclasses.dataclass(frozen=True)
class Analysis:
    """Everything that was found in a corpus."""

    rows: Sequence[Row]
    lost: Lost
    follows: Follows
    classifiers: Sequence[Classifier]
    hidden: Hidden
    models: Sequence[Standing]
    domains: Sequence[Standing]
    groups: Sequence[Standing]
    traits: Sequence[Trait]
    digest: Sequence[Entry]
    trend: Trend | None
    judges: Sequence[Judge]
    runs: Sequence[JudgeRun]


def analyse(
    artifacts: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]] | None = None,
    judges: Sequence[Judge] = (),
    runs: Sequence[JudgeRun] = (),
) -> Analysis:
    """The four questions, profiles, costs and the digest; trends where an older run is given."""
    rows = [row_of(one) for one in artifacts]
    return Analysis(
        rows,
        lost(rows),
        follows(rows),
        classifiers(rows),
        hidden(rows),
        standings(rows, lambda row: row.model),
        standings(rows, lambda row: row.domain),
        standings(rows, lambda row: f"{row.domain}, {row.model}"),
        traits(rows),
        digest(artifacts),
        trend([row_of(one) for one in before], rows) if before is not None else None,
        judges,
        runs,
    )


def _mean(value: Mean | None, digits: int = 1) -> str:
    if value is None:
        return UNDEFINED
    return f"{value.value:.{digits}f} [{value.interval.low:.{digits}f}–{value.interval.high:.{digits}f}]"


def _range(low: float, high: float) -> str:
    return f"[{low:.2f}–{high:.2f}]"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def tables(found: Analysis) -> list[Table]:
    """Every table, in the order of the page."""
    made = [_digest(found.digest), _quarters(found.follows), _classifiers(found.classifiers)]
    made += [*_hidden(found.hidden), *_standings(found), _traits(found.traits), _costs(found.groups)]
    if found.runs:
        made.append(_runs(found.runs))
    if found.judges:
        made.append(_judges(found.judges))
    if found.trend is not None:
        made += _trend(found.trend)
    return made


def _digest(entries: Sequence[Entry]) -> Table:
    return Table(
        "digest",
        "What to look at first: root violations by rule",
        ("severity", "says", "traces", "violations", "took effect", "solved", "models", "rule", "example"),
        tuple(
            (
                e.severity if e.force == "mandatory" else f"{e.severity}, advisory", e.text, str(e.traces),
                str(e.violations), str(e.took_effect), str(e.solved), str(len(e.models)), e.rule,
                f"{e.example[0]}, message {e.example[1]}: {in_line(e.example[2], 80)}",
            )
            for e in entries
        ),
        "A violation that follows from another counts only for that one. Solved: traces with perfect "
        "outcomes that break the rule all the same.",
    )  # fmt: skip


def _quarters(found: Follows) -> Table:
    rank = "unknown" if found.rank is None else (
        f"{found.rank.value:.3f} {_range(found.rank.interval.low, found.rank.interval.high)}"
    )  # fmt: skip
    return Table(
        "follows",
        "Does the aggregate follow the composite outcome score? (Figure 5)",
        ("quarter by aggregate", "traces", "aggregate", "composite outcome"),
        tuple(
            (str(number), str(a.total), _mean(a), _mean(c)) for number, (a, c) in enumerate(found.quarters, 1)
        ),
        f"{found.total} complete traces whose outcome has parts. Correlation of ranks (Spearman): {rank}; "
        f"within models in environments {UNDEFINED if found.within is None else f'{found.within:.3f}'}.",
    )


def _classifiers(found: Sequence[Classifier]) -> Table:
    rows = []
    for one in found:
        auc = UNDEFINED
        if one.auc is not None:
            auc = f"{one.auc.value:.3f} {_range(one.auc.interval.low, one.auc.interval.high)}"
        counts = (UNDEFINED,) * 2 if one.auc is None else (str(one.auc.positives), str(one.auc.negatives))
        within = UNDEFINED if one.within is None else f"{one.within:.3f}"
        rows.append((one.name, *counts, auc, within, _mean(one.failed), _mean(one.solved)))
    return Table(
        "classifiers",
        "Each evaluator as a classifier of failure (Figure 8)",
        (
            "score",
            "failures",
            "successes",
            "AUC",
            "AUC within groups",
            "mean of failures",
            "mean of successes",
        ),
        tuple(rows),
        "AUC with DeLong's 95 % interval; 0.5 says nothing. Within groups: the mean over models in "
        "environments, so that what differs between these plays no part. Violations: minus their number.",
    )


def _hidden(found: Hidden) -> list[Table]:
    return [
        Table(
            "hidden-groups",
            "Traces that break a mandatory rule, by outcome",
            ("environment", "model", "with perfect outcome", "others"),
            (
                *((d, m, share(a), share(b)) for d, m, a, b in found.groups),
                ("all", "all", share(found.solved), share(found.failed)),
            ),
        ),
        Table(
            "hidden-kinds",
            "What perfect outcomes hide, by kind of violation",
            ("kind", "rule", "traces", "violations"),
            tuple(
                (kind, "mandatory" if binding else "advisory", share(p), str(times))
                for kind, binding, p, times in found.kinds
            ),
        ),
    ]


def _standings(found: Analysis) -> list[Table]:
    names = evaluators(found.rows)
    made = []
    for name, title, groups in (
        ("models", "Mean scores by model (Table 1, Figure 6)", found.models),
        ("domains", "Mean scores by environment (Figure 7)", found.domains),
        ("groups", "Mean scores by environment and model (Figures 7 and 9)", found.groups),
    ):
        made.append(
            Table(
                name,
                title,
                (name.removesuffix("s"), "traces", "reward", "composite", *names),
                tuple(
                    (
                        g.name,
                        str(g.traces),
                        _mean(g.reward),
                        _mean(g.composite),
                        *(_mean(g.scores.get(one)) for one in names),
                    )
                    for g in groups
                ),
                "Means with 95 % intervals, 0 to 100.",
            )
        )
    return made


def _traits(found: Sequence[Trait]) -> Table:
    rows = []
    for t in found:
        gap = UNDEFINED if t.gap is None else f"{100 * t.gap.low:+.0f} to {100 * t.gap.high:+.0f}"
        odd = ", ".join(f"other {what}" for what in t.confounds)
        rows.append(
            (t.kind, t.domain, t.model, share(t.mine), share(t.others), str(t.times), gap, _p(t.p),
             "yes" if t.significant else "no", odd)
        )  # fmt: skip
    return Table(
        "profiles",
        "Violations of one model against others in its environment",
        ("kind", "environment", "model", "its traces", "others' traces", "violations", "difference, points",
         "adjusted p", "differs", "also differs by"),
        tuple(rows),
        "Against models that were given the same prompt; against all others only where there are none. "
        "Fisher's exact test, adjusted for all comparisons by Holm's method. Where prompts or tasks differ, "
        "the difference may be theirs and not the model's.",
    )  # fmt: skip


def _costs(groups: Sequence[Standing]) -> Table:
    return Table(
        "costs",
        "Cost and time per trace",
        ("environment, model", "traces", "cost", "seconds", "messages"),
        tuple((g.name, str(g.traces), _mean(g.cost, 4), _mean(g.seconds), _mean(g.size)) for g in groups),
        "As the source recorded them; – where it did not.",
    )


def _runs(found: Sequence[JudgeRun]) -> Table:
    def auc(value: Auc | None) -> str:
        return (
            UNDEFINED
            if value is None
            else f"{value.value:.3f} {_range(value.interval.low, value.interval.high)}"
        )

    return Table(
        "judge-runs",
        "Judges: accuracy against cost",
        (
            "judge",
            "traces",
            "complete",
            "AUC of aggregate",
            "AUC of output_spec",
            "dollars per trace",
            "tokens",
        ),
        tuple(
            (
                one.judge,
                str(one.traces),
                str(one.complete),
                auc(one.aggregate),
                auc(one.output),
                UNDEFINED if one.cost is None else f"{one.cost:.4f}",
                f"{one.tokens:.0f}",
            )
            for one in found
        ),
        "Failure by the outcome; tokens per trace, in and out.",
    )


def _judges(found: Sequence[Judge]) -> Table:
    rows = []
    for j in found:
        kappa = UNDEFINED if j.kappa is None else f"{j.kappa.value:.2f}"
        auc = UNDEFINED
        if j.auc is not None:
            auc = f"{j.auc.value:.2f} {_range(j.auc.interval.low, j.auc.interval.high)}"
        each = j.cost / max(1, j.agreed.total + j.unread)
        rows.append((j.name, share(j.agreed), kappa, auc, f"{each:.4f}", str(j.unread)))
    return Table(
        "judges",
        "Recorded verdicts of judges against outcomes, and their cost",
        ("judge", "agrees", "kappa", "AUC", "dollars per trace", "not read"),
        tuple(rows),
        "A verdict that is neither a pass nor a fail is not read, and in no other figure.",
    )


def _trend(found: Trend) -> list[Table]:
    rows = []
    for c in found.changes:
        gap = UNDEFINED if c.gap is None else f"{100 * c.gap.low:+.0f} to {100 * c.gap.high:+.0f}"
        odd = ", ".join(f"other {what}" for what in c.confounds)
        rows.append(
            (
                c.kind,
                c.domain,
                c.model,
                share(c.before),
                share(c.now),
                gap,
                _p(c.p),
                "yes" if c.significant else "no",
                odd,
            )
        )
    return [
        Table(
            "trends",
            "Violations before and now",
            ("kind", "environment", "model", "before", "now", "difference, points", "adjusted p", "differs",
             "also differs by"),
            tuple(rows),
            "Of models in environments that both runs hold. Fisher's exact test, adjusted by Holm's method.",
        ),
        Table(
            "worse",
            "Tasks that got worse",
            ("model, environment", "task", "before", "now"),
            tuple((who, task, f"{was:.1f}", f"{now:.1f}") for who, task, was, now in found.worse),
            "By mean aggregate, where it fell by more than ten points.",
        ),
    ]  # fmt: skip


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
        f"{_mean(value)} of {value.total} traces",
    )


def headline(found: Analysis) -> list[str]:
    """The findings in sentences, for people who read no further."""
    said = [f"{found.lost}."]
    aggregate = next((one for one in found.classifiers if one.name == AGGREGATE), None)
    if found.follows.rank is not None:
        rank = found.follows.rank
        said.append(
            f"The aggregate and the composite outcome score agree in rank to {rank.value:.2f} "
            f"{_range(rank.interval.low, rank.interval.high)} over {rank.total} traces, "
            f"{found.follows.within or 0.0:.2f} within models in environments."
        )
    if aggregate is not None and aggregate.auc is not None:
        auc = aggregate.auc
        said.append(
            f"As a classifier of failure the aggregate has an AUC of {auc.value:.2f} "
            f"{_range(auc.interval.low, auc.interval.high)}, {aggregate.within or 0.5:.2f} within groups."
        )
    if found.hidden.solved.total:
        said.append(
            f"{found.hidden.solved.hits} of {found.hidden.solved.total} traces with a perfect outcome "
            f"({percent(found.hidden.solved.value)}) break a mandatory rule; of the others "
            f"{percent(found.hidden.failed.value)}."
        )
    differing = [t for t in found.traits if t.significant]
    if found.traits:
        clean = [t for t in differing if not t.confounds]
        said.append(
            f"{len(differing)} of {len(found.traits)} comparisons of a model with others in its environment "
            f"differ after correction, {len(clean)} of them with the same prompt and tasks."
        )
    if found.trend is not None:
        said.append(
            f"Against the older run: kinds of violation that are surely more frequent: "
            f"{len(found.trend.regressions)}; tasks that got worse: {len(found.trend.worse)}."
        )
    return said


def summary(found: Analysis) -> dict[str, Any]:
    """The figures as plain JSON values."""
    return {
        "lost": dataclasses.asdict(found.lost),
        "headline": headline(found),
        "follows": dataclasses.asdict(found.follows),
        "classifiers": [
            {key: value for key, value in dataclasses.asdict(one).items() if key != "curve"}
            for one in found.classifiers
        ],
        "hidden": dataclasses.asdict(found.hidden),
        "models": [dataclasses.asdict(one) for one in found.models],
        "domains": [dataclasses.asdict(one) for one in found.domains],
        "groups": [dataclasses.asdict(one) for one in found.groups],
        "profiles": [{**dataclasses.asdict(one), "differs": one.significant} for one in found.traits],
        "judges": [dataclasses.asdict(one) for one in found.judges],
        "judge_runs": [dataclasses.asdict(one) for one in found.runs],
        "trend": dataclasses.asdict(found.trend) if found.trend is not None else None,
        "digest": [{**dataclasses.asdict(e), "models": sorted(e.models)} for e in found.digest],
        "version": __version__,
    }


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(lambda name: (TEMPLATES / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else in_line(str(value), 400),
    )


def page(found: Analysis, title: str = "What the traces show") -> str:
    """The page, in one file: no script, no external address."""
    names = ("base.css", "traces.css")
    style = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)
    return (
        _environment()
        .get_template("analysis.html")
        .render(
            title=title,
            headline=headline(found),
            tables=[(table, _classes(table), SHOWN.get(table.name, LISTED)) for table in tables(found)],
            figures=[(figure.title, Markup(figure.svg)) for figure in figures(found)],
            style=Markup(style),
            version=__version__,
        )
    )


def _classes(table: Table) -> list[str]:
    """How each column is set: figures to the right and unbroken, short words unbroken."""
    made = []
    for cells in zip(*table.rows, strict=True):
        numbers = all(_FIGURE.match(cell) for cell in cells)
        made.append("n" if numbers else "w" if all(len(cell) <= 34 for cell in cells) else "")
    return made or [""] * len(table.columns)


def write_analysis(found: Analysis, folder: Path) -> Path:
    """Write page, tables, figures and figures as JSON; the path of the page."""
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for table in tables(found):
        _write(folder / "tables" / f"{table.name}.csv", table.to_csv())
    for figure in figures(found):
        _write(folder / "figures" / f"{figure.name}.svg", figure.svg)
    _write(folder / "summary.json", json.dumps(summary(found), indent=1, default=str) + "\n")
    _write(folder / "index.html", page(found))
    return folder / "index.html"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
