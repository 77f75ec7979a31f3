"""Results of the Berkeley Function Calling Leaderboard: `{id, result, inference_log?, latency, ...}` lines.

A reply's calls are objects `{tool: arguments}`, or Python calls in a text. The log of inference, where a file
has one, holds what the user asked and what each step's calls gave.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import Problem, TraceFile
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.recorded import parsed
from truespec.traces.importers.records import each_trace, whole_or_lines
from truespec.traces.importers.shared import dicts, tool_call, value_text
from truespec.traces.importers.step_run import StepRun
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, ToolCall, Trace

NAME = "bfcl"
ORDER = "the results of a step stand in the order of its calls"
ASIDE = "an entry of the log that tells of the environment or the decoder is passed over"


def _is_result(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("id"), str):
        return False
    measured = "inference_log" in value or ("latency" in value and "output_token_count" in value)
    return measured and isinstance(value.get("result"), list | str)


def recognises(head: Any, _file: TraceFile) -> bool:
    """A result with what it took."""
    return _is_result(head[0] if isinstance(head, list) and head else head)


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per task."""

    def made(value: Any, _: bool, position: str) -> Trace:
        run = StepRun(Notes(file.ledger, position), position)
        turns = [entry for entry in value.get("inference_log") or () if _is_turn(entry)]
        for number, turn in enumerate(turns):
            _of_turn(turn, run, number)
        if not turns:
            _of_result(value["result"], run)
        return run.trace(value, file, NAME, joins)

    def listed() -> Iterator[tuple[str, Any]]:
        for position, value in whole_or_lines(file):
            if isinstance(value, list):
                yield from ((f"record {number}", one) for number, one in enumerate(value))
            else:
                yield position, value

    return each_trace(file, listed(), lambda v: _is_result(v) or None, made, "a result of a task")


def _is_turn(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "begin_of_turn_query" in entry


def _of_turn(turn: Mapping[str, Any], run: StepRun, number: int) -> None:
    """What the log tells of one turn: the query, and steps of a reply, the decoder's notes and results."""
    for asked in dicts(turn["begin_of_turn_query"]):
        run.say("system" if asked.get("role") == "system" else "user", asked.get("content"), f"turn {number}")
    for step, entries in turn.items():
        if step == "begin_of_turn_query":
            continue
        place = f"turn {number}, {step}"
        waiting: list[ToolCall] = []
        for entry in dicts(entries):
            if entry.get("role") == "assistant":
                waiting = _reply(entry.get("content"), run, place)
            elif entry.get("role") == "tool":
                if len(waiting) > 1:
                    run.notes.ledger.assumed[ORDER] += 1
                run.observe(place, [waiting.pop(0)] if waiting else [], entry.get("content"))
            else:
                run.notes.ledger.rules[ASIDE] += 1


def _of_result(value: Any, run: StepRun) -> None:
    """The replies alone: one of a single turn, or lists of steps for each turn."""
    if isinstance(value, list) and value and all(isinstance(turn, list) for turn in value):
        for number, turn in enumerate(value):
            for step, reply in enumerate(turn):
                _reply(reply, run, f"turn {number}, step_{step}")
    else:
        _reply(value, run, "result")


def _reply(value: Any, run: StepRun, place: str) -> list[ToolCall]:
    """Add a reply; the calls in it."""
    named = place.replace(", ", ".").replace(" ", "-")
    calls = [
        tool_call(name, parsed(given), f"{named}.{number}")
        for number, (name, given) in enumerate(_called(value))
    ]
    if calls:
        run.step(place, None, None, calls)
    elif value_text(value) and value != []:
        run.messages.append(Message("assistant", value_text(value), position=place))
    return list(calls)


def _called(value: Any) -> list[tuple[str, Any]]:
    """The names and arguments of a reply's calls; none where it is a text."""
    if isinstance(value, list):
        if not all(isinstance(one, Mapping) for one in value):
            return []
        return [(str(name), given) for one in value for name, given in one.items()]
    return _written(value) if isinstance(value, str) else []


def _written(text: str) -> list[tuple[str, Any]]:
    """The calls that a text writes in Python, and nothing beside them.

    >>> _written("[look(city='Delft'), math.add(1, b=2)]")
    [('look', {'city': 'Delft'}), ('math.add', {'0': 1, 'b': 2})]
    >>> _written("I cannot help.")
    []
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        listed = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        found = []
        for one in listed:
            if not isinstance(one, ast.Call) or any(word.arg is None for word in one.keywords):
                return []
            given = {str(number): ast.literal_eval(value) for number, value in enumerate(one.args)}
            given |= {str(word.arg): ast.literal_eval(word.value) for word in one.keywords}
            found.append((ast.unparse(one.func), given))
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return []
    return found
