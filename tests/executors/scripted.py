"""Scripted models: what they answer is known, so what the tables must say is known."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from pathlib import Path

from truespec.benchmark import bundled
from truespec.models.call import Call

LOG = "TRUESPEC_TEST_CALL_LOG"


def _log(call: Call) -> None:
    path = os.environ.get(LOG)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{call.model} {call.key}\n")


def chance(call: Call) -> float:
    """A number from 0 to 1 that depends on the call alone."""
    return int(call.key[:12], 16) / 16**12


@cache
def answers(domain: str) -> dict[str, list[str]]:
    """The recorded answers of every bundled task of a domain."""
    return {entry.task.id: [answer.text for answer in entry.answers] for entry in bundled.tasks(domain)}


def writer(call: Call) -> str:
    """Answers with one of the task's recorded answers, chosen by the call."""
    _log(call)
    task = call.subject.removeprefix("answer/")
    texts = answers(task.partition("-")[0])[task]
    return f"So:\n```\n{texts[int(call.key[12:20], 16) % len(texts)]}\n```\n"


def generous(call: Call) -> str:
    """Always 3."""
    _log(call)
    return "Fine.\n```\n3\n```"


def strict(call: Call) -> str:
    """Always 0."""
    return "```\n0\n```"


def coin(call: Call) -> str:
    """3 or 0, by the call."""
    return f"```\n{3 if chance(call) < 0.5 else 0}\n```"


def mumbling(call: Call) -> str:
    """Never well-formed."""
    return "Score: 3"


def first_lover(call: Call) -> str:
    """3 when the oracle stands first, 0 when it stands second: the order alone decides."""
    return f"```\n{3 if 'oracle-first' in call.subject else 0}\n```"


def content_key(call: Call) -> str:
    """What a judge sees of the specification under test."""
    return hashlib.sha256(re.sub(r"\s+", " ", call.prompt).encode()).hexdigest()


writer_two = writer


def failing(call: Call) -> str:
    """Answers like `writer` on the first of several answers to a task, and fails for good on the others."""
    if call.epoch:
        raise ValueError("no such luck")
    return writer(call)
