"""One run of an agent, whatever tool recorded it.

`messages` keeps the order and the positions of the source: the message with index *i* here is the message
with index *i* there wherever the source is a list of messages, so a violation can be looked up in both.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from truespec.traces.failure import failure_of
from truespec.traces.html import as_html
from truespec.verdict import TruespecError

ROLES = ("system", "user", "assistant", "tool")
"""The roles of a normalised message; a source's `developer` is `system`, its `function` is `tool`."""
KINDS = ("read", "write", "generic")
"""What a tool does to the world: looks, changes, or neither (a calculator, a hand-over)."""


class TraceError(TruespecError):
    """A record or a file that is not a trace."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that was asked for, whether or not it was carried out."""

    name: str
    """The tool's name."""
    arguments: Mapping[str, Any] | None
    """The parsed arguments; None when the text is no JSON object, which `raw` then holds."""
    id: str | None = None
    """The identifier that its result refers to."""
    requestor: str = "assistant"
    """Who asked: `assistant`, or `user` where users have tools of their own."""
    raw: str | None = None
    """The arguments as the source wrote them, kept only where they do not parse to an object."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not (self.id is None or isinstance(self.id, str)):
            raise ValueError(
                f"a call's name and identifier are texts, not {self.name!r:.40} and {self.id!r:.40}"
            )
        if self.arguments is not None and not isinstance(self.arguments, Mapping):
            raise ValueError(f"a call's arguments are an object, not {self.arguments!r:.60}")
        if self.arguments is None and self.raw is None:
            raise ValueError(f"the call of {self.name!r} has neither parsed arguments nor their text")

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolCall, _CALL_FIELDS(self)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation, or the result of one call."""

    role: str
    """One of `ROLES`."""
    text: str | None = None
    """The visible text; None where there is none."""
    calls: tuple[ToolCall, ...] = ()
    """The calls made in this message, in order."""
    call_id: str | None = None
    """For a result: the identifier of the call it answers."""
    tool: str | None = None
    """For a result: the name of the tool."""
    error: bool | None = None
    """For a result: whether the source says that the call failed; None where it does not say."""
    requestor: str = "assistant"
    """For a result: who had asked for the call."""
    name: str | None = None
    """The agent or speaker, where several share a role."""
    reasoning: str | None = None
    """Thinking that the user did not see."""
    position: str | None = None
    """Where in the source record it stands, if not at the same index: a span id, a line, a pointer."""
    extra: Mapping[str, Any] | None = None
    """Fields of the source that have no place above: time, usage, attachments."""

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"a message's role is one of {', '.join(ROLES)}, not {self.role!r}")
        if self.calls and self.role == "tool":
            raise ValueError("a result carries no calls")
        for value in (self.text, self.call_id, self.tool, self.name, self.reasoning):
            if value is not None and not isinstance(value, str):
                raise ValueError(f"a message's text and names are texts, not {value!r:.60}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, _MESSAGE_FIELDS(self)

    @property
    def failed(self) -> bool:
        """Whether this result tells a failure: by the source's flag, else by a predicate of `failure`."""
        return self.error is True or (self.error is None and failure_of(self.text) is not None)


# Workers get traces by pickling. What `dataclass` makes for that of a class with slots asks for the list of
# fields at each object, which takes as long as a fifth of the monitors.
_CALL_FIELDS = operator.attrgetter(*(one.name for one in fields(ToolCall)))
_MESSAGE_FIELDS = operator.attrgetter(*(one.name for one in fields(Message)))


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool the agent was given."""

    name: str
    """Its name."""
    parameters: Mapping[str, Any] | None = None
    """The JSON Schema of its arguments; None where the source does not hold it."""
    description: str = ""
    """What the agent was told about it."""
    kind: str | None = None
    """One of `KINDS`; None where nobody said."""

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in KINDS:
            raise ValueError(
                f"the kind of tool {self.name!r} is one of {', '.join(KINDS)}, not {self.kind!r}"
            )


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the run was scored by whoever recorded it."""

    reward: float | None = None
    """The source's own score; None where it gave none."""
    parts: Mapping[str, Any] = field(default_factory=dict)
    """What the score is made of."""
    ended: str | None = None
    """Why the run stopped."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a trace comes from."""

    format: str
    """The importer's name."""
    file: str
    """The file's path as it was given."""
    sha256: str
    """The hash of the file's bytes as they lie on disk."""
    position: str
    """The record in the file: an index such as `simulations/3`, a line, or a member's name."""


@dataclass(frozen=True, slots=True)
class Span:
    """A unit of work in a source that records spans rather than messages."""

    id: str
    """The span's identifier, to which annotations refer."""
    name: str
    """Its name."""
    kind: str
    """LLM, TOOL, AGENT, CHAIN or whatever the source calls it."""
    parent: str | None
    """The span that contains it."""
    message_index: int | None
    """The first message it produced, or the one in force when it ran; None for an empty conversation."""


@dataclass(frozen=True)
class Trace:
    """One run of an agent."""

    id: str
    """Unique within its file."""
    messages: tuple[Message, ...]
    """The conversation, in the source's order."""
    source: Source
    """Where it comes from."""
    system_prompt: str | None = None
    """What the agent was told before the conversation; None where the source does not hold it."""
    tools: tuple[ToolSchema, ...] | None = None
    """The tools it had; None where unknown, which is not the same as none."""
    model: str | None = None
    """The model that acted."""
    domain: str | None = None
    """The source's name for the environment, e.g. `airline`."""
    task_id: str | None = None
    """The source's name for the task."""
    task: Mapping[str, Any] | None = None
    """The task as the source gives it: ticket, instructions, criteria."""
    outcome: Outcome = field(default_factory=Outcome)
    """How it was scored."""
    prompt_sha256: str | None = None
    """Equal for two runs that were given the same prompt; None where the prompt is unknown."""
    spans: tuple[Span, ...] = ()
    """The spans of the source, in its order."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Everything else an evaluator could need."""

    def _repr_html_(self) -> str:
        """The conversation as a table, for notebooks."""
        return as_html((self.id, self.model, self.domain, self.task_id), self.messages)

    def __post_init__(self) -> None:
        if self.prompt_sha256 is None and self.system_prompt is not None:
            object.__setattr__(self, "prompt_sha256", hash_of(self.system_prompt))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of each tool for which it is known."""
        return {tool.name: tool.kind for tool in self.tools or () if tool.kind}

    @cached_property
    def schemas(self) -> Mapping[str, ToolSchema]:
        """The tools by name."""
        return {tool.name: tool for tool in self.tools or ()}

    @cached_property
    def results(self) -> Mapping[tuple[int, int], int]:
        """For the call number *c* of message *m*, the index of the message that holds its result.

        A result belongs to the nearest earlier call with its identifier, for identifiers are sometimes
        used again; a result without one belongs to the earliest call of the block that has none yet.
        """
        answered: dict[tuple[int, int], int] = {}
        open_by_id: dict[str, list[tuple[int, int]]] = {}
        open_calls: list[tuple[int, int]] = []
        for index, message in enumerate(self.messages):
            if message.role == "tool":
                # The latest call with the identifier, else the block's earliest; what is answered is closed.
                named = message.call_id is not None
                places = open_by_id.get(message.call_id or "", []) if named else open_calls
                while places:
                    place = places.pop(-1 if named else 0)
                    if place not in answered:
                        answered[place] = index
                        break
            elif message.calls:
                open_calls = []
                for number, call in enumerate(message.calls):
                    open_calls.append((index, number))
                    if call.id is not None:
                        open_by_id.setdefault(call.id, []).append((index, number))
        return answered

    @cached_property
    def origins(self) -> Mapping[int, tuple[int, int]]:
        """The inverse of `results`: the call that a result answers."""
        return {result: place for place, result in self.results.items()}

    def locate(self, place: str) -> int | None:
        """The message index of a span id or a message's own position; None if there is none."""
        for span in self.spans:
            if span.id == place:
                return span.message_index
        return next((i for i, message in enumerate(self.messages) if message.position == place), None)


def hash_of(prompt: str) -> str:
    """The SHA-256 of a prompt's UTF-8 bytes; lone surrogates are kept apart rather than refused."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def prompt_of(messages: Sequence[Message]) -> str | None:
    """The system prompt of a conversation that carries it: the system messages before anyone else speaks."""
    texts = []
    for message in messages:
        if message.role != "system":
            break
        if message.text:
            texts.append(message.text)
    return "\n\n".join(texts) or None
