"""Labelled candidates for studies of judges: oracles changed, the verifiers supplying the labels."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from truespec.benchmark.changes import change
from truespec.benchmark.task import Task
from truespec.domains.registry import load
from truespec.domains.verify import Pair
from truespec.executors.pool import Job, Workers, verifiers
from truespec.models.call import Reply, Settings
from truespec.store.runs import Config, Run
from truespec.verdict import Answer, TruespecError, Verdict

GENERATED = "generated"
"""Who wrote the candidates, in the records of a run."""

LABELS = (Answer.EQUIVALENT, Answer.REFUTED)
"""What a labelled candidate is; whatever the verifier does not decide is thrown away and counted."""
FIRST = 24
"""How many mutants and rewritings of one text are considered; long oracles have thousands."""
DEPTHS = 3
"""How often more texts are considered where the material runs out."""
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
    mutation: str = ""
    """The kind of the mutation in it, as `benchmark/changes.py` names it; empty for a rewriting alone."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A proposal that the verifier decided."""

    proposal: Proposal
    """The candidate."""
    verdict: Verdict
    """Its label, with the proof or the counterexample."""
    extra: Mapping[str, object] = field(default_factory=dict)
    """What else its pair says, such as who accepted it."""


@dataclass
class Tally:
    """What became of the proposals, by domain."""

    proposed: Counter[str] = field(default_factory=Counter)
    """Proposals that were verified."""
    answers: Counter[tuple[str, Answer]] = field(default_factory=Counter)
    """Verdicts by domain and answer."""
    barren: dict[str, str] = field(default_factory=dict)
    """Tasks from which nothing can be made, and why."""


def proposals(task: Task, seed: int, depths: int = 1) -> Iterator[Proposal]:
    """Texts made from a task's oracle, each once and none of them the oracle, in an order fixed by the seed.

    Changes that keep the meaning and changes that seldom do are mixed; mutants are also dressed up by a
    rewriting, so that a wrong candidate need not look like the oracle with one token changed. Each further
    depth considers four times as many texts as the one before, after all of that one.
    """
    seen, fresh = {task.oracle}, True
    for depth in range(depths):
        if not fresh:
            return
        fresh = False
        chance = random.Random(f"{seed}/{task.id}" + (f"/{depth}" if depth else ""))
        every = _made(task, chance, 4**depth)
        chance.shuffle(every)
        for proposal in every:
            if proposal.text not in seen:
                seen.add(proposal.text)
                fresh = True
                yield proposal


def _made(task: Task, chance: random.Random, factor: int) -> list[Proposal]:
    """The proposals of one depth, by the way in which they are made."""
    domain = load(task.domain)

    def some(texts: Iterator[str], most: int = FIRST) -> list[str]:
        found = list(islice(texts, 10 * most * factor))
        return chance.sample(found, min(most * factor, len(found)))

    def then(
        texts: Sequence[Proposal], step: Callable[[str, Any], Iterator[str]], made: str
    ) -> list[Proposal]:
        found = []
        for one in texts[: 4 * factor]:
            try:
                for text in some(step(one.text, task.context), 3):
                    mutation = one.mutation or (change(one.text, text) if made.startswith("mutant") else "")
                    found.append(Proposal(task, text, made, mutation))
            except TruespecError:
                continue  # the changed text left the part of the language that can be changed again
        return found

    same = [Proposal(task, t, "rewriting") for t in some(domain.rewritings(task.oracle, task.context))]
    other = [
        Proposal(task, text, "mutant", change(task.oracle, text))
        for text in some(domain.mutants(task.oracle, task.context))
    ]
    return [
        *same,
        *other,
        *then(same, domain.rewritings, "rewritten twice"),
        *then(same, domain.mutants, "mutant of a rewriting"),
        *then(other, domain.rewritings, "rewriting of a mutant"),
    ]


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
            source = in_turns([task for task in tasks if task.domain == name], seed, tally)
            while any(len(found[name, label]) < wanted[label] for label in LABELS):
                missing = sum(max(0, wanted[label] - len(found[name, label])) for label in LABELS)
                chunk = list(islice(source, min(CHUNK, 8 + 2 * missing)))
                if not chunk:
                    break
                answered = _answered(workers, chunk, timeout, tally)
                for label in LABELS:
                    decided = [Labelled(made, said) for made, said in answered if said.answer is label]
                    found[name, label] += decided[: wanted[label] - len(found[name, label])]
                progress(sum(map(len, found.values())), count)
    chosen = []
    for name in domains:
        right, wrong = (found[name, label] for label in LABELS)
        least = min(len(right), len(wrong))
        chosen += right[: least + 1] + wrong[: least + 1]
    order = {task.id: number for number, task in enumerate(tasks)}
    chosen.sort(key=lambda one: order[one.proposal.task.id])
    return chosen, tally


def _answered(
    workers: Workers[Pair, Verdict], chunk: Sequence[Proposal], timeout: float, tally: Tally
) -> list[tuple[Proposal, Verdict]]:
    """Candidates of one domain with their verdicts, which `tally` counts."""
    pairs = [Pair(made.task.domain, made.task.oracle, made.text, dict(made.task.context)) for made in chunk]
    results = dict(workers.run(Job(number, pair, timeout) for number, pair in enumerate(pairs)))
    for number, made in enumerate(chunk):
        tally.proposed[made.task.domain] += 1
        tally.answers[made.task.domain, results[number].answer] += 1
    return [(made, results[number]) for number, made in enumerate(chunk)]


def in_turns(tasks: Sequence[Task], seed: int, tally: Tally) -> Iterator[Proposal]:
    """Proposals of the tasks, one of each in turn."""
    shuffled = random.Random(f"{seed}/tasks").sample(list(tasks), len(tasks))
    sources = [(task, proposals(task, seed, DEPTHS)) for task in shuffled]
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


def _way(proposal: Proposal) -> dict[str, str]:
    return {"made": proposal.made, **({"mutation": proposal.mutation} if proposal.mutation else {})}


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
                **_way(one.proposal),
                "reply": Reply("").to_json(),
                "verdict": one.verdict.to_json(),
            }
        )
        shown = {"statement": task.statement, "context": dict(task.context), "oracle": task.oracle}
        label = {"expected": one.verdict.answer.value, **_way(one.proposal), **one.extra}
        pairs.append({**about, **shown, "candidate": text, **label})
    most = max(epochs.values(), default=1)
    config = Config((GENERATED,), most, Settings(), timeout, tolerant=False, asked=False)
    run.create(config, tasks)
    run.write("answers", answers)
    run.write("pairs", pairs)
