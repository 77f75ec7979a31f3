"""Pages of a run over traces: one with the tables and figures, one for each trace with its conversation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from truespec.reports.trace_tables import Share, grouped, rule_totals, same_prompt
from truespec.traces.redact import Redactor
from truespec.traces.trace import Trace
from truespec.version import __version__

_TEXT_LIMIT = 20_000
"""Characters of a message that a page shows."""


def _source(name: str) -> str:
    return files("truespec.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_name(artifact: Mapping[str, Any]) -> str:
    """The file name of a trace's page."""
    return hashlib.sha256(artifact["key"].encode()).hexdigest()[:16] + ".html"


def overview(artifacts: Sequence[Mapping[str, Any]], title: str = "Traces against rules") -> str:
    """The page with the tables and figures."""
    groups = grouped(artifacts)
    rules = rule_totals(artifacts)
    cells = {
        (g.domain, g.model, r["rule"]["id"]): Share(
            g.breaking.get(r["rule"]["id"], 0), g.spoken.get(r["rule"]["id"], 0)
        )
        for g in groups
        for r in rules
    }
    worst = sorted(artifacts, key=lambda one: -sum(len(result["violations"]) for result in one["results"]))
    return (
        _environment()
        .get_template("traces.html")
        .render(
            title=title,
            artifacts=worst,
            groups=groups,
            rules=rules,
            cells=cells,
            same=same_prompt(groups),
            share=Share,
            page_name=page_name,
            style=Markup(_source("report.css") + _source("traces.css")),
            version=__version__,
        )
    )


def trace_page(artifact: Mapping[str, Any], trace: Trace | None, redactor: Redactor | None = None) -> str:
    """The page of one trace: its conversation with each violation at its message."""
    marks: dict[int, list[Mapping[str, Any]]] = {}
    rules = {rule["id"]: rule for rule in artifact["rules"]}
    for result in artifact["results"]:
        for v in result["violations"]:
            shown = dict(v)
            if redactor is not None:
                shown["quote"] = redactor.text(v["quote"])
            marks.setdefault(v["message_index"], []).append(shown)
    if trace is not None and redactor is not None:
        trace = redactor.trace(trace)
    messages = list(_messages(trace)) if trace is not None else []
    if trace is not None and trace.system_prompt and not any(m["role"] == "system" for m in messages):
        messages.insert(
            0,
            {
                "index": None,
                "role": "system",
                "text": _cut(trace.system_prompt),
                "calls": [],
                "note": "prompt",
            },
        )
    return (
        _environment()
        .get_template("trace.html")
        .render(
            artifact=artifact,
            messages=messages,
            marks=marks,
            rules=rules,
            style=Markup(_source("report.css") + _source("traces.css")),
            version=__version__,
        )
    )


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else text[:_TEXT_LIMIT] + f" … ({len(text)} characters)"


def _messages(trace: Trace) -> Iterator[dict[str, Any]]:
    for index, message in enumerate(trace.messages):
        calls = [
            {
                "name": call.name,
                "arguments": call.raw
                if call.arguments is None
                else json.dumps(call.arguments, indent=1, ensure_ascii=False, default=str),
            }
            for call in message.calls
        ]
        note = ""
        if message.role == "tool":
            note = (
                f"result{' of ' + message.tool if message.tool else ''}{', failed' if message.failed else ''}"
            )
        yield {
            "index": index,
            "role": message.role if message.requestor != "user" or message.role != "tool" else "user's tool",
            "text": _cut(message.text or ""),
            "calls": calls,
            "note": note or (message.name or ""),
        }


def write_report(
    artifacts: Sequence[Mapping[str, Any]],
    traces: Iterable[Trace],
    folder: Path,
    redactor: Redactor | None = None,
) -> int:
    """Write `index.html` and a page per trace below `traces/`; the number of pages."""
    known = {(one["source"]["sha256"], one["source"].get("position")): one for one in artifacts}
    pages = folder / "traces"
    pages.mkdir(parents=True, exist_ok=True)
    written: set[str] = set()
    for trace in traces:
        one = known.get((trace.source.sha256, trace.source.position))
        if one is not None and page_name(one) not in written:
            written.add(page_name(one))
            _write(pages / page_name(one), trace_page(one, trace, redactor))
    for one in artifacts:
        if page_name(one) not in written:
            written.add(page_name(one))
            _write(pages / page_name(one), trace_page(one, None, redactor))
    _write(folder / "index.html", overview(artifacts))
    return len(written)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))
