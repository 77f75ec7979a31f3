"""Scores that a reader writes by hand as a judge: export what lacks one, import what was written, count.

    python tools/scores.py export FOLDER [--reader c]   # prompts to read, candidates in random order
    python tools/scores.py import FOLDER [--reader c]   # the scores written there, into the package
    python tools/scores.py status

In FOLDER, `formalization-DOMAIN.md` is answered by lines `TASK NUMBER SCORE` in `scores-F-DOMAIN.txt`;
`equivalence-DOMAIN.md` by lines `TASK NUMBER SCORE SCORE` in `scores-E-DOMAIN.txt`, first for the order
shown, then for B before A. A score is 0 to 3. `key.jsonl` says which texts a number stands for: a score
belongs to the texts that were read, and is left out by everything once they change.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from truespec.benchmark.bundled import baseline
from truespec.executors.baseline import to_judge
from truespec.judges.prompts import Role, system
from truespec.judges.reader import prompt_key

STORE = Path(baseline.__file__).parent / "scores"
ROLES = {"F": Role.FORMALIZATION, "E": Role.EQUIVALENCE}
SHOWN = {"F": "## Specification\n\n", "E": "## Specification A\n\n"}
"""What the candidates' part of a prompt begins with; what stands before is the same for the whole task."""


@dataclass(frozen=True)
class Asked:
    """What one line of scores is about."""

    role: str
    domain: str
    task: str
    of: tuple[str, ...]
    prompt: str


def asked() -> Iterator[Asked]:
    """Each judgement there is to make, once however many answers share its texts."""
    seen = set()
    for wanted in to_judge():
        role = "E" if wanted.record["kind"] == "equivalence" else "F"
        of = tuple(prompt_key(call.prompt) for call in wanted.calls)
        if of not in seen:
            seen.add(of)
            yield Asked(role, wanted.record["domain"], wanted.record["task"], of, wanted.calls[0].prompt)


def export(folder: Path, reader: str) -> None:
    """Write what lacks a score, and the key."""
    known = baseline.scores().get(reader, {})
    due = [one for one in asked() if not all(of in known for of in one.of)]
    due.sort(key=lambda one: (one.role, one.domain, one.task))
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.glob("scores-*.txt")):
        sys.exit(f"{folder} holds scores already: import them, then name another folder")
    key = []
    for (role, domain), some in groupby(due, lambda one: (one.role, one.domain)):
        text = system(ROLES[role], domain)
        for task, group in groupby(some, lambda one: one.task):
            candidates = list(group)
            random.Random(f"{reader}/{task}").shuffle(candidates)
            text += f"\n===== TASK {task} =====\n{candidates[0].prompt.partition(SHOWN[role])[0]}"
            for number, one in enumerate(candidates):
                text += f"--- {number}\n{''.join(one.prompt.partition(SHOWN[role])[1:])}\n"
                key.append({"role": role, "domain": domain, "task": task, "number": number, "of": one.of})
        (folder / f"{ROLES[role].value}-{domain}.md").write_text(text, encoding="utf-8")
    (folder / "key.jsonl").write_text("".join(json.dumps(one) + "\n" for one in key), encoding="utf-8")
    print(f"{len(key)} judgements lack a score of reader {reader} -> {folder}")


def take(folder: Path, reader: str) -> None:
    """Read the lines of scores and keep them, each with its key; what nobody asks for any more is dropped."""
    lines = map(json.loads, (folder / "key.jsonl").read_text("utf-8").splitlines())
    key = {(one["role"], one["task"], str(one["number"])): one for one in lines}
    wanted = {one.of for one in asked()}
    for role, kind in ((role, name.value) for role, name in ROLES.items()):
        for path in sorted(folder.glob(f"scores-{role}-*.txt")):
            domain = path.stem.removeprefix(f"scores-{role}-")
            store = STORE / f"{reader}-{domain}.jsonl"
            held = {}
            if store.exists():
                for record in map(json.loads, store.read_text("utf-8").splitlines()):
                    held[record["kind"], *record["of"]] = record
            for place, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if not line.strip():
                    continue
                task, number, *scores = line.split()
                about = key.get((role, task, number))
                if about is None or about["domain"] != domain:
                    sys.exit(f"{path}, line {place}: nobody asked for {task} {number}")
                if len(scores) != len(about["of"]) or not all(
                    score in {"0", "1", "2", "3"} for score in scores
                ):
                    sys.exit(f"{path}, line {place}: expected {len(about['of'])} scores of 0 to 3: {line!r}")
                if len(set(zip(about["of"], scores))) != len(set(about["of"])):
                    sys.exit(f"{path}, line {place}: two scores for one prompt: {line!r}")
                record = {"reader": reader, "task": task, "kind": kind, "of": about["of"]}
                held[kind, *about["of"]] = {**record, "scores": [int(score) for score in scores]}
            kept = [record for record in held.values() if tuple(record["of"]) in wanted]
            kept.sort(key=lambda record: (record["kind"], record["task"]))
            STORE.mkdir(exist_ok=True)
            store.write_text("".join(json.dumps(record) + "\n" for record in kept), encoding="utf-8")
            print(
                f"{path.name}: {len(kept)} judgements of {domain} kept, {len(held) - len(kept)} out of date"
            )


def status() -> None:
    """Count the judgements that have a current score, by reader, kind and domain."""
    every = list(asked())
    for reader, known in baseline.scores().items():
        scored: Counter[tuple[str, str]] = Counter()
        there: Counter[tuple[str, str]] = Counter()
        for one in every:
            there[one.role, one.domain] += 1
            scored[one.role, one.domain] += all(of in known for of in one.of)
        for (role, domain), count in sorted(there.items()):
            print(f"reader {reader}  {ROLES[role].value:14}{domain:6}{scored[role, domain]:5} of {count}")
        stale = len(known.keys() - {of for one in every for of in one.of})
        print(f"reader {reader}  {stale} scores of texts that have changed since")


def main() -> None:
    """Dispatch by the first argument."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("act", choices=("export", "import", "status"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--reader", default="c", help="the judge's letter (default: c)")
    options = parser.parse_args()
    if options.act == "status":
        status()
    elif options.folder is None:
        parser.error(f"{options.act} needs a folder")
    elif options.act == "export":
        export(options.folder, options.reader)
    else:
        take(options.folder, options.reader)


if __name__ == "__main__":
    main()
