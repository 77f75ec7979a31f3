"""Whether a proof by parts is likely to be the shorter one: both queries have a part of the same words."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp


def share_a_part(oracle: exp.Expr, candidate: exp.Expr) -> bool:
    """Whether both have a part that reads alike but for the names it gives, and the oracle aggregates above.

    It says which proof is tried first, and proves nothing.
    """
    theirs = {_words(part) for part in _parts(candidate)}
    return any(_words(part) in theirs and _aggregates(oracle) > _aggregates(part) for part in _parts(oracle))


def _parts(query: exp.Expr) -> Iterator[exp.Expr]:
    for node in query.find_all(exp.CTE, exp.Subquery):
        if isinstance(node, exp.CTE) or isinstance(node.parent, exp.From | exp.Join):
            yield node


def _aggregates(node: exp.Expr) -> int:
    return sum(1 for _ in node.find_all(exp.AggFunc))


def _words(part: exp.Expr) -> str:
    """A part without its aliases, qualifiers and comments."""
    body = part.this.copy()
    for node in list(body.walk()):
        if isinstance(node, exp.Column):
            node.set("table", None)
        elif isinstance(node, exp.Join) and str(node.args.get("kind", "")).upper() == "INNER":
            node.set("kind", None)
        elif isinstance(node, exp.TableAlias):
            node.pop()
    for alias in list(body.find_all(exp.Alias)):
        alias.replace(alias.this)
    return str(body.sql(comments=False, normalize=True)).lower()
