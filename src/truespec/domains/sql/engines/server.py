"""A database server of our own: private directory, unix socket, ended with the process that started it."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from truespec.domains.sql.engines.template import Template
from truespec.verdict import ToolMissing

Connection = TypeVar("Connection")

BOOT_SECONDS = 60.0
"""A server that does not answer after so long has failed to start."""
POLL_SECONDS = 0.02
"""How often a starting server is asked whether it answers."""

# `cat` ends when the last writer of its standard input, the process that started us, is gone: even after
# kill -9 nothing is left behind. The watcher has a session of its own, so that ending the worker's process
# group does not end it before it has cleaned up.
_WATCH = """
trap '' HUP INT TERM
directory=$1; stop=$2; install=$3; shift 3
cd "$directory" || exit 1
TMPDIR=$directory; export TMPDIR
( sh -c "$install" && echo installed >ready ) >log 2>&1 </dev/null
if [ -e ready ]; then
  "$@" >>log 2>&1 </dev/null &
  server=$!
  cat >/dev/null
  kill -"$stop" "$server" 2>/dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
  kill -KILL "$server" 2>/dev/null
  wait "$server" 2>/dev/null
else
  cat >/dev/null
fi
cd / && rm -rf -- "$directory"
"""


class Server:
    """A running server and the watcher that ends it; `stop` or the death of this process removes both."""

    def __init__(
        self,
        name: str,
        account: str,
        install: str,
        programs: Sequence[str],
        command: Callable[[Path], Sequence[str]],
        stop: str,
    ) -> None:
        """Start installing and booting at once; `connect` waits for it.

        `install` is a shell command run in the private directory; what it makes is kept for later starts
        until one of the files in `programs` changes. `command` is given the directory.
        Run by root, everything runs as `account`, or as `nobody` where there is no such account.
        """
        self.name = name
        self._template = Template(name, install, programs)
        self.directory = private_directory()
        user: int | None = None
        group: int | None = None
        if os.getuid() == 0:
            entry = _entry(account) or _entry("nobody")
            if entry is None:
                raise ToolMissing(f"{name} refuses to run as root, and there is no account {account!r}")
            user, group = entry.pw_uid, entry.pw_gid
            os.chown(self.directory, user, group)
        packed = self._template.open()
        self._answered = False
        arguments = [str(self.directory), stop, self._template.command(packed), *command(self.directory)]
        self._watcher = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, "truespec-watch", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            user=user,
            group=group,
            extra_groups=[] if user is not None else None,
            umask=0o077,
            cwd="/",
            pass_fds=() if packed is None else (packed,),
        )
        if packed is not None:
            os.close(packed)
        self.owner = os.getpid()

    def connect(self, attempt: Callable[[], Connection], errors: tuple[type[Exception], ...]) -> Connection:
        """What `attempt` returns once the server answers; `ToolMissing` with its log when it does not."""
        deadline = time.monotonic() + BOOT_SECONDS
        while True:
            try:
                made = attempt()
                if not self._answered:  # before a query runs, which could change what was packed
                    self._template.keep(self.directory)
                    self._answered = True
                return made
            except errors as error:
                last = error
            if self._watcher.poll() is not None or time.monotonic() > deadline:
                log = self.log()
                if not self._answered:
                    self._template.forget()
                self.stop()
                raise ToolMissing(f"{self.name} did not start: {last}; its log ends: {log[-400:]!r}")
            time.sleep(POLL_SECONDS)

    def log(self) -> str:
        """What the server wrote."""
        with contextlib.suppress(OSError):
            return (self.directory / "log").read_text(encoding="utf-8", errors="replace")
        return ""

    def stop(self) -> None:
        """End the server and remove its directory; waits until both are gone."""
        if self.owner != os.getpid():
            return  # a fork of the starter shares the pipe but not the server
        assert self._watcher.stdin is not None
        with contextlib.suppress(OSError):
            self._watcher.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._watcher.wait(timeout=10)
        shutil.rmtree(self.directory, ignore_errors=True)


def private_directory() -> Path:
    """A new directory that only we can enter, in memory where possible, its path short enough for sockets."""
    shared = "/dev/shm"
    with contextlib.suppress(OSError):
        if os.access(shared, os.W_OK | os.X_OK) and shutil.disk_usage(shared).free > 512 << 20:
            return Path(tempfile.mkdtemp(prefix="truespec-", dir=shared))
    default = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="truespec-", dir=default if len(default) < 60 else "/tmp"))


def find(*commands: str, folders: Sequence[str] = ()) -> str | None:
    """The first of these commands on the path or in these folders."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin", *folders])
    return next((found for command in commands if (found := shutil.which(command, path=path))), None)


def _entry(account: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(account)
    except KeyError:
        return None
