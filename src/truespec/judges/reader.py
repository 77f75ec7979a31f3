"""A judge who wrote the scores down beforehand, keyed on the prompt that was read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError


def prompt_key(prompt: str) -> str:
    """The key of a score: of all texts that the prompt shows, in twelve hexadecimal digits."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class ReaderJudge(Model):
    """A judge that has scores for the prompts it read, and for no others."""

    def __init__(self, name: str, scores: Mapping[str, int]) -> None:
        self.name = name
        self._scores = scores

    def reply(self, call: Call) -> Reply:
        """The score that was written for this prompt; `ModelError` where there is none."""
        score = self._scores.get(prompt_key(call.prompt))
        if score is None:
            raise ModelError(f"{self.name} has written no score for {call.subject!r}")
        return Reply(f"```\n{score}\n```")
