"""CoqHammer: what is read from its messages, what counts as its proof, and that nothing is left behind."""
# ruff: noqa: E501

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.domains.contract import RecheckStatus
from truespec.domains.registry import load
from truespec.domains.rocq import domain, hammer
from truespec.domains.rocq.context import read_context
from truespec.domains.rocq.pair import Layout
from truespec.domains.rocq.screen import screen
from truespec.domains.rocq.session import Interrupted
from truespec.domains.rocq.toolchain import Toolchain, toolchain
from truespec.domains.verify import Pair, verify_pair
from truespec.solvers.limit import Limit
from truespec.verdict import Answer, Incomplete, OutOfTime, Verdict

SIGNATURE = "(l : list Z) (r : Z) : Prop"
CONTEXT = {"signature": SIGNATURE}
ORACLE, CANDIDATE, LEMMA = (
    f"Definition spec {SIGNATURE} := {body}."
    for body in ("In r l /\\ NoDup l", "NoDup l /\\ In r l", "In r l /\\ NoDup l /\\ NoDup (rev l)")
)
ON_NATURALS = {
    "signature": SIGNATURE.replace("Z", "nat"),
    "prelude": "From Coq Require Import List. Import ListNotations.",
}
"""The hammer reads all lemmas that are loaded: here, there are few."""
LONG = 600.0


def layout(candidate: str, oracle: str = ORACLE, context: dict[str, str] = CONTEXT) -> Layout:
    return Layout(read_context(context), screen(oracle), screen(candidate))


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Tactic hauto succeeded.\nReplace the hammer tactic with:\n\thauto use: in_app_or, in_rev.\n", ["hauto use: in_app_or, in_rev"]),
        ("<infomsg>Replace the hammer tactic with:\n\tsrun eauto use: List.NoDup_rev.\n</infomsg>\n", ["srun (eauto) use: List.NoDup_rev"]),
        ("Replace the hammer tactic with:\n\tqauto depth: 4 l: on use:\n  a, Z.b' unfold: Truespec_oracle.f.", ["qauto depth: 4 l: on use: a, Z.b' unfold: Truespec_oracle.f"]),
        ("Replace the hammer tactic with:\n\tsfirstorder.\nKilled\nReplace the hammer tactic with:\n\thfcrush drew: off inv: -.\nKilled\n", ["sfirstorder", "hfcrush drew: off inv: -"]),
        ("Hammer failed: ATPs failed to find a proof.\n", []),
    ],
)  # fmt: skip
def test_the_replacement_is_read_from_the_message(printed: str, expected: list[str]) -> None:
    assert hammer.replacements(printed) == expected


def test_an_unknown_replacement_is_no_proof() -> None:
    with pytest.raises(Incomplete, match="unknown tactic: 'admit'"):
        hammer.replacements("Replace the hammer tactic with:\n\tadmit.\n")


@pytest.mark.parametrize(
    "line",
    ["admit.", "2: admit.", "2: hammer.", "2: hauto. Admitted.", "2: hauto; admit.", "2: hauto use: (ltac:(x)).", "3: hauto.", "2: hauto", 7],
)  # fmt: skip
def test_what_is_no_script(line: object) -> None:
    pair = layout(CANDIDATE)
    script: list[object] = [*hammer.prepare(pair), "2: srun (eauto) use: a.", "1: sfirstorder."]
    assert hammer.reads_as_script(script, pair)
    assert not hammer.reads_as_script([*script[:-1], line], pair)
    assert not hammer.reads_as_script([line, *script], pair)


def gives_up(*_: object, **__: object) -> None:
    raise Incomplete("the others give up")


def decided(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Verdict:
    """The verdict where refuter, portfolio and solver find nothing."""
    for name in ("refute", "prove", "solve"):
        monkeypatch.setattr(domain, name, gives_up)
    return verify_pair(Pair("rocq", ORACLE, CANDIDATE, CONTEXT), seconds)


def test_its_script_is_the_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.tool("coqc")
    needs.found("CoqHammer with E", hammer.version())
    verdict = decided(monkeypatch, LONG)
    assert (verdict.answer, verdict.method) == (Answer.EQUIVALENT, hammer.METHOD), verdict
    record: Any = verdict.to_json()
    assert record["evidence"]["proof"]["trusts"] == [f"the kernel of Rocq {toolchain().version}"]
    script = record["evidence"]["proof"]["certificate"]["script"]
    assert rechecked(CANDIDATE, verdict) is RecheckStatus.CONFIRMED
    # The script of another pair, and one that calls the hammer itself.
    assert rechecked(CANDIDATE.replace("In r l", "In 0 l"), verdict) is RecheckStatus.FAILED
    script[-1] = "1: hammer."
    assert rechecked(CANDIDATE, Verdict.from_json(record)) is RecheckStatus.FAILED


def rechecked(candidate: str, verdict: Verdict) -> RecheckStatus:
    return load("rocq").recheck(ORACLE, candidate, CONTEXT, verdict, Limit.start(LONG)).status


@pytest.mark.parametrize(("seconds", "version"), [(14.9, "CoqHammer"), (LONG, None)])
def test_without_it_or_with_a_short_limit_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, seconds: float, version: str | None
) -> None:
    needs.tool("coqc")
    called: list[object] = []
    monkeypatch.setattr(hammer, "version", lambda: version)
    monkeypatch.setattr(hammer, "attack", lambda *arguments: called.append(arguments))
    verdict = decided(monkeypatch, seconds)
    assert verdict.answer is Answer.UNKNOWN
    assert not called


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the hammer keeps its files; its processes know the folder's name."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert not living(tmp_path)
    assert not list(tmp_path.glob("truespec-*"))


def living(folder: Path) -> list[str]:
    """The processes whose environment names the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


STAND_IN = """#!/bin/sh
(sleep 1000 &)
sleep 1000 &
echo started
"""


def stand_in(folder: Path, end: str) -> Toolchain:
    """A compiler that leaves orphans which hold its output open."""
    path = folder / "compiler"
    path.write_text(f"{STAND_IN}{end}\n")
    path.chmod(0o700)
    return Toolchain((str(path),), (str(path),), "0", True)


def test_a_failing_hammer_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hammer, "toolchain", lambda: stand_in(folder, "exit 1"))
    assert hammer.compiled("", Limit.start(LONG), threading.Event()) == "started\n"


def test_a_hammer_that_is_stopped_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hammer, "toolchain", lambda: stand_in(folder, "wait; sleep 1000"))
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with pytest.raises(Interrupted):
        hammer.compiled("", Limit.start(LONG), stop)
    assert not living(folder)
    with pytest.raises(OutOfTime):
        hammer.compiled("", Limit.start(0.5), threading.Event())


def test_a_hammer_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    (compiler,) = stand_in(tmp_path, "wait; sleep 1000").compiler
    code = (
        "import sys, threading\n"
        "from truespec.domains.rocq import hammer\n"
        "from truespec.domains.rocq.toolchain import Toolchain\n"
        "from truespec.solvers.limit import Limit\n"
        "hammer.toolchain = lambda: Toolchain((sys.argv[1],), (sys.argv[1],), '0', True)\n"
        "hammer.compiled('', Limit.start(1000), threading.Event())\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, compiler], env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    await_true(lambda: any("sleep" in command for command in living(tmp_path)))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    await_true(lambda: not living(tmp_path))


def await_true(condition: Any) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_direction_that_needs_a_lemma_is_proved(folder: Path) -> None:
    needs.tool("coqc")
    needs.found("CoqHammer with E", hammer.version())
    pair = layout(LEMMA.replace("Z", "nat"), ORACLE.replace("Z", "nat"), ON_NATURALS)
    proved = hammer.attack(pair, Limit.start(LONG), threading.Event())
    assert "NoDup_rev" in " ".join(proved.script)
    assert not proved.classical
