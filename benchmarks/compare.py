"""Two files of verdicts on the same pairs: which answers differ, and how the times compare.

    python -m benchmarks compare OLD NEW

A file is what `truespec batch` writes, or a set's file below `out/benchmarks/`. A difference counts unless
one of the two verdicts ran into its limit: such a pair depends on how busy the machine was. Exit 1 where a
difference counts, or where the median of the times grew by more than 5 %.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

OPERANDS = True
"""This command takes files as arguments, and runs only where it is named."""
SLOWER = 1.05
"""The largest ratio of medians that counts as equal."""
SHOWN = 20
"""How many differences are printed."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of answers, the differences and the ratio of medians."""
    files = [argument for argument in arguments or () if not argument.startswith("-")]
    if len(files) != 2:
        sys.exit("python -m benchmarks compare OLD NEW: expected two files of verdicts")
    old, new = (_read(Path(file)) for file in files)
    shared = [name for name in old if name in new]
    if not shared:
        sys.exit(f"{files[0]} and {files[1]} share no pair: expected verdicts on the same ids")
    for file, missing in ((files[1], old.keys() - new.keys()), (files[0], new.keys() - old.keys())):
        if missing:
            print(f"{len(missing)} pairs are not in {file}, such as {min(missing)}: not compared")
    changes = Counter((_answer(old[name]), _answer(new[name])) for name in shared)
    print(f"{len(shared)} pairs")
    for (before, after), count in sorted(changes.items()):
        print(f"  {count:6} {before if before == after else f'{before} -> {after}'}")
    differ = [name for name in shared if _answer(old[name]) != _answer(new[name])]
    limited = [name for name in differ if _at_limit(old[name]) or _at_limit(new[name])]
    counted = [name for name in differ if name not in limited]
    print(f"{len(differ)} answers differ, {len(limited)} of them at the time limit")
    for name in counted[:SHOWN]:
        print(f"  {name}: {_shown(old[name])} -> {_shown(new[name])}")
    before, after = (statistics.median(each[name]["seconds"] for name in shared) for each in (old, new))
    print(f"median {before:.4f} s -> {after:.4f} s, ratio {after / before:.2f} (bar {SLOWER:.2f})")
    sys.exit(1 if counted or after > SLOWER * before else 0)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """The verdicts of a file by id; records of lines that are no pair are left out."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return {str(record["id"]): record for record in records if "answer" in record}


def _answer(record: dict[str, Any]) -> str:
    return str(record["answer"])


def _at_limit(record: dict[str, Any]) -> bool:
    return (record.get("reason") or {}).get("code") == "timeout"


def _shown(record: dict[str, Any]) -> str:
    reason = record.get("reason")
    return f"{_answer(record)} ({reason['code']}: {reason['detail'][:80]})" if reason else _answer(record)
