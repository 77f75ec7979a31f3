"""In which form the values of an expression are written, where values that are equal have several.

NUMERIC's 1 and 1.0, the interval of a day and that of 24 hours, zero and zero below zero, and texts
that a collation calls equal are equal by `=`, and a function of them may differ. What is known here is loose:
a name stands for all columns and outputs that are called so, and what is not listed has no known form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.schema import Kind, Schema
from truespec.domains.sql.schema_types import Type, read_type

MAX_DEPTH = 24
"""Expressions that are followed, one in the other."""
ANY = "any"
"""The form of NULL, which is that of every other."""
_TYPES = exp.DataType.Type
_TEXTS: tuple[Any, ...] = (
    *(exp.Lower, exp.Upper, exp.Concat, exp.DPipe, exp.Substring, exp.Trim, exp.Replace, exp.Left, exp.Right),
    *(exp.GroupConcat, exp.SplitPart, exp.TimeToStr, exp.ToChar),
)
_NUMBERING: tuple[Any, ...] = (
    *(exp.Count, exp.CountIf, exp.Length, exp.RowNumber, exp.Rank, exp.DenseRank, exp.Ntile, exp.StrPosition),
)
_KEEPING: tuple[Any, ...] = (
    *(exp.Paren, exp.Alias, exp.Min, exp.Max, exp.Window, exp.Filter, exp.Neg, exp.Abs, exp.FirstValue),
    *(exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.Distinct, exp.Order, exp.Ordered, exp.AnyValue),
)
"""What yields values of its argument, or whole numbers of whole numbers."""


class Forms:
    """The forms of the expressions of one query."""

    def __init__(self, tree: exp.Expr, schema: Schema) -> None:
        self._dialect = DIALECTS[schema.dialect]
        self._name = schema.dialect
        collated = "COLLATE" in schema.ddl.upper() or tree.find(exp.Collate) is not None
        self.texts_merge = collated or self._dialect.collation_merges_texts
        self._schema = schema
        self._unknown = {
            str(name.name).lower() for alias in tree.find_all(exp.TableAlias) for name in alias.columns
        }
        self._made: dict[str, list[Any]] = {}
        for alias in tree.find_all(exp.Alias):
            self._made.setdefault(str(alias.alias).lower(), []).append(alias.this)
        operations = [one for one in tree.find_all(exp.SetOperation) if _is_outermost(one)]
        places = [items for one in operations for items in self._places(one)]
        for items in places:  # made by all sides
            if items is not None:
                self._made.setdefault(str(items[0].alias_or_name).lower(), []).extend(items)
        columns: dict[str, set[str | None]] = {}
        for table in schema.tables:
            for column in table.columns:
                columns.setdefault(column.name.lower(), set()).add(self._of_type(column.type))
        if None in places:  # a star hides which names are made
            self._unknown |= {*columns, *self._made}
        self._forms: dict[str, str | None] = dict.fromkeys(self._made, ANY)
        for name, found in columns.items():
            self._forms[name] = next(iter(found)) if len(found) == 1 else None
        self._follow()

    def _follow(self) -> None:
        """The form of each name: the least that agrees with all that makes its values.

        By induction along what a value is made of: where the forms of all names hold of what goes into an
        expression, they hold of what comes out.
        """
        readers: dict[str, set[str]] = {}
        for name, made in self._made.items():
            for column in {str(c.name).lower() for one in made for c in one.find_all(exp.Column)}:
                readers.setdefault(column, set()).add(name)
        waiting = dict.fromkeys(self._made)
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            before = self._forms.get(name, ANY)
            found = {before, *(self.of(one) for one in self._made[name])} - {ANY}
            after = ANY if not found else found.pop() if len(found) == 1 else None
            if after != before:
                self._forms[name] = after
                waiting.update(dict.fromkeys(readers.get(name, ())))

    def of(self, node: Any, depth: int = 0) -> str | None:
        """The one form of an expression's values; None where there may be several."""
        if depth > MAX_DEPTH:
            return None
        match node:
            case exp.Null():
                return ANY
            case exp.Literal():
                return self._of_literal(node)
            case exp.Boolean() | exp.Predicate() | exp.Connector() | exp.Not():
                return "boolean"
            case exp.Column():
                return self._of_name(node)
            case exp.Cast():
                return self._of_type(read_type(node.to, self._name))
            case exp.Subquery():
                return next(self._outputs(node, depth + 1), None)
            case exp.Extract():
                return f"part {node.name.lower()}"
            case exp.Add() | exp.Sub():
                return self._of_sum(node, depth)
            case exp.Sum():
                form = self.of(node.this, depth + 1)  # a sum of numbers of one scale has that scale
                return form if form in (ANY, "int") or str(form).startswith("decimal") else None
            case exp.Mul():
                return self._of_whole(node, depth)
            case exp.Case() | exp.If():
                ifs = [node] if isinstance(node, exp.If) else node.args["ifs"]
                ends = "false" if isinstance(node, exp.If) else "default"
                return self._one([*(one.args["true"] for one in ifs), node.args.get(ends)], depth)
            case exp.Coalesce() | exp.Greatest() | exp.Least():
                return self._one([node.this, *node.expressions], depth)
            case exp.Nullif():
                return self.of(node.this, depth + 1)
        if isinstance(node, _NUMBERING):
            return "int"
        if isinstance(node, _TEXTS):
            return None if self.texts_merge else "text"
        if isinstance(node, exp.Distinct):
            return self._one(node.expressions, depth)
        return self.of(node.this, depth + 1) if isinstance(node, _KEEPING) else None

    def are_known(self, operation: Any) -> bool:
        """Whether each column of a set operation has one form, on all sides."""
        found = list(self._outputs(operation))
        return bool(found) and all(form is not None for form in found)

    def are_converted(self, operation: Any) -> bool:
        """Whether sides of a set operation have other types at one place: SQLite may convert to either."""
        if not self._dialect.types_are_affinities:
            return False
        sides = [[self.of(item) for item in self._items(side)] for side in _sides(operation)]
        return any(len(set(forms) - {ANY, None}) > 1 for forms in zip(*sides, strict=False))

    def _one(self, nodes: Sequence[Any], depth: int) -> str | None:
        found = {self.of(node, depth + 1) for node in nodes if node is not None} - {ANY}
        return ANY if not found else found.pop() if len(found) == 1 else None

    def _of_sum(self, node: Any, depth: int) -> str | None:
        if isinstance(node.this, exp.Interval) or isinstance(node.expression, exp.Interval):
            moment = node.expression if isinstance(node.this, exp.Interval) else node.this
            form = self.of(moment, depth + 1)
            return "moment" if form in ("date", "datetime", "moment") else ANY if form == ANY else None
        return self._of_whole(node, depth)

    def _of_whole(self, node: Any, depth: int) -> str | None:
        """Whole numbers of whole numbers."""
        form = self._one([node.this, node.expression], depth)
        return form if form in (ANY, "int") else None

    def _of_literal(self, node: Any) -> str | None:
        if node.is_string:
            return None if self.texts_merge else "text"
        if node.name.isdigit():
            return "int"
        digits = len(node.name.partition(".")[2]) if self._dialect.decimals_keep_their_digits else 0
        return f"decimal {digits}" if "e" not in node.name.lower() else None

    def _of_name(self, node: Any) -> str | None:
        name = str(node.name).lower()
        if isinstance(node.this, exp.Star) or name in self._unknown:
            return None
        return self._forms.get(name)

    def _of_type(self, kind: Type) -> str | None:
        """The form of a column's values; None where equal ones may be written differently."""
        affine = self._dialect.types_are_affinities
        match kind.kind:
            case Kind.INT | Kind.DATE | Kind.DATETIME | Kind.BOOL | Kind.TIME:
                return None if kind.sealed else kind.kind.value
            case Kind.DECIMAL if not affine and kind.scale is not None:
                return f"decimal {kind.scale if self._dialect.decimals_keep_their_digits else 0}"
            case Kind.DECIMAL | Kind.FLOAT:
                return kind.sql.lower() if affine else None
            case Kind.TEXT if not self.texts_merge and not kind.sealed:
                return kind.sql.lower() if "char(" in kind.sql.lower().replace("varchar(", "") else "text"
            case Kind.ENUM | Kind.OTHER if not kind.sealed:
                return kind.sql.lower()
        return None

    def _outputs(self, query: Any, depth: int = 0) -> Iterator[str | None]:
        """The form of each column of a query, on all sides; one of none where a star hides columns."""
        for items in self._places(query):
            yield self._one(items, depth) if items is not None else None

    def _places(self, query: Any) -> Iterator[Sequence[Any] | None]:
        """What all sides of a query put out at each place; None alone where a star hides the places."""
        sides = [self._items(side) for side in _sides(query)]
        if any(item.is_star for side in sides for item in side):
            yield None
        else:
            yield from zip(*sides, strict=False)

    def _items(self, select: Any) -> list[Any]:
        """What a SELECT puts out, a star of one table of the schema written out."""
        found: list[Any] = []
        start = select.args.get("from_")
        for item in select.expressions:
            if not item.is_star:
                found.append(item)
                continue
            tables = [one for one in self._schema.tables if start and one.name == start.this.name]
            if select.args.get("joins") or not tables:
                found.append(exp.Star())
            else:
                found += [exp.column(column.name) for column in tables[0].columns]
        return found


def _is_outermost(operation: Any) -> bool:
    around = operation.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    return not isinstance(around, exp.SetOperation)


def _sides(query: Any) -> list[Any]:
    """The SELECTs that a query is made of."""
    found: list[Any] = []
    waiting = [query]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.SetOperation):
            waiting += [node.expression, node.this]
        elif isinstance(node, exp.Subquery | exp.Paren):
            waiting.append(node.this)
        elif isinstance(node, exp.Select):
            found.append(node)
    return found
