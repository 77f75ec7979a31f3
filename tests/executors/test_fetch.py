"""Downloads from a local server that breaks off, lies, is busy or hostile."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.benchmark.sources.pins import FORMATS, Pin, pin, pins
from truespec.benchmark.sources.registry import SOURCES
from truespec.cli.data import data
from truespec.executors.fetch import MARK, fetch
from truespec.verdict import UsageError

COMMIT = "a" * 40
CONTENT = {
    "data/one.txt": b"one\n" * 50_000,
    "data/deep/two.txt": bytes(range(256)) * 2_000,
    "readme.md": b"hello",
}


def archive(content: dict[str, bytes]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in content.items():
            member = tarfile.TarInfo(name if name.startswith(("/", "..")) else f"set-{COMMIT}/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
        link = tarfile.TarInfo(f"set-{COMMIT}/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return gzip.compress(raw.getvalue(), 1)


def total(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


PIN = Pin("folio", "some/set", COMMIT, "MIT", {"one.txt": total(CONTENT["data/one.txt"])})
TREE = Pin(
    "folio", "some/set", COMMIT, "MIT", {"deep/two.txt": total(CONTENT["data/deep/two.txt"])}, tree=True
)


class Server(ThreadingHTTPServer):
    """Serves one archive; `cut` bytes at most a request, `busy` refusals first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = archive(CONTENT)
        self.cut: int | None = None
        self.busy = 0
        self.ranges = True
        self.asked: list[str | None] = []

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.server.asked.append(asked)
        if self.path != f"/some/set/tar.gz/{COMMIT}":
            self.send_error(404)
            return
        if self.server.busy:
            self.server.busy -= 1
            self.send_error(503)
            return
        body, start = self.server.body, 0
        if asked and self.server.ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self.send_error(416)
                return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start:][: self.server.cut])

    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def get(server: Server, folder: Path, which: Pin = PIN) -> bool:
    return fetch(which, folder, host=server.host, sleep=lambda _: None)


def test_pinned_files_come_under_their_names(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "folio"
    assert get(server, folder)
    assert sorted(path.name for path in folder.iterdir()) == [MARK, "one.txt"]
    assert (folder / "one.txt").read_bytes() == CONTENT["data/one.txt"]
    assert json.loads((folder / MARK).read_text())["commit"] == COMMIT
    assert [path.name for path in folder.parent.iterdir()] == ["folio"], "nothing else is left behind"
    assert not get(server, folder), "what is complete is not fetched again"
    assert len(server.asked) == 1
    (folder / "one.txt").write_text("changed")
    assert get(server, folder), "what was changed is fetched again"
    assert (folder / "one.txt").read_bytes() == CONTENT["data/one.txt"]


def test_a_tree_comes_whole_without_links(server: Server, tmp_path: Path) -> None:
    assert get(server, tmp_path / "set", TREE)
    found = {p.relative_to(tmp_path / "set").as_posix() for p in (tmp_path / "set").rglob("*") if p.is_file()}
    assert found == {*CONTENT, MARK}


def test_a_broken_download_is_continued(server: Server, tmp_path: Path) -> None:
    server.cut = len(server.body) // 6
    with pytest.raises(UsageError, match=r"continues after \d+ bytes"):
        get(server, tmp_path / "set")
    assert not (tmp_path / "set").exists()
    assert get(server, tmp_path / "set")
    assert server.asked[0] is None
    starts = [int(str(asked)[6:-1]) for asked in server.asked[1:]]
    assert starts == sorted(starts)
    assert starts[0] == server.cut
    assert (tmp_path / "set" / "one.txt").read_bytes() == CONTENT["data/one.txt"]


def test_a_server_without_ranges_begins_anew(server: Server, tmp_path: Path) -> None:
    server.cut = len(server.body) // 6
    with pytest.raises(UsageError):
        get(server, tmp_path / "set")
    server.cut, server.ranges = None, False
    assert get(server, tmp_path / "set")


def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.busy = 2
    assert get(server, tmp_path / "set")
    assert len(server.asked) == 3
    server.busy = 99
    with pytest.raises(UsageError, match="503"):
        get(server, tmp_path / "other")


def test_a_complete_part_needs_no_more_bytes(server: Server, tmp_path: Path) -> None:
    (tmp_path / f".set-{COMMIT[:12]}.tar.gz.part").write_bytes(server.body)
    assert get(server, tmp_path / "set")


@pytest.mark.parametrize("change", [b"one\n" * 49_999, b"two\n" * 50_000])
def test_a_wrong_checksum_keeps_nothing(server: Server, tmp_path: Path, change: bytes) -> None:
    server.body = archive({**CONTENT, "data/one.txt": change})
    with pytest.raises(UsageError, match=r"holds no one\.txt with the checksum"):
        get(server, tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>blocked</html>", gzip.compress(b"no tar"), archive(CONTENT)[:-900]],
    ids=["nothing", "a page", "another file", "a part"],
)
def test_what_is_no_archive_is_refused_and_dropped(server: Server, tmp_path: Path, body: bytes) -> None:
    server.body = body
    with pytest.raises(UsageError, match="folio: "):
        get(server, tmp_path / "set", TREE)
    assert list(tmp_path.iterdir()) == []


def test_paths_that_leave_the_folder_are_passed_over(server: Server, tmp_path: Path) -> None:
    server.body = archive(
        {**CONTENT, "../../evil": b"x", "/tmp/evil-absolute": b"x", "data/../../evil": b"x"}
    )
    assert get(server, tmp_path / "a" / "set", TREE)
    assert not list(tmp_path.rglob("evil*"))


def test_a_folder_with_other_files_is_left_alone(server: Server, tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "mine").write_text("x")
    with pytest.raises(UsageError, match="other files"):
        get(server, tmp_path / "set")
    assert server.asked == []


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="4 tries"):
        fetch(PIN, tmp_path / "set", host="http://127.0.0.1:9", sleep=lambda _: None)


def test_every_data_set_has_a_pin_or_says_why_not() -> None:
    assert set(pins()) == set(SOURCES) - set(FORMATS)
    for name in ("spider", "redos", "lang2ltl"):
        with pytest.raises(UsageError, match="not downloaded from here"):
            pin(name)
    with pytest.raises(UsageError, match="unknown data set"):
        pin("nobody")
    assert all(len(total) == 64 for one in pins().values() for total in one.files.values())


def test_the_command_names_licence_and_next_step(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truespec.benchmark.sources.pins.pins", lambda: {"folio": PIN})
    arguments = ["fetch", "folio", "-o", str(tmp_path), "--host", server.host]
    for said in ("fetched and checked", "there already"):
        result = CliRunner().invoke(data, arguments, catch_exceptions=False)
        assert result.exit_code == 0
        assert "licence: MIT" in result.output
        assert said in result.output
        assert f"data import folio --from {tmp_path / 'folio'}" in result.output
