"""The sharing process hears of each test how it ended, and of a setup or teardown only where it failed."""

from __future__ import annotations

import pytest

from messages import _only_ends


@pytest.mark.parametrize(
    ("name", "report", "told"),
    [
        ("testreport", {"when": "call", "outcome": "passed"}, True),
        ("testreport", {"when": "call", "outcome": "failed"}, True),
        ("testreport", {"when": "setup", "outcome": "failed"}, True),
        ("testreport", {"when": "setup", "outcome": "skipped"}, True),
        ("testreport", {"when": "teardown", "outcome": "failed"}, True),
        ("testreport", {"when": "setup", "outcome": "passed"}, False),
        ("testreport", {"when": "teardown", "outcome": "passed"}, False),
        ("runtest_protocol_complete", None, True),
        ("collectreport", {"outcome": "failed"}, True),
        ("logstart", None, False),
    ],
)
def test_ends_and_failures_are_told(name: str, report: dict[str, str] | None, told: bool) -> None:
    said: list[str] = []
    content = {} if report is None else {"data": report}
    _only_ends(lambda event, **_: said.append(event))(name, **content)
    assert said == [name] * told


def test_a_process_that_runs_tests_tells_ends_alone(request: pytest.FixtureRequest) -> None:
    config = request.config
    workers = [one for one in config.pluginmanager.get_plugins() if type(one).__name__ == "WorkerInteractor"]
    if not workers:
        pytest.skip("the tests are not shared out")
    kept = config.getoption("--cost") is not None or config.getoption("--durations") is not None
    for one in workers:
        assert ("sendevent" in vars(one)) != kept
