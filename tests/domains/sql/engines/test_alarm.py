"""What runs too long is stopped; what ended is not, however many statements were run."""

from __future__ import annotations

import os
import threading

from truespec.domains.sql.engines.alarm import Alarm

LONG = 3600.0
PATIENCE = 60.0


def test_what_runs_too_long_is_stopped_once() -> None:
    alarm, stopped, calls = Alarm(), threading.Event(), list[int]()

    def stop() -> None:
        calls.append(1)
        stopped.set()

    with alarm.within(0.01, stop):
        assert stopped.wait(PATIENCE)
    assert calls == [1]


def test_a_short_deadline_counts_beside_and_after_a_long_one() -> None:
    alarm, wrong = Alarm(), list[int]()
    with alarm.within(LONG, lambda: wrong.append(1)):
        for _ in range(3):
            stopped = threading.Event()
            with alarm.within(0.01, stopped.set):
                assert stopped.wait(PATIENCE)
    assert not wrong


def test_what_ended_is_never_stopped_and_costs_no_thread() -> None:
    alarm, wrong, before = Alarm(), list[int](), threading.active_count()
    for _ in range(100):
        with alarm.within(0.05, lambda: wrong.append(1)):
            pass
    assert threading.active_count() <= before + 1
    stopped = threading.Event()
    with alarm.within(0.1, stopped.set):  # later than all before
        assert stopped.wait(PATIENCE)
    assert not wrong


def test_a_fork_has_an_alarm_of_its_own() -> None:
    alarm = Alarm()
    with alarm.within(LONG, lambda: None):
        child = os.fork()
        if child == 0:
            stopped = threading.Event()
            with alarm.within(0.01, stopped.set):
                os._exit(0 if stopped.wait(PATIENCE) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_stop_that_fails_leaves_the_others_stopped() -> None:
    def fail() -> None:
        raise OSError("the connection is closed")

    alarm, stopped = Alarm(), threading.Event()
    with alarm.within(LONG, lambda: None), alarm.within(0.01, fail), alarm.within(0.05, stopped.set):
        assert stopped.wait(PATIENCE)
