"""Rules that no conversation can keep together, though any fewer of them can be kept.

A set of rules is in conflict where no trace keeps all of them, or where an event that starts one of them can
happen when that rule alone is kept, and can never happen when all are kept. A set is minimal where each of
its rules is needed for that. Comparing two rules at a time finds no set of three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.compare import ANY_TOOLS, Toolbox, included
from truespec.rules.product import over_all, renumbered
from truespec.rules.rule import Formal, Obligation, Rule
from truespec.solvers.limit import Limit


@dataclass(frozen=True, slots=True)
class Conflict:
    """A minimal set of rules that cannot be kept together."""

    rules: tuple[str, ...]
    """Their identifiers, in the order of the file."""
    about: str
    """The rule whose starting events can never happen; empty where no trace at all keeps the set."""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """What was found, and what was not looked at."""

    found: tuple[Conflict, ...]
    """Minimal sets, at most one for each rule that is blocked."""
    left_out: tuple[str, ...]
    """Rules that have no part in the search: semantic ones, and those that bind names."""
    undecided: str
    """Why the search is not complete; empty where it is."""


def conflicts(
    rules: Sequence[Rule], toolbox: Toolbox = ANY_TOOLS, seconds: float = 5.0, total: float = 30.0
) -> Conflicts:
    """Minimal sets of rules that cannot be kept together, each question with a limit, all with `total`."""
    limit = Limit.start(total)
    taking_part = [rule for rule in rules if rule.formal is not None and not rule.formal.bind]
    left_out = tuple(rule.id for rule in rules if rule not in taking_part)
    found: list[Conflict] = []
    reasons: dict[str, None] = {}

    def holds(some: Sequence[Rule], about: Rule | None) -> bool | None:
        """Whether keeping the rules rules out all traces, or all starts of one rule."""
        left = limit.seconds - limit.elapsed()
        if left <= 0:
            reasons[f"not finished within {total:g} s"] = None
            return None
        joint = _joint(some)
        none = [(None, f.F)] if about is None else [(when, f.F) for when in _starts(about)]
        answer = included(joint, _only(joint, none), toolbox, min(seconds, left))
        if answer.holds is None:
            reasons[answer.reason] = None
        return answer.holds

    for group in _by_environment(taking_part):
        if len(group) < 2:
            continue
        blocked: list[Rule | None] = []
        if holds(group, None):
            blocked.append(None)
        else:
            blocked += [
                rule
                for rule in group
                if _starts(rule) and holds(group, rule) and holds([rule], rule) is False
            ]
        for about in blocked:
            kept = list(group)
            for rule in group:
                fewer = [other for other in kept if other is not rule]
                if rule is not about and fewer and holds(fewer, about):
                    kept = fewer
            made = Conflict(tuple(rule.id for rule in kept), about.id if about else "")
            if len(kept) > 1 and all(made.rules != other.rules for other in found):
                found.append(made)
    return Conflicts(tuple(found), left_out, "; ".join(reasons))


def _by_environment(rules: Sequence[Rule]) -> list[list[Rule]]:
    """The rules that one environment has together: those for all, with those for each."""
    names = sorted({name for rule in rules for name in rule.domains})
    everywhere = [rule for rule in rules if not rule.domains]
    return [[rule for rule in rules if rule.speaks_of(name)] for name in names] or [everywhere]


def _starts(rule: Rule) -> list[p.Predicate]:
    assert rule.formal is not None
    return [obligation.when for obligation in rule.formal.obligations if obligation.when is not None]


def _joint(rules: Sequence[Rule]) -> Rule:
    """One rule that is kept where all are."""
    formals = [rule.formal for rule in rules if rule.formal is not None]
    if any(formal.over != formals[0].over for formal in formals):
        formals = [over_all(formal) for formal in formals]
    predicates: list[p.Predicate] = []
    obligations: list[Obligation] = []
    for formal in formals:
        offset = len(predicates)
        predicates += formal.predicates
        obligations += [
            Obligation(o.when, renumbered(o.require, lambda atom, offset=offset: offset + atom))  # type: ignore[misc]
            for o in formal.obligations
        ]
    formal = Formal(tuple(predicates), tuple(obligations), {}, formals[0].over, formals[0].pairing)
    return replace(rules[0], id="all", domains=(), formal=formal)


def _only(joint: Rule, obligations: Sequence[tuple[p.Predicate | None, f.Formula]]) -> Rule:
    """A rule over the same events with these obligations alone."""
    assert joint.formal is not None
    made = tuple(Obligation(when, require) for when, require in obligations)
    return replace(joint, id="none", formal=replace(joint.formal, obligations=made))
