"""What a guard writes down of its conversation: nothing without a log, and nothing that is to be hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from truespec.guard.decision import Decision
from truespec.guard.log import Log
from truespec.rules.finding import Violation
from truespec.traces.record import message_record
from truespec.traces.redact import Hiding
from truespec.traces.trace import Message, Trace


class Diary:
    """The entries of one conversation, in the order in which they are made."""

    def __init__(self, log: Log | None, hiding: Hiding | None, trace: Trace) -> None:
        """`trace` is the conversation before its first message."""
        self._log = log
        self._redactor = hiding.redactor() if hiding else None
        self._trace = trace

    def start(self, rules: Sequence[Mapping[str, Any]]) -> None:
        """What the conversation is held with."""
        tools = self._trace.tools
        shown = (
            None
            if tools is None
            else [{"name": t.name, "parameters": t.parameters, "kind": t.kind} for t in tools]
        )
        prompt = self._hidden(self._trace.system_prompt)
        self._write(
            "start",
            {"domain": self._trace.domain, "system_prompt": prompt, "rules": list(rules), "tools": shown},
        )

    def message(self, message: Message) -> None:
        """A message that was said or done."""
        self._learn(message)
        shown = message if self._redactor is None else self._redactor.message(message)
        self._write("message", {"message": message_record(shown)})

    def decision(self, decision: Decision, message: Message) -> None:
        """A decision about a message."""
        record = decision.record()
        if self._redactor is not None:
            self._learn(message)
            record["arguments"] = self._redactor.arguments(record["arguments"])
            for part in ("objections", "not_evaluated"):
                record[part] = self._redactor.value(record[part])
        self._write("decision", record)

    def broken(self, violations: Sequence[Violation]) -> None:
        """Breaches that became certain by the last message."""
        if violations:
            self._write("broken", {"violations": [self._said(v) for v in violations]})

    def end(self, owed: Sequence[Violation], not_evaluated: Mapping[str, str]) -> None:
        """What was owed when the conversation ended; results of calls that still run may follow."""
        unknown = {rule: self._hidden(why) for rule, why in not_evaluated.items()}
        self._write("end", {"owed": [self._said(v) for v in owed], "not_evaluated": unknown})

    def close(self) -> None:
        """Close the log; nothing is written any more."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def _learn(self, message: Message) -> None:
        if self._redactor is not None:
            self._redactor.learn(replace(self._trace, messages=(message,)))

    def _hidden(self, text: str | None) -> str | None:
        return text if text is None or self._redactor is None else self._redactor.text(text)

    def _said(self, violation: Violation) -> dict[str, Any]:
        return {
            "rule_id": violation.rule_id,
            "message_index": violation.message_index,
            "quote": self._hidden(violation.quote),
            "severity": violation.severity,
        }

    def _write(self, what: str, content: Mapping[str, Any]) -> None:
        if self._log is not None:
            self._log.write(what, content)
