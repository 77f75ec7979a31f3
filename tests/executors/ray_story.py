"""A batch on a cluster of two nodes, one of which is killed in the middle: PAIRS OUTPUT TIMEOUT."""

from __future__ import annotations

import json
import logging
import os
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

STORE = 80 * 2**20


def cluster_of_two(**head: Any) -> tuple[Cluster, list[Any]]:
    """A cluster whose head has no CPU, and its two nodes of one CPU each."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False, **head},
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


def main(pairs: Path, output: Path, timeout: float) -> None:
    """Run the batch, kill a node after fifty records, and tell what was seen."""
    cluster, nodes = cluster_of_two()
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    runners: list[RayRunner[Pair, Verdict]] = []
    told: dict[str, Any] = {}

    def executor(domains: tuple[str, ...], jobs: int) -> RayRunner[Pair, Verdict]:
        runners.append(ray_verifiers(domains, jobs))
        return runners[0]

    def progress(done: int, total: int, summary: Summary) -> None:
        if done >= 50 and "shares" not in told:
            told["shares"] = len(runners[0]._shares)
            cluster.remove_node(nodes[0], allow_graceful=False)

    run_batch(pairs, output, timeout=timeout, jobs=1, resume=False, progress=progress, executor=executor)
    told["lost"] = runners[0].lost
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]
    print(json.dumps({**told, "left": left()}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
