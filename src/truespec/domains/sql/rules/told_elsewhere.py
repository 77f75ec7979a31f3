"""What a set puts out of one row, and another row has too, is put out of the other row.

Statement. Let e(x) and e'(y) be equal wherever φ(x, y) holds, e' not mentioning x. Then
{k(e(x), y) : φ(x, y)} = {k(e'(y), y) : φ(x, y)}, so that of x only matters whether it exists.

Side conditions. The equation is a conjunct, or follows from a chain of such. It is applied where x is then
not mentioned any more.

Why. Equals are put for equals. The case that matters: the row of a grouped subquery that is joined by its
key, and what is computed from the key: both are known of the row that is joined to it.
"""

from __future__ import annotations

from dataclasses import replace

from truespec.domains.sql.ir.bags import Substitution, Term, conjuncts, mentioned, substitute_value
from truespec.domains.sql.ir.keys import equalities
from truespec.domains.sql.ir.logic import Expr
from truespec.domains.sql.ir.symbols import constants, name_of, operands
from truespec.domains.sql.ir.values import Val


def apply(part: Term) -> Term:
    """The term with outputs that mention fewer of its rows, where the rule permits."""
    used = mentioned(part.outs)
    shown = [row for row, _ in part.rows if name_of(row) in used]
    if len(shown) < 2:
        return part
    equal = equalities(conjuncts(part.cond))
    for row in reversed(shown):
        name = name_of(row)
        pairs = _elsewhere(part.outs, name, equal)
        outs = tuple(substitute_value(out, pairs) for out in part.outs) if pairs else part.outs
        if name not in mentioned(outs):
            part = replace(part, outs=outs)
    return part


def _elsewhere(outs: tuple[Val, ...], name: str, equal: dict[int, list[Expr]]) -> Substitution:
    """Parts of the outputs that mention a row, with what equals them and does not."""
    pairs: Substitution = []
    todo = [expression for out in outs for expression in (out.null, out.val)]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if node.get_id() in seen or name not in constants(node):
            continue
        seen.add(node.get_id())
        other = next((e for e in equal.get(node.get_id(), ()) if name not in constants(e)), None)
        if other is not None:
            pairs.append((node, other))
        else:
            todo += operands(node)
    return pairs
