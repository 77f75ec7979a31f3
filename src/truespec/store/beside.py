"""Fields of a pair record that belong into its context: beside it, no verifier reads them.

A pair record may hold any other fields. One that looks like a mistake is named instead of ignored, because
it would otherwise change an answer without a word.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from truespec.domains.context import context_schema, fits
from truespec.domains.registry import DOMAINS

KNOWN = frozenset(("id", "domain", "oracle", "candidate", "context", "expected", "upstream_label"))
"""The fields of a pair record (`pair.schema.json`)."""
ALIKE = 0.8
"""How similar to `context` a name is that means it."""


def misplaced(record: Mapping[str, Any], domain: str) -> str:
    """What is wrong with the fields beside the context, in a sentence; empty where nothing is.

    >>> misplaced({"id": "1", "contxt": {"flags": "i"}}, "regex")
    "unknown field 'contxt' (did you mean 'context'?)"
    >>> misplaced({"id": "1", "flags": "i"}, "regex")
    "the field 'flags' stands beside the context, where no verifier reads it: write it into 'context'"
    >>> misplaced({"id": "1", "flags": 7, "model": "m"}, "regex")
    ''
    """
    for name, value in record.items():
        if name in KNOWN or value is None:
            continue
        if "context" not in record and _means_context(name):
            return f"unknown field {name!r:.60} (did you mean 'context'?)"
        if fits(domain, name, value):
            return (
                f"the field {name!r} stands beside the context, where no verifier reads it: "
                "write it into 'context'"
            )
    return ""


def may_be_misplaced(name: str) -> bool:
    """Whether `misplaced` could name a field of this name, for a domain and a value."""
    return _means_context(name) or any(
        name in context_schema(domain)["properties"] for domain in DOMAINS.built_in
    )


def _means_context(name: str) -> bool:
    return difflib.SequenceMatcher(None, str(name)[:60].lower(), "context").ratio() >= ALIKE
