"""For tests: hold a trace against rules, and a specification against its reference.

```python
from truespec.testing import assert_complies

def test_agent():
    assert_complies(run_my_agent(), "rules.yml", severity="medium")
```

`trace` is a `Trace`, the path of a trace file, or a list of messages: dicts of any provider or objects of
SDKs. A mandatory rule that cannot be evaluated, because nobody says which tools write, fails the test like a
breach: give `tools`, `types` and `domain`, or write `required: false` into the rule. Other rules that are not
evaluated are named in a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truespec.guard.inputs import Said, messages_from
from truespec.rules.finding import Finding, Status
from truespec.rules.language import load_file
from truespec.rules.rule import SEVERITIES, Rule
from truespec.rules.ruleset import RuleSet
from truespec.traces.files import Problem
from truespec.traces.importers.registry import read
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.trace import Source, ToolSchema, Trace, TraceError, prompt_of

DEFAULT_SECONDS = 10.0
"""The limit of a pair in a test: machines that run tests are slow and shared."""

TraceLike = Trace | Sequence[Said] | Mapping[str, Any] | str | Path


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
        listed = value.get("messages", [value]) if isinstance(value, Mapping) else value
        messages = tuple(message for one in listed for message in messages_from(one))
        if not messages:
            raise TraceError("a trace without any message: nothing can be held against rules")
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


def assert_equivalent(
    domain: str,
    oracle: str,
    candidate: str,
    *,
    context: Mapping[str, Any] | None = None,
    timeout: float = DEFAULT_SECONDS,
    **fields: Any,
) -> None:
    """Fails unless `candidate` is proved equivalent to `oracle`.

    `fields` are fields of the context: `assert_equivalent("sql", old, new, schema=DDL, dialect="sqlite")`.
    The failure shows both texts and the input on which they differ. *Unknown* fails too and says why: raise
    `timeout`, in seconds, or test less. Errors of the call are those of `truespec.verify`.

    >>> assert_equivalent("regex", "a|b", "[ab]")
    >>> assert_equivalent("regex", "a|b", "[abc]")
    Traceback (most recent call last):
    ...
    AssertionError: regex: refuted: the candidate is weaker than the oracle
      oracle     a|b
      candidate  [abc]
      the candidate matches “c”, the oracle does not
    """
    __tracebackhide__ = True  # pytest then names the line of the test
    from truespec.api import verify
    from truespec.reports.point import in_words, rows_in_words
    from truespec.verdict import Answer, Counterexample

    verdict = verify(domain, oracle, candidate, {**(context or {}), **fields}, timeout)
    if verdict.answer is Answer.EQUIVALENT:
        return
    relation = f": the candidate is {verdict.relation.value}" if verdict.relation else ""
    if verdict.relation:
        relation += " than the oracle" if verdict.relation.value != "incomparable" else " with the oracle"
    lines = [f"{domain}: {verdict.answer.value}{relation}"]
    for label, text in (("oracle", oracle), ("candidate", candidate)):
        lines.append(f"  {label:10} " + text.strip().replace("\n", "\n" + " " * 13))
    if isinstance(verdict.evidence, Counterexample):
        found = verdict.evidence
        if isinstance(script := found.point.get("script"), str):
            lines += ["  on this database:", *("    " + line for line in script.strip().splitlines())]
            lines += [
                f"  the oracle gives     {rows_in_words(found.oracle_value)}",
                f"  the candidate gives  {rows_in_words(found.candidate_value)}",
            ]
        else:
            lines.append("  " + in_words(domain, found))
    elif verdict.reason:
        lines.append(f"  {verdict.reason.code.value}: {verdict.reason.detail}")
    raise AssertionError("\n".join(lines))


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
