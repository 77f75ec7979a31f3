"""The parts of the SQL domain import only parts above them, and dialects are distinguished in one place."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from needs import ROOT
from truespec.domains.sql.compile.expr.table import FAMILIES
from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.dialects.registry import DIALECTS

SOURCE = ROOT / "src" / "truespec"
SQL = SOURCE / "domains" / "sql"

LADDER = ["dialects", "ir", "rules", "aggregates", "compile", "prove"]
"""The folders of the prover in order: each imports only itself and folders before it."""


def imported(path: Path) -> set[str]:
    """The dotted names of our own that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("truespec."):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("truespec.")}
    return found


def modules(folder: Path) -> dict[str, Path]:
    """The modules below a folder, by their dotted names."""
    named = {
        ".".join(("truespec", *path.relative_to(SOURCE).with_suffix("").parts)): path
        for path in folder.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for name, path in named.items()}


@pytest.mark.parametrize("folder", LADDER)
def test_a_folder_imports_only_folders_above_it(folder: str) -> None:
    below = LADDER[LADDER.index(folder) + 1 :]
    for path in (SQL / folder).rglob("*.py"):
        for name in imported(path):
            parts = name.split(".")
            assert parts[:3] != ["truespec", "domains", "sql"] or parts[3] not in below, (
                f"{path} imports {name}"
            )


def test_no_modules_import_one_another_in_a_circle() -> None:
    files = modules(SOURCE)
    graph = {name: _known(imported(path), files) - {name} for name, path in files.items()}
    circles = [circle for circle in _components(graph) if len(circle) > 1]
    inside = tuple(f"truespec.domains.sql.{folder}." for folder in LADDER)
    assert not [circle for circle in circles if any(name.startswith(inside) for name in circle)]


AT_HOME = ("dialects", "engines")
"""Where a dialect's name may stand: its record, and the engine that speaks it."""


def test_dialects_are_distinguished_by_their_records() -> None:
    """Code asks for a field of a dialect's record, so that a new dialect answers and never inherits."""
    for path in SQL.rglob("*.py"):
        inner = path.relative_to(SQL)
        if inner.parts[0] in AT_HOME or inner.as_posix() == "text/lexicon.py":  # four records of its own
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in DIALECTS), f"{path}:{node.lineno}"


def test_a_dialect_answers_every_question() -> None:
    assert all(field.default is dataclasses.MISSING for field in dataclasses.fields(Dialect))


def test_an_expression_has_one_reader() -> None:
    types = [node for family in FAMILIES for node in family]
    assert len(types) == len(set(types))


def _known(names: set[str], files: dict[str, Path]) -> set[str]:
    """The modules that imported names stand for: `a.b.name` is `a.b` where it is no module itself."""
    found = {name if name in files else name.rpartition(".")[0] for name in names}
    return found & files.keys()


def _components(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for other in graph[name]:
            if other not in number:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], number[other])
        if low[name] == number[name]:
            place = stack.index(name)
            found.append(stack[place:])
            del stack[place:]

    for name in graph:
        if name not in number:
            visit(name)
    return found
