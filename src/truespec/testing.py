"""For tests of agents: hold a trace against rules.

```python
from truespec.testing import assert_complies

def test_agent():
    assert_complies(run_my_agent(), "rules.yml", severity="medium")
```

`trace` is a `Trace`, a list of OpenAI messages, or the path of a trace file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.rules.language import load_file
from truespec.rules.monitor import RuleSet
from truespec.rules.monitor import assert_complies as _assert_complies
from truespec.rules.rule import Rule
from truespec.traces.files import Problem
from truespec.traces.importers.items import openai_message
from truespec.traces.importers.registry import read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import Source, Trace, TraceError, prompt_of

TraceLike = Trace | Sequence[Mapping[str, Any]] | str | Path


def traces_of(value: TraceLike, tools: Sequence[Mapping[str, Any]] | None = None) -> list[Trace]:
    """The traces that a test speaks of."""
    if isinstance(value, Trace):
        return [value]
    if isinstance(value, str | Path):
        found = list(read(Path(value)))
        if problems := [str(item) for item in found if isinstance(item, Problem)]:
            raise TraceError("; ".join(problems))
        return [item for item in found if isinstance(item, Trace)]
    messages = tuple(openai_message(message) for message in value)
    source = Source("openai", "in a test", "", "document")
    return [Trace("in a test", messages, source, prompt_of(messages), tool_schemas(tools))]


def assert_complies(
    trace: TraceLike,
    rules: RuleSet | Sequence[Rule] | str | Path,
    severity: str = "low",
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Fails with one line for each breach of at least this severity; `rules` may be a rule file."""
    loaded = rules
    if isinstance(loaded, str | Path):
        loaded = load_file(Path(loaded))
    compiled = loaded if isinstance(loaded, RuleSet) else RuleSet(loaded)
    for one in traces_of(trace, tools):
        _assert_complies(one, compiled, severity)


class Complies:
    """Rules that a test holds traces against."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = RuleSet(rules)
        """The compiled rules."""

    def assert_complies(self, trace: TraceLike, severity: str = "low") -> None:
        """See the function of that name."""
        assert_complies(trace, self.rules, severity)
