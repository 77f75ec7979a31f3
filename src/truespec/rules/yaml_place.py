"""Where in a rule file an error stands, which known name is near, and which keys stand twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

import yaml

from truespec.verdict import Place

_QUOTED = re.compile(r"'([^']*)'")
_RULE = re.compile(r"(?:^|: )rule (?:(\d+)|'([^']*)')(?:: |$)")
_FORMULAS = ("formula", "require")


def listed(name: object, known: Iterable[str]) -> str:
    """The known names for a message, the nearest one first.

    >>> listed("cal", ["call", "result"])
    "; did you mean 'call'? There are call, result"
    """
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(str(name)[:60], names, 1, 0.6)
    there = f"here are {', '.join(names)}"
    return f"; did you mean {near[0]!r}? T{there}" if near else f"; t{there}"


class Keys:
    """The keys of the mappings that are open while events of YAML pass."""

    def __init__(self) -> None:
        self._open: list[set[str] | None] = []
        """For each open collection its keys so far; None for a list."""
        self._expects_key: list[bool] = []

    def repeated(self, event: yaml.Event) -> str | None:
        """The key that this event writes for the second time in its mapping; else None."""
        found = None
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._expects_key.pop()
        elif isinstance(event, yaml.ScalarEvent) and self._open:
            keys = self._open[-1]
            if keys is not None and self._expects_key[-1] and event.value != "<<":
                found = event.value if event.value in keys else None
                keys.add(event.value)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append(set() if isinstance(event, yaml.MappingStartEvent) else None)
            self._expects_key.append(False)
        elif not isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent, yaml.CollectionEndEvent)):
            return None
        if self._expects_key:
            self._expects_key[-1] = not self._expects_key[-1]
        return found


def rule_named(root: yaml.Node | None, message: str) -> yaml.Node | None:
    """The rule that an error names by its number or its id; the whole file where it names none."""
    rules = root
    if isinstance(root, yaml.MappingNode):
        rules = _value(root, "rules")
    nodes = rules.value if isinstance(rules, yaml.SequenceNode) else []
    found = _RULE.search(message)
    if found and found[1]:
        return nodes[int(found[1]) - 1] if int(found[1]) <= len(nodes) else root
    for rule in nodes if found else ():
        identifier = _value(rule, "id")
        if identifier is not None and identifier.value == found[2]:  # type: ignore[index]
            return rule  # type: ignore[no-any-return]
    return root


def place_of(root: yaml.Node | None, message: str, column: int | None) -> Place | None:
    """Where the thing stands that an error's message names by its path and in quotation marks.

    `column` counts in the formula, where the error is in one. The place is that of the last part of the path
    that is found: at least that of the rule.
    """
    node = rule_named(root, message)
    if node is None:
        return None
    found = _RULE.search(message)
    said = message[found.end() :] if found else message.partition(": ")[2]
    parts = said.split(": ")
    scopes = [scope for scope in (_value(_value(node, "formal"), "define"), _value(root, "define")) if scope]
    for part in parts[:-1]:
        step = _walk(node, part, scopes)
        if step is None:
            break
        node = step
    if column is not None:
        return _in_formula(node, column)
    named = _QUOTED.search(parts[-1])
    exact = (_scalar(node, named[1]) or _scalar(node, f"${{{named[1]}}}")) if named else None
    return _at(exact or node)


def _at(node: yaml.Node) -> Place:
    return Place(node.start_mark.line + 1, node.start_mark.column + 1, in_file=True)


def _walk(node: yaml.Node, path: str, scopes: list[yaml.Node]) -> yaml.Node | None:
    """The node at a path such as `a.args.amount` or `a[2]`; a defined name leads to its definition."""
    rest = path
    first = True
    while rest:
        if isinstance(node, yaml.SequenceNode):
            index = re.match(r"\[(\d+)\]\.?", rest)
            if not index or int(index[1]) >= len(node.value):
                return None if first else node
            node, rest = node.value[int(index[1])], rest[index.end() :]
        else:
            step = _longest(node, rest)
            if step is None and first:
                step = next((s for scope in scopes if (s := _longest(scope, rest))), None)
            if step is None:
                return None if first else node
            node, used = step
            rest = rest[used:].removeprefix(".")
        first = False
    return node


def _longest(node: yaml.Node, path: str) -> tuple[yaml.Node, int] | None:
    """The value of the longest key that a path begins with, since keys such as `order.id` hold points."""
    found: tuple[yaml.Node, int] | None = None
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if name and re.match(re.escape(name) + r"(?:[.\[]|$)", path) and (not found or len(name) > found[1]):
            found = value, len(name)
    return found


def _value(node: yaml.Node | None, name: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for key, value in pairs if key.value == name), None)


def _scalar(node: yaml.Node, text: str) -> yaml.Node | None:
    """The first key or value below a node that is written so; the nearer ones first."""
    waiting = [node]
    while waiting:
        inner: list[yaml.Node] = []
        for one in waiting:
            if isinstance(one, yaml.ScalarNode) and one.value == text:
                return one
            if isinstance(one, yaml.MappingNode):
                inner += [part for pair in one.value for part in pair]
            elif isinstance(one, yaml.SequenceNode):
                inner += one.value
        waiting = inner
    return None


def _in_formula(node: yaml.Node, column: int) -> Place:
    """The place of a column of the rule's formula; its beginning where it is folded or escaped."""
    scalar = next((found for name in _FORMULAS if (found := _value(node, name))), node)
    start, end = scalar.start_mark, scalar.end_mark
    if not isinstance(scalar, yaml.ScalarNode) or start.line != end.line:
        return _at(scalar)
    quote = 1 if scalar.style else 0
    if end.column - start.column != len(scalar.value) + 2 * quote:
        return _at(scalar)
    return Place(start.line + 1, start.column + quote + column, in_file=True)
