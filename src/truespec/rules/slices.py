"""The state of a rule with bound names: one machine for each combination of values, moved in groups.

A rule such as "refund no order twice" watches each order by itself. Orders whose machines stand in the same
state move alike under every event that speaks of none of them, so they are kept in groups: an event costs one
step for each group and one for each combination that it speaks of, whatever number of combinations there is.
The number of groups is bounded by the states of the machine. Groups are trees with parent links (union by
size), so two of them are joined at once and one member is found in logarithmic time.

All changes can be written to a journal and taken back, which is how a monitor looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from truespec.rules.progress import FAILED, PASSED, Machine
from truespec.traces.event import Event

Key = tuple[str | None, ...]
"""The values of the bound names; None where the event held none, which equals nothing."""
Rope = Any
"""Events in order: one `Event`, or a pair of ropes. Joining two takes constant time and changes neither."""
Report = Callable[[Rope], None]
_REGISTERS = -1
"""In place of a residual: the member keeps what a key's past amounts to, and owes nothing."""
_FEW = 8
"""Groups of so few members are not compacted."""


def joined(left: Rope | None, right: Rope) -> Rope:
    """Both ropes, one after the other."""
    return right if left is None else (left, right)


def events_of(rope: Rope) -> Iterator[Event]:
    """The events of a rope, in order."""
    stack = [rope]
    while stack:
        top = stack.pop()
        if isinstance(top, tuple):
            stack += (top[1], top[0])
        else:
            yield top


class _Node:
    """A member, below which other members of its group hang."""

    __slots__ = ("below", "dead", "parent", "size", "state", "token")

    def __init__(self, state: tuple[int, int], token: _Token) -> None:
        self.state = state
        self.token: _Token | None = token
        self.parent: _Node | None = None
        self.below: list[_Node] = []
        self.size = 1
        self.dead = 0


class _Token:
    """What one key keeps in one group: its registers, or obligations with the events they come from."""

    __slots__ = ("key", "leaf", "origins")

    def __init__(self, key: Key, origins: Rope | None) -> None:
        self.key = key
        self.origins = origins
        self.leaf: _Node


def _root(node: _Node) -> _Node:
    while node.parent is not None:
        node = node.parent
    return node


def _living(node: _Node) -> Iterator[_Token]:
    stack = [node]
    while stack:
        top = stack.pop()
        if top.dead < top.size:
            if top.token is not None:
                yield top.token
            stack += top.below


class Slices:
    """The machines of all combinations of values that one obligation of a rule has met."""

    def __init__(self, machine: Machine, looks_back: bool) -> None:
        self._machine = machine
        self._looks_back = looks_back
        self._default = 0
        self._roots: dict[tuple[int, int], _Node] = {}
        self._keys: dict[Key, tuple[_Token, ...]] = {}
        self._journal: list[tuple[Any, ...]] | None = None

    def __contains__(self, key: Key) -> bool:
        return key in self._keys

    def idle(self) -> bool:
        """Whether an event of which nothing holds, and that speaks of no key, changes nothing."""
        machine = self._machine
        if machine.step(self._default, 0)[0] != self._default:
            return False
        for registers, residual in self._roots:
            if self._looks_back and machine.step(registers, 0)[0] != registers:
                return False
            if residual != _REGISTERS and machine.move(residual, registers, 0) != residual:
                return False
        return True

    def begin(self) -> None:
        """From now on, changes can be taken back."""
        self._journal = [(None, self._default, self._roots)]

    def roll_back(self) -> None:
        """Take back all changes since `begin`."""
        assert self._journal is not None
        while self._journal:
            place, name, old = self._journal.pop()
            if place is None:
                self._default, self._roots = name, old
            elif name is None:
                place.pop()
            elif place is self._keys:
                if old is None:
                    del self._keys[name]
                else:
                    self._keys[name] = old
            else:
                setattr(place, name, old)
        self._journal = None

    def step(
        self, base: int, letters: Mapping[Key, int], start: Key | None, event: Event, report: Report
    ) -> None:
        """Take an event: `letters` are those of the keys it speaks of, `base` that of all others.

        `start` is the key of an obligation that begins here; its letter has to be given. What has failed is
        reported with the events at which it had begun.
        """
        machine = self._machine
        touched = [(key, letter, *self._taken(key)) for key, letter in letters.items()]
        self._move(base, report)
        for key, letter, registers, owed in touched:
            after, spawned = machine.step(registers, letter)
            kept: dict[int, Rope] = {}
            for residual, origins in owed:
                target = machine.move(residual, registers, letter)
                if target == FAILED:
                    report(origins)
                elif target != PASSED:
                    kept[target] = joined(kept.get(target), origins)
            if key == start:
                if spawned == FAILED:
                    report(event)
                elif spawned != PASSED:
                    kept[spawned] = joined(kept.get(spawned), event)
            tokens = [self._placed(key, None, (after, _REGISTERS))] if self._looks_back else []
            tokens += [self._placed(key, origins, (after, residual)) for residual, origins in kept.items()]
            self._remember(key, tuple(tokens))
        self._default = machine.step(self._default, base)[0]

    def owed(self) -> Iterator[tuple[int, Rope]]:
        """Every residual that is open, with the events at which it had begun."""
        for (_, residual), root in self._roots.items():
            if residual != _REGISTERS:
                for token in _living(root):
                    yield residual, token.origins

    def forget(self) -> None:
        """Let go of all members: as they refer to each other, they would keep a trace until collected."""
        for tokens in self._keys.values():
            for token in tokens:
                token.leaf.token = None
        self._keys, self._roots = {}, {}

    def _taken(self, key: Key) -> tuple[int, list[tuple[int, Rope]]]:
        """The registers of a key and what it owes; it leaves its groups."""
        registers = self._default
        owed = []
        for token in self._keys.get(key, ()):
            root = _root(token.leaf)
            if token.origins is None or root.state[1] > PASSED:
                registers = root.state[0]
                if token.origins is not None:
                    owed.append((root.state[1], token.origins))
            self._set(token.leaf, "token", None)
            node: _Node | None = token.leaf
            while node is not None:
                self._set(node, "dead", node.dead + 1)
                node = node.parent
        return registers, owed

    def _move(self, letter: int, report: Report) -> None:
        """Let every group take a step."""
        machine = self._machine
        roots, self._roots = self._roots, {}
        for (registers, residual), root in roots.items():
            if root.dead == root.size:
                continue
            after = machine.step(registers, letter)[0] if self._looks_back else registers
            target = residual if residual == _REGISTERS else machine.move(residual, registers, letter)
            if target in (FAILED, PASSED):
                self._set(root, "state", (after, target))
                self._leave(root, report if target == FAILED else None)
            else:
                self._join((after, target), root)

    def _leave(self, root: _Node, report: Report | None) -> None:
        """A group has nothing left to show."""
        if report is None and self._journal is not None:
            return
        for token in _living(root):
            if report is not None:
                report(token.origins)
            if self._journal is None:
                token.leaf.token = None
                left = tuple(other for other in self._keys.get(token.key, ()) if other is not token)
                self._remember(token.key, left)

    def _join(self, state: tuple[int, int], root: _Node) -> None:
        if self._journal is None and root.size > _FEW and root.dead * 2 > root.size:
            root = _compacted(root)
        other = self._roots.get(state)
        if other is not None:
            small, root = (root, other) if root.size <= other.size else (other, root)
            self._set(small, "parent", root)
            self._set(root, "size", root.size + small.size)
            self._set(root, "dead", root.dead + small.dead)
            root.below.append(small)
            if self._journal is not None:
                self._journal.append((root.below, None, None))
        if root.state != state:
            self._set(root, "state", state)
        self._roots[state] = root

    def _placed(self, key: Key, origins: Rope | None, state: tuple[int, int]) -> _Token:
        token = _Token(key, origins)
        token.leaf = _Node(state, token)
        self._join(state, token.leaf)
        return token

    def _remember(self, key: Key, tokens: tuple[_Token, ...]) -> None:
        if self._journal is not None:
            self._journal.append((self._keys, key, self._keys.get(key)))
            self._keys[key] = tokens
        elif tokens:
            self._keys[key] = tokens
        else:
            self._keys.pop(key, None)

    def _set(self, node: _Node, name: str, value: object) -> None:
        if self._journal is not None:
            self._journal.append((node, name, getattr(node, name)))
        setattr(node, name, value)


def _compacted(root: _Node) -> _Node:
    """The living members of a group, all directly below one of them."""
    made = []
    for token in _living(root):
        token.leaf = _Node(root.state, token)
        made.append(token.leaf)
    top, *rest = made
    for node in rest:
        node.parent = top
    top.below, top.size = rest, len(made)
    return top
