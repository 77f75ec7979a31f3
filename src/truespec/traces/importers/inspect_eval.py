"""Inspect logs: `.eval` archives (`header.json`, `samples/*.json`) and their JSON form.

Long texts are stored once under `attachments` and referred to; they are put back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile, loads
from truespec.traces.importers.items import openai_messages
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import number, source_of, tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Outcome, Trace, prompt_of

NAME = "inspect"
OURS = ("header.json", "_journal/", "samples/")
"""What the names of an archive's members begin with."""
_PREFIX = "attachment://"
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def recognises(head: Any, file: TraceFile) -> bool:
    """The ending, or a log's first fields."""
    if file.is_zip:
        return file.path.suffix == ".eval" or any(name.startswith(OURS) for name in file.names())
    return isinstance(head, dict) and "eval" in head and "version" in head and "status" in head


def _is_sample(value: Any) -> bool:
    return isinstance(value, dict) and "messages" in value


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per sample."""
    if not file.is_zip:
        stream = each_record(
            file, "samples", lambda s: isinstance(s, dict) and "messages" in s, needs=("eval",)
        )
        for header, index, sample in stream:
            if isinstance(sample, Problem):
                yield sample
            else:
                yield from _guarded(sample, header, file, f"samples/{index}", joins)
        return
    about: Mapping[str, Any] = {}
    samples: list[tuple[str, bytes]] = []
    for name, content in file.members():
        if isinstance(content, Problem):
            yield content
        elif name in ("header.json", "_journal/start.json"):
            try:
                found = loads(content)
                about = found if isinstance(found, dict) and (not about or name == "header.json") else about
            except ValueError as error:
                yield file.problem(name, f"no JSON: {error}")
        elif name.startswith("samples/"):
            samples.append((name, content))
    for name, content in samples:
        try:
            sample = loads(content)
        except ValueError as error:
            yield file.problem(name, f"no JSON: {error}")
            continue
        yield from _guarded(sample, about, file, name, joins)


def _guarded(
    sample: Any, header: Mapping[str, Any], file: TraceFile, position: str, joins: Joins
) -> Iterator[Trace | Problem]:
    try:
        yield _trace(sample, header, file, position, joins)
    except UNREADABLE as error:
        yield file.problem(position, f"no sample of an Inspect log: {error!r}")


def _put_back(value: Any, attachments: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return attachments.get(value[len(_PREFIX) :], value) if value.startswith(_PREFIX) else value
    if isinstance(value, list):
        return [_put_back(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: _put_back(item, attachments) for key, item in value.items()}
    return value


def _trace(
    sample: Mapping[str, Any], header: Mapping[str, Any], file: TraceFile, position: str, joins: Joins
) -> Trace:
    attachments = sample.get("attachments") or {}
    listed, notes = _put_back(sample["messages"], attachments), Notes(file.ledger, position)
    messages = tuple([message for m in listed for message in openai_messages(m, notes)])
    about = header.get("eval") or {}
    tools = None
    for event in sample.get("events") or ():
        if event.get("event") == "model" and event.get("tools"):
            tools = tool_schemas(_put_back(event["tools"], attachments))
    scores = sample.get("scores") or {}
    first = next(iter(scores.values())).get("value") if scores else None
    reward = _GRADES.get(first) if isinstance(first, str) else number(first)
    task = {
        key: _put_back(sample[key], attachments) for key in ("input", "target", "metadata") if key in sample
    }
    return Trace(
        id=str(sample.get("uuid") or f"{sample.get('id')}:{sample.get('epoch', 1)}"),
        messages=messages,
        source=source_of(file, NAME, position),
        system_prompt=prompt_of(messages) or joins.prompt,
        tools=tools,
        model=about.get("model") or (sample.get("output") or {}).get("model"),
        domain=about.get("task"),
        task_id=str(sample.get("id")),
        task=task,
        outcome=Outcome(
            reward, scores, ((sample.get("output") or {}).get("choices") or [{}])[0].get("stop_reason")
        ),
        metadata={
            "epoch": sample.get("epoch"),
            "run": about.get("run_id"),
            **{
                k: sample[k]
                for k in ("model_usage", "total_time", "working_time", "error", "limit")
                if sample.get(k)
            },
        },
    )
