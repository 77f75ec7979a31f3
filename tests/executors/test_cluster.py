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
from dataclasses import dataclass
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
    environment["RAY_worker_niceness"] = "0"  # else 15: on a busy machine its workers hardly get a turn
    # A worker is started when it is asked for: each loads Ray, which takes a second.
    environment |= {"RAY_prestart_worker_first_driver": "0", "RAY_enable_worker_prestart": "0"}
    environment.pop("RAY_ADDRESS", None)
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=900, env=environment)


def lasting(path: Path) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: value for name, value in record.items() if name != "seconds"} for record in records]


@dataclass(frozen=True)
class Story:
    """What `ray_story.py` told of one cluster, and where its input and output lie."""

    folder: Path
    clients: dict[str, Any]
    loss: dict[str, Any]
    commands: list[list[str]]
    """The commands that went to the cluster, as they are on one machine."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("ray")
    pairs = [
        {"id": f"p{n}", "domain": "regex", "oracle": text, "candidate": text + ("d?" if n % 3 else "")}
        for n in range(400)
        for text in [f"(a{{1,{2 + n % 30}}}b?)*c{{{n}}}"]
    ]
    write(folder / "pairs.jsonl", pairs)
    write(folder / "few.jsonl", pairs[:30])
    write(
        folder / "tasks.jsonl",
        [{"id": "t", "domain": "regex", "statement": "One a.", "oracle": "a", "context": {}}],
    )
    (folder / "replies.py").write_text("def answer(call):\n    return '```regex\\na\\n```'\n", "utf-8")
    commands = commands_into(folder, "ray", "--executor", "ray")
    arguments = (str(folder), json.dumps(commands), str(folder / "pairs.jsonl"), str(folder / "loss.jsonl"))
    run = in_namespace("ray_story.py", *arguments)
    assert run.returncode == 0, run.stdout + run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    return Story(folder, told["clients"], told["loss"], commands_into(folder, "local"))


def write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")


def commands_into(folder: Path, name: str, *options: str) -> list[list[str]]:
    """`batch`, `trace check` and `bench run`, with outputs below a folder of this name."""
    out = folder / name
    out.mkdir()
    samples = HERE.parent / "traces" / "samples"
    run = ["--model", "python:replies:answer", "--tasks", str(folder / "tasks.jsonl")]
    return [
        ["batch", str(folder / "few.jsonl"), "-o", str(out / "verdicts.jsonl"), "--timeout", "20", *options],
        ["trace", "check", str(samples), "-o", str(out / "artifacts.jsonl"), "--quiet", *options],
        ["bench", "run", *run, "-o", str(out / "run"), "--timeout", "20", *options],
    ]


@pytest.mark.live
@pytest.mark.slow
def test_commands_reach_a_cluster_as_its_client(story: Story) -> None:
    """They give what they give on one machine."""
    here = []
    for command in story.commands:
        line = [sys.executable, "-m", "truespec", *command]
        run = subprocess.run(line, capture_output=True, text=True, check=False, timeout=400, cwd=story.folder)
        here.append(run)
    runs = story.clients["runs"]
    assert [one["code"] for one in runs] == [one.returncode for one in here], runs
    assert story.clients["left"] == []
    for name in ("verdicts.jsonl", "artifacts.jsonl", "run/verdicts.jsonl"):
        assert lasting(story.folder / "ray" / name) == lasting(story.folder / "local" / name), name
        assert lasting(story.folder / "local" / name), name


@pytest.mark.live
@pytest.mark.slow
def test_one_of_two_nodes_is_killed_in_the_middle(story: Story) -> None:
    assert story.loss["shares"] == 2
    assert story.loss["lost"] == 1, "a node was killed while it worked"
    assert story.loss["left"] == [], "processes that outlived the run"
    run_batch(story.folder / "pairs.jsonl", story.folder / "alone.jsonl", timeout=20.0, jobs=1, resume=False)
    assert lasting(story.folder / "loss.jsonl") == lasting(story.folder / "alone.jsonl")


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
