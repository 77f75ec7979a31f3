"""Five parts of all SQL sources, by question and by schema, and the constructs that unknowns name.

Rules are worked out on four parts. The fifth is held out: its figures are printed, its pairs and
reasons are not. A part is a hash of the question's or the schema's text: new pairs of a known question
fall into its part.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from zlib import crc32

from truespec.benchmark.task import PairRecord
from truespec.verdict import Answer, ReasonCode, Verdict

PARTS = 5
SEED = 2025
FOLDERS = {
    "polygon": "polygon_leetcode",
    "verieql": "verieql",
    "sqlsolver": "sqlsolver",
    "spider": "spider_llm",
    "judge-sql": "llm_judge_equiv",
}
"""The sources that hold pairs, with their folders."""
_PLACE = re.compile(
    r"\b(?:(?:at|in|on) )?(?:line \d+|column \d+|position \d+|offset \d+)(?:,? )?|\d+(?:\.\d+)? s\b"
)
_SIDE = re.compile(r"\b(?:of )?the (?:oracle|candidate)\b|\((?:oracle|candidate)\)|^(?:oracle|candidate): ")


def part(text: str) -> int:
    """The part, from 1 to five, that a question or a schema belongs to."""
    return crc32(" ".join(text.lower().split()).encode()) % PARTS + 1


def question(pair: PairRecord) -> str:
    """What names the question: all answers to it have the same."""
    schema = str(pair.context["schema"])
    return pair.id.rsplit("-", 1)[0] if pair.id.startswith("polygon-") else f"{schema}\n{pair.oracle}"


def sample(read: Callable[[str, Path], list[PairRecord]], folder: Path, count: int) -> list[PairRecord]:
    """At most `count` pairs of each source, drawn with the fixed seed; identical texts are left out."""
    drawn: list[PairRecord] = []
    for source, name in FOLDERS.items():
        pairs = [one for one in read(source, folder / name) if one.oracle.strip() != one.candidate.strip()]
        drawn += random.Random(f"{SEED} {source}").sample(pairs, min(count, len(pairs)))
    return drawn


def construct(detail: str) -> str:
    """What a reason names, without places, sides and names of the pair's own."""
    text = _SIDE.sub("", _PLACE.sub("", detail.split("\n", 1)[0]))
    text = re.sub(r'"[^"]*"|`[^`]*`|\'[^\']*\'', "...", text)
    return " ".join(text.split())[:90].strip(" ,;:")


def parts_of(pair: PairRecord) -> dict[str, int]:
    """The part of a pair's question and that of its schema."""
    return {"question": part(question(pair)), "schema": part(str(pair.context["schema"]))}


def keep(pairs: Iterable[PairRecord], verdicts: dict[str, Verdict], held: int, path: Path) -> None:
    """Write the verdicts outside the held part, one JSON object a line."""
    with path.open("w", encoding="utf-8") as file:
        for pair in pairs:
            if held not in parts_of(pair).values():
                file.write(json.dumps({"id": pair.id, **verdicts[pair.id].to_json()}, default=str) + "\n")


def report(pairs: Iterable[PairRecord], verdicts: dict[str, Verdict], held: int) -> str:
    """The share of unknowns by part, and what unknowns name in all parts but the held one.

    Pairs whose oracle the engine refuses are no pairs to decide: they are counted apart.
    """
    unknown: dict[tuple[str, str, int], list[int]] = defaultdict(lambda: [0, 0])
    named: Counter[str] = Counter()
    total = 0
    refused = 0
    for pair in pairs:
        verdict = verdicts[pair.id]
        if verdict.reason is not None and verdict.reason.code is ReasonCode.ORACLE:
            refused += 1
            continue
        parts = parts_of(pair)
        missed = verdict.answer is Answer.UNKNOWN
        for kind, number in parts.items():
            for source in (pair.source.dataset, "all"):
                cell = unknown[kind, source, number]
                cell[0] += 1
                cell[1] += missed
        if held in parts.values():
            continue
        total += 1
        if missed and verdict.reason is not None:
            named[f"{verdict.reason.code.value}: {construct(verdict.reason.detail)}"] += 1
    heads = " ".join(f"{f'part {number}':>14}" for number in range(1, PARTS + 1))
    lines = [f"unknown of pairs; part {held} is held out; {refused} unusable\n{'by':9} {'source':10} {heads}"]
    for kind in ("question", "schema"):
        for source in (*FOLDERS, "all"):
            cells = [unknown[kind, source, number] for number in range(1, PARTS + 1)]
            shown = " ".join(f"{_share(*cell):>14}" for cell in cells)
            lines.append(f"{kind:9} {source:10} {shown}")
        seen, missed_seen = (
            sum(unknown[kind, "all", number][index] for number in range(1, PARTS + 1) if number != held)
            for index in (0, 1)
        )
        unseen = _share(*unknown[kind, "all", held])
        lines.append(f"{kind:9} seen {_share(seen, missed_seen)}, unseen {unseen}")
    lines.append(f"\nwhat the unknowns of {total} pairs outside part {held} name:")
    lines += [
        f"{count:5} {100 * count / max(1, total):5.1f} %  {name}" for name, count in named.most_common(40)
    ]
    return "\n".join(lines)


def _share(count: int, missed: int) -> str:
    return f"{missed}/{count} {100 * missed / count:.1f} %" if count else "-"
