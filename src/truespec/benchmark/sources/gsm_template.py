"""A template of GSM-Symbolic, split into its parts."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path


class Unreadable(Exception):
    """A template that is left out, and why."""


_INIT = re.compile(r"-\s*(\$?)\s*([A-Za-z_][\w\s,$]*?)\s*=\s*(.+)")
PLACEHOLDER = re.compile(r"\{\s*(\w+)\s*,\s*([^{}]*?)\s*\}")


@dataclass
class Template:
    """A template as read."""

    id: str
    """`symbolic/0000`."""
    original: int
    """The index in the GSM8K test split."""
    question: str
    """The original question."""
    statement: str
    """The text with `{name, default}` placeholders."""
    defaults: dict[str, str]
    """The values of the original problem, as written."""
    domains: dict[str, ast.expr]
    """Each variable's domain."""
    numeric: set[str]
    """Variables marked with `$`."""
    conditions: list[str]
    """As written, less quirks."""
    answer: str
    """The `#answer` expression."""
    hole: str
    """The `####` expression."""
    solution: str
    """The worked solution, with `{name}` placeholders; it holds the oracle."""
    tags: list[str] = field(default_factory=list)


def read_template(path: Path, name: str) -> Template:
    """Split a template file into its parts."""
    record = json.loads(path.read_text(encoding="utf-8"))
    text = record["question_annotated"]
    statement, mark, rest = text.partition("#init:")
    if not mark:
        raise Unreadable("the template has no '#init:' section")
    init, _, rest = rest.partition("#conditions:") if "#conditions:" in rest else _without_conditions(rest)
    conditions, _, answer = rest.partition("#answer")
    domains: dict[str, ast.expr] = {}
    numeric: set[str] = set()
    for line in filter(None, map(str.strip, init.splitlines())):
        found = _INIT.fullmatch(line)
        if found is None:
            raise Unreadable(f"the '#init' line {line!r} is not 'name = domain'")
        domain = ast.parse(found[3].strip(), mode="eval").body
        for variable in found[2].replace("$", "").split(","):
            domains[variable.strip()] = domain
            if found[1]:
                numeric.add(variable.strip())
    return Template(
        id=name,
        original=int(record["id_orig"]),
        question=record["question"],
        statement=statement.strip(),
        defaults={m[1]: m[2] for m in PLACEHOLDER.finditer(statement)},
        domains=domains,
        numeric=numeric,
        conditions=[
            line.strip().removeprefix("-").strip() for line in conditions.splitlines() if line.strip()
        ],
        answer=_expression(answer.strip().removeprefix(":").removeprefix("=").strip().removeprefix("=")),
        hole=_expression(record["answer_annotated"].rsplit("####", 1)[-1]),
        solution=record["answer_annotated"].rsplit("####", 1)[0],
    )


def _without_conditions(rest: str) -> tuple[str, str, str]:
    init, mark, answer = rest.partition("#answer")
    return init, "", mark + answer


def _expression(text: str) -> str:
    text = text.strip()
    while text.startswith("{") and text.endswith("}"):
        text = text[1:-1].strip()
    return text.replace("$", "").strip()
