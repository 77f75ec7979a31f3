"""Replies read from a file: `recorded:FILE`, JSON Lines of `{"subject": ..., "epoch": 0, "text": ...}`."""

from __future__ import annotations

import json
from pathlib import Path

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError
from truespec.untrusted.inputs import text_of
from truespec.verdict import UsageError


class RecordedModel(Model):
    """A model that repeats what was recorded for the same subject and epoch."""

    def __init__(self, name: str, replies: dict[tuple[str, int], Reply]) -> None:
        self.name = name
        self._replies = replies

    def reply(self, call: Call) -> Reply:
        """The recorded reply; `ModelError` where there is none."""
        reply = self._replies.get((call.subject, call.epoch))
        if reply is None:
            raise ModelError(f"{self.name}: nothing is recorded for {call.subject!r}, epoch {call.epoch}")
        return reply


def open_recording(name: str, target: str) -> Model:
    """The model of a recording; `UsageError` names the line that is wrong."""
    path = Path(target)
    replies: dict[tuple[str, int], Reply] = {}
    lines = text_of(path, None).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            subject, epoch = record.pop("subject"), record.pop("epoch", 0)
            replies[str(subject), int(epoch)] = Reply.from_json(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            expected = 'expected {"subject": ..., "epoch": 0, "text": ...}'
            raise UsageError(f"{path}, line {number}: {error}: {expected}") from None
    return RecordedModel(name, replies)
