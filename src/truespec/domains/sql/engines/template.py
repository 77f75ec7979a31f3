"""What the installation of a database server makes, packed once into the user's cache.

To install takes most of a server's start; to unpack takes a tenth of that. It is packed before the server
has run, so nothing of any query is in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from truespec.solvers.scratch import cache_folder

PACKED = ".packed"
"""The name of the archive in the folder of a server that was installed."""
LAST = ".last"
"""An empty file at the end of the archive: tar takes one that was cut off for a whole one."""


class Template:
    """An archive for one way to install and one version of the programs, there or still to be kept."""

    def __init__(self, name: str, install: str, programs: Sequence[str]) -> None:
        """`install` is a shell command run in the server's empty folder; `programs` are paths of files."""
        pack = f"touch {LAST} && tar -cf {PACKED} --exclude=./log ./* {LAST}"
        self._anew = f"( {install} ) && {{ {pack} || rm -f {PACKED} || :; }}"
        # PostgreSQL's installation asks for the time zone.
        told = [self._anew, os.environ.get("TZ", ""), os.path.realpath("/etc/localtime")]
        for program in programs:
            with contextlib.suppress(OSError):
                found = os.stat(program)
                told.append(f"{os.path.realpath(program)} {found.st_size} {found.st_mtime_ns}")
        digest = hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
        self._path = cache_folder()[0] / f"{name.lower()}-{digest}.tar"

    def open(self) -> int | None:
        """A descriptor of the archive, if it is there; the server's account may not enter its folder."""
        try:
            return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return None

    def command(self, descriptor: int | None) -> str:
        """The shell command that fills the server's folder: unpack what is whole, or install and pack."""
        if descriptor is None:
            return self._anew
        clear = "find . -mindepth 1 -maxdepth 1 ! -name log -exec rm -rf {} +"
        return f"tar -xf /dev/fd/{descriptor} && [ -e {LAST} ] || {{ {clear}; {self._anew}; }}"

    def keep(self, folder: Path) -> None:
        """Keep what was packed in a server's folder, if it was: whole or not at all."""
        made = folder / PACKED
        with contextlib.suppress(OSError):
            with open(os.open(made, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as reading:
                target, name = tempfile.mkstemp(prefix="truespec-", dir=self._path.parent)
                try:
                    with open(target, "wb") as writing:
                        os.fchmod(target, 0o644)  # for the server's account; it holds no secret
                        shutil.copyfileobj(reading, writing, 1 << 20)
                    os.replace(name, self._path)
                except OSError:
                    os.unlink(name)
            made.unlink()

    def forget(self) -> None:
        """Remove the archive: the next start installs anew."""
        with contextlib.suppress(OSError):
            self._path.unlink()
