"""Whether what a model is shown tells the reference: verbatim, or after a trivial rewriting."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from truespec.benchmark.task import Task, shown_context
from truespec.domains.arith.replay import CannotReplay, replay

POINTS = 8
"""Random points at which two expressions are compared."""
WHOLE = frozenset({"int", "round", "floor", "ceil", "Fraction", "abs"})
"""Functions that are looked through at the top of an oracle."""
SHORT = 4
"""A text of so few characters stands in any prompt."""


def telling_constraints(oracle: str, constraints: Sequence[str], variables: Sequence[str]) -> list[str]:
    """The constraints that hold the oracle as a part, up to a constant factor or its reciprocal.

    A comparison counts as the difference of its sides, and `divides(a, b)` as `a / b`. Expressions are
    compared exactly at random points, so that another order of terms or other brackets make no difference.

    >>> telling_constraints("int(n * f)", ["is_int(f * n)", "n > 3", "n * f + 1 < 9"], ["n", "f"])
    ['is_int(f * n)', 'n * f + 1 < 9']
    """
    chance = random.Random(oracle)
    points = [{name: _number(chance) for name in variables} for _ in range(POINTS)]
    try:
        core = _core(ast.parse(oracle.strip(), mode="eval").body)
    except SyntaxError:
        return []
    whole = _values(core, points)
    wanted = [] if whole is None else [whole]
    plain = {ast.dump(core), ast.dump(ast.parse(oracle.strip(), mode="eval").body)}
    found = []
    for text in constraints:
        parts = list(_parts(text))
        same = any(ast.dump(part) in plain for part in parts)
        if same or any(_alike(_values(part, points), one) for part in parts for one in wanted):
            found.append(text)
    return found


def tells(task: Task, prompt: str) -> str:
    """What in a prompt tells the task's oracle; empty where nothing does.

    In arithmetic, constraints are compared by meaning; everywhere the text is compared without spaces.
    """
    if task.domain == "arith":
        variables, constraints = task.context.get("variables"), shown_context(task).get("constraints")
        if isinstance(variables, Mapping) and isinstance(constraints, Sequence):
            found = telling_constraints(task.oracle, constraints, list(variables))
            if found:
                return found[0]
    plain = re.sub(r"\s", "", task.oracle)
    wordy = len(plain) <= SHORT or not re.search(r"\W", plain)  # a statement may need the word itself
    return task.oracle if not wordy and plain in re.sub(r"\s", "", prompt) else ""


def _number(chance: random.Random) -> Fraction:
    return Fraction(chance.randint(2, 10**6), chance.choice((1, 3, 7, 11, 13)))


def _core(tree: ast.expr) -> ast.expr:
    """The oracle without roundings around the whole of it."""
    while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in WHOLE:
        if len(tree.args) != 1:
            break
        tree = tree.args[0]
    return tree


def _parts(text: str) -> Iterator[ast.expr]:
    """The numeric parts of a constraint that say more than a multiple of one variable."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right in pairwise(sides):
                yield from _telling(ast.BinOp(left, ast.Sub(), right))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "divides":
            if len(node.args) == 2:
                yield from _telling(ast.BinOp(node.args[0], ast.Div(), node.args[1]))
        elif isinstance(node, ast.BinOp | ast.Call | ast.IfExp):
            yield from _telling(node)


def _telling(node: ast.expr) -> Iterator[ast.expr]:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    operators = [one for one in ast.walk(node) if isinstance(one, ast.BinOp)]
    if len(names) > 1 or len(operators) > 1:
        yield node


def _values(node: ast.expr, points: Sequence[Mapping[str, Fraction]]) -> list[Fraction] | None:
    """The values at the points, less those where it is undefined; None where it has no number anywhere."""
    text, found = ast.unparse(node), []
    try:
        for point in points:
            value = replay(text, point)
            if isinstance(value, bool) or not value:
                return None
            found.append(Fraction(value))
    except (CannotReplay, KeyError, TypeError, ValueError, OverflowError):
        return None
    return found if len(set(found)) > 1 else None


def _alike(one: list[Fraction] | None, other: list[Fraction]) -> bool:
    """Whether one is a constant multiple of the other, or of its reciprocal."""
    if one is None:
        return False
    pairs = list(zip(one, other, strict=True))
    return len({a / b for a, b in pairs}) == 1 or len({a * b for a, b in pairs}) == 1
