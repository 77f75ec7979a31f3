"""Whether a conversation ends with the database as it should be, decided by replaying its calls.

What should hold is predicted by an extractor, or follows from the reference actions of the task, which are
replayed on the same model. Where the model of the environment does not predict every recorded result, the
replay is not believed and nothing is evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from truespec.compliance.evaluators.contract import Spec, TaskSpec
from truespec.rules.finding import QUOTE, Finding, Status, Violation
from truespec.rules.rule import Rule
from truespec.traces.trace import Trace
from truespec.worlds.registry import Worlds
from truespec.worlds.replay import Change, Path, Replay, differences, equal, outcome, replay
from truespec.worlds.world import State, Tables, World

NAMED = 4
"""Values that an item names."""
RECORDS = "final_state/records"
"""The item that the records which should change do."""
OTHERS = "final_state/nothing_else"
"""The item that no other record changes."""


@dataclass(frozen=True)
class FinalStates:
    """How final states are checked."""

    worlds: Worlds
    """The models and databases at hand."""
    reference: bool = False
    """Whether the reference actions of a task say what should hold where nothing was predicted."""

    def findings(self, trace: Trace, task: TaskSpec | None = None) -> list[Finding]:
        """What the replay of a trace says about its final state; none where there is nothing to decide."""
        predicted = task.final_state if task is not None else None
        if not (self.reference or predicted):
            return []  # a database of megabytes is read where it is asked for
        found = self.worlds.of(trace)
        if found is None:
            return []
        if isinstance(found, str):
            return [_skipped(found)] if self.reference else []
        world, tables = found
        if predicted:
            facts = _resolved(world, predicted)
            return _facts(facts, replay(world, tables, trace), trace, tables) if facts else []
        expected = _reference(world, tables, trace)
        if isinstance(expected, str):
            return [_skipped(expected)]
        return _compared(expected, replay(world, tables, trace), trace)

    def without(self, spec: Spec, findings: list[Finding]) -> Spec:
        """What is left for a judge once the replay has decided."""
        if not findings or spec.task.final_state is None:
            return spec
        decided = {finding.rule.id for finding in findings if finding.status != Status.NOT_EVALUATED}
        left = {path: value for path, value in spec.task.final_state.items() if _item(path) not in decided}
        return replace(spec, task=replace(spec.task, final_state=left or None))


def _item(path: str) -> str:
    return f"final_state/{path}"


def _rule(name: str, text: str, severity: str = "high") -> Rule:
    return Rule(name, text, "final_state", severity, kind="deterministic", violation="wrong_final_state")


def _skipped(why: str) -> Finding:
    rule = _rule(RECORDS, "The records that the reference actions change end as they leave them.")
    return Finding(rule, Status.NOT_EVALUATED, reason=why)


def _reference(world: World, tables: Tables, trace: Trace) -> State | str:
    """The database that the task's reference actions leave, or why it is not known."""
    task = trace.task or {}
    criteria = task.get("evaluation_criteria")
    actions = criteria.get("actions") if isinstance(criteria, Mapping) else None
    if not isinstance(actions, list):
        return "the task has no reference actions"
    if task.get("initial_state"):
        return "the task changes the database before the conversation, which the replay does not do"
    calls = []
    for number, action in enumerate(actions, 1):
        if not isinstance(action, Mapping) or not isinstance(action.get("name"), str):
            return f"reference action {number} has no name"
        arguments = action.get("arguments")
        calls.append((action["name"], arguments if isinstance(arguments, Mapping) else {}))
    return outcome(world, tables, calls)


def _compared(expected: State, made: Replay, trace: Trace) -> list[Finding]:
    """Two findings: that the records which should change do, and that no other record does."""
    wanted = _by_record(differences(expected))
    changed: dict[tuple[str, str], dict[Path, Change]] = {}
    for path, change in made.changes.items():
        changed.setdefault((path[0], path[1]), {})[path] = change
    wrong: dict[tuple[str, str], list[Path]] = {}
    for place, facts in wanted.items():
        bad = [path for path, value in facts.items() if not _holds(made.state, path, value)]
        bad += [path for path in changed.get(place, {}) if path not in facts]
        if bad:
            wrong[place] = bad
    others = {place: found for place, found in changed.items() if place not in wanted}
    kept = _rule(RECORDS, _sentence("The records that the reference actions change end otherwise", wrong))
    free = _rule(OTHERS, _sentence("Other records of the database change", others), "critical")
    if not wrong or made.problem:
        kept = replace(kept, text="The records that the reference actions change end as they leave them.")
    if not others or made.problem:
        free = replace(free, text="No other record of the database changes.")
    free = replace(free, violation="unwanted_change")
    if made.problem:
        return [Finding(rule, Status.NOT_EVALUATED, reason=made.problem) for rule in (kept, free)]
    acts = [max((one.by for one in changed.get(place, {}).values()), default=None) for place in wrong]
    strays = sorted({one.by for found in others.values() for one in found.values()})
    return [
        _finding(kept, [_violation(kept, trace, by) for by in dict.fromkeys(acts)], len(wanted)),
        _finding(free, [_violation(free, trace, by) for by in strays], 1),
    ]


def _facts(
    facts: Mapping[str, tuple[Path, Any]], made: Replay, trace: Trace, tables: Tables
) -> list[Finding]:
    """One finding for each predicted fact."""
    findings = []
    for text, (path, value) in facts.items():
        rule = _rule(_item(text), f"{text} = {value!r}")
        wrong = not _holds(made.state, path, value)
        touching = [change.by for at, change in made.changes.items() if at[: len(path)] == path]
        record = [change.by for at, change in made.changes.items() if at[:2] == path[:2]]
        by = max(touching or record, default=None)
        if made.problem:
            findings.append(Finding(rule, Status.NOT_EVALUATED, reason=made.problem))
        else:
            findings.append(_finding(rule, [_violation(rule, trace, by)] if wrong else [], 1))
    return findings


def _finding(rule: Rule, violations: list[Violation], activations: int) -> Finding:
    status = Status.FAIL if violations else Status.PASS
    return Finding(rule, status, tuple(violations), activations=activations)


def _violation(rule: Rule, trace: Trace, by: tuple[int, int] | None) -> Violation:
    """A violation at the call that made it, or at the last message where something was never done."""
    if by is None:
        last = len(trace.messages) - 1
        quote = (trace.messages[last].text or "")[:QUOTE]
        return Violation(rule.id, rule.violation, last, quote, rule.severity, "none")
    index, number = by
    call = trace.messages[index].calls[number]
    said = f"{call.name}({json.dumps(call.arguments, ensure_ascii=False, default=str)})"
    quote = said if len(said) <= QUOTE else said[: QUOTE - 1] + "…"
    return Violation(rule.id, rule.violation, index, quote, rule.severity, "took_effect", call=number)


def _by_record(values: Mapping[Path, Any]) -> dict[tuple[str, str], dict[Path, Any]]:
    records: dict[tuple[str, str], dict[Path, Any]] = {}
    for path, value in sorted(values.items()):
        records.setdefault((path[0], path[1]), {})[path] = value
    return records


def _sentence(head: str, places: Mapping[tuple[str, str], Iterable[Path]]) -> str:
    """What is wrong, with the first values that show it."""
    said = [".".join(path) for paths in places.values() for path in sorted(paths)]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return f"{head}: {', '.join(said[:NAMED])}{more}."


def _resolved(world: World, facts: Mapping[str, Any]) -> dict[str, tuple[Path, Any]]:
    """The facts whose path begins with a table of the environment; the others are left to a judge."""
    made = {}
    for text, value in facts.items():
        path = tuple(text.split("."))
        if len(path) >= 2 and path[0] in world.tables:
            made[text] = (path, value)
    return made


def _holds(state: State, path: Path, value: Any) -> bool:
    """Whether a value stands at a path at the end; None holds where there is none."""
    found = [*_at(state, path)]
    if value is None:
        return not found
    # Extractors answer with texts; a number that reads alike is the same value.
    return any(equal(one, value) or json.dumps(one) == value for one in found)


def _at(state: State, path: Path) -> Iterator[Any]:
    """What stands at a path."""
    value: Any = state.get(path[0], path[1])
    for part in path[2:]:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return
    if value is not None:
        yield value
