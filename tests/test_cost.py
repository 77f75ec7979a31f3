"""The meter of `--cost` counts every process below the test once."""

from __future__ import annotations

import subprocess
import sys

from cost import Meter

BURN = "import time\nwhile time.process_time() < {seconds}: pass\n"


def test_a_child_is_counted_while_it_lives_and_not_again_when_it_has_ended() -> None:
    meter = Meter()
    program = BURN.format(seconds=0.4) + "print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        child.stdout.readline()
        living = meter.read()
        child.communicate("\n")
    ended = meter.read()
    assert living >= 0.35
    assert ended < 0.3


def test_a_child_that_came_and_went_between_two_readings_is_counted() -> None:
    meter = Meter()
    subprocess.run([sys.executable, "-c", BURN.format(seconds=0.4)], check=True)
    assert meter.read() >= 0.35
    assert meter.read() < 0.3
