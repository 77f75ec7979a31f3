"""A run's answers and judgements as flat tables: CSV, and Parquet where DuckDB is installed."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Task
from truespec.reports.bench_items import join
from truespec.untrusted.cells import csv_line

ANSWERS = {
    "id": "VARCHAR",
    "run": "VARCHAR",
    "task": "VARCHAR",
    "domain": "VARCHAR",
    "model": "VARCHAR",
    "epoch": "BIGINT",
    "candidate": "VARCHAR",
    "problem": "VARCHAR",
    "answer": "VARCHAR",
    "relation": "VARCHAR",
    "reason": "VARCHAR",
    "method": "VARCHAR",
    "seconds": "DOUBLE",
    "difficulty": "DOUBLE",
    "input_tokens": "BIGINT",
    "output_tokens": "BIGINT",
    "cost": "DOUBLE",
}
"""The columns of `answers`; `answer` is the verifier's, `seconds` its wall time."""
JUDGEMENTS = {
    "run": "VARCHAR",
    "task": "VARCHAR",
    "domain": "VARCHAR",
    "model": "VARCHAR",
    "epoch": "BIGINT",
    "kind": "VARCHAR",
    "judge": "VARCHAR",
    "first_score": "BIGINT",
    "second_score": "BIGINT",
    "judgement": "VARCHAR",
    "answer": "VARCHAR",
    "seconds": "DOUBLE",
    "tokens": "BIGINT",
    "cost": "DOUBLE",
}
"""The columns of `judgements`; `answer` is the verifier's, `seconds` the wall time of the judge's calls."""


def answer_rows(answers: Sequence[Mapping[str, Any]], tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """One row an answer."""
    hard = {task.id: task.extra.get("difficulty") for task in tasks}
    rows = []
    for record in answers:
        verdict, reply = record["verdict"], record["reply"]
        row = {name: record.get(name) for name in ("id", "run", "task", "domain", "epoch", "candidate")}
        row["model"] = record.get("model_name", record["model"])
        row |= {name: verdict[name] for name in ("answer", "relation", "method", "seconds")}
        row |= {name: reply.get(name) for name in ("input_tokens", "output_tokens", "cost")}
        reason = verdict["reason"]["code"] if verdict["reason"] else None
        rows.append(
            {**row, "problem": record["problem"], "reason": reason, "difficulty": hard.get(record["task"])}
        )
    return rows


def judgement_rows(
    answers: Sequence[dict[str, Any]], judgements: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """One row a judgement of an answer."""
    rows = []
    for item in join(answers, judgements):
        scores = (*item.scores, None, None)[:2]
        row = {name: getattr(item, name) for name in ("run", "task", "domain", "epoch", "kind")}
        row |= {
            "model": item.model.removesuffix(f" [{item.run}]"),
            "judge": item.judge.removesuffix(f" [{item.run}]"),
        }
        row |= {
            "first_score": scores[0],
            "second_score": scores[1],
            "judgement": item.judgement.value if item.judgement else None,
        }
        row |= {
            "answer": item.answer.value,
            "seconds": item.seconds,
            "tokens": item.tokens,
            "cost": item.cost,
        }
        rows.append(row)
    return rows


def write_csv(path: Path, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows as comma-separated values; what is unknown is empty.

    A text that a spreadsheet would run as a formula gets an apostrophe (`untrusted/cells.py`).
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(csv_line(columns))
        file.writelines(csv_line(row.get(name) for name in columns) for row in rows)


def parquet_is_possible() -> bool:
    """Whether DuckDB is installed (`pip install 'truespec[engines]'`)."""
    return importlib.util.find_spec("duckdb") is not None


Parquet = tuple[Path, Mapping[str, str], Sequence[Mapping[str, Any]]]
"""A file to be written, the types of its columns, and its rows."""


def write_parquet(*files: Parquet) -> None:
    """Rows as Parquet files with typed columns; what is unknown is NULL. One database writes all of them."""
    import duckdb

    database = duckdb.connect()
    try:
        for path, columns, rows in files:
            typed = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
            database.execute(f"CREATE OR REPLACE TABLE t ({typed})")
            if rows:
                _insert(database, columns, rows)
            quoted = str(path).replace("'", "''")
            database.execute(f"COPY t TO '{quoted}' (FORMAT parquet)")
    finally:
        database.close()


def _insert(database: Any, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> None:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".jsonl") as lines:
        lines.writelines(json.dumps({name: _utf8(row.get(name)) for name in columns}) + "\n" for row in rows)
        lines.flush()
        database.execute(
            "INSERT INTO t SELECT * FROM read_json(?, format='newline_delimited', columns=?, "
            "maximum_object_size=268435456)",
            [lines.name, dict(columns)],
        )


def _utf8(value: Any) -> Any:
    """Lone surrogates, which no Parquet text can hold, as escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
