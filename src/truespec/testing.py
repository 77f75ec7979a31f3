"""For tests of agents: hold a trace against rules.

```python
from truespec.testing import assert_complies

def test_agent():
    assert_complies(run_my_agent(), "rules.yml", severity="medium")
```

`trace` is a `Trace`, a list of OpenAI messages, or the path of a trace file. A mandatory rule that cannot be
evaluated, because nobody says which tools write, fails the test like a breach: give `tools`, `types` and
`domain`, or write `required: false` into the rule. Other rules that are not evaluated are named in a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truespec.rules.finding import Finding, Status
from truespec.rules.language import load_file
from truespec.rules.rule import SEVERITIES, Rule
from truespec.rules.ruleset import RuleSet
from truespec.traces.files import Problem
from truespec.traces.importers.items import openai_message
from truespec.traces.importers.registry import read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import Source, ToolSchema, Trace, TraceError, prompt_of

TraceLike = Trace | Sequence[Mapping[str, Any]] | str | Path


class RuleNotEvaluated(UserWarning):
    """A rule said nothing about a trace because it could not be evaluated."""


def traces_of(
    value: TraceLike,
    tools: Sequence[Mapping[str, Any]] | None = None,
    types: Mapping[str, str] | None = None,
    domain: str | None = None,
) -> list[Trace]:
    """The traces that a test speaks of; `tools`, `types` and `domain` stand in where a trace has none.

    Without `tools`, the tools are those that `types` names.
    """
    schemas = tool_schemas(tools, types)
    if schemas is None and types is not None:
        schemas = tuple(ToolSchema(name, kind=kind) for name, kind in types.items())
    if isinstance(value, Trace):
        found = [value]
    elif isinstance(value, str | Path):
        items = list(read(Path(value)))
        if problems := [str(item) for item in items if isinstance(item, Problem)]:
            raise TraceError("; ".join(problems))
        found = [item for item in items if isinstance(item, Trace)]
    else:
        messages = tuple(openai_message(message) for message in value)
        source = Source("openai", "in a test", "", "document")
        found = [Trace("in a test", messages, source, prompt_of(messages))]
    return [
        replace(
            one,
            tools=schemas if one.tools is None else one.tools,
            domain=domain if one.domain is None else one.domain,
        )
        for one in found
    ]


def assert_complies(
    trace: TraceLike,
    rules: RuleSet | Sequence[Rule] | str | Path,
    severity: str = "low",
    tools: Sequence[Mapping[str, Any]] | None = None,
    types: Mapping[str, str] | None = None,
    domain: str | None = None,
) -> None:
    """Fails with one line for each breach of at least this severity, and for each rule that had to be
    evaluated and was not; `rules` may be a rule file.

    `tools` are tool schemas as OpenAI or Anthropic take them, `types` says of each tool whether it is `read`,
    `write` or `generic`, `domain` names the environment.
    """
    loaded = rules
    if isinstance(loaded, str | Path):
        loaded = load_file(Path(loaded))
    compiled = loaded if isinstance(loaded, RuleSet) else RuleSet(loaded)
    least = SEVERITIES.index(severity)
    for one in traces_of(trace, tools, types, domain):
        findings = compiled.check(one)
        broken = [
            f"message {v.message_index}: {v.rule_id} ({v.severity}, {v.effect}): {v.quote}"
            for finding in findings
            for v in finding.violations
            if SEVERITIES.index(v.severity) >= least
        ]
        skipped = [f"{f.rule.id}: not evaluated: {f.reason}" for f in findings if _had_to_be(f)]
        said = [f"breaks {len(broken)} rules"] if broken else []
        said += [f"could not be held against {len(skipped)} rules"] if skipped else []
        if said:
            raise AssertionError(f"trace {one.id} {' and '.join(said)}:\n" + "\n".join([*broken, *skipped]))
        for finding in findings:
            if finding.status == Status.NOT_EVALUATED and not finding.elsewhere:
                text = f"{finding.rule.id}: not evaluated: {finding.reason}"
                warnings.warn(text, RuleNotEvaluated, stacklevel=2)


def _had_to_be(finding: Finding) -> bool:
    return finding.status == Status.NOT_EVALUATED and finding.rule.needed and not finding.elsewhere


class Complies:
    """Rules that a test holds traces against."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = RuleSet(rules)
        """The compiled rules."""

    def assert_complies(
        self,
        trace: TraceLike,
        severity: str = "low",
        tools: Sequence[Mapping[str, Any]] | None = None,
        types: Mapping[str, str] | None = None,
        domain: str | None = None,
    ) -> None:
        """See the function of that name."""
        assert_complies(trace, self.rules, severity, tools, types, domain)
