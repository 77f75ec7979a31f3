"""Conversations checked while they grow: monitors are fed what is new, and the whole is checked at the end.

A conversation is known by its file and its identifier in it. What its file holds is read again when the file
changes; messages that were there before are not checked again. Where earlier messages have changed, all are.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truespec.compliance.artifact import artifact
from truespec.compliance.roots import ProvedOverlaps
from truespec.compliance.scoring import DEFAULT, Scoring
from truespec.rules.finding import Status, Violation
from truespec.rules.monitor import Monitor
from truespec.rules.rule import Rule
from truespec.rules.ruleset import RuleSet
from truespec.traces.files import Problem
from truespec.traces.importers.registry import files_below, read
from truespec.traces.joins import Joins
from truespec.traces.trace import Message, Trace
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError

SETTLED_SECONDS = 3.0
"""What cannot be read in a file that still grows is reported when the file has not changed for so long."""
SHARE = 0.1
"""A file is read again after its last reading has taken this share of the time since."""

Key = tuple[str, str]
"""A conversation: its file, and its identifier there."""
Mark = tuple[str, str, str, int, int | None]
"""A breach: file, conversation, rule, message, call."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A violation as it is reported."""

    trace: Trace
    """The conversation so far."""
    rule: str
    """What the broken rule says."""
    violation: Violation
    """The breach."""
    ended: bool
    """Whether it became certain by the end of the conversation alone."""

    @property
    def mark(self) -> Mark:
        """What tells it from all others."""
        found = self.violation
        file = os.path.abspath(self.trace.source.file)
        return file, self.trace.id, found.rule_id, found.message_index, found.call

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        found = self.violation
        return {
            "trace_id": self.trace.id,
            "file": self.trace.source.file,
            "rule_id": found.rule_id,
            "rule": self.rule,
            "kind": found.kind,
            "severity": found.severity,
            "message_index": found.message_index,
            "call": found.call,
            "quote": found.quote,
            "at_end": self.ended,
        }


@dataclass
class Conversation:
    """What is known of one conversation."""

    trace: Trace
    """As it was read last."""
    monitor: Monitor
    """Fed with all of its messages."""
    changed: float
    """When it last grew, by the monotonic clock."""
    ended: bool = False
    """Whether nothing was added for so long that it counts as over."""
    breaches: int = 0
    """Violations reported so far."""


@dataclass
class Watcher:
    """Conversations and their monitors."""

    rules: tuple[Rule, ...]
    """What is checked."""
    tell: Callable[[Breach], None]
    """Gets each breach once, as soon as it is certain."""
    finished: Callable[[dict[str, Any]], None] = lambda record: None
    """Gets the artifact of each conversation that is over."""
    scoring: Scoring = DEFAULT
    """How artifacts are scored."""
    reported: set[Mark] = field(default_factory=set)
    """Breaches that were reported before, by an earlier process too."""
    again: Callable[[Breach], None] = lambda breach: None
    """Gets each breach that an earlier process has reported, once."""
    conversations: dict[Key, Conversation] = field(default_factory=dict)
    """By file and identifier."""

    def __post_init__(self) -> None:
        self._before = set(self.reported)
        self._whole = RuleSet(self.rules)
        late = self._whole.needs_result
        # Rules about a call and its result are checked when the conversation is over.
        self._online = RuleSet(
            [rule for rule, waits in zip(self._whole.rules, late, strict=True) if not waits]
        )
        self.late = [rule.id for rule, waits in zip(self._whole.rules, late, strict=True) if waits]
        self._overlaps = ProvedOverlaps(self._whole.rules)
        self._texts = {rule.id: rule.text for rule in self._whole.rules}

    def take(self, trace: Trace) -> None:
        """A conversation as it stands now: what is new is checked."""
        key = trace.source.file, trace.id
        known = self.conversations.get(key)
        if known is not None and known.trace.messages == trace.messages and _alike(known.trace, trace):
            return
        now = time.monotonic()
        before = known.trace.messages if known is not None else ()
        grown = known is not None and trace.messages[: len(before)] == before and _alike(known.trace, trace)
        if known is None or not grown:
            monitor = Monitor(self._online, _bare(trace))
            breaches = known.breaches if known is not None else 0
            known = self.conversations[key] = Conversation(trace, monitor, now, breaches=breaches)
            before = ()
        known.trace, known.changed, known.ended = trace, now, False
        for message in trace.messages[len(before) :]:
            self._observe(known, message)

    def _observe(self, known: Conversation, message: Message) -> None:
        for violation in known.monitor.observe(message):
            self._say(known, violation, ended=False)

    def _say(self, known: Conversation, violation: Violation, *, ended: bool) -> None:
        rule = self._texts[violation.rule_id]
        breach = Breach(known.trace, rule, violation, ended)
        if breach.mark in self.reported:
            if breach.mark in self._before:
                self._before.discard(breach.mark)
                self.again(breach)
            return
        self.reported.add(breach.mark)
        known.breaches += 1
        self.tell(breach)

    def end(self, idle: float) -> Iterator[Conversation]:
        """Conversations that have not grown for so many seconds are over; each is checked as a whole."""
        now = time.monotonic()
        for known in list(self.conversations.values()):
            if known.ended or now - known.changed < idle:
                continue
            known.ended = True
            findings = self._whole.check(known.trace)
            for finding in findings:
                if finding.status is Status.FAIL:
                    for violation in finding.violations:
                        self._say(known, violation, ended=True)
            self.finished(artifact(known.trace, findings, self.scoring, self._overlaps))
            yield known

    def forget(self, known: Conversation) -> None:
        """Drop a conversation that will not grow."""
        self.conversations.pop((known.trace.source.file, known.trace.id), None)

    @property
    def open(self) -> int:
        """How many conversations are not over."""
        return sum(not known.ended for known in self.conversations.values())


def _bare(trace: Trace) -> Trace:
    return replace(trace, messages=(), spans=())


def _alike(old: Trace, new: Trace) -> bool:
    """Whether what monitors know beside the messages is the same."""
    return (old.tools, old.domain, old.system_prompt) == (new.tools, new.domain, new.system_prompt)


@dataclass
class _Followed:
    stamp: tuple[int, int] = (-1, -1)
    changed: float = 0.0
    next: float = 0.0
    problems: dict[str, Problem] = field(default_factory=dict)


@dataclass
class Follower:
    """Files and folders that grow."""

    paths: tuple[Path, ...]
    """What is followed; a path may not exist yet."""
    watcher: Watcher
    """Gets what the files hold."""
    report: Callable[[Problem], None]
    """Gets what cannot be read, once."""
    form: str | None = None
    """The format of all files; None recognises it."""
    joins: Joins | None = None
    """What completes traces."""
    apart: tuple[Path, ...] = ()
    """Folders whose own files are left out: what was found is written there, and what is over lies there."""
    _files: dict[Path, _Followed] = field(default_factory=dict)
    _seen_texts: set[str] = field(default_factory=set)

    def look(self) -> int:
        """Read what has changed; how many files were read."""
        count = 0
        for path in self._present():
            known = self._files.setdefault(path, _Followed())
            try:
                found = path.stat()
            except OSError:  # it has been moved away
                self._files.pop(path, None)
                continue
            stamp, now = (found.st_mtime_ns, found.st_size), time.monotonic()
            if stamp == known.stamp:
                if known.problems and now - known.changed >= SETTLED_SECONDS:
                    self._complain(known)
                continue
            if now < known.next or not found.st_size:
                continue
            known.stamp, known.changed, known.problems = stamp, now, {}
            self._read(path, known)
            known.next = time.monotonic() + (time.monotonic() - now) / SHARE
            count += 1
        return count

    def _present(self) -> Iterable[Path]:
        found = files_below(path for path in self.paths if path.exists())
        apart = {os.path.abspath(folder) for folder in self.apart}
        return (path for path in found if os.path.abspath(path.parent) not in apart)

    def _read(self, path: Path, known: _Followed) -> None:
        try:
            for item in read(path, self.form, self.joins, Budget()):
                if isinstance(item, Problem):
                    known.problems[str(item)] = item
                else:
                    self.watcher.take(self.joins.completed(item) if self.joins is not None else item)
        except (OSError, UsageError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            known.problems[str(error)] = Problem(str(path), "file", f"cannot be read: {why}")

    def _complain(self, known: _Followed) -> None:
        for text, problem in known.problems.items():
            if text not in self._seen_texts:
                self._seen_texts.add(text)
                self.report(problem)
        known.problems = {}

    def complain(self) -> None:
        """Tell what could not be read, whether or not the files still grow."""
        for known in self._files.values():
            self._complain(known)


def is_breach(record: Mapping[str, Any]) -> bool:
    """Whether a record is a breach that an earlier process has written down."""
    index, names = record.get("message_index"), ("file", "trace_id", "rule_id")
    return isinstance(index, int) and all(isinstance(record.get(name), str) for name in names)


def marks_of(records: Iterable[Mapping[str, Any]]) -> set[Mark]:
    """The breaches that an earlier process has written down."""
    return {
        (
            os.path.abspath(str(r["file"])),
            str(r["trace_id"]),
            str(r["rule_id"]),
            int(r["message_index"]),
            r.get("call"),
        )
        for r in records
    }
