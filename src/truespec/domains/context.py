"""What a context may hold: one declaration per domain, `context.schema.json` in the domain's folder.

The declaration is a JSON Schema. It is printed (`truespec schema DOMAIN`), and checked here before a domain
reads a context: a misspelt field would otherwise change an answer without a word. The check covers what the
declarations use: `type`, `properties`, `additionalProperties`, `required`, `items`, `enum`, `minimum`.
"""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from truespec.domains.registry import DOMAINS
from truespec.verdict import ContextError, UsageError

Schema = Mapping[str, Any]

_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


@cache
def context_schema(domain: str) -> Schema:
    """The JSON Schema of a domain's context."""
    module = DOMAINS[domain].partition(":")[0]
    package = module.rpartition(".")[0]
    try:
        text = files(importlib.import_module(package)).joinpath("context.schema.json").read_text("utf-8")
        schema: Schema = json.loads(text)
    except (ImportError, OSError, ValueError) as error:
        if domain in DOMAINS.built_in:
            raise
        raise UsageError(
            f"the domain {domain!r} of {DOMAINS.origin(domain)} has no usable context.schema.json in the "
            f"package {package!r} of its class: {error}"
        ) from error
    return schema


def check_context(domain: str, raw: Mapping[str, Any]) -> None:
    """Raise `ContextError` for a field that the domain does not know or that has the wrong type.

    A field whose value is null counts as absent (`without_nulls`).
    """
    _check(without_nulls(raw), context_schema(domain), "", domain)


def fits(domain: str, name: str, value: Any) -> bool:
    """Whether a context of this domain may give this field this value."""
    try:
        field = context_schema(domain)["properties"].get(name)
        if field is None or value is None:
            return False
        _check(value, field, name, domain)
    except UsageError:
        return False
    return True


def without_nulls(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The context without fields whose value is null, at every depth: they count as absent.

    Data frames give every row all fields of a column of structs.

    >>> without_nulls({"variables": {"x": {"type": "int", "unit": None}, "y": None}, "constraints": None})
    {'variables': {'x': {'type': 'int'}}}
    """
    return {name: _given(value) for name, value in raw.items() if value is not None}


def _given(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_nulls(value)
    return [_given(item) for item in value] if isinstance(value, list | tuple) else value


def _check(value: Any, schema: Schema, where: str, domain: str) -> None:
    wanted = schema.get("type")
    if wanted is not None and not _is(value, wanted):
        raise ContextError(f"{domain} context: {where or 'it'} is {_shown(value)}; expected {_NAMES[wanted]}")
    choices = schema.get("enum")
    if choices is not None and (not isinstance(value, str) or value not in choices):
        meant = _nearest(value, choices)
        raise ContextError(
            f"{domain} context: {where} is {_shown(value)}{meant}; expected one of {', '.join(choices)}"
        )
    if "minimum" in schema and value < schema["minimum"]:
        raise ContextError(f"{domain} context: {where} is {value}; expected at least {schema['minimum']}")
    if isinstance(value, Mapping):
        _check_fields(value, schema, where, domain)
    elif isinstance(value, Sequence) and not isinstance(value, str) and "items" in schema:
        for position, item in enumerate(value):
            _check(item, schema["items"], f"{where}[{position}]", domain)


def _check_fields(value: Mapping[str, Any], schema: Schema, where: str, domain: str) -> None:
    known: Mapping[str, Schema] = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        place = f"{where}[{name!r:.60}]" if where else f"{name!r:.60}"
        if name in known:
            _check(item, known[name], place, domain)
        elif others is False:
            inside = f" in {where}" if where else ""
            fields = ", ".join(known)
            raise ContextError(
                f"{domain} context: unknown field {name!r:.60}{inside}{_nearest(name, known)}; "
                f"the fields are {fields}"
            )
        elif others is not True:
            _check(item, others, place, domain)
    for name in schema.get("required", ()):
        if name not in value:
            example = known[name].get("description", "")
            raise ContextError(f"{domain} context: the field {name!r} is missing. {example}".rstrip())


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return isinstance(value, list | tuple)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"{value!r:.60}"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "null" if value is None else f"{json.dumps(value)[:60]}"


def _nearest(name: Any, known: Any) -> str:
    lowered = {one.lower(): one for one in known}
    near = difflib.get_close_matches(str(name)[:60].lower(), list(lowered), 1, 0.5)
    return f" (did you mean {lowered[near[0]]!r}?)" if near else ""
