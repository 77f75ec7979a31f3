"""RegExLib expressions with recorded answers of language models (the data of a study on ReDoS)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from truespec.benchmark.sources._regex import files, json_lines, relative, require
from truespec.benchmark.task import Origin, PairRecord, Skipped, Task
from truespec.domains.regex.parse import parse, read_context
from truespec.verdict import SpecificationError, Undecided

CONTEXT: dict[str, object] = {"dialect": "python", "match": "search"}
"""Upstream's examples fit the expressions as searches: 760 of 762 sets of examples do."""


def read(folder: Path) -> Iterator[Task | PairRecord | Skipped]:
    """Tasks from `prompts.jsonl`; a pair for every recorded completion.

    `upstream_label` is upstream's `passed`, which came from a checker that knows neither anchors nor `\\d`.
    """
    gold: dict[object, Task] = {}
    prompts = require(files(folder, "prompts.jsonl"), folder, "prompts.jsonl")[0]
    for number, record in json_lines(prompts):
        origin = Origin("redos", relative(prompts, folder), f"line {number}")
        made = _task(record, origin)
        if isinstance(made, Task):
            if record["id"] in gold:  # type: ignore[index]
                made = Skipped(origin, f"a second record with id {record['id']!r}")  # type: ignore[index]
            else:
                gold[record["id"]] = made  # type: ignore[index]
        yield made
    for path in files(folder, "*_DFA_Result*.jsonl"):
        yield from _pairs(folder, path, gold)


def _task(record: object, origin: Origin) -> Task | Skipped:
    match record:
        case {"id": int() | str() as key, "expression": str(oracle), "raw_prompt": str(statement), **rest}:
            pass
        case str():
            return Skipped(origin, record)
        case _:
            return Skipped(origin, "expected 'id', 'expression' and 'raw_prompt'")
    tags: tuple[str, ...] = ()
    try:
        parse(oracle, read_context(CONTEXT))
    except SpecificationError as error:
        return Skipped(origin, f"the expression {oracle!r}: {error}")
    except Undecided:
        tags = ("not-regular",)
    examples = {"positive": rest.get("matches", []), "negative": rest.get("non_matches", [])}
    extra = {"examples": examples}
    return Task(f"redos/{key}", "regex", statement, dict(CONTEXT), oracle, origin, tags, extra)


def _pairs(folder: Path, path: Path, gold: dict[object, Task]) -> Iterator[PairRecord | Skipped]:
    model = path.name.split("_DFA_Result")[0].replace("_Output_raw", "")
    seen: dict[object, int] = {}
    for number, record in json_lines(path):
        origin = Origin("redos", relative(path, folder), f"line {number}")
        match record:
            case {"id": int() | str() as key, "completion": str(completion), **rest}:
                pass
            case _:
                reason = record if isinstance(record, str) else "expected 'id' and 'completion'"
                yield Skipped(origin, reason)
                continue
        task = gold.get(key)
        if task is None:
            yield Skipped(origin, f"no usable expression has id {key!r}")
            continue
        seen[key] = seen.get(key, 0) + 1
        yield PairRecord(
            f"redos/{model}/{key}/{seen[key]}",
            "regex",
            dict(CONTEXT),
            task.oracle,
            completion,
            origin,
            upstream_label=rest.get("passed"),
            extra={"model": model, "statement": task.statement},
        )
