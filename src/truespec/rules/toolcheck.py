"""Do rules speak of tools and arguments that there are? Read off the YAML, so that mistakes have their line.

A condition on an argument that the tool does not take can never hold, and one that compares a text with a
number never does either; both look like rules that are kept. `rules check --tools` refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import yaml

from truespec.domains.regex.finder import finder
from truespec.rules.predicate import TYPES
from truespec.rules.schemas import type_at
from truespec.rules.yaml_text import load_yaml
from truespec.traces.trace import ToolSchema
from truespec.verdict import TruespecError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ORDER = ("gt", "ge", "lt", "le")
_OF_TEXTS = ("matches",)
_OF_LENGTHS = ("min_length", "max_length")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A condition that no call of the agent's tools can meet as it was meant."""

    line: int
    """The line of the rule file, from 1."""
    rule: str
    """The rule or definition it stands in."""
    message: str
    """What is wrong, and what may have been meant."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}: {self.message}"


def mistakes(text: str, tools: Sequence[ToolSchema], name: str = "") -> Iterator[Mistake]:
    """The mistakes of a rule file about these tools, in the order of lines."""
    load_yaml(text, name)
    root = yaml.compose(text, _LOADER)
    known = {tool.name: tool for tool in tools}
    for rule, node in _parts(root):
        yield from _walked(node, rule, known)


def _parts(root: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    """Each rule and each shared definition, with its name."""
    listed = root
    if isinstance(root, yaml.MappingNode):
        listed = None
        for key, value in root.value:
            if key.value == "define" and isinstance(value, yaml.MappingNode):
                yield from ((f"definition {k.value!r}", v) for k, v in value.value)
            elif key.value == "failures" and isinstance(value, yaml.MappingNode):
                for tool, _ in value.value:
                    yield "failures", _as_call(tool)
            elif key.value == "rules":
                listed = value
    for node in listed.value if isinstance(listed, yaml.SequenceNode) else ():
        fields = {k.value: v for k, v in node.value} if isinstance(node, yaml.MappingNode) else {}
        identifier = fields.get("id")
        name = f"rule {identifier.value!r}" if identifier is not None else "rule"
        if not isinstance(node, yaml.MappingNode):
            continue
        shown = [(key, value) for key, value in node.value if key.value not in ("kept", "broken")]
        yield name, yaml.MappingNode(node.tag, shown, node.start_mark, node.end_mark)
        for key in ("kept", "broken"):
            for step in _steps(fields.get(key)):
                yield f"{name}: {key}", step


def _steps(examples: yaml.Node | None) -> Iterator[yaml.Node]:
    """The calls in the examples of a rule, as conditions with a tool and no more."""
    for example in examples.value if isinstance(examples, yaml.SequenceNode) else ():
        for step in example.value if isinstance(example, yaml.SequenceNode) else ():
            for key, value in step.value if isinstance(step, yaml.MappingNode) else ():
                if key.value == "call":
                    named = (
                        value.value[0][0] if isinstance(value, yaml.MappingNode) and value.value else value
                    )
                    yield _as_call(named)


def _as_call(tool: yaml.Node) -> yaml.Node:
    key = yaml.ScalarNode("tag:yaml.org,2002:str", "call", tool.start_mark, tool.end_mark)
    return yaml.MappingNode("tag:yaml.org,2002:map", [(key, tool)], tool.start_mark, tool.end_mark)


def _walked(node: yaml.Node, rule: str, known: Mapping[str, ToolSchema]) -> Iterator[Mistake]:
    if isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _walked(inner, rule, known)
    if not isinstance(node, yaml.MappingNode):
        return
    fields = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
    named: list[str] = []
    for key in ("call", "result", "tool"):
        if key in fields:
            for name, place in _names(fields[key]):
                named.append(name)
                if name not in known:
                    yield _mistake(place, rule, f"there is no tool {name!r}", name, known)
            for pattern, place in _patterns(fields[key]):
                if not _some_match(pattern, known):
                    yield _mistake(place, rule, f"no tool matches {pattern!r}", pattern, known)
    arguments = fields.get("args")
    if isinstance(arguments, yaml.MappingNode):
        for key, value in arguments.value:
            yield from _argument(key, value, rule, *_spoken(named, known))
    yield from _of_history(fields, named, rule, known)
    for key, value in fields.items():
        if key not in ("args", "call", "result", "tool", "text"):
            yield from _walked(value, rule, known)


def _names(node: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """The tools that a condition names."""
    if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str":
        if node.value not in ("*", "any") and not node.value.startswith("${"):
            yield node.value, node
    elif isinstance(node, yaml.SequenceNode):
        for inner in node.value:
            yield from _names(inner)
    elif isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            if key.value == "not":
                yield from _names(inner)


def _patterns(node: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """The patterns of names that a condition gives."""
    for key, inner in node.value if isinstance(node, yaml.MappingNode) else ():
        if key.value == "matches" and isinstance(inner, yaml.ScalarNode) and "${" not in inner.value:
            yield inner.value, inner
        elif key.value == "not":
            yield from _patterns(inner)


def _some_match(pattern: str, known: Mapping[str, ToolSchema]) -> bool:
    try:
        full = finder(pattern).fullmatch
        return any(full(name) for name in known)
    except TruespecError:  # what cannot be searched with is told where rules are read
        return True


def _of_history(
    fields: Mapping[str, yaml.Node], named: Sequence[str], rule: str, known: Mapping[str, ToolSchema]
) -> Iterator[Mistake]:
    """The arguments that conditions with registers name: of this call, and of the other one."""
    for key, others, names in (("against_result", "result", ("arg",)), ("so_far", "of", ())):
        node = fields.get(key)
        if not isinstance(node, yaml.MappingNode):
            continue
        inner = {k.value: v for k, v in node.value}
        other = inner.get(others)
        if others == "of" and isinstance(other, yaml.MappingNode):
            other = {k.value: v for k, v in other.value}.get("call")
        theirs = [name for name, _ in _names(other)] if other is not None else []
        for name in names:
            if name in inner:
                yield from _argument(inner[name], _ANYTHING, rule, *_spoken(named, known))
        if "sum" in inner:
            yield from _argument(inner["sum"], _ANYTHING, rule, *_spoken(theirs, known))
        for mine, its in _same(inner.get("same")):
            yield from _argument(mine, _ANYTHING, rule, *_spoken(named, known))
            if its is not mine or theirs != list(named):
                yield from _argument(its, _ANYTHING, rule, *_spoken(theirs, known))


def _same(node: yaml.Node | None) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """The arguments in which two events have to agree: of this event, and of the other one."""
    if isinstance(node, yaml.ScalarNode):
        yield node, node
    elif isinstance(node, yaml.SequenceNode):
        yield from ((inner, inner) for inner in node.value)
    elif isinstance(node, yaml.MappingNode):
        yield from node.value


_ANYTHING = yaml.MappingNode("tag:yaml.org,2002:map", [])
"""A condition that any value meets."""


def _spoken(
    named: Sequence[str], known: Mapping[str, ToolSchema]
) -> tuple[list[ToolSchema], Sequence[str], Mapping[str, ToolSchema]]:
    return [known[name] for name in named if name in known], named, known


def _argument(
    key: yaml.Node,
    value: yaml.Node,
    rule: str,
    spoken: Sequence[ToolSchema],
    named: Sequence[str],
    known: Mapping[str, ToolSchema],
) -> Iterator[Mistake]:
    """What is wrong with the condition on one argument: for every tool that it may be about."""
    path = str(key.value)
    about = [t for t in spoken or ([] if named else list(known.values())) if t.parameters is not None]
    found = [(tool, type_at(tool.parameters, path)) for tool in about]
    if about and all(kind is None for _, kind in found):
        takers = " nor any other tool" if len(about) > 1 else ""
        names = {name for tool in about for name in (tool.parameters or {}).get("properties", ())}
        message = f"{about[0].name} takes no argument {path!r}{takers}"
        yield _mistake(key, rule, message, path, names)
        return
    kinds = {kind for _, listed in found if listed for kind in listed}
    if not kinds or "any" in kinds:
        return
    conditions = (
        [(k.value, v) for k, v in value.value] if isinstance(value, yaml.MappingNode) else [("eq", value)]
    )
    for operator, operand in conditions:
        wrong = _misfit(operator, operand, kinds)
        if wrong:
            message = f"the argument {path!r} is {' or '.join(sorted(kinds))}, but {operator} {wrong}"
            yield Mistake(operand.start_mark.line + 1, rule, message)


def _misfit(operator: str, node: yaml.Node, kinds: set[str]) -> str:
    """Why a condition never holds of values of these types; empty where it may."""
    numbers = kinds & {"number", "integer"}
    if operator == "type":
        wanted = str(node.value)
        fits = wanted in kinds or (wanted in ("number", "integer") and numbers) or wanted not in TYPES
        return "" if fits else f"asks for {wanted}"
    if operator in _OF_TEXTS:
        return "" if "string" in kinds else "asks for a text"
    if operator in _OF_LENGTHS:
        return "" if kinds & {"string", "array"} else "asks for a length"
    if operator == "contains":
        return "" if kinds & {"string", "array"} else "asks for a text or a list"
    if operator not in (*_ORDER, "eq", "ne", "in", "not_in"):
        return ""
    operands = node.value if isinstance(node, yaml.SequenceNode) and operator in ("in", "not_in") else [node]
    for one in operands:
        if not isinstance(one, yaml.ScalarNode) or one.value.startswith("$"):
            continue
        kind = one.tag.rpartition(":")[2]
        if kind in ("int", "float") and not numbers:
            return f"compares with the number {one.value}; write it in quotes if the texts are meant"
        if kind == "bool" and "boolean" not in kinds:
            return f"compares with {one.value}, which YAML reads as true or false; quote it to mean the text"
        if kind == "str" and not kinds & {"string", "array", "object"}:
            hint = "; leave out the quotes" if re.fullmatch(r"[-+]?\d+(\.\d+)?", one.value) else ""
            return f"compares with the text {one.value!r}{hint}"
        if kind == "str" and operator in _ORDER and numbers and "string" not in kinds:
            return f"compares with the text {one.value!r}"
    return ""


def _mistake(node: yaml.Node, rule: str, message: str, wrong: str, known: Any) -> Mistake:
    near = get_close_matches(wrong, list(known), 1, 0.6)
    listed = ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else "")
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {listed}" if known else ""
    return Mistake(node.start_mark.line + 1, rule, f"{message}{hint}")
