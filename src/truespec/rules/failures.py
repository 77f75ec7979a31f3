"""Which calls count as failed in a check: by source, and by tool where rule files say so.

```yaml
failures:
  run_tests: [exit_code]            # only these predicates; see `truespec.traces.failure`
  search: never
  book: {text: {words: [declined, sold out]}}
  "*": [flag, json]                 # every other tool
rules: ...
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from json import dumps, loads
from typing import Any

from truespec.rules import predicate as p
from truespec.rules.reading import read_predicate
from truespec.rules.rule import Rule
from truespec.rules.yaml_place import listed
from truespec.traces.event import Event
from truespec.traces.failure import BY_SOURCE, PREDICATES, Failure, failure_of, shortened
from truespec.traces.trace import Message, Trace
from truespec.verdict import ReasonCode, SpecificationError, Undecided, UsageError

ANY_TOOL = "*"
"""The name under which a setting for all other tools stands."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call that counts as failed."""

    message_index: int
    """The message with its result."""
    tool: str | None
    """The tool, where known."""
    failure: Failure
    """Why."""


def read_failures(value: Any, where: str) -> dict[str, Any]:
    """The section `failures` of a rule file, checked: what stands there for each tool."""
    if not isinstance(value, Mapping):
        raise _wrong(where, f"expected a mapping from tools to predicates, found {value!r}")
    made: dict[str, Any] = {}
    for tool, setting in value.items():
        here = f"{where}.{tool}"
        if setting == "never":
            made[str(tool)] = []
        elif isinstance(setting, list):
            for name in setting:
                if name not in PREDICATES:
                    raise _wrong(here, f"no predicate {name!r}{listed(name, PREDICATES)}")
            made[str(tool)] = list(setting)
        elif isinstance(setting, Mapping) and set(setting) == {"text"}:
            read_predicate(setting, here)
            made[str(tool)] = dict(setting)
        else:
            raise _wrong(here, f"expected a list of {', '.join(PREDICATES)}, never, or {{text: ...}}")
    return made


def _wrong(where: str, what: str) -> SpecificationError:
    return SpecificationError(ReasonCode.SYNTAX, f"{where}: {what}")


class Failures:
    """Decides which results tell a failure."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._settings = dict(settings or {})
        self._tests = {
            tool: _compiled(read_predicate(setting, f"failures.{tool}"))
            for tool, setting in self._settings.items()
            if isinstance(setting, Mapping)
        }

    def of(self, message: Message, tool: str | None, source: str | None) -> Failure | None:
        """Why a result tells a failure of this tool, in a trace from this source; None where it does not."""
        name = tool if tool in self._settings else ANY_TOOL
        setting = self._settings.get(name or ANY_TOOL)
        if setting is None:
            return failure_of(message.text, message.error, BY_SOURCE.get(source or "", PREDICATES))
        if isinstance(setting, list):
            return failure_of(message.text, message.error, setting)
        try:
            failed = self._tests[name or ANY_TOOL](Event("result", 0, "assistant", message.text))
        except Undecided as undecided:
            return Failure("rule file", f"taken as failed: {undecided.message}")
        return Failure("rule file", shortened(message.text or "")) if failed else None

    def settled(self, message: Message, tool: str | None, source: str | None) -> Message:
        """The result, with its flag as decided here where that differs from what it tells by itself."""
        failed = self.of(message, tool, source) is not None
        return message if message.failed == failed else replace(message, error=failed)

    def settle(self, trace: Trace) -> Trace:
        """The trace with every result's flag as decided here."""
        source = trace.source.format
        if not self._settings and source not in BY_SOURCE:
            return trace
        made = tuple(
            message if message.role != "tool" else self.settled(message, _tool(trace, index), source)
            for index, message in enumerate(trace.messages)
        )
        changed = any(new is not old for new, old in zip(made, trace.messages, strict=True))
        return replace(trace, messages=made) if changed else trace

    def failed_calls(self, trace: Trace) -> Iterator[FailedCall]:
        """The results that tell a failure, in order."""
        for index, message in enumerate(trace.messages):
            if message.role == "tool":
                tool = _tool(trace, index)
                failure = self.of(message, tool, trace.source.format)
                if failure is not None:
                    yield FailedCall(index, tool, failure)


def _tool(trace: Trace, index: int) -> str | None:
    """The tool that a result is of."""
    message = trace.messages[index]
    if message.tool is not None:
        return message.tool
    place = trace.origins.get(index)
    return None if place is None else trace.messages[place[0]].calls[place[1]].name


def _compiled(predicate: p.Predicate) -> p.Test:
    return lambda event: p.evaluate(predicate, lambda c: p.condition_test(c)(event))


def failures_of(rules: Iterable[Rule]) -> Failures:
    """The settings of all rules together; two files may not say different things of one tool."""
    merged: dict[str, tuple[str, Any]] = {}
    for rule in rules:
        for tool, setting in rule.failures.items():
            known = merged.setdefault(tool, (rule.id, setting))
            if known[1] != setting:
                raise UsageError(
                    f"the files of rules {known[0]!r} and {rule.id!r} say different things about which "
                    f"results of {tool!r} tell a failure; keep one entry under 'failures'"
                )
    return _shared(dumps({tool: setting for tool, (_, setting) in merged.items()}, sort_keys=True))


@lru_cache(maxsize=64)
def _shared(settings: str) -> Failures:
    return Failures(loads(settings))
