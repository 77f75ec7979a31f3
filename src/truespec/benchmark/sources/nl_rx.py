"""NL-RX (Turk and Synth) and KB13: sentences with regular expressions (Locascio et al., EMNLP 2016)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import DEEPREGEX, files, lines, relative, require, untokenized
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.regex.parse import parse, read_context
from truespec.verdict import TruespecError

_SETS = {"turk": "NL-RX-Turk", "synth": "NL-RX-Synth", "kb13": "KB13"}


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """One task a line. Synth describes Turk's targets, whose file serves where its own is missing.

    Where the tokenized splits are present, a Turk task carries `validation` or `test` as a tag.
    """
    found = {key: _parallel(folder, name) for key, name in _SETS.items()}
    require(
        [paths[0] for paths in found.values() if paths],
        folder,
        "NL-RX-Turk_src.txt, NL-RX-Synth_src.txt or KB13_src.txt with targets",
    )
    splits = _splits(folder)
    for key, paths in found.items():
        if paths:
            yield from _tasks(folder, key, *paths, splits if key == "turk" else {})


def _parallel(folder: Path, name: str) -> tuple[Path, Path] | None:
    sources = files(folder, f"{name}_src.txt") or files(folder, f"{name}/src.txt")
    if not sources:
        return None
    source = sources[0]
    flat = source.name != "src.txt"
    target = source.with_name(f"{name}_targ.txt" if flat else "targ.txt")
    if not target.is_file() and name == "NL-RX-Synth":
        turk = _parallel(folder, "NL-RX-Turk")
        return (source, turk[1]) if turk else None
    return (source, target) if target.is_file() else None


def _tasks(
    folder: Path, key: str, source: Path, target: Path, splits: dict[tuple[str, str], str]
) -> Iterator[Task | Skipped]:
    statements, oracles = lines(source), lines(target)
    context = read_context(DEEPREGEX)
    for number in range(1, max(len(statements), len(oracles)) + 1):
        origin = Origin("nl-rx", relative(source, folder), f"line {number}")
        if number > min(len(statements), len(oracles)):
            yield Skipped(origin, "the line has no partner in the parallel file")
            continue
        statement, oracle = statements[number - 1].strip(), oracles[number - 1]
        try:
            parse(oracle, context)
        except TruespecError as error:
            yield Skipped(origin, f"the target {oracle!r}: {error}")
            continue
        if not statement:
            yield Skipped(origin, "the statement is empty")
            continue
        split = splits.get((_key(statement), oracle))
        tags = (key, split) if split else (key,)
        yield Task(f"nl-rx/{key}/{number:05}", "regex", statement, dict(DEEPREGEX), oracle, origin, tags)


def _splits(folder: Path) -> dict[tuple[str, str], str]:
    known: dict[tuple[str, str], str] = {}
    for part, tag in (("val", "validation"), ("test", "test")):
        for source in files(folder, f"turk_tok_src-{part}.txt"):
            target = source.with_name(f"turk_tok_targ-{part}.txt")
            if target.is_file():
                for statement, oracle in zip(lines(source), lines(target), strict=False):
                    known[_key(untokenized(statement)), untokenized(oracle)] = tag
    return known


def _key(statement: str) -> str:
    return "".join(character for character in statement.lower() if character.isalnum())
