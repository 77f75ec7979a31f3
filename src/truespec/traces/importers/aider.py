"""Aider's chat history in Markdown, `.aider.chat.history.md`: one file for all sessions of a project.

`# aider chat started at TIME` begins a session, `#### ` a line of the user, `> ` a line of aider itself; all
else is the agent's. Aider marks only the first line of what it says itself, so that lines before the first
one of the user are its own too. The history holds no calls of tools: edits stand in the agent's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import RECORD_LIMIT, Problem, TraceFile
from truespec.traces.importers.shared import source_of
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace
from truespec.untrusted.unpack import lines

NAME = "aider"
BEGIN = "# aider chat started at "
ASIDE = "lines of aider itself stand beside the conversation"
_USER, _NOTE = "####", ">"
_MODEL = re.compile(r"^(?:Main model|Model|Models): (\S+?),?(?: with| \(|$)")
_HEAD = 4096


def recognises(head: Any, file: TraceFile) -> bool:
    """A text with the line that begins a session near its beginning."""
    if head is not None or file.is_zip:
        return False
    with file.open() as stream:
        return re.search(rb"^# aider chat started at ", stream.read(_HEAD), re.MULTILINE) is not None


@dataclass
class _Session:
    """The lines of one session."""

    started: str
    line: int
    messages: list[Message] = field(default_factory=list)
    aside: list[dict[str, str]] = field(default_factory=list)
    model: str | None = None
    _role: str | None = ""
    _said: list[str] = field(default_factory=list)
    _place: str = ""

    def add(self, line: str, number: int) -> None:
        """Take a line to whoever says it."""
        if line.startswith(f"{_USER} ") or line == _USER:
            self._say("user", line[len(_USER) + 1 :].rstrip(), number)
        elif line.startswith(f"{_NOTE} ") or line == _NOTE:
            self._say("", line[2:].rstrip(), number)
            if found := _MODEL.match(line[2:]):
                self.model = found.group(1)
        elif any(m.role == "user" for m in self.messages) or self._role == "user":
            self._say("assistant", line, number)
        else:
            self._say("", line.rstrip(), number)

    def _say(self, role: str, text: str, number: int) -> None:
        if role == "assistant" and self._role != role and not text.strip():
            if self._role == "user":  # what parts the speakers; a line of the user's own would have its mark
                self.close()
                self._role = None
            return
        if role != self._role:
            self.close()
            self._role, self._place = role, f"line {number}"
        self._said.append(text)

    def close(self) -> None:
        """End what is being said."""
        text = "\n".join(self._said).strip("\n")
        if text.strip() and self._role:
            self.messages.append(Message(self._role, text, position=self._place))
        elif text.strip():
            self.aside.append({"place": self._place, "text": text})
        self._said = []


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per session; a session in which nobody spoke is counted."""
    session: _Session | None = None
    for number, line in _lines(file):
        if isinstance(line, Problem):
            yield line
        elif line.startswith(BEGIN):
            yield from _traces(session, file, joins)
            session = _Session(line.removeprefix(BEGIN).strip(), number)
        elif session is not None:
            session.add(line, number)
        elif line.strip():
            file.ledger.items.drop("a line before the first session", f"line {number}")
    yield from _traces(session, file, joins)


def _lines(file: TraceFile) -> Iterator[tuple[int, str | Problem]]:
    with file.open() as stream:
        for number, line in enumerate(lines(stream, RECORD_LIMIT), 1):
            if line is None:
                yield number, file.problem(f"line {number}", f"more than {RECORD_LIMIT >> 20} MiB")
            else:
                yield number, line.decode("utf-8", "replace").rstrip("\r")
        if broken := getattr(stream, "broken", None):
            yield 0, file.problem("end of file", broken)


def _traces(session: _Session | None, file: TraceFile, joins: Joins) -> Iterator[Trace]:
    if session is None:
        return
    session.close()
    if session.aside:
        file.ledger.rules[ASIDE] += len(session.aside)
    position = f"line {session.line}"
    if not session.messages:
        file.ledger.rules[
            "a session of aider in which neither the user nor the agent spoke is passed over"
        ] += 1
        return
    yield Trace(
        id=f"{file.path.name}:{session.started or position}",
        messages=tuple(session.messages),
        source=source_of(file, NAME, position),
        system_prompt=joins.prompt,
        tools=joins.domain(None).tools,
        model=session.model,
        metadata={"started": session.started, **({"other": session.aside} if session.aside else {})},
    )
