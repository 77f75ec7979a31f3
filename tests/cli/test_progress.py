"""Progress: a bar with the time left on a terminal, nothing elsewhere, and no trace of it at the end."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

import pytest

from truespec.cli.progress import Progress

SHOW = (
    "import click\n"
    "from truespec.cli.progress import Progress\n"
    "@click.command()\n"
    "def run():\n"
    "    bar = Progress()\n"
    "    for number in range(30):\n"
    "        bar.show('pairs [of] {all}', number, 100, note='refuted:3')\n"
    "        __import__('time').sleep(0.02)\n"
    "    print('made')\n"
    "    raise click.UsageError('stopped')\n"
    "run()\n"
)


def test_a_terminal_gets_a_bar_with_the_time_left_and_its_cursor_back() -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        [sys.executable, "-c", SHOW], stderr=slave, stdout=subprocess.PIPE, text=True, env=environment
    ) as run:
        os.close(slave)
        shown = b""
        while chunk := _read(master):
            shown += chunk
        output = run.communicate()[0]
    text = shown.decode()
    assert output == "made\n", "what is piped does not go to the terminal"
    assert "pairs [of] {all}" in text
    assert "/100" in text
    assert "0:00:" in text, "time taken and time left"
    assert "refuted:3" in text
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l"), "an error must not leave the cursor hidden"
    assert "stopped" in text


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("quiet", [True, False])
def test_a_pipe_gets_nothing(quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = Progress(quiet)
    for number in range(1, 101):
        bar.show("pairs", number, 100)
    bar.end()
    assert stream.getvalue() == ""
