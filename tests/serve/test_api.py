"""The HTTP API, by a client of its own over a real connection."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jsonschema
import pytest

from serve.conftest import TOKEN
from truespec.store.schemas import schema_of

PAIR = {"id": "p", "domain": "regex", "oracle": "(ab)*", "candidate": "(ab)*(ab)?"}


def ask(
    address: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    sent = {"Authorization": f"Bearer {TOKEN}", **{name.replace("_", "-"): v for name, v in headers.items()}}
    request = urllib.request.Request(address + path, body, sent)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)


def verify(address: str, **record: Any) -> tuple[int, dict[str, Any]]:
    status, body, _ = ask(address, "/v1/verify", json.dumps(record).encode())
    return status, json.loads(body)


def test_a_verdict_is_the_record_of_the_command_line(address: str) -> None:
    status, record = verify(address, **PAIR)
    assert (status, record["answer"], record["id"]) == (200, "equivalent", "p")
    jsonschema.validate(record, schema_of("verdict"))
    status, record = verify(address, **{**PAIR, "oracle": "(("})
    assert (status, record["answer"], record["reason"]["code"]) == (200, "unknown", "oracle")


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"context": {"flgas": "i"}}, "context", "did you mean 'flags'"),
        ({"domain": "rgex"}, "usage", "unknown domain"),
        ({"candidat": "x"}, "usage", "candidat"),
        ({"oracle": 7}, "usage", "oracle"),
        ({"timeout": 1e9}, "usage", "timeout"),
        ({"timeout": True}, "usage", "timeout"),
        ({"context": []}, "usage", "no JSON object"),
        ({"context": None, "upstream_label": 1}, None, ""),
    ],
)
def test_mistakes_are_named(address: str, change: dict[str, Any], code: str | None, says: str) -> None:
    status, record = verify(address, **{**PAIR, **change})
    assert status == (400 if code else 200)
    assert record.get("code") == code
    assert says in record.get("error", "")


@pytest.mark.parametrize("body", [b"", b"[]", b"nope", b"\xff\xfe", b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_what_is_no_request_is_refused(address: str, body: bytes) -> None:
    status, answer, _ = ask(address, "/v1/verify", body)
    assert status == 400
    assert "error" in json.loads(answer)


def test_a_request_that_is_too_long_is_refused(address: str) -> None:
    assert ask(address, "/v1/verify", b'"' + b"a" * (9 << 20) + b'"')[0] == 413


def test_a_batch_is_a_stream_of_verdicts(address: str) -> None:
    lines = [json.dumps({**PAIR, "id": f"p{n}", "candidate": f"(ab){{{n % 3}}}"}) for n in range(60)]
    lines.insert(7, "no json")
    lines[8:8] = [
        "",
        json.dumps({**PAIR, "id": "odd", "source": "a data set", "context": {"flgas": "i"}}),
        json.dumps({**PAIR, "flags": "i"}),
    ]
    status, answer, headers = ask(address, "/v1/batches", "\n".join(lines).encode())
    records = [json.loads(line) for line in answer.splitlines()]
    assert (status, headers["content-type"]) == (200, "application/jsonl")
    assert {record["id"] for record in records if "id" in record} == {"odd", *(f"p{n}" for n in range(60))}
    wrong = {record["line"]: record["error"] for record in records if "error" in record}
    assert sorted(wrong) == [8, 9, 11]
    assert "empty line" in wrong[9]
    assert "stands beside the context" in wrong[11]
    (odd,) = (record for record in records if record.get("id") == "odd")
    assert (odd["answer"], odd["reason"]["code"]) == ("unknown", "context")


def test_many_requests_at_once(address: str) -> None:
    with ThreadPoolExecutor(32) as pool:
        found = list(
            pool.map(lambda n: verify(address, **{**PAIR, "candidate": f"a{{{n % 9}}}"}), range(300))
        )
    assert {(status, record["answer"]) for status, record in found} == {(200, "refuted")}


def test_a_trace_is_checked(address: str) -> None:
    rules = (
        "- {id: r, text: Never delete., category: forbidden_edge, formal: {template: absence, a: {call: rm}}}"
    )
    call = {"id": "1", "type": "function", "function": {"name": "rm", "arguments": "{}"}}
    messages = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    body = {"messages": messages, "rules": rules}
    status, answer, _ = ask(address, "/v1/traces/check", json.dumps(body).encode())
    assert status == 200
    assert [one["rule"] for one in json.loads(answer)["violations"]] == ["r"]
    for wrong in ({**body, "rules": "{"}, {**body, "messages": 3}, {**body, "more": 1}):
        assert ask(address, "/v1/traces/check", json.dumps(wrong).encode())[0] == 400


def test_schemas_metrics_and_the_description(address: str) -> None:
    assert json.loads(ask(address, "/v1/schemas/sql")[1])["properties"]["dialect"]
    assert ask(address, "/v1/schemas/nothing")[0] == 404
    described = json.loads(ask(address, "/v1/openapi.json")[1])
    assert set(described["paths"]) >= {"/v1/verify", "/v1/batches", "/v1/traces/check"}
    for schema in described["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert b"truespec_request_seconds_count" in ask(address, "/metrics")[1]
    assert ask(address, "/healthz", Authorization="none")[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": ""}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 200),
    ],
)
def test_who_may_ask(address: str, headers: dict[str, str], status: int) -> None:
    assert ask(address, "/v1/schemas", None, **headers)[0] == status


def test_every_answer_forbids_foreign_scripts(address: str) -> None:
    for path in ("/", "/v1/schemas", "/nothing", "/static/app.js"):
        headers = {name.lower(): value for name, value in ask(address, path)[2].items()}
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    assert ask(address, "/static/..%2fapp.py")[0] == 404
