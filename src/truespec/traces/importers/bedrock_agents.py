"""Traces of Amazon Bedrock's agents: the events of `InvokeAgent`, as a list, as lines, or under `traces`.

An event holds an `orchestrationTrace`: a rationale, the invocation of a tool, what was observed, or the final
response. Invocations and observations are paired by their `traceId`. The user's words stand in the first
input of the model, where it is kept, or in `inputText` beside the events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile, brief
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import dicts, source_of, tool_call, value_text
from truespec.traces.importers.told import parsed
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace, prompt_of

NAME = "bedrock-agents"
_KINDS = (
    "preProcessingTrace",
    "orchestrationTrace",
    "postProcessingTrace",
    "routingClassifierTrace",
    "customOrchestrationTrace",
    "failureTrace",
    "guardrailTrace",
)
_LISTS = ("traces", "trace", "events", "completion")
_INPUTS = {
    "actionGroupInvocationInput": "",
    "knowledgeBaseLookupInput": "knowledge_base",
    "codeInterpreterInvocationInput": "code_interpreter",
    "agentCollaboratorInvocationInput": "",
}
"""What an invocation may hold, with the name of its tool where it does not say one."""
_NAMES = ("function", "apiPath", "agentCollaboratorName", "actionGroupName")
_OUTPUTS = (
    "actionGroupInvocationOutput",
    "knowledgeBaseLookupOutput",
    "codeInterpreterInvocationOutput",
    "agentCollaboratorInvocationOutput",
    "repromptResponse",
)
_TEXTS = ("text", "output", "retrievedReferences", "executionOutput", "executionError")
_ASKED = re.compile(r"^\[\{text=(.*?)(?:, type=text)?\}\]$", re.DOTALL)


def _event(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The trace in an event, and the object around it; None where there is none."""
    around: Any = value
    for _ in range(3):
        if not isinstance(value, Mapping):
            return None
        if any(isinstance(value.get(kind), Mapping) for kind in _KINDS):
            return value, around
        around, value = value, value.get("trace")
    return None


def _events(value: Any) -> list[Any] | None:
    """The events of a record; None where it holds none."""
    if isinstance(value, Mapping):
        if _event(value) is not None:
            return [value]
        value = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    return value if isinstance(value, list) and any(_event(one) for one in value) else None


def recognises(head: Any, _file: TraceFile) -> bool:
    """Events of an agent's trace, in a list, in a field, or one on the first line."""
    return _events(head) is not None or (
        isinstance(head, list) and bool(head) and _events(head[0]) is not None
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per session of a list or of lines; one for each record that holds a list of its own."""
    loose: dict[str, list[tuple[str, Any]]] = {}
    for position, value in records(file, lambda v: _events(v) is not None):
        listed = None if isinstance(value, Problem) else _events(value)
        if isinstance(value, Problem):
            yield value
        elif isinstance(value, Mapping) and listed is not None and listed[0] is not value:
            inner = [(f"{position}, event {n}", one) for n, one in enumerate(listed)]
            yield _trace(inner, value, file, position, joins)
        elif listed is not None or (isinstance(value, Mapping) and "chunk" in value):
            found = _event(value)
            session = str(found[1].get("sessionId") or "") if found else next(reversed(loose), "")
            loose.setdefault(session, []).append((position, value))
        else:
            yield file.problem(position, f"expected an event of an agent of Bedrock, found {brief(value)}")
    for events in loose.values():
        yield _trace(events, {}, file, events[0][0], joins)


@dataclass
class _Talk:
    """A session as it is put together."""

    notes: Notes
    messages: list[Message] = field(default_factory=list)
    model: str | None = None
    _calls: Counter[str] = field(default_factory=Counter)
    _thoughts: list[str] = field(default_factory=list)
    _ids: dict[str, str] = field(default_factory=dict)
    _left: set[str] = field(default_factory=set)

    def say(self, role: str, text: Any, place: str) -> None:
        if isinstance(text, str) and text:
            thought = self._thought() if role == "assistant" else None
            self.messages.append(Message(role, text, reasoning=thought, position=place))

    def _thought(self) -> str | None:
        text = "\n".join(self._thoughts) or None
        self._thoughts = []
        return text

    def add(self, trace: Mapping[str, Any], place: str) -> None:
        for kind in _KINDS:
            part = trace.get(kind)
            if not isinstance(part, Mapping):
                continue
            if kind == "failureTrace":
                self.notes.ledger.items.drop("a failure of the agent", place)
                self.notes.ledger.problem(place, f"the agent failed: {part.get('failureReason')}")
            elif kind == "guardrailTrace":
                self._leave("guardrailTrace", place)
            else:
                self._step(part, place)

    def _step(self, part: Mapping[str, Any], place: str) -> None:
        asked = part.get("modelInvocationInput")
        if isinstance(asked, Mapping):
            self.model = str(asked["foundationModel"]) if asked.get("foundationModel") else self.model
            if not self.messages:
                self._asked(asked, place)
        if isinstance(rationale := part.get("rationale"), Mapping) and rationale.get("text"):
            self._thoughts.append(str(rationale["text"]))
        if isinstance(invocation := part.get("invocationInput"), Mapping):
            self._call(invocation, place)
        if isinstance(observation := part.get("observation"), Mapping):
            self._observe(observation, place)

    def _asked(self, asked: Mapping[str, Any], place: str) -> None:
        """The prompt and the user's words, which the first input of the model holds as JSON in a text."""
        text = parsed(asked.get("text"))
        if not isinstance(text, Mapping):
            return
        self.say("system", text.get("system"), place)
        for message in dicts(text.get("messages")):
            content = message.get("content")
            found = _ASKED.match(content) if isinstance(content, str) else None
            if message.get("role") == "user":
                self.say("user", found.group(1) if found else value_text(content), place)

    def _call(self, invocation: Mapping[str, Any], place: str) -> None:
        for key, default in _INPUTS.items():
            given = invocation.get(key)
            if not isinstance(given, Mapping):
                continue
            name = default or next((given[name] for name in _NAMES if given.get(name)), key)
            listed = dicts(given.get("parameters"))
            for content in (given.get("requestBody") or {}).get("content", {}).values():
                # Actions are given the list of properties inside an object.
                inner = content.get("properties") if isinstance(content, Mapping) else content
                if not isinstance(inner, list):
                    self._leave("a body of a request that is no list of properties", place)
                listed += dicts(inner)
            arguments = {str(one.get("name")): one.get("value") for one in listed}
            rest = {k: given[k] for k in ("text", "code", "input") if given.get(k) is not None}
            said = str(given.get("invocationId") or invocation.get("traceId") or "call")
            identifier = f"{said}#{self._calls[said]}" if self._calls[said] else said
            self._calls[said] += 1
            self._ids[str(invocation.get("traceId"))] = identifier
            call = tool_call(name, {**arguments, **rest}, identifier)
            self.messages.append(
                Message("assistant", None, (call,), reasoning=self._thought(), position=place)
            )

    def _observe(self, observation: Mapping[str, Any], place: str) -> None:
        final = observation.get("finalResponse")
        if isinstance(final, Mapping):
            self.say("assistant", final.get("text"), place)
        for key in _OUTPUTS:
            given = observation.get(key)
            if not isinstance(given, Mapping):
                continue
            value = next((given[name] for name in _TEXTS if given.get(name) is not None), None)
            failed = True if given.get("executionError") or key == "repromptResponse" else None
            answered = self._ids.pop(str(observation.get("traceId")), None)
            text = value_text(value) or ""
            self.messages.append(Message("tool", text, call_id=answered, error=failed, position=place))

    def _leave(self, what: str, place: str) -> None:
        self.notes.ledger.items.drop(f"an event of the type {what!r} is not read", place)
        if what not in self._left:
            self._left.add(what)
            self.notes.ledger.problem(place, f"events of the type {what!r} are not read")


def _trace(
    events: list[tuple[str, Any]], around: Mapping[str, Any], file: TraceFile, position: str, joins: Joins
) -> Trace:
    talk = _Talk(Notes(file.ledger))
    talk.say("user", around.get("inputText"), f"{position}, inputText")
    session = around.get("sessionId")
    spoken: list[str] = []
    for place, event in events:
        found = _event(event)
        if found is not None:
            session = session or found[1].get("sessionId")
            try:
                talk.add(found[0], place)
            except UNREADABLE as error:
                file.ledger.items.drop("an event of an agent that cannot be read", place)
                file.ledger.problem(place, f"an event of an agent of Bedrock cannot be read: {error!r}")
        elif isinstance(event, Mapping) and isinstance(event.get("chunk"), Mapping):
            spoken.append(str(event["chunk"].get("bytes") or ""))
        else:
            file.ledger.items.drop("no event of an agent", place)
            file.ledger.problem(place, f"no event of an agent of Bedrock: {brief(event)}")
    if not any(m.role == "assistant" and m.text for m in talk.messages):  # else it says the same once more
        talk.say("assistant", "".join(spoken), f"{position}, chunk")
    messages = tuple(talk.messages)
    return Trace(
        id=str(session or f"{file.path.name}:{position}"),
        messages=messages,
        source=source_of(file, NAME, position),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=joins.domain(None).tools,
        model=talk.model,
    )
