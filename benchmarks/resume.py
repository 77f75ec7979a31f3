"""A run that is killed ten times: how many calls are made, how many twice, how many results differ.

Two models answer 720 bundled tasks, variants included, and two judges judge the answers. The
commands are killed (SIGKILL) at random moments, six times while answering and four times while judging,
and given again. The models write down every call that reaches them. The same run without a kill is the
measure.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from truespec.benchmark.select import named_tasks
from truespec.store.runs import Run

LOG = "TRUESPEC_BENCHMARK_CALLS"
MODELS = ("python:benchmarks._resume_models:careful", "python:benchmarks._resume_models:hasty")
JUDGES = ("python:benchmarks._resume_models:by_length", "python:benchmarks._resume_models:by_lot")
DOMAINS = ("arith", "fol", "regex", "sql")
"""Nearly all tasks are of the first three, which are quick: what is measured is not the verifiers."""
TASKS = 720
QUICK = 60
KILLS = (6, 4)
"""While answering and while judging."""
NOTHING: dict[str, object] = {}
"""Stands in for a record that one of the runs lacks."""


def main(arguments: list[str] | None = None) -> None:
    """Print the counts; exit with 1 unless no call is made twice and nothing differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks resume")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} tasks instead of {TASKS}")
    count = QUICK if parser.parse_args(arguments).quick else TASKS
    every = chain.from_iterable(named_tasks("bundled+variants", (name,)) or () for name in DOMAINS)
    with tempfile.TemporaryDirectory() as home:
        tasks = Path(home) / "tasks.jsonl"
        chosen = [json.dumps(task.to_json()) for task in islice(every, count)]
        tasks.write_text("\n".join(chosen) + "\n", encoding="utf-8")
        killed, made = _run(Path(home) / "killed", tasks, random.Random(0))
        calm, needed = _run(Path(home) / "calm", tasks, None)
        differing = sum(
            _lasting(one) != _lasting(other)
            for name in ("answers", "judgements")
            for one, other in zip_longest(killed.read(name), calm.read(name), fillvalue=NOTHING)
        )
        twice = sum(count > 1 for count in made.values())
        print(
            f"{len(killed.tasks())} tasks, {len(MODELS)} models, {len(JUDGES)} judges, {sum(KILLS)} kills: "
            f"{made.total()} calls made ({needed.total()} without a kill), {twice} twice, "
            f"{differing} of {len(calm.read('answers')) + len(calm.read('judgements'))} records differing"
        )
    if twice or differing or made != needed:
        sys.exit("a killed run is not what a calm one is")


def _run(folder: Path, tasks: Path, chance: random.Random | None) -> tuple[Run, Counter[str]]:
    """A run in a folder, killed at random moments where there is chance, and how often each call was made."""
    folder.mkdir()
    output = str(folder / "run")
    answer = ["run", "--tasks", str(tasks), "-o", output, "--timeout", "10"]
    answer += [word for name in MODELS for word in ("--model", name)]
    judge = ["judge", output, *[word for name in JUDGES for word in ("--judge", name)]]
    quiet: dict[str, Any] = {
        "env": {**os.environ, LOG: str(folder / "log")},
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": Path(__file__).parent.parent,
    }
    most = sum(1 for _ in tasks.open(encoding="utf-8")) // 3
    for words, kills in zip((answer, judge), KILLS, strict=True):
        command = [sys.executable, "-m", "truespec", "bench", *words]
        if chance:
            for _ in range(kills):
                _kill(command, quiet, folder / "log", chance, most)
        subprocess.run(command, check=True, **quiet)
    return Run(folder / "run"), Counter((folder / "log").read_text("utf-8").split())


def _kill(command: list[str], quiet: dict[str, Any], log: Path, chance: random.Random, most: int) -> None:
    """Give the command, and kill it a moment after so many further calls, at most `most`."""
    enough = _calls(log) + chance.randrange(1, most)
    with subprocess.Popen(command, **quiet) as process:
        while process.poll() is None and _calls(log) < enough:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.1))
        process.kill()


def _calls(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _lasting(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what the clock decides: times, and which of several procedures was first."""
    kept = {name: value for name, value in record.items() if name not in {"reply", "replies"}}
    if "verdict" in kept:
        kept["verdict"] = {name: kept["verdict"][name] for name in ("answer", "relation", "reason")}
    return kept


if __name__ == "__main__":
    main()
