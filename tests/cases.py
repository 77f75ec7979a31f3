"""Case tables: read from `tests/domains/<name>/cases/*.yml`, one runner for every domain."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from truespec.domains.registry import DOMAINS

TABLES = Path(__file__).parent / "domains"


def read_yaml(path: Path) -> Any:
    """A YAML file; by LibYAML, which is ten times faster, where it is there and reads the file."""
    text = path.read_text(encoding="utf-8")
    if hasattr(yaml, "CSafeLoader"):
        try:
            return yaml.load(text, Loader=yaml.CSafeLoader)
        except yaml.YAMLError:  # it refuses escapes of surrogates
            pass
    return yaml.safe_load(text)


@dataclass(frozen=True)
class Case:
    """One row of a case table."""

    domain: str
    table: str
    name: str
    oracle: str
    candidate: str
    expect: str
    context: dict[str, Any] = field(default_factory=dict)
    relation: str | None = None
    reason: str | None = None
    witness: dict[str, Any] | None = None
    origin: str | None = None

    def __str__(self) -> str:
        return f"{self.domain}-{self.table}-{self.name}".replace(" ", "_")


@cache
def cases(domain: str) -> tuple[Case, ...]:
    """All cases of a domain; names are unique, so that a failure names one row."""
    found: list[Case] = []
    for path in sorted((TABLES / domain / "cases").glob("*.yml")):
        table = read_yaml(path)
        defaults = table.get("defaults", {}) if isinstance(table, dict) else {}
        for row in table["cases"] if isinstance(table, dict) else table:
            context = {**defaults.get("context", {}), **row.get("context", {})}
            found.append(Case(domain=domain, table=path.stem, **{**row, "context": context}))
    names = [case.name for case in found]
    doubled = {name for name in names if names.count(name) > 1}
    assert not doubled, f"{domain}: case names used twice: {sorted(doubled)}"
    return tuple(found)


def all_cases(*expect: str) -> list[Case]:
    """The cases of every registered domain, or only those with these expectations."""
    return [case for name in DOMAINS for case in cases(name) if not expect or case.expect in expect]
