"""Tasks and runs in the layout of the Hugging Face `datasets` library: Parquet files and a data card."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.metrics.table import Table
from truespec.reports.dataset import (
    ANSWERS,
    JUDGEMENTS,
    answer_rows,
    judgement_rows,
    parquet_is_possible,
    write_parquet,
)
from truespec.verdict import UsageError
from truespec.version import __version__

TASKS = {
    "id": "VARCHAR",
    "domain": "VARCHAR",
    "statement": "VARCHAR",
    "context": "VARCHAR",
    "oracle": "VARCHAR",
    "tags": "VARCHAR[]",
    "dataset": "VARCHAR",
    "file": "VARCHAR",
    "position": "VARCHAR",
    "extra": "VARCHAR",
}
"""The columns of `tasks`; `context` and `extra` are JSON objects as text."""
MEANINGS = {
    "id": "unique in its table",
    "run": "the run that the record is from",
    "task": "the `id` of the task",
    "domain": "which language the specification is written in",
    "statement": "what is to be formalised, in natural language",
    "context": "the declarations shown with it, a JSON object as text",
    "oracle": "the reference specification",
    "tags": "marks of the task",
    "dataset": "the data set that the task was imported from",
    "file": "the file of that data set",
    "position": "the record in that file",
    "extra": "further fields of the task, a JSON object as text",
    "model": "who answered",
    "epoch": "which of the model's answers to this task, from 0",
    "candidate": "the specification in the reply; null where there is none",
    "problem": "why there is no candidate",
    "answer": "the verifier's: `equivalent` (proved), `refuted` (by a replayed counterexample), `unknown` or "
    "`invalid`",
    "relation": "of a refuted candidate to the oracle",
    "reason": "the code of an `unknown` or `invalid` answer",
    "method": "how the verifier decided",
    "seconds": "wall time: of the verifier in `answers`, of the judge's calls in `judgements`",
    "difficulty": "words and operators of the task's oracle; compares within a domain",
    "input_tokens": "that the model read",
    "output_tokens": "that the model wrote",
    "tokens": "that the judge read and wrote",
    "cost": "US dollars",
    "kind": "`formalization` (by the statement) or `equivalence` (against the oracle, in both orders)",
    "judge": "who judged",
    "first_score": "the judge's score; of an equivalence judge, with the oracle first",
    "second_score": "of an equivalence judge, with the candidate first",
    "judgement": "`accept`, `reject` or `unknown`",
}
"""What each column means, for the data card."""

ABOUT = (
    "Each answer was compared with its task's oracle: `equivalent` is proved for every input in the stated "
    "scope, `refuted` has a counterexample that was replayed, `unknown` has neither, and `invalid` is no "
    "specification. Replies of models, words of judges and judgements of oracles are not part of this export."
)
EXAMPLE = """```python
from datasets import load_dataset

tasks = load_dataset("FOLDER", "tasks")
```"""


def write_hub(
    folder: Path,
    tasks: Sequence[Task],
    answers: Sequence[dict[str, Any]],
    judgements: Sequence[dict[str, Any]],
    runs: Table | None = None,
    *,
    title: str = "Specifications and verdicts",
    licence: str = "",
) -> dict[str, int]:
    """Write `README.md` and one folder of Parquet per table; return the rows of each table.

    A table without rows is left out. Raises `UsageError` where DuckDB is not installed.
    """
    if not parquet_is_possible():
        raise UsageError("Parquet files need DuckDB: pip install 'truespec[engines]'")
    tables: dict[str, tuple[Mapping[str, str], list[dict[str, Any]]]] = {
        "tasks": (TASKS, [_task_row(task) for task in tasks]),
        "answers": (ANSWERS, answer_rows(answers, tasks)),
        "judgements": (JUDGEMENTS, judgement_rows(answers, judgements)),
    }
    tables = {name: (columns, rows) for name, (columns, rows) in tables.items() if rows}
    for name in tables:
        (folder / name).mkdir(parents=True, exist_ok=True)
    write_parquet(*((folder / name / "test.parquet", *table) for name, table in tables.items()))
    card = _card(tables, tasks, runs, title, licence)
    (folder / "README.md").write_text(card, encoding="utf-8", errors="backslashreplace")
    return {name: len(rows) for name, (_, rows) in tables.items()}


def _task_row(task: Task) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(task, name) for name in ("id", "domain", "statement", "oracle")}
    row |= {
        name: json.dumps(dict(value)) for name, value in (("context", task.context), ("extra", task.extra))
    }
    row |= {name: getattr(task.source, name) or None for name in ("dataset", "file", "position")}
    return {**row, "tags": list(task.tags)}


def _card(
    tables: Mapping[str, tuple[Mapping[str, str], Sequence[Mapping[str, Any]]]],
    tasks: Sequence[Task],
    runs: Table | None,
    title: str,
    licence: str,
) -> str:
    """The data card: its head for the library, then counts, columns, runs and sources for readers."""
    head = ["---", f"pretty_name: {json.dumps(title)}"]
    head += [f"license: {json.dumps(licence)}"] if licence else []
    head.append("configs:")
    for number, name in enumerate(tables):
        head += [f"- config_name: {name}", *(["  default: true"] if number == 0 else []), "  data_files:"]
        head += ["  - split: test", f"    path: {name}/test.parquet"]
    parts = ["\n".join([*head, "---"]), f"# {title}"]
    parts += [f"Written by truespec {__version__}. {ABOUT}", EXAMPLE]
    for name, (columns, rows) in tables.items():
        counts = Counter(str(row["domain"]) for row in rows)
        shown = ", ".join(f"{domain} {count}" for domain, count in sorted(counts.items()))
        lines = ["| column | type | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{column}` | {kind} | {MEANINGS[column]} |" for column, kind in columns.items()]
        parts += [f"## {name}", f"{len(rows)} rows: {shown}.", "\n".join(lines)]
    if runs is not None:
        parts.append(runs.to_markdown().replace("### ", "## ", 1).rstrip())
    sources = Counter(task.source.dataset or "of this project or its user" for task in tasks)
    listed = "\n".join(f"- {_plain(name)}: {count} tasks" for name, count in sorted(sources.items()))
    note = "Tasks that were imported from a data set keep its licence and its terms."
    parts.append(f"## Sources\n\n{listed}\n\n{note}")
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")[:200]
