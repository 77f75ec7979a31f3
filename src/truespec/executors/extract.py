"""Specifications out of prompts, tools and tasks by a model; every reply in the ledger.

Policy specifications are extracted once for each distinct prompt and set of tools, plans and final states
once for each trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from truespec.compliance.evaluators.answer import TRIES, again
from truespec.compliance.evaluators.ask import show
from truespec.compliance.evaluators.contract import Spec, TaskSpec
from truespec.executors.calls import run_calls
from truespec.executors.extract_checks import Checking
from truespec.extraction.arguments import argument_rules
from truespec.extraction.ask import (
    EXTRACTING,
    POLICY,
    ask_policy,
    ask_task,
    initial_state_of,
    source_key,
)
from truespec.extraction.measure import without_repeats
from truespec.extraction.plan import PlanStep, plan_rules
from truespec.extraction.read import (
    Dropped,
    Extracted,
    Extraction,
    Sources,
    read_plan,
    read_rules,
    read_state,
)
from truespec.models.call import Call, Settings
from truespec.models.contract import Model, ModelError
from truespec.rules.compare import Toolbox
from truespec.store.calls import CallLedger
from truespec.traces.trace import Trace

Key = TypeVar("Key")
Value = TypeVar("Value")
CALL_FAILED = "a call failed"
"""How the reason begins where a model did not answer; such an extraction is made again."""
CATEGORIES = (*POLICY, "argument", "plan", "final_state")
"""All that can be extracted."""


@dataclass(frozen=True)
class Policy:
    """The policy specifications of one prompt and set of tools."""

    key: str
    """What it was extracted from."""
    extraction: Extraction
    """Rules, routed, and what was dropped."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Categories that could not be extracted, and checks of rules that were not made since a call failed;
    with the reason."""


class Extractor:
    """Extracts, and keeps what it has extracted for this run; the ledger keeps the replies for the next."""

    def __init__(
        self,
        models: Mapping[str, Model],
        ledger: CallLedger,
        name: str,
        settings: Settings = EXTRACTING,
        concurrency: int = 8,
        budget: int = 120_000,
        categories: Sequence[str] = CATEGORIES,
        structured: bool = False,
        second: str = "",
    ) -> None:
        self.models = models
        self.ledger = ledger
        self.name = name
        self.settings = settings
        self.concurrency = concurrency
        self.budget = budget
        self.categories = tuple(categories)
        self.structured = structured
        self.second = second or name
        """The model that formalises each rule again; the extractor itself by default, by another prompt."""
        self.policies: dict[str, Policy] = {}
        """By what they were extracted from."""
        self.dropped: list[Dropped] = []
        """What was dropped from plans and final states."""

    def specs(self, traces: Sequence[Trace]) -> list[Spec]:
        """The specifications of each trace."""
        self.extract(traces)
        tasks = self._tasks(traces)
        made = []
        for trace, task in zip(traces, tasks, strict=True):
            policy = self.policies.get(source_key(trace))
            rules = tuple(one.rule for one in policy.extraction.rules) if policy else ()
            lost = {**(policy.lost if policy else {}), **task.lost}
            steps = plan_rules(task.plan) if task.plan else ()
            whole = TaskSpec(task.plan, task.initial_state, task.final_state, lost)
            made.append(Spec((*rules, *steps), whole))
        return made

    def extract(self, traces: Iterable[Trace]) -> None:
        """The policy specifications of traces whose prompt and tools are new."""
        new: dict[str, Trace] = {}
        for trace in traces:
            key = source_key(trace)
            if key not in self.policies:
                new.setdefault(key, trace)
        wanted = [category for category in POLICY if category in self.categories]
        asked = {
            (key, category): ask_policy(
                category, trace.system_prompt, trace.tools, self.name, self.settings, key, self.structured
            )
            for key, trace in new.items()
            if trace.system_prompt
            for category in wanted
        }
        sources = {key: Sources.of(trace) for key, trace in new.items()}
        found = self._ask(asked, lambda place, reply: read_rules(reply, place[1], sources[place[0]]))
        lost: dict[str, dict[str, str]] = {key: {} for key in new}
        read: dict[str, Extraction] = {}
        for key, trace in new.items():
            total = Extraction()
            for category in wanted:
                made = found.get((key, category), "the trace has no system prompt")
                if isinstance(made, str):
                    lost[key][category] = made
                else:
                    total += made
            read[key] = without_repeats(_named_apart(total), Toolbox(trace.tools))
        checking = Checking(self._ask, self.name, self.second, self.settings)
        checked = checking.check(read, {key: Toolbox(trace.tools) for key, trace in new.items()})
        for key, trace in new.items():
            total = checked[key]
            for one in total.rules:
                # The rule is there, for a judge; that its formal part was lost by a call is said.
                for check in one.checks:
                    if check.status == "not made" and check.detail.startswith(CALL_FAILED):
                        lost[key][f"{check.name} of {one.rule.id}"] = check.detail
            if "argument" in self.categories and trace.tools:
                total += Extraction(argument_rules(trace.tools))
            self.policies[key] = Policy(key, _named_apart(total), lost[key])

    def _tasks(self, traces: Sequence[Trace]) -> list[TaskSpec]:
        asked: dict[tuple[int, str], Call] = {}
        lost: list[dict[str, str]] = [{} for _ in traces]
        for number, trace in enumerate(traces):
            conversation = "\n".join(show(trace, index) for index in range(len(trace.messages)))
            for category in ("plan", "final_state"):
                if category not in self.categories:
                    continue
                if category == "final_state" and initial_state_of(trace) is None:
                    continue
                if not trace.system_prompt:
                    lost[number][category] = "the trace has no system prompt"
                    continue
                call = ask_task(category, trace, conversation, self.name, self.settings, self.structured)
                size = len(call.system) + len(call.prompt)
                if size > self.budget:
                    lost[number][category] = f"the question takes {size} characters of {self.budget}"
                    continue
                asked[number, category] = call

        def read(place: tuple[int, str], reply: str) -> tuple[Any, tuple[Dropped, ...]] | str:
            trace = traces[place[0]]
            return read_plan(reply, trace) if place[1] == "plan" else read_state(reply, trace)

        found = self._ask(asked, read)
        made = []
        for number, trace in enumerate(traces):
            parts: dict[str, Any] = {}
            for category in ("plan", "final_state"):
                value = found.get((number, category))
                if isinstance(value, str):
                    lost[number][category] = value
                elif value is not None:
                    parts[category] = value[0]
                    self.dropped += value[1]
            plan: tuple[PlanStep, ...] | None = parts.get("plan")
            made.append(TaskSpec(plan, initial_state_of(trace), parts.get("final_state"), lost[number]))
        return made

    def _ask(
        self, asked: Mapping[Key, Call], read: Callable[[Key, str], Value | str]
    ) -> dict[Key, Value | str]:
        """What was read of each reply; a text says why nothing was."""
        found: dict[Key, Value | str] = {}
        waiting: dict[Call, list[tuple[Key, int]]] = {}
        for place, call in asked.items():
            waiting.setdefault(call, []).append((place, 0))
        while waiting:
            following: dict[Call, list[tuple[Key, int]]] = {}
            for call, reply in run_calls(
                list(waiting), self.models, self.ledger, concurrency=self.concurrency
            ):
                for place, attempt in waiting[call]:
                    if isinstance(reply, ModelError):
                        found[place] = f"{CALL_FAILED}: {reply}"
                        continue
                    value = read(place, reply.text)
                    if isinstance(value, str) and attempt + 1 < TRIES:
                        once_more = again(asked[place], reply.text, [value], attempt + 1)
                        following.setdefault(once_more, []).append((place, attempt + 1))
                    else:
                        found[place] = value
            waiting = following
        return found


def _named_apart(extraction: Extraction) -> Extraction:
    """The same with names that are unique over all categories."""
    seen: set[str] = set()
    rules: list[Extracted] = []
    for one in extraction.rules:
        name, number = one.rule.id, 2
        while name in seen:
            name, number = f"{one.rule.id}-{number}", number + 1
        seen.add(name)
        rules.append(replace(one, rule=replace(one.rule, id=name)) if name != one.rule.id else one)
    return replace(extraction, rules=tuple(rules))
