"""What is read of Z3's expressions directly is what its interface reads."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import z3

from truespec.solvers import z3 as boundary
from truespec.solvers.z3_calls import READ

Reading = Callable[[Any], tuple[Any, ...]]
"""The arguments of a call that reads an expression, after the context."""
THING = z3.DeclareSort("thing")
X, Y, R, T = z3.Int("x"), z3.Int("y"), z3.Real("r"), z3.Const("t", THING)
EXPRESSIONS = [
    z3.And(X + 2 * Y > 3, z3.Or(X == Y, z3.Not(R < 0.5)), z3.Function("f", THING, z3.BoolSort())(T)),
    z3.ForAll([T, X], z3.Function("g", THING, z3.IntSort(), z3.IntSort())(T, X) == X),
    z3.Concat(z3.String("s"), z3.StringVal("a")) == z3.String("s"),
    z3.Select(z3.Array("a", z3.IntSort(), z3.IntSort()), X) == z3.If(X > 0, X / Y, X % 3),
    z3.EmptySet(z3.IntSort()) == z3.FullSet(z3.IntSort()),
    z3.BitVec("b", 8) + 1 == z3.BitVecVal(3, 8),
]


@pytest.fixture(scope="module")
def interface() -> ModuleType:
    """Z3's interface as it comes: the same library, read again."""
    assert boundary.version()
    spec = importlib.util.spec_from_file_location("z3.as_it_comes", z3.z3core.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(expression: Any) -> Iterator[Any]:
    yield expression
    for child in expression.children():
        yield from parts(child)


def plain(value: Any) -> object:
    """A result: a number as it is, a pointer as its address."""
    return getattr(value, "value", value)


def test_they_are_direct(interface: ModuleType) -> None:
    for name in READ:
        if hasattr(interface, name):
            assert inspect.isfunction(getattr(interface, name))
            for module in (z3.z3core, z3.z3):
                assert not inspect.isfunction(getattr(module, name)), name


def test_they_read_what_the_interface_reads(interface: ModuleType) -> None:
    read: list[tuple[str, Reading]] = [
        ("Z3_get_ast_kind", lambda e: (e.ast,)),
        ("Z3_get_ast_id", lambda e: (e.ast,)),
        ("Z3_get_ast_hash", lambda e: (e.ast,)),
        ("Z3_get_sort", lambda e: (e.ast,)),
        ("Z3_get_sort_kind", lambda e: (e.sort().ast,)),
        ("Z3_is_finite_set_sort", lambda e: (e.sort().ast,)),
        ("Z3_is_eq_ast", lambda e: (e.ast, EXPRESSIONS[0].ast)),
        ("Z3_is_eq_sort", lambda e: (e.sort().ast, X.sort().ast)),
    ]
    of_applications: list[tuple[str, Reading]] = [
        ("Z3_get_app_num_args", lambda e: (e.ast,)),
        ("Z3_get_app_decl", lambda e: (e.ast,)),
        ("Z3_get_decl_kind", lambda e: (e.decl().ast,)),
    ]
    compared = 0
    for expression in EXPRESSIONS:
        for part in parts(expression):
            for name, arguments in [*read, *(of_applications if z3.is_app(part) else [])]:
                if hasattr(interface, name):
                    given = (part.ctx.ref(), *arguments(part))
                    expected = plain(getattr(interface, name)(*given))
                    assert plain(getattr(z3.z3core, name)(*given)) == expected, (name, part)
                    compared += 1
    assert compared > 200


def test_references_are_counted() -> None:
    """An expression lives as long as it is held: its address is not given to another one."""
    kept = [z3.Int(f"kept {number}") + number for number in range(200)]
    for number in range(5_000):
        z3.And(z3.Int(f"passing {number}") > 0, z3.Bool("b"))
    assert [str(one) for one in kept] == [f"kept {number} + {number}" for number in range(200)]


def test_what_makes_an_expression_still_says_where_it_fails() -> None:
    with pytest.raises(z3.Z3Exception):
        z3.And(X > 0, X)
    with pytest.raises(z3.Z3Exception):
        z3.substitute(X + 1, (X, R))
