"""Pairs in Parquet tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truespec.store.beside import may_be_misplaced
from truespec.verdict import UsageError

PAIR = ("id", "domain", "oracle", "candidate")
"""The columns besides the context."""


def check_parquet() -> None:
    """Raise `UsageError` where Parquet files can be neither written nor read."""
    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise UsageError(
            "Parquet files need DuckDB: pip install 'truespec[engines]', or name a file that ends in .jsonl"
        ) from None


def pairs_of_parquet(table: Path, lines: Path) -> None:
    """Write the rows of a Parquet table of pairs as JSON Lines, in bounded memory.

    The columns are those of a pair file; others are left out, unless they look like parts of a context. A
    context is JSON text or a struct; a struct has all fields in every row, so one that is NULL counts as
    absent. `UsageError` for a file that is no Parquet table.
    """
    check_parquet()
    import duckdb

    try:
        with duckdb.connect() as database, lines.open("w", encoding="utf-8") as file:
            found = database.execute("SELECT * FROM read_parquet(?)", [str(table)])
            names = [column[0] for column in found.description or ()]
            kept = [*PAIR, *(name for name in names if name not in PAIR and may_be_misplaced(name))]
            while rows := found.fetchmany(1_000):
                file.writelines(_line(dict(zip(names, row, strict=True)), kept) for row in rows)
    except duckdb.Error as error:
        raise UsageError(f"{table}: {str(error).splitlines()[0]}") from None


def _line(row: dict[str, Any], kept: list[str]) -> str:
    pair: dict[str, Any] = {name: row[name] for name in kept if name in row and name != "context"}
    context = row.get("context")
    if isinstance(context, str) and context.strip():
        # The text itself, on one line: what reads pair files says what is wrong with it.
        start = json.dumps(pair, ensure_ascii=False, default=str).removesuffix("}")
        return f'{start}, "context": {" ".join(context.splitlines())}}}\n'
    if context is not None and context != "":
        pair["context"] = context
    return json.dumps(pair, ensure_ascii=False, default=str) + "\n"
