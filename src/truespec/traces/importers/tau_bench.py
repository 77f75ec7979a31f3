"""tau-bench v1 result files, also AgentRx's: a list of `{task_id, reward, info, traj[], trial}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truespec.traces.files import UNREADABLE, Problem, TraceFile
from truespec.traces.importers.items import openai_messages
from truespec.traces.importers.parts import Notes
from truespec.traces.importers.shared import number, source_of
from truespec.traces.joins import Joins
from truespec.traces.scanner import each_record
from truespec.traces.trace import Outcome, Source, Trace, prompt_of

NAME = "tau-bench"


def _is_run(record: Any) -> bool:
    return isinstance(record, dict) and "traj" in record and "task_id" in record


def recognises(head: Any, _file: TraceFile) -> bool:
    """A run, or a list that starts with one; the trajectory may lie behind the part that was looked at."""
    first = head[0] if isinstance(head, list) and head else head
    return _is_run(first) or (
        isinstance(first, dict) and isinstance(first.get("info"), dict) and "reward_info" in first["info"]
    )


def read(file: TraceFile, joins: Joins) -> Iterator[Trace | Problem]:
    """One trace per run."""
    if isinstance(file.head, dict):
        value = file.document()
        records: Any = [({}, 0, value)] if isinstance(value, Problem) or _is_run(value) else []
    else:
        records = each_record(file, None, _is_run)
    for _, index, run in records:
        if isinstance(run, Problem):
            yield run
            continue
        try:
            notes = Notes(file.ledger, f"record {index}")
            yield _trace(run, source_of(file, NAME, str(index)), joins, notes)
        except UNREADABLE as error:
            yield file.problem(f"record {index}", f"no run of tau-bench: {error!r}")


def _trace(run: Mapping[str, Any], source: Source, joins: Joins, notes: Notes) -> Trace:
    messages = tuple([message for m in run["traj"] for message in openai_messages(m, notes)])
    prompt = prompt_of(messages)
    domain = _domain(source.file, prompt)
    info = run.get("info") or {}
    reward = info.get("reward_info") or {}
    known = joins.domain(domain)
    task = info.get("task")
    return Trace(
        id=f"{run['task_id']}:{run.get('trial', 0)}",
        messages=messages,
        source=source,
        system_prompt=prompt or known.policy,
        tools=known.tools,
        model=_model(source.file),
        domain=domain,
        task_id=str(run["task_id"]),
        task=task if isinstance(task, dict) else None,
        outcome=Outcome(
            number(run.get("reward")), reward if isinstance(reward, dict) else {}, info.get("source")
        ),
        metadata={"trial": run.get("trial"), "user_cost": info.get("user_cost")},
    )


def _domain(file: str, prompt: str | None) -> str | None:
    """The prompt's first line tells, e.g. `# Retail agent policy`; else the file's name."""
    first = (prompt or "").lstrip("# ").split("\n", 1)[0].lower()
    names = ("airline", "retail")
    return next(
        (n for n in names if first.startswith(n)), next((n for n in names if n in file.lower()), None)
    )


def _model(file: str) -> str | None:
    """The format does not name the model; files named `<domain>__<model>.json` do."""
    name = file.rsplit("/", 1)[-1]
    return name.split("__", 1)[1].split(".json")[0] if "__" in name else None
