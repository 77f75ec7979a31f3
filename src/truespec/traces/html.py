"""A trace as a small HTML table, for notebooks."""

from __future__ import annotations

import json
from html import escape

from truespec.traces.trace import Message, Trace

LONGEST = 600
"""Characters of a text that are shown."""
MOST = 100
"""Messages that are shown."""


def as_html(trace: Trace) -> str:
    """The messages with their numbers, to which violations refer; every text is escaped.

    Long texts are cut with an ellipsis, and messages that are left out are counted.
    """
    rows = "".join(
        f"<tr><td>{number}</td><td>{escape(message.role)}</td>"
        f"<td style='text-align:left;white-space:pre-wrap'>{_said(message)}</td></tr>"
        for number, message in enumerate(trace.messages[:MOST])
    )
    known = [trace.id, trace.model, trace.domain, trace.task_id]
    caption = " · ".join(escape(_cut(text)) for text in known if text)
    left_out = len(trace.messages) - MOST
    more = f"<p>{left_out} further messages are not shown.</p>" if left_out > 0 else ""
    return f"<div><table><caption><b>{caption}</b></caption>{rows}</table>{more}</div>"


def _said(message: Message) -> str:
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
