"""Labelled candidates for studies of judges: oracles changed, the verifiers supplying the labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from truespec.benchmark.task import Task
from truespec.domains.registry import load
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, verifiers
from truespec.models.call import Reply, Settings
from truespec.store.runs import Config, Run
from truespec.verdict import Answer, TruespecError, Verdict

GENERATED = "generated"
"""Who wrote the candidates, in the records of a run."""

LABELS = (Answer.EQUIVALENT, Answer.REFUTED)
"""What a labelled candidate is; whatever the verifier does not decide is thrown away and counted."""
FIRST = 24
"""How many mutants and rewritings of one text are considered; long oracles have thousands."""
CHUNK = 64
"""How many proposals are verified at most before the quotas are looked at again."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text made from an oracle; what it means is not known yet."""

    task: Task
    """The task whose oracle it was made from."""
    text: str
    """The candidate."""
    made: str
    """How: `rewriting`, `mutant`, `rewritten twice`, `mutant of a rewriting`, `rewriting of a mutant`."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A proposal that the verifier decided."""

    proposal: Proposal
    """The candidate."""
    verdict: Verdict
    """Its label, with the proof or the counterexample."""


@dataclass
class Tally:
    """What became of the proposals, by domain."""

    proposed: Counter[str] = field(default_factory=Counter)
    """Proposals that were verified."""
    answers: Counter[tuple[str, Answer]] = field(default_factory=Counter)
    """Verdicts by domain and answer."""
    barren: dict[str, str] = field(default_factory=dict)
    """Tasks from which nothing can be made, and why."""


def proposals(task: Task, seed: int) -> Iterator[Proposal]:
    """Texts made from a task's oracle, each once and none of them the oracle, in an order fixed by the seed.

    Changes that keep the meaning and changes that seldom do are mixed; mutants are also dressed up by a
    rewriting, so that a wrong candidate need not look like the oracle with one token changed.
    """
    domain, chance = load(task.domain), random.Random(f"{seed}/{task.id}")

    def some(texts: Iterator[str], most: int = FIRST) -> list[str]:
        found = list(islice(texts, 10 * most))
        return chance.sample(found, min(most, len(found)))

    def then(texts: Sequence[str], change: Callable[[str, Any], Iterator[str]]) -> list[str]:
        found = []
        for text in texts[:4]:
            try:
                found += some(change(text, task.context), 3)
            except TruespecError:
                continue  # the changed text left the part of the language that can be changed again
        return found

    same = some(domain.rewritings(task.oracle, task.context))
    other = some(domain.mutants(task.oracle, task.context))
    kinds = {
        "rewriting": same,
        "mutant": other,
        "rewritten twice": then(same, domain.rewritings),
        "mutant of a rewriting": then(same, domain.mutants),
        "rewriting of a mutant": then(other, domain.rewritings),
    }
    every = [(made, text) for made, texts in kinds.items() for text in texts]
    chance.shuffle(every)
    seen = {task.oracle}
    for made, text in every:
        if text not in seen:
            seen.add(text)
            yield Proposal(task, text, made)


def labelled(
    tasks: Sequence[Task],
    count: int,
    *,
    seed: int,
    timeout: float,
    jobs: int,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> tuple[list[Labelled], Tally]:
    """About `count` decided candidates, as many right as wrong in each domain, spread over its tasks.

    A domain whose material runs out yields fewer; the two labels stay balanced within one candidate.
    """
    domains = list(dict.fromkeys(task.domain for task in tasks))
    shares = {name: count // len(domains) + (n < count % len(domains)) for n, name in enumerate(domains)}
    found: dict[tuple[str, Answer], list[Labelled]] = {
        (name, label): [] for name in domains for label in LABELS
    }
    tally = Tally()
    with verifiers(domains, jobs) as workers:
        for name in domains:
            wanted = {Answer.EQUIVALENT: (shares[name] + 1) // 2, Answer.REFUTED: shares[name] // 2}
            source = _in_turns([task for task in tasks if task.domain == name], seed, tally)
            while any(len(found[name, label]) < wanted[label] for label in LABELS):
                missing = sum(max(0, wanted[label] - len(found[name, label])) for label in LABELS)
                chunk = list(islice(source, min(CHUNK, 8 + 2 * missing)))
                if not chunk:
                    break
                pairs = [Pair(name, made.task.oracle, made.text, dict(made.task.context)) for made in chunk]
                results = dict(
                    workers.run(Job(str(number), pair, timeout) for number, pair in enumerate(pairs))
                )
                for number, made in enumerate(chunk):
                    verdict = results[str(number)]
                    tally.proposed[name] += 1
                    tally.answers[name, verdict.answer] += 1
                    if verdict.answer in LABELS:
                        kept = found[name, verdict.answer]
                        if len(kept) < wanted[verdict.answer]:
                            kept.append(Labelled(made, verdict))
                progress(sum(map(len, found.values())), count)
    chosen = []
    for name in domains:
        right, wrong = (found[name, label] for label in LABELS)
        least = min(len(right), len(wrong))
        chosen += right[: least + 1] + wrong[: least + 1]
    order = {task.id: number for number, task in enumerate(tasks)}
    chosen.sort(key=lambda one: order[one.proposal.task.id])
    return chosen, tally


def _in_turns(tasks: Sequence[Task], seed: int, tally: Tally) -> Iterator[Proposal]:
    """Proposals of the tasks, one of each in turn."""
    shuffled = random.Random(f"{seed}/tasks").sample(list(tasks), len(tasks))
    sources = [(task, proposals(task, seed)) for task in shuffled]
    while sources:
        left = []
        for task, source in sources:
            try:
                made = next(source)
            except StopIteration:
                continue
            except TruespecError as error:
                tally.barren[task.id] = str(error)
                continue
            yield made
            left.append((task, source))
        sources = left


def write_run(run: Run, found: Sequence[Labelled], timeout: float) -> None:
    """The candidates as a run that judges can judge; each pair carries its label as `expected`."""
    tasks = list({one.proposal.task.id: one.proposal.task for one in found}.values())
    epochs: Counter[str] = Counter()
    answers: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for one in found:
        task, text = one.proposal.task, one.proposal.text
        epoch = epochs[task.id]
        epochs[task.id] += 1
        name = f"{task.id}|{GENERATED}|{epoch}"
        about = {"id": name, "task": task.id, "domain": task.domain}
        answers.append(
            {
                **about,
                "model": GENERATED,
                "epoch": epoch,
                "candidate": text,
                "strict": True,
                "problem": "",
                "made": one.proposal.made,
                "reply": Reply("").to_json(),
                "verdict": one.verdict.to_json(),
            }
        )
        shown = {"statement": task.statement, "context": dict(task.context), "oracle": task.oracle}
        label = {"expected": one.verdict.answer.value, "made": one.proposal.made}
        pairs.append({**about, **shown, "candidate": text, **label})
    most = max(epochs.values(), default=1)
    config = Config((GENERATED,), most, Settings(), timeout, tolerant=False, asked=False)
    run.create(config, tasks)
    run.write("answers", answers)
    run.write("pairs", pairs)
