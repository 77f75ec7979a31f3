"""What the processes that run tests tell the one that shares them out: how each test ended, and no more.

By itself, pytest-xdist tells of each test that it starts, how its three phases ended and that it is over.
Where there are thousands of short tests, that is much of the work.
"""

from __future__ import annotations

from typing import Any

import pytest


def tell_ends_alone(config: pytest.Config) -> None:
    """Leave out the rest, in a process that runs tests, unless something is asked that needs it."""
    asked = config.getoption("--cost") is not None or config.getoption("--durations") is not None
    if not hasattr(config, "workerinput") or asked:
        return
    for plugin in config.pluginmanager.get_plugins():
        if type(plugin).__name__ == "WorkerInteractor":
            plugin.sendevent = _only_ends(plugin.sendevent)


def _only_ends(send: Any) -> Any:
    def sendevent(name: str, **content: Any) -> None:
        report = content.get("data", {}) if name == "testreport" else {}
        passed = report.get("outcome") == "passed" and report["when"] != "call"
        if name not in ("logstart", "logfinish") and not passed:
            send(name, **content)

    return sendevent
