"""Compressed traces: under bounds, inside archives, damaged; a bomb costs a sentence."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from truespec.traces.files import Problem, TraceFile, on_disk
from truespec.traces.importers.registry import files_below, read
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import FIRST, Bounds, Budget, Unpacked, gunzip, lines
from truespec.verdict import UsageError

zstandard = pytest.importorskip("zstandard")
LINE = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode() + b"\n"
LONGER = json.dumps({"messages": [{"role": "user", "content": "hi " * 200}]}).encode() + b"\n"
"""As a line of a real export: a MiB holds few enough to be read one by one."""
MIB = 1 << 20


def packed(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def split(found: list[Trace | Problem]) -> tuple[list[Trace], list[Problem]]:
    traces = [item for item in found if isinstance(item, Trace)]
    return traces, [item for item in found if isinstance(item, Problem)]


def test_a_byte_order_mark_is_no_part_of_the_content(tmp_path: Path) -> None:
    marked = b"\xef\xbb\xbf" + LINE
    (tmp_path / "a.json").write_bytes(marked)
    (tmp_path / "b.jsonl").write_bytes(marked * 2)  # two files, one after the other
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(marked))
    packed(tmp_path / "d.zip", {"a.json": marked, "b.jsonl.gz": gzip.compress(marked)})
    traces, problems = split([one for path in files_below([tmp_path]) for one in read(path)])
    assert [trace.messages[0].text for trace in traces] == ["hi"] * 6
    assert not problems
    assert traces[0].source.sha256 == hashlib.sha256(marked).hexdigest()
    assert traces[4].source.sha256 == hashlib.sha256(marked).hexdigest()


def test_a_format_is_recognised_by_what_little_is_unpacked(tmp_path: Path) -> None:
    path, budget = tmp_path / "a.jsonl.gz", Budget()
    path.write_bytes(gzip.compress(LONGER * (MIB // len(LONGER))))
    assert TraceFile(path, budget).head == json.loads(LONGER)
    assert budget.spent[0] == FIRST < MIB // 2
    assert len(list(read(path, None, None, budget))) == MIB // len(LONGER)


def test_a_zip_of_plain_json_is_read_member_by_member(tmp_path: Path) -> None:
    inner = io.BytesIO()
    zipfile.ZipFile(inner, "w").close()
    members = {
        "a.jsonl": LINE * 2,
        "folder/b.jsonl.gz": gzip.compress(LINE),
        "notes.txt": b"hello",
        "more.zip": inner.getvalue(),
        "other.json": b'{"x": 1}',
    }
    path = packed(tmp_path / "runs.zip", members)
    assert list(files_below([tmp_path])) == [path]
    traces, problems = split(list(read(path)))
    assert [trace.source.file for trace in traces] == [f"{path}/a.jsonl"] * 2 + [f"{path}/folder/b.jsonl.gz"]
    assert len({trace.source.sha256 for trace in traces}) == 2
    assert on_disk(Path(traces[0].source.file)) == path
    assert sorted(problem.position for problem in problems) == ["file", "more.zip", "notes.txt"]
    assert [problem.file for problem in problems if problem.foreign] == [f"{path}/other.json"]
    with_form, _ = split(list(read(path, form="openai")))
    assert len(with_form) == 3


def test_a_damaged_archive_gives_what_its_headers_find(tmp_path: Path) -> None:
    path = packed(tmp_path / "runs.zip", {"a.jsonl": LINE * 2, "b.jsonl": LINE})
    path.write_bytes(path.read_bytes()[:-40])
    traces, problems = split(list(read(path)))
    assert len(traces) == 3
    assert any("broken archive" in problem.message for problem in problems)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_bounded_is_refused(method: int, tmp_path: Path) -> None:
    path = packed(tmp_path / "runs.zip", {"a.jsonl": LINE}, method)
    traces, problems = split(list(read(path)))
    assert not traces
    assert any("only stored and deflated" in problem.message for problem in problems)


def bounded(**bounds: float) -> Budget:
    return Budget(Bounds(**bounds))


@pytest.mark.parametrize(
    ("bounds", "setting"),
    [
        ({"file_bytes": MIB}, "TRUESPEC_UNPACK_FILE_BYTES"),
        ({"total_bytes": MIB}, "TRUESPEC_UNPACK_TOTAL_BYTES"),
        ({"file_seconds": 1e-9}, "TRUESPEC_UNPACK_FILE_SECONDS"),
        ({"total_seconds": 1e-9}, "TRUESPEC_UNPACK_TOTAL_SECONDS"),
        ({"ratio": 2}, "TRUESPEC_UNPACK_RATIO"),
    ],
)
@pytest.mark.parametrize("form", ["gz", "zip", "members", "cut"])
def test_each_bound_ends_the_file_with_its_name(
    bounds: dict[str, float], setting: str, form: str, tmp_path: Path
) -> None:
    many = LINE * (70 * MIB // len(LINE) if "ratio" in bounds else 4 * MIB // len(LINE))
    if form == "gz":
        path = tmp_path / "bomb.jsonl.gz"
        path.write_bytes(gzip.compress(many, 1))
    else:
        parts = 3 if form == "members" else 1
        step = len(many) // len(LINE) // parts * len(LINE)
        members = {f"{n}.jsonl": many[n * step : (n + 1) * step] for n in range(parts)}
        path = packed(tmp_path / "bomb.zip", members)
        if form == "cut":
            path.write_bytes(path.read_bytes()[:-20])
    with TraceFile(path, bounded(**bounds)).open() if form == "gz" else io.BytesIO() as stream:
        stream.read()
        if form == "gz":
            assert setting in (getattr(stream, "broken", None) or "")
    problems = []
    for name, content in [] if form == "gz" else TraceFile(path, bounded(**bounds)).members():
        del name
        problems += [content] if isinstance(content, Problem) else []
    assert form == "gz" or any(setting in problem.message for problem in problems)


def test_what_came_before_the_bound_is_kept_and_the_bound_is_told(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl.gz"
    path.write_bytes(gzip.compress(LONGER * (3 * MIB // len(LONGER)), 1))
    traces, problems = split(list(read(path, budget=bounded(file_bytes=MIB))))
    assert len(traces) > 1_000
    assert any("TRUESPEC_UNPACK_FILE_BYTES" in problem.message for problem in problems)


def test_many_members_of_a_gzip_file_stay_bounded() -> None:
    # Each member is a bomb of its own, and all of them stand in one read of the packed bytes.
    bomb = gzip.compress(bytes(16 * MIB))
    stream = gunzip(io.BytesIO(bomb * 4), bounded(), ("x", ""))
    assert len(stream.read(1)) == 1
    assert len(stream._ready) <= MIB
    assert len(stream.read()) == 64 * MIB - 1
    assert stream.broken is None


def test_zeros_after_a_gzip_member_are_padding_and_other_bytes_are_damage() -> None:
    assert gunzip(io.BytesIO(gzip.compress(b"abc") + bytes(512)), bounded(), ("x", "")).read() == b"abc"
    damaged = gunzip(io.BytesIO(gzip.compress(b"abc") + b"zzz"), bounded(), ("x", ""))
    assert damaged.read() == b"abc"
    assert damaged.broken


def test_a_file_read_twice_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(LINE * 1000))
    budget = bounded(total_bytes=1.5 * 1000 * len(LINE))
    for _ in range(3):
        with TraceFile(path, budget).open() as stream:
            assert len(stream.read()) == 1000 * len(LINE)
            assert isinstance(stream, Unpacked)
            assert stream.broken is None


def test_lines_are_bounded_and_cost_linear_time() -> None:
    text = b"a\n" + b"x" * 50 + b"\nb\n\nend"
    assert list(lines(io.BytesIO(text), 10)) == [b"a", None, b"b", b"", b"end"]
    started = time.process_time()
    assert list(lines(io.BytesIO(bytes(300 * MIB)), 2 * MIB)) == [None]
    assert time.process_time() - started < 10


def zeros_in_gzip(times: int) -> bytes:
    """So many times 16 MiB of zeros in one gzip member: packed once, for a full flush forgets."""
    engine, zeros, checksum = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(16 * MIB), 0
    packed = engine.compress(zeros) + engine.flush(zlib.Z_FULL_FLUSH)
    for _ in range(times):
        checksum = zlib.crc32(zeros, checksum)
    head = b"\x1f\x8b\x08" + bytes(5) + b"\x02\xff"
    return head + packed * times + engine.flush() + struct.pack("<II", checksum, times * len(zeros))


def test_zeros_in_gzip_are_what_they_say() -> None:
    assert gzip.decompress(zeros_in_gzip(2)) == bytes(32 * MIB)


def test_a_real_bomb_costs_a_sentence_and_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(zeros_in_gzip(128))
    # A process of its own measures its one child: here, the figure is the largest of all children so far.
    measured = (
        "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"
    )
    command = [sys.executable, "-m", "truespec", "trace", "import", str(path), "--format", "openai"]
    run = subprocess.run(
        [sys.executable, "-c", measured, *command], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "TRUESPEC_UNPACK_RATIO" in run.stderr
    assert "Traceback" not in run.stderr
    assert int(run.stdout.splitlines()[-1]) < 900 << 10  # KiB


def test_the_settings_are_read_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUESPEC_UNPACK_FILE_BYTES", "1.5G")
    monkeypatch.setenv("TRUESPEC_UNPACK_RATIO", "9")
    assert Bounds.from_environment() == Bounds(file_bytes=1.5 * 1024**3, ratio=9)
    for wrong in ("-1", "0", "much", "1 GB"):
        monkeypatch.setenv("TRUESPEC_UNPACK_RATIO", wrong)
        with pytest.raises(UsageError, match="TRUESPEC_UNPACK_RATIO"):
            Budget()


def _zstd_archive(path: Path, name: str, content: bytes, cut: int = 0) -> None:
    packed = zstandard.ZstdCompressor().compress(content)
    packed = packed[: len(packed) - cut]
    about = (20, 0, 93, 0, 0, zlib.crc32(content), len(packed), len(content), len(name), 0)
    local = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", *about) + name.encode() + packed
    listed = struct.pack("<4sH", b"PK\x01\x02", 20) + struct.pack("<HHHHHIIIHH", *about)
    listed += struct.pack("<HHHII", 0, 0, 0, 0, 0) + name.encode()
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), len(local), 0)
    path.write_bytes(local + listed + end)


def test_members_packed_with_zstd_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    sample = {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "hi"}]}
    _zstd_archive(path, "samples/1_epoch_1.json", json.dumps(sample).encode())
    (trace,) = read(path)
    assert isinstance(trace, Trace)
    assert trace.messages[0].text == "hi"


def test_a_damaged_member_packed_with_zstd_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    _zstd_archive(path, "samples/1_epoch_1.json", b'{"id": 1, "messages": []}' * 1000, cut=9)
    assert any(isinstance(item, Problem) for item in read(path))


def test_what_zstd_unpacks_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    _zstd_archive(path, "samples/1_epoch_1.json", b" " * (300 << 20))
    found = list(read(path))
    assert found
    assert all(isinstance(item, Problem) for item in found)
