"""A batch on a Ray cluster equals a local one, whatever node is lost, and leaves no process.

Ray binds the host's address. Each story runs in a network namespace of its own that holds nothing but `lo`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.executors import cluster
from truespec.executors.batch import run_batch
from truespec.executors.pool import WorkerError

HERE = Path(__file__).parent


def in_namespace(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    needs.tool("unshare")
    pytest.importorskip("ray")
    rights = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
    inner = f'{shutil.which("ip") or "ip"} link set lo up && exec "$@"'
    line = [
        "unshare",
        *rights,
        "--net",
        "sh",
        "-c",
        inner,
        "sh",
        sys.executable,
        str(HERE / script),
        *arguments,
    ]
    # As RayRunner sets it, where nothing has imported Ray before.
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(HERE)}
    environment["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    environment.pop("RAY_ADDRESS", None)
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=900, env=environment)


def lasting(path: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


@pytest.mark.live
@pytest.mark.slow
def test_one_of_two_nodes_is_killed_in_the_middle(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    records = []
    for number in range(400):
        text = f"(a{{1,{2 + number % 30}}}b?)*c{{{number}}}"
        other = text + ("d?" if number % 3 else "")
        records.append({"id": f"p{number}", "domain": "regex", "oracle": text, "candidate": other})
    pairs.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    run = in_namespace("ray_story.py", str(pairs), str(tmp_path / "ray.jsonl"), "20")
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["shares"] == 2
    assert told["lost"] == 1, "a node was killed while it worked"
    assert told["left"] == [], "processes that outlived the run"
    run_batch(pairs, tmp_path / "local.jsonl", timeout=20.0, jobs=1, resume=False)
    assert lasting(tmp_path / "ray.jsonl") == lasting(tmp_path / "local.jsonl")


@pytest.mark.live
@pytest.mark.slow
def test_commands_reach_a_cluster_as_its_client(tmp_path: Path) -> None:
    """`batch`, `trace check` and `bench run` give what they give on one machine."""
    pairs = tmp_path / "pairs.jsonl"
    texts = [(f"(ab){{{n}}}", f"(ab){{{n}}}" + ("c?" if n % 3 else "")) for n in range(30)]
    records = [
        {"id": f"p{n}", "domain": "regex", "oracle": oracle, "candidate": candidate}
        for n, (oracle, candidate) in enumerate(texts)
    ]
    pairs.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    tasks = tmp_path / "tasks.jsonl"
    asked = [{"id": "t", "domain": "regex", "statement": "One a.", "oracle": "a", "context": {}}]
    tasks.write_text("".join(json.dumps(task) + "\n" for task in asked), "utf-8")
    (tmp_path / "replies.py").write_text("def answer(call):\n    return '```regex\\na\\n```'\n", "utf-8")
    samples = HERE.parent / "traces" / "samples"

    def commands(name: str, *options: str) -> list[list[str]]:
        folder = tmp_path / name
        folder.mkdir()
        run = ["--model", "python:replies:answer", "--tasks", str(tasks)]
        return [
            ["batch", str(pairs), "-o", str(folder / "verdicts.jsonl"), "--timeout", "20", *options],
            ["trace", "check", str(samples), "-o", str(folder / "artifacts.jsonl"), "--quiet", *options],
            ["bench", "run", *run, "-o", str(folder / "run"), "--timeout", "20", *options],
        ]

    run = in_namespace("ray_commands.py", str(tmp_path), json.dumps(commands("ray", "--executor", "ray")))
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    here = []
    for command in commands("local"):
        line = [sys.executable, "-m", "truespec", *command]
        run = subprocess.run(line, capture_output=True, text=True, check=False, timeout=400, cwd=tmp_path)
        here.append(run)
    assert [one["code"] for one in told["runs"]] == [one.returncode for one in here], told["runs"]
    assert told["left"] == []
    for name in ("verdicts.jsonl", "artifacts.jsonl", "run/verdicts.jsonl"):
        assert lasting(tmp_path / "ray" / name) == lasting(tmp_path / "local" / name), name
        assert lasting(tmp_path / "local" / name), name


class _SlowHead:
    """A head node that complains before it gives this client a server."""

    def __init__(self, *complaints: str) -> None:
        self.complaints = list(complaints)

    def init(self, **options: object) -> None:
        if self.complaints:
            raise ConnectionAbortedError(
                f"Initialization failure from server:\nRuntimeError: {self.complaints.pop(0)}"
            )

    def shutdown(self) -> None:
        """Forget the failed connection."""


def test_a_busy_head_node_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "AGAIN_SECONDS", 0.0)
    head = _SlowHead("Starting Ray client server failed. See x.err", "psutil.NoSuchProcess: (pid=2816)")
    cluster._connect(head, "ray://head:10001")
    assert not head.complaints
    with pytest.raises(
        WorkerError, match=f"ray://head:10001 was reached, but .* {cluster.CONNECTIONS} attempts: .*failed"
    ):
        cluster._connect(_SlowHead(*["Starting Ray client server failed"] * 9), "ray://head:10001")


class _LateNode:
    """A local cluster that comes up at the third attempt, or never."""

    def __init__(self, late: int, complaint: str = "The current node timed out during startup.") -> None:
        self.late, self.complaint = late, complaint

    def init(self, **options: object) -> None:
        self.late -= 1
        if self.late >= 0:
            raise Exception(self.complaint)  # noqa: TRY002  # as Ray does

    def shutdown(self) -> None:
        """Forget the failed start."""


def test_a_local_cluster_that_comes_up_late_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "AGAIN_SECONDS", 0.0)
    cluster._connect(_LateNode(2), "local")
    with pytest.raises(WorkerError, match=f"no connection to local in {cluster.CONNECTIONS} attempts: The"):
        cluster._connect(_LateNode(99), "local")
    with pytest.raises(WorkerError, match="no connection to local: no room"):
        cluster._connect(_LateNode(99, "no room"), "local")


def test_nothing_outlives_the_owner_of_a_share() -> None:
    """The owner is killed while a process below it has a child in a session of its own."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "share_owner.py")], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout
        marker = owner.stdout.readline().strip()
        deadline = time.monotonic() + 60
        while not _running(marker) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert _running(marker)
        owner.kill()
    deadline = time.monotonic() + 60
    while _running(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _running(marker)


def _running(marker: str) -> bool:
    listed = subprocess.run(["ps", "-eo", "stat,args"], capture_output=True, text=True, check=True).stdout
    return any(marker in line and not line.startswith("Z") for line in listed.splitlines())
