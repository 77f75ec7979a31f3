"""A run: many traces checked against one set of rules, one artifact each, on a line of its own.

The file can be taken up again after a crash: an artifact belongs to the bytes of its source, its place
there, and the rules; what is already there is not checked again, and a line that was cut off is dropped.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truespec.compliance import RULE_SET
from truespec.compliance.artifact import artifact
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.scoring import DEFAULT, Scoring
from truespec.rules.finding import Status
from truespec.rules.ruleset import RuleSet
from truespec.traces.files import Problem
from truespec.traces.trace import Trace
from truespec.untrusted.nesting import check_json
from truespec.verdict import UsageError
from truespec.version import __version__

if TYPE_CHECKING:
    from truespec.compliance.final_state import FinalStates

FIELDS = {
    "key",
    "trace_id",
    "source",
    "model",
    "domain",
    "task_id",
    "outcome",
    "rules",
    "results",
    "aggregate",
}
FIELDS |= {"checks", "prompt_sha256"}
"""A record without these is no artifact of a run."""
UNINFORMATIVE_SHARE = 0.95
"""A rule broken by at least this share of the traces it spoke about tells nothing about any of them."""
NAMED = 20
"""Violations that the end of a failed check names."""
UNINFORMATIVE_TRACES = 10
"""Fewer traces are too few to say so."""


def key_of(source: Mapping[str, Any], rules: str) -> str:
    """What an artifact belongs to."""
    text = f"{source['sha256']}:{source.get('position', '')}:{rules}:{__version__}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rules_key(texts: Iterable[str]) -> str:
    """A hash of rule files' contents."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:16]


def _unheard(line: int, why: str) -> None:
    """Nobody asked what was left out."""


def kept_lines(
    path: Path, lost: Callable[[int, str], None] = _unheard
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The artifacts already in a file, with their lines; the first that does not parse ends it.

    `lost` gets the number of a line that was left out, from 1, and why. In a compact file, a rule set stands
    once, on a line before the first artifact that refers to it. Here it is put back. `UsageError` for an
    artifact whose rule set is missing.
    """
    if not path.exists():
        return
    sets: dict[str, Any] = {}
    with path.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            try:
                check_json(raw)
                line = raw.decode("utf-8")
                record = json.loads(line)
            except ValueError:  # no UTF-8, too deep, or no JSON
                lost(number, "no JSON, so this line and all below it are left out")
                return
            if not line.endswith("\n") or not isinstance(record, dict):
                why = "no JSON object" if line.endswith("\n") else "cut short"
                lost(number, f"{why}, so it is left out")
                continue
            if RULE_SET in record:
                sets[str(record[RULE_SET])] = record.get("rules")
            elif "key" in record:
                name = record.get("rules")
                if isinstance(name, str) and name not in sets:
                    raise UsageError(
                        f"{path}: the artifact {record['key']} refers to the rule set {name}, which no "
                        "line above it holds; write the file again with 'truespec trace check'"
                    )
                yield line, {**record, "rules": sets[name]} if isinstance(name, str) else record
            else:
                lost(number, "no artifact of 'truespec trace check', so it is left out")


def _artifacts_in(file: Path, lost: list[str]) -> Iterator[dict[str, Any]]:
    """The artifacts of one file; what is left out is added to `lost`."""
    for _, record in kept_lines(file, lambda line, why: lost.append(f"line {line}: {why}")):
        if record.keys() >= FIELDS:
            yield record
        else:
            lost.append(f"the record {record['key']!r:.40} is no artifact of a run, so it is left out")


def artifacts_in(
    path: Path,
    tell: Callable[[str], None] = lambda sentence: None,
    seen: Callable[[int], None] = lambda n: None,
) -> list[dict[str, Any]]:
    """The artifacts of a run, a JSONL file or a folder of files.

    `tell` gets a sentence with its place for what is left out: a line of a file, or a file of a folder.
    `seen` gets the number of artifacts after each one.
    """
    found: list[dict[str, Any]] = []
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        before = len(found)
        lost: list[str] = []
        for record in _artifacts_in(file, lost):
            found.append(record)
            seen(len(found))
        if path.is_dir() and len(found) == before:
            lost = ["no artifact of 'truespec trace check', so it is left out"]
        for sentence in lost:
            tell(f"{file}: {sentence}")
    return found


@dataclass
class Tally:
    """Counts over a run."""

    traces: int = 0
    problems: int = 0
    violations: Counter[str] = field(default_factory=Counter)
    """Violations by severity."""
    accepted: Counter[str] = field(default_factory=Counter)
    """Of these, those that a baseline accepts."""
    statuses: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """For each rule, traces by status."""
    breaches: Counter[str] = field(default_factory=Counter)
    """Violations by rule."""
    spoken: Counter[str] = field(default_factory=Counter)
    """For each rule, traces with at least one activation."""
    elsewhere: Counter[str] = field(default_factory=Counter)
    """For each rule, traces of a domain that it is not for."""
    reasons: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """For each rule, why it was not evaluated on traces that it is for, or not to their end."""
    required: set[str] = field(default_factory=set)
    """Rules that say that they have to be evaluated."""
    notes: Counter[str] = field(default_factory=Counter)
    """For each rule, values that were read otherwise than they stand there."""
    example: dict[str, str] = field(default_factory=dict)
    """One such note for each rule."""
    failed_calls: Counter[str] = field(default_factory=Counter)
    """Calls that counted as failed, by the predicate that said so."""
    named: list[tuple[str, str]] = field(default_factory=list)
    """The first `NAMED` violations of each severity that no baseline accepts: the severity, and the violation
    with its trace and message."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Count an artifact."""
        self.traces += 1
        self.required |= {rule["id"] for rule in record["rules"] if rule.get("required")}
        for call in record.get("failed_calls", ()):
            self.failed_calls[call["by"]] += 1
        for check in record["checks"]:
            rule, status, broken = check["rule_id"], check["status"], check["violations"]
            self.statuses[rule][status] += 1
            self.breaches[rule] += broken
            if check.get("elsewhere"):
                self.elsewhere[rule] += 1
            elif status == Status.NOT_EVALUATED or check.get("reason"):
                self.reasons[rule][check.get("reason", "")] += 1
            for note in check.get("notes", ()):
                self.notes[rule] += 1
                self.example.setdefault(rule, note)
            if status != Status.NOT_EVALUATED and (broken or check["activations"]):
                self.spoken[rule] += 1
        for result in record["results"]:
            for v in result["violations"]:
                self._violation(record, v)

    def _violation(self, record: Mapping[str, Any], violation: Mapping[str, Any]) -> None:
        severity, accepted = violation["severity"], "accepted" in violation
        if not accepted and self.violations[severity] - self.accepted[severity] < NAMED:
            place = f"{record['source']['file']}: {record['trace_id']}, message {violation['message_index']}"
            quote = " ".join(violation["quote"].split())
            self.named.append((severity, f"{place}: {violation['rule_id']} ({severity}): {quote}"))
        self.violations[severity] += 1
        self.accepted[severity] += accepted

    def merge(self, later: Tally) -> None:
        """Add the counts of what comes later in the run."""
        known = self.violations - self.accepted
        for severity, words in later.named:
            if known[severity] < NAMED:
                known[severity] += 1
                self.named.append((severity, words))
        self.traces += later.traces
        self.problems += later.problems
        for name in ("violations", "accepted", "breaches", "spoken", "elsewhere", "notes", "failed_calls"):
            getattr(self, name).update(getattr(later, name))
        for name in ("statuses", "reasons"):
            for rule, counts in getattr(later, name).items():
                getattr(self, name)[rule].update(counts)
        self.required |= later.required
        self.example = later.example | self.example

    def skipped(self, required: bool = False) -> list[str]:
        """Rules that were not evaluated on some trace that they are for; with `required`, of these those
        that say they have to be."""
        return [
            rule
            for rule, reasons in self.reasons.items()
            if reasons and (not required or rule in self.required)
        ]

    def record(self) -> dict[str, Any]:
        """The counts as plain JSON values: by severity, and by rule."""
        rules = {
            rule: {
                "fail": counts["fail"],
                "pass": counts["pass"],
                "not_evaluated": counts["not_evaluated"] - self.elsewhere[rule],
                "other_domains": self.elsewhere[rule],
                "violations": self.breaches[rule],
                "reasons": dict(self.reasons[rule]) if rule in self.reasons else {},
                "required": rule in self.required,
            }
            for rule, counts in self.statuses.items()
        }
        return {
            "traces": self.traces,
            "problems": self.problems,
            "violations": dict(self.violations),
            "accepted": {severity: count for severity, count in self.accepted.items() if count},
            "rules": rules,
            "failed_calls": dict(self.failed_calls),
        }

    def uninformative(self) -> list[str]:
        """Rules that nearly every trace breaks which they have something to say about."""
        return [
            rule
            for rule, counts in self.statuses.items()
            if self.spoken[rule] >= UNINFORMATIVE_TRACES
            and counts["fail"] >= UNINFORMATIVE_SHARE * self.spoken[rule]
        ]

    def silent(self) -> list[str]:
        """Rules that never had anything to say."""
        return [rule for rule, n in self.statuses.items() if n["pass"] + n["fail"] and not self.spoken[rule]]


def check_all(
    stream: Iterable[Trace | Problem],
    rules: RuleSet,
    key: str,
    done: Mapping[str, Mapping[str, Any]] | None = None,
    report: Callable[[Problem], None] | None = None,
    scoring: Scoring = DEFAULT,
    states: FinalStates | None = None,
) -> Iterator[tuple[dict[str, Any], bool]]:
    """The artifact of each trace, and whether it is new; `done` holds earlier ones by their keys."""
    overlaps = ProvedOverlaps(rules.rules)
    for item in stream:
        if isinstance(item, Problem):
            if report is not None:
                report(item)
            continue
        source = {"sha256": item.source.sha256, "position": item.source.position}
        mine = key_of(source, key)
        known = (done or {}).get(mine)
        if known is not None:
            yield dict(known), False
            continue
        findings = [*rules.check(item), *(states.findings(item) if states else ())]
        overlaps.see(findings)
        made = artifact(item, findings, scoring, overlaps)
        made["key"] = mine
        yield made, True
