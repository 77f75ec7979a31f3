"""The value of a YAML text from outside, built from its events without recursion and within bounds.

Texts, numbers, truth values, null and binary texts are read, as programs write them; other tags are not.
An alias stands for the value that it names; what the aliases amount to is bounded.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import yaml

from truespec.untrusted.nesting import TooDeep, yaml_events

EXPANDED = 1 << 22
"""Values that the aliases of one text may stand for together."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,999})").fullmatch
_FLOAT = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?").fullmatch
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_BINARY = "tag:yaml.org,2002:binary"


class NoYaml(ValueError):
    """A text that is no YAML, or none that is read; the message says why."""


def load(text: str) -> Any:
    """The first document of a YAML text.

    >>> load("a: [1, 'x', null]\\nb: &one {c: true}\\nd: *one")
    {'a': [1, 'x', None], 'b': {'c': True}, 'd': {'c': True}}
    """
    try:
        return _Builder().build(text)
    except TooDeep as error:
        raise NoYaml(str(error)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise NoYaml(f"{error.problem}{place}") from None
    except (yaml.YAMLError, binascii.Error) as error:
        raise NoYaml(str(error)) from None


class _Builder:
    def __init__(self) -> None:
        self.open: list[tuple[Any, str | None, list[Any]]] = []
        """The collections that are not closed: the value, its anchor, and the key that waits for a value."""
        self.named: dict[str, tuple[Any, int]] = {}
        """Values by their anchors, each with how many values it holds."""
        self.sizes: list[int] = []
        self.expanded = 0

    def build(self, text: str) -> Any:
        for event in yaml_events(text, _LOADER):
            if isinstance(event, yaml.ScalarEvent):
                done = self._put(_scalar(event), event.anchor, 1)
            elif isinstance(event, yaml.CollectionStartEvent):
                made: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                self.open.append((made, event.anchor, []))
                self.sizes.append(1)
                continue
            elif isinstance(event, yaml.CollectionEndEvent):
                made, anchor, _ = self.open.pop()
                done = self._put(made, anchor, self.sizes.pop())
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self.named:
                    raise NoYaml(f"the alias *{event.anchor} names nothing before it")
                value, size = self.named[event.anchor]
                self.expanded += size
                if self.expanded > EXPANDED:
                    raise NoYaml(f"aliases that stand for more than {EXPANDED:,} values")
                done = self._put(value, None, size)
            else:
                continue
            if done:
                return done[0]
        return None

    def _put(self, value: Any, anchor: str | None, size: int) -> list[Any]:
        """Put a value where it belongs; it alone, in a list, once it is the whole document."""
        if anchor is not None:
            self.named[anchor] = value, size
        if not self.open:
            return [value]
        self.sizes[-1] += size
        holder, _, key = self.open[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif not key:
            key.append(value if isinstance(value, str) else str(value))
        else:
            holder[key.pop()] = value
        return []


def _scalar(event: yaml.ScalarEvent) -> Any:
    if event.tag == _BINARY:
        return base64.b64decode(event.value)
    if event.style or event.tag:
        return event.value
    text = event.value
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER(text):
        return int(text)
    return float(text) if _FLOAT(text) else text
