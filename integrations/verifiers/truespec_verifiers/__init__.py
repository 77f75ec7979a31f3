"""truespec's tasks as a taskset of the verifiers library (`verifiers.v1`), rewarded by proof."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from truespec import Answer, OracleError, Verdict, averify
from truespec.benchmark.answer import read_answer
from truespec.benchmark.select import bundled_tasks, choose
from truespec.benchmark.task import shown_context
from truespec.judges.prompts import Role, ask_answer, system
from truespec.store.runs import read_tasks


class SpecificationData(vf.TaskData):
    """A task with the reference, which no prompt shows."""

    domain: str = ""
    oracle: str = ""
    context: dict[str, Any] = Field(default_factory=dict)


class SpecificationTaskConfig(vf.TaskConfig):
    """How replies are scored."""

    seconds: float = 10.0
    """Wall limit of the verifier for one reply."""
    partial: dict[str, float] = Field(default_factory=dict)
    """What a refuted reply earns by its relation: stronger, weaker or incomparable."""


class Specification(vf.Task[SpecificationData, vf.State, SpecificationTaskConfig]):
    """One statement to formalise."""

    @property
    def key(self) -> str:
        """The task's id."""
        return str(self.data.id)

    @vf.reward
    async def proved(self, trace: vf.Trace) -> float:
        """1.0 for a specification that is proved equivalent to the reference."""
        verdict = await self._verdict(trace)
        if verdict is None:
            return 0.0
        if verdict.answer is Answer.REFUTED and verdict.relation:
            return self.config.partial.get(verdict.relation.value, 0.0)
        return float(verdict.answer is Answer.EQUIVALENT)

    @vf.metric
    async def unknown(self, trace: vf.Trace) -> float:
        """1.0 where the verifier did not decide."""
        verdict = await self._verdict(trace)
        return float(verdict is not None and verdict.answer is Answer.UNKNOWN)

    @vf.metric
    async def malformed(self, trace: vf.Trace) -> float:
        """1.0 for a reply without a specification in its last fenced block."""
        return float(read_answer(trace.last_reply or "").text is None)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the reference is proved equivalent to itself."""
        data = self.data
        try:
            verdict = await averify(data.domain, data.oracle, data.oracle, data.context, self.config.seconds)
        except OracleError:
            return False
        return verdict.answer is Answer.EQUIVALENT

    async def _verdict(self, trace: vf.Trace) -> Verdict | None:
        """What the verifier says of the last reply; decided once for a trace."""
        candidate = read_answer(trace.last_reply or "").text
        if candidate is None:
            return None
        data = self.data
        key = (trace.id, candidate)
        if key not in _decided:
            call = averify(data.domain, data.oracle, candidate, data.context, self.config.seconds)
            _decided[key] = asyncio.ensure_future(call)
            while len(_decided) > _KEPT:
                del _decided[next(iter(_decided))]
        return await _decided[key]


_KEPT = 1_000
_decided: dict[tuple[str, str], asyncio.Future[Verdict]] = {}


class SpecificationConfig(vf.TasksetConfig):
    """Which tasks are asked."""

    domain: str = "regex"
    tags: list[str] = Field(default_factory=list)
    tasks: Path | None = None
    task: SpecificationTaskConfig = SpecificationTaskConfig()


class Specifications(vf.Taskset[Specification, SpecificationConfig]):
    """The tasks of a domain, bundled ones or those of a file."""

    def load(self) -> Iterator[Specification]:
        """Yield the tasks with the prompts of `truespec bench run`."""
        config = self.config
        known = read_tasks(config.tasks) if config.tasks else bundled_tasks([config.domain])
        for task in choose(known, [config.domain], None, config.tags):
            meanings = task.extra.get("meanings")
            shown = {str(k): str(v) for k, v in meanings.items()} if isinstance(meanings, dict) else {}
            yield Specification(
                SpecificationData(
                    id=task.id,
                    name=task.id,
                    prompt=ask_answer(task.statement, shown_context(task), shown),
                    system_prompt=system(Role.ANSWER, task.domain),
                    domain=task.domain,
                    oracle=task.oracle,
                    context=dict(task.context),
                ),
                config.task,
            )


__all__ = [
    "Specification",
    "SpecificationConfig",
    "SpecificationData",
    "SpecificationTaskConfig",
    "Specifications",
]
