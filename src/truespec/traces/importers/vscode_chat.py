"""VS Code chat exports (`chat.json`): `{requests[], responderUsername}`, and the logs of its sessions.

The real calls stand in `result.metadata.toolCallRounds`, their results in `toolCallResults`; a request that
is still running has neither, and its visible parts are read instead. There is no system prompt and no schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.mutations import is_log, replayed
from truespec.traces.importers.shared import dicts, source_of, text_of, tool_call
from truespec.traces.joins import Joins
from truespec.traces.ledger import Ledger
from truespec.traces.scanner import each_record
from truespec.traces.trace import Message, Outcome, ToolCall, Trace

NAME = "vscode-chat"
ASIDE = (
    *("agent", "invocationMessage", "pastTenseMessage", "originMessage", "renderedUserMessage"),
    *("renderedGlobalContext", "details"),
)
"""Fields beside the conversation: what the editor shows, and prompts as it fills them in."""


def recognises(head: Any, _file: TraceFile) -> bool:
    """Its outer fields, its requests, or the first line of a log, which holds them."""
    if not isinstance(head, dict):
        return False
    return "responderUsername" in head or is_log(head) or _is_request(head.get("requests"))


def _is_request(listed: Any) -> bool:
    """Whether the first of several requests holds a message, and a response of parts by their kinds."""
    first = listed[0] if isinstance(listed, list) and listed else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        return False
    return "text" in first["message"] and any("kind" in part for part in dicts(first.get("response")))


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per export, over all its requests."""
    requests: list[Mapping[str, Any]] = []
    header: Mapping[str, Any] = {}
    if is_log(file.head):
        header = yield from replayed(file)
        requests += dicts(header.get("requests"))
        listed: Iterable[Any] = ()
    else:
        listed = each_record(file, "requests", lambda r: isinstance(r, dict) and "message" in r)
    for around, _, request in listed:
        header = around
        if isinstance(request, Problem):
            yield request
        else:
            requests.append(request)
    if not header:
        value = file.document()
        header = value if isinstance(value, dict) else {}
    messages: list[Message] = []
    model = None
    for index, request in enumerate(requests):
        try:
            messages += _messages(request, f"requests/{index}", file.ledger)
        except UNREADABLE as error:
            yield file.problem(f"requests/{index}", f"no request of a chat export: {error!r}")
        model = request.get("modelId") or model
    last = requests[-1] if requests else {}
    ended = (
        "cancelled"
        if last.get("isCanceled")
        else "completed"
        if last.get("result")
        else "in progress"
        if last
        else "empty"
    )
    yield Trace(
        id=str(last.get("requestId") or file.path.name),
        messages=tuple(messages),
        source=source_of(file, NAME, "document"),
        system_prompt=joins.prompt,
        tools=joins.domain(None).tools,
        model=model,
        outcome=Outcome(ended=ended),
        metadata={
            k: v
            for k, v in header.items()
            if k in ("requesterUsername", "responderUsername", "initialLocation")
        },
    )


def _messages(request: Mapping[str, Any], position: str, ledger: Ledger) -> Iterator[Message]:
    body = request["message"]
    extra = {k: request[k] for k in ("timestamp", "requestId", "variableData") if request.get(k)}
    yield Message("user", body if isinstance(body, str) else body.get("text"), position=position, extra=extra)
    metadata = (request.get("result") or {}).get("metadata") or {}
    rounds = metadata.get("toolCallRounds")
    parts: list[Mapping[str, Any]] = [
        {"value": part} if isinstance(part, str) else part
        for part in request.get("response") or ()
        if isinstance(part, dict | str)
    ]
    failures = [bool(_details(p).get("isError")) for p in parts if _is_run(p)]
    if not rounds:
        yield from _visible(parts, position)
        return
    for part in parts:
        if _is_run(part) and isinstance(part.get("toolCallId"), str):
            ledger.aliases[part["toolCallId"]] = position  # the visible form of a round's call
    results = metadata.get("toolCallResults") or {}
    seen = 0
    for number, turn in enumerate(rounds):
        calls = tuple(
            tool_call(c.get("name"), c.get("arguments"), c.get("id")) for c in turn.get("toolCalls") or ()
        )
        yield Message(
            "assistant",
            turn.get("response") or None,
            calls,
            reasoning=_thought(turn),
            position=f"{position}/rounds/{number}",
        )
        for call in calls:
            failed = failures[seen] if seen < len(failures) and len(failures) == _count(rounds) else None
            seen += 1
            if call.id in results:
                text = _result_text(results[call.id])
                yield Message(
                    "tool",
                    text,
                    call_id=call.id,
                    tool=call.name,
                    error=True if failed else None,
                    position=f"{position}/results/{call.id}",
                )


def _count(rounds: list[Mapping[str, Any]]) -> int:
    return sum(len(turn.get("toolCalls") or ()) for turn in rounds)


def _thought(turn: Mapping[str, Any]) -> str | None:
    thinking = turn.get("thinking")
    return text_of(thinking) if thinking else None


def _details(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a run's visible part says of its result; a list of links says nothing."""
    details = part.get("resultDetails")
    return details if isinstance(details, dict) else {}


def _is_run(part: Mapping[str, Any]) -> bool:
    return part.get("kind") == "toolInvocationSerialized" and part.get("presentation") != "hidden"


_LEAVES = ("text", "value")
"""Fields of a tree's leaves that hold the text."""
_INNER = frozenset((dict, list))


def _result_text(result: Any) -> str | None:
    """The values of a result's content; rich ones are trees whose leaves hold the text."""
    if isinstance(result, str):
        return result
    texts: list[str] = []
    stack = [result]
    while stack:
        value = stack.pop()
        if type(value) is dict:
            texts += [value[key] for key in _LEAVES if type(value.get(key)) is str]
            stack += [part for part in value.values() if part and type(part) in _INNER][::-1]
        elif type(value) is list:
            stack += value[::-1]
    return "".join(texts) if texts else None


def _visible(parts: list[Mapping[str, Any]], position: str) -> Iterator[Message]:
    texts: list[str] = []
    thoughts: list[str] = []
    for number, part in enumerate(parts):
        if "kind" not in part and isinstance(part.get("value"), str):
            texts.append(part["value"])
        elif part.get("kind") == "thinking" and (thought := text_of(part.get("value"))):
            thoughts.append(thought)
        elif part.get("kind") == "inlineReference":
            texts.append(_referred(part.get("inlineReference"), part.get("name")))
        elif _is_run(part):
            call: ToolCall = tool_call(part.get("toolId"), _given(part), part.get("toolCallId"))
            yield Message(
                "assistant",
                "".join(texts) or None,
                (call,),
                reasoning="\n".join(thoughts) or None,
                position=f"{position}/response/{number}",
            )
            texts, thoughts = [], []
            details = part.get("resultDetails")
            if part.get("isComplete") and details is not None:
                output = details.get("output") if isinstance(details, dict) else details
                yield Message(
                    "tool",
                    _result_text(output),
                    call_id=call.id,
                    tool=call.name,
                    error=True if _details(part).get("isError") else None,
                    position=f"{position}/response/{number}",
                )
    if texts or thoughts:
        yield Message(
            "assistant",
            "".join(texts) or None,
            reasoning="\n".join(thoughts) or None,
            position=f"{position}/response",
        )


def _given(part: Mapping[str, Any]) -> Any:
    """What a visible run was given: its input, or the line that a terminal ran."""
    data = part.get("toolSpecificData")
    data = data if isinstance(data, Mapping) else {}
    if data.get("rawInput") is not None:
        return data["rawInput"]
    given = _details(part).get("input")
    if given not in (None, "", "{}") or data.get("kind") != "terminal":
        return given
    line = data.get("commandLine", data.get("command"))
    line = line.get("original") if isinstance(line, Mapping) else line
    return {"command": line} if isinstance(line, str) else given


def _referred(value: Any, name: Any) -> str:
    """The name under which the editor shows a file or a symbol amid a text."""
    place = value.get("location", value) if isinstance(value, Mapping) else {}
    path = place.get("uri", place) if isinstance(place, Mapping) else {}
    path = path.get("path", path.get("fsPath")) if isinstance(path, Mapping) else None
    shown = name or (value.get("name") if isinstance(value, Mapping) else None)
    return shown if isinstance(shown, str) else str(path or "").rpartition("/")[2]
