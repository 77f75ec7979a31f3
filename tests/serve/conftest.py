"""A running server on the loopback address, and its service."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

TOKEN = "a-token"


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server with two workers that asks for `TOKEN`."""
    uvicorn = pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    from truespec.serve.app import application
    from truespec.serve.service import Service

    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = application(
        Service(2, 20.0), 2, hosts=frozenset({"127.0.0.1", "localhost"}), token=TOKEN, log=False
    )
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(20)
