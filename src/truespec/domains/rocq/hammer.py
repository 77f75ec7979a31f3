"""Attacks what the portfolio leaves open with CoqHammer, where that is installed and the limit is long.

First come its reconstruction tactics alone, then the prover E, whose proofs they reconstruct. What counts
is a script of these tactics, one for each direction of the equivalence, that the kernel accepts in a fresh
process from which no external prover is called; the script is the certificate.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from functools import cache

from truespec.domains.rocq.dialogue import Dialogue
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.prover import THEOREM, Proved, assumptions
from truespec.domains.rocq.session import Interrupted, Session, bound
from truespec.domains.rocq.toolchain import toolchain
from truespec.solvers.limit import Limit
from truespec.solvers.scratch import Scratch
from truespec.verdict import Incomplete, ToolMissing

METHOD = "by_hammer"
"""The method of these verdicts."""
INSTALL = "apt-get install libcoq-hammer eprover"
"""The packages that have CoqHammer and E."""
LEAST_LIMIT = 15.0
"""Seconds of a pair's limit below which it is not tried."""
OPENING = ("From Hammer Require Import Tactics.",)
"""What stands between the statement and the script; the texts are read before it."""
GOALS = (2, 1)
"""The directions of the equivalence, the last one first: closing it does not renumber the other."""
TACTICS = (("sfirstorder", 0.5), ("hauto lq: on", 0.5), ("hfcrush", 0.8), ("sauto", 1.0))
"""The tactics that are tried alone, with the processor seconds each may use for one direction."""
READING_SECONDS = 13.0
"""What the hammer needs once to read the lemmas that it may use."""
PROVER_SECONDS = (3, 20)
"""E's least and greatest time for one direction; as much is kept for reconstructing its proof."""
RECONSTRUCTION_SECONDS = 5
"""The time of one reconstruction tactic."""
STRATEGIES = 8
"""How many choices of lemmas and strategies E tries side by side: with 4, easy proofs are missed."""
FILE_BYTES = 64 << 20
"""The cap on a file of premises."""
HELPERS = "/usr/libexec/coq-hammer"
"""Where Debian keeps the hammer's helper programs."""
POLL_SECONDS = 0.05
"""How often a running hammer is looked at."""
END_SECONDS = 5.0
"""How long killed processes may take to end on a busy machine."""

_RECONSTRUCTIONS = (
    "sfirstorder|scongruence|strivial|sauto|scrush|sblast|sintuition|hauto|hcrush|hecrush|hfcrush|"
    "qauto|qblast|qcrush|qecrush|qfcrush|fcrush|ecrush|srun \\(eauto\\)"
)
_SCRIPT_LINE = re.compile(rf"[12]: (?:{_RECONSTRUCTIONS})(?: [\w.',:@-]*[\w':-],?)*\.")
_REPLACEMENT = re.compile(r"Replace the hammer tactic with:\s+(.+?)\.\s*(?:\n|<|\Z)", re.DOTALL)
# A group that ends with us: its first process becomes the compiler, the second one waits for our pipe to end.
_WATCH = 'exec 3<&0 </dev/null; { cat <&3 >/dev/null; kill -KILL 0; } & exec "$@" 3<&-'


@cache
def version() -> str | None:
    """CoqHammer and its prover, or None where one of them is not installed."""
    try:
        if not toolchain().hammer or shutil.which("predict", path=_path()) is None:
            return None
    except ToolMissing:
        return None
    prover = shutil.which("eprover")
    if prover is None:
        return None
    printed = subprocess.run([prover, "--version"], capture_output=True, text=True, timeout=30, check=False)
    return f"CoqHammer with {' '.join(printed.stdout.split()[:2]) or 'E'}"


def attack(layout: Layout, limit: Limit, stop: threading.Event) -> Proved:
    """A kernel's proof found with CoqHammer; `Incomplete` where it finds none."""
    session = Session([sentence.text for sentence in layout.context.prelude])
    session.until = limit.ends
    dialogue = Dialogue(session, limit, stop)
    try:
        found = _by_tactics(dialogue, layout)
        session.kill()  # its memory is the hammer's now
        if len(found) < len(GOALS):
            found |= _by_provers(layout, [goal for goal in GOALS if goal not in found], limit, stop)
        script = (*prepare(layout), *(f"{goal}: {found[goal]}." for goal in GOALS))
        for sentence in (*_opened(dialogue, layout), *script, "Qed."):
            dialogue.must(sentence)
        classical = assumptions(dialogue.must("Print Assumptions Truespec_equivalent."))
        return Proved(METHOD, classical, script)
    finally:
        session.kill()


def prepare(layout: Layout) -> list[str]:
    """The first sentences of each script; they leave the two directions of the equivalence."""
    return [
        f"cbv beta iota zeta delta [{' '.join(layout.unfolded())}].",
        "intros.",
        "repeat match goal with H : Coq.Init.Datatypes.prod _ _ |- _ => destruct H end.",
        "cbn [Coq.Init.Datatypes.fst Coq.Init.Datatypes.snd].",
        "split.",
    ]


def reads_as_script(script: Sequence[object], layout: Layout) -> bool:
    """Whether this is the preparation and then nothing but reconstruction tactics."""
    opening = prepare(layout)
    return list(script[: len(opening)]) == opening and all(
        isinstance(line, str) and _SCRIPT_LINE.fullmatch(line) for line in script[len(opening) :]
    )


def replacements(printed: str) -> list[str]:
    """The tactics that CoqHammer says to write in its place, in order; `Incomplete` at an unknown one."""
    found = [" ".join(tactic.split()) for tactic in _REPLACEMENT.findall(printed)]
    # Printed without the parentheses that Rocq's grammar wants before options.
    found = [re.sub(r"^srun eauto\b", "srun (eauto)", tactic) for tactic in found]
    for tactic in found:
        if not _SCRIPT_LINE.fullmatch(f"1: {tactic}."):
            raise Incomplete(f"CoqHammer reconstructs with an unknown tactic: {tactic[:80]!r}")
    return found


def _opened(dialogue: Dialogue, layout: Layout) -> Iterator[str]:
    """The sentences up to the theorem, for a process that was just started."""
    dialogue.session.ready(dialogue.stop)
    yield from (*layout.preamble(), *layout.modules(), *layout.statement(), *OPENING, THEOREM)


def _by_tactics(dialogue: Dialogue, layout: Layout) -> dict[int, str]:
    """For each direction the first reconstruction tactic that proves it by itself."""
    found: dict[int, str] = {}
    for sentence in (*_opened(dialogue, layout), *prepare(layout)):
        dialogue.must(sentence)
    for goal in GOALS:
        for tactic, seconds in TACTICS:
            try:
                proved = dialogue.tries(f"{goal}: {tactic}.", seconds)
            except Interrupted:
                if dialogue.stop.is_set():
                    raise
                return found  # the tactic took the process along; what is open is left to the provers
            if proved:
                found[goal] = tactic
                break
    return found


def _by_provers(layout: Layout, goals: list[int], limit: Limit, stop: threading.Event) -> dict[int, str]:
    """What CoqHammer says to write for each of these directions, which it proves with E."""
    least, most = PROVER_SECONDS
    share = int((limit.remaining() - READING_SECONDS) / (2 * len(goals)))
    if share < least:
        raise Incomplete("too little time is left for CoqHammer's provers")
    sentences = [
        *(sentence.text for sentence in layout.context.prelude),
        *(*layout.preamble(), *layout.modules(), *layout.statement()),
        "From Hammer Require Import Hammer.",
        *(f"Unset Hammer {other}." for other in ("CVC4", "Vampire", "Z3")),
        "Set Hammer SAutoLimit 0.",
        f"Set Hammer GSMode {STRATEGIES}.",
        f"Set Hammer ATPLimit {min(most, share)}.",
        f"Set Hammer ReconstrLimit {RECONSTRUCTION_SECONDS}.",
        *(THEOREM, *prepare(layout)),
        *(f"{goal}: hammer." for goal in goals),
        "Abort.",
    ]
    said = replacements(compiled("\n".join(sentences) + "\n", limit, stop))
    if len(said) < len(goals):
        raise Incomplete("CoqHammer proves only some directions" if said else "CoqHammer proves no direction")
    return dict(zip(goals, said))


def compiled(source: str, limit: Limit, stop: threading.Event) -> str:
    """What the compiler prints for a file that calls the hammer; nothing that it started is left behind."""
    with Scratch("hammer") as folder:
        name = str(folder)
        (folder / "hammer.v").write_text(source, encoding="utf-8")
        kept = {key: os.environ[key] for key in ("COQLIB", "COQPATH", "OCAMLPATH") if key in os.environ}
        # To a file: orphaned provers would hold a pipe open.
        ended, held = os.pipe()
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _WATCH, "hammer", *toolchain().compiler, "-q", "-w", "none", "hammer.v"],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={"PATH": _path(), "HOME": name, "TMPDIR": name, "LC_ALL": "C.UTF-8", **kept},
                pass_fds=(held,),
                start_new_session=True,
            )
            os.close(held)
            try:
                bound(process.pid, FILE_BYTES)
                _wait(process, limit, stop)
            finally:
                _end_group(process, ended)
        return (folder / "log").read_text(encoding="utf-8", errors="replace")


def _wait(process: subprocess.Popen[bytes], limit: Limit, stop: threading.Event) -> None:
    while process.poll() is None:
        limit.check()
        if stop.wait(POLL_SECONDS):
            raise Interrupted


def _end_group(process: subprocess.Popen[bytes], ended: int) -> None:
    """Kill a process and all of its group, and wait until they are gone and with them their end of a pipe."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
    select.select([ended], [], [], END_SECONDS)
    os.close(ended)


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", os.defpath), HELPERS])
