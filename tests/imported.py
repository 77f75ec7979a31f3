"""What an import gave, for the tests of importers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.registry import read_file
from truespec.traces.trace import Trace


def imported(path: Path, form: str | None = None) -> tuple[list[Trace], list[Problem], TraceFile]:
    file = TraceFile(path)
    found = list(read_file(file, form))
    traces = [item for item in found if isinstance(item, Trace)]
    return traces, [item for item in found if isinstance(item, Problem)], file


def of(value: Any, tmp_path: Path, name: str = "x.json", form: str | None = None) -> Trace:
    """The one trace of a value."""
    path = tmp_path / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    (trace,), _, _ = imported(path, form)
    return trace


def calls(trace: Trace) -> list[str]:
    return [call.name for message in trace.messages for call in message.calls]


def answered_calls(trace: Trace) -> list[tuple[str, Any, str | None]]:
    """Each call with its arguments and the text of its result; every result stands at a call."""
    assert len(trace.origins) == sum(message.role == "tool" for message in trace.messages)
    return [
        (
            call.name,
            call.arguments,
            None if (at := trace.results.get((index, number))) is None else trace.messages[at].text,
        )
        for index, message in enumerate(trace.messages)
        for number, call in enumerate(message.calls)
    ]


def answers(trace: Trace) -> dict[str, str | None]:
    """The text of the result of each call, by identifier or by name."""
    return {
        (call.id or call.name): trace.messages[at].text
        for (index, number), at in trace.results.items()
        for call in [trace.messages[index].calls[number]]
    }


def said(trace: Trace, role: str) -> list[str | None]:
    return [m.text for m in trace.messages if m.role == role and m.text]


def spoken(trace: Trace) -> list[tuple[str, str]]:
    """What the user and the agent say, in order."""
    return [(m.role, m.text) for m in trace.messages if m.role in ("user", "assistant") and m.text]


def turns(trace: Trace) -> list[tuple[str, str | None]]:
    """What everybody says but the tools, in order."""
    return [(m.role, m.text) for m in trace.messages if m.role != "tool" and m.text]


def whole(trace: Trace) -> None:
    """No result without its call, no call twice."""
    results = [index for index, m in enumerate(trace.messages) if m.role == "tool"]
    assert set(results) == set(trace.origins)
    identifiers = [c.id for m in trace.messages for c in m.calls if c.id is not None]
    assert len(identifiers) == len(set(identifiers))
