"""Which axioms are known where the library and the usual prelude are loaded.

`Print Assumptions` walks through all that a proof uses, the standard library included. Where it is enough
that a proof rests on no other axiom than `classic`, it need not: Rocq's checker lists, once for each library,
all that has no body in what is loaded, and no text or sentence of ours can declare more (`screen.py`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from truespec.domains.rocq.context import PRELUDE, RocqContext
from truespec.domains.rocq.library import FILES, library, locked
from truespec.domains.rocq.toolchain import toolchain
from truespec.domains.rocq.typecheck import CLOSED
from truespec.solvers.scratch import Scratch

KEPT = "only-classic"
"""The file beside the compiled library that keeps the answer."""
CLASSIC = ".Logic.Classical_Prop.classic"
"""How the axiom's full name ends."""
CHECK_SECONDS = 120.0
"""How long each of the three programs may take."""
_SUMMARY = re.compile(
    r"\* Theory: Set is predicative\s+\* Axioms:(?P<names>[^*]*)"
    r"\* Constants/Inductives relying on type-in-type: <none>\s+"
    r"\* Constants/Inductives relying on unsafe \(co\)fixpoints: <none>\s+"
    r"\* Inductives whose positivity is assumed: <none>\s*\Z"
)


def rests_on_classic_at_most(context: RocqContext) -> bool:
    """Whether what the kernel accepts in a session of this context needs no look at its assumptions."""
    return context.usual and only_classic()


@cache
def only_classic() -> bool:
    """Whether nothing but `classic` is an axiom in what the library and the usual prelude load."""
    folder = library()
    if not (folder / KEPT).exists():
        with locked(folder.parent), Scratch("rocq-axioms", folder.parent) as building:
            try:
                answer = _only_classic(folder, building)
            except (OSError, subprocess.SubprocessError):
                return False  # the next process asks again
            (building / KEPT).write_text(str(answer))
            (building / KEPT).replace(folder / KEPT)
    return (folder / KEPT).read_text() == str(True)


def _only_classic(folder: Path, building: Path) -> bool:
    """The same, looked up; false where there is no checker, or it says what is not expected."""
    paths = ["-Q", str(folder), "Truespec", "-Q", str(building), "Texts"]
    checker = toolchain().checker
    if checker is None:
        return False
    _compiled("Loaded", [PRELUDE, *(f"Require Truespec.{name}." for name in FILES)], paths, building)
    summary = _said([checker, "-silent", "-o", *paths, "-norec", "Texts.Loaded"], building)
    found = _SUMMARY.search(summary)
    if found is None:
        return False
    # A sealed module may have a body for what it declares: Rocq tells what each of these rests on.
    names = [name for name in found["names"].split() if not name.endswith(CLASSIC)]
    looks = [f"Print Assumptions {name}." for name in names]
    said = _compiled("Looks", ["Require Texts.Loaded.", *looks], paths, building)
    return said.splitlines() == [CLOSED] * len(names)


def _compiled(name: str, sentences: Sequence[str], paths: Sequence[str], building: Path) -> str:
    """What Rocq says while it compiles a file."""
    (building / f"{name}.v").write_text("\n".join([*sentences, ""]))
    return _said([*toolchain().compiler, "-q", "-noglob", "-w", "none", *paths, f"{name}.v"], building)


def _said(command: Sequence[str], folder: Path) -> str:
    """All that a program says; `SubprocessError` where it fails."""
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=CHECK_SECONDS,
        check=True,
        cwd=folder,
    )
    return done.stdout
