"""Steps that each name a tool, what it was given, and what came back: ReAct loops and logs of runs.

The steps stand in a list of a record (`steps`, `trajectory`), beside what was asked and answered, or are the
lines of a file. What came back may also be a step of its own, behind the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import first_lines
from truespec.traces.importers.shared import tool_call, value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.trace import ToolCall

LINES = "lines that are steps of a tool each are one run, or one for each run that they name"
UNREAD = "a step that names no tool and says nothing"
_LOOPS = ("steps", "agent_steps", "agentSteps", "trajectory", "history", "trace")
_TOOLS = ("tool", "tool_name", "toolName", "action")
_GIVEN = (
    *("action_input", "actionInput", "tool_input", "toolInput", "tool_args", "arguments", "args", "input"),
    *("tool_arguments", "toolArguments", "inputs", "parameters", "params"),
)
_ALL_GIVEN = frozenset(_GIVEN)
_OBSERVED = (
    *("observation", "observations", "tool_output", "toolOutput", "tool_result", "toolResult", "result_text"),
    *("tool_response", "output", "outputs", "result"),
)
_FINAL = ("final answer", "final_answer", "finish")
"""Actions with which a ReAct loop gives its answer."""
_ASKED = ("input", "chatInput", "question", "query", "task", "prompt", "prompts")
_ASKING = ("task", "question", "query", "prompt")
"""Fields of a line that say what was asked in its run."""
_ANSWERED = (
    *("output", "answer", "result", "response", "final_answer", "final_message", "final_output"),
    "final_response",
)
_THOUGHTS = ("thought", "reasoning", "thinking")
_KINDS = ("type", "step_type", "kind")
_CALLING = ("tool", "tool_call", "tool_use", "function_call")
_RESULTS = ("tool_result", "observation", "tool_output", "tool_response", "result")
_SAID = ("content", "text", "message")
_SPEAKERS = {"user": "user", "user_message": "user", "user_input": "user"}
_OTHERS = frozenset(("role", "span_id", "spanId", "run_type", "traceId", "trace_id"))
"""Fields of messages and of spans, which are no steps."""
_RUNS = ("run_id", "session_id", "sessionId", "task_id", "conversation_id")


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "", [])), None)


def _flat(step: Any) -> Any:
    """A step whose call stands in a field of its own, with the call's fields beside the step's."""
    call = step.get("tool_call", step.get("toolCall")) if isinstance(step, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        return step
    rest = {key: value for key, value in call.items() if key not in ("name", "id", "type")}
    identifier = call.get("id") or step.get("tool_call_id")
    return {**step, **rest, "tool_name": call["name"], "tool_call_id": identifier}


def _kind(step: Mapping[str, Any]) -> str:
    kind = _first(step, _KINDS)
    return kind.lower() if isinstance(kind, str) else ""


def _calls(step: Any) -> bool:
    """Whether a step names a tool and holds what that was given."""
    if not isinstance(step, Mapping) or _ALL_GIVEN.isdisjoint(step) or not _OTHERS.isdisjoint(step):
        return False
    return _tool(step) is not None


def _tool(step: Mapping[str, Any]) -> str | None:
    """The tool that a step names: in a field of its own, or, where the step's kind is a call, elsewhere."""
    named = _first(step, _TOOLS)
    if named is None and _kind(step) in _CALLING:
        given = _first(step, _GIVEN)
        named = _first(given, _TOOLS) if isinstance(given, Mapping) else None
        named = named or step.get("name")
    return named if isinstance(named, str) else None


def _given(step: Mapping[str, Any]) -> Any:
    """What a tool was given, without its name."""
    given = _first(step, _GIVEN)
    action = step.get("action")
    if isinstance(action, str) and _first(step, _TOOLS) != action:  # what the tool is to do
        given = given if isinstance(given, Mapping) else {} if given is None else {"input": given}
        return {"action": action, **given}
    if isinstance(given, Mapping) and _first(step, _TOOLS) is None:
        return {key: value for key, value in given.items() if key not in _TOOLS or value != _tool(step)}
    return given


def is_step(step: Any) -> bool:
    """Whether this is a step of a tool with what came back."""
    step = _flat(step)
    return _calls(step) and any(key in step for key in _OBSERVED)


def _answers(step: Any) -> bool:
    """Whether a step is what came back from the tool of an earlier one."""
    if not isinstance(step, Mapping) or _tool(step) is not None:
        return False
    return _kind(step) in _RESULTS and any(key in step for key in (*_OBSERVED, *_SAID))


def loop_of(value: Any) -> list[Any] | None:
    """The steps in a field of a record; None where it holds none of these."""
    for key in _LOOPS if isinstance(value, Mapping) else ():
        listed = value.get(key)
        if isinstance(listed, list) and (
            any(map(is_step, listed))
            or (any(_calls(_flat(one)) for one in listed) and any(map(_answers, listed)))
        ):
            return listed
    return None


def read_loop(value: Mapping[str, Any], run: StepRun) -> None:
    """Read a record with its steps."""
    run.say("system", _first(value, ("system_prompt", "systemPrompt")))
    _ask(_first(value, _ASKED), run)
    read_steps([(f"step {number}", step) for number, step in enumerate(loop_of(value) or ())], run)
    answer = _first(value, _ANSWERED)
    inner = _first(answer, _ANSWERED) if isinstance(answer, Mapping) else None
    run.say("assistant", inner if isinstance(inner, str) else answer)


def _ask(asked: Any, run: StepRun) -> None:
    """What the user asked: a text, several, or with the system's words beside it."""
    if isinstance(asked, list) and all(isinstance(one, str) for one in asked):
        for one in asked:
            run.say("user", one)
    elif isinstance(asked, Mapping) and isinstance(asked.get("user"), str):
        run.say("system", asked.get("system"))
        run.say("user", asked["user"])
    else:
        run.say("user", asked)


def read_steps(steps: list[tuple[str, Any]], run: StepRun, asking: tuple[str, ...] = ()) -> None:
    """Read steps, each with its place; `asking` are fields of theirs that say what the user asked."""
    latest: list[ToolCall] = []
    before = None
    for number, (place, held) in enumerate(steps):
        step = _flat(held)
        if not isinstance(step, Mapping):
            run.lose_call(place, f"no step: {brief(step)}")
            continue
        if (asked := _first(step, asking)) not in (None, before):
            _ask(asked, run)
            before = asked
        thought, name = value_text(_first(step, _THOUGHTS)), _tool(step)
        given, observed = _given(step), _first(step, _OBSERVED)
        said = value_text(_first(step, _SAID))
        if _kind(step) in _THOUGHTS and said:
            thought, said = thought or said, None
        if name is not None and name.strip().lower() in _FINAL and observed is None:
            run.step(place, value_text(given), thought, [])
        elif name is not None:
            named = step.get("tool_call_id") or step.get("call_id")
            latest = [
                tool_call(name, given, str(named or f"step-{number}"), text_input=isinstance(given, str))
            ]
            run.step(place, said, thought, latest)
            run.observe(place, latest, _given_back(step, observed), _failed(step))
        elif _answers(step):
            run.observe(place, latest, observed if observed is not None else said, _failed(step))
            latest = []
        elif (speaker := _SPEAKERS.get(_kind(step))) and said:
            run.say(speaker, said, place)
        else:
            if not (said or thought or step.get("observation")):
                where = f"{run.position}, {place}"
                run.notes.ledger.items.drop(UNREAD, where)
                run.notes.ledger.problem(where, f"{UNREAD}: {brief(step)}")
            run.step(place, said, thought, [])
            run.observe(place, [], step.get("observation"))


def _given_back(step: Mapping[str, Any], observed: Any) -> Any:
    """What came back: an empty text is a result, too; else why the tool failed."""
    if observed is not None:
        return observed
    error = step.get("error") or step.get("error_message")
    empty = next((step[key] for key in _OBSERVED if step.get(key) is not None), None)
    return error if isinstance(error, str) else empty


def _failed(step: Mapping[str, Any]) -> bool | None:
    done = step.get("success")
    if isinstance(done, bool):
        return not done
    if isinstance(step.get("is_error"), bool):
        return bool(step["is_error"])
    return True if step.get("error") or step.get("status") in ("error", "failed") else None


def are_calls(head: Any) -> bool:
    """Whether a value is a list of nothing but calls, each with the tool in a field of its own."""
    listed = head if isinstance(head, list) else []
    return bool(listed) and all(_calls(one) and _first(one, _TOOLS) is not None for one in listed)


def are_lines(head: Any, file: TraceFile) -> bool:
    """Whether the lines of a file are such steps."""
    return is_step(head) and loop_of(head) is None and any(map(is_step, first_lines(file)))


def runs_of_lines(file: TraceFile) -> Iterator[tuple[StepRun, Any] | Problem]:
    """The runs whose steps are the lines of a file, each with the name that they give it."""
    groups: dict[Any, list[tuple[str, Any]]] = {}
    for line, step in file.lines():
        if isinstance(step, Problem):
            yield step
        else:
            name = _first(step, _RUNS) if isinstance(step, Mapping) else None
            groups.setdefault(value_text(name), []).append((f"line {line}", step))
    for name, steps in groups.items():
        run = StepRun(Notes(file.ledger, steps[0][0]), steps[0][0])
        file.ledger.assumed[LINES] += 1
        read_steps(steps, run, _ASKING)
        yield run, name
