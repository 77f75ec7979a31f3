"""`truespec view`, for real: a process, its address, its files and nothing else, and its end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from truespec.cli.main import truespec
from truespec.reports.serve import serve_folder, serve_page
from truespec.verdict import Proof, UsageError, equivalent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run = tmp_path / "run"
    (run / "deep").mkdir(parents=True)
    (run / "report.html").write_text("<p>the report</p>", encoding="utf-8")
    (run / "summary.json").write_text("{}", encoding="utf-8")
    (run / "deep" / "odd name.xyz").write_text("data", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (run / "link.txt").symlink_to(tmp_path / "secret.txt")
    (run / "out").symlink_to(tmp_path)
    return run


@pytest.fixture
def view(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    with viewing(str(folder)) as found:
        yield found


def _heed_interrupts() -> None:
    """A test run in the background may itself ignore Ctrl-C, and what it starts would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def viewing(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "truespec", "view", *arguments, "--no-open"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509
    ) as process:
        try:
            assert process.stdout
            line = process.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            assert address, line
            yield process, int(address[1])
        finally:
            process.kill()


def fetch(port: int, path: str, method: str = "GET", host: str | None = None) -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=host is not None)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers.get("Content-Type", ""), body


def test_view_serves_the_folder_and_nothing_else(view: tuple[subprocess.Popen[str], int]) -> None:
    process, port = view
    assert fetch(port, "/") == (200, "text/html; charset=utf-8", b"<p>the report</p>")
    assert fetch(port, "/report.html?x=1")[2] == b"<p>the report</p>"
    assert fetch(port, "/summary.json")[1] == "application/json"
    assert fetch(port, "/deep/odd%20name.xyz") == (200, "application/octet-stream", b"data")
    assert fetch(port, "/", "HEAD") == (200, "text/html; charset=utf-8", b"")
    for path in (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/deep/../../secret.txt",
        "//etc/passwd",
        "/%2Fetc/passwd",
        "/link.txt",
        "/out/secret.txt",
        "/deep",
        "/missing",
        "/%00",
        "/%ff%fe",
        "/" + "a" * 5000,
    ):
        status, _, body = fetch(port, path)
        assert status == 404, (path, status)
        assert b"secret" not in body.removeprefix(b"404")
    assert fetch(port, "/", host="evil.example")[0] == 403
    assert fetch(port, "/", host=f"localhost:{port}")[0] == 200
    assert fetch(port, "/", "POST")[0] == 501
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    assert process.stdout
    assert process.stdout.read() == "\nended\n"


def test_view_says_what_is_missing(tmp_path: Path) -> None:
    for where, message in ((tmp_path, "holds no report.html"), (tmp_path / "none", "no such folder")):
        with pytest.raises(UsageError, match=message):
            serve_folder(where)
    result = CliRunner().invoke(truespec, ["view", str(tmp_path), "--no-open"])
    assert isinstance(result.exception, UsageError)


def test_a_taken_port_is_told(folder: Path) -> None:
    with serve_folder(folder) as first, pytest.raises(UsageError, match="choose another with --port"):
        serve_page(b"", first.server_port)


def test_view_shows_the_verdicts_of_a_batch(tmp_path: Path) -> None:
    pairs, verdicts = tmp_path / "pairs.jsonl", tmp_path / "verdicts.jsonl"
    pair = {"id": "p1", "domain": "regex", "oracle": "a", "candidate": "<b>", "statement": "One a."}
    pairs.write_text(json.dumps(pair) + "\nno JSON\n", encoding="utf-8")
    proof = Proof("bisimulation", ("the parser",))
    record = {"id": "p1", **equivalent("regex", "derivatives", proof).to_json()}
    verdicts.write_text(
        json.dumps(record) + "\n" + json.dumps({"line": 2, "error": "not JSON"}), encoding="utf-8"
    )
    with viewing(str(verdicts), "--pairs", str(pairs)) as (_, port):
        status, kind, body = fetch(port, "/")
        assert (status, kind) == (200, "text/html; charset=utf-8")
        for part in (
            "Verdicts of verdicts.jsonl",
            "One a.",
            "&lt;b&gt;",
            "proved by bisimulation",
            "line 2: not JSON",
        ):
            assert part in body.decode()
        assert fetch(port, "/pairs.jsonl")[0] == 404
        assert fetch(port, "/../pairs.jsonl")[0] == 404


def test_view_of_files_that_do_not_fit(tmp_path: Path) -> None:
    verdicts, pairs = tmp_path / "verdicts.jsonl", tmp_path / "pairs.jsonl"
    verdicts.write_text("", encoding="utf-8")
    for arguments, message in (
        ([str(verdicts)], "with --pairs FILE"),
        ([str(verdicts), "--pairs", str(pairs)], "No such file"),
        ([str(verdicts), "--pairs", str(verdicts)], "holds no verdict"),
    ):
        result = CliRunner().invoke(truespec, ["view", *arguments, "--no-open"])
        assert isinstance(result.exception, UsageError)
        assert message in str(result.exception)
