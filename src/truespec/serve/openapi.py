"""The OpenAPI description of the HTTP API, made from the schemas of the records."""

from __future__ import annotations

from typing import Any

from truespec.store.schemas import schema_of
from truespec.version import __version__


def openapi() -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    pair, verdict = _embedded("pair"), _embedded("verdict")
    request = {**pair, "properties": {**pair["properties"], "timeout": _TIMEOUT}}
    request["required"] = [name for name in pair.get("required", []) if name != "id"]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "truespec",
            "version": __version__,
            "description": "Sound verdicts on specifications, and checks of traces against rules.",
        },
        "components": {
            "schemas": {"Request": request, "Verdict": verdict, "Error": _ERROR, "Check": _CHECK},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
        "paths": {
            "/v1/verify": {
                "post": {
                    "summary": "Verify one pair.",
                    "requestBody": _json_body("Request"),
                    "responses": {
                        "200": _answer("The verdict, whatever it is.", "Verdict"),
                        "400": _answer("The request is wrong; `code` is `context` or `usage`.", "Error"),
                        "413": _answer("The request is too long.", "Error"),
                        "503": _answer("Too many requests are waiting.", "Error"),
                    },
                }
            },
            "/v1/batches": {
                "post": {
                    "summary": "Verify a stream of pairs.",
                    "description": (
                        "One request object per line in; one verdict per line out, in the order of "
                        "completion, streamed. A line that is no pair gets `{line, error}`."
                    ),
                    "requestBody": {"content": {"application/jsonl": {"schema": {"type": "string"}}}},
                    "responses": {
                        "200": {
                            "description": "A stream of verdicts.",
                            "content": {"application/jsonl": {"schema": {"type": "string"}}},
                        }
                    },
                }
            },
            "/v1/traces/check": {
                "post": {
                    "summary": "Hold a conversation against rules.",
                    "requestBody": _json_body("Check"),
                    "responses": {
                        "200": {
                            "description": "Violations, rules not evaluated with the reason, rules kept.",
                            "content": {"application/json": {"schema": {"type": "object"}}},
                        },
                        "400": _answer("A rule or a message cannot be read.", "Error"),
                    },
                }
            },
            "/v1/schemas": {"get": _plain("The names of all schemas.")},
            "/v1/schemas/{name}": {
                "get": {
                    "parameters": [
                        {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
                    ],
                    **_plain("The JSON Schema of a domain's context or of a record."),
                }
            },
            "/metrics": {"get": _plain("Counts and times in the text format of Prometheus.")},
            "/healthz": {"get": {**_plain("Whether the server answers."), "security": []}},
        },
    }


_TIMEOUT = {"type": "number", "exclusiveMinimum": 0, "description": "Seconds for this pair."}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string"}, "code": {"type": "string"}},
}
_CHECK = {
    "type": "object",
    "required": ["messages", "rules"],
    "additionalProperties": False,
    "properties": {
        "messages": {"type": "array", "items": {"type": "object"}, "description": "As OpenAI writes them."},
        "rules": {"type": "string", "description": "The text of a rule file (YAML)."},
        "tools": {"type": "array", "items": {"type": "object"}, "description": "As OpenAI writes them."},
    },
}


def _embedded(name: str) -> dict[str, Any]:
    """A record's schema without what only a file of its own has."""
    return {key: value for key, value in schema_of(name).items() if key not in ("$schema", "$id", "allOf")}


def _json_body(name: str) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": _reference(name)}}}


def _answer(text: str, name: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _reference(name)}}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _plain(text: str) -> dict[str, Any]:
    return {"summary": text, "responses": {"200": {"description": text}}}
