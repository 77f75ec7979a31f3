"""The body of a refused request is read to its end, within bounds, before the answer is sent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import needs


def answered(
    parts: list[bytes | None], *, token: str | None = "t", headers: tuple[tuple[bytes, bytes], ...] = ()
) -> tuple[int, int]:
    """The status of a request whose body comes in parts, and how many of them were read before it.

    A part that is None never comes.
    """
    needs.module("starlette")
    from starlette.responses import PlainTextResponse

    from truespec.serve.guarded import Guarded
    from truespec.serve.service import Metrics

    read, at_answer, status = 0, 0, 0

    async def receive() -> dict[str, Any]:
        nonlocal read
        part = parts[read]
        if part is None:
            await asyncio.Event().wait()
        read += 1
        return {"type": "http.request", "body": part, "more_body": read < len(parts)}

    async def send(message: Any) -> None:
        nonlocal at_answer, status
        if message["type"] == "http.response.start":
            at_answer, status = read, message["status"]

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/verify",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
    }
    hosts = frozenset({"localhost"})
    app = Guarded(PlainTextResponse("done"), hosts=hosts, token=token, metrics=Metrics(), log=False)
    asyncio.run(app(scope, receive, send))
    return status, at_answer


def test_a_refused_body_is_read_before_the_answer() -> None:
    assert answered([b"a", b"b", b"c"]) == (401, 3)


def test_an_answer_that_is_no_refusal_does_not_wait_for_the_body() -> None:
    assert answered([b"a", b"b", b"c"], token=None) == (200, 0)


def test_a_client_that_waits_for_leave_is_not_asked_for_its_body() -> None:
    assert answered([b"a", b"b"], headers=((b"expect", b"100-continue"),)) == (401, 0)


def test_a_body_that_is_too_long_or_never_ends_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.module("starlette")
    from truespec.serve import body

    monkeypatch.setattr(body, "DROPPED_BYTES", 2)
    assert answered([b"a", b"b", b"c", b"d"]) == (401, 2)
    monkeypatch.setattr(body, "DROPPED_SECONDS", 0.01)
    assert answered([b"a", None]) == (401, 1)
