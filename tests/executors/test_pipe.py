"""Messages through a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from truespec.executors.pipe import Pipe, framed


def test_values_arrive_in_order_whatever_their_size() -> None:
    read, write = map(Pipe, os.pipe())
    sent = [None, "set-up", {"lines": [b"x" * 3_000_000]}, list(range(9))]

    def say() -> None:
        for value in sent:
            write.send(value)

    writer = threading.Thread(target=say)
    writer.start()
    assert [read.recv() for _ in sent] == sent
    writer.join()
    assert not read.poll()
    write.close()
    assert read.poll(), "the end is something to read"
    with pytest.raises(EOFError):
        read.recv()
    read.close()


@pytest.mark.parametrize("kept", [3, 8, 20])
def test_an_end_within_a_value_is_an_end(kept: int) -> None:
    read, write = map(Pipe, os.pipe())
    os.write(write.fileno(), framed(b"x" * 100)[:kept])
    write.close()
    with pytest.raises(EOFError):
        read.recv()
    read.close()


def test_a_pool_is_loaded_without_multiprocessing() -> None:
    code = "import sys, truespec.executors.pool; sys.exit('multiprocessing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
