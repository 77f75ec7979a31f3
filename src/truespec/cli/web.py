"""A web application that runs beside a command."""

from __future__ import annotations

import socket
import threading
from typing import Any

import uvicorn


class Background:
    """A server in a thread of its own, for as long as the context lasts."""

    def __init__(self, app: Any, listening: socket.socket) -> None:
        config = uvicorn.Config(
            app, access_log=False, log_level="warning", timeout_graceful_shutdown=5, server_header=False
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)
