"""What a JSON document holds under a key or at a place: a function of the document.

Of it nothing is known but that equal documents hold equal values; documents are the same by what is stored,
never by SQL's `=`, which calls numbers equal that are written differently. A document without the key holds
NULL, and no document of these types makes the engine fail (`Dialect.documents`).
"""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from truespec.domains.sql.compile.reader import Reader
from truespec.domains.sql.compile.readers import Readers
from truespec.domains.sql.compile.scope import Scope
from truespec.domains.sql.ir.kinds import TEXT, Sealed
from truespec.domains.sql.ir.opaque import opaque
from truespec.domains.sql.ir.values import Val
from truespec.verdict import Unsupported

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)
"""Keys that are no path and no number of a place, however they are written."""
KEYED_TEXT = {"JSON_EXTRACT_PATH_TEXT", "JSONB_EXTRACT_PATH_TEXT"}
"""PostgreSQL's functions that do for one key what `->>` does."""


def _extracted(reader: Reader, node: Any, scope: Scope) -> Val:
    """`->` and `->>` of a column of documents, by one key or one place."""
    path = node.expression
    steps = path.expressions if isinstance(path, exp.JSONPath) else []
    others = [key for key, part in node.args.items() if part and key not in _READ]
    if others or len(steps) != 2 or not isinstance(steps[0], exp.JSONPathRoot):
        raise Unsupported(f"sql: {type(node).__name__} ({node.sql(reader.dialect.name)[:60]})")
    key, place = steps[1].this, isinstance(steps[1], exp.JSONPathSubscript)
    if not (isinstance(key, int) and key >= 0 if place else isinstance(key, str) and _KEY.match(key)):
        raise Unsupported(f"sql: {type(node).__name__} ({node.sql(reader.dialect.name)[:60]})")
    return held(reader, node.this, f"{'at' if place else 'key'} {key}", scope, isinstance(node, _AS_TEXT))


_READ = ("this", "expression", "only_json_types")
_AS_TEXT = exp.JSONExtractScalar


def text_by_key(reader: Reader, arguments: list[Any], scope: Scope) -> Val:
    """Such a function of a document and one key as written."""
    key = arguments[1] if len(arguments) == 2 else None
    if not (isinstance(key, exp.Literal) and key.is_string and _KEY.match(key.this)):
        raise Unsupported("sql: a path of a JSON document that is no key as written")
    return held(reader, arguments[0], f"key {key.this}", scope, True)


def held(reader: Reader, node: Any, step: str, scope: Scope, as_text: bool) -> Val:
    """What a document holds there, as a text or as a document."""
    document = reader.output(node, scope)
    kind = document.kind
    if not isinstance(kind, Sealed) or kind.shown.upper() not in reader.dialect.documents:
        raise Unsupported(
            f"sql: a part of a value of type {kind.shown}, which is no JSON document that can always be read"
        )
    return opaque(
        reader.dialect,
        f"{'text' if as_text else 'document'} {step}",
        [document],
        TEXT if as_text else kind.in_expression,
    )


READERS: Readers = {
    exp.JSONExtract: _extracted,
    exp.JSONExtractScalar: _extracted,
}
