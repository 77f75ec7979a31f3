"""Scythe's forum questions: a description, example tables and a query that solves it.

The example tables carry no names; they get those of the solution, in the order in which it reads them, or in
the order in which its columns are found. A question without a solution, or whose solution reads another
number of tables, is left out. A solution written for another engine is repaired (`repaired`), and a tag says
how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from truespec.benchmark.sources._sql import Table, home, schema
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

SUMMARY = "benchmark_summary.md"
"""The sheets with the descriptions."""
FOLDERS = ("dev_set", "recent_posts", "top_rated_posts", "newposts", "sqlsynthesizer")
"""The folders with the questions."""
RESERVED = ("call", "table", "order", "group", "key", "index")
"""MariaDB's reserved words that forums use as names of tables."""
MOST_TABLES = 5
"""Of so many tables, every order is tried."""
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
                oracle, repairs = repaired(oracle)
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
            tags = ("forum", *(f"repaired:{repair}" for repair in repairs))
            yield Task(f"scythe-{name}-{path.name}", "sql", statement, context, oracle, origin, tags)


def repaired(solution: str) -> tuple[str, list[str]]:
    """A solution as MariaDB reads it, and what was changed.

    Of several statements, which are alternatives, the first is kept; names in brackets get MariaDB's quotes;
    a table variable loses its `@`; a table whose name is a reserved word is quoted.

    >>> repaired("SELECT [a] FROM table; SELECT 1")
    ('SELECT `a` FROM `table`', ['first of several', 'brackets', 'reserved word'])
    """
    done: list[str] = []
    tokens = sqlglot.tokenize(solution, read="mysql")
    ends = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON]
    if ends and solution[ends[0] + 1 :].strip():
        solution, done = solution[: ends[0]].strip(), ["first of several"]
    for pattern, instead, name in (
        (r"\[(\w+)\]", r"`\1`", "brackets"),
        (r"(?i)\b(from|join)(\s+)@(\w+)", r"\1\2\3", "table variable"),
        (rf"(?i)\b(from|join)(\s+)({'|'.join(RESERVED)})\b", r"\1\2`\3`", "reserved word"),
    ):
        changed = re.sub(pattern, instead, solution)
        if changed != solution:
            solution, done = changed, [*done, name]
    for word in RESERVED:  # what was quoted as a table is quoted before its columns
        if re.search(rf"`{word}`", solution, re.IGNORECASE):
            solution = re.sub(rf"(?i)(?<![`\w.])({word})(?=\.)", r"`\1`", solution)
    return solution, done


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
    orders = list(permutations(tables)) if len(tables) <= MOST_TABLES else [tuple(tables)]
    chosen = min(orders, key=lambda order: _unknown(tree, dict(zip(names, order, strict=True))))
    made: list[Table] = []
    for name, grid in zip(names.values(), chosen, strict=True):
        header, *body = grid
        if len({column.lower() for column in header}) != len(header) or "" in header:
            raise LookupError("a column of the example has no name of its own")
        columns = {
            column: _type([row[place] for row in body if place < len(row)])
            for place, column in enumerate(header)
        }
        made.append(Table(name, columns))
    return schema(made)


def _unknown(tree: exp.Expr, grids: Mapping[str, Sequence[Sequence[str]]]) -> int:
    """How many columns, qualified by a table or its alias, are not among those of the table's example."""
    tables = {str(node.alias_or_name).lower(): str(node.name).lower() for node in tree.find_all(exp.Table)}
    headers = {name: {cell.lower() for cell in grid[0]} for name, grid in grids.items()}
    missing = 0
    for column in tree.find_all(exp.Column):
        header = headers.get(tables.get(str(column.table).lower(), ""))
        missing += header is not None and str(column.name).lower() not in header
    return missing


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
