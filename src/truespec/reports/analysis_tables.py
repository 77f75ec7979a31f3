"""The tables of an analysis."""

from __future__ import annotations

from collections.abc import Sequence

from truespec.analysis.classifier import Classifier, Follows
from truespec.analysis.corpus import AGGREGATE, Row, evaluators
from truespec.analysis.digest import Entry
from truespec.analysis.judge_runs import JudgeRun
from truespec.analysis.missed import Hidden
from truespec.analysis.profiles import Standing, Trait
from truespec.analysis.recorded import Standing as Judge
from truespec.analysis.trends import Trend
from truespec.metrics.ranking import Auc
from truespec.metrics.table import UNDEFINED, Table, share
from truespec.reports.analysis import Analysis, shown_mean, shown_p, shown_range
from truespec.reports.visible import in_line


class Named(str):
    """A cell that names a trace, or a message of one; the page links it to where that is shown."""

    key: str
    """The key of the trace's artifact."""
    message: int | None
    """The message; None where the cell names the trace as a whole."""
    says: str
    """What stands after the name."""

    def __new__(cls, key: str, name: str, message: int | None = None, says: str = "") -> Named:
        label = name if message is None else f"{name}, message {message}"
        made = super().__new__(cls, f"{label}: {says}" if says else label)
        made.key, made.message, made.says = key, message, says
        return made

    @property
    def label(self) -> str:
        """The part that is linked."""
        return str(self).removesuffix(f": {self.says}") if self.says else str(self)


def tables(found: Analysis) -> list[Table]:
    """Every table, in the order of the page."""
    made = [_digest(found.digest), _quarters(found.follows), _classifiers(found.classifiers)]
    made += [*_hidden(found.hidden), _hidden_traces(found.rows), *_standings(found)]
    made += [_traits(found.traits), _costs(found.groups)]
    if found.runs:
        made.append(_runs(found.runs))
    if found.judges:
        made.append(_judges(found.judges))
    if found.trend is not None:
        made += _trend(found.trend, found.rows)
    return made


def _digest(entries: Sequence[Entry]) -> Table:
    return Table(
        "digest",
        "What to look at first: root violations by rule",
        ("severity", "says", "example", "traces", "violations", "took effect", "solved", "models", "rule"),
        tuple(
            (
                e.severity if e.force == "mandatory" else f"{e.severity}, advisory", e.text,
                Named(e.key, e.example[0], e.example[1], in_line(e.example[2], 80)), str(e.traces),
                str(e.violations), str(e.took_effect), str(e.solved), str(len(e.models)), e.rule,
            )
            for e in entries
        ),
        "A violation that follows from another counts only for that one. Solved: traces with perfect "
        "outcomes that break the rule all the same.",
    )  # fmt: skip


def _quarters(found: Follows) -> Table:
    rank = "unknown" if found.rank is None else (
        f"{found.rank.value:.3f} {shown_range(found.rank.interval.low, found.rank.interval.high)}"
    )  # fmt: skip
    return Table(
        "follows",
        "Does the aggregate follow the composite outcome score? (Figure 5)",
        ("quarter by aggregate", "traces", "aggregate", "composite outcome"),
        tuple(
            (str(number), str(a.total), shown_mean(a), shown_mean(c))
            for number, (a, c) in enumerate(found.quarters, 1)
        ),
        f"{found.total} complete traces whose outcome has parts. Correlation of ranks (Spearman): {rank}; "
        f"within models in environments {UNDEFINED if found.within is None else f'{found.within:.3f}'}.",
    )


def _classifiers(found: Sequence[Classifier]) -> Table:
    rows = []
    for one in found:
        auc = UNDEFINED
        if one.auc is not None:
            auc = f"{one.auc.value:.3f} {shown_range(one.auc.interval.low, one.auc.interval.high)}"
        counts = (UNDEFINED,) * 2 if one.auc is None else (str(one.auc.positives), str(one.auc.negatives))
        within = UNDEFINED if one.within is None else f"{one.within:.3f}"
        rows.append((one.name, *counts, auc, within, shown_mean(one.failed), shown_mean(one.solved)))
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


def _hidden_traces(rows: Sequence[Row]) -> Table:
    """Traces with a perfect outcome that break a mandatory rule, those with most violations first."""
    found = sorted(
        (row for row in rows if row.solved and row.binding), key=lambda row: -sum(row.binding.values())
    )
    return Table(
        "hidden-traces",
        "Traces with a perfect outcome that break a mandatory rule",
        ("trace", "environment", "model", "task", "violations", "begins with"),
        tuple(
            (
                Named(row.key, row.trace_id),
                row.domain,
                row.model,
                row.task or UNDEFINED,
                str(sum(row.binding.values())),
                Named(row.key, row.first[0], row.first[1]) if row.first else UNDEFINED,
            )
            for row in found
        ),
        "Violations of mandatory rules; most first.",
    )


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
                        shown_mean(g.reward),
                        shown_mean(g.composite),
                        *(shown_mean(g.scores.get(one)) for one in names),
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
            (t.kind, t.domain, t.model, share(t.mine), share(t.others), str(t.times), gap, shown_p(t.p),
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
        tuple(
            (g.name, str(g.traces), shown_mean(g.cost, 4), shown_mean(g.seconds), shown_mean(g.size))
            for g in groups
        ),
        "As the source recorded them; – where it did not.",
    )


def _runs(found: Sequence[JudgeRun]) -> Table:
    def auc(value: Auc | None) -> str:
        return (
            UNDEFINED
            if value is None
            else f"{value.value:.3f} {shown_range(value.interval.low, value.interval.high)}"
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
            auc = f"{j.auc.value:.2f} {shown_range(j.auc.interval.low, j.auc.interval.high)}"
        each = j.cost / max(1, j.agreed.total + j.unread)
        rows.append((j.name, share(j.agreed), kappa, auc, f"{each:.4f}", str(j.unread)))
    return Table(
        "judges",
        "Recorded verdicts of judges against outcomes, and their cost",
        ("judge", "agrees", "kappa", "AUC", "dollars per trace", "not read"),
        tuple(rows),
        "A verdict that is neither a pass nor a fail is not read, and in no other figure.",
    )


def _worst(rows: Sequence[Row]) -> dict[tuple[str, str], Row]:
    """Of each model in an environment, and task, the trace with the lowest aggregate."""
    found: dict[tuple[str, str], Row] = {}
    for row in rows:
        if row.complete and row.task is not None:
            at = (f"{row.model}, {row.domain}", row.task)
            if at not in found or row.scores[AGGREGATE] < found[at].scores[AGGREGATE]:
                found[at] = row
    return found


def _trend(found: Trend, now: Sequence[Row]) -> list[Table]:
    rows = []
    worst = _worst(now)
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
                shown_p(c.p),
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
            ("model, environment", "task", "before", "now", "lowest trace"),
            tuple(
                (who, task, f"{was:.1f}", f"{is_:.1f}", Named(low.key, low.trace_id))
                for who, task, was, is_ in found.worse
                for low in (worst[who, task],)
            ),
            "By mean aggregate, where it fell by more than ten points. Lowest trace: of the newer run.",
        ),
    ]  # fmt: skip
