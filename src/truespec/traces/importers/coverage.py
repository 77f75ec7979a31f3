"""Every text of a file against what its traces hold: what no reader took is told, whatever the format.

Readers take the fields that they know. Here all values that a reader was given are walked, without knowledge
of any format: a text that stands in no message, call, result, prompt or other field of a trace is told with
the name of its field, how many there are, and the first place. So is a call that only the source holds. Texts
count where they are sentences, or where the name of the field says that something is said, given or asked.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from html import unescape
from itertools import chain
from typing import Any

from truespec.traces.files import TraceFile
from truespec.traces.importers.census import one_of, spelling
from truespec.traces.importers.chunks import events_of_sse
from truespec.traces.importers.field_names import Path, last_step, named, placed, steps_of
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.reply_texts import is_stream
from truespec.traces.importers.threads import canonical
from truespec.traces.trace import ToolCall, Trace

UNCOMPARED = "a file too large to be kept: fields that no reader takes are not looked for"
"""What is said of a file whose values were not kept."""
SEVERAL = 12
"""Fields that are told one by one; further ones are counted."""
_LONG = 16
"""Characters of a text that may be a sentence."""
_SENTENCE = 8
"""Letters, without spaces and quotes, of a piece that tells where it comes from."""
_MOST = 0.8
"""The share of a text's pieces that a trace has to hold, where a reader took the text apart."""
_WORD = 60
"""Characters of a text that may be one word; a longer one without a space is data."""
_SOME = 0.4
"""The same where the text is what Python writes for an object."""
_SEARCHED = 400
"""Texts of one field that are looked for in all that the traces hold; further ones count as the others do."""
_SAYING = frozenset(
    (
        *("content", "contents", "text", "texts", "message", "messages", "prompt", "prompts", "completion"),
        *("completions", "input", "inputs", "output", "outputs", "result", "results", "response", "reply"),
        *("answer", "query", "question", "thought", "thoughts", "reasoning", "instruction"),
        *("instructions", "system_prompt", "tool_input", "tool_output", "task_input", "final_output"),
        *("final_answer", "transcript", "request", "arguments", "args", "parameters", "kwargs"),
    )
)
"""Last steps of names of fields in which something is said, asked or given."""
_GIVING = frozenset(("arguments", "args", "input", "parameters", "kwargs", "tool_input", "tool_args"))
"""Fields whose object holds what a tool is given."""
_ASIDE = frozenset(
    (
        *("tools", "functions", "tool_definitions", "definitions", "json_schema", "schema"),
        "response_format",
        *("function_declarations", "functionDeclarations", "tool_json_schema", "output_schema"),
        *("tools_to_call_from", "available_tools", "toolConfig", "tool_config", "output_tools"),
        *("stacktrace", "traceback", "stack", "headers", "http_options", "scope", "resource", "usage"),
        *("logprobs", "signature", "thoughtSignature", "thought_signature", "encrypted_content", "date"),
        *("msg", "msg_template", "user_agent", "description", "structuredPatch", "created_at", "start_time"),
        *("end_time", "timestamp", "name", "additional_headers", "hidden_params", "user_agent.original"),
        *("accepted_events", "token_usage", "sys_version", "os_version", "build", "abort_signal", "edges"),
    )
)
"""Last steps of names of fields that describe: tools and schemas, the run, the machine, where code failed."""
_FAILING = re.compile(r"(?:^|[._/])(?:error|exception|status|statusMessage)", re.IGNORECASE)
"""Names of fields that say why something failed: of the texts there, one piece that is known is enough."""
_NOTATION = frozenset(
    (
        *("name", "arguments", "parameters", "tool_call", "tool_response", "function", "functioncall"),
        *("type", "think", "USER", "ASSISTANT", "Thought", "Action", "Observation"),
        *("EXECUTION RESULT of", "FUNCTION RESPONSE", "Calling tools", "Action Input", "Tool Executed"),
        "Result",
        *("FunctionCall", "ToolCall", "tool_calls", "TOOL_CALLS", "id", "call_id", "content", "role", "text"),
        *("assistant", "user", "endoftext", "python_tag", "eom_id", "summary", "done", "true", "None"),
        "null",
    )
)
"""Words of the notations in which texts tell of calls and speakers."""
_CALLING = frozenset(("arguments", "args", "input", "function", "tool_kwargs", "params_as_json"))
_NAMED = ("call_id", "toolCallId", "toolUseId", "tool_call_id")
"""Fields with the identifier of a call."""
_LETTER = re.compile(r"[^\W\d_]")
_MARKS = b" \t\n\r\v\f\\\"'*_`"
"""Characters that a reader may have dropped or added: spaces and marks."""
_OBJECT = re.compile(r"<[^<>]*(?:<locals>)?[^<>]* at 0x[0-9a-fA-F]+>")
"""What Python writes for an object that has no text."""
_WRITTEN = re.compile(r"\s*[\[(<]*[\w.]+[(=]")
"""How the text begins that Python writes for an object."""
_PIECES = re.compile(
    r"## \w+ ##|<?\b[A-Z]\w+\.[A-Z_]+\b|</?\w+|(?<![\w.])[\w.]+[=(]"
    r"|[<>{}\[\]()\"'\n=:,|]+|\\+[ntr]"
)
_JSON = ("[", "{", '"')
_NESTED = frozenset((dict, list))
_TELLING = frozenset((str, dict, list))
_MESSAGE = frozenset(("role", "content", "parts", "kwargs", "tool_calls"))
"""Fields of messages, which requests repeat; all else is not worth spelling."""
_NEAR = 256
"""Bytes behind a text in which the next one is looked for first."""
_TEXTLESS = frozenset((int, float, bool, type(None)))
_PLAIN = frozenset((str, type(None)))
_MANY = 6
"""Objects in a list that are looked at field by field."""
_OPENING = '[{"\n'
_OPENED = re.compile(r"[ \[{\"\n]")
"""What a text holds that may be a sentence, or hold one."""
_TAGGED = 4
"""The least of fields that an object has which is no attribute of OTLP or Jaeger."""
_DEPTH = 20
"""Texts in texts that are opened."""

Waiting = tuple[Any, Path, int]
"""A value to look at, its field, and in how many texts it stands."""


class Held:
    """What the traces of a file hold; `known` are the objects of the source that they hold as they are."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self.traces = traces
        self.at = 0
        """Where in `muted` the text that was found last ends."""
        self.messages = [message for trace in traces for message in trace.messages]
        self.made = [call for message in self.messages for call in message.calls]
        """All calls."""
        self.calls = {call.id: bool(call.arguments or call.raw) for call in self.made}
        """The identifiers of calls, each with whether it is known what the tool was given."""
        values: list[Any] = [call.arguments for call in self.made]
        values += [one for m in self.messages if m.extra for one in m.extra.values() if type(one) in _NESTED]
        for trace in traces:
            for held in (_beside(trace.metadata), trace.task, trace.outcome.parts):
                values += (held, *(held or {}).values())
        self.values = values
        self.known = {id(value) for value in [None, True, False, *values]}
        self.known.update([id(message.text) for message in self.messages])

    @cached_property
    def texts(self) -> set[str]:
        """Every text, as it stands."""
        made = set(_leaves([*self.values, *(message.extra for message in self.messages)]))
        for message in self.messages:
            made.update(filter(None, (message.text, message.reasoning, message.name, message.tool)))
        for call in self.made:
            made.update(filter(None, (call.name, call.id, call.raw)))
        for trace in self.traces:
            made.update([trace.system_prompt or "", *(tool.description for tool in trace.tools or ())])
            made.update([span.name for span in trace.spans])
            made.update([trace.outcome.ended or "", trace.task_id or "", trace.domain or ""])
        return made

    @cached_property
    def asked(self) -> set[tuple[str, str]]:
        """The calls by what they ask for: a source may give one further identifiers."""
        return {(call.name, canonical(call.arguments)) for call in self.made}

    @cached_property
    def muted(self) -> bytes:
        """All texts, without spaces and marks, one behind the other."""
        return _muted("\0".join(self.texts))

    def follows(self, text: str) -> bool:
        """Whether a text stands soon behind the one that was found last, as pieces of one text do."""
        return self._is_next(_muted(text))

    def _is_next(self, told: bytes) -> bool:
        found = self.muted.find(told, self.at, self.at + len(told) + _NEAR)
        if found >= 0:
            self.at = found + len(told)
        return found >= 0

    def _stands(self, told: bytes) -> bool:
        """Whether a text stands in all texts, near the latest first."""
        if self._is_next(told):
            return True
        found = self.muted.find(told)
        if found >= 0:
            self.at = found + len(told)
        return found >= 0

    def holds(self, text: str, name: str) -> bool:
        """Whether a text stands in the traces, whole or taken apart."""
        if self._stands(_muted(text)):
            return True
        text = unescape(text) if "&" in text else text
        text = _OBJECT.sub("", text) if " at 0x" in text else text
        pieces = [piece for one in _PIECES.split(text) if (piece := one.strip(" /")) not in _NOTATION]
        said = [told for one in pieces if " " in one and len(told := _muted(one)) >= _SENTENCE]
        said = said or [told for one in pieces if len(told := _muted(one)) > 2]
        known = sum(len(one) for one in said if self._stands(one))
        share = _SOME if _WRITTEN.match(text) else _MOST
        return known > 0 if _FAILING.search(name) else known >= share * sum(map(len, said))


def _muted(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").translate(None, _MARKS)


def _beside(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata without the attributes of spans: what only they hold, no rule can speak of."""
    return {key: value for key, value in metadata.items() if not key.startswith("attributes/")}


def _leaves(value: Any) -> list[str]:
    """The texts in a value, the names of its fields among them."""
    texts: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is str:
            texts.append(one)
        elif kind is dict:
            texts += [key for key in one if type(key) is str]
            waiting += [inner for inner in one.values() if type(inner) not in _TEXTLESS]
        elif kind is list or kind is tuple:
            waiting += [inner for inner in one if type(inner) not in _TEXTLESS]
        elif isinstance(one, Mapping):
            waiting.append(dict(one))
    return texts


def tell_uncovered(file: TraceFile, traces: Sequence[Trace], aside: Container[str] = ()) -> None:
    """Tell what the values of a file hold and its traces do not. `aside` are fields beside conversations."""
    if file.passed.beyond:
        file.ledger.rules[UNCOMPARED] += 1
        return
    found = _Walk(Held(traces), aside, file.ledger.aliases)
    for place, value in file.passed.values:
        found.walk(value, place)
    for number, (name, (count, place)) in enumerate(found.calls.items()):
        reason = f"a call in the field {name!r}, which is not read"
        for _ in range(count):
            file.ledger.calls.drop(reason, place)
        if number < SEVERAL:
            file.ledger.problem(place, f"{_counted(count, 'call')} in the field {name!r} in no message")
    for number, (name, (count, place)) in enumerate(found.texts.items()):
        file.ledger.unread[name] = (count, place)
        if number < SEVERAL:
            file.ledger.problem(place, f"{_counted(count, 'text')} in the field {name!r} in no message")
    if (more := len(found.texts) - SEVERAL) > 0:
        file.ledger.problem("file", f"{more} further fields hold texts that stand in no message")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}"


class _Walk:
    def __init__(self, held: Held, aside: Container[str], aliases: Container[str]) -> None:
        self.held = held
        self.known = held.known
        self.aside = aside
        self.aliases = aliases
        self.texts: dict[str, tuple[int, str]] = {}
        """How many texts a field holds, and the first place."""
        self.calls: dict[str, tuple[int, str]] = {}
        self.seen: set[str] = set()
        self.repeated: set[tuple[Any, bytes]] = set()
        """Objects in lists, with the names of the lists."""
        self.searched: dict[str, tuple[int, int]] = {}
        """How many texts of a field were looked for, and how many of them found."""
        self.followed: set[Any] = set()
        """Innermost steps of fields of which a text stood where it was looked for first."""

    def walk(self, value: Any, place: str) -> None:
        """Look at every text and every call in a value."""
        waiting: list[Waiting] = [(value, (), 0)]
        while waiting:
            one, path, depth = waiting.pop()
            kind = type(one)
            if kind is dict:
                given = self._call(one, path, place)
                self._fields(one, path, depth, waiting, given)
            elif kind is list:
                self._entries(one, path, depth, waiting)
            elif kind is str:
                waiting += self._text(one, path, depth, place)

    def _fields(
        self, value: dict[str, Any], path: Path, depth: int, waiting: list[Waiting], given: bool
    ) -> None:
        """The fields of an object that may tell something; `given`: without what is given to a known call."""
        known = self.known
        for key, inner in reversed(value.items()):
            kind = type(inner)
            if kind is str:
                if len(inner) < _LONG:
                    if not inner or not _says(key) or id(inner) in known:
                        continue
                elif id(inner) in known or not (" " in inner or inner[0] in _OPENING or _says(key)):
                    continue
            elif (kind is not dict and kind is not list) or not inner or id(inner) in known:
                continue
            if (given and key in _CALLING) or _is_aside(key) or key in self.aside:
                continue
            waiting.append((inner, (key, path), depth))

    def _entries(self, value: list[Any], path: Path, depth: int, waiting: list[Waiting]) -> None:
        known = self.known
        if len(value) >= _MANY and set(map(type, value)) == {dict}:
            keys = dict.fromkeys(chain.from_iterable(value))
            if _CALLING.isdisjoint(keys) and "key" not in keys:
                self._columns(value, keys, path, depth, waiting)
                return
        for index in range(len(value) - 1, -1, -1):
            inner = value[index]
            kind = type(inner)
            if kind is dict and len(inner) < _TAGGED and "key" in inner and "value" in inner:
                if not _is_aside(key := str(inner["key"])):
                    waiting.append((_untagged(inner["value"]), (key, path), depth))
            elif (kind is dict or kind is list or kind is str) and id(inner) not in known:
                if kind is dict and not _MESSAGE.isdisjoint(inner) and self._is_repeated(inner, path):
                    continue
                waiting.append((inner, (index, path), depth))

    def _is_repeated(self, value: dict[str, Any], path: Path) -> bool:
        """Whether an equal object stood in a list of this name before, as messages do in each request."""
        spelt = spelling(value)
        where = next((step for step in steps_of(path) if type(step) is not int), None)
        if spelt is None or (where, spelt) in self.repeated:
            return spelt is not None
        self.repeated.add((where, spelt))
        return False

    def _columns(
        self, rows: list[dict[str, Any]], keys: Iterable[str], path: Path, depth: int, waiting: list[Waiting]
    ) -> None:
        """The fields of many objects, as `_fields` looks at those of one: field by field, which is faster."""
        known = self.known
        for key in keys:
            column = [row.get(key) for row in rows]
            kinds = set(map(type, column))
            if _TELLING.isdisjoint(kinds) or _is_aside(key) or key in self.aside:
                continue
            if known.issuperset(map(id, column)):
                continue
            said = _says(key)
            if kinds <= _PLAIN and not said and not _OPENED.search("\0".join(filter(None, column))):
                continue  # names, times and the like
            fresh = [index for index, inner in enumerate(column) if inner and id(inner) not in known]
            for index in reversed(fresh):
                inner: Any = column[index]
                kind = type(inner)
                if kind in _TELLING and (kind is not str or said or _OPENED.search(inner)):
                    waiting.append((inner, (key, (index, path)), depth))

    def _text(self, text: str, path: Path, depth: int, place: str) -> list[Waiting]:
        """Look at one text; what is inside it, where it is JSON or a stream, is looked at next."""
        if text in self.seen:
            return []
        self.seen.add(text)
        start = text.lstrip()[:1]
        if start in _JSON and depth < _DEPTH:
            inner = parsed(text)
            if not isinstance(inner, str) or inner != text:
                return [(inner, path, depth + 1)]
        elif len(text) > _LONG and is_stream(text):
            return [(value, path, depth + 1) for _, value in events_of_sse(text)]
        if text in self.held.texts:
            return []
        if len(text) >= _LONG and self.held.follows(text):
            self.followed.add(path[:1])
            return []
        name = named(path)
        last = last_step(name)
        if last in _ASIDE or last in self.aside or _is_aside(path[0] if path else ""):
            return []
        spoken = last in _SAYING or (path and type(path[1]) is tuple and path[1] and _gives(path[1]))
        if not (_is_sentence(text) or (spoken and not _FAILING.search(name) and _is_said(text))):
            return []
        looked, known = self.searched.get(name, (0, 0))
        if looked < _SEARCHED or known or path[:1] in self.followed:
            held = self.held.holds(text, name)
            self.searched[name] = (looked + 1, known + held)
            if held:
                return []
        count, first = self.texts.get(name, (0, placed(place, path)))
        self.texts[name] = (count + 1, first)
        return []

    def _call(self, value: Mapping[str, Any], path: Path, place: str) -> bool:
        """Note a call that the traces do not hold; whether they hold it with what its tool was given."""
        calls = self.held.calls
        name = value.get("id")
        if not name:
            for key in _NAMED:
                if key in value:
                    name = value[key]
                    break
        if type(name) is not str or _CALLING.isdisjoint(value):
            return False
        if name in calls:
            return calls[name]
        found = one_of(value)
        if not isinstance(found, ToolCall) or found.id is None:
            return False
        if found.id in calls:
            return calls[found.id]
        asked = (found.name, canonical(found.arguments))
        if str(found.id) in self.aliases or found.id in self.seen or asked in self.held.asked:
            return False
        self.seen.add(found.id)
        name = named(path)
        count, first = self.calls.get(name, (0, placed(place, path)))
        self.calls[name] = (count + 1, first)
        return False


def _untagged(value: Any) -> Any:
    """The value of an attribute of OTLP without its tag."""
    return next(iter(value.values())) if type(value) is dict and len(value) == 1 else value


def _is_said(text: str) -> bool:
    return _LETTER.search(text) is not None and text[:2] != "__" and (len(text) < _WORD or " " in text)


def _is_sentence(text: str) -> bool:
    return len(text) >= _LONG and text.strip().count(" ") > 1


@lru_cache(maxsize=4096)
def _says(key: Any) -> bool:
    return isinstance(key, str) and (key == "value" or last_step(key) in _SAYING)


def _gives(path: Path) -> bool:
    while path and type(path[0]) is int:
        path = path[1]
    return bool(path) and last_step(str(path[0])) in _GIVING


@lru_cache(maxsize=4096)
def _is_aside(key: Any) -> bool:
    return isinstance(key, str) and (last_step(key) in _ASIDE or key in _ASIDE)
