"""The example programs print what they say; the notebooks hold what their cells give.

`TRUESPEC_UPDATE_SNAPSHOTS=1` writes the outputs of the notebooks anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import runpy
import textwrap
from pathlib import Path
from typing import Any

import pytest

from needs import ROOT

EXAMPLES = ROOT / "examples"
PROGRAMS = [path for path in sorted(EXAMPLES.glob("*.py")) if not path.name.startswith("guard_")]
NOTEBOOKS = sorted(EXAMPLES.glob("notebooks/*.ipynb"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_says(program: Path) -> None:
    told = ast.get_docstring(ast.parse(program.read_text("utf-8"))) or ""
    _, marked, expected = told.partition("Prints:\n")
    assert marked, "the docstring ends with 'Prints:' and the output, indented"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(program), run_name="__main__")
    assert printed.getvalue().strip() == textwrap.dedent(expected).strip()


def run_cell(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell as a notebook stores them: what it printed, and the value of its last line."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    outputs: list[dict[str, Any]] = []
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        # A value that shows itself is shown as a table with its times, which differ from run to run.
        rich = hasattr(value, "_repr_html_")
        assert not rich or value._repr_html_().startswith("<")
        shown = {"text/plain": [f"<{type(value).__name__}>" if rich else repr(value)]}
        result = {"data": shown, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        outputs.append(result)
    return outputs


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_what_its_cells_give(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    stored = json.dumps(notebook)
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = run_cell("".join(cell["source"]), names)
    if os.environ.get("TRUESPEC_UPDATE_SNAPSHOTS") == "1":
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    assert json.loads(stored)["cells"] == notebook["cells"]


def test_there_are_a_dozen_programs_and_two_notebooks() -> None:
    assert len(list(EXAMPLES.glob("*.py"))) >= 12
    assert len(NOTEBOOKS) >= 2
