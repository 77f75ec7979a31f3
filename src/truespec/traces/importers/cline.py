"""Tasks of Cline and Roo Code as their screen showed them (`ui_messages.json`).

Entries `{ts, type: say|ask, say|ask: KIND, text}` are spoken texts, thoughts, calls of tools and commands.
What a tool gave stands in the text of the next request to the model, or in entries behind the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.records import whole_or_lines
from truespec.traces.importers.shared import tool_call, value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace

NAME = "cline"
REQUEST = "what a tool gave is read from the text of the next request to the model"
SHOWN = "an entry that tells of the screen, the task's progress or a request is passed over"
AGAIN = "a result that the next request repeats is read once"
_USER = ("task", "user_feedback", "user_feedback_diff")
_AGENT = ("text", "completion_result", "followup", "plan_mode_respond", "act_mode_respond", "new_task")
_WORDS = ("question", "response", "context")
"""Fields of an agent's text that is an object: what it asks or says."""
_CALLS = ("tool", "command", "use_mcp_server", "browser_action_launch", "browser_action")
_RESULTS = ("command_output", "mcp_server_response", "browser_action_result")
_ASIDE = frozenset(
    (
        "api_req_finished",
        "api_req_retried",
        "api_req_retry_delayed",
        "api_req_deleted",
        "api_req_failed",
        "auto_approval_max_req_reached",
        "checkpoint_created",
        "checkpoint_saved",
        "clineignore_error",
        "codebase_search_result",
        "condense",
        "condense_context",
        "condense_context_error",
        "deleted_api_reqs",
        "diff_error",
        "error",
        "error_retry",
        "info",
        "load_mcp_documentation",
        "mcp_notification",
        "mcp_server_request_started",
        "mistake_limit_reached",
        "report_bug",
        "resume_completed_task",
        "resume_task",
        "rooignore_error",
        "shell_integration_warning",
        "summarize_task",
        "task_progress",
        "user_edit_todos",
    )
)
_RESULT = re.compile(r"^\[(\w+)[^\n]*?\] Result:[ \t]*\n?", re.MULTILINE)
_AROUND = re.compile(r"\n*<environment_details>.*", re.DOTALL)


def _kind(entry: Any) -> str | None:
    """What an entry is; None where it is no entry of a task."""
    way = entry.get("type") if isinstance(entry, Mapping) else None
    kind = entry.get(way) if way in ("say", "ask") and "ts" in entry else None
    return kind if isinstance(kind, str) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """A list of a task's entries, or the first line of them."""
    return _kind(head[0] if isinstance(head, list) and head else head) is not None


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per file."""
    run = StepRun(Notes(file.ledger), "document")
    open_calls: list[ToolCall] = []
    number = 0
    for position, value in whole_or_lines(file):
        if isinstance(value, Problem):
            yield value
            continue
        for entry in value if isinstance(value, list) else [value]:
            place = f"entry {number}" if isinstance(value, list) else position
            run.notes.place = place
            if _kind(entry) is None:
                yield file.problem(place, f"no entry of a task: {brief(entry)}")
            else:
                _add(entry, run, open_calls, place)
            number += 1
    if not run.messages:
        yield file.problem("document", "a task without messages")
        return
    yield run.trace({}, file, NAME, joins)


def _add(entry: Mapping[str, Any], run: StepRun, open_calls: list[ToolCall], place: str) -> None:
    kind, text = str(_kind(entry)), entry.get("text")
    if kind in _USER or (kind == "text" and not run.messages):
        run.say("user", text, place)
    elif kind in _AGENT:
        said = parsed(text)
        words = [said[key] for key in _WORDS if said.get(key)] if isinstance(said, Mapping) else []
        run.say("assistant", words[0] if words else text, place)
    elif kind == "reasoning":
        run.step(place, None, value_text(text), [])
    elif kind in _CALLS and text:
        call = _call(kind, text, f"{place}".replace(" ", "-"))
        open_calls.append(call)
        run.step(place, None, None, [call])
    elif kind in _RESULTS:
        _observed(text, run, open_calls, place)
    elif kind == "api_req_started":
        _requested(text, run, open_calls, place)
    elif kind in _ASIDE or not text:
        run.notes.ledger.rules[SHOWN] += 1
    else:
        run.notes.skip(kind)


def _call(kind: str, text: Any, identifier: str) -> ToolCall:
    """The call that an entry shows."""
    given = parsed(text)
    if kind in ("command", "browser_action_launch") or not isinstance(given, Mapping):
        named = {"command": ("execute_command", "command"), "browser_action_launch": (kind, "url")}
        name, argument = named.get(kind, (kind, "input"))
        return tool_call(name, {argument: text}, identifier)
    if kind == "use_mcp_server":
        name = given.get("toolName") or given.get("type") or kind
        arguments = parsed(given.get("arguments"))
        left = {k: v for k, v in given.items() if k not in ("arguments", "toolName", "type")}
        return tool_call(name, arguments if isinstance(arguments, Mapping) else left, identifier)
    name = given.get("tool") or given.get("action") or kind
    return tool_call(name, {k: v for k, v in given.items() if k not in ("tool", "action")}, identifier)


def _observed(text: Any, run: StepRun, open_calls: list[ToolCall], place: str) -> None:
    """A result behind its call; what goes on telling it is added to it."""
    if not text:
        run.notes.ledger.rules[SHOWN] += 1
        return
    last = run.messages[-1] if run.messages else None
    if open_calls:
        run.observe(place, [open_calls.pop()], text)
    elif last is not None and last.role == "tool":
        told = f"{last.text or ''}\n{text}"
        run.messages[-1] = Message("tool", told, call_id=last.call_id, tool=last.tool, position=last.position)
    else:
        run.observe(place, [], text)


def _requested(text: Any, run: StepRun, open_calls: list[ToolCall], place: str) -> None:
    """The results that the text of a request holds, at the calls that wait for them, in order."""
    request = parsed(text)
    request = request.get("request") if isinstance(request, Mapping) else None
    found = list(_RESULT.finditer(request)) if isinstance(request, str) else []
    if not found or not isinstance(request, str):
        run.notes.ledger.rules[SHOWN] += 1
        return
    ends = [one.start() for one in found[1:]] + [len(request)]
    told = [_AROUND.sub("", request[one.end() : end]).strip() for one, end in zip(found, ends, strict=True)]
    if len(told) > len(open_calls):
        run.notes.ledger.rules[AGAIN] += len(told) - len(open_calls)
        told = told[len(told) - len(open_calls) :]
    for result in told:
        run.observe(place, [open_calls.pop(0)], result)
        run.notes.ledger.rules[REQUEST] += 1
