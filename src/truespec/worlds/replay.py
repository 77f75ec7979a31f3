"""A conversation replayed on the model of its environment: what every call did to the database.

The replay is believed only where the model predicts each result that the conversation holds. A call without
a recorded result is carried out; a call that failed in the recording has to be refused by the model, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from truespec.traces.files import loads
from truespec.traces.trace import Message, Trace
from truespec.worlds.world import Refused, Row, State, Tables, World

CLOSE = 1e-6
"""Amounts that differ by less are equal: sums of cents are floating-point numbers."""
Path = tuple[str, ...]
"""Where a value stands: the table, the key, then fields and positions."""


@dataclass(frozen=True)
class Change:
    """A value of the database that a conversation changed."""

    value: Any
    """The value at the end; None where it is gone."""
    by: tuple[int, int]
    """The message and the number of the call in it that changed it last."""


@dataclass(frozen=True)
class Replay:
    """What a conversation did to the database."""

    state: State
    """The database at the end."""
    changes: Mapping[Path, Change] = field(default_factory=dict)
    """The values that differ from the start."""
    problem: str = ""
    """Why the replay is not to be believed, with its place; empty where every result was predicted."""
    compared: int = 0
    """How many recorded results the model predicted."""


def replay(world: World, tables: Tables, trace: Trace) -> Replay:
    """Carry out every call of a trace, in its order."""
    state = State(tables)
    written: dict[Path, tuple[int, int]] = {}
    compared = 0
    for index, message in enumerate(trace.messages):
        for number, call in enumerate(message.calls):
            if call.name in world.harmless:
                continue
            answer = trace.results.get((index, number))
            recorded = trace.messages[answer] if answer is not None else None
            tool = world.writes.get(call.name) or world.reads.get(call.name)
            if tool is None:
                if recorded is None or recorded.failed:
                    continue  # there is no such tool, and nothing happened
                why = f"message {index}: the model of {world.name} has no tool {call.name!r}"
                return Replay(state, {}, why, compared)
            before = {place: deepcopy(row) for place, row in state.changed.items()}
            made = _carry_out(world, state, call.name, call.arguments)
            if recorded is not None:
                if not _predicted(made, recorded):
                    return Replay(state, {}, _surprise(world, index, call.name, made, recorded), compared)
                compared += 1
            if call.name in world.writes and not isinstance(made, Refused):
                for path in _differing(before, state):
                    written[path] = (index, number)
    return Replay(state, _changes(state, written), "", compared)


def outcome(world: World, tables: Tables, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> State | str:
    """The database after calls that nobody recorded, or why they cannot be carried out."""
    state = State(tables)
    for number, (name, arguments) in enumerate(calls, 1):
        if name in world.harmless or name in world.reads:
            continue
        if name not in world.writes:
            return f"action {number}: the model of {world.name} has no tool {name!r}"
        # A refusal is part of what is expected: the attempt changes nothing.
        _carry_out(world, state, name, arguments)
    return state


def differences(state: State) -> dict[Path, Any]:
    """The values of a database that differ from its start; None for one that is gone."""
    return {path: change.value for path, change in _changes(state, {}).items()}


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same: numbers by their value, and a field of None as one that is missing."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return all(equal(left.get(key), right.get(key)) for key in left.keys() | right.keys())
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return abs(left - right) < CLOSE
    return bool(left == right)


def _carry_out(world: World, state: State, name: str, arguments: Mapping[str, Any] | None) -> Any:
    """What the agent reads, or the refusal."""
    tool = world.writes.get(name) or world.reads[name]
    try:
        return tool(state, arguments or {})
    except Refused as refused:
        return refused
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        return Refused(f"the arguments do not fit the tool: {error!r}")


def _predicted(made: Any, recorded: Message) -> bool:
    if isinstance(made, Refused) or recorded.failed:
        return isinstance(made, Refused) and recorded.failed
    text = recorded.text or ""
    if isinstance(made, str):
        return made == text
    try:
        return equal(made, loads(text))
    except ValueError:
        return False


def _surprise(world: World, index: int, name: str, made: Any, recorded: Message) -> str:
    """In words, how a recorded result differs from the predicted one."""
    where = f"message {index}: the model of {world.name} "
    if isinstance(made, Refused):
        return f"{where}refuses {name!r} ({made}), and the recorded call succeeded"
    if recorded.failed:
        return f"{where}carries {name!r} out, and the recorded call failed"
    return f"{where}predicts another result of {name!r} than the one recorded"


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from _leaves(part, (*path, str(key)))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _leaves(part, (*path, str(number)))
    elif value is not None:
        yield path, value


def _flat(row: Row | None, place: tuple[str, str]) -> dict[Path, Any]:
    return dict(_leaves(row, place)) if row else {}


def _between(old: Row | None, new: Row, place: tuple[str, str]) -> Iterator[tuple[Path, Any]]:
    """The values that differ between two versions of a record."""
    before, after = _flat(old, place), _flat(new, place)
    for path in before.keys() | after.keys():
        if not equal(before.get(path), after.get(path)):
            yield path, after.get(path)


def _differing(before: Mapping[tuple[str, str], Row], state: State) -> Iterator[Path]:
    for place, row in state.changed.items():
        old = before.get(place) or state.tables.get(place[0], {}).get(place[1])
        for path, _ in _between(old, row, place):
            yield path


def _changes(state: State, written: Mapping[Path, tuple[int, int]]) -> dict[Path, Change]:
    made = {}
    for place, row in state.changed.items():
        start = state.tables.get(place[0], {}).get(place[1])
        for path, value in _between(start, row, place):
            made[path] = Change(value, written.get(path, (-1, 0)))
    return made
