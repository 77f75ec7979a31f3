"""Folders for temporary files that do not outlive their process, and the folder for compiled files.

A process that is killed cannot remove its folders. Each folder therefore holds a locked file; the system
drops the lock with the process, and the next process of ours removes the folders whose locks it can take.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import TextIO

PREFIX = "truespec-scratch-"
"""How the names of the folders begin."""
LOCK = ".lock"
"""The locked file of a folder."""


class Scratch:
    """A folder of this process. Use as a context manager, or call `close`."""

    path: Path
    """Where it lies."""

    def __init__(self, kind: str, parent: Path | None = None) -> None:
        """Make a folder whose name tells its `kind`, below `parent` or the folder for temporary files."""
        root = parent or Path(tempfile.gettempdir())
        sweep(root)
        self.path, self._lock = _locked(kind, root)
        self._owner = os.getpid()

    def close(self) -> None:
        """Remove the folder; only the process that made it does."""
        if self._owner == os.getpid():
            shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _locked(kind: str, root: Path) -> tuple[Path, TextIO]:
    """A new folder and its locked file."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{kind}-", dir=root))
        lock = (path / LOCK).open("w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Another process that sweeps may have taken the lock, and the folder, before we did.
        if (path / LOCK).exists():
            return path, lock
        lock.close()


@cache
def sweep(root: Path) -> None:
    """Remove what killed processes of this user have left below `root`; done once per process."""
    try:
        names = os.listdir(root)  # thousands, sometimes: `glob` takes several times as long
    except OSError:
        return
    for folder in (root / name for name in names if name.startswith(PREFIX)):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            # A folder that holds no lock yet is just being made.
            with (folder / LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


CACHE = "TRUESPEC_CACHE"
"""Environment variable: the folder for compiled files and for what servers install."""


@cache
def cache_folder() -> tuple[Path, str | None]:
    """The folder for compiled files, made if absent, and why it is not the usual one, or None.

    The usual one is `TRUESPEC_CACHE`, else `truespec` below the user's cache folder. Where that cannot be
    written, a private folder of this user among the temporary files stands in.
    """
    wanted = _wanted()
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted, None
    except OSError as error:
        # Not `tempfile.gettempdir()`: a worker's own folder for temporary files ends with the worker.
        folder = _private(Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()))
        why = f"{wanted} cannot be written ({error.strerror}): {folder} stands in"
        return folder, f"{why}; set {CACHE} to a folder that can be written"


def _wanted() -> Path:
    if explicit := os.environ.get(CACHE):
        return Path(explicit)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "truespec"
    try:
        return Path.home() / ".cache" / "truespec"
    except RuntimeError:  # no HOME, and no entry for this user
        return Path("/nonexistent/.cache/truespec")


def _private(root: Path) -> Path:
    """A folder that only this user can enter; one of the name that somebody else made is not used."""
    folder = root / f"truespec-cache-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
        return folder
    return Scratch("cache", root).path
