"""Evaluations of Google's ADK: the conversations of an evaluation set, and those that a run of it made.

An invocation is `{user_content, intermediate_data: {tool_uses, tool_responses, intermediate_responses},
final_response}`. The results of a run hold an invocation under `actual_invocation`, and the one that was
expected beside it; the actual ones are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile, brief
from truespec.traces.importers.conversation import Origin, placed, trace_of
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.records import records
from truespec.traces.importers.shared import dicts
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace

NAME = "adk-evals"
_CASES = ("eval_cases", "evalCases", "eval_case_results", "evalCaseResults")
_INVOCATIONS = ("eval_metric_result_per_invocation", "evalMetricResultPerInvocation")


def _get(value: Mapping[str, Any], name: str) -> Any:
    """A field under its name or under the name in camel case, which newer versions write."""
    first, *rest = name.split("_")
    return value.get(name, value.get(first + "".join(word.capitalize() for word in rest)))


def _is_ours(value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(key), list) for key in _CASES)


def recognises(head: Any, _file: TraceFile) -> bool:
    """An evaluation set, or the results of a run of one."""
    return _is_ours(head) and ("eval_set_id" in head or "evalSetId" in head or "eval_set_result_id" in head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per case."""
    for position, value in records(file, _is_ours):
        if isinstance(value, Problem):
            yield value
            continue
        listed = (
            next((value[key] for key in _CASES if isinstance(value.get(key), list)), None)
            if _is_ours(value)
            else None
        )
        if listed is None:
            yield file.problem(position, f"expected evaluation cases, found {brief(value)}")
            continue
        for number, case in enumerate(listed):
            place = f"{position}, case {number}"
            try:
                yield _trace(case, file, place, joins)
            except UNREADABLE as error:
                yield file.problem(place, f"no evaluation case: {error!r}")


def _invocations(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = case.get("conversation")
    if isinstance(said, list):
        return dicts(said)
    run: Any = next((case[key] for key in _INVOCATIONS if isinstance(case.get(key), list)), [])
    actual = [_get(one, "actual_invocation") for one in dicts(run)]
    return dicts(actual)


def _trace(case: Mapping[str, Any], file: TraceFile, position: str, joins: Joins) -> Trace:
    notes = Notes(file.ledger)
    messages: list[Message] = []
    for number, invocation in enumerate(_invocations(case)):
        items = ((f"invocation {number}, {name}", item) for name, item in _items(invocation))
        messages += placed(items, position, notes)
    identifier = _get(case, "eval_id")
    return trace_of(
        messages,
        Origin(file, NAME, position, joins),
        identifier=identifier,
        task_id=None if identifier is None else str(identifier),
    )


def _items(invocation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    user = _get(invocation, "user_content")
    if isinstance(user, Mapping):
        yield "user_content", {**user, "role": "user"}
    between = _get(invocation, "intermediate_data")
    between = between if isinstance(between, Mapping) else {}
    events = between.get("invocation_events", between.get("invocationEvents"))
    for event in dicts(events):
        content = event.get("content")
        if isinstance(content, Mapping):
            yield "invocation_events", {"role": "model", **content}
    # Where a set holds no events, what was said, called and answered stands apart, without an order.
    said = _get(between, "intermediate_responses")
    for one in said if isinstance(said, list) else ():
        if isinstance(one, list) and len(one) == 2 and one[1]:
            yield "intermediate_responses", {"role": "model", "parts": one[1]}
    calls = [{"functionCall": call} for call in dicts(_get(between, "tool_uses"))]
    if calls:
        yield "tool_uses", {"role": "model", "parts": calls}
    answers = [{"functionResponse": answer} for answer in dicts(_get(between, "tool_responses"))]
    if answers:
        yield "tool_responses", {"role": "user", "parts": answers}
    final = _get(invocation, "final_response")
    if isinstance(final, Mapping):
        yield "final_response", {**final, "role": "model"}
