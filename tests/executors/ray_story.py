"""A cluster of two nodes: commands reach it, then one node is lost: FOLDER COMMANDS-AS-JSON PAIRS OUTPUT."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from truespec.domains.verify import Pair
from truespec.executors.batch import Summary, run_batch
from truespec.executors.cluster import RayRunner, ray_verifiers
from truespec.verdict import Verdict

PORT = 20001
STORE = 80 * 2**20
NOT_NEEDED = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
"""Processes of a head node that show it to people, gather its logs or ask for more nodes."""


def cluster_of_two(**head: Any) -> tuple[Cluster, list[Any]]:
    """A cluster whose head has no CPU, and its two nodes of one CPU each."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": STORE, **NOT_NEEDED, **head},
    )
    return cluster, [cluster.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]


def left() -> list[str]:
    """Processes of ours that are still there after a minute."""
    deadline = time.monotonic() + 60
    while ours() and time.monotonic() < deadline:
        time.sleep(0.2)
    return ours()


def ours() -> list[str]:
    """Processes of ours in this network namespace."""
    here = os.stat("/proc/self/ns/net").st_ino
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "ns/net").stat().st_ino == here:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if "truespec.executors" in line:
                    found.append(f"{folder.name} {line}")
        except OSError:
            continue
    return found


def commands_of_clients(folder: str, commands: list[list[str]]) -> dict[str, Any]:
    """Run commands that reach the cluster by `ray://`: how each ended, and what is left then."""
    environment = {**os.environ, "RAY_ADDRESS": f"ray://127.0.0.1:{PORT}"}
    told = []
    for command in commands:
        line = [sys.executable, "-m", "truespec", *command]
        run = subprocess.run(
            line, capture_output=True, text=True, check=False, env=environment, timeout=400, cwd=folder
        )
        told.append({"code": run.returncode, "output": run.stdout, "errors": run.stderr})
    return {"runs": told, "left": left()}


def loss_of_a_node(cluster: Cluster, node: Any, pairs: Path, output: Path) -> dict[str, Any]:
    """Run a batch, kill a node after fifty records, and tell what was seen."""
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    runners: list[RayRunner[Pair, Verdict]] = []
    told: dict[str, Any] = {}

    def executor(domains: tuple[str, ...], jobs: int) -> RayRunner[Pair, Verdict]:
        runners.append(ray_verifiers(domains, jobs))
        return runners[0]

    def progress(done: int, total: int, summary: Summary) -> None:
        if done >= 50 and "shares" not in told:
            told["shares"] = len(runners[0]._shares)
            cluster.remove_node(node, allow_graceful=False)

    run_batch(pairs, output, timeout=20.0, jobs=1, resume=False, progress=progress, executor=executor)
    ray.shutdown()
    return {**told, "lost": runners[0].lost}


def main(folder: str, commands: list[list[str]], pairs: Path, output: Path) -> None:
    """Both on one cluster; the loss comes last."""
    cluster, nodes = cluster_of_two(ray_client_server_port=PORT)
    clients = commands_of_clients(folder, commands)
    loss = loss_of_a_node(cluster, nodes[0], pairs, output)
    cluster.shutdown()
    print(json.dumps({"clients": clients, "loss": {**loss, "left": left()}}), flush=True)


main(sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
