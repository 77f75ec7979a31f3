"""A small server for one report: this machine only, reading only, nothing outside the report's folder."""

from __future__ import annotations

import urllib.parse
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from truespec.verdict import UsageError

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""The media types that a browser gets; any other file is offered for download."""

INDEXES = ("report.html", "index.html")
"""The page that is shown first: the first of these that the folder holds."""


class Server(ThreadingHTTPServer):
    """Serves a page, or the files of a folder; `server_port` is the port it listens on."""

    daemon_threads = True
    # With address reuse, two servers could share a port on some systems, and a visitor would see either.
    allow_reuse_address = False
    allow_reuse_port = False

    def __init__(self, port: int, *, folder: Path | None = None, page: bytes | None = None) -> None:
        self.folder = folder.resolve() if folder else None
        self.page = page
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise UsageError(f"port {port}: {error.strerror}; choose another with --port") from None


def serve_page(page: bytes, port: int = 0) -> Server:
    """A server for one page, listening but not yet answering; port 0 takes any free one.

    Raises `UsageError` where the port cannot be had.
    """
    return Server(port, page=page)


def serve_folder(folder: Path, port: int = 0) -> Server:
    """A server for the folder's report, listening but not yet answering; port 0 takes any free one.

    Raises `UsageError` where there is no report or the port cannot be had.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; 'truespec demo --out {folder}' makes one with a report")
    if index_of(folder) is None:
        bench = (folder / "run.json").exists()
        writes = f"bench report {folder} -o REPORT" if bench else f"demo --out {folder}"
        raise UsageError(f"{folder}: holds no {INDEXES[0]}; 'truespec {writes}' writes one")
    return Server(port, folder=folder)


def index_of(folder: Path) -> str | None:
    """The name of the folder's first page."""
    return next((name for name in INDEXES if (folder / name).is_file()), None)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version = "truespec"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, body: bool) -> None:
        # A page elsewhere must not read the report through a name that it points at this machine.
        host = self.headers.get("Host", "127.0.0.1").partition(":")[0]
        if host not in ("127.0.0.1", "localhost"):
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers to 127.0.0.1 and localhost")
            return
        if self.server.page is not None and self.path.partition("?")[0] in (
            "/",
            *(f"/{name}" for name in INDEXES),
        ):
            self._send(TYPES[".html"], self.server.page, body)
            return
        path = self._find()
        if path is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such file in the folder of the report")
            return
        try:
            content = path.read_bytes()
        except OSError:
            self._refuse(HTTPStatus.NOT_FOUND, "the file cannot be read")
            return
        self._send(TYPES.get(path.suffix.lower(), "application/octet-stream"), content, body)

    def _send(self, kind: str, content: bytes, body: bool) -> None:
        self._head(HTTPStatus.OK, kind, len(content))
        if body:
            self.wfile.write(content)

    def _find(self) -> Path | None:
        """The file that the address names, if it lies in the folder once all links are followed."""
        folder = self.server.folder
        if folder is None:
            return None
        try:
            name = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path, errors="strict").lstrip("/")
            path = (folder / (name or index_of(folder) or INDEXES[0])).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            return None
        inside = path.is_relative_to(folder) and path.is_file()
        return path if inside else None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        content = f"{status.value} {status.phrase}: {why}\n".encode()
        self._head(status, TYPES[".txt"], len(content))
        if self.command != "HEAD":
            self.wfile.write(content)

    def _head(self, status: HTTPStatus, kind: str, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal shows the address and stays quiet."""
