"""Stars that leave columns out or change them: `* EXCLUDE (a) REPLACE (b + 1 AS b) RENAME (c AS d)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from truespec.domains.sql.places import place_of
from truespec.verdict import Unsupported


@dataclass(frozen=True, slots=True)
class Star:
    """A star of a SELECT list. Names are folded."""

    table: str
    """The table whose columns it stands for, or the empty text for all."""
    excluded: frozenset[str]
    """The columns that it leaves out."""
    replaced: dict[str, exp.Expr]
    """What stands in the place of columns."""
    renamed: dict[str, str]
    """New names of columns."""

    def offers(self, name: str) -> str | None:
        """The name under which a column is put out, or None where it is left out."""
        return None if name in self.excluded else self.renamed.get(name, name)


def star_of(item: exp.Expr) -> Star | None:
    """The star that an item of a SELECT list is, if it is one."""
    star: Any = item.this if isinstance(item, exp.Column) else item
    if not isinstance(star, exp.Star):
        return None
    excluded = frozenset(map(_name, star.args.get("except_") or star.args.get("except") or []))
    replaced = {part.alias.lower(): part.this for part in _aliases(star, "replace")}
    renamed = {_name(part.this): part.alias.lower() for part in _aliases(star, "rename")}
    if len({*excluded, *replaced, *renamed}) < len(excluded) + len(replaced) + len(renamed):
        raise Unsupported("sql: a star that changes one column twice", place_of(item))
    table = item.table.lower() if isinstance(item, exp.Column) else ""
    return Star(table, excluded, replaced, renamed)


def _aliases(star: exp.Star, part: str) -> list[exp.Alias]:
    found = star.args.get(part) or []
    if not all(isinstance(one, exp.Alias) for one in found):
        raise Unsupported(f"sql: * {part.upper()}", place_of(star))
    return found


def _name(node: exp.Expr) -> str:
    """The column that a list of EXCLUDE or RENAME names; `Unsupported` where it names a table too."""
    if isinstance(node, exp.Column) and not node.table and isinstance(node.this, exp.Identifier):
        return str(node.name).lower()
    if isinstance(node, exp.Identifier):
        return str(node.name).lower()
    raise Unsupported(f"sql: {node.sql()[:40]!r} in the list of a star", place_of(node))
