"""Known violations for judges of traces: faulty traces beside clean twins, with the rule that is broken.

A judge sees all rules of a category at once, as it does in use. A fault counts as found where the judge names
a violation in the faulty trace that it does not name in the clean twin; finding it again in both is no merit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from truespec.compliance.difference import by_rules
from truespec.compliance.evaluators.argument_groundedness import GROUNDED
from truespec.compliance.evaluators.argument_spec import MEANT
from truespec.compliance.evaluators.contract import Evaluator, Subject, TaskSpec
from truespec.compliance.evaluators.registry import EVALUATORS
from truespec.extraction.plan import PlanStep
from truespec.faults.fault import Fault
from truespec.faults.registry import KINDS, NEEDS_A_JUDGE, inject
from truespec.rules.language import load_rules
from truespec.rules.monitor import RuleSet, Violation
from truespec.rules.packs import all_packs
from truespec.rules.rule import Rule
from truespec.traces.trace import Trace

_EVALUATORS = {
    "corrupt_argument": "argument_spec",
    "invent_argument": "argument_groundedness",
    "skip_step": "predicted_plan",
}
_TRANSITIONS = frozenset(("drop_confirmation", "skip_authentication", "swap_order", "repeat_call"))
"""Where the rule is that a kind of fault breaks; all others are about what the agent says."""
"""Kinds of faults that belong to no rule of the file."""


def evaluator_of(kind: str) -> str:
    """The evaluator that is asked about a kind of fault."""
    if kind in _EVALUATORS:
        return _EVALUATORS[kind]
    return "transition_spec" if kind in _TRANSITIONS else "output_spec"


@cache
def calibration_rules() -> tuple[Rule, ...]:
    """The rules that judges are calibrated on, beside the standing ones of their evaluators."""
    text = files(__package__).joinpath("calibration.yml").read_text("utf-8")
    return load_rules(text, "calibration.yml")


@dataclass(frozen=True, slots=True)
class Trial:
    """One fault as a question to a judge, twice."""

    fault: Fault
    """The fault."""
    evaluator: Evaluator
    """Who asks."""
    clean: Subject
    """The clean twin."""
    faulty: Subject
    """The faulty one."""
    ids: frozenset[str]
    """The items that the fault breaks."""
    sure: bool
    """Whether a monitor vouches for the clean twin; else it is taken to be clean."""


def trials(
    traces: Iterable[Trace], kinds: Sequence[str] = tuple(KINDS), seed: int = 0, most: int = 20
) -> Iterator[Trial]:
    """Trials on faults of all kinds, at most so many of a kind and domain.

    A trace that breaks the fault's rule already, as monitors see it, is passed over.
    """
    check = by_rules(RuleSet(all_packs()))
    made: dict[tuple[str, str | None], int] = {}
    for trace in traces:
        open_kinds = [kind for kind in kinds if made.get((kind, trace.domain), 0) < most]
        if not open_kinds:
            continue
        known = {v.kind for v in check(trace)}
        for kind in open_kinds:
            fault = inject(kind, trace, seed)
            if fault is None or fault.breaks & known:
                continue
            made[kind, trace.domain] = made.get((kind, trace.domain), 0) + 1
            yield _trial(fault)


def _trial(fault: Fault) -> Trial:
    sure = fault.kind not in NEEDS_A_JUDGE
    if fault.kind == "skip_step":
        task = TaskSpec(plan=_plan(fault.clean))
        evaluator = EVALUATORS["predicted_plan"]
        ids = frozenset(rule.id for rule in evaluator.items(Subject(fault.clean, task=task)))
        return Trial(
            fault, evaluator, Subject(fault.clean, task=task), Subject(fault.faulty, task=task), ids, sure
        )
    own = [rule for rule in calibration_rules() if rule.violation in fault.breaks]
    rules: tuple[Rule, ...]
    if fault.kind in _EVALUATORS:
        evaluator = EVALUATORS[_EVALUATORS[fault.kind]]
        rules = (MEANT,) if evaluator.category == "argument" else (GROUNDED,)
        ids = frozenset(rule.id for rule in rules)
    else:
        evaluator = EVALUATORS[evaluator_of(fault.kind)]
        rules = tuple(rule for rule in calibration_rules() if rule.category == evaluator.category)
        ids = frozenset(rule.id for rule in own)
    return Trial(fault, evaluator, Subject(fault.clean, rules), Subject(fault.faulty, rules), ids, sure)


def _plan(trace: Trace) -> tuple[PlanStep, ...]:
    """The changes that a trace made, as a plan."""
    return tuple(
        PlanStep(
            call.name,
            dict(call.arguments or {}),
            f"Call {call.name} with {dict(call.arguments or {})}.",
            changes=True,
        )
        for index, message in enumerate(trace.messages)
        for number, call in enumerate(message.calls)
        if trace.kinds.get(call.name) == "write"
        and (answer := trace.results.get((index, number))) is not None
        and not trace.messages[answer].failed
    )


def new_violations(trial: Trial, before: Sequence[Violation], after: Sequence[Violation]) -> list[Violation]:
    """What a judge finds of the broken items in the faulty trace and not at that message of the clean one."""
    known = {(v.rule_id, v.message_index) for v in before}
    origin = trial.fault.origin
    return [v for v in after if v.rule_id in trial.ids and (v.rule_id, origin[v.message_index]) not in known]
