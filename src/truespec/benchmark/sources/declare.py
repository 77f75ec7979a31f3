"""Declare models in the text format of RuM, MINERful and Declare4Py (`*.decl`): a task for each constraint.

    activity Pay
    Response[Order, Pay] | | |

The statement is the meaning of the template, the oracle its formula on finite traces; activities exclude each
other. Constraints with conditions on data or time say more than their template: they are skipped, with their
place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import files, relative, require
from truespec.benchmark.task import Origin, Skipped, Task
from truespec.domains.temporal.tokens import plain_name
from truespec.temporal.declare import TEMPLATES, Template, expand
from truespec.temporal.syntax import write

_CONSTRAINT = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z -]*?)\s*(?P<n>\d*)\s*\[(?P<activities>[^\]]*)\](?P<more>.*)"
)
_NAMES = {re.sub(r"\W", "", template.name).lower(): template for template in TEMPLATES}
MOST = 20
"""Larger numbers of occurrences make formulas that nobody reads."""


def read(folder: Path) -> Iterator[Task | Skipped]:
    """The tasks of every model in the folder, file by file."""
    for path in require(files(folder, "*.decl"), folder, "*.decl"):
        yield from _model(path, folder)


def _model(path: Path, folder: Path) -> Iterator[Task | Skipped]:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    activities = [line[9:].strip() for line in lines if line.startswith("activity ")]
    for number, line in enumerate(map(str.strip, lines), 1):
        origin = Origin("declare", relative(path, folder), f"line {number}")
        if not line or line.startswith("activity "):
            continue
        found = _CONSTRAINT.fullmatch(line)
        if found is None:
            yield Skipped(origin, f"no constraint: {line!r:.80}")
            continue
        made = _constraint(found, activities)
        if isinstance(made, str):
            yield Skipped(origin, made)
            continue
        statement, oracle = made
        context: dict[str, object] = {"logic": "ltlf", "atoms": activities, "exclusive": [activities]}
        id = f"declare/{path.stem}/{number:03}"
        yield Task(id, "temporal", statement, context, oracle, origin, ("declare",))


def _constraint(found: re.Match[str], activities: list[str]) -> tuple[str, str] | str:
    """The sentence and the formula of a constraint, or why there are none."""
    template = _NAMES.get(re.sub(r"\W", "", found["name"]).lower())
    if template is None:
        return f"unknown template {found['name']!r:.60}"
    if found["more"].replace("|", "").strip():
        return f"conditions on data or time are not part of the template: {found['more'].strip()!r:.80}"
    names = [name.strip() for name in found["activities"].split(",")]
    if len(names) != template.activities:
        return f"{template.name} takes {template.activities} activities, not {len(names)}"
    for name in names:
        if name not in activities:
            return f"{name!r:.60} is not declared as an activity"
    count = int(found["n"] or 1)
    if not 1 <= count <= MOST or (found["n"] and not template.counted):
        return f"{template.name} with the number {found['n']}"
    return _made(template, names, count)


def _made(template: Template, names: list[str], count: int) -> tuple[str, str]:
    a, b = names[0], names[-1]
    sentence = template.sentence.format(a=a, b=b, n=count)
    formula = expand(template, a, b, count)
    return sentence, write(formula, lambda name: name if plain_name(name) else f'"{name}"')
