"""The dk.brics automaton library in one warm JVM, for comparison."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

JAR = Path("/usr/share/java/automaton.jar")


def decide(
    pairs: list[tuple[str, str]], warm: list[tuple[str, str]], minimize: bool
) -> list[tuple[str, float, float]]:
    """For each pair the answer (`true`, `false`, `refused`), the seconds of its thread and those of
    the wall; empty where it is not installed.

    `warm` is decided twenty times before the clock starts: after three, the JVM still compiles.
    """
    if not JAR.exists():
        return []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(__file__).parent / "peers" / "Brics.java"
        try:
            subprocess.run(["javac", "-cp", JAR, "-d", folder, source], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return []
        lines = "\n".join(f"{left}\t{right}" for left, right in warm + pairs)
        command = ["java", "-cp", f"{JAR}:{folder}", "Brics", str(len(warm)), str(minimize).lower()]
        run = subprocess.run(command, input=lines, text=True, capture_output=True, check=True)
    answers = [line.split("\t") for line in run.stdout.splitlines()][len(warm) :]
    return [(answer, int(cpu) / 1e9, int(wall) / 1e9) for answer, cpu, wall in answers]
