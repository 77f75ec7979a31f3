"""What a report shows: tasks with their judged candidates, gathered from plain records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from truespec.verdict import ReasonCode, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate and the verdict on it."""

    id: str
    """The id of its pair."""
    candidate: str
    """Its text; untrusted."""
    verdict: Verdict
    """What was concluded."""
    expected: str | None = None
    """The answer that somebody reasoned out, where there is one."""
    written: str = ""
    """How, or by which model, it was written."""
    note: str = ""
    """A remark on it, e.g. the detail it misses."""
    words: tuple[tuple[str, str], ...] = ()
    """Who said what of it: a judge and its reply, each untrusted."""

    @property
    def agrees(self) -> bool | None:
        """Whether the verdict is the expected one; None where nothing was expected or a tool is missing."""
        if self.expected is None or self.lacks_tool:
            return None
        return self.expected == self.verdict.answer.value

    @property
    def lacks_tool(self) -> bool:
        """Whether there is no decision because a tool is not installed."""
        return self.verdict.reason is not None and self.verdict.reason.code is ReasonCode.UNAVAILABLE


@dataclass(frozen=True, slots=True)
class Entry:
    """A task with its judged candidates."""

    id: str
    """The task's id."""
    domain: str
    """Which language."""
    oracle: str
    """The reference specification."""
    judged: tuple[Judged, ...]
    """The candidates, in the order of the records."""
    statement: str = ""
    """The natural-language statement, where there is one."""
    context: Mapping[str, object] = field(default_factory=dict)
    """What oracle and candidates are read against."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    """What the declared names stand for."""
    tags: tuple[str, ...] = ()
    """Marks of the task."""


def gather(
    pairs: Iterable[Mapping[str, object]], verdicts: Iterable[Mapping[str, object]]
) -> tuple[list[Entry], list[str]]:
    """Entries from pair records and verdict records, joined by id; and the lines that could not be shown.

    Pairs with the same domain, task or statement, context and oracle make one entry. A pair record may carry
    `task`, `statement`, `meanings`, `tags`, `expected`, `model` (or `written`) and `note` beside the fields
    of a pair.
    """
    problems: list[str] = []
    found: dict[str, Verdict] = {}
    for number, record in enumerate(verdicts, 1):
        if "error" in record:
            problems.append(f"line {record.get('line', number)}: {record['error']}")
            continue
        try:
            found[str(record["id"])] = Verdict.from_json(record)
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"verdict {number}: {error}")
    groups: dict[str, tuple[Mapping[str, object], list[Judged]]] = {}
    for number, pair in enumerate(pairs, 1):
        name = str(pair.get("id", f"pair {number}"))
        if name not in found:
            problems.append(f"{name}: no verdict")
            continue
        keys = ("domain", "task", "statement", "context", "oracle")
        group = json.dumps([pair.get(key) for key in keys], sort_keys=True, default=str)
        groups.setdefault(group, (pair, []))[1].append(
            Judged(
                id=name,
                candidate=str(pair.get("candidate", "")),
                verdict=found[name],
                expected=_text(pair, "expected") or None,
                written=_text(pair, "written") or _text(pair, "model"),
                note=_text(pair, "note"),
            )
        )
    return [_entry(pair, judged) for pair, judged in groups.values()], problems


def _entry(pair: Mapping[str, object], judged: list[Judged]) -> Entry:
    context, meanings, tags = pair.get("context"), pair.get("meanings"), pair.get("tags")
    return Entry(
        id=_text(pair, "task") or judged[0].id,
        domain=judged[0].verdict.domain,
        oracle=_text(pair, "oracle"),
        judged=tuple(judged),
        statement=_text(pair, "statement"),
        context=context if isinstance(context, Mapping) else {},
        meanings={str(k): str(v) for k, v in meanings.items()} if isinstance(meanings, Mapping) else {},
        tags=tuple(map(str, tags)) if isinstance(tags, list | tuple) else (),
    )


def _text(record: Mapping[str, object], key: str) -> str:
    value = record.get(key)
    return "" if value is None else str(value)
