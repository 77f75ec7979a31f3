"""Calls that read an expression, made without what Z3's Python interface does beside each of them.

The interface asks after each call whether it failed and looks at the type of each argument in Python; both
together take longer than Z3 does to read a part of an expression. What only reads an expression that is there
neither fails nor allocates. What makes an expression or asks for an answer is left as it is.
"""

from __future__ import annotations

import ctypes
from typing import Any

import z3

READ = (
    "Z3_inc_ref",
    "Z3_dec_ref",
    "Z3_get_ast_kind",
    "Z3_get_ast_id",
    "Z3_get_ast_hash",
    "Z3_get_sort",
    "Z3_get_sort_kind",
    "Z3_is_finite_set_sort",
    "Z3_get_app_num_args",
    "Z3_get_app_decl",
    "Z3_get_decl_kind",
    "Z3_is_eq_ast",
    "Z3_is_eq_sort",
)
"""What counts references, or reads an expression, a sort or a declaration; an older Z3 lacks some."""


def quicken() -> None:
    """Let Z3's Python interface make these calls directly; once is enough."""
    for name in READ:
        function = _function(getattr(z3.z3core, name, None))
        if function is not None:
            # The interpreter's lock is kept: to give it away takes as long as the call. Without types of
            # arguments, ctypes passes Z3's objects as the pointers that they are.
            direct = ctypes.PYFUNCTYPE(function.restype)
            call = direct(ctypes.cast(function, ctypes.c_void_p).value or 0)
            for module in (z3.z3core, z3.z3):
                setattr(module, name, call)


def _function(wrapper: Any) -> Any:
    """The function of the library that a function of the interface calls; None where it is made otherwise."""
    held = getattr(wrapper, "__defaults__", None) or (None,)
    return getattr(held[-1], "f", None)
