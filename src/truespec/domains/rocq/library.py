"""The verifier's own Rocq files, compiled once into the user's cache."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO

from truespec.domains.rocq.session import LARGE_PAGES
from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.scratch import CACHE, Scratch, cache_folder
from truespec.verdict import ToolMissing

THEORIES = Path(__file__).parent / "theories"
"""The sources."""
FILES = (
    "Sample",
    "Semi",
    "Support",
    "Parts",
    "Search",
    "Data",
    "Tables",
    "Calls",
    "Draw",
    "Bridge",
    "Prove",
    "Ground",
    "Lists",
    "Values",
    "Structures",
    "Forms",
    "Outputs",
    "Steps",
    "Rows",
    "Numbers",
    "Opaque",
    "Heads",
    "Texts",
    "Scans",
    "Sorting",
    "Laws",
    "Views",
    "Folds",
    "Places",
    "Readings",
    "Invariants",
    "Determined",
    "Running",
    "Searches",
    "Literals",
    "Equations",
    "Around",
    "Segments",
    "Beside",
    "Stepwise",
    "Splits",
    "Ahead",
    "Counterparts",
    "Occurrences",
    "Listings",
    "Described",
    "Lengths",
    "Relations",
    "Primes",
    "Neighbours",
    "Pieces",
    "Placed",
    "Meets",
    "Alike",
    "Cases",
    "Evident",
    "Integers",
    "Parted",
    "Carried",
    "Conjectured",
    "Tableau",
    "Portfolio",
    "Formula",
    "Reify",
    "Locally",
    "Obligations",
)
"""In the order of their imports."""


LOCK_SECONDS = 240.0
"""How long another process may take to compile the library; a worker has to be ready in less than 300 s."""


@cache
def library() -> Path:
    """The folder of the compiled library, named after its content and Rocq's version; compiled if absent."""
    tools = toolchain()
    digest = hashlib.sha256(f"{tools.version} {tools.compiler}".encode())
    for name in FILES:
        digest.update((THEORIES / f"{name}.v").read_bytes())
    root, _ = cache_folder()
    target = root / f"rocq-{tools.version}-{digest.hexdigest()[:16]}"
    if (target / "complete").exists():
        return target
    with locked(root):
        if not (target / "complete").exists():
            _compile_into(target, root)
    return target


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Only one process at a time writes below the root of compiled files."""
    with (root / "rocq.lock").open("w") as lock:
        _take(lock)
        yield


def _take(lock: IO[str]) -> None:
    """Lock the file; `ToolMissing` where another process keeps it for longer than compiling takes."""
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise ToolMissing(
                    f"Rocq: another process has been compiling the library for {LOCK_SECONDS:g} s and holds "
                    f"{lock.name}; end it, or set {CACHE} to another folder"
                ) from None
            time.sleep(0.1)


def _compile_into(target: Path, root: Path) -> None:
    """Compile the files that the folder does not hold yet: what is ended half-way is gone on with later."""
    target.mkdir(exist_ok=True)
    with Scratch("rocq-library", root) as building:
        for name in FILES:
            if not (target / f"{name}.vo").exists():
                _compile(name, target, building)
                made = [one for one in building.iterdir() if one.name.startswith(f"{name}.")]
                for file in sorted(
                    made, key=lambda one: one.suffix == ".vo"
                ):  # last: it says that all are there
                    file.replace(target / file.name)
    (target / "complete").touch()


def _compile(name: str, target: Path, building: Path) -> None:
    """One file of the library, which finds those before it in the target."""
    shutil.copy(THEORIES / f"{name}.v", building)
    folders = [argument for one in (target, building) for argument in ("-Q", str(one), "Truespec")]
    command = [*toolchain().compiler, "-q", "-noglob", "-w", "none", *folders, f"{building}/{name}.v"]
    # Its arithmetic tactics keep caches in the working folder and, in some versions, in HOME.
    environment = {**os.environ, **LARGE_PAGES, "HOME": str(building)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=building, env=environment
    )
    if done.returncode != 0:
        message = done.stderr.strip()[-500:]
        raise ToolMissing(f"Rocq {toolchain().version}: {name}.v of the library does not compile: {message}")
