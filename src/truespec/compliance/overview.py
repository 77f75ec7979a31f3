"""A run in a table for people: what could not be evaluated first, then what was kept and broken."""

from __future__ import annotations

from collections.abc import Iterator

from truespec.compliance.run import Tally

_REASONS = 3
"""Reasons that are shown for one rule."""
_NAMED = 6
"""Rules for other domains that are named in their line."""


def overview(tally: Tally) -> Iterator[str]:
    """The lines of a run's table.

    Rules that were not evaluated on some trace stand first, with the reason and the number of traces. Rules
    that are for other domains than every trace are one line at the end.
    """
    here = [rule for rule in tally.statuses if tally.elsewhere[rule] < tally.traces]
    skipped = {rule: tally.reasons[rule] for rule in here if tally.reasons[rule]}
    if skipped:
        yield f"NOT EVALUATED on some or all traces: {len(skipped)} of {len(here)} rules"
        for rule, reasons in skipped.items():
            required = " (required)" if rule in tally.required else ""
            for reason, count in reasons.most_common(_REASONS):
                yield f"  {rule}{required}: {count} of {tally.traces} traces: {reason}"
            if (left := len(reasons) - _REASONS) > 0:
                rest = sum(reasons.values()) - sum(n for _, n in reasons.most_common(_REASONS))
                yield f"  {rule}{required}: {rest} of {tally.traces} traces: {left} more reasons"
    dull, silent = set(tally.uninformative()), set(tally.silent())
    width = max((len(rule) for rule in here), default=4)
    yield f"{'rule':<{width}}  {'broken':>6}  {'kept':>6}  {'not evaluated':>13}  {'breaches':>8}"
    for rule in here:
        counts = tally.statuses[rule]
        note = "  uninformative: nearly every trace it speaks of breaks it" if rule in dull else ""
        note = note or ("  never had anything to say" if rule in silent else "")
        missed = counts["not_evaluated"] - tally.elsewhere[rule]
        yield (
            f"{rule:<{width}}  {counts['fail']:>6}  {counts['pass']:>6}  {missed:>13}  "
            f"{tally.breaches[rule]:>8}{note}"
        )
    away = [rule for rule in tally.statuses if rule not in here]
    if away:
        more = f" and {len(away) - _NAMED} more" if len(away) > _NAMED else ""
        yield f"{len(away)} rules for other domains: {', '.join(away[:_NAMED])}{more}"
    if tally.notes:
        yield f"{sum(tally.notes.values())} values were read otherwise than they stand there:"
        for rule, count in tally.notes.items():
            yield f"  {rule}: {count}, e.g. {tally.example[rule]}"
    if tally.failed_calls:
        said = ", ".join(f"{count} by {why}" for why, count in tally.failed_calls.most_common())
        yield f"calls that counted as failed: {said}"
    found = ", ".join(f"{count} {severity}" for severity, count in tally.violations.most_common())
    yield f"{tally.traces} traces, {tally.problems} problems; violations: {found or 'none'}"
    if known := sum(tally.accepted.values()):
        yield f"{known} of the violations are accepted by the baseline"
