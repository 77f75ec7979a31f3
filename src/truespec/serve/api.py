"""The HTTP API: verify one pair or a stream of pairs, check a trace, read the schemas."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from truespec.serve.guarded import problem
from truespec.serve.openapi import openapi
from truespec.serve.queue import Full
from truespec.serve.service import Service, check_messages
from truespec.store.pairs import parse_json
from truespec.store.schemas import names, schema_of
from truespec.verdict import ContextError, ReasonCode, TruespecError, UsageError, unknown

BODY = 8 << 20
"""Bytes of a request, and of one line of a batch."""
AHEAD = 4
"""Pairs of one batch that are under way, for each worker."""


def routes(service: Service, jobs: int) -> list[Route]:
    """The routes of the API."""

    async def verify(request: Request) -> Response:
        try:
            record = await _json(request)
            verdict = await service.verify(record, _client(request))
        except Full:
            return _full()
        except (UsageError, ContextError) as error:
            return _refused(error)
        return JSONResponse(_with_id(record, verdict.to_json()))

    async def batches(request: Request) -> Response:
        return _Streamed(_batch(request, service, jobs))

    async def check(request: Request) -> Response:
        try:
            record = await _json(request)
            if extra := set(record) - {"messages", "rules", "tools"}:
                raise UsageError(f"unknown field {min(extra)!r:.60}: the fields are messages, rules, tools")
            arguments = record.get("messages"), record.get("rules"), record.get("tools")
            async with service.queue.turn(_client(request)):
                found = await asyncio.to_thread(check_messages, *arguments)  # type: ignore[arg-type]
        except Full:
            return _full()
        except TruespecError as error:
            return _refused(error)
        return JSONResponse(found)

    async def schema(request: Request) -> Response:
        try:
            return JSONResponse(schema_of(request.path_params["name"]))
        except UsageError as error:
            return problem(404, str(error))

    async def schemas(_: Request) -> Response:
        return JSONResponse({"schemas": names()})

    async def described(_: Request) -> Response:
        return JSONResponse(openapi())

    async def metrics(_: Request) -> Response:
        return PlainTextResponse(service.metrics.text(service.queue))

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    return [
        Route("/v1/verify", verify, methods=["POST"]),
        Route("/v1/batches", batches, methods=["POST"]),
        Route("/v1/traces/check", check, methods=["POST"]),
        Route("/v1/schemas", schemas),
        Route("/v1/schemas/{name}", schema),
        Route("/v1/openapi.json", described),
        Route("/metrics", metrics),
        Route("/healthz", health),
    ]


def _client(request: Request) -> str:
    """Who shares a line in the queue: one address, or one name in the header `X-Client`."""
    return request.headers.get("x-client") or (request.client.host if request.client else "")


def _full() -> Response:
    answer = problem(503, "too many requests are waiting: try again")
    answer.headers["retry-after"] = "1"
    return answer


def _refused(error: TruespecError) -> Response:
    code = "context" if isinstance(error, ContextError) else "usage"
    return problem(413 if isinstance(error, TooLong) else 400, str(error), code=code)


class TooLong(UsageError):
    """A request that is longer than `BODY`."""


async def _json(request: Request) -> dict[str, Any]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY:
            raise TooLong(f"the request is longer than {BODY >> 20} MiB: send a batch as lines")
    return _record(bytes(body))


def _record(raw: bytes) -> dict[str, Any]:
    try:
        record = parse_json(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not isinstance(record, dict):
        raise UsageError("expected a JSON object")
    return record


def _with_id(record: dict[str, Any], verdict: dict[str, Any]) -> dict[str, Any]:
    return {"id": record["id"], **verdict} if isinstance(record.get("id"), str) else verdict


async def _lines(request: Request) -> AsyncIterator[tuple[int, bytes]]:
    """Each line of the body with its number; a line that is too long is given as it is so far, once."""
    rest, number, skipping = bytearray(), 0, False
    async for chunk in request.stream():
        rest += chunk
        *whole, last = bytes(rest).split(b"\n")
        for line in whole:
            number += 1
            if not skipping:
                yield number, line
            skipping = False
        rest = bytearray(last)
        if len(rest) > BODY and not skipping:
            yield number + 1, bytes(rest)
            skipping = True
        if skipping:
            rest.clear()
    if rest and not skipping:
        yield number + 1, bytes(rest)


class _Streamed(Response):
    """Lines sent as they come, while the request is still read: nothing else may receive its body."""

    def __init__(self, lines: AsyncGenerator[bytes, None]) -> None:
        super().__init__(media_type="application/jsonl")
        del self.headers["content-length"]
        self.lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with contextlib.aclosing(self.lines) as lines:
            async for line in lines:
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _batch(request: Request, service: Service, jobs: int) -> AsyncGenerator[bytes, None]:
    """One line for each line of the body, as they are done; an error record for a line that is no pair.

    At most `AHEAD` pairs per worker are under way: the body is read no faster than that, and results that
    the client does not take stop the reading too.
    """
    client = _client(request)
    running: set[asyncio.Task[bytes]] = set()
    try:
        async for number, line in _lines(request):
            if len(running) >= AHEAD * jobs:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
            running.add(asyncio.create_task(_one(service, client, number, line)))
            for task in [task for task in running if task.done()]:
                running.discard(task)
                yield task.result()
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    except ClientDisconnect:
        return
    finally:
        for task in running:
            task.cancel()


async def _one(service: Service, client: str, number: int, line: bytes) -> bytes:
    try:
        if len(line) > BODY:
            raise UsageError(f"longer than {BODY >> 20} MiB")
        if not line.strip():
            raise UsageError("an empty line: expected a pair, one JSON object to a line")
        record = _record(line)
        try:
            verdict = await service.verify(record, client, line=True)
        except ContextError as error:
            verdict = unknown(record["domain"], ReasonCode.CONTEXT, str(error), method="parse")
        answer = _with_id(record, verdict.to_json())
    except Full:
        answer = {"line": number, "error": "too many requests are waiting"}
    except TruespecError as error:
        answer = {"line": number, "error": str(error)}
    return orjson.dumps(answer) + b"\n"
