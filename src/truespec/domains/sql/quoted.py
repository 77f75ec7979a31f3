"""SQLite's texts in double quotes: a name in them that nothing is called is a text literal.

SQLite looks such a name up in all scopes, as any other; where it finds none, the name is a text
(sqlite.org/quirks.html, "Double-quoted String Literals Are Accepted"). Brackets and backticks have no such
second reading. A name becomes a text here only where no table, column or alias of the schema or the query
is called so, in whatever scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from truespec.domains.sql.dialects.registry import DIALECTS
from truespec.domains.sql.names import FUNCTIONS
from truespec.domains.sql.schema import Schema

_GIVEN = re.compile(r"column\d+|.*:\d+", re.DOTALL)
"""Names that SQLite makes up: of the columns of VALUES, and of a second output of one name."""


def read_texts(tree: exp.Expr, text: str, schema: Schema) -> None:
    """Replace the names that are texts, in place; `text` is what the tree was read from."""
    dialect = DIALECTS[schema.dialect]
    if not dialect.quoted_names_may_be_texts:
        return
    found = [column for column in tree.find_all(exp.Column) if _may_be_text(column, text)]
    if not found or not _outputs_have_names(tree):
        return
    names = {id(output) for query in _inner(tree) for output in query.expressions}
    for whole in tree.find_all(exp.SetOperation):  # its ORDER BY may repeat an output
        order = whole.args.get("order")
        names |= {id(column) for column in order.find_all(exp.Column)} if order is not None else set()
    own = {id(column.this) for column in found if id(column) not in names}
    known = {*FUNCTIONS[dialect.name], *dialect.system_columns}
    known |= {str(name.this).casefold() for name in tree.find_all(exp.Identifier) if id(name) not in own}
    for table in schema.tables:
        known |= {table.name.casefold(), *(column.name.casefold() for column in table.columns)}
    for column in found:
        name = str(column.this.this)
        if name.casefold() not in known and not _GIVEN.fullmatch(name.casefold()):
            literal = exp.Literal.string(name)
            literal.meta.update({**column.this.meta, **column.meta})
            column.replace(literal)


def _may_be_text(column: exp.Column, text: str) -> bool:
    name = column.this
    if not isinstance(name, exp.Identifier) or len(column.parts) != 1 or not name.args.get("quoted"):
        return False
    written = text[name.meta.get("start", 0) : name.meta.get("end", -1) + 1]
    return written == '"' + str(name.this).replace('"', '""') + '"'


def _inner(tree: exp.Expr) -> Iterator[exp.Select]:
    """The queries whose outputs have names that others may use."""
    for node in tree.find_all(exp.Subquery, exp.CTE):
        above = node.find_ancestor(exp.From, exp.Join, exp.CTE, exp.Select)
        if isinstance(node, exp.Subquery) and isinstance(above, exp.Select):
            continue  # a value or a condition
        todo = [node.this]
        while todo:
            query = todo.pop()
            if isinstance(query, exp.Select):
                yield query
            elif isinstance(query, exp.SetOperation):
                todo += [query.this, query.expression]
            elif isinstance(query, exp.Subquery):
                todo.append(query.this)


def _outputs_have_names(tree: exp.Expr) -> bool:
    """Whether the outputs of queries in FROM and WITH are called as the tree says.

    SQLite calls an expression as it is written, a column of VALUES by a quoted name in its first row;
    functions name their own.
    """
    named = (exp.Alias, exp.Column, exp.Star)
    if tree.find(exp.Values) or any(
        not isinstance(table.this, exp.Identifier) for table in tree.find_all(exp.Table)
    ):
        return False
    return all(isinstance(output, named) for query in _inner(tree) for output in query.expressions)
