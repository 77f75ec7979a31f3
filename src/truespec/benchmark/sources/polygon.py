"""Polygon's LeetCode set: questions with references and with submissions of people.

Upstream's constraint language becomes keys, NOT NULL, FOREIGN KEY and CHECK where DDL can say it; what it
cannot say is listed in `not_in_ddl`. Nullability follows the DDL alone, so upstream's
labels, given under its own NULL policy, are kept as `upstream_label` and not as `expected`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from truespec.benchmark.sources._sql import Table, home, natural, rows, schema, text
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

_TYPES = {
    "int": "INT",
    "varchar": "VARCHAR(255)",
    "date": "DATE",
    "numeric": "DECIMAL(10, 2)",
    "bool": "BOOLEAN",
    "0": "INT",
}
_NAME = r"[A-Za-z_]\w*\s*\.\s*[A-Za-z_]\w*"
_COMPARISON = re.compile(rf"\s*({_NAME})\s*(<=|>=|!=|<>|=|<|>)\s*(.+?)\s*$", re.DOTALL)


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A task for each question; a pair for every further reference and for every submission."""
    base = home(folder, "groundtruths", "LeetCode questions of Polygon")
    for path in sorted((base / "groundtruths").glob("*.csv"), key=natural):
        yield from _question(base, path.stem)


def _question(base: Path, number: str) -> Iterator[Task | PairRecord | Skipped]:
    truth_file = f"groundtruths/{number}.csv"
    references = [(place, _query(row.get("mysql_groundtruth", ""))) for place, row in rows(base / truth_file)]
    references = [(place, query) for place, query in references if query]
    source = Origin("polygon", truth_file)
    if not references:
        yield Skipped(source, "the question has no reference query")
        return
    schema_path = base / "schemas" / f"{number}.json"
    if not schema_path.exists():
        yield Skipped(source, f"the question has no schemas/{number}.json")
        return
    try:
        question = read_question(schema_path, base / "constraints" / f"{number}.yml")
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        yield Skipped(Origin("polygon", f"schemas/{number}.json"), f"not understood: {error!r}")
        return
    context = {"schema": question.ddl, "dialect": "mysql"}
    place, oracle = references[0]
    extra = {"not_in_ddl": question.left_out}
    statement = _statement(base, number)
    if statement is None:
        yield Skipped(source, "no statement: put leetcode_statements beside the folder to make a task of it")
    else:
        origin = Origin("polygon", truth_file, f"record {place}")
        yield Task(f"polygon-{number}", "sql", statement, context, oracle, origin, ("leetcode",), extra)
    for place, query in references[1:]:
        yield PairRecord(
            f"polygon-{number}-reference-{place}", "sql", context, oracle, query,
            Origin("polygon", truth_file, f"record {place}"), {"correct": "reference"}, extra,
        )  # fmt: skip
    submissions = base / "verieql_queries" / f"{number}.csv"
    if not submissions.exists():
        return
    for place, row in rows(submissions):
        origin = Origin("polygon", f"verieql_queries/{number}.csv", f"record {place}")
        query = _query(row.get("mysql_query", ""))
        if not query:
            yield Skipped(origin, "an empty query")
            continue
        label = {"executes": row.get("mysql_can_execute?", "?"), "correct": row.get("mysql_correct?", "?")}
        yield PairRecord(
            f"polygon-{number}-{place}", "sql", context, oracle, query, origin, label, extra,
        )  # fmt: skip


def _query(written: str) -> str:
    """A query as text; some are HTML-escaped."""
    return html.unescape(re.sub(r"&(AMP|LT|GT|QUOT);", lambda m: f"&{m.group(1).lower()};", written)).strip()


def _statement(base: Path, number: str) -> str | None:
    """The question's text, where its statements lie beside the folder; the set itself has none."""
    for folder in (base, base.parent, base.parent.parent):
        path = folder / "leetcode_statements" / f"{number}_README_EN.md"
        if path.exists():
            written = path.read_text(encoding="utf-8", errors="replace")
            body = written.split("## Description", 1)[-1].split("## Solutions", 1)[0]
            plain = html.unescape(re.sub(r"<[^>]+>", "", body))
            return re.sub(r"\n\s*\n+", "\n\n", plain).strip()
    return None


@dataclass(slots=True)
class Question:
    """The tables of a question and what its constraints say beyond DDL."""

    tables: list[Table]
    """The tables."""
    left_out: list[str] = field(default_factory=list)
    """Constraints that DDL cannot say, as upstream writes them."""

    @property
    def ddl(self) -> str:
        """The CREATE TABLE statements."""
        return schema(self.tables)

    def column(self, written: str) -> tuple[Table, str]:
        """The table and column that `T.c` names, any case; `ValueError` where there is none."""
        table_name, _, name = (part.strip() for part in written.partition("."))
        for table in self.tables:
            column = table.column(name)
            if table.name.lower() == table_name.lower() and column:
                return table, column
        raise ValueError(f"{written.strip()!r} names no column")


def read_question(schema_path: Path, constraints_path: Path) -> Question:
    """The tables of a schema file with the constraints of another, which may be missing or empty."""
    record = json.loads(schema_path.read_text(encoding="utf-8"))
    question = Question([])
    drafts = record["Tables"]
    types = [
        {column["Name"]: column["Type"] for column in [*draft["PKeys"], *draft["Others"]]} for draft in drafts
    ]
    for draft, own in zip(drafts, types, strict=True):
        table = Table(draft["TableName"])
        for column in draft["PKeys"]:
            table.columns[column["Name"]] = _type(column["Type"])
        for key in draft["FKeys"]:
            parent = types[int(key["PTable"])]
            table.columns.setdefault(key["FName"], _type(own.get(key["FName"]) or parent[key["PName"]]))
        for column in draft["Others"]:
            table.columns.setdefault(column["Name"], _type(column["Type"]))
        table.primary_key = tuple(column["Name"] for column in draft["PKeys"])
        question.tables.append(table)
    for draft, table in zip(drafts, question.tables, strict=True):
        for key in draft["FKeys"]:
            _refer(table, key["FName"], question.tables[int(key["PTable"])], key["PName"])
    for text_of_one in _constraints(constraints_path):
        if not _declare(question, text_of_one):
            question.left_out.append(text_of_one)
    return question


def _type(written: str) -> str:
    if written.startswith("enum,"):
        # `null` among the members means that the column may be NULL
        return "ENUM(" + ", ".join(text(m) for m in written.split(",")[1:] if m != "null") + ")"
    return _TYPES[written]


def _constraints(path: Path) -> list[str]:
    if not path.exists():
        return []
    written = path.read_text(encoding="utf-8")
    try:
        groups: Any = yaml.safe_load(written) or {}
    except yaml.YAMLError:
        # some files put `[1,5]` or quotes where YAML reads them as its own
        groups = dict(re.findall(r"^\s*(\w+):((?:(?!^\s*\w+:).)*)", written, re.MULTILINE | re.DOTALL))
    if not isinstance(groups, dict):
        return [line.strip() for line in written.splitlines() if line.strip()]
    found: list[str] = []
    for group in groups.values():
        found += [part.strip() for part in re.split(r";", str(group or "")) if part.strip()]
    return found


def _refer(table: Table, column: str, parent: Table, reference: str) -> None:
    key = ((column,), parent.name, (reference,))
    if key in table.foreign_keys:
        return
    table.foreign_keys.append(key)
    covered = {parent.primary_key[:1], *(unique[:1] for unique in parent.uniques)}
    if (reference,) not in covered and (reference,) not in parent.indexes:
        parent.indexes.append((reference,))


def _declare(question: Question, constraint: str) -> bool:
    """Add a constraint to the tables; False where DDL cannot say it."""
    try:
        return (
            _unique(question, constraint) or _reference(question, constraint) or _check(question, constraint)
        )
    except ValueError:
        return False


def _unique(question: Question, constraint: str) -> bool:
    found = re.fullmatch(r"unique\s*\((.*)\)", constraint, re.DOTALL)
    if not found:
        return False
    places = [question.column(part) for part in found.group(1).split(",")]
    table, columns = places[0][0], tuple(column for _, column in places)
    if any(other is not table for other, _ in places):
        return False
    if set(columns) != set(table.primary_key) and columns not in table.uniques:
        if table.primary_key:
            table.uniques.append(columns)
        else:
            table.primary_key = columns
    return True


def _reference(question: Question, constraint: str) -> bool:
    found = re.fullmatch(rf"({_NAME})\s*<-\s*(.*)", constraint, re.DOTALL)
    if not found:
        return False
    (table, column), right = question.column(found.group(1)), found.group(2).strip()
    members = re.fullmatch(r"\{(.*)\}", right, re.DOTALL)
    bounds = re.fullmatch(r"\[(.*),(.*)\]", right)
    if members:
        values = [_value(member) for member in members.group(1).split(",")]
        if not table.columns[column].startswith("ENUM"):
            table.checks.append(f"`{column}` IN ({', '.join(values)})")
        return True
    if bounds:
        low, high = (_value(part) for part in bounds.groups())
        table.checks.append(f"`{column}` BETWEEN {low} AND {high}")
        return True
    parent, reference = question.column(right)
    _refer(table, column, parent, reference)
    return True


def _check(question: Question, constraint: str) -> bool:
    tables: list[Table] = []
    note = re.fullmatch(rf"({_NAME})\s*\|\s*\w+\+null", constraint)
    if note:
        table, column = question.column(note.group(1))
        return column not in table.primary_key  # nullable already
    missing = re.fullmatch(rf"({_NAME})\s*!=\s*NULL", constraint)
    if missing:
        table, column = question.column(missing.group(1))
        table.not_null.add(column)
        return True
    sides = [_condition(question, part, tables) for part in constraint.split("=>")]
    if len(sides) > 2 or any(side is None for side in sides) or any(t is not tables[0] for t in tables):
        return False
    tables[0].checks.append(str(sides[0]) if len(sides) == 1 else f"NOT ({sides[0]}) OR {sides[1]}")
    return True


def _condition(question: Question, written: str, tables: list[Table]) -> str | None:
    found = _COMPARISON.match(written)
    if not found:
        return None
    left, operator, right = found.groups()
    table, column = question.column(left)
    tables.append(table)
    if re.fullmatch(_NAME, right):
        other, name = question.column(right)
        tables.append(other)
        return f"`{column}` {operator} `{name}`"
    return f"`{column}` {operator} {_value(right)}"


def _value(written: str) -> str:
    """A constant of the constraint language as a literal; `ValueError` for anything else."""
    written = written.strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", written):
        return written
    if re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", written):
        return text(written)
    quoted = re.fullmatch(r"'([^']*)'|\"([^\"]*)\"", written)
    if quoted:
        return text(quoted.group(1) if quoted.group(1) is not None else quoted.group(2))
    raise ValueError(f"{written!r} is no constant")
