"""The memory of an agent of smolagents: its steps as `get_full_steps` or a full run result gives them.

A list of steps, alone or in a field: the task, plans, actions with their calls and one observation, the
output. The system prompt stands in a step of its own, or in the first request that a step shows. Results of a
benchmark hold the question and the prediction beside the steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes, call_of
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts, text_of, tool_call
from truespec.traces.importers.step_run import StepRun
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "smolagents"
_LISTS = ("steps", "intermediate_steps", "messages", "memory", "agent_memory", "trajectory")
_KEPT = ("task_images", "_step_type")


def _is_step(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if "step_number" in value and ("tool_calls" in value or "model_output" in value):
        return True
    return set(value) - set(_KEPT) in ({"task"}, {"system_prompt"})


def _steps(value: Any) -> list[Any] | None:
    """The steps in a value, itself or in a field of it; None where it holds none."""
    if isinstance(value, Mapping):
        value = next((value[k] for k in _LISTS if isinstance(value.get(k), list) and value[k]), None)
    return value if isinstance(value, list) and value and _is_step(value[0]) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """Steps, a record with steps, or a list of such records."""
    return _steps(head) is not None or (isinstance(head, list) and bool(head) and _steps(head[0]) is not None)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per run."""
    listed: Iterator[tuple[str, Any]]
    if isinstance(file.head, list) and _steps(file.head) is not None:
        listed = iter([("document", file.document())])
    else:
        listed = records(file, lambda v: _steps(v) is not None)

    def made(value: Any, steps: list[Any], position: str) -> Trace:
        run = StepRun(Notes(file.ledger, position), position)
        around = value if isinstance(value, Mapping) else {}
        if not any(isinstance(step, Mapping) and "task" in step for step in steps):
            run.say("user", around.get("augmented_question") or around.get("question"), "question")
        for number, step in enumerate(steps):
            _add(step, run, f"step {number}")
        run.say("assistant", around.get("prediction"), "prediction")
        return run.trace(value, file, NAME, joins)

    return each_trace(file, listed, _steps, made, "the steps of an agent")


def _add(step: Any, run: StepRun, place: str) -> None:
    run.notes.place = f"{run.position}, {place}"
    if not isinstance(step, Mapping):
        run.notes.ledger.items.drop("no step of an agent", run.notes.place)
        run.notes.ledger.problem(run.notes.place, f"no step of an agent: {brief(step)}")
    elif "system_prompt" in step:
        run.say("system", text_of(step["system_prompt"]), place)
    elif "task" in step:
        run.say("user", step["task"], place)
    elif "plan" in step:
        run.say("assistant", step["plan"], place)
    elif "step_number" in step:
        _act(step, run, place)
    elif "output" in step:
        run.say("assistant", step["output"], place)
    else:
        run.notes.skip(", ".join(map(str, list(step)[:3])) or "a step without fields")


def _act(step: Mapping[str, Any], run: StepRun, place: str) -> None:
    """One step in which the agent acts; its first request shows the system prompt."""
    shown = dicts(step.get("model_input_messages"))
    if shown and shown[0].get("role") == "system" and not any(m.role == "system" for m in run.messages):
        run.messages.insert(0, Message("system", text_of(shown[0].get("content")), position=place))
    reply = step.get("model_output_message")
    listed = dicts(step.get("tool_calls"))
    if not listed and isinstance(reply, Mapping):
        listed = dicts(reply.get("tool_calls"))
    calls = []
    for each, one in enumerate(listed):
        function = one.get("function")
        body = function if isinstance(function, Mapping) else one
        identifier = one.get("id") or f"{place}.{each}"
        if isinstance(given := parsed(body.get("arguments")), str):  # code
            calls.append(tool_call(body.get("name"), given, identifier, text_input=True))
        else:
            calls.append(call_of({**one, "id": identifier}))
    run.step(place, text_of(step.get("model_output")), None, calls)
    observed = step.get("observations")
    if isinstance(observed, list) and all(isinstance(one, str) for one in observed):
        observed = "\n".join(observed)
    if not observed and calls:
        observed = step.get("action_output")
    error = step.get("error")
    if error:
        failure = error.get("message", error) if isinstance(error, Mapping) else error
        observed = "\n".join(str(one) for one in (observed, failure) if one)
    run.observe(place, calls, observed or None, True if error else None)
