"""A receiver of OpenTelemetry's traces over HTTP: each export is on disk before it is acknowledged.

Spans of one conversation go to one file of a spool, as OTLP JSON, one export to a line; what watches the
spool reads them from there, now or after a restart. The protocol: https://opentelemetry.io/docs/specs/otlp/
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import re
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from truespec.serve.guarded import Guarded, problem
from truespec.serve.service import Metrics
from truespec.traces.redact import Hiding, Redactor

MAX_BODY = 32 << 20
"""Bytes of one export, packed and unpacked."""
WRITERS = 8
"""Exports that are written side by side; further ones are asked to retry later."""
MAX_OPEN = 20_000
"""Files of the spool that are not done; beyond, exports are asked to retry later."""
PROTOBUF = "application/x-protobuf"
CONVERSATION = ("gen_ai.conversation.id", "session.id", "thread.id", "langfuse.session.id")
"""Attributes that name a conversation of several OpenTelemetry traces, in this order."""
_PLAIN = re.compile(r"[\w.-]{1,80}\Z", re.ASCII)


class Spool:
    """Files of exports, one to a conversation; those that are over lie in `done`."""

    def __init__(self, folder: Path, hiding: Hiding | None = None) -> None:
        """`hiding` is applied to every text before it is written."""
        self.folder, self.done = folder, folder / "done"
        self.done.mkdir(parents=True, exist_ok=True)
        self._redactor = hiding.redactor() if hiding else None
        self._lock = threading.Lock()
        self._open = sum(1 for path in folder.glob("*.jsonl"))

    @property
    def full(self) -> bool:
        """Whether so many conversations are open that no more are taken."""
        return self._open >= MAX_OPEN

    def add(self, export: Mapping[str, Any]) -> int:
        """Write an export down; how many of its spans have no trace id and were refused."""
        parts, refused = _parts(export)
        with self._lock:
            for name, part in parts.items():
                path = self.folder / f"{name}.jsonl"
                finished = self.done / path.name
                if finished.exists():
                    finished.replace(path)
                    self._open += 1
                elif not path.exists():
                    self._open += 1
                content = _hidden(part, self._redactor) if self._redactor else part
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(content) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
        return refused

    def finish(self, path: Path) -> None:
        """Put a conversation's file away; later spans bring it back."""
        with self._lock:
            if path.exists():
                path.replace(self.done / path.name)
                self._open -= 1


_STRUCTURE = frozenset(
    (
        "traceId",
        "spanId",
        "parentSpanId",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "timeUnixNano",
        "traceState",
    )
)
"""Fields that hold spans together: digits there are no card number."""


def _hidden(value: Any, redactor: Redactor) -> Any:
    """A part of an export with its texts redacted; a value whose attribute has the name of a secret too."""
    if isinstance(value, list):
        return [_hidden(item, redactor) for item in value]
    if not isinstance(value, Mapping):
        return redactor.value(value)
    made = {key: v if key in _STRUCTURE else _hidden(v, redactor) for key, v in value.items()}
    held = made.get("value")
    if isinstance(made.get("key"), str) and isinstance(held, dict) and "stringValue" in held:
        named = redactor.value({made["key"]: held["stringValue"]})
        made["value"] = {**held, "stringValue": next(iter(named.values()))}
    return made


def _parts(export: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], int]:
    """The export cut by conversation, and how many spans name no trace."""
    cut: dict[str, list[tuple[Any, Any, Any]]] = defaultdict(list)
    names: dict[str, str] = {}
    refused = 0
    spans = list(_spans(export))
    for _, _, span in spans:
        if (trace := span.get("traceId")) and (named := _conversation(span)):
            names.setdefault(str(trace), named)
    for resource, scope, span in spans:
        trace = span.get("traceId")
        if not isinstance(trace, str) or not trace:
            refused += 1
            continue
        cut[_file_name(names.get(trace, trace))].append((resource, scope, span))
    return {
        name: {
            "resourceSpans": [
                {"resource": resource, "scopeSpans": [{"scope": scope, "spans": [span]}]}
                for resource, scope, span in parts
            ]
        }
        for name, parts in cut.items()
    }, refused


def _spans(export: Mapping[str, Any]) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    for block in _list(export, "resourceSpans"):
        for group in _list(block, "scopeSpans"):
            for span in _list(group, "spans"):
                yield block.get("resource") or {}, group.get("scope") or {}, span


def _list(value: Any, name: str) -> list[dict[str, Any]]:
    found = value.get(name) if isinstance(value, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _conversation(span: Mapping[str, Any]) -> str:
    values = {
        pair.get("key"): (pair.get("value") or {}).get("stringValue")
        for pair in _list(span, "attributes")
        if isinstance(pair.get("value"), dict)
    }
    return next((str(values[name]) for name in CONVERSATION if values.get(name)), "")


def _file_name(identifier: str) -> str:
    """A file's name for any identifier; those of other people are never paths."""
    if _PLAIN.match(identifier) and not identifier.startswith("."):
        return identifier
    return hashlib.sha256(identifier.encode("utf-8", "replace")).hexdigest()[:32]


def decoded(body: bytes, kind: str) -> dict[str, Any]:
    """An export as OTLP JSON; `ValueError` says what is wrong with it."""
    if kind == PROTOBUF:
        return _from_protobuf(body)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(value, dict) or not isinstance(value.get("resourceSpans"), list):
        raise ValueError("expected an object with a list 'resourceSpans'")
    return value


def _from_protobuf(body: bytes) -> dict[str, Any]:
    try:
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "protobuf needs: pip install 'truespec[watch]'; or set OTEL_EXPORTER_OTLP_PROTOCOL=http/json"
        ) from None
    message = ExportTraceServiceRequest()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise ValueError(f"no ExportTraceServiceRequest: {error}") from None
    value: dict[str, Any] = MessageToDict(message)
    for _, _, span in _spans(value):
        linked = [span, *_list(span, "links")]
        for holder in linked:
            for name in ("traceId", "spanId", "parentSpanId"):
                if name in holder:  # JSON of protobuf has base64, OTLP JSON has hexadecimal digits
                    holder[name] = base64.b64decode(holder[name]).hex()
    return value


def application(
    spool: Spool,
    state: Callable[[], dict[str, Any]],
    violations: Callable[[], list[dict[str, Any]]],
    *,
    hosts: frozenset[str],
    token: str | None,
) -> Starlette:
    """`POST /v1/traces`, and what was found: `GET /conversations` and `GET /violations`."""
    writing = asyncio.Semaphore(WRITERS)

    async def take(request: Request) -> Response:
        if spool.full or writing.locked():
            answer = problem(503, "too many conversations are open, or too many exports are being written")
            answer.headers["retry-after"] = "1"
            return answer
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (PROTOBUF, "application/json"):
            return problem(415, f"content type {kind[:60]!r}: expected {PROTOBUF} or application/json")
        body = await _body(request)
        if body is None:
            return problem(413, f"an export of more than {MAX_BODY >> 20} MiB")
        try:
            export = decoded(_unpacked(body, request.headers.get("content-encoding", "")), kind)
        except ValueError as error:
            return problem(400, str(error)[:300])
        except ModuleNotFoundError as error:
            return problem(415, str(error))
        async with writing:
            refused = await asyncio.to_thread(spool.add, export)
        if kind == PROTOBUF:
            return Response(_partial(refused), media_type=PROTOBUF)
        partial = {"rejectedSpans": str(refused), "errorMessage": _NO_TRACE} if refused else None
        return JSONResponse({"partialSuccess": partial} if partial else {})

    async def conversations(request: Request) -> Response:
        return _json(await asyncio.to_thread(state))

    async def found(request: Request) -> Response:
        return _json({"violations": await asyncio.to_thread(violations)})

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    routes = [
        Route("/v1/traces", take, methods=["POST"]),
        Route("/conversations", conversations),
        Route("/violations", found),
        Route("/healthz", health),
    ]
    guarded = Middleware(Guarded, hosts=hosts, token=token, metrics=Metrics(), log=False)
    return Starlette(routes=routes, middleware=[guarded])


def _json(value: Any) -> Response:
    """A JSON answer; conversations may hold characters that only JSON's own escapes can tell."""
    return Response(json.dumps(value), media_type="application/json")


_NO_TRACE = "spans without a trace id"


async def _body(request: Request) -> bytes | None:
    """The body; None where it is too long."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def _unpacked(body: bytes, encoding: str) -> bytes:
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise ValueError(f"content encoding {encoding[:40]!r}: expected gzip")
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        whole = unpack.decompress(body, MAX_BODY)
    except zlib.error as error:
        raise ValueError(f"no gzip: {error}") from None
    if unpack.unconsumed_tail:
        raise ValueError(f"an export of more than {MAX_BODY >> 20} MiB")
    return whole


def _partial(refused: int) -> bytes:
    """An ExportTraceServiceResponse; the empty message says that all spans were taken."""
    if not refused:
        return b""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = refused
    answer.partial_success.error_message = _NO_TRACE
    written: bytes = answer.SerializeToString()
    return written


__all__ = ["Spool", "application", "decoded"]
