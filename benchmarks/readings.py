"""Independent readings: how far somebody who saw only statement and context agrees with the oracles."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from importlib.resources import files

from truespec.benchmark import bundled
from truespec.domains.verify import Pair, verify_pair

LIMIT = 20.0
"""Seconds per answer."""
QUICK = 12
"""Answers of each domain that `--quick` verifies."""


def main(options: list[str]) -> None:
    """Print the agreement before disagreements were examined, and now; then what examining them showed."""
    tasks = {one.task.id: one.task for name in bundled.domains() for one in bundled.tasks(name)}
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for file in sorted(files(bundled).joinpath("readings").iterdir(), key=lambda entry: entry.name):
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["task"] in tasks and not record.get("seen"):  # else the reader knew the oracle
                groups[record["reader"], tasks[record["task"]].domain].append(record)
    print("reader  domain  read  of   before: agree differ undecided   now: agree differ undecided")
    for (reader, domain), records in sorted(groups.items()):
        checked = records[:QUICK] if "--quick" in options else records
        before = Counter(record.get("before", "") for record in records)
        now: Counter[str] = Counter()
        for record in checked:
            task = tasks[record["task"]]
            verdict = verify_pair(Pair(domain, task.oracle, record["answer"], task.context), LIMIT)
            now[verdict.answer.value] += 1
        print(
            f"{reader:8}{domain:7}{len(records):5}{len(bundled.tasks(domain)):5}"
            f"{before['equivalent']:14}{before['refuted'] + before['invalid']:7}{before['unknown']:10}"
            f"{now['equivalent']:13}{now['refuted'] + now['invalid']:7}{now['unknown']:10}"
            + (f"   (the first {len(checked)})" if len(checked) < len(records) else "")
        )
    for records in groups.values():
        for record in records:
            if "examined" in record:
                print(f"  {record['task']}: {record['examined']}")


if __name__ == "__main__":
    main(sys.argv[1:])
