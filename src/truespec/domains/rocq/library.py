"""The verifier's own Rocq files, compiled once into the user's cache."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from truespec.domains.rocq.toolchain import toolchain
from truespec.verdict import ToolMissing

THEORIES = Path(__file__).parent / "theories"
"""The sources."""
FILES = (
    "Sample",
    "Semi",
    "Support",
    "Search",
    "Tables",
    "Calls",
    "Draw",
    "Bridge",
    "Prove",
    "Ground",
    "Lists",
    "Values",
    "Outputs",
    "Steps",
    "Rows",
    "Numbers",
    "Opaque",
    "Portfolio",
    "Formula",
    "Reify",
)
"""In the order of their imports."""


@cache
def library() -> Path:
    """The folder of the compiled library, named after its content and Rocq's version; compiled if absent."""
    tools = toolchain()
    digest = hashlib.sha256(f"{tools.version} {tools.compiler}".encode())
    for name in FILES:
        digest.update((THEORIES / f"{name}.v").read_bytes())
    root = cache_root()
    target = root / f"rocq-{tools.version}-{digest.hexdigest()[:16]}"
    if (target / "complete").exists():
        return target
    root.mkdir(parents=True, exist_ok=True)
    with (root / "rocq.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / "complete").exists():
            _compile_into(target, root)
    return target


def cache_root() -> Path:
    """Where compiled files are kept: `TRUESPEC_CACHE`, or `truespec` below the user's cache folder."""
    if explicit := os.environ.get("TRUESPEC_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "truespec"


def _compile_into(target: Path, root: Path) -> None:
    with tempfile.TemporaryDirectory(dir=root, prefix="rocq-building-") as building:
        for name in FILES:
            shutil.copy(THEORIES / f"{name}.v", building)
            command = [*toolchain().compiler, "-q", "-Q", building, "Truespec", f"{building}/{name}.v"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                message = done.stderr.strip()[-500:]
                raise ToolMissing(
                    f"Rocq {toolchain().version}: {name}.v of the library does not compile: {message}"
                )
        Path(building, "complete").touch()
        if target.exists():
            shutil.rmtree(target)
        shutil.copytree(building, target)
