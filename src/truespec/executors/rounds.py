"""Models repair their answers: the verdict, its counterexample, or a judge's opinion goes back to the model.

One chain of rounds begins at each answer of a run, once for each kind of feedback; its first answer is the
run's own. Feedback is sound except for a judge's opinion: a counterexample has been replayed. What the
verifier could not decide is not called wrong, and ends a chain.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from truespec.benchmark.task import Task, shown_context
from truespec.executors.answers import Given, verified
from truespec.executors.asking import NO_LIMITS, Failures, Progress, gather, quiet
from truespec.executors.batch import Executor
from truespec.executors.bench import SELF
from truespec.executors.pace import Limits
from truespec.executors.pool import verifiers
from truespec.judges.decide import from_score
from truespec.judges.judgement import Judgement
from truespec.judges.prompts import Role, ask_again, ask_formalization, meanings_of, system
from truespec.judges.score import read_score
from truespec.models.call import Call, Reply
from truespec.models.contract import Model
from truespec.store.runs import Config, Run
from truespec.verdict import Answer, UsageError

FILE = "rounds"
"""The run's file of chains."""


class Feedback(Enum):
    """Feedback to a model on its answer."""

    NONE = "none"
    """Nothing but to look at it again; right answers are asked about too."""
    ANSWER = "answer"
    """That it is refuted, or why it is invalid."""
    COUNTEREXAMPLE = "counterexample"
    """The input on which it differs, with what was intended there."""
    JUDGE = "judge"
    """A formalization judge's words and score, where the judge rejects it; the verifier is not asked."""


@dataclass
class Chain:
    """An answer and its repairs under one kind of feedback."""

    record: Mapping[str, Any]
    """The answer's record in the run."""
    rounds: list[dict[str, Any]] = field(default_factory=list)
    """What each further round asked, got, and came to."""
    opinions: list[dict[str, object]] = field(default_factory=list)
    """What a judge said of its answers."""
    ended: str = ""
    """Why no further round was made; empty while one is due."""

    @property
    def last(self) -> Mapping[str, Any]:
        """The newest answer: the run's own, or that of the last round."""
        return self.rounds[-1] if self.rounds else self.record

    @property
    def answer(self) -> Answer:
        """What the verifier says of the newest answer."""
        return Answer(self.last["verdict"]["answer"])

    @property
    def name(self) -> str:
        """The task, model and epoch, and the round that is due."""
        return f"{self.record['id']}|{len(self.rounds) + 1}"

    def to_json(self, feedback: Feedback) -> dict[str, object]:
        """The line of `rounds.jsonl`."""
        about = {name: self.record[name] for name in ("task", "domain", "model", "epoch")}
        return {
            **about,
            "feedback": feedback.value,
            "opinions": self.opinions,
            "ended": self.ended,
            "rounds": self.rounds,
        }


def run_rounds(
    run: Run,
    kinds: Sequence[Feedback],
    rounds: int,
    *,
    judge: str = SELF,
    concurrency: int = 8,
    jobs: int = 1,
    progress: Progress = quiet,
    given: Mapping[str, Model] | None = None,
    limits: Limits = NO_LIMITS,
    executor: Executor = verifiers,
) -> Failures:
    """Let the models of a run repair their answers, at most `rounds` times under each kind of feedback.

    Writes `rounds.jsonl`, one record a chain; chains of other kinds of feedback are kept. Recorded replies
    are not asked for again. `judge` gives the opinions of `Feedback.JUDGE`. `executor` makes what verifies.
    """
    config, tasks = run.config(), {task.id: task for task in run.tasks()}
    answers: list[dict[str, Any]] = run.read("answers")
    if not config.asked:
        raise UsageError(f"{run.folder} holds made or imported answers, which nobody can be asked to repair")
    total = Failures()
    done = {kind.value for kind in kinds}
    made = [record for record in run.read(FILE) if record["feedback"] not in done]

    def asked(calls: Sequence[Call], stage: str) -> dict[Call, Reply]:
        replies, failures = gather(run, stage, calls, concurrency, progress, given, limits)
        total.add(failures)
        return replies

    for kind in kinds:
        chains = [Chain(record) for record in answers]
        for number in range(1, rounds + 1):
            stage = f"{kind.value}-{number}"
            due = [chain for chain in chains if not chain.ended]
            if kind is Feedback.JUDGE:
                wanted = _wanted_opinions(due, tasks, config, judge)
                said_to = _opinions(due, wanted, asked(list(wanted.values()), f"{stage} opinions"), config)
            else:
                said_to = {chain.name: _feedback(kind, chain) for chain in due}
            repaired = [chain for chain in due if said_to.get(chain.name)]
            for chain in due:
                if not chain.ended and not said_to.get(chain.name):
                    chain.ended = chain.answer.value
            calls = [_repair(one, tasks[one.record["task"]], config, said_to[one.name]) for one in repaired]
            replies = asked(calls, f"{stage} answers")
            given_answers = [
                Given(chain.name, tasks[chain.record["task"]], call.model, call.epoch, replies[call])
                for chain, call in zip(repaired, calls, strict=True)
                if call in replies
            ]
            files = (f"{FILE}-{stage}-pairs", f"{FILE}-{stage}")
            found = {
                record["id"]: record
                for record in verified(run, given_answers, config, jobs, progress, *files, executor=executor)
            }
            for chain in repaired:
                record = found.get(chain.name)
                if record is None:
                    chain.ended = "no reply"
                else:
                    chain.rounds.append({"told": said_to[chain.name], **record})
        for chain in chains:
            settled = kind in (Feedback.ANSWER, Feedback.COUNTEREXAMPLE) and not _feedback(kind, chain)
            chain.ended = chain.ended or (chain.answer.value if settled else "rounds")
        made += [chain.to_json(kind) for chain in chains]
    run.write(FILE, made)
    return total


def _feedback(kind: Feedback, chain: Chain) -> str:
    """Feedback to the model on its last answer; empty where the chain ends."""
    if kind is Feedback.NONE:
        return "Nothing was checked. Read the statement and your answer again, and write your final answer."
    verdict = chain.last["verdict"]
    if chain.last["candidate"] is None:
        return f"The reply held no specification: {chain.last['problem']}."
    if chain.answer is Answer.INVALID:
        return f"Your specification is invalid: {verdict['reason']['detail']}"
    if chain.answer is not Answer.REFUTED:
        return ""
    if kind is Feedback.ANSWER:
        return "Your specification does not mean what the statement says."
    found = verdict["evidence"]
    shown = {
        "input": found["counterexample"],
        "intended result": found["oracle_value"],
        "result of your specification": found["candidate_value"],
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in shown.items()]
    return "\n".join(["Your specification gives another result than intended on this input:", *lines])


def _wanted_opinions(
    due: Sequence[Chain], tasks: Mapping[str, Task], config: Config, judge: str
) -> dict[str, Call]:
    """By chain, the call that asks the judge about its last answer, where that holds a specification."""
    calls: dict[str, Call] = {}
    for chain in due:
        task, candidate = tasks[chain.record["task"]], chain.last["candidate"]
        if candidate is not None:
            calls[chain.name] = Call(
                chain.record["model"] if judge == SELF else judge,
                system(Role.FORMALIZATION, task.domain, config.prompts),
                ask_formalization(task.statement, shown_context(task), meanings_of(task), candidate),
                config.settings,
                subject=f"formalization/{chain.name if chain.rounds else chain.record['id']}",
            )
    return calls


def _opinions(
    due: Sequence[Chain], wanted: Mapping[str, Call], replies: Mapping[Call, Reply], config: Config
) -> dict[str, str]:
    """The feedback of the judge to each model; a chain that it accepts, or cannot score, ends."""
    feedback: dict[str, str] = {}
    for chain in due:
        if chain.name not in wanted:
            feedback[chain.name] = _feedback(Feedback.JUDGE, chain)
            continue
        reply = replies.get(wanted[chain.name])
        if reply is None:
            chain.ended = "no reply"
            continue
        chain.opinions.append(reply.to_json())
        judgement = from_score(read_score(reply.text, tolerant=config.tolerant).value)
        if judgement is Judgement.REJECT:
            feedback[chain.name] = f"A judge read your specification and rejects it:\n\n{reply.text.strip()}"
        else:
            chain.ended = "accepted" if judgement is Judgement.ACCEPT else "no opinion"
    return feedback


def _repair(chain: Chain, task: Task, config: Config, feedback: str) -> Call:
    examples = [one for one in config.examples if one.domain == task.domain]
    reply = chain.last["reply"]["text"]
    return Call(
        model=chain.record["model"],
        system=system(Role.ANSWER, task.domain, config.prompts),
        prompt=ask_again(task, examples, len(chain.rounds) + 1, reply, chain.last["candidate"], feedback),
        settings=config.settings,
        epoch=chain.record["epoch"],
        subject=f"answer/{task.id}",
    )
