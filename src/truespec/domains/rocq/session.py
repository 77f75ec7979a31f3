"""A running interactive Rocq: sentences go in one by one, each with its reply, under a limit."""

from __future__ import annotations

import contextlib
import math
import os
import re
import resource
import select
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.scratch import Scratch
from truespec.verdict import OutOfMemory, Undecided

_PROMPT = re.compile(r"<prompt>(\S+) < (\d+) \|[^|]*\| \d+ < </prompt>\Z")
MEMORY_BYTES = 3 << 30
"""The cap on the address space of one process."""
FILE_BYTES = 1 << 20
"""The cap on what one process may write to a file."""
LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Rocq's heap may lie in large pages: a start takes two thirds of the processor time."""
INTERRUPT_SECONDS = 1.0
"""How much processor time a process may take to stop before it is ended."""
INTERRUPT_WAIT = 6.0
"""How long it may take at most, on a busy machine: to end it costs a new start."""
SOON_SECONDS = 0.03
"""The processor time in which a sentence whose answer is not wanted may end by itself.

A signal that arrives while Rocq answers or reads the next sentence ends its process in one of eight cases.
"""
SOON_WAIT = 0.3
"""How long that may take at most, on a busy machine."""
GRACE_SECONDS = 0.25
"""How long after a pair's limit a process is still waited for."""
STARTUP_SECONDS = 60.0
"""How long a process may take to start and to read its opening sentences, on a busy machine."""
PAUSE_SECONDS = 0.01
"""How often it is looked whether a pause has ended."""
_MARK = "Truespec_mark_"


class Interrupted(Exception):
    """The sentence was stopped: its time was up or its answer is no longer wanted."""


class Dead(Undecided):
    """The process ended by itself."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What Rocq said to one sentence."""

    ok: bool
    """Whether it was accepted."""
    text: str
    """Its message."""


class Session:
    """One process; `mark` and `back_to` restore its state, so that nothing of a pair is left for the next."""

    def __init__(
        self, opening: Sequence[str], library: Path | None = None, texts: Path | None = None
    ) -> None:
        self._opening = tuple(opening)
        self._paths: list[str] = []
        if library is not None:
            self._paths += ["-Q", str(library), "Truespec"]
        if texts is not None:
            self._paths += ["-R", str(texts), "Texts"]
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._state = 0
        self._marks = 0
        self._read_opening = 0
        self._awaited = 0.0
        self._home: Scratch | None = None
        self.base = 0
        """The state after the opening sentences."""
        self.uses = 0
        """How often `back_to(base)` was called since the start."""
        self.until = math.inf
        """When the limit of the present pair ends, by `time.monotonic`."""
        self.pause: threading.Event | None = None
        """While it is set, `say` hands nothing over: another process may have decided the pair."""

    def _patience(self, seconds: float) -> float:
        """How long to wait for the process to obey: `seconds`, or what the limit and its grace leave of them.

        A worker is ended a quarter of a second after the limit: waiting longer saves no process there.
        """
        return min(seconds, max(0.05, self.until + GRACE_SECONDS - time.monotonic()))

    def start(self) -> None:
        """Start the process and hand it the opening sentences, without waiting for it."""
        if self.running:
            return
        self._home = Scratch("rocq")
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self._home.path), "LC_ALL": "C.UTF-8"}
        environment |= LARGE_PAGES
        environment |= {
            key: os.environ[key] for key in ("COQLIB", "COQPATH", "OCAMLPATH") if key in os.environ
        }
        self._process = subprocess.Popen(
            [*toolchain().toplevel, "-q", "-emacs", "-color", "no", "-w", "none", *self._paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._home.path,
            env=environment,
        )
        bound(self._process.pid, FILE_BYTES)
        self._owner, self._buffer, self._state, self.base, self.uses = os.getpid(), b"", 0, 0, 0
        self._read_opening, self._awaited = 0, 0.0

    def ready(self, stop: threading.Event | None = None) -> None:
        """Wait until the opening sentences have been read; `OpeningRefused` where one is refused.

        `Interrupted` when the present pair's limit ends or `stop` is set: the process goes on reading, and
        the next call waits for the rest. `Dead` where it is not ready after `STARTUP_SECONDS` of waiting.
        """
        self.start()
        while not self.base:
            reply = self._opening_reply(stop)
            sentences = len(self._opening)
            if not reply.ok:
                self.kill()
                raise OpeningRefused(self._opening[self._read_opening - 1], reply.text)
            self._read_opening += 1
            if self._read_opening > sentences:
                self.base = self._state
            else:
                self._send(self._opening[self._read_opening - 1])

    def _opening_reply(self, stop: threading.Event | None) -> Reply:
        """What the process says to the opening sentence that it has, or to its start."""
        # Only waiting counts: between two calls, the process has its reply ready and nobody reads it.
        began = time.monotonic()
        latest = began + STARTUP_SECONDS - self._awaited
        text = self._prompt_by(min(self.until, latest), stop)
        ended = time.monotonic()
        self._awaited += ended - began
        if text is not None:
            return _reply(text)
        if ended >= latest:
            self.kill()
            raise Dead(f"Rocq was not ready after {STARTUP_SECONDS:g} s of waiting")
        raise Interrupted

    @property
    def loading(self) -> bool:
        """Whether the process lives and has not read its opening sentences."""
        return self.running and not self.base

    @property
    def running(self) -> bool:
        """Whether the process lives and is ours; a fork's copy of a parent's session is not."""
        return self._process is not None and self._owner == os.getpid() and self._process.poll() is None

    @property
    def state(self) -> int:
        """The number of Rocq's present state."""
        return self._state

    def say(
        self, sentence: str, seconds: float, stop: threading.Event | None = None, work: float | None = None
    ) -> Reply:
        """Hand over one sentence; `Interrupted` when the time is up or `stop` is set.

        `work` bounds the processor time of the sentence, which a busy machine does not change.
        """
        deadline = time.monotonic() + seconds
        while self.pause is not None and self.pause.is_set():
            if time.monotonic() >= deadline or (stop is not None and stop.is_set()):
                raise Interrupted
            time.sleep(PAUSE_SECONDS)
        return self._exchange(sentence, deadline, stop, work)

    def _exchange(
        self, sentence: str, deadline: float, stop: threading.Event | None = None, work: float | None = None
    ) -> Reply:
        self._send(sentence)
        worked = None if work is None else self.worked() + work
        text = self._prompt_by(deadline, stop, worked)
        if text is None:
            overdue = worked is not None and self.running and self.worked() > worked
            if overdue or not self._ends_soon():
                self._interrupt()
            raise Interrupted
        return _reply(text)

    def _ends_soon(self) -> bool:
        """Whether the running sentence ends, or its process, before it is worth a signal."""
        latest = time.monotonic() + self._patience(SOON_WAIT)
        worked = self.worked() + SOON_SECONDS
        with contextlib.suppress(Undecided, OSError):
            while self.running and time.monotonic() < latest and self.worked() < worked:
                self._read(PAUSE_SECONDS)
                if self._prompt() is not None:
                    return True
        return not self.running

    def _send(self, sentence: str) -> None:
        process = self._process
        if process is None or process.stdin is None or not self.running:
            raise Dead("Rocq's process is gone")
        try:
            process.stdin.write(sentence.encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise Dead("Rocq's process ended") from error

    def back_to(self, state: int) -> bool:
        """Restore a state; false where the process does not obey and has to be replaced."""
        if not self.running:
            return False
        try:
            if self._state == state:
                return True
            if not self._exchange(f"BackTo {state}.", time.monotonic() + self._patience(2.0)).ok:
                return False
        except (Interrupted, Undecided):
            return False
        self.uses += state == self.base
        return self._state == state

    def kill(self) -> None:
        """End the process and remove its folder."""
        process, self._process = self._process, None
        self.base = 0
        if process is not None and self._owner == os.getpid():
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            process.wait()
            if self._home is not None:
                self._home.close()
        self._home = None

    def worked(self) -> float:
        """Processor seconds the process has used."""
        assert self._process is not None
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()  # without /proc, wall time stands in
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Bytes of memory the process has had at most; 0 where the system does not say."""
        assert self._process is not None
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return 1024 * int(found.group(1)) if found else 0

    def _prompt_by(
        self, deadline: float, stop: threading.Event | None, worked: float | None = None
    ) -> str | None:
        """What the process says up to its next prompt; None where the time is up or `stop` is set."""
        while True:
            found = self._prompt()
            if found is not None:
                return found
            left = deadline - time.monotonic()
            if (
                left <= 0
                or (stop is not None and stop.is_set())
                or (worked is not None and self.running and self.worked() > worked)
            ):
                return None
            self._read(min(left, 0.02 if stop is not None else 1.0))

    def _prompt(self) -> str | None:
        if not self._buffer.endswith(b"</prompt>"):
            return None
        text = self._buffer.decode("utf-8", "replace")
        match = _PROMPT.search(text, max(0, len(text) - 400))
        if match is None:
            return None
        self._state = int(match.group(2))
        self._buffer = b""
        return text[: match.start()].strip()

    def _read(self, seconds: float) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        if select.select([descriptor], [], [], max(0.0, seconds))[0]:
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                code = process.wait()
                self.kill()
                if code in (-signal.SIGKILL, 2, 134):
                    raise OutOfMemory("Rocq's memory cap was reached")
                raise Dead(f"Rocq's process ended with code {code}")
            self._buffer += chunk

    def _interrupt(self) -> None:
        """Stop the running sentence; a process that does not stop is ended."""
        process = self._process
        assert process is not None
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        # A signal after the end of the sentence yields a prompt of its own: a marker finds the last one.
        patience = time.monotonic() + self._patience(INTERRUPT_WAIT)
        worked = self.worked() + INTERRUPT_SECONDS
        try:
            marker = self._mark()
            while time.monotonic() < patience and self.running and self.worked() < worked:
                self._read(min(0.1, patience - time.monotonic()))
                said = self._prompt()
                if said is not None and marker in said:
                    return
                if said is not None and _MARK not in said:
                    marker = self._mark()  # the signal may have stopped the marker instead of the sentence
        except (Undecided, OSError):
            pass
        self.kill()

    def _mark(self) -> str:
        """Ask for a name that nothing has, which the answer repeats."""
        self._marks += 1
        marker = f"{_MARK}{self._marks}_"
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"Check {marker}.\n".encode())
        self._process.stdin.flush()
        return marker


def _reply(text: str) -> Reply:
    """A message as a reply; `OutOfMemory` where it says that the memory cap was reached."""
    failed = "\nError" in "\n" + text
    if failed and "Out of memory" in text:
        raise OutOfMemory("Rocq's memory cap was reached")
    return Reply(not failed, text)


def bound(process: int, file_bytes: int) -> None:
    """Cap a process's memory and files; what it starts afterwards inherits the caps."""
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.prlimit(process, kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(process, kind, (least, least))


class OpeningRefused(Exception):
    """A sentence that prepares a session was refused."""

    def __init__(self, sentence: str, message: str) -> None:
        super().__init__(sentence, message)
        self.sentence = sentence
        self.message = message
