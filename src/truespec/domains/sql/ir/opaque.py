"""Functions of which nothing is known but that equal arguments give equal results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import z3

from truespec.domains.sql.dialects.dialect import Dialect
from truespec.domains.sql.ir.kinds import NULL_KIND, TEXT, Kind, Sealed
from truespec.domains.sql.ir.logic import FALSE, Expr, disj, ite
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported


def opaque(dialect: Dialect, name: str, arguments: Iterable[Val], kind: Kind) -> Val:
    """A deterministic function of which nothing is known but that equal arguments give equal results."""
    parts: list[Expr] = []
    label = [name]
    for argument in arguments:
        if not dialect.functions_of_shown_types_read and isinstance(argument.kind, Sealed):
            raise Unsupported(f"sql: {name.split(maxsplit=1)[0]} of a value of type {argument.kind.shown}")
        label.append(str(argument.kind))
        if argument.kind == NULL_KIND:
            continue
        if not z3.is_false(argument.null):
            label.append("?")
            parts.append(argument.null)
            parts.append(ite(argument.null, argument.kind.stand_in, argument.val))
        else:
            parts.append(argument.val)
    text = ":".join(label)
    if not parts:
        return Val(z3.Bool(f"fix!{text}?"), z3.Const(f"fix!{text}", kind.sort), kind)
    sorts = [part.sort() for part in parts]
    # The name carries which arguments may be NULL, so a nullable and a strict use are unrelated symbols;
    # that loses proofs, never soundness.
    return Val(
        z3.Function(f"{text}?", *sorts, z3.BoolSort())(*parts),
        z3.Function(text, *sorts, kind.sort)(*parts),
        kind,
    )


def strict(dialect: Dialect, name: str, arguments: Sequence[Val], kind: Kind) -> Val:
    """Such a function that is NULL where an argument is, and nowhere else."""
    found = opaque(dialect, name, [replace(argument, null=FALSE) for argument in arguments], kind)
    return Val(disj(*(argument.null for argument in arguments)), found.val, kind)


def text_of(dialect: Dialect, value: Val) -> Val:
    """The text that an engine writes for a day or an integer: equal ones are written alike."""
    return value if value.kind == TEXT else strict(dialect, "text", [value], TEXT)
