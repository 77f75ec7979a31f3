"""Texts put together: `||`, CONCAT and CONCAT_WS as one operation, however they are written or nested.

Concatenation is associative and the empty text is its unit: texts are put together from the left, literals
that meet are one literal, and a choice inside is made outside.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.expr.functions import function
from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.facts import joined
from truespec.domains.sql.ir.kinds import INT, TEXT
from truespec.domains.sql.ir.logic import FALSE, TRUE, Expr, Formula, conj, disj, ite
from truespec.domains.sql.ir.opaque import text_of
from truespec.domains.sql.ir.symbols import is_false, is_ite, name_of, operands
from truespec.domains.sql.ir.values import Val
from truespec.domains.sql.ir.world import World

MAX_CHOICES = 4
"""No more choices inside are made outside: each doubles the cases."""


def _concat(reader: Reader, node: exp.Concat, scope: Scope) -> Val:
    parts = _texts(reader, node.expressions, scope)
    if parts is None:
        return function(reader, node, scope)
    return _together(reader.world, _filled(reader.world, parts) if node.args.get("coalesce") else parts)


def _dpipe(reader: Reader, node: exp.DPipe, scope: Scope) -> Val:
    parts = _texts(reader, (node.this, node.expression), scope)
    return function(reader, node, scope) if parts is None else _together(reader.world, parts)


def _concat_ws(reader: Reader, node: exp.ConcatWs, scope: Scope) -> Val:
    """The texts that are not NULL, with the separator between them; NULL where the separator is."""
    parts = _texts(reader, node.expressions, scope)
    if parts is None or parts[0].literal is None:
        return function(reader, node, scope)
    world, (separator, *rest) = reader.world, parts
    if sum(not is_false(part.null) for part in rest) > MAX_CHOICES:
        return function(reader, node, scope)
    empty: Formula = TRUE
    text = world.text("")
    for part in rest:
        longer = ite(empty, part.val, concatenated(world, [text, separator.val, part.val]))
        text = ite(part.null, text, longer)
        empty = conj(empty, part.null)
    return Val(FALSE, text, TEXT)


def _texts(reader: Reader, nodes: Sequence[Any], scope: Scope) -> list[Val] | None:
    """The texts, integers as written; None where something else is among them."""
    values = [reader.value(node, scope) for node in nodes]
    if any(value.kind not in (TEXT, INT) for value in values):
        return None
    return [text_of(reader.dialect, value) for value in values]


def _filled(world: World, parts: Sequence[Val]) -> list[Val]:
    """The texts, the empty one for NULL."""
    return [Val(FALSE, ite(part.null, world.text(""), part.val), TEXT) for part in parts]


def _together(world: World, parts: Sequence[Val]) -> Val:
    """The texts one after the other; NULL where one of them is."""
    return Val(disj(*(part.null for part in parts)), concatenated(world, [p.val for p in parts]), TEXT)


def concatenated(world: World, texts: Sequence[Expr]) -> Expr:
    """One text after the other."""
    parts = list(itertools.chain.from_iterable(map(_parts, texts)))
    nothing = world.text("")
    choices = [
        place
        for place, part in enumerate(parts)
        if is_ite(part) and (place > 0 or any(branch.eq(nothing) for branch in operands(part)[1:]))
    ]
    if choices and len(choices) <= MAX_CHOICES:
        place = choices[0]
        test, *branches = operands(parts[place])
        yes, no = ([*parts[:place], branch, *parts[place + 1 :]] for branch in branches)
        return ite(test, concatenated(world, yes), concatenated(world, no))
    written = {const.get_id(): text for text, const in world.texts.items()}
    merged: list[tuple[Expr, str | None]] = []
    for part in parts:
        literal = written.get(part.get_id())
        if literal == "":
            continue
        if merged and literal is not None and (before := merged[-1][1]) is not None:
            merged[-1] = world.text(before + literal), before + literal
        else:
            merged.append((part, literal))
    if not merged:
        return nothing
    return functools.reduce(joined, (part for part, _ in merged))


def _parts(text: Expr) -> list[Expr]:
    """The texts that a concatenation puts together, from the left."""
    if name_of(text) != "concat":
        return [text]
    first, second = operands(text)
    return [*_parts(first), *_parts(second)]


READERS: Readers = {exp.Concat: _concat, exp.DPipe: _dpipe, exp.ConcatWs: _concat_ws}
