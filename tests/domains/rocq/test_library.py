"""The compiled library: one process makes it, and none waits for ever."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

import needs
from truespec.domains.rocq import axioms, library
from truespec.verdict import ToolMissing


def test_a_lock_that_is_never_given_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "LOCK_SECONDS", 0.2)
    path = tmp_path / "rocq.lock"
    with path.open("w") as held, path.open("w") as wanted:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ToolMissing, match="TRUESPEC_CACHE"):
            library._take(wanted)
        fcntl.flock(held, fcntl.LOCK_UN)
        library._take(wanted)


@pytest.mark.live
@pytest.mark.slow
def test_compiling_goes_on_where_it_was_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs.tool("coqtop")
    target = tmp_path / "compiled"
    monkeypatch.setattr(library, "FILES", ("Sample",))
    library._compile_into(target, tmp_path)
    (target / "complete").unlink()  # as where the process was ended before the next file
    first = (target / "Sample.vo").stat().st_mtime_ns
    monkeypatch.setattr(library, "FILES", ("Sample", "Semi"))
    library._compile_into(target, tmp_path)
    assert (target / "Sample.vo").stat().st_mtime_ns == first
    assert (target / "Semi.vo").exists()
    assert (target / "complete").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["compiled"]


@pytest.mark.live
@pytest.mark.slow
@pytest.mark.parametrize(
    ("loaded", "known"),
    [
        ("From Coq Require Import Classical_Prop ssreflect.", True),
        ("From Coq Require Import FunctionalExtensionality.", False),
        ("Unset Guard Checking. Fixpoint f (n : nat) : nat := f n.", False),
    ],
)
def test_another_axiom_among_what_is_loaded_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: str, known: bool
) -> None:
    needs.tool("coqchk")
    monkeypatch.setattr(axioms, "FILES", ())
    monkeypatch.setattr(axioms, "PRELUDE", loaded)
    (folder := tmp_path / "library").mkdir()
    (building := tmp_path / "building").mkdir()
    assert axioms._only_classic(folder, building) is known
