"""A trace as a small HTML table, for notebooks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Protocol

LONGEST = 600
"""Characters of a text that are shown."""
MOST = 100
"""Messages that are shown."""


class _Call(Protocol):
    """What is shown of a call."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, Any] | None: ...
    @property
    def raw(self) -> str | None: ...


class _Message(Protocol):
    """What is shown of a message."""

    @property
    def role(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def tool(self) -> str | None: ...
    @property
    def failed(self) -> bool: ...
    @property
    def calls(self) -> Sequence[_Call]: ...


def as_html(names: Sequence[str | None], messages: Sequence[_Message]) -> str:
    """A conversation: its names as the caption, and its messages with the numbers to which violations refer.

    Every text is escaped. Long texts are cut with an ellipsis, and messages that are left out are counted.
    """
    rows = "".join(
        f"<tr><td>{number}</td><td>{escape(message.role)}</td>"
        f"<td style='text-align:left;white-space:pre-wrap'>{_said(message)}</td></tr>"
        for number, message in enumerate(messages[:MOST])
    )
    caption = " · ".join(escape(_cut(text)) for text in names if text)
    left_out = len(messages) - MOST
    more = f"<p>{left_out} further messages are not shown.</p>" if left_out > 0 else ""
    return f"<div><table><caption><b>{caption}</b></caption>{rows}</table>{more}</div>"


def _said(message: _Message) -> str:
    """The text, the calls, and of a result its tool and whether it failed."""
    parts = [f"<i>{escape(_cut(message.tool))}</i>"] if message.tool else []
    parts += ["<b>failed</b>"] if message.role == "tool" and message.failed else []
    parts += [escape(_cut(message.text))] if message.text else []
    for call in message.calls:
        given = call.raw if call.arguments is None else json.dumps(dict(call.arguments), ensure_ascii=False)
        parts.append(f"<code>{escape(_cut(f'{call.name}({given or str()})'))}</code>")
    return "<br>".join(parts)


def _cut(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
