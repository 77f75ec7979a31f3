"""What queries say of JSON documents: their keys, and the columns that hold them."""

from __future__ import annotations

import re

from sqlglot import exp


def keys_of(tree: exp.Expr) -> set[str]:
    """The keys of documents that a query names: in paths, and beside functions of JSON."""
    found = {str(key.this) for key in tree.find_all(exp.JSONPathKey) if isinstance(key.this, str)}
    for call in _of_documents(tree):
        for literal in call.find_all(exp.Literal):
            if literal.is_string:
                found |= set(re.findall(r"[A-Za-z_]\w*", str(literal.name)[:60], re.ASCII))
    return {key for key in found if len(key) <= 40}


def document_columns(tree: exp.Expr) -> set[str]:
    """Lower-case names of the columns that functions of JSON are given."""
    calls = [*tree.find_all(exp.JSONExtract, exp.JSONExtractScalar), *_of_documents(tree)]
    return {
        str(column.name).lower()
        for call in calls
        for column in (call.this if isinstance(call.this, exp.Expr) else call).find_all(exp.Column)
    }


def _of_documents(tree: exp.Expr) -> list[exp.Expr]:
    """Calls of functions whose name says JSON."""
    return [
        call
        for call in tree.find_all(exp.Func)
        if "JSON" in (str(call.this) if isinstance(call, exp.Anonymous) else type(call).__name__).upper()
        and not isinstance(call, exp.JSONExtract | exp.JSONExtractScalar)
    ]
