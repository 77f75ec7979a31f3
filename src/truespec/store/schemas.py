"""The JSON Schemas of everything that truespec reads and writes, by name."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from truespec.domains.context import context_schema
from truespec.domains.registry import DOMAINS
from truespec.verdict import UsageError

RECORDS: dict[str, tuple[str, str]] = {
    "pair": ("truespec.store", "pair.schema.json"),
    "task": ("truespec.benchmark", "task.schema.json"),
    "verdict": ("truespec.verdict", "verdict.schema.json"),
    "answer": ("truespec.store", "answer.schema.json"),
    "judgement": ("truespec.store", "judgement.schema.json"),
    "rule": ("truespec.rules", "schema.json"),
    "trace": ("truespec.traces", "schema.json"),
    "artifact": ("truespec.compliance", "artifact.schema.json"),
}
"""Records by name: the package and the file of each schema."""


def names() -> list[str]:
    """What has a schema: the contexts of all domains, then the records."""
    return [*DOMAINS, *RECORDS]


def schema_of(name: str) -> dict[str, Any]:
    """The schema of a domain's context or of a record; `UsageError` lists the names there are."""
    if name in DOMAINS:
        return dict(context_schema(name))
    if name not in RECORDS:
        raise UsageError(f"there is no schema {name!r}: expected one of {', '.join(names())}")
    package, file = RECORDS[name]
    schema: dict[str, Any] = json.loads(files(package).joinpath(file).read_text("utf-8"))
    if name == "verdict":
        schema["properties"]["domain"] = {"enum": list(DOMAINS)}
    return _with_contexts(schema) if name in ("pair", "task") else schema


def _with_contexts(schema: dict[str, Any]) -> dict[str, Any]:
    """A record's schema in which `context` follows the declaration of the record's domain."""
    schema["properties"]["domain"] = {"enum": list(DOMAINS)}
    schema["$defs"] = {
        **schema.get("$defs", {}),
        **{name: {k: v for k, v in context_schema(name).items() if k != "$schema"} for name in DOMAINS},
    }
    schema["allOf"] = [
        {
            "if": {"properties": {"domain": {"const": name}}},
            "then": {"properties": {"context": {"$ref": f"#/$defs/{name}"}}},
        }
        for name in DOMAINS
    ]
    return schema
