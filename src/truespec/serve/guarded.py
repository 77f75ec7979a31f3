"""What every request passes: who may ask, which page may ask, and what the answer forbids the browser."""

from __future__ import annotations

import hmac
import json
import sys
import time
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from truespec.serve.body import Body
from truespec.serve.service import Metrics

COOKIE = "truespec_token"
OPEN = ("/healthz", "/static/")
"""Paths that need no token: they say nothing about what is served."""
SECURITY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""Headers of every answer. Texts of users stay texts: no script runs that is not ours."""


class Guarded:
    """Refuses foreign hosts and origins, asks for the token, adds headers, counts and logs requests."""

    def __init__(
        self, app: ASGIApp, *, hosts: frozenset[str], token: str | None, metrics: Metrics, log: bool
    ) -> None:
        self.app, self.hosts, self.token, self.metrics, self.log = app, hosts, token, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request, began = Request(scope), time.monotonic()
        body = Body(scope, receive)
        status = 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status >= 400:
                    await body.drop()
                own = {name.encode(): value.encode() for name, value in SECURITY.items()}
                names = {name.lower() for name, _ in message["headers"]}
                extra = [(name, value) for name, value in own.items() if name not in names]
                if b"cache-control" not in names:
                    extra.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        try:
            refusal = self._refusal(request)
            await (refusal or self.app)(scope, body.receive, sending)
        finally:
            route = _route(scope["path"])
            self.metrics.requests[route, status] += 1
            if self.log:
                self._log(request, status, time.monotonic() - began)

    def _refusal(self, request: Request) -> Response | None:
        host = _name(request.headers.get("host", ""))
        if host not in self.hosts:
            return problem(403, f"this server does not answer to the host {host!r:.80}")
        origin = request.headers.get("origin")
        if origin not in (None, "null") and _name(urlsplit(origin).netloc) not in self.hosts:
            return problem(403, "a page of another site may not ask this server")
        if self.token is None or request.url.path.startswith(OPEN):
            return None
        given = request.query_params.get("token")
        if given is not None and request.method == "GET" and self._is_token(given):
            rest = [
                pair for pair in parse_qsl(request.url.query, keep_blank_values=True) if pair[0] != "token"
            ]
            answer = RedirectResponse(request.url.path + ("?" + urlencode(rest) if rest else ""), 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return answer
        bearer = request.headers.get("authorization", "")
        if self._is_token(request.cookies.get(COOKIE, "")) or (
            bearer.startswith("Bearer ") and self._is_token(bearer[7:])
        ):
            return None
        return problem(401, "the token is missing or wrong: open the address that 'truespec serve' printed")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), (self.token or "").encode())

    def _log(self, request: Request, status: int, seconds: float) -> None:
        """One JSON object per request on standard error; texts of users and the query are not logged."""
        record = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "method": request.method,
            "path": request.url.path,
            "status": status,
            "seconds": round(seconds, 4),
        }
        print(json.dumps(record), file=sys.stderr, flush=True)


def _name(netloc: str) -> str:
    """The host of `host:port`, in small letters."""
    return netloc.rpartition(":")[0].lower() if netloc.rpartition(":")[2].isdigit() else netloc.lower()


def _route(path: str) -> str:
    """The path as a label: the part that names a thing is left out."""
    parts = path.strip("/").split("/")
    return "/" + "/".join(parts[: 2 if parts[0] != "v1" else 3]) if len(parts) < 4 else f"/{parts[0]}/..."


def problem(status: int, text: str, **more: object) -> JSONResponse:
    """An error as JSON: `{"error": "..."}` with further fields."""
    return JSONResponse({"error": text, **more}, status)
