"""Nothing is left behind by a killed process, and a HOME that cannot be written is no obstacle."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

import needs
from truespec.solvers.scratch import PREFIX, Scratch, cache_folder, sweep

HOLD = """
import sys, time
from truespec.solvers.scratch import Scratch
folder = Scratch("test")
(folder.path / "inside").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


def scratches(root: Path) -> list[Path]:
    return sorted(root.glob(f"{PREFIX}*"))


def test_folders_of_killed_processes_are_removed_and_those_of_living_ones_are_not(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", HOLD]
    first, second = (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)
    )
    try:
        for process in (first, second):
            assert process.stdout is not None
            assert process.stdout.readline().startswith(str(tmp_path))
        assert len(scratches(tmp_path)) == 2
        first.send_signal(signal.SIGKILL)
        first.wait()
        with Scratch("mine", tmp_path) as mine:
            assert len(scratches(tmp_path)) == 2
            assert mine in scratches(tmp_path)
        assert len(scratches(tmp_path)) == 1
    finally:
        for process in (first, second):
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    sweep.__wrapped__(tmp_path)
    assert scratches(tmp_path) == []


def test_a_folder_that_another_process_sweeps_before_it_is_locked_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lock, sweeps = fcntl.flock, iter([True])

    def late(file: TextIO, operation: int) -> None:
        if next(sweeps, False):
            sweep.__wrapped__(tmp_path)
        lock(file, operation)

    sweep(tmp_path)
    monkeypatch.setattr(fcntl, "flock", late)
    with Scratch("late", tmp_path) as mine:
        (mine / "inside").touch()
        assert scratches(tmp_path) == [mine]


def test_folders_that_are_not_ours_to_remove_stay(tmp_path: Path) -> None:
    unlocked = tmp_path / f"{PREFIX}without-lock"
    unlocked.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".lock").touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    sweep.__wrapped__(tmp_path)
    assert unlocked.exists()
    assert elsewhere.exists()


@pytest.fixture
def fresh_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    cache_folder.cache_clear()
    for name in ("TRUESPEC_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    yield monkeypatch
    cache_folder.cache_clear()


def test_the_cache_is_where_it_was_asked_to_be(fresh_cache: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh_cache.setenv("TRUESPEC_CACHE", str(tmp_path / "new" / "cache"))
    assert cache_folder() == (tmp_path / "new" / "cache", None)
    assert (tmp_path / "new" / "cache").is_dir()


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "TRUESPEC_CACHE"])
def test_a_folder_that_cannot_be_written_is_told_and_replaced(
    variable: str, fresh_cache: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    fresh_cache.setenv(variable, str(tmp_path / "file"))
    folder, why = cache_folder()
    (folder / "probe").touch()
    (folder / "probe").unlink()
    assert folder.stat().st_mode & 0o077 == 0
    assert why is not None
    assert "TRUESPEC_CACHE" in why
    assert str(folder) in why


def test_doctor_tells_of_the_stand_in(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {**os.environ, "TRUESPEC_CACHE": str(tmp_path / "file")}
    command = [sys.executable, "-m", "truespec", "doctor"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "stands in" in run.stdout


def all_but_the_last(cache: Path, count: int) -> None:
    """A cache with our compiled library up to its last files, as it is where compiling was ended."""
    from truespec.domains.rocq.library import FILES, THEORIES, library

    last = FILES[-count:]
    assert any("lia" in (THEORIES / f"{name}.v").read_text("utf-8") for name in last), "it keeps caches"
    target = cache / library().name
    target.mkdir(parents=True)
    for file in library().iterdir():
        if file.name != "complete" and file.name.partition(".")[0] not in last:
            shutil.copy(file, target)


@pytest.mark.live
def test_the_first_use_of_rocq_leaves_nothing_in_the_working_folder(tmp_path: Path) -> None:
    needs.tool("coqc")
    work, cache, temporary = (tmp_path / name for name in ("work", "cache", "temporary"))
    work.mkdir()
    temporary.mkdir()
    all_but_the_last(cache, 2)
    environment = {
        **os.environ,
        "TRUESPEC_CACHE": str(cache),
        "HOME": str(work),
        "TMPDIR": str(temporary),
    }
    text = "Definition spec (x : Z) : Prop := x > 0."
    (tmp_path / "context.json").write_text('{"signature": "(x : Z) : Prop"}')
    command = [sys.executable, "-m", "truespec", "verify", "rocq", text, text, "--timeout", "20"]
    command += ["--context", str(tmp_path / "context.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=work)
    assert run.returncode == 0, run.stdout + run.stderr
    assert list(work.iterdir()) == []
    assert list(temporary.iterdir()) == []
    assert [(path / "complete").exists() for path in cache.iterdir() if path.name.startswith("rocq-")] == [
        True
    ]
    assert not list(cache.rglob(".*.cache"))
