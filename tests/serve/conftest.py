"""A running server on the loopback address, and its service."""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import needs

TOKEN = "a-token"
LOOKS = [(width, scheme) for width in (390, 1400) for scheme in ("light", "dark")]
"""The widths of a window and the schemes of colours in which pages are looked at."""
AXE_RUN = "axe.run({resultTypes: ['violations']}).then(({violations}) => ({violations}))"
"""Look for faults with all rules; what passed does not travel."""


@contextlib.contextmanager
def served(runs: Sequence[tuple[Path, Path | None]] = (), **more: Any) -> Iterator[str]:
    """The address of a server with two workers that asks for `TOKEN` and shows some runs."""
    uvicorn = pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    from truespec.serve.app import application
    from truespec.serve.service import Service

    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    hosts = frozenset({"127.0.0.1", "localhost"})
    app = application(Service(2, 20.0), 2, hosts=hosts, token=TOKEN, log=False, runs=runs, **more)
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
    thread.join(60)
    assert not thread.is_alive(), "the server does not end"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser. It ends with the module: while it runs, no other event loop can."""
    needs.tool("chromium")
    needs.module("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield made
        made.close()


_windows: dict[Any, tuple[str, dict[str, Any]]] = {}
"""Of each open window the server that it is signed in to, and its options."""


def opened(browser: Any, address: str, path: str = "/", **options: Any) -> Any:
    """A path of the server in a window of its own, signed in.

    The window of the test before does where it is alike: pages keep nothing in it but the cookie, and a new
    one costs four times as much.
    """
    page = next(
        (context.pages[0] for context in browser.contexts if _is_alike(context, address, options)), None
    )
    for before in browser.contexts:
        if page is None or before != page.context:
            before.close()  # an open page goes on costing time
    if page is None:
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        page = context.new_page()
        page.set_default_timeout(60_000)
        context.request.get(f"{address}/?token={TOKEN}")  # its cookie is the window's
        _windows.clear()
        _windows[context] = address, options
    page.goto(address + path)
    return page


def _is_alike(context: Any, address: str, options: dict[str, Any]) -> bool:
    return len(context.pages) == 1 and _windows.get(context) == (address, options)


def accessible(page: Any, addresses: Iterable[str]) -> None:
    """Check that axe finds no fault in pages, and that none is wider than a window, in each of `LOOKS`.

    A page is loaded once: none of its scripts asks for the window's size or scheme. The checker is a script
    of the test, which the pages' own policy would refuse: open with `bypass_csp`.
    """
    from axe_playwright_python.base import AXE_SCRIPT, AxeResults  # type: ignore[import-untyped]

    for address in addresses:
        page.goto(address)
        page.evaluate(AXE_SCRIPT)  # half a megabyte: read once for all looks
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            look = address, width, scheme
            assert page.evaluate("document.documentElement.scrollWidth") <= width, look
            found = AxeResults(page.evaluate(AXE_RUN))
            assert found.violations_count == 0, (look, found.generate_report())


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server without runs."""
    with served() as made:
        yield made
