"""Breaches posted to an address of the user's, in the background; what is not delivered is kept."""

from __future__ import annotations

import json
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from truespec.verdict import UsageError

WAITING = 1000
"""Records that wait to be posted; further ones go to the file at once."""
BATCH = 50
"""Records in one request."""
TRIES = 4
"""Times a request is made before its records go to the file."""
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled for each further one."""
SECONDS = 10.0
"""How long one request may take."""


class Webhook:
    """Posts `{"violations": [...]}`; any answer below 300 counts as taken."""

    def __init__(self, address: str, kept: Path | None, note: Callable[[str], None]) -> None:
        """`kept`: JSON lines of what could not be delivered; they are tried again at the next start."""
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc:
            raise UsageError(
                f"--webhook {address!r}: expected an address that begins with http:// or https://"
            )
        self._address, self._kept, self._note = address, kept, note
        self._waiting: queue.Queue[dict[str, Any] | None] = queue.Queue(WAITING)
        self.lost = 0
        """Records that were not delivered."""
        old = kept.read_text("utf-8").splitlines() if kept is not None and kept.exists() else []
        if kept is not None and old:
            kept.unlink()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        for line in old:
            self.send(json.loads(line))

    def send(self, record: dict[str, Any]) -> None:
        """Queue a record; never waits."""
        try:
            self._waiting.put_nowait(record)
        except queue.Full:
            self._keep([record])

    def close(self, seconds: float = 30.0) -> None:
        """Deliver what waits, for at most so long; the rest goes to the file."""
        until = time.monotonic() + seconds
        while self._thread.is_alive() and time.monotonic() < until:
            try:
                self._waiting.put(None, timeout=0.1)
                break
            except queue.Full:
                continue
        self._thread.join(max(0.0, until - time.monotonic()))
        rest = []
        while not self._waiting.empty():
            record = self._waiting.get_nowait()
            if record is not None:
                rest.append(record)
        self._keep(rest)

    def _run(self) -> None:
        ended = False
        while not ended:
            first = self._waiting.get()
            batch = [] if first is None else [first]
            ended = first is None
            while not ended and len(batch) < BATCH:
                try:
                    record = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if record is None:
                    ended = True
                else:
                    batch.append(record)
            if batch and not self._posted(batch):
                self._keep(batch)

    def _posted(self, batch: Sequence[dict[str, Any]]) -> bool:
        body = json.dumps({"violations": batch}).encode()
        request = urllib.request.Request(
            self._address, body, {"content-type": "application/json", "user-agent": "truespec"}
        )
        why = ""
        for number in range(TRIES):
            if number:
                time.sleep(FIRST_PAUSE * 2 ** (number - 1))
            try:
                with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                    if answer.status < 300:
                        return True
                    why = f"status {answer.status}"
            except (urllib.error.URLError, OSError, ValueError) as error:
                why = str(getattr(error, "reason", error))
        self._note(f"webhook {self._address}: {len(batch)} violations not delivered: {why}")
        return False

    def _keep(self, records: Sequence[dict[str, Any]]) -> None:
        self.lost += len(records)
        if self._kept is not None and records:
            with self._kept.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records)
