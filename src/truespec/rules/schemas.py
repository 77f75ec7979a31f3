"""Does a call fit its tool's schema? JSON Schema 2020-12, compiled to closures for the keywords tools use.

A schema with any other keyword is left to the `jsonschema` library as a whole, and the tests hold the two
against each other. Schemas come with traces and are trusted no more than these: patterns are matched in
bounded time, and no reference leaves the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from truespec.domains.regex.finder import finder
from truespec.traces.event import Event

Allows = Callable[[Any], bool]
_NOTES = {
    "title",
    "description",
    "default",
    "examples",
    "$schema",
    "$id",
    "$comment",
    "deprecated",
    "format",
    "strict",
}
_KNOWN = _NOTES | {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern", "minItems", "maxItems",
    "anyOf", "allOf", "$defs", "$ref",
}  # fmt: skip
_compiled: dict[int, tuple[Any, Allows]] = {}
MOST_COMPILED = 4096
"""Schemas that are kept compiled."""


class _Foreign(Exception):
    """A keyword that is left to the library."""


def validator(schema: Any) -> Allows:
    """Whether a value fits a schema; each schema object is compiled once.

    A schema that is none itself asks for nothing.
    """
    found = _compiled.get(id(schema))
    if found is not None and found[0] is schema:
        return found[1]
    try:
        made = _compile(schema, schema, 0)
    except (_Foreign, TypeError, AttributeError, RecursionError, re.error):
        # Most schemas do without the library, which takes long to load.
        from truespec.rules.schema_library import left_to_library

        made = left_to_library(schema)
    if len(_compiled) >= MOST_COMPILED:
        _compiled.clear()
    _compiled[id(schema)] = (schema, made)
    return made


def problem_of(event: Event) -> str | None:
    """Why a call does not fit, in one sentence; None when it does, or when its tool has no schema."""
    if event.trace is None or event.trace.tools is None or event.call is None:
        return None
    tool = event.trace.schemas.get(event.call.name)
    if tool is None:
        return f"there is no tool {event.call.name!r}"
    if event.call.arguments is None:
        return f"the arguments are no JSON object: {event.call.raw}"
    if tool.parameters is None:
        return None
    extra = _extra(event.call.arguments, tool.parameters)
    if extra:
        return f"{tool.name} takes no argument {', '.join(extra)}"
    from truespec.rules.schema_library import errors_of

    errors = sorted(errors_of(tool.parameters, event.call.arguments), key=str)
    return errors[0].message if errors else None


def call_fits(event: Event) -> bool:
    """Whether the tool exists and takes these arguments; arguments it does not name are wrong."""
    trace, call = event.trace, event.call
    if trace is None or trace.tools is None or call is None:
        return True
    tool = trace.schemas.get(call.name)
    if tool is None or call.arguments is None:
        return False
    schema = tool.parameters
    if schema is None:
        return True
    if _extra(call.arguments, schema):
        return False
    return validator(schema)(call.arguments)


def _extra(arguments: Mapping[str, Any], schema: Any) -> list[str]:
    if not isinstance(schema, Mapping):
        return []
    named = schema.get("properties")
    if not isinstance(named, Mapping) or schema.get("additionalProperties") not in (None, False):
        return []
    return [key for key in arguments if key not in named]


_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "integer": lambda v: (
        (isinstance(v, int) and not isinstance(v, bool)) or (isinstance(v, float) and v.is_integer())
    ),
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
}


def _number(v: Any) -> bool:
    return isinstance(v, int | float) and not isinstance(v, bool)


def _compile(schema: Any, root: Any, depth: int) -> Allows:
    if schema is True or schema is False:
        return lambda _: schema
    if not isinstance(schema, dict) or depth > 30 or not schema.keys() <= _KNOWN:
        raise _Foreign
    tests: list[Allows] = []
    if "$ref" in schema:
        tests.append(_reference(schema["$ref"], root, depth))
    if "type" in schema:
        listed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not all(name in _IS for name in listed):
            raise _Foreign
        checks = [_IS[name] for name in listed]
        tests.append(checks[0] if len(checks) == 1 else lambda v: any(check(v) for check in checks))
    if "enum" in schema:
        tests.append(_among(schema["enum"]))
    if "const" in schema:
        tests.append(_among([schema["const"]]))
    if "anyOf" in schema:
        options = [_compile(s, root, depth + 1) for s in schema["anyOf"]]
        tests.append(lambda v: any(option(v) for option in options))
    if "allOf" in schema:
        tests.extend(_compile(s, root, depth + 1) for s in schema["allOf"])
    tests.extend(_bounds(schema))
    if "items" in schema:
        item = _compile(schema["items"], root, depth + 1)
        tests.append(lambda v: not isinstance(v, list) or all(item(inner) for inner in v))
    if schema.keys() & {"properties", "required", "additionalProperties"}:
        tests.append(_object(schema, root, depth))
    if len(tests) == 1:
        return tests[0]
    return lambda v: all(test(v) for test in tests)


def _reference(reference: Any, root: Any, depth: int) -> Allows:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise _Foreign
    at = root
    for step in reference[2:].split("/"):
        if not isinstance(at, dict) or step not in at:
            raise _Foreign
        at = at[step]
    return _compile(at, root, depth + 1)


def _among(values: Any) -> Allows:
    if not isinstance(values, list) or not all(isinstance(v, str | bool) or v is None for v in values):
        raise _Foreign
    texts = frozenset(v for v in values if isinstance(v, str))
    others = [v for v in values if not isinstance(v, str)]
    return lambda v: v in texts if isinstance(v, str) else any(v is other for other in others)


def _bounds(schema: Mapping[str, Any]) -> list[Allows]:
    tests: list[Allows] = []
    if (low := schema.get("minimum")) is not None:
        tests.append(lambda v: not _number(v) or v >= low)
    if (high := schema.get("maximum")) is not None:
        tests.append(lambda v: not _number(v) or v <= high)
    if (above := schema.get("exclusiveMinimum")) is not None:
        tests.append(lambda v: not _number(v) or v > above)
    if (below := schema.get("exclusiveMaximum")) is not None:
        tests.append(lambda v: not _number(v) or v < below)
    for kind, least, most in ((str, "minLength", "maxLength"), (list, "minItems", "maxItems")):
        if least in schema or most in schema:
            low_, high_ = schema.get(least, 0), schema.get(most, 1 << 62)
            tests.append(_length(kind, low_, high_))
    if "pattern" in schema:
        search = finder(schema["pattern"]).search
        tests.append(lambda v: not isinstance(v, str) or search(v))
    return tests


def _length(kind: type, low: int, high: int) -> Allows:
    return lambda v: not isinstance(v, kind) or low <= len(v) <= high  # type: ignore[arg-type]


def _object(schema: Mapping[str, Any], root: Any, depth: int) -> Allows:
    named = {key: _compile(s, root, depth + 1) for key, s in schema.get("properties", {}).items()}
    required = tuple(schema.get("required", ()))
    if not all(isinstance(key, str) for key in required):
        raise _Foreign
    rest = _compile(schema.get("additionalProperties", True), root, depth + 1)
    free = schema.get("additionalProperties", True) is True

    def allows(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for key in required:
            if key not in value:
                return False
        for key, inner in value.items():
            test = named.get(key)
            if test is not None:
                if not test(inner):
                    return False
            elif not free and not rest(inner):
                return False
        return True

    return allows


@lru_cache(maxsize=1)
def known_keywords() -> frozenset[str]:
    """The keywords that are compiled; all others go to the library."""
    return frozenset(_KNOWN)


def type_at(schema: Any, path: str) -> frozenset[str] | None:
    """The JSON types that a schema allows at a dotted path; `any` among them where it does not say, and None
    where it knows of nothing there.

    >>> type_at({"properties": {"amount": {"type": "number"}}}, "amount")
    frozenset({'number'})
    """
    found = _below(schema, schema, path.split(".") if path else [], 0)
    return found or None


def _below(schema: Any, root: Any, steps: list[str], depth: int) -> frozenset[str]:
    """The types at the end of a path; nothing where the path leads nowhere."""
    if not isinstance(schema, Mapping) or depth > 30:
        return frozenset(("any",))
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = _resolved(root, reference)
        return _below(target, root, steps, depth + 1)
    options = [inner for key in ("anyOf", "oneOf") for inner in schema.get(key) or ()]
    if options:
        return frozenset().union(*(_below(inner, root, steps, depth + 1) for inner in options))
    if not steps:
        listed = schema.get("type")
        if listed is None:
            return frozenset(_kind_of(value) for value in schema["enum"]) if schema.get("enum") else _ANY
        return frozenset(listed) if isinstance(listed, list) else frozenset([str(listed)])
    step, rest = steps[0], steps[1:]
    named = schema.get("properties")
    found = [
        _below(inner, root, rest, depth + 1)
        for key, inner in (named.items() if isinstance(named, Mapping) else ())
        if fnmatchcase(key, step)
    ]
    if step == "*" or step.isdigit():
        found += [_below(schema["items"], root, rest, depth + 1)] if "items" in schema else []
    if not found and (not isinstance(named, Mapping) or schema.get("additionalProperties")):
        return _ANY if schema.get("type") in (None, "object", "array") else frozenset()
    return frozenset().union(*found)


_ANY = frozenset(("any",))


def _kind_of(value: Any) -> str:
    return next(
        (name for name in ("null", "boolean", "integer", "number", "string", "array") if _IS[name](value)),
        "object",
    )


def _resolved(root: Any, reference: str) -> Any:
    at = root
    for step in reference.removeprefix("#/").split("/"):
        at = at.get(step) if isinstance(at, Mapping) else None
    return at
