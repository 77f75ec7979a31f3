"""Verdict records as flat rows: one value per column, which data frames and databases take as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from truespec.solvers.scratch import Scratch
from truespec.store.lines import to_line
from truespec.store.pairs import LINE_BYTES, parse_json
from truespec.store.parquet import check_parquet
from truespec.verdict import UsageError
from truespec.verdict.html import rows_as_html

COLUMNS: Mapping[str, str] = {
    "id": "VARCHAR",
    "line": "BIGINT",
    "error": "VARCHAR",
    "domain": "VARCHAR",
    "answer": "VARCHAR",
    "relation": "VARCHAR",
    "method": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "counterexample": "VARCHAR",
    "oracle_value": "VARCHAR",
    "candidate_value": "VARCHAR",
    "replayed_by": "VARCHAR",
    "proof_by": "VARCHAR",
    "trusts": "VARCHAR",
    "confirmed_by": "VARCHAR",
    "certificate": "VARCHAR",
    "bounded": "VARCHAR",
    "notes": "VARCHAR",
    "environment": "VARCHAR",
    "seconds": "DOUBLE",
    "version": "VARCHAR",
}
"""The columns of a row and their types in SQL. What is nested in a record is JSON text in a row."""
NESTED = frozenset(
    {
        "counterexample",
        "oracle_value",
        "candidate_value",
        "trusts",
        "confirmed_by",
        "certificate",
        "bounded",
        "notes",
        "environment",
    }
)
"""The columns that hold JSON text."""


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A verdict or error record as one row; every row has all `COLUMNS`, None where there is no value.

    >>> row = flat({"id": "a", "answer": "unknown", "reason": {"code": "timeout", "detail": "4 s"}})
    >>> row["answer"], row["reason"], row["detail"], row["certificate"]
    ('unknown', 'timeout', '4 s', None)
    """
    evidence, reason = record.get("evidence") or {}, record.get("reason") or {}
    proof = evidence.get("proof") or {}
    values = {
        **{name: record.get(name) for name in COLUMNS},
        "reason": reason.get("code"),
        "detail": reason.get("detail"),
        "counterexample": evidence.get("counterexample"),
        "oracle_value": evidence.get("oracle_value"),
        "candidate_value": evidence.get("candidate_value"),
        "replayed_by": evidence.get("replayed_by"),
        "proof_by": proof.get("by"),
        "trusts": proof.get("trusts"),
        "confirmed_by": proof.get("confirmed_by"),
        "certificate": proof.get("certificate"),
        "bounded": evidence.get("bounded"),
    }
    if "counterexample" in evidence:  # JSON's null is a value of the specifications here
        for name in ("oracle_value", "candidate_value"):
            values[name] = _text(values[name])
    return {name: _cell(name, values[name]) for name in COLUMNS}


def _cell(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in NESTED and not (name.endswith("_value") and isinstance(value, str)):
        return _text(value)
    # Lone surrogates are valid in Python and in JSON, not in UTF-8 tables.
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def verdict_records(path: Path, called: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a verdict file, each with its line's number; `UsageError` names a line without one.

    `called` is what messages call the file.
    """
    called = called or str(path)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    record = parse_json(_decoded(line, number))
                except ValueError as error:
                    raise UsageError(f"{called}, line {number}: {error}") from None
                if not isinstance(record, dict):
                    raise UsageError(f"{called}, line {number}: a verdict is a JSON object")
                yield number, record
    except OSError as error:
        raise UsageError(f"{called}: {error.strerror}") from None


def _decoded(line: bytes, number: int) -> str:
    line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte 0x{line[error.start]:02x} at offset {error.start}") from None


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The flat rows of a verdict file, one at a time; `UsageError` names a line that is no record."""
    for number, record in verdict_records(path):
        if not ("answer" in record or "error" in record):
            raise UsageError(f"{path}, line {number}: no verdict record: it has no 'answer'")
        yield flat(record)


class Rows(list[dict[str, Any]]):
    """Flat rows of verdicts: a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return rows_as_html(self)


def read_verdicts(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """What `truespec.read_verdicts` gives."""
    path = Path(path)
    if path.suffix != ".parquet":
        return Rows(rows(path))
    check_parquet()
    import duckdb

    try:
        found = duckdb.execute("SELECT * FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description or ()]
        return Rows(dict(zip(names, row, strict=True)) for row in found.fetchall())
    except duckdb.Error as error:
        raise UsageError(f"{path}: {str(error).splitlines()[0]}") from None


def write_parquet(verdicts: Path, output: Path) -> None:
    """Write a verdict file of JSON Lines as a flat Parquet file, in bounded memory."""
    import duckdb

    with Scratch("parquet") as folder:
        lines = folder / "rows.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            file.writelines(to_line(row) for row in rows(verdicts))
        columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
        options = f"format='newline_delimited', columns={{{columns}}}, maximum_object_size={4 * LINE_BYTES}"
        source = f"read_json(?, {options})"
        try:
            with duckdb.connect() as database:
                quoted = str(output).replace("'", "''")
                database.execute(
                    f"COPY (SELECT * FROM {source}) TO '{quoted}' (FORMAT parquet)", [str(lines)]
                )
        except duckdb.Error as error:
            raise UsageError(f"{output}: {str(error).splitlines()[0]}") from None
