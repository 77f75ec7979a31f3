"""The domains, by name. A dotted string is imported on first use, so that `import truespec` stays instant.

Other packages add domains by entry points of the group `truespec.domains`; `docs/extend/domain.md` has the
contract.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from truespec.domains.contract import Domain
from truespec.plugins import Registry
from truespec.verdict import UsageError

BUILT_IN: dict[str, str] = {
    "sql": "truespec.domains.sql.domain:Sql",
    "fol": "truespec.domains.fol.domain:FirstOrderLogic",
    "regex": "truespec.domains.regex.domain:Regex",
    "arith": "truespec.domains.arith.domain:Arithmetic",
    "rocq": "truespec.domains.rocq.domain:Rocq",
    "temporal": "truespec.domains.temporal.domain:Temporal",
}
"""Name to `module:class`, e.g. `"regex": "truespec.domains.regex.domain:Regex"`."""

DOMAINS = Registry("truespec.domains", BUILT_IN)
"""The domains that come with truespec, then those of other packages."""


@cache
def load(name: str) -> Domain[Any, Any]:
    """The domain of this name; `UsageError` lists the names there are.

    It says why a domain of another package cannot be used, and names the package.
    """
    target = DOMAINS.get(name)
    if target is None:
        raise UsageError(f"unknown domain {name!r}: expected one of {', '.join(sorted(DOMAINS))}")
    module, _, attribute = target.partition(":")
    if name in BUILT_IN:
        domain = getattr(importlib.import_module(module), attribute)()
        assert isinstance(domain, Domain)
        return domain
    where = f"the domain {name!r} of {DOMAINS.origin(name)} ({target})"
    try:
        made = getattr(importlib.import_module(module), attribute)()
    except Exception as error:
        raise UsageError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(made, Domain):
        raise UsageError(f"{where} is no subclass of truespec.domains.contract.Domain")
    if made.name != name:
        raise UsageError(f"{where} calls itself {made.name!r}: the entry point and `name` must agree")
    return made
