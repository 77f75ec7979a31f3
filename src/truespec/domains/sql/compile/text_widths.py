"""How many characters the texts of a recursion have, where its first part says how many its columns take.

A text of a later round that has more of them makes MariaDB fail; of blanks at its end, or where no mode is
strict, it cuts them. So a step whose texts are known to fit changes nothing. Any other text is known as what
the engine makes of it in a column of that width: the same recursion then fails for both queries, or for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.ir.kinds import TEXT, Kind
from truespec.domains.sql.places import place_of
from truespec.domains.sql.schema import Kind as ColumnKind
from truespec.domains.sql.schema import Schema
from truespec.verdict import Unsupported

_DIGITS = 20
"""The most characters of an integer."""
_PARTS = (exp.Substring, exp.SubstringIndex, exp.Left, exp.Right, exp.Trim, exp.Lower, exp.Upper, exp.Paren)
"""What has no more characters than its argument."""


def widths_of(cte: exp.CTE, names: Sequence[str], kinds: Sequence[Kind], schema: Schema) -> dict[int, int]:
    """The columns whose texts may have more characters in a later round than they take, and that number.

    `Unsupported` where the first part does not tell it.
    """
    texts = [place for place, kind in enumerate(kinds) if kind == TEXT]
    body, declared = cte.this, _declared(cte, schema)
    columns = {}
    for place in texts:
        found = [_taken(_item(first, place, len(names)), declared) for first in _selects(body.this)]
        known = [width for width in found if width is not None]
        if len(known) < len(found):
            raise Unsupported("sql: a recursive WITH with a text whose length is not known", place_of(body))
        columns[place] = max(known)
    recursive = {name: columns.get(place) for place, name in enumerate(names)}

    def most(name: str) -> int | None:
        known = [*([recursive[name]] if name in recursive else []), *declared(name)]
        return None if not known or None in known else max(width for width in known if width is not None)

    steps = list(_selects(body.expression))
    return {place: size for place, size in columns.items() if not _fits(steps, place, len(names), size, most)}


def _fits(
    steps: Sequence[exp.Select], place: int, width: int, limit: int, most: Callable[[str], int | None]
) -> bool:
    found = [_longest(_item(step, place, width), most) for step in steps]
    return all(length is not None and length <= limit for length in found)


def _selects(node: exp.Expr) -> Iterator[exp.Select]:
    node = node.unnest()
    if isinstance(node, exp.SetOperation):
        yield from _selects(node.this)
        yield from _selects(node.expression)
    elif isinstance(node, exp.Select):
        yield node


def _unions(node: exp.Expr) -> Iterator[exp.Expr]:
    """The set operations that a query is, and those that are its sides."""
    node = node.unnest()
    if isinstance(node, exp.SetOperation):
        yield node
        yield from _unions(node.this)
        yield from _unions(node.expression)


def _item(select: exp.Select, place: int, width: int) -> exp.Expr | None:
    """What a column is in one query; None where its outputs are not written out."""
    items = select.expressions
    starred = any(item.find(exp.Star) is not None for item in items if not item.find(exp.Count))
    return None if starred or len(items) != width else items[place].unalias()


def _declared(cte: exp.CTE, schema: Schema) -> Callable[[str], list[int | None]]:
    """The widths of the columns of a name; with None among them where another query gives it to something."""
    outputs = {id(item) for select in _selects(cte.this) for item in select.expressions}
    tree = cte.root()
    given = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if id(alias) not in outputs}
    united = any(id(part) not in set(map(id, _unions(cte.this))) for part in tree.find_all(exp.SetOperation))
    own = cte.args.get("alias")
    for alias in tree.find_all(exp.TableAlias):
        given |= {column.name.lower() for column in alias.columns} if alias is not own else set()
    named = {table.name.lower() for table in tree.find_all(exp.Table)}
    tables = [table for table in schema.tables if table.name.lower() in named]

    def widths(name: str) -> list[int | None]:
        found: list[int | None] = [None] if united or name in given else []
        for table in tables:
            for column in table.columns:
                if column.name.lower() == name:
                    written = column.type.sql.upper()
                    plain = written.startswith("VARCHAR") and "CHARACTER SET" not in written
                    whole = column.type.kind is ColumnKind.INT
                    found.append(column.type.precision if plain else _DIGITS if whole else None)
        return found

    return widths


def _taken(node: exp.Expr | None, declared: Callable[[str], list[int | None]]) -> int | None:
    """How many characters the column of a first part takes: those of a column, of a CAST, or of a literal."""
    match node:
        case exp.Column():
            known = set(declared(node.name.lower()))
            return known.pop() if len(known) == 1 else None
        case exp.Literal() if node.is_string:
            return len(node.this)
        case exp.Cast() if node.to.this in exp.DataType.TEXT_TYPES:
            return _size(node)
    return None


def _size(node: exp.Cast) -> int | None:
    sizes = [int(part.name) for part in node.to.expressions if part.name.isdigit()]
    return sizes[0] if sizes else None


def _longest(node: Any, most: Callable[[str], int | None]) -> int | None:
    """How many characters an expression has at most, if its form tells."""
    match node:
        case exp.Column():
            return most(node.name.lower())
        case exp.Literal():
            return len(node.this)
        case exp.Cast() if node.to.this in exp.DataType.TEXT_TYPES and _size(node) is not None:
            return _size(node)
        case exp.Null():
            return 0
        case exp.Concat():
            return _sum([_longest(part, most) for part in node.expressions])
        case exp.Coalesce():
            return _greatest([_longest(part, most) for part in (node.this, *node.expressions)])
        case exp.Case():
            branches = [*(case.args.get("true") for case in node.args["ifs"]), node.args.get("default")]
            return _greatest([_longest(part, most) for part in branches if part is not None])
        case exp.If():
            branches = [node.args.get("true"), node.args.get("false")]
            return _greatest([_longest(part, most) for part in branches if part is not None])
    return _longest(node.this, most) if isinstance(node, _PARTS) else None


def _sum(lengths: Sequence[int | None]) -> int | None:
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None


def _greatest(lengths: Sequence[int | None]) -> int | None:
    known = [length for length in lengths if length is not None]
    return max(known) if known and len(known) == len(lengths) else None
