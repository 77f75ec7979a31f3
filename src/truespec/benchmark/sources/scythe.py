"""Scythe's forum questions: a description, example tables and a query that solves it.

The example tables carry no names; they get those of the solution, in the order in which it reads them. A
question without a solution, or whose solution reads another number of tables, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from truespec.benchmark.sources._sql import Table, home, schema
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

SUMMARY = "benchmark_summary.md"
"""The sheets with the descriptions."""
FOLDERS = ("dev_set", "recent_posts", "top_rated_posts", "newposts", "sqlsynthesizer")
"""The folders with the questions."""
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?")


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A task for each question with a solution and a description, which is found by its link."""
    base = home(folder, SUMMARY, "questions of Scythe")
    descriptions = _descriptions((base / SUMMARY).read_text(encoding="utf-8", errors="replace"))
    for name in FOLDERS:
        for path in sorted((base / name).glob("*")) if (base / name).is_dir() else ():
            origin = Origin("scythe", f"{name}/{path.name}")
            text = path.read_text(encoding="utf-8", errors="replace")
            parts = _parts(text)
            oracle = parts.get("solution", "").strip().rstrip(";").strip()
            if not oracle:
                yield Skipped(origin, "no solution")
                continue
            link = re.search(r"https?://(\S+)", text)
            description = descriptions.get(link.group(1).rstrip("/").lower() if link else "")
            if description is None:
                yield Skipped(origin, "no description in the summary")
                continue
            try:
                ddl = _ddl(parts.get("input", ""), oracle)
            except (SqlglotError, RecursionError) as error:
                yield Skipped(origin, f"the solution does not parse: {str(error).splitlines()[0]}")
                continue
            except LookupError as error:
                yield Skipped(origin, str(error.args[0]))
                continue
            examples = [f"{part.title()}:\n{parts.get(part, '').strip()}" for part in ("input", "output")]
            statement = "\n\n".join([description, *examples])
            context = {"schema": ddl, "dialect": "mysql"}
            yield Task(f"scythe-{name}-{path.name}", "sql", statement, context, oracle, origin, ("forum",))


def _descriptions(summary: str) -> dict[str, str]:
    """The description of each sheet, by the link without its scheme."""
    found: dict[str, str] = {}
    for sheet in re.split(r"^# (?=\S)", summary, flags=re.MULTILINE)[1:]:
        link = re.search(r"\]\(https?://([^)\s]+)\)", sheet)
        text = re.search(r"#### description\s*\n(.*?)(?=^#### |\Z)", sheet, re.DOTALL | re.MULTILINE)
        if link and text and text.group(1).strip():
            found[link.group(1).rstrip("/").lower()] = " ".join(text.group(1).split())
    return found


def _parts(text: str) -> dict[str, str]:
    """The sections of a file, by name; several inputs are put together."""
    parts: dict[str, str] = {}
    pieces = re.split(r"^#\s*(input|output|constraint|solution)\b[^\n]*$", text, flags=re.MULTILINE)
    for name, body in zip(pieces[1::2], pieces[2::2], strict=False):
        parts[name] = f"{parts[name]}\n\n{body}" if name in parts else body
    return parts


def _ddl(examples: str, oracle: str) -> str:
    tables = [grid for block in re.split(r"\n\s*\n", examples.strip()) if len(grid := _grid(block)) > 1]
    tree = sqlglot.parse_one(oracle, read="mysql")
    own = {str(cte.alias).lower() for cte in tree.find_all(exp.CTE)}
    names: dict[str, str] = {}
    written = [node for node in tree.find_all(exp.Table) if str(node.name).lower() not in own]
    for node in sorted(written, key=lambda node: oracle.lower().find(str(node.name).lower())):
        names.setdefault(str(node.name).lower(), str(node.name))
    if len(names) != len(tables):
        raise LookupError(f"the solution reads {len(names)} tables, the example shows {len(tables)}")
    made: list[Table] = []
    for name, grid in zip(names.values(), tables, strict=True):
        header, *body = grid
        if len({column.lower() for column in header}) != len(header) or "" in header:
            raise LookupError("a column of the example has no name of its own")
        columns = {
            column: _type([row[place] for row in body if place < len(row)])
            for place, column in enumerate(header)
        }
        made.append(Table(name, columns))
    return schema(made)


def _grid(block: str) -> list[list[str]]:
    """The cells of an example, rows of `|` or of commas; rulers are left out."""
    grid: list[list[str]] = []
    for line in block.splitlines():
        if not line.strip() or re.fullmatch(r"[\s|+=-]*", line):
            continue
        cells = line.strip().strip("|").split("|") if "|" in line else line.split(",")
        grid.append([cell.strip() for cell in cells])
    return grid


def _type(cells: list[str]) -> str:
    """The type of a column's example values."""
    known = [cell for cell in cells if cell and not cell.upper().startswith("NULL")]
    if known and all(re.fullmatch(r"-?\d{1,9}", cell) for cell in known):
        return "INT"
    if known and all(re.fullmatch(r"-?\d+(\.\d+)?", cell) for cell in known):
        return "DECIMAL(12, 4)"
    if known and all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", cell) for cell in known):
        return "DATE"
    if known and all(_MOMENT.fullmatch(cell) for cell in known):
        return "DATETIME"
    return "VARCHAR(255)"
