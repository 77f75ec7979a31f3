"""The taskset with the real verifiers library and replies of a script."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import verifiers.v1 as vf
from truespec_verifiers import Specification, SpecificationConfig, Specifications, SpecificationTaskConfig


def trace_of(task: Specification, reply: str) -> Any:
    """A trace in which the model's only message is the reply."""
    agent = vf.AgentInfo(config=vf.AgentConfig(model="script"))
    question = vf.MessageNode(message=vf.UserMessage(content=task.data.prompt))
    answer = vf.MessageNode(parent=0, message=vf.AssistantMessage(content=reply), sampled=True)
    return vf.Trace(
        task=vf.TraceTask(type="Specification", data=task.data), agent=agent, nodes=[question, answer]
    )


def scored(task: Specification, reply: str) -> Any:
    trace = trace_of(task, reply)
    asyncio.run(task.score(trace))
    return trace


def fenced(text: str) -> str:
    return f"So it is:\n```\n{text}\n```"


@pytest.fixture(scope="module")
def task() -> Specification:
    return next(iter(Specifications(SpecificationConfig(domain="regex"))))


def test_the_library_finds_the_taskset_by_its_name() -> None:
    taskset = vf.load_taskset(SpecificationConfig(id="truespec-verifiers", domain="fol", tags=["hard"]))
    tasks = list(taskset)
    assert len(tasks) >= 30
    assert all(task.data.domain == "fol" and task.data.oracle not in task.data.prompt for task in tasks)
    assert len({task.key for task in tasks}) == len(tasks)


def test_a_reply_is_rewarded_for_its_proof(task: Specification) -> None:
    assert scored(task, fenced(task.data.oracle)).reward == 1.0
    assert scored(task, fenced(f"(?:{task.data.oracle})")).reward == 1.0
    assert scored(task, fenced("never")).reward == 0.0


def test_what_earns_nothing_is_told_apart(task: Specification) -> None:
    wrong, malformed = scored(task, fenced("never")), scored(task, task.data.oracle)
    assert (wrong.reward, wrong.metrics["malformed"], wrong.metrics["unknown"]) == (0.0, 0.0, 0.0)
    assert (malformed.reward, malformed.metrics["malformed"]) == (0.0, 1.0)


def test_a_relation_can_earn_a_part(task: Specification) -> None:
    partial = Specification(task.data, SpecificationTaskConfig(partial={"weaker": 0.25, "stronger": 0.25}))
    assert scored(partial, fenced("(?s:.*)")).reward == 0.25


def test_hostile_replies_are_contained(task: Specification) -> None:
    replies = [fenced("(" * 50_000), fenced("(a*)*" * 500 + "b"), "```" * 10_000, "\x00", ""]
    assert [scored(task, reply).reward for reply in replies] == [0.0] * len(replies)


def test_references_are_valid(task: Specification) -> None:
    assert asyncio.run(task.validate(None)) is True
