"""The twin of arithmetic: Python itself evaluates both texts at many small points.

Names and literals become `Fraction`s, so that Python's own operators are the exact semantics; a
`ZeroDivisionError` is "undefined". It shares no code with the domain.
"""

from __future__ import annotations

import ast
import itertools
import json
import math
import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

LIMIT = 4_000
INTEGERS = [*range(-7, 13), 15, 20, 24, 30, 60, 100]
RATIONALS = [Fraction(a, b) for b in (1, 2, 3, 4, 5, 10) for a in range(-8, 13) if math.gcd(a, b) == 1]
UNDEFINED = "undefined"


class _Exact(ast.NodeTransformer):
    def __init__(self, text: str) -> None:
        self.text = text

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow):
            return ast.Call(ast.Name("P", ast.Load()), [node.left, node.right], [])
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            return node
        source = ast.get_source_segment(self.text, node)
        exact = ast.Constant(str(node.value) if isinstance(node.value, int) else source)
        return ast.Call(ast.Name("F", ast.Load()), [exact], [])


def power(a: Fraction, n: Fraction) -> Fraction | float:
    if abs(n) > 10_000 and abs(a) != 1:
        raise OverflowError
    return a**n


@cache
def _exact(text: str) -> Fraction:
    return Fraction(text.replace("_", ""))


def function(text: str, names: list[str]) -> Callable[..., Any]:
    text = text.strip()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = _Exact(text).visit(ast.parse(text, mode="eval"))
    body = ast.Lambda(ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, []), tree.body)
    code = compile(ast.fix_missing_locations(ast.Expression(body)), "<twin>", "eval")
    scope = {
        "P": power,
        "F": _exact,
        "Fraction": lambda a, b=Fraction(1): a / b,
        "int": lambda a: Fraction(math.trunc(a)),
        "floor": lambda a: Fraction(math.floor(a)),
        "ceil": lambda a: Fraction(math.ceil(a)),
        "round": lambda a, n=0: Fraction(round(a, int(n))),
        "is_int": lambda a: a == math.floor(a),
        "divides": lambda a, b: a % b == 0,
        "abs": abs,
        "min": min,
        "max": max,
        "__builtins__": {},
    }
    run = eval(code, scope)

    def value(*args: Fraction) -> Any:
        try:
            return run(*args)
        except ZeroDivisionError:
            return UNDEFINED
        except OverflowError:
            return "too large"

    return value


def points(context: dict[str, Any]) -> list[tuple[Fraction, ...]]:
    """Small points, all of them where they are few, that satisfy the constraints."""
    variables = context.get("variables", {})
    names = list(variables)
    constants = [
        Fraction(node.value)
        for text in context.get("constraints", [])
        for node in ast.walk(ast.parse(text.strip(), mode="eval"))
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) < 10**6
    ]
    extra = [constant + d for constant in constants for d in (-1, 0, 1)]
    pools = []
    for name in names:
        whole = variables[name].get("type", "int") == "int"
        pool = [Fraction(v) for v in (INTEGERS if whole else RATIONALS)] + extra
        pools.append(list(dict.fromkeys(pool)))
    tests = [function(text, names) for text in context.get("constraints", [])]
    total = math.prod(map(len, pools))
    generator = random.Random(1)
    candidates: Any = (
        itertools.product(*pools)
        if total <= 20_000
        else (tuple(generator.choice(pool) for pool in pools) for _ in range(20_000))
    )
    legal = (point for point in candidates if all(test(*point) is True for test in tests))
    return list(itertools.islice(legal, LIMIT))


@lru_cache(16)
def _points(context: str) -> list[tuple[Fraction, ...]]:
    return points(json.loads(context))


def differ(oracle: str, candidate: str, context: dict[str, Any]) -> dict[str, str] | None:
    """A point where the two differ, or None."""
    names = list(context.get("variables", {}))
    left, right = function(oracle, names), function(candidate, names)
    for point in _points(json.dumps(context)):
        if left(*point) != right(*point):
            return {name: str(value) for name, value in zip(names, point, strict=True)}
    return None
