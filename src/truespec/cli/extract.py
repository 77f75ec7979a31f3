"""The work of `truespec rules extract`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from truespec.executors.extract import Extractor, Policy
from truespec.executors.trace_input import joins_of
from truespec.extraction.ask import POLICY, source_key
from truespec.extraction.measure import Measured, measure
from truespec.extraction.read import Extraction
from truespec.extraction.write import joined, scenarios, summary, to_yaml
from truespec.metrics.proportion import Proportion
from truespec.metrics.table import share
from truespec.models.call import Settings
from truespec.models.registry import open_model
from truespec.rules.compare import Toolbox
from truespec.rules.language import load_file
from truespec.rules.rule import Rule
from truespec.store.calls import CallLedger
from truespec.traces.importers.registry import files_below, nothing_in, read
from truespec.traces.joins import kinds_in, tools_in
from truespec.traces.record import to_line
from truespec.traces.trace import Source, Trace
from truespec.untrusted.inputs import text_of
from truespec.untrusted.outputs import check_apart, check_distinct
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError


def run_extract(
    paths: tuple[Path, ...],
    model: str | None,
    prompt: Path | None,
    tools: Path | None,
    types: Path | None,
    folder: Path | None,
    categories: str,
    output: Path | None,
    scenario_file: Path | None,
    report_file: Path | None,
    against: Path | None,
    ledger_file: Path | None,
    concurrency: int,
    temperature: float,
    max_tokens: int | None,
    structured: bool,
    second: str | None,
) -> int:
    """Extract, write what was asked for, and print the counts; the exit code."""
    wanted = [name.strip() for name in categories.split(",") if name.strip()]
    if strange := [name for name in wanted if name not in (*POLICY, "argument")]:
        raise UsageError(f"no category {strange[0]!r}; there are {', '.join((*POLICY, 'argument'))}")
    if second is not None and model is None:
        raise UsageError("--second-model formalises again what --model has extracted: name that one, too")
    if model is None:
        wanted = [name for name in wanted if name not in POLICY]
        if not wanted:
            raise UsageError(f"{categories} takes a model: name one with --model")
    check_distinct(output, scenario_file, report_file, ledger_file)
    for written in (output, scenario_file, report_file):
        check_apart(written, (*paths, prompt, tools, types, against))
    sources = _sources(paths, prompt, tools, types, folder)
    if against is not None and len(sources) != 1:
        raise UsageError("--against compares with the rules of one prompt")
    if len(sources) > 1 and output is not None and output.suffix in (".yml", ".yaml"):
        raise UsageError(f"there are {len(sources)} different prompts: name a folder with -o, not a file")
    with ExitStack() as closing:
        models = {}
        if model is not None:
            models[model] = open_model(model)
            closing.callback(models[model].close)
            if second is not None and second != model:
                models[second] = open_model(second)
                closing.callback(models[second].close)
        if ledger_file is None:
            place = Path(closing.enter_context(tempfile.TemporaryDirectory()))
            ledger_file = place / "calls.sqlite" if output is None else _beside(output)
        ledger_file.parent.mkdir(parents=True, exist_ok=True)
        ledger = closing.enter_context(CallLedger(ledger_file))
        settings = Settings(temperature, None, max_tokens)
        extractor = Extractor(
            models,
            ledger,
            model or "",
            settings,
            concurrency,
            categories=wanted,
            structured=structured,
            second=second or "",
        )
        extractor.extract(sources.values())
    policies = extractor.policies
    for key, trace in sources.items():
        _write(policies[key], trace, model, output, len(sources) > 1)
    total = joined(policy.extraction for policy in policies.values())
    if scenario_file is not None:
        scenario_file.write_text("".join(to_line(t) + "\n" for t in scenarios(total)), encoding="utf-8")
    record: dict[str, Any] = {"model": model, "prompts": len(sources), **summary(total)}
    lost = {f"{key}/{category}": why for key, p in policies.items() for category, why in p.lost.items()}
    record["lost"] = lost
    if against is not None:
        record["against"] = _measured(_compared(total, load_file(against), *sources.values()))
    if report_file is not None:
        report_file.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    _tell(record)
    return 1 if lost else 0


def _compared(total: Extraction, reference: Sequence[Rule], trace: Trace) -> Measured:
    """How far the extracted rules are those that were written by hand for the same prompt."""
    extracted = [one.rule for one in total.rules if one.rule.category != "argument"]
    return measure(extracted, reference, trace.system_prompt or "", Toolbox(trace.tools))


def _sources(
    paths: tuple[Path, ...], prompt: Path | None, tools: Path | None, types: Path | None, folder: Path | None
) -> dict[str, Trace]:
    """One trace for each distinct prompt and set of tools."""
    found: dict[str, Trace] = {}
    if not paths:
        if prompt is None and tools is None:
            raise UsageError("nothing to read: give --prompt and --tools, or files with traces")
        schemas = tools_in(tools, kinds_in(types) if types else None) if tools else None
        text = text_of(prompt) if prompt else None
        name = str(prompt or tools)
        trace = Trace(name, (), Source("prompt", name, "", ""), system_prompt=text, tools=schemas)
        return {source_key(trace): trace}
    budget = Budget()
    for path in files_below(paths, None, lambda folder: click.echo(str(nothing_in(folder)), err=True)):
        for item in read(path, None, joins_of(folder, tools, prompt, types), budget):
            if isinstance(item, Trace):
                found.setdefault(source_key(item), item)
            else:
                click.echo(str(item), err=True)
    if not found:
        raise UsageError("no trace could be read")
    return found


def _beside(output: Path) -> Path:
    if output.suffix in (".yml", ".yaml"):
        return output.with_name(output.name + ".calls.sqlite")
    return output / "calls.sqlite"


def _write(policy: Policy, trace: Trace, model: str | None, output: Path | None, many: bool) -> None:
    head = [
        f"Extracted by {model or 'no model'} from {trace.source.file}",
        f"Prompt {trace.prompt_sha256 or 'unknown'}",
    ]
    head += [f"Not extracted: {category}: {why}" for category, why in policy.lost.items()]
    text = to_yaml(policy.extraction, [" ".join(line.split()) for line in head])
    if output is None:
        click.echo(text, nl=False)
    elif many or output.suffix not in (".yml", ".yaml"):
        output.mkdir(parents=True, exist_ok=True)
        (output / f"{policy.key}.yml").write_text(text, encoding="utf-8")
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")


def _measured(found: Measured) -> dict[str, Any]:
    return {
        "extracted": found.extracted,
        "reference": found.reference,
        "matched": len(found.matches),
        "relations": dict(found.relations),
        "matches": [
            {"extracted": m.extracted.id, "reference": m.reference.id, "relation": m.relation}
            for m in found.matches
        ],
    }


def _tell(record: dict[str, Any]) -> None:
    routes = record["routes"]
    counts = ", ".join(f"{count} {category}" for category, count in record["categories"].items())
    click.echo(f"{record['rules']} rules from {record['prompts']} prompts: {counts or 'none'}", err=True)
    checked = Proportion(routes.get("deterministic", 0), record["rules"])
    click.echo(
        f"checked by monitors: {share(checked)}; left to judges: {routes.get('semantic', 0)}", err=True
    )
    for why, count in record["why"].items():
        click.echo(f"  {count:4} {why}", err=True)
    for name, statuses in record["checks"].items():
        if statuses:
            said = ", ".join(f"{count} {status}" for status, count in statuses.items())
            click.echo(f"check {name}: {said}", err=True)
    repeats = f"; said again by others: {len(record['merged'])}" if record["merged"] else ""
    click.echo(f"dropped: {record['dropped']}{repeats}", err=True)
    for place, why in record["lost"].items():
        click.echo(f"not extracted: {place}: {why}", err=True)
    against = record.get("against")
    if against:
        matched = against["matched"]
        click.echo(f"precision {share(Proportion(matched, against['extracted']))}", err=True)
        click.echo(f"recall    {share(Proportion(matched, against['reference']))}", err=True)
        said = ", ".join(f"{count} {relation}" for relation, count in against["relations"].items())
        click.echo(f"formal parts of matched rules: {said or 'none'}", err=True)
