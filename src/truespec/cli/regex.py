"""`truespec regex`: everyday questions about regular expressions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from truespec.api import DEFAULT_TIMEOUT
from truespec.cli.common import EXIT_CODES, Seconds, TextCommand, describe, echo, read_context, read_text
from truespec.cli.lazy import Group
from truespec.untrusted.outputs import check_apart
from truespec.verdict import UsageError


@click.group(cls=Group)
def regex() -> None:
    """Everyday questions about regular expressions."""


@regex.command("explain", cls=TextCommand, context_settings={"ignore_unknown_options": True})
@click.argument("a")
@click.argument("b")
@click.option("--context", metavar="FILE", help="JSON file with the dialect, flags and kind of match.")
@click.option("--examples", type=click.IntRange(1, 1000), default=5, show_default=True, help="Of each kind.")
@click.option("--svg", type=click.Path(path_type=Path), help="Also draw both minimal automata.")
@click.option("--timeout", type=Seconds(), default=DEFAULT_TIMEOUT, show_default=True, help="Seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explain(
    a: str, b: str, context: str | None, examples: int, svg: Path | None, timeout: float, as_json: bool
) -> None:
    """What do the patterns A and B both match, and what only one of them?

    The examples are the shortest strings of each kind; each was confirmed by matching both patterns. A
    pattern given as @FILE is read from that file.

    Exit code: 0 the two are equivalent, 1 they differ, 3 unknown, 4 B is invalid, 2 wrong call or A is
    invalid.
    """
    import truespec
    from truespec.domains.regex.explain import explain as explained
    from truespec.domains.registry import load
    from truespec.solvers.limit import Limit
    from truespec.verdict import Answer, OracleError, Undecided

    named = (argument for argument in (a, b, f"@{context or ''}") if len(argument) > 1 and argument[0] == "@")
    check_apart(svg, (Path(argument[1:]) for argument in named))
    raw = read_context(context)
    texts = read_text(a), read_text(b)
    try:
        verdict = truespec.verify("regex", *texts, raw, timeout)
    except OracleError as error:
        raise UsageError("A: " + str(error).removeprefix("oracle: ")) from None
    shown: dict[str, Any] = {"a": texts[0], "b": texts[1], "verdict": verdict.to_json()}
    lines = [describe(verdict).replace("candidate: ", "B: ", 1 if verdict.answer is Answer.INVALID else 0)]
    if verdict.answer is not Answer.INVALID and not (
        verdict.reason and verdict.reason.code.value == "unsupported"
    ):
        domain = load("regex")
        read = domain.read_context(raw, texts[0])
        try:
            found = explained(
                domain.parse(texts[0], read),
                domain.parse(texts[1], read),
                read,
                examples,
                Limit.start(timeout),
            )
        except Undecided as error:
            raise UsageError(f"no examples: {error}") from None
        for region in found.regions:
            lines.append(_described(region))
            shown[region.name] = {
                "examples": list(region.examples),
                "complete": region.complete,
                "note": region.note or None,
            }
        shown["automata"] = list(found.automata)
        if svg:
            from truespec.reports.automaton import draw

            svg.write_text(draw([*zip((f"A  {texts[0]}", f"B  {texts[1]}"), found.automata)]), "utf-8")
            lines.append(f"automata drawn to {svg}")
    if svg and "automata" not in shown:
        lines.append(f"{svg} was not written: there are no automata to draw")
        shown["automata"] = None
    echo(json.dumps(shown, ensure_ascii=True) if as_json else "\n".join(lines))
    sys.exit(EXIT_CODES[verdict.answer])


def _described(region: Any) -> str:
    name = {"only A": "only A matches", "only B": "only B matches", "both": "both match"}[region.name]
    if region.examples:
        text = "  ".join(json.dumps(one, ensure_ascii=False) for one in region.examples)
        text += "" if region.complete else "  ..."
    else:
        text = "nothing" if region.complete else "no example found"
    return f"{name:15} {text}" + (f"  ({region.note})" if region.note else "")
