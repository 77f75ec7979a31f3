"""What the prover does not read, decided on the syntax tree before anything is read.

The parser is not the engine. Where the two may understand one text in two ways, the tree tells nothing, so
the prover refuses it (`Unsupported`) and the engines alone compare the queries. Each check says what it
refuses, in which dialect, and what the engines do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.engines.contract import Settings
from truespec.domains.sql.functions.catalogue import words
from truespec.domains.sql.names import check_names
from truespec.domains.sql.places import place_of
from truespec.domains.sql.schema import Schema
from truespec.domains.sql.written import UNREAD
from truespec.verdict import Place, Unsupported

HARMLESS_MODES = words(
    """
    ONLY_FULL_GROUP_BY STRICT_TRANS_TABLES STRICT_ALL_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE
    ERROR_FOR_DIVISION_BY_ZERO NO_AUTO_CREATE_USER NO_ENGINE_SUBSTITUTION SIMULTANEOUS_ASSIGNMENT
    """
)
"""Members of MariaDB's `sql_mode` that change what is stored or refused, never what a query means."""

_LEVELS: dict[str, int] = {
    "Or": 1,
    "And": 2,
    "Not": 3,
    **dict.fromkeys(
        words(
            """
            EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ Is In Between Like ILike RegexpLike RegexpILike Glob
            SimilarTo Overlaps ArrayOverlaps
            """
        ),
        4,
    ),
    "DPipe": 5,
    "Add": 6,
    "Sub": 6,
    "Mul": 7,
    "Div": 7,
    "IntDiv": 7,
    "Mod": 7,
    "Pow": 8,
    "Neg": 9,
}
"""Operators that the dialects order alike, from loose to tight."""
_ARROWS = (exp.JSONExtract, exp.JSONExtractScalar)
"""What a JSON document holds: `->` and `->>`."""
_LEFT = frozenset({1, 2, 5, 6, 7, 8})
"""Levels whose operators group to the left."""
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
"""What COLLATE binds more tightly than, everywhere."""
_BEFORE_IS = (*_COMPARISONS, exp.In)
"""What IS takes as a whole on its left: `a = b IS NULL` is `(a = b) IS NULL` everywhere."""
_ARITHMETIC = frozenset({6, 7, 8, 9})
_BY_CASE = (
    *(exp.Lower, exp.Upper, exp.Initcap, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.RegexpReplace),
    exp.SimilarTo,
)
"""What knows letters, and the small ones from the capitals."""
_UNSIGNED = re.compile(r"\bUNSIGNED\b|\AU(TINY|SMALL|BIG|HUGE)?INT", re.IGNORECASE)
"""How the types of unsigned columns are written."""


def check(tree: exp.Expr, schema: Schema, settings: Settings) -> None:
    """Raise `Unsupported` for a query that the prover might read otherwise than the engine."""
    check_modes(settings)
    check_sources(tree)
    check_grouping(tree, schema.dialect)
    for select in tree.find_all(exp.Select):
        check_joins(select, schema.dialect)
        check_ordinals(select)
    check_names(tree, schema)
    check_common_tables(tree, schema)
    check_unsigned(tree, schema)
    check_collations(tree, schema)
    dialect = DIALECTS[schema.dialect]
    if dialect.windows_prefer_outputs:
        check_windows(tree)
    if not dialect.texts_beyond_plane_read:
        check_characters(tree)


def check_sources(tree: exp.Expr) -> None:
    """PIVOT, and functions in FROM, make tables that are not read; a series may be (`compile/series.py`)."""
    if tree.find(exp.Pivot) is not None:
        raise Unsupported("sql: PIVOT")
    for table in tree.find_all(exp.Table):
        series = isinstance(table.this, exp.GenerateSeries | exp.ExplodingGenerateSeries)
        if isinstance(table.this, exp.Func) and not series:
            raise Unsupported(
                f"sql: the table function {str(table.this.name or table.this.key).upper()[:60]}"
            )


def check_modes(settings: Settings) -> None:
    """MariaDB's `sql_mode` may hold harmless members only.

    HIGH_NOT_PRECEDENCE reads `NOT a = b` as `(NOT a) = b`, NO_UNSIGNED_SUBTRACTION and TIME_ROUND_FRACTIONAL
    change values; others change the lexical rules.
    """
    strange = [name for name in (settings.sql_mode or "").split(",") if name and name not in HARMLESS_MODES]
    if strange:
        raise Unsupported(f"sql: a query under sql_mode {', '.join(strange)}")


def check_grouping(tree: exp.Expr, dialect: str) -> None:
    """An operator's operand is another operator only where every engine and the parser group alike.

    Chains of comparisons without parentheses are refused in all dialects: `a = b < c` is `(a = b) < c` in
    MariaDB and `a = (b < c)` in SQLite and for the parser, `a = b IN (1)` groups to the left in SQLite. So
    are operators whose place differs between the dialects: bits, COLLATE but in a comparison, XOR, JSON
    arrows but in PostgreSQL's comparisons, and `||` beside arithmetic or, in PostgreSQL, beside `~`, which
    binds like it. MariaDB's INTERVAL takes one plain operand.
    """
    noted = tree.meta.get(UNREAD)
    if noted is not None:
        what, line, column = noted
        raise Unsupported(f"sql: {what}", Place(line, column))
    for node in tree.walk():
        if isinstance(node, exp.Interval) and _is_operator(node.this):
            raise Unsupported(f"sql: an expression in {node.sql(dialect)[:60]!r}")
        if not _is_operator(node):
            continue
        for key, operand in _operands(node):
            tight = DIALECTS[dialect].regular_expression_binds_as_concatenation and isinstance(
                node, exp.RegexpLike | exp.RegexpILike
            )
            if isinstance(operand, _ARROWS) and _takes_arrow(node, key, dialect):
                continue
            if _is_operator(operand) and (
                not _groups_alike(node, key, operand) or (tight and isinstance(operand, exp.DPipe))
            ):
                raise Unsupported(f"sql: {node.sql(dialect)[:60]!r} without parentheses around an operand")


def _takes_arrow(node: exp.Expr, key: str, dialect: str) -> bool:
    """Whether an operator takes what a JSON arrow gives as a whole: one that binds less, or another arrow."""
    if not DIALECTS[dialect].arrows_bind_as_concatenation:
        return False
    looser = _LEVELS.get(type(node).__name__, _LEVELS["DPipe"]) < _LEVELS["DPipe"]
    return looser or (key == "this" and isinstance(node, _ARROWS))


def _is_operator(node: Any) -> bool:
    if isinstance(node, _ARROWS) and node.args.get("only_json_types") is None:
        return False  # the call JSON_EXTRACT: the parser notes at arrows alone what they may point at
    if type(node).__name__ in _LEVELS:
        return True
    return isinstance(node, exp.Binary | exp.Unary | exp.Predicate | exp.Collate) and not (
        isinstance(node, exp.Paren | exp.Dot | exp.Escape | exp.Exists | exp.SubqueryPredicate | exp.Query)
        or (isinstance(node, exp.Func) and not isinstance(node, exp.Binary))
    )


def _operands(node: exp.Expr) -> Iterator[tuple[str, Any]]:
    for key in ("this", "expression", "low", "high"):
        operand = node.args.get(key)
        while isinstance(operand, exp.Paren) and operand.comments is None and not isinstance(node, exp.Mod):
            # The text has no parenthesis here: the parser keeps a list of comments with each that it reads,
            # and none with those that it adds where it has grouped a chain.
            operand = operand.this
        if isinstance(operand, exp.Expr):
            yield key, operand


def _groups_alike(parent: exp.Expr, key: str, child: exp.Expr) -> bool:
    if isinstance(child, exp.Collate):
        return isinstance(parent, _COMPARISONS)
    outer, inner = _LEVELS.get(type(parent).__name__), _LEVELS.get(type(child).__name__)
    if outer is None or inner is None:
        return False
    if isinstance(parent, exp.Is) and key == "this" and isinstance(child, _BEFORE_IS):
        return True
    if 5 in (outer, inner) and (outer in _ARITHMETIC or inner in _ARITHMETIC):
        return False
    if outer == 8:  # POWER(a + 1, 2) has the commas of a call around its operands
        return True
    if inner == outer:
        return outer in (3, 9) or (outer in _LEFT and (key == "this" or outer in (1, 2, 5)))
    return inner > outer


def check_joins(select: exp.Select, dialect: str) -> None:
    """A comma in FROM binds looser than JOIN, except in SQLite; the parser's list is read left to right.

    `FROM a, b RIGHT JOIN c` preserves c against b alone, and a NATURAL or USING join after a comma merges
    columns of its own side of the comma: refused beside a comma. MariaDB has no FULL JOIN: FULL is an alias
    there. Its `*` puts the right table's columns first after a RIGHT JOIN that merges columns.
    """
    joins = [*(select.args.get("joins") or []), *_nested_joins(select)]
    merging = [j for j in joins if j.args.get("using") or (j.method or "").upper() == "NATURAL"]
    sides = [(join.side or "").upper() for join in joins]
    if not DIALECTS[dialect].has_full_join and "FULL" in sides:
        raise Unsupported("sql: FULL JOIN, which MariaDB reads as a table named FULL")
    if not DIALECTS[dialect].comma_binds_as_join and any(map(_is_comma, joins)):
        # What stands before the first comma is joined before it is read, wherever a comma binds.
        first = next((place for place, join in enumerate(joins) if _is_comma(join)), 0)
        if any(join in merging or (join.side or "").upper() in ("RIGHT", "FULL") for join in joins[first:]):
            raise Unsupported("sql: a comma in FROM before a RIGHT, FULL, NATURAL or USING join")
    if len(merging) > 1 and {"RIGHT", "FULL"} & set(sides):
        raise Unsupported("sql: several joins that merge columns, one of them RIGHT or FULL")
    right = any((join.side or "").upper() == "RIGHT" for join in merging)
    if right and DIALECTS[dialect].right_join_reorders_merged:
        if any(isinstance(item, exp.Star) for item in select.expressions):
            raise Unsupported("sql: * over a RIGHT JOIN that merges columns")


def _is_comma(join: exp.Join) -> bool:
    """Whether a join may have been written as a comma: nothing says otherwise."""
    return not any(join.args.get(key) for key in ("side", "kind", "method", "on", "using"))


def _nested_joins(select: exp.Select) -> Iterator[exp.Join]:
    """Joins in parentheses or without an own ON, inside the FROM of this query."""
    clause = select.args.get("from_")
    todo: list[Any] = [] if clause is None else [clause.this]
    todo += [join.this for join in select.args.get("joins") or []]
    while todo:
        part = todo.pop()
        for join in part.args.get("joins") or []:
            yield join
            todo.append(join.this)
        if isinstance(part, exp.Paren | exp.Subquery) and not isinstance(part.this, exp.Select):
            todo.append(part.this)


def check_common_tables(tree: exp.Expr, schema: Schema) -> None:
    """No WITH gives a table's name in SQLite and MariaDB.

    SQLite lets a common table see those that follow it, MariaDB does not let one in an inner WITH see those
    outside: either reads another table of that name.
    """
    if not DIALECTS[schema.dialect].common_tables_may_be_passed_by:
        return
    tables = {table.name.lower() for table in schema.tables}
    for common in tree.find_all(exp.CTE):
        if common.alias.lower() in tables:
            raise Unsupported(f"sql: WITH {common.alias!r}, which is a table's name too")


def check_unsigned(tree: exp.Expr, schema: Schema) -> None:
    """No arithmetic with unsigned columns: a result below zero is an error in MariaDB and DuckDB.

    A frame by distance computes with its sort key. A name that the query gives to an expression of such a
    column is refused as well.
    """
    tables = {table.name.lower() for table in tree.find_all(exp.Table)}
    unsigned = {
        column.name.lower()
        for table in schema.tables
        for column in table.columns
        if table.name.lower() in tables and _UNSIGNED.search(column.type.sql)
    }
    if not unsigned:
        return
    unsigned |= _named_after(tree, unsigned)
    for node in tree.find_all(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.IntDiv, exp.Mod, exp.Window):
        spec = node.args.get("spec")
        if isinstance(node, exp.Window) and (spec is None or spec.args.get("kind") != "RANGE"):
            continue
        if any(column.name.lower() in unsigned for column in node.find_all(exp.Column)):
            raise Unsupported(f"sql: arithmetic beside UNSIGNED columns ({node.sql(schema.dialect)[:60]})")


def check_collations(tree: exp.Expr, schema: Schema) -> None:
    """No LOWER, and nothing like it, beside columns of a collation: in PostgreSQL, C changes ASCII alone."""
    if not DIALECTS[schema.dialect].collation_decides_case:
        return
    found = next(tree.find_all(*_BY_CASE), None)
    if found is not None and schema.collated(table.name for table in tree.find_all(exp.Table)):
        raise Unsupported(
            f"sql: {found.sql(schema.dialect)[:60]!r} beside columns with COLLATE", place_of(found)
        )


def _named_after(tree: exp.Expr, columns: set[str]) -> set[str]:
    """The names, in lower case, that a query gives to what is made of these columns, or may be."""
    given = [({str(alias.alias).lower()}, alias.this) for alias in tree.find_all(exp.Alias)]
    # The first query of a set operation names what the others put out.
    given += [
        ({str(output.alias_or_name).lower() for output in part.selects}, operation)
        for operation in tree.find_all(exp.SetOperation)
        for part in operation.find_all(exp.Select)
    ]
    given += [
        ({str(name.name).lower() for name in alias.columns}, alias.parent)
        for alias in tree.find_all(exp.TableAlias)
        if alias.columns
    ]
    read = [
        (names, {str(column.name).lower() for column in made.find_all(exp.Column, exp.Star)})
        for names, made in given
    ]
    found: set[str] = set()
    while True:
        more = {
            name for names, columns_of in read if columns_of & (columns | found | {"*"}) for name in names
        }
        if more <= found:
            return found
        found |= more


def check_windows(tree: exp.Expr) -> None:
    """A window's ORDER BY names no output: MariaDB takes the output before the column of that name."""
    for select in tree.find_all(exp.Select):
        outputs = {
            item.alias.lower()
            for item in select.expressions
            if isinstance(item, exp.Alias)
            and not (isinstance(item.this, exp.Column) and item.this.name.lower() == item.alias.lower())
        }
        for window in select.find_all(exp.Window):
            if window.find_ancestor(exp.Select) is not select:
                continue
            order = window.args.get("order")
            for column in () if order is None else order.find_all(exp.Column):
                if not column.table and column.name.lower() in outputs:
                    raise Unsupported(f"sql: the output {column.name!r} in the ORDER BY of a window")


def check_characters(tree: exp.Expr) -> None:
    """No text holds characters beyond U+FFFF: beside columns of utf8mb3, MariaDB refuses such a text."""
    for text in tree.find_all(exp.Literal):
        if text.is_string and any(ord(character) > 0xFFFF for character in text.this):
            raise Unsupported(f"sql: the text {text.this[:40]!r}, which has characters beyond U+FFFF")


def check_ordinals(select: exp.Select) -> None:
    """A key of ORDER BY or GROUP BY that is one constant is a plain ordinal or is refused.

    `ORDER BY (1)` is an ordinal in every engine, `ORDER BY +1` in MariaDB and SQLite alone, and a text that
    is a constant means something else in each.
    """
    order, group = select.args.get("order"), select.args.get("group")
    keys = [key.this for key in order.expressions] if order is not None else []
    keys += group.expressions if group is not None else []
    for key in keys:
        inner = key
        while isinstance(inner, exp.Paren | exp.Neg):
            inner = inner.this
        plain = inner is key and isinstance(key, exp.Literal) and not key.is_string
        if not plain and isinstance(inner, exp.Literal | exp.Null | exp.Boolean):
            raise Unsupported(f"sql: the constant {key.sql()[:40]!r} as a key of ORDER BY or GROUP BY")
