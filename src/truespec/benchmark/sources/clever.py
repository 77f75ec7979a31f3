"""CLEVER: problems with Lean specifications (Thakur et al., 2025).

A task holds the problem text and the Gallina signature that corresponds to upstream's. Its oracle is our own
translation to Gallina (`clever_gallina.toml`, by problem number), and its statement ends with the
preconditions and choices of that translation; a problem without one has an empty oracle and the tag
`untranslated`. Upstream's Lean specification is kept in `lean`.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from truespec.benchmark.task import Origin, Skipped, Task
from truespec.verdict import UsageError

_SIMPLE = {"Int": "Z", "Nat": "nat", "Bool": "bool", "String": "string", "Char": "ascii"}
_APPLIED = {"List": "list", "Array": "list", "Option": "option"}
_TOKEN = re.compile(r"[A-Za-z_.]+|[()×ℕℤ]")


def read(folder: Path) -> Iterator[Task | Skipped]:
    """One task a problem; problems over types that have no counterpart are skipped with the type's name."""
    found = sorted(folder.rglob("problem_*.lean"), key=lambda path: int(re.sub(r"\D", "", path.stem) or 0))
    if not found:
        raise UsageError(f"{folder} holds none of the set's files: expected problem_N.lean there or below it")
    for path in found:
        origin = Origin("clever", path.relative_to(folder).as_posix())
        try:
            yield _task(path.read_text(encoding="utf-8", errors="replace"), path.stem, origin)
        except ValueError as error:
            yield Skipped(origin, str(error))


def _task(text: str, stem: str, origin: Origin) -> Task:
    details = section(text, "problem_details")
    docstring = re.search(r"docstring:[ |>-]*(.*?)(?=^\w+:|^-/)", details, re.DOTALL | re.MULTILINE)
    signature = re.search(r'function_signature:\s*"?(.*?)"?\s*$', details, re.MULTILINE)
    header = re.search(r"def\s+\w+\s*(.*?):=", section(text, "implementation_signature"), re.DOTALL)
    if docstring is None or header is None:
        raise ValueError("the problem lacks its docstring or the signature of its implementation")
    number = int(re.sub(r"\D", "", stem))
    oracle = translations().get(number, "")
    tags = ["translated" if oracle else "untranslated"]
    specification = section(text, "problem_spec")
    if len(re.findall(r"\bimpl(?:ementation)?\b", specification)) > 2:
        tags.append("mentions-implementation-elsewhere")
    return Task(
        f"clever/{stem.removeprefix('problem_')}",
        "rocq",
        _statement(docstring.group(1), notes().get(number, "")),
        {"signature": gallina_signature(header.group(1))},
        oracle,
        origin,
        tuple(tags),
        {"function_signature": signature.group(1) if signature else "", "lean": specification.strip()},
    )


def _statement(docstring: str, note: str) -> str:
    """The problem's text, less remarks of its authors, with what our specification settles."""
    lines = [line for line in docstring.splitlines() if not line.lstrip().startswith("--")]
    text = textwrap.dedent("\n".join(lines)).strip()
    return f"{text}\n\nThe specification settles: {note}." if note else text


@cache
def translations() -> Mapping[int, str]:
    """Our Gallina specifications by problem number."""
    return {entry["problem"]: entry["oracle"] for entry in _entries()}


@cache
def notes() -> Mapping[int, str]:
    """The preconditions and choices of our specifications by problem number, where there are any."""
    return {entry["problem"]: entry["note"] for entry in _entries() if "note" in entry}


def _entries() -> list[dict[str, Any]]:
    text = files(__package__).joinpath("clever_gallina.toml").read_text("utf-8")
    entries: list[dict[str, Any]] = tomllib.loads(text)["translation"]
    return entries


def section(text: str, name: str) -> str:
    """What stands between a section's marks; `ValueError` where it is missing."""
    match = re.search(rf"--\s*start_def {name}\b(.*?)--\s*end_def {name}\b", text, re.DOTALL)
    if match is None:
        raise ValueError(f"the section {name!r} is missing")
    return match.group(1)


def gallina_signature(header: str) -> str:
    """The signature of `spec` for a Lean function: its parameters, then its result.

    >>> gallina_signature("(a b: Int) (l : List Nat) : Option Int")
    '(a b : Z) (l : list nat) (result : option Z) : Prop'
    """
    groups, rest = [], header.strip()
    while rest.startswith("("):
        end = _closing(rest)
        names, colon, kind = rest[1:end].partition(":")
        if not colon:
            raise ValueError(f"the parameters {rest[: end + 1]!r} have no type")
        groups.append(f"({' '.join(names.split())} : {gallina_type(kind)})")
        rest = rest[end + 1 :].strip()
    if not rest.startswith(":") or not groups:
        raise ValueError(f"the signature {header.strip()!r} is not understood")
    return f"{' '.join(groups)} (result : {gallina_type(rest[1:])}) : Prop"


def gallina_type(lean: str) -> str:
    """The Gallina type that corresponds to a Lean type; `ValueError` names one that has no counterpart."""
    tokens = _TOKEN.findall(lean)
    if "".join(tokens) != "".join(lean.split()):
        raise ValueError(f"the type {lean.strip()!r} has no counterpart")
    kind, used = _product(tokens, 0)
    if used != len(tokens):
        raise ValueError(f"the type {lean.strip()!r} has no counterpart")
    return kind


def _product(tokens: list[str], at: int) -> tuple[str, int]:
    kind, at = _application(tokens, at)
    parts = [kind]
    while at < len(tokens) and tokens[at] == "×":
        kind, at = _application(tokens, at + 1)
        parts.append(kind)
    # Lean's products nest to the right, Rocq's to the left.
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = f"{part} * {_atom(result)}"
    return (f"({result})%type" if len(parts) > 1 else result), at


def _application(tokens: list[str], at: int) -> tuple[str, int]:
    if at >= len(tokens):
        raise ValueError("a type ends too early")
    head = tokens[at]
    if head in _APPLIED:
        argument, at = _application(tokens, at + 1)
        return f"{_APPLIED[head]} {_atom(argument)}", at
    if head == "(":
        kind, at = _product(tokens, at + 1)
        if at >= len(tokens) or tokens[at] != ")":
            raise ValueError("a type lacks its closing parenthesis")
        return kind, at + 1
    kind = {"ℕ": "nat", "ℤ": "Z", **_SIMPLE}.get(head, "")
    if not kind:
        raise ValueError(f"the type {head!r} has no counterpart")
    return kind, at + 1


def _atom(kind: str) -> str:
    return f"({kind})" if " " in kind and not kind.startswith("(") else kind


def _closing(text: str) -> int:
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return place
    raise ValueError("a parenthesis is never closed")
