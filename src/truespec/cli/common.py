"""What several commands share: reading texts and contexts, printing verdicts."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truespec.untrusted.inputs import text_of
from truespec.verdict import Answer, Counterexample, Proof, UsageError, Verdict

EXIT_CODES = {Answer.EQUIVALENT: 0, Answer.REFUTED: 1, Answer.UNKNOWN: 3, Answer.INVALID: 4}
"""The exit code of `truespec verify` by answer; 2 is a wrong call or an unusable oracle."""

if TYPE_CHECKING:
    _FloatType = click.ParamType[float]
else:
    _FloatType = click.ParamType  # generic from click 8.4 on only


class Seconds(_FloatType):
    """A positive number of seconds."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; anything else is a wrong call."""
        try:
            seconds = float(str(value))
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < 1e6:
            self.fail(f"{value} is no positive number of seconds below 1000000", param, ctx)
        return seconds


class TextCommand(click.Command):
    """A command whose texts may begin with a dash: what is no option of ours is a text.

    What looks like one of ours misspelt is refused: it would be decided as a text without a word.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [name for one in self.params for name in one.opts if name[:2] == "--"]
        for word in (found[1] for one in takewhile("--".__ne__, args) if (found := _OPTION.fullmatch(one))):
            from difflib import get_close_matches

            near = get_close_matches(word, options, 1, _ALIKE)
            if near and word not in options:
                said = f"no such option: {word}. Did you mean {near[0]}? A text like this stands behind '--'"
                raise click.UsageError(said, ctx)
        return super().parse_args(ctx, args)


_OPTION = re.compile(r"(--[a-z][a-z-]*)(?:=.*)?", re.DOTALL)
_ALIKE = 0.75
"""The ratio of `difflib` from which a word counts as an option misspelt; `--n`, a text, is below."""


executor_option = click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where workers run: ray takes the cluster of RAY_ADDRESS, or starts one here; --jobs is per node.",
)


def read_text(argument: str) -> str:
    """The argument itself, or the contents of FILE for `@FILE`; one final line break of a file is dropped."""
    if not argument.startswith("@"):
        return _decoded(argument)
    path = Path(argument[1:])
    if not os.path.exists(path):
        raise UsageError(f"{path}: No such file; a text that itself begins with @ has to stand in one")
    return read_file(path)


def read_file(path: Path) -> str:
    """The contents of a file, without one final line break."""
    return text_of(path).removesuffix("\n").removesuffix("\r")


def _decoded(argument: str) -> str:
    """An argument in UTF-8, also where the locale cannot say so."""
    if not any("\udc80" <= letter <= "\udcff" for letter in argument):
        return argument
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def read_context(path: str | None) -> dict[str, object]:
    """The context of a JSON file."""
    if path is None:
        return {}
    try:
        from truespec.store.pairs import parse_json  # with SQLite, which few commands need

        context = parse_json(read_file(Path(path)))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    if not isinstance(context, dict):
        raise UsageError(f"{path}: a context is a JSON object")
    return context


def describe(verdict: Verdict) -> str:
    """A verdict in a few lines."""
    relation = f" ({verdict.relation.value} than the oracle)" if verdict.relation else ""
    if verdict.relation and verdict.relation.value == "incomparable":
        relation = " (incomparable with the oracle)"
    lines = [f"{verdict.answer.value}{relation}  [{verdict.method}, {verdict.seconds:.3g} s]"]
    match verdict.evidence:
        case Counterexample() as found:
            point = json.dumps(dict(found.point), ensure_ascii=False)
            lines.append(f"  counterexample  {point}")
            if "word" in found.extra:
                lines.append(f"  as a word       {found.extra['word']}")
            if found.extra.get("shortest") is False:
                lines.append("  shortest        not known: a shorter one may exist")
            lines += [
                f"  oracle          {json.dumps(found.oracle_value, ensure_ascii=False)}",
                f"  candidate       {json.dumps(found.candidate_value, ensure_ascii=False)}",
                f"  replayed by     {found.replayed_by}",
            ]
        case Proof() as proof:
            lines.append(f"  proof by        {proof.by}")
            lines.append(f"  trusts          {', '.join(proof.trusts)}")
            if proof.confirmed_by:
                lines.append(f"  confirmed by    {', '.join(proof.confirmed_by)}")
    if verdict.reason:
        lines.append(f"  {verdict.reason.code.value}: {verdict.reason.detail}")
    assumed = verdict.notes.get("assumed")
    if isinstance(assumed, Mapping):
        for name, value in assumed.items():
            lines.append(f"  assumed         {name} {value}: the context names none")
    return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "line"), counted(2, "line")
    ('1 line', '2 lines')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def echo(text: str) -> None:
    """Print text whatever the terminal's encoding, lone surrogates included."""
    click.echo(text.encode("utf-8", "backslashreplace").decode("utf-8"))
