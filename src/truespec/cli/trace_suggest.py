"""`truespec trace suggest`: proposed repairs, replayed where they can be."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from truespec.cli.grouped import grouped
from truespec.cli.trace_check import TYPES_OPTION
from truespec.cli.trace_options import (
    FORMAT_OPTION,
    JOIN_OPTIONS,
    REDACT_OPTIONS,
    RULE_OPTIONS,
    ProblemReport,
    RedactChoice,
)
from truespec.executors.trace_check import Joining, RuleChoice
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from truespec.compliance.suggest import Repair
    from truespec.traces.redact import Hiding


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@grouped("rules", RuleChoice, *RULE_OPTIONS)
@FORMAT_OPTION
@click.option("--most", type=click.IntRange(1, 1000), default=10, show_default=True, help="Rules at most.")
@click.option("--model", help="Model that writes the words for the prompt.  [default: the rule's own words]")
@click.option(
    "--ledger",
    "ledger_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the model's replies are kept, so that none is asked for twice.  [default: not kept]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per rule.")
@grouped("redact", RedactChoice, *REDACT_OPTIONS)
@grouped("joining", Joining, *JOIN_OPTIONS, TYPES_OPTION)
def suggest(
    paths: tuple[Path, ...],
    rules: RuleChoice,
    form: str | None,
    most: int,
    model: str | None,
    ledger_file: Path | None,
    as_json: bool,
    redact: RedactChoice,
    joining: Joining,
) -> None:
    """Propose repairs for the rules that most traces break.

    PATHS are files or folders of traces. Three kinds are proposed: a guard that blocks the act, keywords for
    a tool's schema that the breaking calls do not fit and all others do, and words for the prompt. Guards
    and schemas are replayed over the traces; the violations that each would have prevented are listed, and
    the acts that it would have refused without need. Words cannot be replayed and are not called verified.
    With --model a model writes them; it names the passage of the prompt and cites messages, and an answer
    whose passage or citation cannot be found is sent back. --redact hides values from it.

    Exit code: 0; 1 where no trace could be read or the model gave no words for a rule; 2 for a wrong call.
    """
    from truespec.compliance.suggest import SHOWN, repairs
    from truespec.executors.rulefiles import load_rule_files
    from truespec.executors.trace_input import joins_of, traces_of
    from truespec.traces.files import Problem
    from truespec.traces.trace import Trace

    hiding = redact.hiding()
    if model is None and (ledger_file is not None or hiding):
        raise UsageError("--ledger and --redact are about what a model is asked: name one with --model")
    packs = rules.packs or (() if rules.files else ("all",))
    loaded, _ = load_rule_files(rules.files, packs, rules.settings)
    report = ProblemReport(paths)
    traces: list[Trace] = []
    joins = joins_of(joining.folder, joining.tools, joining.prompt, joining.types)
    for item in traces_of(paths, form, joins):
        if isinstance(item, Problem):
            report.show(item)
        else:
            traces.append(item)
    report.end()
    if not traces:
        click.echo("no trace could be read", err=True)
        raise SystemExit(1)
    found = repairs(traces, loaded, most)
    lost = 0
    if model is not None:
        found, lost = _worded(found, model, ledger_file, hiding)
    if not found and not as_json:
        click.echo(f"{len(traces)} traces: no rule is broken")
    for repair in found:
        if as_json:
            click.echo(json.dumps(repair.record()))
        else:
            for line in _lines(repair):
                click.echo("".join(char if char.isprintable() else "\ufffd" for char in line))
    if any(len(p.prevented) > SHOWN for r in found for p in r.proposals) and as_json:
        click.echo(f"lists hold at most {SHOWN} places", err=True)
    if lost:
        raise SystemExit(1)


def _worded(
    found: list[Repair], name: str, ledger_file: Path | None, hiding: Hiding
) -> tuple[list[Repair], int]:
    """The repairs with a model's words, and how many rules it gave none for; each is said."""
    from truespec.executors.suggest import worded
    from truespec.models.registry import open_model
    from truespec.store.calls import CallLedger

    with ExitStack() as closing:
        opened = open_model(name)
        closing.callback(opened.close)
        if ledger_file is None:
            ledger_file = Path(closing.enter_context(tempfile.TemporaryDirectory())) / "calls.sqlite"
        ledger_file.parent.mkdir(parents=True, exist_ok=True)
        ledger = closing.enter_context(CallLedger(ledger_file))
        made = worded(found, {name: opened}, name, ledger, hide=hiding.redactor().trace)
    lost = [one for one in made if one.problem]
    for one in lost:
        click.echo(f"{one.repair.rule.id}: no words of {name}: {one.problem}", err=True)
    return [one.repair for one in made], len(lost)


def _lines(repair: Repair) -> Iterator[str]:
    rule = repair.rule
    place = f"{repair.violations} violations in {repair.traces} of {repair.checked} traces"
    if repair.unknown:
        place += f", not evaluated in {repair.unknown}"
    yield f"{rule.id} ({rule.severity}): {place}"
    yield f"  {rule.text}"
    for proposal in repair.proposals:
        yield f"  - {proposal.kind}: {proposal.text}"
        if proposal.kind == "schema":
            yield f"      {json.dumps(proposal.change['parameters'], ensure_ascii=False)}"
        if not proposal.verified:
            for one in proposal.change.get("because", ()):
                quote = " ".join(one["quote"].split())
                yield f'      because of {one["trace"]}@{one["message_index"]}: "{quote}"'
            yield "      not verified: words cannot be replayed"
            continue
        needless = len(proposal.refused)
        also = f"; would also refuse {needless} acts that broke nothing" if needless else ""
        yield f"      replayed: prevents {len(proposal.prevented)} of {repair.violations}{also}"
        more = len(proposal.prevented) - 3
        yield f"      {', '.join(proposal.prevented[:3])}{f' and {more} more' if more > 0 else ''}"
