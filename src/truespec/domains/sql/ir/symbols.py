"""What an expression is made of: the variables that are free in it and the functions that it applies.

Z3's Python layer is slow to walk an expression, so this one speaks to Z3's core and remembers every part.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import z3
from z3 import z3core

from truespec.solvers.z3 import remembering

Expr = Any
"""A Z3 expression of any sort."""
Names = frozenset[str]
"""Names of Z3 functions and constants."""

NONE: Names = frozenset()
_FIXED = ("text!", "value!", "nil!", "agg!", "fix!")
_Result = TypeVar("_Result")
_known: dict[int, tuple[Names, Names, int]] = remembering({})
_alive: list[Expr] = remembering([])
"""Roots whose parts are remembered: Z3 gives the number of a dead expression to another one."""


def remembered(function: Callable[[Expr], _Result]) -> Callable[[Expr], _Result]:
    """A function of one expression that computes each value once for a pair.

    Z3 shares equal expressions: as long as one is held, its address stands for it.
    """
    table: dict[int, tuple[Expr, _Result]] = remembering({})

    @wraps(function)
    def recall(expression: Expr) -> _Result:
        node = expression.ast.value
        found = table.get(node)
        if found is None:
            found = table[node] = (expression, function(expression))
        return found[1]

    return recall


@remembered
def head(expression: Expr) -> int:
    """Z3's number of the operator that an application applies; -1 for a bound variable or a quantifier."""
    context, node = expression.ctx_ref(), expression.as_ast()
    if z3core.Z3_get_ast_kind(context, node) not in (z3.Z3_APP_AST, z3.Z3_NUMERAL_AST):
        return -1
    return int(z3core.Z3_get_decl_kind(context, z3core.Z3_get_app_decl(context, node)))


@remembered
def operands(expression: Expr) -> tuple[Expr, ...]:
    """The arguments of an application."""
    return tuple(expression.children())


@remembered
def inside(expression: Expr) -> frozenset[int]:
    """The numbers of the parts of an expression without quantifiers, its own included."""
    own = frozenset({expression.get_id()})
    return own.union(*map(inside, operands(expression))) if z3.is_app(expression) else own


def is_true(expression: Expr) -> bool:
    """Whether this is the constant `true`."""
    return bool(head(expression) == z3.Z3_OP_TRUE)


def is_false(expression: Expr) -> bool:
    """Whether this is the constant `false`."""
    return bool(head(expression) == z3.Z3_OP_FALSE)


def is_and(expression: Expr) -> bool:
    """Whether this is a conjunction."""
    return bool(head(expression) == z3.Z3_OP_AND)


def is_or(expression: Expr) -> bool:
    """Whether this is a disjunction."""
    return bool(head(expression) == z3.Z3_OP_OR)


def is_not(expression: Expr) -> bool:
    """Whether this is a negation."""
    return bool(head(expression) == z3.Z3_OP_NOT)


def is_eq(expression: Expr) -> bool:
    """Whether this is an equation."""
    return bool(head(expression) == z3.Z3_OP_EQ)


def is_ite(expression: Expr) -> bool:
    """Whether this is an if-then-else."""
    return bool(head(expression) == z3.Z3_OP_ITE)


def substituted(expression: Expr, *pairs: tuple[Expr, Expr]) -> Expr:
    """The expression with the second of each pair in place of the first, as `z3.substitute` has it.

    Z3's core checks the sorts itself; the check of Z3's Python layer takes most of the time of a proof.
    """
    count = len(pairs)
    old, new = (z3.Ast * count)(), (z3.Ast * count)()
    for place, (before, after) in enumerate(pairs):
        old[place], new[place] = before.as_ast(), after.as_ast()
    result = z3core.Z3_substitute(expression.ctx_ref(), expression.as_ast(), count, old, new)
    return z3.z3._to_expr_ref(result, expression.ctx)


def constants(expression: Expr) -> Names:
    """The free variables, by name; names are unique in a world. Literals and other fixed values are none."""
    return _parts(expression)[0]


def reads_rows(expression: Expr) -> bool:
    """Whether an expression speaks of a row, or of all of them as an aggregate or EXISTS does."""
    named = any(name.startswith(("agg!", "rows ")) for name in functions(expression))
    return named or bool(constants(expression))


def variables(expression: Expr) -> dict[str, Expr]:
    """The free variables themselves, by name."""
    found: dict[str, Expr] = {}
    seen: set[int] = set()
    todo = [expression]
    while todo:
        node = todo.pop()
        if node.get_id() in seen or not constants(node):
            continue
        seen.add(node.get_id())
        if z3.is_quantifier(node):
            todo.append(node.body())
        elif node.num_args() == 0:
            found[name_of(node)] = node
        else:
            todo += operands(node)
    return found


def functions(expression: Expr) -> Names:
    """The names of the uninterpreted functions and constants."""
    return _parts(expression)[1]


def quantifier_depth(expression: Expr) -> int:
    """How many quantifiers are nested in the expression, at most."""
    return _parts(expression)[2]


@remembered
def name_of(variable: Expr) -> str:
    """The name of a variable."""
    return str(variable.decl().name())


def _parts(expression: Expr) -> tuple[Names, Names, int]:
    found = _known.get(expression.get_id())
    if found is None:
        _alive.append(expression)
        found = _walk(expression.ctx_ref(), expression.as_ast())
    return found


def _walk(context: Any, node: Any) -> tuple[Names, Names, int]:
    number = z3core.Z3_get_ast_id(context, node)
    found = _known.get(number)
    if found is not None:
        return found
    kind = z3core.Z3_get_ast_kind(context, node)
    result = NONE, NONE, 0
    if kind == z3.Z3_QUANTIFIER_AST:
        free, applied, depth = _walk(context, z3core.Z3_get_quantifier_body(context, node))
        result = free, applied, depth + 1
    elif kind == z3.Z3_APP_AST:
        free, applied, depth = NONE, NONE, 0
        size = z3core.Z3_get_app_num_args(context, node)
        for position in range(size):
            below = _walk(context, z3core.Z3_get_app_arg(context, node, position))
            free = below[0] if not free else free if free is below[0] else free | below[0]
            applied = below[1] if not applied else applied if applied is below[1] else applied | below[1]
            depth = max(depth, below[2])
        declaration = z3core.Z3_get_app_decl(context, node)
        if z3core.Z3_get_decl_kind(context, declaration) == z3.Z3_OP_UNINTERPRETED:
            name = str(z3core.Z3_get_symbol_string(context, z3core.Z3_get_decl_name(context, declaration)))
            applied = applied | {name}
            if size == 0 and not name.startswith(_FIXED):
                free = free | {name}
        result = free, applied, depth
    _known[number] = result
    return result
