"""`python -m benchmarks compiled`: the regex verifier interpreted, and with a core compiled by mypyc.

The package is copied to a temporary folder, its automata and parsers are compiled there, and both copies
decide the same 1,200 pairs, each in processes of its own. What is shipped is the interpreted one: an optional
wheel is worth its upkeep at three times the speed.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
CORE = (
    "automata/arena.py",
    "automata/bisimulation.py",
    "automata/compile.py",
    "automata/derivatives.py",
    "automata/engine.py",
    "automata/expression.py",
    "automata/terms.py",
    "domains/regex/characters.py",
    "domains/regex/deepregex_dialect.py",
    "domains/regex/plain.py",
    "domains/regex/syntax.py",
)
"""What is compiled: all that runs from a text to an answer, but the few lines that call it."""
PAIRS = 1200
ROUNDS = 3
"""Processes of each kind; the fastest counts, for the others waited for the machine."""
_DECIDE = """
import gc, json, random, sys
from benchmarks import regex
from truespec.benchmark.task import Task
from truespec.domains.registry import load
load("regex").warm_up()
records = regex.records(__import__("pathlib").Path(sys.argv[1]), "nl-rx")
texts = [t.oracle for t in records if isinstance(t, Task) and t.tags[0] == "turk" and "\\\\b" not in t.oracle]
draw = random.Random(12)
warm, pairs = ([(draw.choice(texts), draw.choice(texts)) for _ in range(int(sys.argv[2]))] for _ in range(2))
regex.decide_all(warm)
gc.collect()
gc.freeze()
print(json.dumps([(same, cpu) for same, cpu, _ in regex.decide_all(pairs)]))
"""


def main(options: list[str]) -> None:
    """Compile, decide, print the ratio."""
    sources = Path(os.environ.get("TRUESPEC_SOURCES", ROOT.parent / "shared" / "sources")) / "regex"
    if not sources.is_dir():
        print(f"no upstream data at {sources}: set TRUESPEC_SOURCES")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src" / "truespec", folder / "core" / "truespec")
        print(f"compiling {len(CORE)} modules (some minutes)", flush=True)
        _compile(folder)
        places = {"interpreted": ROOT / "src", "compiled": folder / "core"}
        found = {kind: [_decide(place, sources) for _ in range(ROUNDS)] for kind, place in places.items()}
    answers = {json.dumps([same for same, _ in run]) for runs in found.values() for run in runs}
    print(f"{'':12} {'median µs':>10} {'total ms':>10}")
    best = {}
    for kind, runs in found.items():
        totals = [(sum(cpu for _, cpu in run), statistics.median(cpu for _, cpu in run)) for run in runs]
        best[kind] = min(totals)
        print(f"{kind:12} {best[kind][1] * 1e6:10.1f} {best[kind][0] * 1e3:10.1f}")
    ratio = best["interpreted"][0] / best["compiled"][0]
    median = best["interpreted"][1] / best["compiled"][1]
    print(
        f"compiled is {median:.1f} times as fast in the median, {ratio:.1f} in total; the bar of a wheel is 3"
    )
    print("the answers agree" if len(answers) == 1 else "THE ANSWERS DIFFER")


def _compile(folder: Path) -> None:
    """mypyc builds its modules with setuptools, which is no dependency of ours."""
    tools = folder / "tools"
    subprocess.run(["uv", "pip", "install", "-q", "--target", str(tools), "setuptools"], check=True)
    (folder / "core" / "mypy.ini").write_text(
        "[mypy]\nignore_missing_imports = True\nfollow_imports = silent\n"
    )
    paths = [f"truespec/{name}" for name in CORE]
    environment = {**os.environ, "PYTHONPATH": str(tools), "MYPYPATH": str(folder / "core")}
    command = [sys.executable, "-m", "mypyc", *paths]
    made = subprocess.run(
        command, cwd=folder / "core", env=environment, check=False, capture_output=True, text=True
    )
    if made.returncode:
        sys.exit(f"mypyc did not compile the core:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")


def _decide(place: Path, sources: Path) -> list[tuple[bool, float]]:
    environment = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", _DECIDE, str(sources), str(PAIRS)]
    made = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [(same, cpu) for same, cpu in json.loads(made.stdout.splitlines()[-1])]
