"""Tasks and scorers for Inspect AI, found by its entry points:

```
inspect eval truespec/regex --model openai/gpt-5
inspect eval truespec/fol --model openai/gpt-5 -T judge=self
inspect eval truespec/fol --model canned/model -T judge=self --limit 4      # offline, to see what comes out
inspect score logs/shop.eval --scorer truespec/compliance -S rules=policy.yml
```

Defaults are those of RESpecBench (section 3.1): temperature 1.0, medium reasoning effort, no tools, one
epoch, and four seconds for the verifier. `truespec bench run` does the same with a ledger, and makes the
tables of the paper.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from math import nan
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState, generate, system_message
from inspect_ai.tool import ToolChoice, ToolInfo

from truespec.benchmark import task as records
from truespec.benchmark.answer import read_answer
from truespec.benchmark.select import choose, named_tasks
from truespec.benchmark.task import shown_context
from truespec.domains.registry import BUILT_IN
from truespec.domains.verify import Pair
from truespec.executors.pool import Workers, verifiers
from truespec.inspect_compliance import compliance as compliance  # noqa: PLC0414 (found by the entry point)
from truespec.judges.decide import from_both_orders, from_score
from truespec.judges.judgement import Judgement
from truespec.judges.prompts import Role, ask_answer, ask_equivalence, ask_formalization, system
from truespec.judges.score import read_score
from truespec.metrics.judging import JudgeRates, judge_rates
from truespec.metrics.proportion import Proportion
from truespec.store.runs import read_tasks
from truespec.verdict import Answer, Counterexample, ReasonCode, Verdict, invalid

SETTINGS = GenerateConfig(temperature=1.0, reasoning_effort="medium")
"""How the models of the paper were asked."""


@task
def arith(**options: Any) -> Task:
    """Arithmetic over exact rationals."""
    return _task("arith", **options)


@task
def sql(**options: Any) -> Task:
    """Queries of four dialects over a schema with its keys."""
    return _task("sql", **options)


@task
def fol(**options: Any) -> Task:
    """First-order logic with equality."""
    return _task("fol", **options)


@task
def regex(**options: Any) -> Task:
    """Regular expressions of two dialects."""
    return _task("regex", **options)


@task
def rocq(**options: Any) -> Task:
    """Specifications in Gallina."""
    return _task("rocq", **options)


@task
def temporal(**options: Any) -> Task:
    """Formulas of linear temporal logic, with past, on finite and infinite words."""
    return _task("temporal", **options)


@modelapi(name="canned")
class Canned(ModelAPI):
    """A model that gives the same reply to every call, to try tasks and judges without a network.

    `-M answer=TEXT` is what it answers to tasks, `-M score=N` what it says as a judge. Inspect's `mockllm`
    counts tokens by a vocabulary that it downloads.
    """

    def __init__(self, model_name: str, answer: str = "true", score: int = 3, **ours: Any) -> None:
        known = {name: ours[name] for name in ("base_url", "api_key", "config") if name in ours}
        super().__init__(model_name, **known)
        self.answer, self.score = answer, score

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """The answer in a fenced block, or the score where a judge is asked."""
        asked = input[0].text
        judged = any(
            asked == system(role, domain)
            for role in (Role.FORMALIZATION, Role.EQUIVALENCE)
            for domain in BUILT_IN
        )
        return ModelOutput.from_content(self.model_name, f"```\n{self.score if judged else self.answer}\n```")


def _task(
    domain: str, *, tasks: str = "bundled", judge: str = "", timeout: float = 4.0, tolerant: bool = False
) -> Task:
    """The tasks of one domain.

    `tasks` is a task file, or `bundled+variants`, instead of the bundled tasks; `judge` names a model, or is
    `self`, to have the answers judged as well, by statement and against the oracle.
    """
    every = named_tasks(tasks, [domain])
    if every is None:
        every = read_tasks(Path(tasks))
    scorers = [verified(timeout=timeout, tolerant=tolerant)]
    if judge:
        scorers += [
            formalization_judge(model=judge, tolerant=tolerant),
            equivalence_judge(model=judge, tolerant=tolerant),
        ]
    return Task(
        dataset=MemoryDataset(
            [_sample(one) for one in choose(every, [domain], None)], name=f"truespec-{domain}"
        ),
        solver=[system_message(_braced(system(Role.ANSWER, domain))), generate()],
        scorer=scorers,
        config=SETTINGS,
    )


def _braced(text: str) -> str:
    """Inspect fills `{name}` in system messages; our prompts hold braces that are meant."""
    return text.replace("{", "{{").replace("}", "}}")


def _sample(one: records.Task) -> Sample:
    return Sample(
        id=one.id,
        input=ask_answer(one.statement, shown_context(one), _meanings(one.extra)),
        target=one.oracle,
        metadata={
            "domain": one.domain,
            "statement": one.statement,
            "context": dict(one.context),
            "shown": dict(shown_context(one)),
            "meanings": dict(_meanings(one.extra)),
            "tags": list(one.tags),
            "difficulty": one.extra.get("difficulty"),
        },
    )


def _meanings(extra: Mapping[str, object]) -> Mapping[str, str]:
    meanings = extra.get("meanings")
    return meanings if isinstance(meanings, Mapping) else {}


@scorer(metrics=[accuracy(), stderr()])
def verified(timeout: float = 4.0, tolerant: bool = False) -> Scorer:
    """Whether the answer is proved equivalent to the oracle: C equivalent, I refuted or invalid, N unknown.

    The explanation shows the counterexample; the whole verdict is in the score's metadata.
    """

    async def score(state: TaskState, target: Target) -> Score:
        domain = state.metadata["domain"]
        answer = read_answer(state.output.completion, tolerant=tolerant)
        if answer.text is None:
            verdict = invalid(
                domain, ReasonCode.SYNTAX, f"the reply holds no specification: {answer.problem}"
            )
        else:
            pair = Pair(domain, target.text, answer.text, state.metadata["context"])
            async with _worker(domain) as worker:
                verdict = await asyncio.to_thread(worker.run_one, pair, timeout)
        return Score(
            value=_VALUES[verdict.answer],
            answer=answer.text,
            explanation=_explain(verdict),
            metadata={"verdict": verdict.to_json()},
        )

    return score


_VALUES = {
    Answer.EQUIVALENT: CORRECT,
    Answer.REFUTED: INCORRECT,
    Answer.INVALID: INCORRECT,
    Answer.UNKNOWN: NOANSWER,
}


def _explain(verdict: Verdict) -> str:
    relation = f" ({verdict.relation.value})" if verdict.relation else ""
    reason = f": {verdict.reason.detail}" if verdict.reason else ""
    found = verdict.evidence
    shown = ""
    if isinstance(found, Counterexample):
        values = (dict(found.point), found.oracle_value, found.candidate_value)
        at, oracle, candidate = (json.dumps(value, ensure_ascii=False, default=str) for value in values)
        shown = f"; counterexample {at}: the oracle gives {oracle}, the answer {candidate}"
    return f"{verdict.answer.value}{relation}{reason}{shown}"


@metric
def far() -> Metric:
    """False acceptances: wrong answers that the judge accepted, of those it decided; NaN of none.

    Of several epochs, Inspect keeps the judgement of the first.
    """
    return _rate(lambda rates: rates.far)


@metric
def frr() -> Metric:
    """False rejections: equivalent answers that the judge rejected, of those it decided; NaN of none."""
    return _rate(lambda rates: rates.frr)


def _rate(read: Callable[[JudgeRates], Proportion]) -> Metric:
    def compute(scores: list[SampleScore]) -> float:
        known = [one.score.metadata or {} for one in scores]
        pairs = [
            (Answer(one["verdict"]), Judgement(one["judgement"]))
            for one in known
            if one.get("verdict") and one.get("judgement")
        ]
        value = read(judge_rates(pairs)).value
        return nan if value is None else value

    return compute


@scorer(metrics=[accuracy(), stderr(), far(), frr()])
def formalization_judge(model: str = "self", tolerant: bool = False) -> Scorer:
    """What a model says of the answer, given the statement: C accepted, I rejected, N malformed."""

    async def score(state: TaskState, target: Target) -> Score:
        about = state.metadata
        answer = read_answer(state.output.completion, tolerant=tolerant)
        if answer.text is None:
            return Score(value=NOANSWER, explanation="there is no specification to judge")
        prompt = ask_formalization(about["statement"], about["shown"], about["meanings"], answer.text)
        said, value = await _asked(model, Role.FORMALIZATION, about["domain"], prompt, tolerant)
        return _judged(state, from_score(value), [value], [said])

    return score


@scorer(metrics=[accuracy(), stderr(), far(), frr()])
def equivalence_judge(model: str = "self", tolerant: bool = False) -> Scorer:
    """What a model says of answer and oracle, asked in both orders: C accepted, I rejected, N malformed."""

    async def score(state: TaskState, target: Target) -> Score:
        about = state.metadata
        answer = read_answer(state.output.completion, tolerant=tolerant)
        if answer.text is None:
            return Score(value=NOANSWER, explanation="there is no specification to judge")
        said, values = [], []
        for pair in ((target.text, answer.text), (answer.text, target.text)):
            prompt = ask_equivalence(about["context"], about["meanings"], *pair)
            words, value = await _asked(model, Role.EQUIVALENCE, about["domain"], prompt, tolerant)
            said.append(words)
            values.append(value)
        return _judged(state, from_both_orders(*values), values, said)

    return score


async def _asked(model: str, role: Role, domain: str, prompt: str, tolerant: bool) -> tuple[str, int | None]:
    judge = get_model() if model == "self" else get_model(model)
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=system(role, domain)),
        ChatMessageUser(content=prompt),
    ]
    output = await judge.generate(messages, config=SETTINGS)
    return output.completion, read_score(output.completion, tolerant=tolerant).value


def _judged(state: TaskState, judgement: Judgement, scores: list[int | None], said: list[str]) -> Score:
    """The judge's score; beside it what the verifier said, which is asked before the judges."""
    values = {Judgement.ACCEPT: CORRECT, Judgement.REJECT: INCORRECT, Judgement.UNKNOWN: NOANSWER}
    formal = (state.scores or {}).get("verified")
    metadata: dict[str, Any] = {"scores": scores, "judgement": judgement.value}
    if formal is not None and formal.metadata:
        metadata["verdict"] = formal.metadata["verdict"]["answer"]
    return Score(value=values[judgement], explanation="\n\n".join(said), metadata=metadata)


_idle: dict[str, list[Workers[Pair, Verdict]]] = {}
_busy: dict[asyncio.AbstractEventLoop, asyncio.Semaphore] = {}


@asynccontextmanager
async def _worker(domain: str) -> AsyncIterator[Workers[Pair, Verdict]]:
    """A warm verifier that nobody else uses meanwhile; at most one per core."""
    loop = asyncio.get_running_loop()
    limit = _busy.setdefault(loop, asyncio.Semaphore(len(os.sched_getaffinity(0))))
    async with limit:
        idle = _idle.setdefault(domain, [])
        worker = idle.pop() if idle else verifiers([domain])
        try:
            yield worker
        finally:
            idle.append(worker)
