"""Runs that are kept as steps of an agent: a thought, a tool with its input, and what was observed.

LangChain's `AgentExecutor` and n8n (`intermediate_steps`), Dify (`agent_thoughts`), DSPy's ReAct
(`trajectory`), results of Vercel's AI SDK (`steps`) and of OpenAI's Agents SDK (`new_items`), and ReAct loops
of any program (`steps` or `trajectory` of `{thought, action, action_input, observation}`). What the user
asked and the final answer stand beside the steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.conversation import placed
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import each_trace, records
from truespec.traces.importers.shared import dicts, tool_call, value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.importers.told import parsed
from truespec.traces.importers.tool_steps import (
    are_calls,
    are_lines,
    loop_of,
    read_loop,
    read_steps,
    runs_of_lines,
)
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "agent-steps"
AFTER = "what stands behind a trajectory is what came out of it, what stands before it was asked"
_STEPS = ("intermediate_steps", "intermediateSteps")
_NEW = ("new_items", "newItems")
_ASKED = ("input", "chatInput", "question", "query", "task")
_ANSWERED = ("output", "answer", "result", "response", "final_answer")
_THOUGHT = re.compile(r"^\s*(?:Thought:)?(.*?)\n\s*Action:", re.DOTALL)


def _pair(step: Any) -> tuple[Any, Any]:
    """The action of a step and what was observed."""
    if isinstance(step, Mapping):
        return step.get("action"), step.get("observation")
    return (step[0], step[1]) if isinstance(step, list) and len(step) == 2 else (None, None)


def _of_executor(value: Mapping[str, Any], run: StepRun) -> None:
    steps = next(value[key] for key in _STEPS if isinstance(value.get(key), list))
    run.say("user", _first(value, _ASKED))
    for number, step in enumerate(steps):
        place = f"step {number}"
        action, observed = _pair(step)
        action = action.get("kwargs", action) if isinstance(action, Mapping) else {}
        if not action.get("tool"):
            run.lose_call(place, f"no action with a tool: {brief(step)}")
            continue
        given = action.get("tool_input", action.get("toolInput"))
        identifier = action.get("tool_call_id") or action.get("toolCallId") or f"step-{number}"
        call = tool_call(action["tool"], given, identifier, text_input=isinstance(given, str))
        found = _THOUGHT.match(str(action.get("log") or ""))
        run.step(place, None, found.group(1).strip() if found else None, [call])
        run.observe(place, [call], observed)
    run.say("assistant", _first(value, _ANSWERED))


def _of_dify(value: Mapping[str, Any], run: StepRun) -> None:
    run.say("user", _first(value, ("query", *_ASKED)))
    thoughts = sorted(dicts(value["agent_thoughts"]), key=lambda one: one.get("position") or 0)
    for number, step in enumerate(thoughts):
        place = f"agent_thoughts/{number}"
        names = [name for name in str(step.get("tool") or "").split(";") if name]
        given, observed = parsed(step.get("tool_input")), parsed(step.get("observation"))
        calls = []
        for each, name in enumerate(names):
            arguments = given.get(name) if isinstance(given, Mapping) and name in given else given
            identifier = f"{step.get('id') or f'step-{number}'}.{each}"
            calls.append(tool_call(name, arguments, identifier, text_input=isinstance(arguments, str)))
        thought = step.get("thought")
        if not calls:  # the last one repeats the answer
            run.say("assistant", thought if thought != value.get("answer") else None, place)
            continue
        run.step(place, None, thought if isinstance(thought, str) else None, calls)
        if isinstance(observed, Mapping) and set(names) <= observed.keys() and len(set(names)) == len(names):
            for call in calls:
                run.observe(place, [call], observed[call.name])
        elif observed not in (None, ""):
            run.observe(place, calls, observed)
    run.say("assistant", value.get("answer"))


def _of_dspy(value: Mapping[str, Any], run: StepRun) -> None:
    trajectory = value["trajectory"]
    keys = list(value)
    at = keys.index("trajectory")
    asked = {k: value[k] for k in keys[:at] if isinstance(value[k], str)}
    inputs = value.get("inputs")
    asked |= dict(inputs) if isinstance(inputs, Mapping) else {}
    told = {k: value[k] for k in keys[at + 1 :] if k not in ("reasoning", "inputs") and value[k] is not None}
    run.notes.ledger.assumed[AFTER] += 1
    run.say("user", _lines(asked))
    number = 0
    while f"tool_name_{number}" in trajectory or f"thought_{number}" in trajectory:
        place = f"trajectory {number}"
        name, thought = trajectory.get(f"tool_name_{number}"), trajectory.get(f"thought_{number}")
        calls = [tool_call(name, trajectory.get(f"tool_args_{number}"), f"step-{number}")] if name else []
        run.step(place, None, value_text(thought), calls)
        run.observe(place, calls, trajectory.get(f"observation_{number}"))
        number += 1
    if isinstance(reasoning := value.get("reasoning"), str) and reasoning:
        run.messages.append(Message("assistant", _lines(told), reasoning=reasoning))
    else:
        run.say("assistant", _lines(told))


def _of_vercel(value: Mapping[str, Any], run: StepRun) -> None:
    run.say("user", _first(value, ("prompt", *_ASKED)))
    for number, step in enumerate(value["steps"]):
        place = f"steps/{number}"
        content = step.get("content")
        if not isinstance(content, list):
            content = [{"type": "text", "text": step["text"]}] if step.get("text") else []
            content += [{**call, "type": "tool-call"} for call in dicts(step.get("toolCalls"))]
            content += [{**result, "type": "tool-result"} for result in dicts(step.get("toolResults"))]
        reasoning = step.get("reasoningText", step.get("reasoning"))
        thought = {"reasoning": reasoning} if isinstance(reasoning, str) and reasoning else {}
        if content or thought:
            item = {"role": "assistant", "content": content, **thought}
            run.messages += placed([(place, item)], run.position, run.notes)
    run.say("assistant", value.get("text"))


def _of_agents_sdk(value: Mapping[str, Any], run: StepRun) -> None:
    asked = value.get("input")
    items = asked if isinstance(asked, list) else []
    if isinstance(asked, str):
        run.say("user", asked)
    listed = [*items, *next(value[key] for key in _NEW if key in value)]
    raw = [
        item.get("raw_item", item.get("rawItem")) if isinstance(item, Mapping) else None for item in listed
    ]
    spoken = (
        (f"item {number}", one if own is None else own)
        for number, (one, own) in enumerate(zip(listed, raw, strict=True))
    )
    run.messages += placed(spoken, run.position, run.notes)
    run.say("assistant", value.get("final_output", value.get("finalOutput")))


def _is_vercel(steps: Any) -> bool:
    first = steps[0] if isinstance(steps, list) and steps else None
    if not isinstance(first, Mapping):
        return False
    return isinstance(first.get("toolCalls"), list) or (
        isinstance(first.get("content"), list)
        and "role" not in first
        and any(part.get("type") in ("text", "tool-call", "reasoning") for part in dicts(first["content"]))
    )


def _is_steps(head: Any) -> bool:
    """Whether a list is the steps of a run of Vercel's AI SDK without the requests, which would hold more."""
    if not isinstance(head, list) or not _is_vercel(head):
        return False
    request = head[0].get("request")
    return not (isinstance(request, Mapping) and request.get("body")) and isinstance(
        head[0].get("finishReason"), str
    )


def _lines(said: Mapping[str, Any]) -> str | None:
    """One value as it is; several each with its name."""
    if len(said) < 2:
        return next((value_text(one) for one in said.values()), None)
    return "\n".join(f"{name}: {value_text(one)}" for name, one in said.items())


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _reader(value: Any) -> Callable[[Any, StepRun], None] | None:
    """What reads a record; None where it is no run of these kinds."""
    if not isinstance(value, Mapping):
        return None
    if any(isinstance(value.get(key), list) for key in _STEPS):
        return _of_executor
    if any(isinstance(value.get(key), list) for key in _NEW) and "input" in value:
        return _of_agents_sdk
    if _is_vercel(value.get("steps")):
        return _of_vercel
    if isinstance(value.get("agent_thoughts"), list) and "answer" in value:
        return _of_dify
    trajectory = value.get("trajectory")
    if isinstance(trajectory, Mapping) and ("tool_name_0" in trajectory or "thought_0" in trajectory):
        return _of_dspy
    if loop_of(value) is not None:
        return read_loop
    return None


def _inner(value: Any) -> Any:
    """A record out of the item that n8n puts around it."""
    return value["json"] if isinstance(value, Mapping) and isinstance(value.get("json"), Mapping) else value


def recognises(head: Any, file: TraceFile) -> bool:
    """A run of one of these kinds, alone or first of a list; or the steps of one, as they are."""
    if _is_steps(head) or are_lines(head, file) or are_calls(head):
        return True
    return _reader(_inner(head[0] if isinstance(head, list) and head else head)) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per run."""

    def made(item: Any, reader: Callable[[Any, StepRun], None], position: str) -> Trace:
        run = StepRun(Notes(file.ledger, position), position)
        reader(_inner(item), run)
        return run.trace(_inner(item), file, NAME, joins)

    if _is_steps(file.head):
        listed = file.document()
        if not isinstance(listed, Problem):
            yield made({"steps": listed}, _of_vercel, "document")
            return
    if are_calls(file.head) and not isinstance(listed := file.document(), Problem):
        run = StepRun(Notes(file.ledger), "document")
        read_steps([(f"step {number}", step) for number, step in enumerate(listed)], run)
        yield run.trace({}, file, NAME, joins)
        return
    if are_lines(file.head, file):
        for found in runs_of_lines(file):
            if isinstance(found, Problem):
                yield found
            else:
                run, name = found
                yield run.trace({"id": name}, file, NAME, joins)
        return
    listed = records(file, lambda v: _reader(_inner(v)) is not None)
    yield from each_trace(file, listed, lambda v: _reader(_inner(v)), made, "a run of an agent in steps")
