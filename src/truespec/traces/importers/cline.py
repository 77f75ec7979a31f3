"""Tasks of Cline and Roo Code as their screen showed them (`ui_messages.json`).

Entries `{ts, type: say|ask, say|ask: KIND, text}` are spoken texts, thoughts, calls of tools and commands.
What a tool gave stands in the text of the next request to the model, or in entries behind the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from truespec.traces.files import Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.records import entries
from truespec.traces.importers.shared import tool_call, value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.joins import Joins
from truespec.traces.trace import ToolCall, Trace

NAME = "cline"
REQUEST = "what a tool gave is read from the text of the next request to the model"
SHOWN = "an entry that tells of the screen, the task's progress or a request is passed over"
ORDER = "the results in a request stand in the order of the calls"
UNSHOWN = "a call that no entry shows is told by its result in the next request alone"
AGAIN = "a result that the next request repeats is read once"
ATTACHED = "images and files beside an entry's text are not kept"
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
_AROUND = re.compile(r"\n*(?:<environment_details>|\n\n# Todo List ).*", re.DOTALL)
_TALKS = (
    "ask_followup_question",
    "plan_mode_respond",
    "act_mode_respond",
    "attempt_completion",
    "new_task",
)
"""Tools with which the agent only speaks: entries of their own hold what it and the user said."""
_LOOKING = ("list", "search")
"""How the names of tools begin that look for something."""


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
    task = _Task(StepRun(Notes(file.ledger), "document"))
    for place, entry in entries(file):
        task.run.notes.place = place
        if isinstance(entry, Problem):
            yield entry
        elif _kind(entry) is None:
            yield file.problem(place, f"no entry of a task: {brief(entry)}")
        else:
            task.add(entry, place)
    if not task.run.messages:
        yield file.problem("document", "a task without messages")
        return
    yield task.run.trace({}, file, NAME, joins)


@dataclass
class _Task:
    """A task so far."""

    run: StepRun
    made: list[ToolCall] = field(default_factory=list)
    """Calls whose results no request has told yet, in order."""
    shown: set[str | None] = field(default_factory=set)
    """Identifiers of those whose results were shown; the next request repeats them."""

    def add(self, entry: Mapping[str, Any], place: str) -> None:
        kind, text, run = str(_kind(entry)), entry.get("text"), self.run
        if entry.get("images") or entry.get("files"):
            run.notes.ledger.rules[ATTACHED] += 1
        if kind in _USER or (kind == "text" and not run.messages):
            run.say("user", text, place)
        elif kind in _AGENT:
            said = parsed(text)
            words = [said[key] for key in _WORDS if said.get(key)] if isinstance(said, Mapping) else []
            run.say("assistant", words[0] if words else text, place)
        elif kind == "reasoning":
            run.step(place, None, value_text(text), [])
        elif kind in _CALLS and text:
            self._call(_call(kind, text, place.replace(" ", "-")), place)
        elif kind in _RESULTS:
            self._result(text, place)
        elif kind == "api_req_started":
            self._request(text, place)
        elif kind in _ASIDE or not text:
            run.notes.ledger.rules[SHOWN] += 1
        else:
            run.notes.skip(kind)

    def _call(self, call: ToolCall, place: str) -> None:
        """A call; one that lists or searches shows what it found as its content."""
        found = (call.arguments or {}).get("content") if call.name.startswith(_LOOKING) else None
        if found is not None:
            left = {name: value for name, value in (call.arguments or {}).items() if name != "content"}
            call = replace(call, arguments=left)
        self.run.step(place, None, None, [call])
        self.made.append(call)
        if found is not None:
            self._result(found, place)

    def _result(self, text: Any, place: str) -> None:
        """A result behind its call; what goes on telling it is added to it."""
        last = self.run.messages[-1] if self.run.messages else None
        call = next((one for one in reversed(self.made) if one.id not in self.shown), None)
        if not text:
            self.run.notes.ledger.rules[SHOWN] += 1
        elif call is not None:
            self.run.observe(place, [call], text)
            self.shown.add(call.id)
        elif last is not None and last.role == "tool":
            self.run.messages[-1] = replace(last, text=f"{last.text or ''}\n{text}")
        else:
            self.run.observe(place, [], text)

    def _request(self, text: Any, place: str) -> None:
        """The results that the text of a request holds, at the calls that wait for them, in order."""
        rules = self.run.notes.ledger.rules
        request = parsed(text)
        request = request.get("request") if isinstance(request, Mapping) else None
        request = request if isinstance(request, str) else ""
        found = list(_RESULT.finditer(request))
        if not found:
            rules[SHOWN] += 1
            return
        ends = [one.start() for one in found[1:]] + [len(request)]
        for number, (one, end) in enumerate(zip(found, ends, strict=True)):
            told, call = _AROUND.sub("", request[one.end() : end]).strip(), None
            if one.group(1) in _TALKS:
                rules[SHOWN] += 1
                continue
            if len(self.made) > 1:
                self.run.notes.ledger.assumed[ORDER] += 1
            if self.made and (call := self.made.pop(0)).id in self.shown:
                rules[AGAIN] += 1
            elif call is not None:
                self.run.observe(place, [call], told)
                rules[REQUEST] += 1
            else:
                call = tool_call(one.group(1), {}, f"{place.replace(' ', '-')}.{number}")
                self.run.step(place, None, None, [call])
                self.run.observe(place, [call], told)
                rules[UNSHOWN] += 1
        self.made = [call for call in self.made if call.id not in self.shown]


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
