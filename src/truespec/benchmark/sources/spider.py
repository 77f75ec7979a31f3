"""Spider's development set with the recorded answers of language models, in SQLite's dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truespec.benchmark.sources._sql import Table, home, rows, schema
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.verdict import UsageError

TABLES = ("spider_dev_tables.json", "tables.json")
"""The schemas, as cut for the development set or as published."""
LINES = {"DAIL-SQL_GPT-4.txt": "dail-sql-gpt-4"}
"""Files of one answer a line, in the order of the development set."""
_TYPES = {"text": "TEXT", "number": "NUMERIC", "time": "TEXT", "boolean": "BOOLEAN", "others": "TEXT"}


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A task for each distinct question, and a pair for each recorded answer."""
    name = next((name for name in TABLES if list(folder.rglob(name))), TABLES[0])
    base = home(folder, name, "schemas of Spider")
    try:
        schemas = {record["db_id"]: _ddl(record) for record in json.loads((base / name).read_text("utf-8"))}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise UsageError(f"{base / name}: {error!r}") from error
    order: list[tuple[str, str, str]] = []
    seen: set[tuple[str, str]] = set()
    for path in sorted(base.glob("*.csv")):
        model = path.stem.lower().replace("_", "-")
        for number, row in rows(path):
            origin = Origin("spider", path.name, f"record {number}")
            oracle, candidate, database = (
                row.get(column, "").strip() for column in ("GOLD SQL", "PREDICTED SQL", "DATABASE")
            )
            if not oracle or database not in schemas:
                yield Skipped(origin, f"no reference query, or no schema of {database!r}")
                continue
            context = {"schema": schemas[database], "dialect": "sqlite"}
            question = row.get("NLQ", "").strip()
            if (question, database) not in seen:
                seen.add((question, database))
                yield Task(f"spider-{len(seen)}", "sql", question, context, oracle, origin, ("dev",))
            if len(order) < number:
                order.append((question, oracle, database))
            yield from _pair(
                f"spider-{model}-{number}", model, context, (oracle, candidate), question, origin
            )
    for name, model in LINES.items():
        if not (base / name).exists():
            continue
        answers = (base / name).read_text(encoding="utf-8").splitlines()
        for number, (answer, (question, oracle, database)) in enumerate(zip(answers, order, strict=False), 1):
            context = {"schema": schemas[database], "dialect": "sqlite"}
            origin = Origin("spider", name, f"line {number}")
            yield from _pair(
                f"spider-{model}-{number}", model, context, (oracle, answer.strip()), question, origin
            )


def _pair(
    identity: str,
    model: str,
    context: Mapping[str, object],
    queries: tuple[str, str],
    question: str,
    origin: Origin,
) -> Iterator[PairRecord | Skipped]:
    oracle, candidate = queries
    if not candidate:
        yield Skipped(origin, "an empty answer")
        return
    extra = {"model": model, "statement": question}
    yield PairRecord(identity, "sql", context, oracle, candidate, origin, None, extra)


def _ddl(record: Mapping[str, Any]) -> str:
    tables = [Table(name) for name in record["table_names_original"]]
    places: list[tuple[Table, str] | None] = []
    for (number, name), kind in zip(record["column_names_original"], record["column_types"], strict=True):
        if number < 0:
            places.append(None)
            continue
        tables[number].columns[name] = _TYPES.get(kind, "TEXT")
        places.append((tables[number], name))
    for entry in record["primary_keys"]:
        found = [
            place for number in (entry if isinstance(entry, list) else [entry]) if (place := places[number])
        ]
        if found:
            found[0][0].primary_key = tuple(name for _, name in found)
    for child, parent in record["foreign_keys"]:
        here, there = places[child], places[parent]
        # SQLite refuses a reference to what is no key.
        if here and there and there[0].primary_key == (there[1],) and here[0] is not there[0]:
            here[0].foreign_keys.append(((here[1],), there[0].name, (there[1],)))
    # a table of SQLite's own stands in one schema
    return schema([table for table in tables if not table.name.startswith("sqlite_")], '"')
