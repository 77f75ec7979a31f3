"""The compiled library: one process makes it, and none waits for ever."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from truespec.domains.rocq import library
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
