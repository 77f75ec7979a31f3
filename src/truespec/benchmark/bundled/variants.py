"""Variants of bundled tasks: other subjects and other numbers, put in consistently.

A template of `variants/DOMAIN.toml` names a task and columns of substitutions. A variant takes one row of
each column, or leaves the column as it is, and puts the row's texts everywhere: in the statement, the
context, the oracle, the answers and their notes. So statement and oracle change together, and the answers
keep what they deserve.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from truespec.benchmark.bundled import read
from truespec.benchmark.bundled.read import BundledTask
from truespec.benchmark.difficulty import difficulty

EACH = 6
"""Variants drawn from a template."""


@dataclass(frozen=True, slots=True)
class Template:
    """A task and what may be put in its place."""

    parent: BundledTask
    """The individually written task."""
    columns: tuple[tuple[Mapping[str, str], ...], ...]
    """Each a list of rows; a row maps texts of the parent to others."""

    def rows(self) -> list[dict[str, str]]:
        """Every way to choose at most one row of each column, but for choosing none."""
        choices = product(*[({}, *column) for column in self.columns])
        return [merged for row in choices if (merged := {k: v for part in row for k, v in part.items()})]


@cache
def tasks(domain: str, *, variants: bool = False, seed: int = 0) -> tuple[BundledTask, ...]:
    """The bundled tasks of a domain, those of its demo first; none where there is no file.

    With `variants`, also those drawn from the domain's templates: the same ones for the same seed.
    """
    own = read.tasks(domain)
    return own if not variants else own + tuple(drawn(domain, seed))


def drawn(domain: str, seed: int) -> list[BundledTask]:
    """`EACH` variants of each template, or all where there are fewer."""
    found: list[BundledTask] = []
    for template in templates(domain):
        rows = template.rows()
        picked = random.Random(f"{seed}:{template.parent.task.id}").sample(rows, min(EACH, len(rows)))
        found += [derive(template.parent, row, number) for number, row in enumerate(picked, 1)]
    return found


@cache
def templates(domain: str) -> tuple[Template, ...]:
    """The templates of a domain, in the order of its file; none where there is no file."""
    file = files(__package__).joinpath("variants", f"{domain}.toml")
    if not file.is_file():
        return ()
    known = {task.task.id: task for task in read.tasks(domain)}
    return tuple(
        Template(known[one["parent"]], tuple(map(tuple, one["columns"])))
        for one in tomllib.loads(file.read_text(encoding="utf-8"))["template"]
    )


def derive(parent: BundledTask, row: Mapping[str, str], number: int) -> BundledTask:
    """The parent with the row's texts put in; its id ends with the number."""
    put = _substitution(row, whole=parent.task.domain != "regex")
    task, name = parent.task, f"{parent.task.id}-v{number}"
    oracle = put(task.oracle)
    return replace(
        parent,
        task=replace(
            task,
            id=name,
            statement=put(task.statement),
            context={key: _within(value, put) for key, value in task.context.items()},
            oracle=oracle,
            tags=(*task.tags, "variant"),
            extra={**task.extra, "difficulty": difficulty(task.domain, oracle), "variant_of": task.id},
        ),
        meanings={put(key): put(text) for key, text in parent.meanings.items()},
        answers=tuple(
            replace(answer, id=f"{name}/{at}", text=put(answer.text), note=put(answer.note))
            for at, answer in enumerate(parent.answers, 1)
        ),
        in_demo=False,
    )


def _substitution(row: Mapping[str, str], *, whole: bool) -> Callable[[str], str]:
    """All replacements at once, the longest first; of whole words and numbers, or anywhere in a text.

    A word at the beginning of a sentence, and a predicate named after it, keeps its capital letter.
    """
    keys = "|".join(re.escape(key) for key in sorted(row, key=len, reverse=True))
    if not whole:
        return lambda text: re.sub(keys, lambda found: row[found[0]], text)
    pattern = re.compile(rf"(?<!\w)(?<!\d\.)(?:{keys})(?!\w|\.\d)", re.IGNORECASE)

    def one(found: re.Match[str]) -> str:
        text = found[0]
        if text in row:
            return row[text]
        lower = text[0].lower() + text[1:]
        return row[lower][0].upper() + row[lower][1:] if lower in row else text

    return lambda text: pattern.sub(one, text)


def _within(value: Any, put: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return put(value)
    if isinstance(value, Mapping):
        return {put(key): _within(one, put) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_within(one, put) for one in value]
    return value
