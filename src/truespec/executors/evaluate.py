"""Traces judged by models: monitors first, then each evaluator's questions, all calls in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from truespec.compliance.artifact import artifact
from truespec.compliance.evaluators.answer import TRIES, Answer, Judged, again, judged, read_answer
from truespec.compliance.evaluators.ask import BUDGET, JUDGING, Question, questions
from truespec.compliance.evaluators.contract import Evaluator, Spec, Subject
from truespec.compliance.evaluators.registry import BY_CATEGORY, EVALUATORS
from truespec.compliance.final_state import FinalStates
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.run import key_of
from truespec.compliance.scoring import DEFAULT, Scoring
from truespec.executors.calls import run_calls
from truespec.executors.extract import CALL_FAILED
from truespec.models.call import Call, Reply, Settings
from truespec.models.contract import Model, ModelError
from truespec.rules.monitor import NEEDS_JUDGE, RuleSet
from truespec.rules.rule import Rule
from truespec.store.calls import CallLedger
from truespec.traces.files import Problem
from truespec.traces.trace import Trace

CHUNK = 16
"""Traces that are judged at once; their calls run side by side."""


@dataclass(frozen=True)
class Judging:
    """Who judges, what, and how."""

    models: Mapping[str, Model]
    """The models at hand, by name."""
    ledger: CallLedger
    """Where replies are kept."""
    judge: str
    """The judge's name."""
    evaluators: tuple[Evaluator, ...] = tuple(EVALUATORS.values())
    """Which evaluators ask."""
    settings: Settings = JUDGING
    """How they ask."""
    budget: int = BUDGET
    """Characters of a call's prompt."""
    concurrency: int = 8
    """Calls at once."""
    structured: bool = False
    """Whether servers are asked to hold replies to a JSON Schema."""
    hide: Callable[[Trace], Trace] = lambda trace: trace
    """What models see of a trace: the trace itself, or one in which values are hidden."""
    specs: Callable[[Sequence[Trace]], list[Spec]] = lambda traces: [Spec() for _ in traces]
    """What was extracted for each of some traces."""


@dataclass
class Spent:
    """What calls took."""

    calls: int = 0
    """How many replies were read."""
    failed: int = 0
    """Calls without a reply."""
    input_tokens: int = 0
    """Tokens read, where the provider says."""
    output_tokens: int = 0
    """Tokens written, where the provider says."""
    cost: float | None = None
    """US dollars; None where the provider does not say."""
    seconds: float = 0.0
    """Wall time of the calls, one after the other."""

    def __iadd__(self, other: Spent) -> Spent:
        self.calls += other.calls
        self.failed += other.failed
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.seconds += other.seconds
        if other.cost is not None:
            self.cost = (self.cost or 0.0) + other.cost
        return self

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.calls += 1
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        self.seconds += reply.seconds
        if reply.cost is not None:
            self.cost = (self.cost or 0.0) + reply.cost

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "calls": self.calls,
            "failed": self.failed,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "usd": self.cost,
            "seconds": round(self.seconds, 3),
        }


def ask_all(
    subjects: Sequence[Subject], judging: Judging, scoring: Scoring = DEFAULT
) -> list[tuple[dict[str, Judged], Spent]]:
    """For each subject, what each evaluator's judge found and what it took.

    An answer that cites what is not there is sent back with the reasons, twice at most.
    """
    found: list[tuple[dict[str, Judged], Spent]] = [({}, Spent()) for _ in subjects]
    asked: dict[tuple[int, str], list[Question]] = {}
    answers: dict[tuple[int, str, int], Answer | str] = {}
    waiting: dict[Call, list[tuple[int, str, int, int]]] = {}
    for number, subject in enumerate(subjects):
        for category, why in subject.task.lost.items():
            name = BY_CATEGORY[category].name
            found[number][0][name] = judged(name, (), [f"not extracted: {why}"], scoring)
            found[number][1].failed += why.startswith(CALL_FAILED)
        for evaluator in judging.evaluators:
            made = questions(
                evaluator, subject, judging.judge, judging.settings, judging.budget, judging.structured
            )
            if isinstance(made, str):
                found[number][0][evaluator.name] = judged(
                    evaluator.name, evaluator.items(subject), [made], scoring
                )
            elif made:
                asked[number, evaluator.name] = made
                for part, question in enumerate(made):
                    waiting.setdefault(question.call, []).append((number, evaluator.name, part, 0))
    while waiting:
        following: dict[Call, list[tuple[int, str, int, int]]] = {}
        done = run_calls(list(waiting), judging.models, judging.ledger, concurrency=judging.concurrency)
        for call, reply in done:
            for number, name, part, attempt in waiting[call]:
                spent = found[number][1]
                place = (number, name, part)
                if isinstance(reply, ModelError):
                    spent.failed += 1
                    answers[place] = f"{CALL_FAILED}: {reply}"
                    continue
                spent.add(reply)
                read = read_answer(reply.text, asked[number, name][part], subjects[number].trace)
                if isinstance(read, Answer):
                    answers[place] = read
                elif attempt + 1 < TRIES:
                    once_more = again(asked[number, name][part].call, reply.text, read, attempt + 1)
                    following.setdefault(once_more, []).append((number, name, part, attempt + 1))
                else:
                    answers[place] = f"no acceptable answer in {TRIES} tries: {'; '.join(read)}"[:500]
        waiting = following
    for (number, name), made in asked.items():
        read_all = [answers[number, name, part] for part in range(len(made))]
        found[number][0][name] = judged(name, made[0].items, read_all, scoring)
    return found


def ask_each(asked: Sequence[tuple[Subject, str]], judging: Judging, total: Spent) -> list[Judged | None]:
    """What one evaluator's judge found in each subject; None where there was nothing to ask.

    What it took is added to the total.
    """
    made: list[Judged | None] = [None] * len(asked)
    for name in dict.fromkeys(name for _, name in asked):
        places = [place for place, (_, other) in enumerate(asked) if other == name]
        found = ask_all([asked[p][0] for p in places], replace(judging, evaluators=(EVALUATORS[name],)))
        for place, (results, spent) in zip(places, found, strict=True):
            made[place] = results.get(name)
            total += spent
    return made


def check_judged(
    stream: Iterable[Trace | Problem],
    rules: RuleSet,
    key: str,
    judging: Judging,
    done: Mapping[str, Mapping[str, Any]] | None = None,
    report: Callable[[Problem], None] | None = None,
    scoring: Scoring = DEFAULT,
    states: FinalStates | None = None,
) -> Iterator[tuple[dict[str, Any], bool]]:
    """The artifact of each trace, and whether it is new; artifacts with failed calls are made again.

    What `states` decides by replaying a trace is not asked of a judge.
    """
    overlaps = ProvedOverlaps(rules.rules)
    compiled: dict[tuple[str, ...], RuleSet] = {}
    source = iter(stream)
    while chunk := list(islice(source, CHUNK)):
        for item in chunk:
            if isinstance(item, Problem) and report is not None:
                report(item)
        traces = [item for item in chunk if isinstance(item, Trace)]
        keys = [key_of({"sha256": t.source.sha256, "position": t.source.position}, key) for t in traces]
        known = [(done or {}).get(mine) for mine in keys]
        fresh = [
            number
            for number, record in enumerate(known)
            if record is None or record.get("judged", {}).get("failed")
        ]
        new = _judge(
            [traces[number] for number in fresh], rules, judging, scoring, compiled, overlaps, states
        )
        made = dict(zip(fresh, new, strict=True))
        for number, mine in enumerate(keys):
            record = made.get(number)
            if record is None:
                yield dict(known[number] or {}), False
                continue
            record["key"] = mine
            yield record, True


def _judge(
    traces: Sequence[Trace],
    rules: RuleSet,
    judging: Judging,
    scoring: Scoring,
    compiled: dict[tuple[str, ...], RuleSet],
    overlaps: ProvedOverlaps,
    states: FinalStates | None,
) -> list[dict[str, Any]]:
    if not traces:
        return []
    shown = [judging.hide(trace) for trace in traces]
    specs = judging.specs(shown)
    replayed = [states.findings(t, s.task) if states else [] for t, s in zip(traces, specs, strict=True)]
    if states:
        specs = [states.without(spec, found) for spec, found in zip(specs, replayed, strict=True)]
    subjects, sets = [], []
    for trace, spec in zip(shown, specs, strict=True):
        if not spec.rules:
            mine = rules
        else:
            names = tuple(f"{rule.id}:{rule.text}:{rule.formal!r}" for rule in spec.rules)
            mine = compiled.get(names) or RuleSet(_apart(rules.rules, spec.rules))
            if spec.task.plan is None:
                compiled[names] = mine
        overlaps.add(mine.rules)
        sets.append(mine)
        semantic = tuple(
            rule
            for index, rule in enumerate(mine.rules)
            if rule.formal is None and mine.why_not(index, trace) == NEEDS_JUDGE
        )
        monitored = frozenset(rule.category for rule in mine.rules if rule.formal is not None)
        subjects.append(Subject(trace, semantic, monitored, spec.task))
    made = []
    asked = ask_all(subjects, judging, scoring)
    for trace, (found, spent), mine, states_found in zip(traces, asked, sets, replayed, strict=True):
        record = artifact(trace, [*mine.check(trace), *states_found], scoring, overlaps, found)
        record["judged"] = {"model": judging.judge, **spent.record()}
        made.append(record)
    return made


def _apart(given: Sequence[Rule], extra: Sequence[Rule]) -> list[Rule]:
    """Both sets; where names clash, the extracted rule gets another."""
    taken = {rule.id for rule in given}
    return [*given, *(replace(r, id=f"{r.id}-extracted") if r.id in taken else r for r in extra)]
