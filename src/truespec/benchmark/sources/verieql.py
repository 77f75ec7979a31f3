"""VeriEQL's pairs from the literature and from Calcite's tests, with upstream's verdicts as labels.

Calcite's texts are standard SQL: PostgreSQL accepts nine in ten of them and MariaDB two thirds, so they are
read in the dialect `postgres`, the others in `mysql`. Where upstream's verdict file holds a repaired text
(`(R UNION ALL S)` written out, `ON` with its `JOIN`), that one is taken. Symbolic predicates over rows become
tables of their own.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlglot.errors import SqlglotError

from truespec.benchmark.sources._sql import Table, home, schema
from truespec.benchmark.sources._symbolic import written_out
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

FILES = {
    "literature.jsonlines": ("literature.out", "mysql"),
    "calcite2.jsonlines": ("calcite.out", "postgres"),
}
"""The pairs, upstream's verdicts on them, and the dialect they are read in."""
_TYPES = {
    "INT": "INT",
    "VARCHAR": "VARCHAR(255)",
    "DATE": "DATE",
    "BOOLEAN": "BOOLEAN",
    "NUMERIC": "DECIMAL(10, 2)",
}


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A pair for each record; its label is upstream's last verdict and the bound it holds for."""
    base = home(folder, "literature.jsonlines", "pairs of VeriEQL")
    for name, (verdicts, dialect) in FILES.items():
        if not (base / name).exists():
            continue
        upstream = _verdicts(base / verdicts)
        for line, text in enumerate((base / name).read_text(encoding="utf-8").splitlines(), 1):
            origin = Origin("verieql", name, f"line {line}")
            try:
                record = json.loads(text)
                index = record["index"]
                label, pair = upstream.get(index, (None, None))
                queries = [plain(query, dialect) for query in pair or record["pair"]]
                tables, left_out = _tables(record, dialect)
                if record.get("has-symbolic-predicates"):
                    queries, tables = written_out(queries, tables, dialect)
                ddl = schema(tables, "`" if dialect == "mysql" else "")
            except (ValueError, KeyError, TypeError, SqlglotError) as error:
                yield Skipped(origin, f"not understood: {str(error).splitlines()[0]}")
                continue
            identity = f"verieql-{name.split('.')[0].removesuffix('2')}-{index}"
            context = {"schema": ddl, "dialect": dialect}
            extra = {"name": record.get("name") or "", "not_in_ddl": left_out}
            yield PairRecord(identity, "sql", context, queries[0], queries[1], origin, label, extra)


def plain(query: str, dialect: str) -> str:
    """A query without HTML escapes, and with identifiers such as `$f0` quoted."""
    text = html.unescape(re.sub(r"&(AMP|LT|GT|QUOT);", lambda m: f"&{m.group(1).lower()};", query)).strip()
    quote = "`" if dialect == "mysql" else '"'
    return re.sub(r"(?<![\w`$'\"])(\$\w+)", rf"{quote}\1{quote}", text)


def _verdicts(path: Path) -> dict[Any, tuple[object, list[str]]]:
    """Upstream's verdict and text by index."""
    if not path.exists():
        return {}
    found: dict[Any, tuple[object, list[str]]] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(text)
            states = record["states"] or []
            label = {
                "verdict": states[-1] if states else None,
                "bound": states.count("EQU"),
                "refuted": "NEQ" in states,
            }
            found[record["index"]] = (label, record["pair"])
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _tables(record: Mapping[str, Any], dialect: str) -> tuple[list[Table], list[str]]:
    """The tables of a record and the constraints that DDL does not say."""
    tables = [
        Table(name, {column: _type(kind or "INT") for column, kind in columns.items()})
        for name, columns in record["schema"].items()
    ]
    by_name = {table.name.lower(): table for table in tables}
    left_out: list[str] = []

    def place(value: Mapping[str, str]) -> tuple[Table, str]:
        table_name, _, column_name = value["value"].partition("__")
        table = by_name[table_name.lower()]
        column = table.column(column_name)
        if column is None:
            raise KeyError(value["value"])
        return table, column

    for constraint in record.get("constraint") or ():
        try:
            match constraint:
                case {"primary": list(parts)}:
                    places = [place(part) for part in parts]
                    places[0][0].primary_key = tuple(column for _, column in places)
                case {"foreign": [child, parent]}:
                    (table, column), (other, reference) = place(child), place(parent)
                    if dialect != "mysql" and other.primary_key != (reference,):
                        left_out.append(json.dumps(constraint))  # only MariaDB refers to what is no key
                        continue
                    table.foreign_keys.append(((column,), other.name, (reference,)))
                    if other.primary_key[:1] != (reference,) and (reference,) not in other.indexes:
                        other.indexes.append((reference,))
                case {"not_null": part}:
                    table, column = place(part)
                    table.not_null.add(column)
                case _:
                    left_out.append(json.dumps(constraint))
        except KeyError:
            left_out.append(json.dumps(constraint))
    for table in tables:
        table.indexes = [index for index in table.indexes if index != table.primary_key[:1]]
    return tables, left_out


def _type(written: str) -> str:
    kind = str(written).upper()
    if kind.startswith("ENUM"):
        members = kind.split(",")[1:]
        return "ENUM(" + ", ".join(f"'{member}'" for member in members) + ")"
    return _TYPES[kind]
