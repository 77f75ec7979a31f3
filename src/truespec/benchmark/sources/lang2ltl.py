"""Lang2LTL: navigation commands with formulas, and the recorded answers of its models (h2r/Lang2LTL).

It reads `pairs.jsonl` or `pairs.jsonl.gz`, one record for each different pair of gold formula and answer,
collected from the `log_*.csv` files of the repository. Formulas are in prefix notation over the atoms a, b,
c, d and h; the label is Spot's verdict on infinite words. A few answers are infix formulas, which Spot read
as well: their pairs are infix as a whole and say so. A record whose gold formula is not readable is skipped
with its place.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from truespec.benchmark.sources._regex import relative
from truespec.benchmark.sources._temporal import file, require
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.temporal.parse import parse_infix, parse_prefix
from truespec.temporal.syntax import Formula, write
from truespec.verdict import TruespecError

ATOMS = ("a", "b", "c", "d", "h")
_SYNTAX_ERROR = "Syntax Error"


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """A task for each different command with its gold formula, and a pair for each recorded answer."""
    path = file(folder, "pairs.jsonl.gz") or file(folder, "pairs.jsonl")
    require([path], folder, "pairs.jsonl.gz or pairs.jsonl")
    assert path is not None
    seen: set[tuple[str, str]] = set()
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        for number, line in enumerate(lines, 1):
            origin = Origin("lang2ltl", relative(path, folder), f"line {number}")
            try:
                record = json.loads(line)
                oracle, answer = str(record["true_ltl"]).strip(), str(record["output_ltl"]).strip()
                statement, label = str(record["utterance"]).strip(), str(record["upstream"])
                gold = _gold(oracle)
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                yield Skipped(origin, f"no record: {type(error).__name__} {error}")
                continue
            except TruespecError as error:
                yield Skipped(origin, f"the gold formula {oracle!r:.80}: {error}")
                continue
            context: dict[str, object] = {"logic": "ltl", "atoms": list(ATOMS), "syntax": "prefix"}
            if statement and (statement, oracle) not in seen:
                seen.add((statement, oracle))
                yield Task(f"lang2ltl/{number:05}", "temporal", statement, context, oracle, origin)
            extra: dict[str, object] = {"statement": statement}
            if label != _SYNTAX_ERROR and _only_infix(answer):
                context = {**context, "syntax": "infix"}
                extra["notation"] = "the answer is infix, as Spot read it; the oracle was rewritten to match"
                oracle = write(gold)
            yield PairRecord(
                f"lang2ltl/{number:05}/answer", "temporal", context, oracle, answer, origin, label, extra
            )


@lru_cache(maxsize=4096)
def _gold(text: str) -> Formula:
    """The same gold formulas come again and again."""
    return parse_prefix(text)


@lru_cache(maxsize=8192)
def _only_infix(text: str) -> bool:
    """Whether a text is no prefix formula and an infix one; three of four answers were given before."""
    for reader, wanted in ((parse_prefix, False), (parse_infix, True)):
        try:
            reader(text)
        except TruespecError:
            if wanted:
                return False
        else:
            if not wanted:
                return False
    return True
