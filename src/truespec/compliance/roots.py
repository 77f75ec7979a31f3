"""Which violations are one act, and which follow from an earlier one.

Rules overlap: what one act breaks is often counted by several of them, and one mistake drags others behind
it (section 5.5 of the paper). `rooted` ties violations together within one evaluator, where the paper's score
would count them twice; `causal` does so across all evaluators, and gives a second score beside the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from truespec.compliance.evaluators.registry import EVALUATORS
from truespec.compliance.scoring import DEFAULT, Result, Scoring, aggregate
from truespec.rules.compare import ANY_TOOLS, Toolbox, included
from truespec.rules.finding import Finding, Status, Violation
from truespec.rules.rule import CATEGORIES, SEVERITIES, Rule
from truespec.solvers.limit import Limit
from truespec.traces.trace import Trace

Place = tuple[int, int | None]
"""A message, and the call in it that is meant."""
Overlaps = Callable[[str, str], str]
"""How two rules overlap by proof, in words, or an empty text; takes their ids."""

SECONDS = 1.0
"""The limit for the proof about one pair of rules."""
BUDGET_SECONDS = 20.0
"""The limit for all proofs of a run; what is not proved by then counts as no overlap."""


class ProvedOverlaps:
    """Overlaps of the rules of a run, proved when they are first asked for."""

    def __init__(self, rules: Iterable[Rule], toolbox: Toolbox = ANY_TOOLS) -> None:
        self._rules: dict[str, Rule] = {}
        self._known: dict[tuple[str, str], str] = {}
        self._kept: dict[str, set[str]] = {}
        """For each rule, others that a trace has kept which broke it: these do not imply it."""
        self.add(rules)
        self._toolbox = toolbox
        self._limit: Limit | None = None

    def add(self, rules: Iterable[Rule]) -> None:
        """Let further rules be asked about. A name that stands for another rule from now on is forgotten."""
        for rule in rules:
            if rule.formal is not None and self._rules.get(rule.id) is not rule:
                if rule.id in self._rules:
                    self._known = {pair: why for pair, why in self._known.items() if rule.id not in pair}
                    self._kept = {}
                self._rules[rule.id] = rule

    def see(self, findings: Iterable[Finding]) -> None:
        """Note which implications a trace refutes: no proof of these is looked for."""
        kept, broken = set(), []
        for finding in findings:
            if finding.status is Status.FAIL:
                broken.append(finding.rule.id)
            elif finding.status is Status.PASS and not finding.notes:
                kept.add(finding.rule.id)
        for name in broken:
            self._kept.setdefault(name, set()).update(kept)

    def __call__(self, left: str, right: str) -> str:
        """`proved equal`, `LEFT implies RIGHT`, or nothing where neither is proved."""
        pair = (left, right) if left < right else (right, left)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._prove(*pair)
        return known

    def _prove(self, left: str, right: str) -> str:
        one, two = self._rules.get(left), self._rules.get(right)
        if one is None or two is None:
            return ""
        self._limit = self._limit or Limit.start(BUDGET_SECONDS)
        implies = []
        for first, second in ((one, two), (two, one)):
            if first.id in self._kept.get(second.id, ()):
                continue
            rest = BUDGET_SECONDS - self._limit.elapsed()
            if rest <= 0:
                break
            # Both were evaluated on the trace that is asked about, so it does not matter where else they are.
            here, there = replace(first, domains=()), replace(second, domains=())
            if included(here, there, self._toolbox, min(SECONDS, rest), replays=False).holds:
                implies.append(f"{first.id} implies {second.id}")
        return "proved equal" if len(implies) == 2 else implies[0] if implies else ""


def no_overlaps(left: str, right: str) -> str:
    """No proof is looked for."""
    return ""


def act_of(violation: Violation, trace: Trace | None) -> Place:
    """The act that a violation is about: a call, which its result stands for too, or a message."""
    if violation.call is None and trace is not None:
        origin = trace.origins.get(violation.message_index)
        if origin is not None:
            return origin
    return (violation.message_index, violation.call)


def rooted(findings: Sequence[Finding], trace: Trace | None = None) -> list[Finding]:
    """Findings whose violations name, as `root`, the one of the same evaluator that they follow from.

    Of several readings of one rule, the later follow from the first that is broken; a failed call follows
    from its wrong arguments; the same call made again in breach of the same rule follows from the first.
    """
    order = sorted(range(len(findings)), key=lambda i: (findings[i].rule.force != "mandatory", i))
    leaders: dict[tuple[object, ...], str] = {}
    made: list[Finding] = list(findings)
    for index in order:
        finding = findings[index]
        if not finding.violations:
            continue
        rule = finding.rule
        family = rule.id.split("-")[0] if rule.reading else ""
        kept = []
        for v in finding.violations:
            place = act_of(v, trace)
            keys: list[tuple[object, ...]] = []
            if family:
                keys.append(("reading", family, v.message_index, v.call))
            if rule.category == "argument" and place[1] is not None:
                keys.append(("argument", *place))
            if v.call is not None and (again := _call(trace, place)):
                keys.append(("again", rule.id, again, v.effect))
            root = next((leaders[key] for key in keys if leaders.get(key, v.name) != v.name), None)
            for key in keys:
                leaders.setdefault(key, root or v.name)
            kept.append(replace(v, root=root) if root else v)
        made[index] = finding.with_violations(tuple(kept))
    return made


def _call(trace: Trace | None, place: Place) -> str:
    """A call's tool and arguments as one text; empty where there is no trace."""
    if trace is None or place[1] is None:
        return ""
    call = trace.messages[place[0]].calls[place[1]]
    given = call.raw if call.arguments is None else json.dumps(call.arguments, sort_keys=True, default=str)
    return f"{call.name}({given})"


def _arguments(trace: Trace, place: Place) -> object:
    assert place[1] is not None
    return trace.messages[place[0]].calls[place[1]].arguments


def _values(value: object) -> list[str]:
    """The texts in a value that are long enough to be repeated elsewhere."""
    if isinstance(value, str):
        return [value] if len(value) >= 4 and any(c.isdigit() for c in value) else []
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _values(item)]


@dataclass(frozen=True, slots=True)
class Group:
    """Violations that are one act, or follow from it; the first is the root."""

    members: tuple[tuple[str, Violation], ...]
    """Each with its evaluator, in the order of messages."""
    reasons: tuple[str, ...]
    """Why they belong together."""

    @property
    def root(self) -> Violation:
        """Where it began."""
        return self.members[0][1]


def grouped(
    results: Sequence[Result],
    binding: Callable[[Violation], bool],
    trace: Trace | None = None,
    overlaps: Overlaps = no_overlaps,
) -> list[Group]:
    """The violations of mandatory rules, collapsed to their roots."""
    found = [(r.evaluator, v) for r in results for v in r.violations if binding(v)]
    # At one place what follows from nothing comes first, and of that the worst.
    found.sort(
        key=lambda pair: (
            act_of(pair[1], trace)[0],
            pair[1].root is not None,
            -SEVERITIES.index(pair[1].severity),
        )
    )
    parent = list(range(len(found)))
    reasons: dict[int, list[str]] = {}

    def top(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    def join(i: int, j: int, why: str) -> None:
        one, two = sorted((top(i), top(j)))
        if one != two:
            parent[two] = one
            reasons.setdefault(one, []).extend([*reasons.pop(two, []), why])

    acts = [act_of(v, trace) for _, v in found]
    by_act: dict[Place, int] = {}
    by_name: dict[str, int] = {}
    by_message: dict[int, list[int]] = {}
    invented: list[tuple[int, str]] = []
    for i, (evaluator, v) in enumerate(found):
        by_name.setdefault(v.name, i)
        if acts[i][1] is not None:
            first = by_act.setdefault(acts[i], i)
            if found[first][1].rule_id != v.rule_id:
                join(first, i, f"{found[first][1].rule_id} and {v.rule_id}: the same call")
        for j in by_message.get(acts[i][0], ()):
            other = found[j][1]
            if top(i) == top(j) or other.rule_id == v.rule_id:
                continue
            if v.call is None and other.call is None and v.kind == other.kind and v.kind not in CATEGORIES:
                join(j, i, f"{other.rule_id} and {v.rule_id}: {v.kind} at the same message")
            elif why := overlaps(other.rule_id, v.rule_id):
                join(j, i, why if "implies" in why else f"{other.rule_id} and {v.rule_id}: {why}")
        by_message.setdefault(acts[i][0], []).append(i)
        if invented and acts[i][1] is not None:
            call = _call(trace, acts[i])
            for j, value in invented:
                if acts[j] != acts[i] and value in call:
                    join(j, i, f"{v.rule_id}: uses {value!r}, which {found[j][1].rule_id} found invented")
        if evaluator == "argument_groundedness" and trace is not None and acts[i][1] is not None:
            invented += [(i, value) for value in _values(_arguments(trace, acts[i])) if value in v.quote]
    for i, (_, v) in enumerate(found):
        if v.root is not None and v.root in by_name:
            join(by_name[v.root], i, f"{v.rule_id}: follows from {v.root}")
    members: dict[int, list[tuple[str, Violation]]] = {}
    for i, pair in enumerate(found):
        members.setdefault(top(i), []).append(pair)
    return [Group(tuple(group), tuple(dict.fromkeys(reasons.get(i, ())))) for i, group in members.items()]


def causal(
    results: Sequence[Result],
    rules: Mapping[str, Rule],
    trace: Trace | None = None,
    overlaps: Overlaps = no_overlaps,
    scoring: Scoring = DEFAULT,
) -> dict[str, Any]:
    """The score in which each root is charged once, where it weighs most, and what makes the difference.

    `rules` are the rules by id. Of a judge's deduction, that share stays which its violations have that are
    still charged to its evaluator. No score is lower than the one beside it.
    """

    def binds(v: Violation) -> bool:
        return v.rule_id not in rules or rules[v.rule_id].force == "mandatory"

    def by_judge(v: Violation) -> bool:
        return v.rule_id not in rules or rules[v.rule_id].formal is None

    groups = grouped(results, binds, trace, overlaps)
    weights = {result.evaluator: result.weight for result in results}
    charged: dict[str, list[Violation]] = {result.evaluator: [] for result in results}
    for group in groups:
        roots = [pair for pair in group.members if pair[1].root is None] or list(group.members)
        name, dearest = max(roots, key=lambda pair: (scoring.cost(pair[1]), weights[pair[0]]))
        charged[name].append(dearest)
    rescored = []
    for result in results:
        if result.score is None:
            rescored.append(result)
            continue
        mine = charged[result.evaluator]
        cost = sum(scoring.cost(v) for v in mine if not by_judge(v))
        mentioned = sum(scoring.cost(v) for v in result.violations if by_judge(v) and binds(v))
        share = sum(scoring.cost(v) for v in mine if by_judge(v)) / mentioned if mentioned else 1.0
        if EVALUATORS[result.evaluator].all_or_nothing:
            score = 100.0 if result.violations and not mine else result.score
        else:
            score = max(result.score, 100.0 - (100.0 - result.judged) * min(1.0, share) - cost)
        rescored.append(replace(result, score=round(score, 3)))
    total = aggregate(rescored)
    count = sum(len(group.members) for group in groups)
    collapsed = [group for group in groups if len(group.members) > 1]
    return {
        "score": total["score"],
        "partial": total["partial"],
        "cap": total["cap"],
        "scores": {r.evaluator: r.score for r in rescored if r.score is not None},
        "violations": count,
        "roots": len(groups),
        "collapsed": [
            {
                "root": group.root.name,
                "members": [{"evaluator": name, "violation": v.name} for name, v in group.members],
                "why": list(group.reasons),
            }
            for group in collapsed
        ],
        "difference": _difference(aggregate(results), total, count, len(groups)),
    }


def _difference(before: Mapping[str, Any], after: Mapping[str, Any], count: int, roots: int) -> str:
    """Why the two scores differ, in a sentence."""
    if before["cap"] is None and not before["included"]:
        return "nothing was evaluated"
    old = before["score"] if before["score"] is not None else before["partial"]
    new = after["score"] if after["score"] is not None else after["partial"]
    if count == roots:
        return "none: no two violations are one act"
    said = f"{count} violations are {roots} act{'' if roots == 1 else 's'}"
    if old == new:
        return f"none: {said}, and the score is bounded all the same"
    cap = f", bounded by {after['cap']}" if after["cap"] else ", bounded by nothing"
    return f"{new - old:+g}: {said}; each act is charged once{cap}"
