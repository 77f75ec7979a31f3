"""The domains, by name. A dotted string is imported on first use, so that `import truespec` stays instant."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from truespec.domains.contract import Domain
from truespec.verdict import UsageError

DOMAINS: dict[str, str] = {
    "sql": "truespec.domains.sql.domain:Sql",
    "fol": "truespec.domains.fol.domain:FirstOrderLogic",
    "regex": "truespec.domains.regex.domain:Regex",
    "arith": "truespec.domains.arith.domain:Arithmetic",
    "rocq": "truespec.domains.rocq.domain:Rocq",
    "temporal": "truespec.domains.temporal.domain:Temporal",
}
"""Name to `module:class`, e.g. `"regex": "truespec.domains.regex.domain:Regex"`."""


@cache
def load(name: str) -> Domain[Any, Any]:
    """The domain of this name; `UsageError` lists the names there are."""
    target = DOMAINS.get(name)
    if target is None:
        raise UsageError(f"unknown domain {name!r}: expected one of {', '.join(sorted(DOMAINS))}")
    module, _, attribute = target.partition(":")
    domain = getattr(importlib.import_module(module), attribute)()
    assert isinstance(domain, Domain)
    return domain
