"""What all tests of the domain share."""

from __future__ import annotations

import pytest

from truespec.domains.rocq import session


@pytest.fixture(autouse=True)
def waits_for_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is ended at a limit here: a process that stops a little late costs less than a new one."""
    monkeypatch.setattr(session, "GRACE_SECONDS", session.INTERRUPT_WAIT)
