"""Recorded answers and judgements of any source as a run, verified here and joined like any other.

A record is a pair (`store/pairs.py`) with more fields: `model` answered, `task`, or else oracle, context and
statement, name the task, and `judges` holds what judges said, by name. `reply` may stand for `candidate`: the
whole reply, from which the specification is taken.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.domains.registry import DOMAINS
from truespec.executors.answers import Given, verified
from truespec.executors.asking import Progress, quiet
from truespec.judges.decide import from_score
from truespec.judges.judgement import Judgement
from truespec.models.call import Reply, Settings
from truespec.store.beside import misplaced
from truespec.store.runs import Config, Run, read_task
from truespec.verdict import UsageError

NOBODY = "recorded"
"""Who answered where a record names no model."""

YES = frozenset({"yes", "true", "accept", "accepted", "equivalent", "correct"})
NO = frozenset({"no", "false", "reject", "rejected", "refuted", "inequivalent", "incorrect", "wrong"})
"""What a judge said, in words, without regard to case."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answer of a source, and what judges said of it."""

    given: Given
    """The answer."""
    judges: Mapping[str, object]
    """By judge, what it said."""


def read_records(
    records: Iterable[tuple[str, Mapping[str, Any]]], tasks: Sequence[Task] = ()
) -> list[Recorded]:
    """The answers of records, each given with its place, e.g. `pairs.jsonl, line 3`.

    A record's own oracle and context are what its candidate is verified against. It belongs to the one of
    `tasks` with the same, or to a task made for it; tasks of one statement and oracle in different contexts
    are variants of each other. Several answers of a model to a task are its epochs, in the order of the
    records. Raises `UsageError` with the place of a record that is no answer.
    """
    known = _Tasks(tasks)
    read: list[tuple[str, str, Mapping[str, Any], Mapping[str, object]]] = []
    for place, record in records:
        try:
            text = record.get("candidate") if record.get("reply") is None else record["reply"]
            if not isinstance(text, str):
                raise ValueError("expected a text in 'candidate', or a whole reply in 'reply'")
            model = record.get("model", NOBODY)
            if not isinstance(model, str) or not model:
                raise ValueError("the field 'model' is no name")
            read.append((known.name_of(record), model, record, _judges(record)))
        except (ValueError, TypeError) as error:
            raise UsageError(f"{place}: {error}") from None
        except KeyError as error:
            raise UsageError(f"{place}: the field {error} is missing") from None
    epochs: Counter[tuple[str, str]] = Counter()
    found = []
    for name, model, record, judges in read:
        epoch = epochs[name, model]
        epochs[name, model] += 1
        text = str(record["candidate"]) if record.get("reply") is None else None
        reply = Reply(str(record["reply"]) if text is None else text)
        given = Given(f"{name}|{model}|{epoch}", known.by_name[name], model, epoch, reply, text)
        found.append(Recorded(given, judges))
    return found


class _Tasks:
    """Tasks by content: those that are given, and those made for records that belong to none of them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.by_name: dict[str, Task] = {task.id: task for task in tasks}
        self._by_content: dict[str, str] = {}
        self._roots: dict[tuple[str, str, str], str] = {}
        for task in tasks:
            self._by_content.setdefault(_content(task), task.id)
            self._roots.setdefault((task.domain, task.statement, task.oracle), task.id)

    def name_of(self, record: Mapping[str, Any]) -> str:
        """The name of the record's task, which is made where there is none of its content."""
        if record.get("domain") not in DOMAINS:
            raise ValueError(f"there is no domain {record.get('domain')!r}; there are {', '.join(DOMAINS)}")
        if problem := misplaced(record, record["domain"]):
            raise ValueError(problem)
        named = record.get("task")
        shown = self.by_name[named].statement if isinstance(named, str) and named in self.by_name else ""
        fields = {
            "domain": record["domain"],
            "oracle": record["oracle"],
            "context": record.get("context"),
        }
        source = {"source": record.get("source") or {}}
        made = read_task({"id": "", "statement": record.get("statement") or shown, **fields, **source})
        content = _content(made)
        if content in self._by_content:
            return self._by_content[content]
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        name = named if isinstance(named, str) and named not in self.by_name else digest
        root = self._roots.setdefault((made.domain, made.statement, made.oracle), name)
        if isinstance(named, str) and named in self.by_name:
            root = named
        extra = {} if root == name else {"variant_of": root}
        self._by_content[content] = name
        self.by_name[name] = replace(made, id=name, extra=extra)
        return name


def _content(task: Task) -> str:
    return json.dumps([task.domain, task.statement, task.oracle, dict(task.context)], sort_keys=True)


def _judges(record: Mapping[str, Any]) -> Mapping[str, object]:
    label = record.get("upstream_label")
    said = record.get("judges", label.get("judges", {}) if isinstance(label, Mapping) else {})
    if not isinstance(said, Mapping):
        raise ValueError("the field 'judges' is no object of judge to verdict")
    return said


def sample(found: Sequence[Recorded], limit: int) -> list[Recorded]:
    """At most so many answers of each model and domain, spread over the source by their names alone."""
    by_model: defaultdict[tuple[str, str], list[Recorded]] = defaultdict(list)
    for one in found:
        by_model[one.given.model, one.given.task.domain].append(one)

    def lot(one: Recorded) -> str:
        return hashlib.sha256(one.given.name.encode("utf-8", "surrogatepass")).hexdigest()

    return [one for some in by_model.values() for one in sorted(some, key=lot)[:limit]]


def import_run(
    folder: Path,
    found: Sequence[Recorded],
    *,
    kind: str = "equivalence",
    timeout: float = 4.0,
    jobs: int = 1,
    progress: Progress = quiet,
) -> Run:
    """Write a run of recorded answers and judgements, its answers verified.

    `kind` says what the judges saw: the oracle (`equivalence`) or the statement (`formalization`). The same
    command again continues an interrupted one. Raises `UsageError` where the folder holds a run of models.
    """
    run = Run(folder)
    if (folder / "run.json").exists() and run.config().asked:
        raise UsageError(f"{folder} holds a run of models: name another folder")
    if not found:
        raise UsageError("the source holds no answer")
    models = tuple(dict.fromkeys(one.given.model for one in found))
    tasks = list({one.given.task.id: one.given.task for one in found}.values())
    most = 1 + max(one.given.epoch for one in found)
    config = Config(models, most, Settings(), timeout, tolerant=False, asked=False)
    run.create(config, tasks)
    run.write("answers", verified(run, [one.given for one in found], config, jobs, progress))
    run.write("judgements", [line for one in found for line in _judgements(one, kind)])
    return run


def _judgements(one: Recorded, kind: str) -> list[dict[str, object]]:
    given, lines = one.given, []
    for judge, said in one.judges.items():
        judgement, score = read_verdict(said)
        problem = "" if judgement is not Judgement.UNKNOWN else f"no verdict: {json.dumps(said)[:80]}"
        about = {name: getattr(given, name) for name in ("model", "epoch")}
        about |= {"task": given.task.id, "domain": given.task.domain, "judge": judge, "kind": kind}
        came_to = {"scores": [] if score is None else [score], "problems": [problem], "replies": []}
        lines.append({**about, **came_to, "judgement": judgement.value})
    return lines


def read_verdict(said: object) -> tuple[Judgement, int | None]:
    """What a recorded verdict comes to, and its score where it is one of 0 to 3.

    >>> read_verdict("YES")[0].value, read_verdict(2), read_verdict("perhaps")[0].value
    ('accept', (<Judgement.ACCEPT: 'accept'>, 2), 'unknown')
    """
    if isinstance(said, bool):
        return (Judgement.ACCEPT if said else Judgement.REJECT), None
    if isinstance(said, int):
        return (from_score(said), said) if 0 <= said <= 3 else (Judgement.UNKNOWN, None)
    word = said.strip().lower().rstrip(".") if isinstance(said, str) else ""
    if word in {"0", "1", "2", "3"}:
        return from_score(int(word)), int(word)
    if word in YES or word in NO:
        return (Judgement.ACCEPT if word in YES else Judgement.REJECT), None
    return Judgement.UNKNOWN, None
