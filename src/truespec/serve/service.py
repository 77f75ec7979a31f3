"""What the HTTP API, the app and the MCP server do: verify a pair, check a trace, count what happened."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truespec.api import DEFAULT_TIMEOUT, Verifier
from truespec.domains.registry import DOMAINS
from truespec.reports.point import in_words
from truespec.serve.queue import FairQueue
from truespec.store.beside import misplaced
from truespec.verdict import Answer, Counterexample, OracleError, ReasonCode, UsageError, Verdict, unknown

if TYPE_CHECKING:
    from truespec.rules.monitor import Violation
    from truespec.rules.rule import Rule
    from truespec.traces.trace import Trace

LONGEST_TIMEOUT = 60.0
"""Seconds that a request may ask for."""
MOST_WAITING = 4_000
"""Requests in line before others are sent away."""
BUCKETS = (0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 60.0)
"""Seconds: the upper bounds of the latency histogram."""
FIELDS = ("id", "domain", "oracle", "candidate", "context", "expected", "upstream_label", "timeout")
"""What a request to verify may hold."""


class Metrics:
    """Counts and times, in the text format of Prometheus."""

    def __init__(self) -> None:
        self.verdicts: Counter[tuple[str, str]] = Counter()
        """Answers by domain."""
        self.requests: Counter[tuple[str, int]] = Counter()
        """HTTP answers by route and status."""
        self._times: Counter[float] = Counter()
        self._sum = 0.0
        self._count = 0

    def verified(self, verdict: Verdict, seconds: float) -> None:
        """Count a verdict and the time its request took, waiting included."""
        self.verdicts[verdict.domain, verdict.answer.value] += 1
        self._sum += seconds
        self._count += 1
        for bound in BUCKETS:
            if seconds <= bound:
                self._times[bound] += 1

    def text(self, queue: FairQueue) -> str:
        """All of them."""
        lines = ["# TYPE truespec_verdicts_total counter"]
        lines += [
            f'truespec_verdicts_total{{domain="{domain}",answer="{answer}"}} {count}'
            for (domain, answer), count in sorted(self.verdicts.items())
        ]
        lines.append("# TYPE truespec_http_requests_total counter")
        lines += [
            f'truespec_http_requests_total{{route="{route}",status="{status}"}} {count}'
            for (route, status), count in sorted(self.requests.items())
        ]
        lines.append("# TYPE truespec_request_seconds histogram")
        lines += [f'truespec_request_seconds_bucket{{le="{le:g}"}} {self._times[le]}' for le in BUCKETS]
        lines += [
            f'truespec_request_seconds_bucket{{le="+Inf"}} {self._count}',
            f"truespec_request_seconds_sum {self._sum:.6f}",
            f"truespec_request_seconds_count {self._count}",
            "# TYPE truespec_requests_waiting gauge",
            f"truespec_requests_waiting {queue.waiting}",
        ]
        return "\n".join(lines) + "\n"


class Service:
    """Warm workers behind a fair queue. Close it when it is no longer needed."""

    def __init__(self, jobs: int, timeout: float = DEFAULT_TIMEOUT) -> None:
        self.verifier = Verifier(jobs=jobs, timeout=timeout)
        self.timeout = timeout
        """Seconds per pair where a request names none."""
        self.queue = FairQueue(jobs, MOST_WAITING)
        self.metrics = Metrics()

    def close(self) -> None:
        """End the workers."""
        self.verifier.close()

    async def verify(self, request: Mapping[str, Any], client: str = "", *, line: bool = False) -> Verdict:
        """The verdict on a pair record, which may also hold a `timeout` in seconds.

        A `line` of a pair file may hold other fields as well. An unusable oracle is a verdict `unknown` with
        code `oracle`. Raises `UsageError` (a `ContextError` for the context) for a record that is wrong, and
        `Full` where too many requests wait.
        """
        seconds = checked(request, self.timeout, line=line)
        context = request.get("context")
        began = time.monotonic()
        async with self.queue.turn(client):
            try:
                verdict = await self.verifier.averify(
                    request["domain"], request["oracle"], request["candidate"], context or {}, seconds
                )
            except OracleError as error:
                verdict = unusable(request["domain"], error)
        self.metrics.verified(verdict, time.monotonic() - began)
        return verdict


def unusable(domain: str, error: OracleError) -> Verdict:
    """The verdict on a pair whose oracle cannot be used."""
    return unknown(domain, ReasonCode.ORACLE, str(error), method="parse")


def checked(request: Mapping[str, Any], timeout: float, *, line: bool = False) -> float:
    """The seconds that a request allows; `UsageError` names the field that is wrong.

    A `line` of a pair file may hold fields that nobody reads here, unless they look like parts of a context.
    """
    if not isinstance(request, Mapping):
        raise UsageError("a request is a JSON object with domain, oracle, candidate and context")
    for name in request:
        if name not in FIELDS and not line:
            raise UsageError(f"unknown field {name!r:.60}: the fields are {', '.join(FIELDS)}")
    for name in ("domain", "oracle", "candidate"):
        if not isinstance(request.get(name), str):
            raise UsageError(f"the field {name!r} is missing or no text")
    if request["domain"] not in DOMAINS:
        raise UsageError(f"unknown domain {request['domain']!r:.60}: expected one of {', '.join(DOMAINS)}")
    context = request.get("context")
    if context is not None and not isinstance(context, Mapping):
        raise UsageError("the field 'context' is no JSON object")
    if line and (problem := misplaced(request, request["domain"])):
        raise UsageError(problem)
    seconds = request.get("timeout")
    if seconds is None:
        return timeout
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise UsageError("the field 'timeout' is no number of seconds")
    if not 0 < seconds <= LONGEST_TIMEOUT:
        raise UsageError(f"the field 'timeout' is {seconds}: expected up to {LONGEST_TIMEOUT:g} seconds")
    return float(seconds)


def in_a_sentence(verdict: Verdict) -> str:
    """A verdict in one or two sentences of plain text."""
    match verdict.answer, verdict.evidence:
        case Answer.EQUIVALENT, _:
            return "The two mean the same for every input in the stated scope; this is proved."
        case Answer.REFUTED, Counterexample() as found:
            relation = {
                "stronger": " The candidate is stronger: it implies the oracle, not conversely.",
                "weaker": " The candidate is weaker: the oracle implies it, not conversely.",
                "incomparable": " Neither implies the other.",
            }.get(verdict.relation.value if verdict.relation else "", "")
            return f"They differ: {in_words(verdict.domain, found)}.{relation}"
    reason = f"{verdict.reason.code.value}: {verdict.reason.detail}" if verdict.reason else "no reason given"
    if verdict.answer is Answer.INVALID:
        return f"The candidate is not a specification of this domain ({reason})."
    return f"It was not decided ({reason})."


def check_messages(
    messages: Sequence[Mapping[str, Any]],
    rules: str,
    tools: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """What became of each rule (of a rule file's text) in a conversation (messages as OpenAI writes them).

    `violations` in the order of messages, `not_evaluated` with the reason for each such rule, `kept` the
    identifiers of the rules that held, `unread` what was left out of messages, with their numbers.

    Raises `SpecificationError` for a rule, `UsageError` for tools and `TraceError` for a message that cannot
    be read.
    """
    from truespec.rules.language import load_rules
    from truespec.rules.monitor import RuleSet

    if not isinstance(messages, list) or not all(isinstance(message, Mapping) for message in messages):
        raise UsageError("'messages' is a list of messages, each a JSON object with role and content")
    if not isinstance(rules, str):
        raise UsageError("'rules' is the text of a rule file (YAML)")
    compiled = RuleSet(load_rules(rules))
    trace, unread = _trace(messages, tools)
    kept, broken, open_rules = [], [], []
    for found in compiled.check(trace):
        if found.violations:
            broken += [_broken(found.rule, violation) for violation in found.violations]
        if found.reason:
            open_rules.append({"rule": found.rule.id, "why": found.reason})
        elif not found.violations:
            kept.append(found.rule.id)
    broken.sort(key=lambda one: int(one["message_index"]))
    return {"violations": broken, "not_evaluated": open_rules, "kept": kept, "unread": unread}


EXPLAINED_SECONDS = 2.0
"""How long the search for one rule's kept and broken conversations may take."""


def explain_rules(rules: str, only: str | None = None, most: int = 20) -> dict[str, Any]:
    """What the first `most` rules of a rule file's text check, in English, with a kept and a broken run each.

    `only` asks for the rule of that id. Raises `SpecificationError` for a rule that cannot be read, and
    `UsageError` where there is no such rule.
    """
    from truespec.rules.compare import ANY_TOOLS, examples
    from truespec.rules.language import load_rules
    from truespec.rules.witness import describe
    from truespec.rules.words import in_english

    if not isinstance(rules, str):
        raise UsageError("'rules' is the text of a rule file (YAML)")
    loaded = load_rules(rules)
    named = [rule for rule in loaded if only is None or rule.id == only]
    if not named:
        raise UsageError(f"no rule {only!r:.60}; there are {', '.join(rule.id for rule in loaded)}")
    explained = []
    for rule in named[:most]:
        kept, broken = examples(rule, ANY_TOOLS, EXPLAINED_SECONDS)
        entry = {"id": rule.id, "text": rule.text, "kind": rule.kind, "checks": in_english(rule)}
        for key, run in (("kept", kept), ("broken", broken)):
            entry[key] = " → ".join(describe(event) for event in run) or "no run was found"
        explained.append(entry)
    return {"rules": explained, "rule_count": len(named)}


def _trace(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None
) -> tuple[Trace, list[str]]:
    """The conversation of a request, and what of it is not read."""
    from truespec.traces.importers.items import openai_messages
    from truespec.traces.importers.parts import Notes
    from truespec.traces.joins import tools_of
    from truespec.traces.trace import Source, Trace, TraceError, prompt_of

    read, notes = [], Notes()
    for number, message in enumerate(messages):
        notes.place = f"message {number}"
        try:
            read += openai_messages(message, notes)
        except (ValueError, TypeError, KeyError) as error:
            raise TraceError(f"message {number}: {error}") from None
    source = Source("openai", "in a request", "", "document")
    schemas = None if tools is None else tools_of(tools, "'tools'")
    trace = Trace("in a request", tuple(read), source, prompt_of(tuple(read)), schemas)
    return trace, [f"{place}: {what}" for place, what in notes.ledger.problems]


def _broken(rule: Rule, violation: Violation) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "text": rule.text,
        "severity": violation.severity,
        "message_index": violation.message_index,
        "quote": violation.quote,
        "effect": violation.effect,
    }
