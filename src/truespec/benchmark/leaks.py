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
ROUNDINGS = frozenset({"int", "round", "floor", "ceil", "Fraction", "abs"})
"""Functions that are looked through."""
OPERANDS = 3
"""How many operands a part has that tells an oracle one operation away."""
SHORT = 4
"""A text of so few characters stands in any prompt."""


def telling_constraints(oracle: str, constraints: Sequence[str], variables: Sequence[str]) -> list[str]:
    """The constraints that hold the oracle as a part, or all of it but one operation.

    Roundings are looked through on both sides, and `//` is read as `/`. A comparison counts as the difference
    and as the ratio of its sides, `divides(a, b)` as `a / b`. A part tells the oracle where it is a constant
    multiple of it or of its reciprocal, or where one number or variable, added or multiplied, turns a part
    with a product and three or more operands into it. So does a part over all names of the oracle, three or
    more, that a constraint calls a whole number. Expressions are compared exactly at random points, so
    that another order of terms or other brackets make no difference.

    >>> telling_constraints("int(n * f)", ["is_int(f * n)", "n > 3", "n * f + 1 < 9"], ["n", "f"])
    ['is_int(f * n)', 'n * f + 1 < 9']
    >>> telling_constraints("t - int(a * b + c)", ["is_int(a * b + c)", "a * b > 3"], ["t", "a", "b", "c"])
    ['is_int(a * b + c)']
    """
    try:
        tree = ast.parse(oracle.strip(), mode="eval").body
    except SyntaxError:
        return []
    core = _plain(tree)
    exact = {ast.dump(core), ast.dump(tree)}
    points, wanted = _points(oracle, variables, core)
    found = []
    for text in constraints:
        parts = list(_parts(text))
        same = any(ast.dump(part) in exact for part in parts)
        same = same or _shows_shape(text, core)
        if same or (wanted and any(_gives(part, wanted, points) for part in parts)):
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


def _shows_shape(text: str, core: ast.expr) -> bool:
    """Whether a constraint says of an expression over all names of the oracle that it is a whole number.

    Where the two differ, they do so in a sign or a rounding, and may have the same value all the same.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    whole = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "is_int"
    names = _names(core)
    return whole and len(names) >= OPERANDS and names <= _names(tree)


Point = Mapping[str, Fraction]


def _points(
    seed: str, variables: Sequence[str], core: ast.expr
) -> tuple[list[dict[str, Fraction]], list[Fraction] | None]:
    """Points at which the oracle has values, and the values: large ones, or small ones where powers occur."""
    points: list[dict[str, Fraction]] = []
    for draw in (_number, _small):
        chance = random.Random(seed)
        points = [{name: draw(chance) for name in variables} for _ in range(POINTS)]
        values = _values(core, points)
        if values is not None:
            return points, values
    return points, None


def _number(chance: random.Random) -> Fraction:
    return Fraction(chance.randint(2, 10**6), chance.choice((1, 3, 7, 11, 13)))


def _small(chance: random.Random) -> Fraction:
    return Fraction(chance.randint(2, 9))


class _Plain(ast.NodeTransformer):
    """Looks through roundings, and reads `//` as `/`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        rounds = name in ROUNDINGS and len(node.args) == (2 if name == "round" and len(node.args) == 2 else 1)
        return node.args[0] if rounds else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.BinOp(node.left, ast.Div(), node.right) if isinstance(node.op, ast.FloorDiv) else node


def _plain(tree: ast.expr) -> ast.expr:
    copy = ast.parse(ast.unparse(tree), mode="eval").body
    plain = _Plain().visit(copy)
    assert isinstance(plain, ast.expr)
    return plain


def _parts(text: str) -> Iterator[ast.expr]:
    """The parts of a constraint that say more than a multiple of one variable, without roundings."""
    try:
        tree = _plain(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right in pairwise(sides):
                yield from _telling(ast.BinOp(left, ast.Sub(), right))
                if _names(left) and _names(right) and isinstance(left, ast.BinOp):
                    yield from _telling(ast.BinOp(left, ast.Div(), right))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "divides":
            if len(node.args) == 2:
                yield from _telling(ast.BinOp(node.args[0], ast.Div(), node.args[1]))
        elif isinstance(node, ast.BinOp | ast.Call | ast.IfExp):
            yield from _telling(node)


def _names(node: ast.expr) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _telling(node: ast.expr) -> Iterator[ast.expr]:
    operators = [one for one in ast.walk(node) if isinstance(one, ast.BinOp)]
    if len(_names(node)) > 1 or len(operators) > 1:
        yield node


def _gives(part: ast.expr, wanted: list[Fraction], points: Sequence[Point]) -> bool:
    """Whether a part is the oracle up to a factor, its reciprocal, or one operation with one operand."""
    found = _values(part, points)
    if found is None:
        return False
    if _alike(found, wanted):
        return True
    if _bounded(part) or not _computes(part):
        return False
    pairs = list(zip(wanted, found, strict=True))
    rests = [a - b for a, b in pairs], [a + b for a, b in pairs], [a / b for a, b in pairs]
    alone = [[Fraction(1)] * len(points), *([point[name] for point in points] for name in points[0])]
    return any(_is_one(a / b for a, b in zip(rest, one, strict=True)) for rest in rests for one in alone)


def _computes(part: ast.expr) -> bool:
    """Whether a part has enough operands, and a product: a plain sum only says what holds what."""
    nodes = list(ast.walk(part))
    products = any(isinstance(one, ast.Mult | ast.Div | ast.Pow) for one in nodes)
    return products and sum(isinstance(one, ast.Name | ast.Constant) for one in nodes) >= OPERANDS


def _bounded(part: ast.expr) -> bool:
    """Whether a part is a difference or ratio with a number, as a comparison with a bound makes it."""
    return isinstance(part, ast.BinOp) and not (_names(part.left) and _names(part.right))


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


def _alike(one: list[Fraction], other: list[Fraction]) -> bool:
    """Whether one is a constant multiple of the other, or of its reciprocal."""
    pairs = list(zip(one, other, strict=True))
    return _is_one(a / b for a, b in pairs) or _is_one(a * b for a, b in pairs)


def _is_one(values: Iterator[Fraction]) -> bool:
    """Whether all are the same number; what comes behind the first other one is not computed."""
    first = next(values)
    return all(value == first for value in values)
