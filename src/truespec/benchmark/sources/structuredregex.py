"""StructuredRegex: descriptions with expressions in a prefix language (Ye et al., ACL 2020).

The prefix language is written out in the deepregex dialect over ASCII, the alphabet of upstream's examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import files, lines, relative, require
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task

CONTEXT: dict[str, object] = {"dialect": "deepregex", "alphabet": "ascii"}
"""The context of every task and pair."""

_CLASSES = {
    "num": "[0-9]", "let": "[A-Za-z]", "low": "[a-z]", "cap": "[A-Z]", "any": ".", "alphanum": "[0-9A-Za-z]",
    "vow": "[AEIOUaeiou]", "hex": "[0-9A-Fa-f]", "spec": "[-,;.+:!@#_$%&*=^]",
}  # fmt: skip
_DEEPEST = 200


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Tasks from the `raw_*.tsv` tables, pairs from the recorded decodings of a sequence model."""
    tables = files(folder, "raw_*.tsv")
    decodings = files(folder, "decodes_*-*.txt")
    require(tables + decodings, folder, "raw_dev.tsv, raw_teste.tsv, raw_testi.tsv or decodes_*.txt")
    for path in tables:
        yield from _tasks(folder, path)
    for path in decodings:
        yield from _pairs(folder, path)


def _tasks(folder: Path, path: Path) -> Iterator[Task | Skipped]:
    split = path.stem.removeprefix("raw_")
    for number, line in enumerate(lines(path), 1):
        origin = Origin("structuredregex", relative(path, folder), f"line {number}")
        fields = line.split("\t")
        if number == 1 and fields[0] == "problem_id":
            continue
        if len(fields) < 5:
            yield Skipped(origin, f"expected five fields separated by tabs, found {len(fields)}")
            continue
        try:
            oracle = written_out(fields[2])
        except ValueError as error:
            yield Skipped(origin, f"the expression {fields[2]!r}: {error}")
            continue
        extra = {
            "problem": fields[0],
            "examples": {"positive": fields[3].split(), "negative": fields[4].split()},
        }
        name = f"structuredregex/{split}/{number - 1:04}"
        yield Task(name, "regex", fields[1].strip(), dict(CONTEXT), oracle, origin, (split,), extra)


def _pairs(folder: Path, path: Path) -> Iterator[PairRecord | Skipped]:
    split, _, model = path.stem.removeprefix("decodes_").partition("-")
    parts = {kind: path.with_name(f"{kind}-{split}.txt") for kind in ("src", "targ", "map")}
    missing = [part.name for part in parts.values() if not part.is_file()]
    if missing:
        yield Skipped(Origin("structuredregex", relative(path, folder)), f"{', '.join(missing)} is missing")
        return
    read_parts = {kind: lines(part) for kind, part in parts.items()}
    for number, line in enumerate(lines(path), 1):
        origin = Origin("structuredregex", relative(path, folder), f"line {number}")
        if any(number > len(part) for part in read_parts.values()):
            yield Skipped(origin, "the line has no partner in the parallel files")
            continue
        constants = _constants(read_parts["map"][number - 1])
        try:
            oracle = written_out(read_parts["targ"][number - 1], constants)
        except ValueError as error:
            yield Skipped(origin, f"the target: {error}")
            continue
        statement = _named(read_parts["src"][number - 1].strip(), constants)
        for rank, decoded in enumerate(line.split(), 1):
            place = Origin("structuredregex", origin.file, f"line {number}, candidate {rank}")
            try:
                candidate = written_out(decoded, constants)
            except ValueError as error:
                yield Skipped(place, f"the candidate {decoded!r}: {error}")
                continue
            name = f"structuredregex/{split}-{model}/{number:04}/{rank:02}"
            extra = {"model": f"seq2seq-{model}", "rank": rank, "statement": statement}
            yield PairRecord(name, "regex", dict(CONTEXT), oracle, candidate, place, extra=extra)


def _named(statement: str, constants: dict[str, str]) -> str:
    return re.sub(r"\bconst\d+\b", lambda name: repr(constants.get(name[0], name[0])), statement)


def _constants(line: str) -> dict[str, str]:
    pairs = (field.partition(",") for field in line.split()[1:])
    return {name: value for name, _, value in pairs}


def written_out(text: str, constants: dict[str, str] | None = None) -> str:
    """The expression in the deepregex dialect; `ValueError` names what is malformed.

    >>> written_out("and(startwith(<low>),not(contain(<;>)))")
    '(([a-z]).*)&(~(.*(\\\\;).*))'
    """
    reader = _Reader(re.sub(r"\s+", "", text), constants or {})
    result = reader.expression(0)
    if reader.at < len(reader.text):
        raise ValueError(f"{reader.text[reader.at :]!r} is left over")
    return result


class _Reader:
    def __init__(self, text: str, constants: dict[str, str]) -> None:
        self.text = text
        self.constants = constants
        self.at = 0

    def _take(self, pattern: str, what: str) -> str:
        found = re.compile(pattern).match(self.text, self.at)
        if not found:
            raise ValueError(f"expected {what} at offset {self.at}")
        self.at = found.end()
        return found[0]

    def expression(self, depth: int) -> str:
        if depth > _DEEPEST:
            raise ValueError(f"nested deeper than {_DEEPEST}")
        if self.text.startswith("<", self.at):
            name = self._take(r"<.[^>]*>", "a token such as <num>")[1:-1]
            return _CLASSES.get(name) or _quoted(name)
        name = self._take(r"[a-z]+\d*", "an operator")
        if re.fullmatch(r"const\d+", name):
            if name not in self.constants:
                raise ValueError(f"{name} has no value")
            return _quoted(self.constants[name])
        self._take(r"\(", "'('")
        arity, numbers = _ARITY.get(name, (0, 0))
        if not arity:
            raise ValueError(f"unknown operator {name!r}")
        parts = [self.expression(depth + 1)]
        for _ in range(arity - 1):
            self._take(",", "','")
            parts.append(self.expression(depth + 1))
        for _ in range(numbers):
            self._take(",", "','")
            parts.append(self._take(r"\d{1,9}", "a number"))
        self._take(r"\)", "')'")
        return _write(name, parts)


_ARITY = {
    "concat": (2, 0), "and": (2, 0), "or": (2, 0), "not": (1, 0), "notcc": (1, 0), "star": (1, 0),
    "optional": (1, 0), "contain": (1, 0), "startwith": (1, 0), "endwith": (1, 0), "const": (1, 0),
    "repeat": (1, 1), "repeatatleast": (1, 1), "repeatrange": (1, 2),
}  # fmt: skip


def _write(name: str, parts: list[str]) -> str:
    body = parts[0]
    match name:
        case "concat":
            return f"({body})({parts[1]})"
        case "and":
            return f"({body})&({parts[1]})"
        case "or":
            return f"({body})|({parts[1]})"
        case "not":
            return f"~({body})"
        case "notcc":  # one character that is not in the class
            if body == ".":
                raise ValueError("notcc(<any>) holds no character")
            if body.startswith("["):
                return f"[^{body[1:-1]}]"
            if len(body.lstrip("\\")) > 1:
                raise ValueError("notcc of more than one character")
            return f"[^{body}]"
        case "star":
            return f"({body})*"
        case "optional":
            return f"({body})?"
        case "contain":
            return f".*({body}).*"
        case "startwith":
            return f"({body}).*"
        case "endwith":
            return f".*({body})"
        case "repeat":
            return f"({body}){{{parts[1]}}}"
        case "repeatatleast":
            return f"({body}){{{parts[1]},}}"
        case "repeatrange":
            if int(parts[1]) > int(parts[2]):
                raise ValueError(f"repeatrange from {parts[1]} to {parts[2]}")
            return f"({body}){{{parts[1]},{parts[2]}}}"
    return body


def _quoted(text: str) -> str:
    return "".join(c if c.isalnum() or ord(c) > 127 else f"\\{c}" for c in text)
