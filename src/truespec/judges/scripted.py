"""Judges without a model, which go by the look of a text: `scripted:overlap` and `scripted:numbers`.

They read the same prompts as a model and nothing else. They are floors for real judges, and they let every
table be shown offline. What they say is no opinion on anybody's answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher

from truespec.models.call import Call, Reply
from truespec.models.contract import Model, ModelError
from truespec.verdict import UsageError

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\w+|[^\w\s]")
_SECTION = re.compile(r"^## ([^\n]+)\n\n(.*?)(?=\n\n## |\Z)", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^(`{3,})\n(.*)\n\1\s*$", re.DOTALL)


def _sections(prompt: str) -> dict[str, str]:
    return {title: _FENCED.sub(r"\2", text.strip()) for title, text in _SECTION.findall(prompt)}


def _scored(score: int, why: str) -> str:
    return f"{why}\n\n```\n{score}\n```"


def _level(share: float, steps: tuple[float, float, float]) -> int:
    return sum(share >= step for step in steps)


def overlap(prompt: str) -> str:
    """By order: two specifications are as alike as their sequences of tokens.

    A specification suits a statement when it mentions what the context declares and the statement's numbers.
    """
    parts = _sections(prompt)
    if "Specification A" in parts:
        first, second = (_TOKEN.findall(parts[f"Specification {side}"]) for side in "AB")
        share = SequenceMatcher(None, first, second, autojunk=False).ratio()
        return _scored(_level(share, (0.4, 0.7, 0.9)), f"The two share {share:.0%} of their tokens in order.")
    wanted = _wanted(parts)
    found = set(_TOKEN.findall(parts.get("Specification", "")))
    share = len(wanted & found) / len(wanted) if wanted else 1.0
    return _scored(_level(share, (0.3, 0.6, 0.9)), f"{share:.0%} of the numbers and names are there.")


def numbers(prompt: str) -> str:
    """By numbers and size: specifications are alike when they hold the same numbers and are of like length.

    A specification suits a statement when it holds the statement's numbers. A specification of more than 120
    tokens gets a malformed reply, as tired judges give.
    """
    parts = _sections(prompt)
    if "Specification A" in parts:
        first, second = (_TOKEN.findall(parts[f"Specification {side}"]) for side in "AB")
        if max(len(first), len(second)) > 120:
            return "Score: 2"
        same = _numbers(first) == _numbers(second)
        size = min(len(first), len(second)) / max(1, len(first), len(second))
        # A judge with a bias: what stands first counts as the measure, and a longer second one as padding.
        score = _level(size if len(second) <= len(first) else size - 0.1, (0.3, 0.55, 0.8)) if same else 0
        return _scored(score, f"{'The same' if same else 'Different'} numbers; lengths as 1 to {size:.2f}.")
    specification = _TOKEN.findall(parts.get("Specification", ""))
    if len(specification) > 120:
        return "Score: 2"
    missing = _numbers(_TOKEN.findall(parts.get("Statement", ""))) - _numbers(specification)
    return _scored(3 - min(3, missing.total()), f"{missing.total()} numbers of the statement are not used.")


def _wanted(parts: dict[str, str]) -> set[str]:
    """The names that the context gives a meaning, and the numbers of the statement."""
    names = set(re.findall(r"^(\w+) means: ", parts.get("Context", ""), re.MULTILINE))
    return names | set(re.findall(r"\d+", parts.get("Statement", "")))


def _numbers(tokens: list[str]) -> Counter[str]:
    return Counter(token for token in tokens if token[0].isdigit())


JUDGES: dict[str, Callable[[str], str]] = {"overlap": overlap, "numbers": numbers}
"""Name to judge, each of the user's prompt alone."""


class ScriptedJudge(Model):
    """A judge of this module as a model; its tokens are words, and it costs nothing."""

    def __init__(self, name: str, judge: Callable[[str], str]) -> None:
        self.name = name
        self._judge = judge

    def reply(self, call: Call) -> Reply:
        """The judge's words; `ModelError` for a call that asks for no judgement."""
        if "## Specification" not in call.prompt:
            raise ModelError(f"{self.name} judges specifications and writes none")
        text = self._judge(call.prompt)
        read = len(call.system.split()) + len(call.prompt.split())
        return Reply(text, 0.0, input_tokens=read, output_tokens=len(text.split()), cost=0.0)


def open_scripted(name: str, target: str) -> Model:
    """The judge of this name; `UsageError` lists the names there are."""
    judge = JUDGES.get(target)
    if judge is None:
        raise UsageError(
            f"model {name!r}: expected one of {', '.join(f'scripted:{known}' for known in JUDGES)}"
        )
    return ScriptedJudge(name, judge)
