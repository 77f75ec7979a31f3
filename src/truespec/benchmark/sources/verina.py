"""Verina's Coq branch: programs with Boolean pre- and postconditions (Ye et al., 2025).

The oracle is the postcondition under the precondition, with the helpers that upstream defines for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.task import Origin, Skipped, Task
from truespec.domains.rocq.screen import screen, screen_prelude
from truespec.verdict import TruespecError, UsageError

_MARK = r"\(\* !benchmark @{edge} {name}[^*]*\*\)"
_SCALARS = {"Z", "nat", "bool", "N", "ascii"}


def read(folder: Path) -> Iterator[Task | Skipped]:
    """One task a folder; what the screening of the rocq domain forbids is skipped with its reason."""
    found = sorted(folder.rglob("task.v"), key=lambda path: re.split(r"(\d+)", path.parent.name))
    if not found:
        raise UsageError(f"{folder} holds none of the set's files: expected NAME/task.v and NAME/task.json")
    for path in found:
        origin = Origin("verina", path.relative_to(folder).as_posix())
        try:
            yield _task(path, origin)
        except KeyError as error:
            yield Skipped(origin, f"its task.json lacks the field {error}")
        except (OSError, ValueError, TypeError) as error:
            yield Skipped(origin, f"{type(error).__name__}: {error}")
        except TruespecError as error:
            yield Skipped(origin, str(error))


def _task(path: Path, origin: Origin) -> Task:
    text = path.read_text(encoding="utf-8", errors="replace")
    record = json.loads(path.with_name("task.json").read_text(encoding="utf-8"))
    statement = path.with_name("description.txt").read_text(encoding="utf-8", errors="replace").strip()
    shape = record["coq_signature"]
    parameters = [(str(item["param_name"]), str(item["param_type"])) for item in shape["parameters"]]
    result = str(shape["return_type"])
    binders = " ".join(f"({name} : {kind})" for name, kind in [*parameters, ("result", result)])
    prelude = _without_comments("\n".join(sections(text, "import"))).strip()
    screen_prelude(prelude)
    helpers = [part for name in ("task_aux", "solution_aux", "precond_aux") for part in sections(text, name)]
    precondition, postcondition = _one(text, "precond"), _one(text, "postcond")
    body = f"({postcondition})"
    if _without_comments(precondition).strip() != "true":
        body = f"implb ({precondition})\n  {body}"
    program = str(shape["name"])
    after = sections(text, "postcond_aux")
    if re.search(rf"\b{re.escape(program)}\b", "\n".join([body, *after])):
        names = " ".join(f"({name} : {kind})" for name, kind in parameters)
        code = f"Definition {program} {names} : {result} :=\n  {_one(text, 'code')}."
        helpers += [*sections(text, "code_aux"), code]
    oracle = "\n".join(part.strip() for part in [*helpers, *after] if part.strip())
    oracle = f"{oracle}\nDefinition spec {binders} : bool :=\n  {body}.".strip()
    screen(oracle)
    scalar = all(kind.strip("() ") in _SCALARS for _, kind in [*parameters, ("", result)])
    return Task(
        f"verina/{path.parent.name.removeprefix('verina_')}",
        "rocq",
        statement,
        {"signature": f"{binders} : bool", "prelude": prelude},
        oracle,
        origin,
        ("scalar",) if scalar else (),
    )


def sections(text: str, name: str) -> list[str]:
    """The contents of all sections of this name, in order."""
    start, end = (_MARK.replace("{edge}", edge).replace("{name}", name + r"\b") for edge in ("start", "end"))
    return [found.strip() for found in re.findall(rf"{start}(.*?){end}", text, re.DOTALL)]


def _one(text: str, name: str) -> str:
    found = sections(text, name)
    if len(found) != 1:
        raise ValueError(f"expected one section {name!r}, found {len(found)}")
    return found[0]


def _without_comments(text: str) -> str:
    return re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
