"""Breaches posted to an address of the user's, in the background; what is not delivered is kept.

Each record is in a file before it is posted and leaves it when it is taken, so that a kill loses none; after
a kill, some may be posted twice.
"""

from __future__ import annotations

import json
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from truespec.verdict import UsageError

BATCH = 50
"""Records in one request."""
TRIES = 4
"""Times a request is made before its records are put aside; they are tried again once another is taken."""
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled for each further one."""
SECONDS = 10.0
"""How long one request may take."""


class Webhook:
    """Posts `{"violations": [...]}`; any answer below 300 counts as taken."""

    def __init__(self, address: str, kept: Path | None, note: Callable[[str], None]) -> None:
        """`kept`: JSON lines of what is not delivered; what is left is tried again at the next start."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"--webhook {address!r}: expected an address that begins with http:// or https://"
            )
        self._address, self._kept, self._note = address, kept, note
        self._named = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}"
        self._waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._aside: list[int] = []
        """What was refused, and is tried once more after a request that is taken."""
        self._lock = threading.Lock()
        self._open: dict[int, dict[str, Any]] = {}
        """What is not delivered, by number."""
        self._count = 0
        self.lost = 0
        """Records that were not delivered, once it is closed."""
        old = list(lines_of(kept, self._cut)) if kept is not None else []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        for record in old:
            self._queue(record)
        self._write_down()

    def _cut(self, path: Path, line: str) -> None:
        self._note(f"{path}: a line that is no JSON is left out: {line[:60]!r}")

    def send(self, record: dict[str, Any]) -> None:
        """Write a record down and queue it; never waits for the other side."""
        number = self._queue(record)
        with self._lock:
            if self._kept is not None and number in self._open:
                with appended(self._kept) as file:
                    file.write(json.dumps(record) + "\n")

    def _queue(self, record: dict[str, Any]) -> int:
        with self._lock:
            self._count = number = self._count + 1
            self._open[number] = record
        self._waiting.put(number)
        return number

    def close(self, seconds: float = 30.0) -> None:
        """Deliver what waits, for at most so long; the rest stays in the file."""
        self._waiting.put(None)
        self._thread.join(seconds)
        self.lost = len(self._open)

    def _run(self) -> None:
        waits = True
        while waits:
            batch, waits = self._batch()
            if not self._deliver(batch):
                self._aside += batch
            elif batch and self._aside:
                again, self._aside = self._aside, []
                for start in range(0, len(again), BATCH):
                    self._deliver(again[start : start + BATCH])

    def _batch(self) -> tuple[list[int], bool]:
        """The next records to post, and whether more may come."""
        batch: list[int] = []
        while len(batch) < BATCH:
            try:
                number = self._waiting.get(block=not batch)
            except queue.Empty:
                break
            if number is None:
                return batch, False
            batch.append(number)
        return batch, True

    def _deliver(self, batch: Sequence[int]) -> bool:
        """Whether the records are taken; there may be none."""
        if batch and not self._posted([self._open[number] for number in batch]):
            return False
        with self._lock:
            for number in batch:
                del self._open[number]
        if batch:
            self._write_down()
        return True

    def _write_down(self) -> None:
        """Put into the file what is not delivered, and nothing else."""
        if self._kept is None:
            return
        with self._lock:
            if not self._open:
                self._kept.unlink(missing_ok=True)
                return
            fresh = self._kept.with_name(self._kept.name + ".new")
            fresh.write_text("".join(json.dumps(record) + "\n" for record in self._open.values()), "utf-8")
            fresh.replace(self._kept)

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
                with _OPENER.open(request, timeout=SECONDS) as answer:
                    if answer.status < 300:
                        return True
                    why = f"status {answer.status}"
            except (urllib.error.URLError, OSError, ValueError) as error:
                why = str(getattr(error, "reason", error))
        self._note(f"webhook {self._named}: {len(batch)} violations not delivered: {why}")
        return False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A request that is redirected would be repeated without its body."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def appended(path: Path) -> TextIO:
    """A file to add lines to, even where a kill has cut the last one."""
    cut = False
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            file.seek(-1, 2)
            cut = file.read() != b"\n"
    opened = path.open("a", encoding="utf-8")
    if cut:
        opened.write("\n")
    return opened


def lines_of(path: Path, left_out: Callable[[Path, str], None]) -> Iterator[dict[str, Any]]:
    """The records of a file of JSON lines; `left_out` gets a line that is none, as a kill leaves it."""
    if not path.exists():
        return
    for line in path.read_text("utf-8", "replace").split("\n"):
        try:
            record = json.loads(line) if line else None
        except ValueError:
            record = line
        if isinstance(record, dict):
            yield record
        elif line:
            left_out(path, line)
