"""Schemas with keywords that only the `jsonschema` library knows; patterns are matched in bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jsonschema
import referencing
import referencing.exceptions

from truespec.domains.regex.finder import Unmatched, finder
from truespec.verdict import Incomplete


def left_to_library(schema: Any) -> Callable[[Any], bool]:
    """Whether a value fits, by the library; a schema that is none itself asks for nothing."""
    try:
        jsonschema.Draft202012Validator.check_schema(schema, jsonschema.FormatChecker(()))
    except (jsonschema.SchemaError, RecursionError, re.error):
        return lambda _: True
    return lambda value: not any(True for _ in errors_of(schema, value))


def errors_of(schema: Any, value: Any) -> Iterator[jsonschema.ValidationError]:
    """What the library finds wrong; `Incomplete` where the schema itself cannot be followed."""
    try:
        yield from _Library(schema, registry=referencing.Registry()).iter_errors(value)
    except RecursionError:
        raise Incomplete("a schema that refers to itself without end") from None
    except re.error as error:
        raise Incomplete(f"a schema's pattern is none of Python's: {error}") from None
    except referencing.exceptions.Unresolvable as error:
        raise Incomplete(f"a schema refers to {error.ref!r}, which it does not hold") from None


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    if isinstance(value, str) and not finder(pattern).search(value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Any], value: Any, _: Any
) -> Iterator[jsonschema.ValidationError]:
    if isinstance(value, dict):
        for pattern, schema in patterns.items():
            for key, inner in value.items():
                if finder(pattern).search(key):
                    yield from validator.descend(inner, schema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, rest: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[jsonschema.ValidationError]:
    if not isinstance(value, dict):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, inner in value.items():
        if key in named or any(finder(pattern).search(key) for pattern in patterns):
            continue
        if isinstance(rest, dict):
            yield from validator.descend(inner, rest, path=key)
        elif not rest:
            yield jsonschema.ValidationError(f"additional property {key!r} is not allowed")


def _unevaluated_properties(
    validator: Any, rest: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[jsonschema.ValidationError]:
    """The library's own, which matches names of properties itself: only where that takes few steps."""
    if isinstance(value, dict):
        longest = max(map(len, value), default=0)
        for pattern in _name_patterns(schema):
            if not finder(pattern).is_cheap(longest):
                raise Unmatched(pattern, "together with unevaluatedProperties it is not followed")
    yield from _LIBRARY_KEYWORDS["unevaluatedProperties"](validator, rest, value, schema) or ()


def _name_patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("patternProperties", {})
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _name_patterns(inner)


_LIBRARY_KEYWORDS = jsonschema.Draft202012Validator.VALIDATORS
_Library = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "unevaluatedProperties": _unevaluated_properties,
    },
)
