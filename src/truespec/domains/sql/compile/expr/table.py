"""Every reader of an expression, by the type of its syntax node."""

from __future__ import annotations

from truespec.domains.sql.compile.expr import (
    arithmetic,
    cases,
    casts,
    concatenations,
    conditions,
    date_functions,
    day_parts,
    documents,
    functions,
    leaves,
    membership,
    ranges,
    texts,
    truncated_dates,
)
from truespec.domains.sql.compile.readers import COMPARISONS, Readers

FAMILIES: tuple[Readers, ...] = (
    leaves.READERS,
    conditions.READERS,
    membership.READERS,
    cases.READERS,
    arithmetic.READERS,
    date_functions.READERS,
    day_parts.READERS,
    truncated_dates.READERS,
    texts.READERS,
    concatenations.READERS,
    casts.READERS,
    functions.READERS,
    ranges.READERS,
    documents.READERS,
    dict.fromkeys(COMPARISONS, conditions.comparison),
)
"""No type stands in two of them; a test checks it."""
READERS: Readers = {node: reader for family in FAMILIES for node, reader in family.items()}
