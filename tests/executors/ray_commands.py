"""Commands that reach a cluster of two nodes by `ray://`: FOLDER JSON-LIST-OF-ARGUMENT-LISTS."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from ray_story import cluster_of_two, left

PORT = 20001


def main(folder: str, commands: list[list[str]]) -> None:
    """Run them one after the other, and tell how each ended and what is left of their processes."""
    cluster, _ = cluster_of_two(ray_client_server_port=PORT)
    environment = {**os.environ, "RAY_ADDRESS": f"ray://127.0.0.1:{PORT}"}
    told = []
    for command in commands:
        line = [sys.executable, "-m", "truespec", *command]
        run = subprocess.run(
            line, capture_output=True, text=True, check=False, env=environment, timeout=400, cwd=folder
        )
        told.append({"code": run.returncode, "output": run.stdout, "errors": run.stderr})
    cluster.shutdown()  # type: ignore[no-untyped-call]
    print(json.dumps({"runs": told, "left": left()}), flush=True)


main(sys.argv[1], json.loads(sys.argv[2]))
