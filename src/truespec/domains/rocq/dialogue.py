"""A session under the limit of a pair."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from truespec.domains.rocq.session import Interrupted, Session
from truespec.solvers.limit import Limit
from truespec.verdict import Incomplete


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A session under the limit of a pair."""

    session: Session
    """The process."""
    limit: Limit
    """The pair's limit."""
    stop: threading.Event
    """Set when the answer is no longer wanted."""

    def may(self, sentence: str, seconds: float | None = None) -> bool:
        """Whether Rocq accepts the sentence."""
        return self.session.say(sentence, self._seconds(seconds), self.stop).ok

    def tries(self, sentence: str, work: float) -> bool:
        """Whether Rocq accepts the sentence within this much processor time.

        A sentence that ends while it is being stopped counts by what Rocq did: the next state means that it
        was accepted, and a proof that is done must not be taken for one that is still open.
        """
        before = self.session.state
        try:
            return self.session.say(sentence, self._seconds(None), self.stop, work).ok
        except Interrupted:
            self.limit.check()
            if self.stop.is_set() or not self.session.running:
                raise
            return self.session.state != before

    def must(self, sentence: str, work: float | None = None) -> str:
        """Rocq's answer; `Incomplete` where it refuses the sentence or works on it for longer than that."""
        try:
            reply = self.session.say(sentence, self._seconds(None), self.stop, work)
        except Interrupted:
            self.limit.check()
            if self.stop.is_set() or work is None or not self.session.running:
                raise
            raise Incomplete(f"Rocq needs more than {work:g} s for {sentence[:80]!r}") from None
        if not reply.ok:
            raise Incomplete(f"Rocq refuses {sentence[:80]!r}: {' '.join(reply.text.split())[-200:]}")
        return reply.text

    def asks(self, sentence: str) -> str | None:
        """Rocq's answer; None where it refuses the sentence."""
        reply = self.session.say(sentence, self._seconds(None), self.stop)
        return reply.text if reply.ok else None

    def attempt(self, sentences: Sequence[str]) -> bool:
        """Whether Rocq accepts the sentences; the state is as before the one that it refuses."""
        before = self.session.state
        for sentence in sentences:
            if not self.may(sentence):
                self.may(f"BackTo {before}.")
                return False
        return True

    def define(self, statement: str, tactic: str) -> bool:
        """Whether the tactic makes the definition; the state is as before where it does not."""
        if not self.may(statement):
            return False
        if self.may(tactic) and self.may("Defined."):
            return True
        self.may("Abort.")
        return False

    def _seconds(self, seconds: float | None) -> float:
        left = self.limit.remaining()
        return left if seconds is None else min(left, seconds)
