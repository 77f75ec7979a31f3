"""The rooms import only what stands above them, and `import truespec` is instant."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from needs import ROOT

SOURCE = ROOT / "src" / "truespec"

LADDER = [
    "verdict",
    "untrusted",
    "solvers",
    "automata",
    "temporal",
    "domains",
    "traces",
    "worlds",
    "faults",
    "rules",
    "models",
    "benchmark",
    "judges",
    "extraction",
    "guard",
    "compliance",
    "metrics",
    "analysis",
    "store",
    "executors",
    "reports",
    "serve",
    "cli",
]
"""The rooms in order: each imports only itself and rooms before it."""

FREE_OF_MODELS_AND_NETWORK = LADDER[: LADDER.index("rules") + 1]
NETWORK = {"http", "urllib", "socket", "ssl", "ftplib", "smtplib", "asyncio", "httpx", "requests", "openai"}
NETWORK |= {"inspect_ai", "litellm", "anthropic"}
MAY_CONNECT = {"domains/sql/engines"}
"""Database servers, which truespec starts itself on a private socket."""


@dataclass(frozen=True)
class Module:
    """What the tests ask of a module, which is parsed once."""

    lines: int
    imports: frozenset[str]
    """The dotted names that it imports, wherever in it."""
    functions: tuple[tuple[str, int], ...]
    """Its functions with their lines."""


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, wherever they stand; expressions, which are most of a module, hold none."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, name, ())


def test_no_statement_is_overlooked() -> None:
    for path in [*SOURCE.glob("*.py"), *SOURCE.glob("serve/*.py"), Path(__file__)]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = set(map(id, statements(tree)))
        assert all(id(node) in found for node in ast.walk(tree) if isinstance(node, ast.stmt)), path


@cache
def read(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    found: set[str] = set()
    functions = []
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.name, (node.end_lineno or node.lineno) - node.lineno + 1))
    return Module(text.count("\n"), frozenset(found), tuple(functions))


def imports(path: Path) -> frozenset[str]:
    return read(path).imports


def modules(room: str) -> list[Path]:
    return sorted((SOURCE / room).rglob("*.py"))


def test_every_room_stands_on_the_ladder() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(LADDER)


@pytest.mark.parametrize("room", LADDER)
def test_a_room_imports_only_rooms_above_it(room: str) -> None:
    allowed = set(LADDER[: LADDER.index(room) + 1]) | {"version", "plugins"}
    allowed |= {"api"} if room in {"reports", "serve", "cli"} else set()
    for path in modules(room):
        for name in imports(path):
            if name.startswith("truespec."):
                assert name.split(".")[1] in allowed, f"{path.relative_to(SOURCE)} imports {name}"


def test_no_module_imports_itself_through_others() -> None:
    """Imports inside functions and those for types alone count too."""
    paths = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in SOURCE.rglob("*.py")
    }
    # `from package import module` imports the module; the package beside it is named only for the path.
    graph = {}
    for module, path in paths.items():
        named = {name for name in imports(path) if name in paths and name != module}
        graph[module] = {name for name in named if not any(other.startswith(f"{name}.") for other in named)}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("room", FREE_OF_MODELS_AND_NETWORK)
def test_the_sound_rooms_know_neither_models_nor_network(room: str) -> None:
    for path in modules(room):
        where = path.relative_to(SOURCE).as_posix()
        if any(where.startswith(exempt) for exempt in MAY_CONNECT):
            continue
        reached = {name.split(".")[0] for name in imports(path)} & NETWORK
        assert not reached, f"{where} imports {sorted(reached)}"


def test_import_loads_nothing_heavy() -> None:
    script = "import sys, truespec; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {"z3", "cvc5", "sqlglot", "duckdb", "rich", "click", "jinja2", "sqlite3", "asyncio", "yaml"}
    assert not loaded & heavy, sorted(loaded & heavy)
    assert len(loaded) < 150, "an import that pulls in much is no longer instant"


def test_a_check_of_traces_starts_without_what_few_files_need() -> None:
    """All workers wait for it: what is loaded before the first one starts is done by one core alone."""
    script = "import sys, truespec.cli.trace_check; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {"z3", "sqlglot", "jsonschema", "rich", "jinja2", "sqlite3", "asyncio", "zipfile", "zstandard"}
    heavy |= {"difflib", "fractions", "traceback"}
    assert not (found := set(run.stdout.split()) & heavy), sorted(found)


MOST_LINES = 450
"""Of a module."""
MOST_OF_A_FUNCTION = 80
"""Lines of a function, everywhere."""


def test_modules_and_functions_stay_readable() -> None:
    for path in sorted(SOURCE.rglob("*.py")):
        module, where = read(path), path.relative_to(SOURCE)
        assert module.lines <= MOST_LINES, where
        for name, lines in module.functions:
            assert lines <= MOST_OF_A_FUNCTION, f"{where}: {name} has {lines} lines"
