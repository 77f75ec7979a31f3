"""SoftRegex: pairs of regular expressions labelled equal or different (Park et al., EMNLP 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import DEEPREGEX, files, lines, relative, require, untokenized
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.regex.parse import parse, read_context
from truespec.verdict import TruespecError


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """One pair a line; label 1 says equal. A pair whose oracle does not parse is left out."""
    paths = files(folder, "test_data*.txt", "data_pairs*.txt")
    context = read_context(DEEPREGEX)
    for path in require(paths, folder, "test_data.txt or data_pairs_test_*.txt"):
        stem = path.stem.replace("(", "").replace(")", "")
        for number, line in enumerate(lines(path), 1):
            origin = Origin("softregex", relative(path, folder), f"line {number}")
            fields = line.split("\t")
            if len(fields) != 3 or fields[2].strip() not in ("0", "1"):
                yield Skipped(origin, "expected two expressions and a label of 0 or 1, separated by tabs")
                continue
            oracle, candidate = untokenized(fields[0]), untokenized(fields[1])
            try:
                parse(oracle, context)
            except TruespecError as error:
                yield Skipped(origin, f"the first expression {oracle!r}: {error}")
                continue
            yield PairRecord(
                f"softregex/{stem}/{number:05}",
                "regex",
                dict(DEEPREGEX),
                oracle,
                candidate,
                origin,
                upstream_label=int(fields[2]),
            )
