"""`truespec trace`: import traces, check them, report on them."""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from truespec.cli.analyze import analyze, artifacts_of, select
from truespec.cli.progress import Progress
from truespec.traces.files import Problem, TraceFile, on_disk
from truespec.traces.importers.registry import IMPORTERS, files_below, read, read_file
from truespec.traces.importers.shared import tool_schemas
from truespec.traces.joins import Joins
from truespec.traces.record import to_line
from truespec.traces.redact import PATTERNS, Redactor
from truespec.traces.trace import Trace
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def trace() -> None:
    """Traces of agents: import them, check them against rules, report what was found.

    What gzip and zip files unpack to is bounded, per file and per command. Environment variables set the
    bounds: TRUESPEC_UNPACK_FILE_BYTES and TRUESPEC_UNPACK_TOTAL_BYTES (with K, M, G or T),
    TRUESPEC_UNPACK_RATIO, TRUESPEC_UNPACK_FILE_SECONDS and TRUESPEC_UNPACK_TOTAL_SECONDS.
    """


def joins_of(
    folder: Path | None, tools: Path | None, prompt: Path | None, types: Path | None = None
) -> Joins | None:
    """The joins that the options name; None lets each file look beside itself."""
    if folder is None and tools is None and prompt is None and types is None:
        return None
    from truespec.traces.files import loads

    return Joins(
        folder,
        tool_schemas(loads(tools.read_bytes())) if tools else None,
        prompt.read_text(encoding="utf-8") if prompt else None,
        types,
    )


JOIN_OPTIONS = (
    click.option(
        "--join",
        "folder",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder with agent_prompts.json and <domain>/tools.json, tool_types.json, policy.md. "
        "Without it, a folder 'domains' beside a file is used.",
    ),
    click.option(
        "--tools",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="JSON list of tool schemas for traces that hold none.",
    ),
    click.option(
        "--prompt",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="System prompt for traces that hold none.",
    ),
)


FOREIGN_SHOWN = 3
"""Files of no known format that are named when a folder holds many."""


class Told:
    """Problems on standard error. Of the foreign files in a folder only the first few are named."""

    def __init__(self, named: Iterable[Path]) -> None:
        self.named = {str(path) for path in named}
        self.foreign = 0

    def tell(self, problem: Problem) -> None:
        """Say what could not be read."""
        if problem.foreign and problem.file not in self.named:
            self.foreign += 1
            if self.foreign > FOREIGN_SHOWN:
                return
        click.echo(str(problem), err=True)

    def end(self) -> None:
        """Say how many files were not named."""
        if self.foreign > FOREIGN_SHOWN:
            click.echo(f"... and {self.foreign - FOREIGN_SHOWN} more files of no known format", err=True)


@trace.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output."
)
@click.option(
    "--format", "form", type=click.Choice(list(IMPORTERS)), help="Default: recognised by the content."
)
@click.option(
    "--redact",
    type=click.Choice(["all", *PATTERNS]),
    multiple=True,
    help="Hide values of this kind; repeatable.",
)
@click.option("--strict", is_flag=True, help="Exit 1 where anything was dropped or any problem was met.")
@click.option("--json", "as_json", is_flag=True, help="The ledgers as JSON lines on standard error.")
@JOIN_OPTIONS[0]
@JOIN_OPTIONS[1]
@JOIN_OPTIONS[2]
def import_(
    paths: tuple[Path, ...],
    output: Path | None,
    form: str | None,
    redact: tuple[str, ...],
    strict: bool,
    as_json: bool,
    folder: Path | None,
    tools: Path | None,
    prompt: Path | None,
) -> None:
    """Turn traces of any supported format into one JSON line each.

    PATHS are files or folders. What cannot be read is reported on standard error with its place and costs
    nothing else. Below it stands the ledger of each file in which something was dropped or paired by a rule:
    spans, items, calls and results seen, taken and dropped. Exit 0 when at least one trace was read, 1 when
    none was, or with --strict where a file was not read without loss.
    """
    joins = joins_of(folder, tools, prompt)
    kinds = tuple(PATTERNS) if "all" in redact else redact
    stream = output.open("w", encoding="utf-8") if output else sys.stdout
    count = problems = losses = 0
    told, budget = Told(paths), Budget()
    try:
        for path in files_below(paths):
            file = TraceFile(path, budget)
            for item in read_file(file, form, joins):
                if isinstance(item, Problem):
                    problems += 1
                    told.tell(item)
                else:
                    count += 1
                    stream.write(to_line(Redactor(kinds).trace(item) if kinds else item) + "\n")
            losses += not file.ledger.lossless
            _tell_ledger(file, as_json)
    finally:
        if output:
            stream.close()
    told.end()
    if not as_json:
        lossy = f", {losses} files with losses" if losses else ""
        click.echo(f"{count} traces, {problems} problems{lossy}", err=True)
    sys.exit(0 if count and not (strict and (problems or losses)) else 1)


def _tell_ledger(file: TraceFile, as_json: bool) -> None:
    """What became of a file: as JSON always, in words where there is something to say."""
    ledger = file.ledger
    if as_json:
        click.echo(json.dumps({"file": str(file), **ledger.record()}), err=True)
    elif not ledger.lossless or ledger.rules:
        click.echo(f"{file}:", err=True)
        for line in ledger.lines():
            click.echo(f"  {line}", err=True)


def load_rule_files(
    files: tuple[Path, ...], packs: tuple[str, ...], settings: tuple[str, ...]
) -> tuple[list[Any], str]:
    """The rules of files and packs, and a hash of their texts. Settings are `pack.parameter=YAML`."""
    from truespec.compliance.run import rules_key
    from truespec.rules.language import file_text, load_rules, load_yaml
    from truespec.rules.packs import pack, pack_names, pack_text
    from truespec.rules.sets import TAU2, rule_set, set_names, set_text

    groups = {"all": pack_names(), TAU2: set_names()}
    names = [name for entry in packs for name in groups.get(entry, [entry])]
    chosen: dict[str, dict[str, Any]] = {}
    for setting in settings:
        target, equals, value = setting.partition("=")
        name, dot, parameter = target.partition(".")
        if not equals or not dot or name not in names:
            raise UsageError(f"--set {setting!r}: expected PACK.PARAMETER=VALUE for a pack that is used")
        chosen.setdefault(name, {})[parameter] = load_yaml(value)
    rules: list[Any] = []
    texts = list(settings)
    for name in dict.fromkeys(names):
        if name in set_names():
            rules += rule_set(name)
            texts.append(set_text(name))
        else:
            rules += pack(name, chosen.get(name))
            texts.append(pack_text(name))
    for path in files:
        text = file_text(path)
        rules += load_rules(text, path.name)
        texts.append(text)
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise UsageError(f"two rules are called {rule.id!r}")
        seen.add(rule.id)
    if not rules:
        raise UsageError("no rules: name files with --rules or packs with --pack")
    return rules, rules_key(texts)


RULE_OPTIONS = (
    click.option(
        "--rules",
        "files",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="YAML file of rules; repeatable.",
    ),
    click.option(
        "--pack",
        "packs",
        multiple=True,
        help="Built-in pack or rule set; 'all' packs; the sets airline, retail, telecom together are 'tau2'.",
    ),
    click.option("--set", "settings", multiple=True, metavar="PACK.NAME=VALUE", help="A pack's parameter."),
)


def traces_of(paths: tuple[Path, ...], form: str | None, joins: Joins | None) -> Iterator[Trace | Problem]:
    """Every trace below the paths, with problems in their places; `-` reads lines from standard input."""
    budget = Budget()
    for path in files_below(path for path in paths if str(path) != "-"):
        yield from read(path, form, joins, budget)
    if any(str(path) == "-" for path in paths):
        with tempfile.TemporaryDirectory() as folder:
            # On disk, not in memory: the format is told by the start, the hash is of the whole.
            copy = Path(folder) / "stdin.jsonl"
            with copy.open("wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)
            yield from read(copy, form, joins or Joins(), budget)


@trace.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@RULE_OPTIONS[0]
@RULE_OPTIONS[1]
@RULE_OPTIONS[2]
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="JSONL of artifacts, or a folder for one file each.",
)
@click.option(
    "--format", "form", type=click.Choice(list(IMPORTERS)), help="Default: recognised by the content."
)
@click.option("--resume", is_flag=True, help="Keep the artifacts that the output already holds.")
@click.option(
    "--fail-on",
    type=click.Choice(["low", "medium", "high", "critical"]),
    help="Exit 1 on such a violation or worse.",
)
@click.option(
    "--fail-on-skipped",
    is_flag=True,
    help="Exit 1 where any rule could not be evaluated; rules that say 'required: true' always do.",
)
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False, path_type=Path), help="JUnit XML for CI."
)
@click.option(
    "--sarif", "sarif_file", type=click.Path(dir_okay=False, path_type=Path), help="SARIF 2.1.0 for CI."
)
@click.option(
    "--scoring",
    "scoring_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML with other weights, tiers, penalties or share for blocked acts.",
)
@click.option(
    "--model", help="Judge what no monitor can check: a name of Inspect AI, recorded:FILE, python:M:F."
)
@click.option(
    "--evaluators",
    "--evaluator",
    "chosen",
    multiple=True,
    help="Only these, e.g. output_spec,predicted_plan; repeatable.  [default: all seven]",
)
@click.option(
    "--extractor",
    help="Model that first extracts rules, plans and final states from each prompt; 'self' is the judge.",
)
@click.option(
    "--ledger",
    "ledger_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where replies are kept.  [default: beside the output]",
)
@click.option(
    "--concurrency", type=click.IntRange(1, 512), default=8, show_default=True, help="Calls at once."
)
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the judge.")
@click.option(
    "--structured",
    is_flag=True,
    help="Ask the server to hold replies to a JSON Schema (llama.cpp and servers like it).",
)
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply.")
@click.option(
    "--budget",
    type=click.IntRange(2000),
    default=120_000,
    show_default=True,
    help="Characters of one prompt; longer traces are read in parts.",
)
@click.option("--quiet", is_flag=True, help="No progress and no table.")
@click.option(
    "--redact",
    type=click.Choice(["all", *PATTERNS]),
    multiple=True,
    help="Hide values of this kind in the output, and from models.",
)
@JOIN_OPTIONS[0]
@JOIN_OPTIONS[1]
@JOIN_OPTIONS[2]
@click.option(
    "--types",
    type=click.Path(exists=True, path_type=Path),
    help="tool_types.json, or a folder with <domain>/tool_types.json.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=None, help="Workers for monitors.  [default: one per core]"
)
def check(
    paths: tuple[Path, ...],
    files: tuple[Path, ...],
    packs: tuple[str, ...],
    settings: tuple[str, ...],
    output: Path | None,
    form: str | None,
    resume: bool,
    fail_on: str | None,
    fail_on_skipped: bool,
    junit_file: Path | None,
    sarif_file: Path | None,
    scoring_file: Path | None,
    model: str | None,
    chosen: tuple[str, ...],
    extractor: str | None,
    ledger_file: Path | None,
    concurrency: int,
    temperature: float,
    max_tokens: int | None,
    budget: int,
    structured: bool,
    quiet: bool,
    redact: tuple[str, ...],
    folder: Path | None,
    tools: Path | None,
    prompt: Path | None,
    types: Path | None,
    jobs: int | None,
) -> None:
    """Check traces against rules; one artifact per trace.

    PATHS are files or folders of traces in any supported format; - reads lines from standard input. Without
    --rules, --pack and --extractor, all built-in packs are checked. With --model, the seven evaluators judge
    what no monitor can; answers have to quote the trace, and replies are kept and never asked for again.
    Exit 0, or 1 when --fail-on is given and a violation of that severity or worse was found, when a rule that
    says 'required: true' could not be evaluated, or when no trace could be read.
    """
    from truespec.compliance.evaluators.registry import BY_CATEGORY
    from truespec.compliance.export import junit, sarif
    from truespec.compliance.overview import overview
    from truespec.compliance.run import Tally, kept_lines
    from truespec.compliance.scoring import DEFAULT, read_scoring
    from truespec.executors.checks import check_side_by_side
    from truespec.rules.language import file_text, load_yaml
    from truespec.rules.monitor import RuleSet
    from truespec.rules.rule import SEVERITIES

    # Traces are many small values that all stay: collecting seldom saves a quarter of the time.
    gc.set_threshold(100_000, 20, 50)
    if not files and not packs and extractor is None:
        packs = ("all",)
    rules, key = load_rule_files(files, packs, settings) if files or packs else ([], "")
    scoring = DEFAULT
    if scoring_file:
        text = file_text(scoring_file)
        scoring, key = read_scoring(load_yaml(text, scoring_file.name)), f"{key}:{text}"
    wanted = _evaluators(chosen)
    if chosen:
        rules = [rule for rule in rules if BY_CATEGORY[rule.category].name in wanted]
        key = f"{key}:{','.join(wanted)}"
    joins = joins_of(folder, tools, prompt, types)
    if model is not None and extractor is None and all(rule.formal is not None for rule in rules):
        click.echo(
            "no semantic rules for --model to judge: give some with --rules, or name an --extractor",
            err=True,
        )
    folder_out = output is not None and output.suffix not in (".jsonl", ".ndjson")
    closing = ExitStack()
    judging = extracts = None
    spent: dict[str, float] = {}
    if model is not None or extractor is not None:
        from truespec.executors.evaluate import check_judged
        from truespec.models.call import Settings

        settings_of = Settings(temperature, None, max_tokens)
        kept = ledger_file or _beside(output, folder_out)
        judging, extracts = _judging(
            closing, model, extractor, wanted, kept, settings_of, budget, concurrency, structured
        )
        key = f"{key}:{model}:{extractor}:{temperature}:{max_tokens}:{budget}"
    done: dict[str, dict[str, Any]] = {}
    if output is not None and resume:
        part = output.with_name(output.name + ".part")
        if not folder_out and part.exists():  # an earlier attempt to resume was killed
            for path in (output, part):
                done.update((record["key"], record) for _, record in kept_lines(path))
            _write(output.with_name(output.name + ".kept"), "".join(_lines(done)))
            output.with_name(output.name + ".kept").replace(output)
            part.unlink()
        if folder_out:
            for path in sorted(output.glob("*.json")) if output.is_dir() else ():
                done.update((record["key"], record) for _, record in kept_lines(path))
        else:
            done = {record["key"]: record for _, record in kept_lines(output)}
    kinds = tuple(PATTERNS) if "all" in redact else redact
    if judging is not None and kinds:
        judging = replace(judging, hide=lambda trace: Redactor(kinds).trace(trace))
    tally = Tally()
    collected: list[dict[str, Any]] = []
    told = Told(paths)

    def problem(found: Problem) -> None:
        tally.problems += 1
        told.tell(found)

    stream = None
    if output is not None and not folder_out:
        output.parent.mkdir(parents=True, exist_ok=True)
        stream = (
            output.open("w", encoding="utf-8")
            if not resume
            else output.with_name(output.name + ".part").open("w", encoding="utf-8")
        )
    elif output is not None:
        output.mkdir(parents=True, exist_ok=True)
    progress = Progress(quiet)
    try:
        stream_of = traces_of(paths, form, joins)
        checked = (
            check_judged(stream_of, RuleSet(rules), key, judging, done, problem, scoring)
            if judging is not None
            else check_side_by_side(
                stream_of,
                RuleSet(rules),
                key,
                done,
                problem,
                scoring,
                jobs=jobs or len(os.sched_getaffinity(0)),
            )
        )
        for record, new in checked:
            tally.add(record)
            if judging is not None and new:
                for name in ("calls", "input_tokens", "output_tokens", "usd", "seconds"):
                    spent[name] = spent.get(name, 0.0) + (record["judged"][name] or 0)
            done.pop(record["key"], None)
            if kinds:
                redactor = Redactor(kinds)
                for field in ("results", "rules", "checks", "aggregate", "failed_calls"):
                    record[field] = redactor.value(record[field])
            line = json.dumps(record, separators=(",", ":"), default=str) + "\n"
            if stream is not None:
                stream.write(line)
                stream.flush()
            elif output is not None and new:
                _write(output / f"{_safe(record['trace_id'])}-{record['key']}.json", line)
            if junit_file or sarif_file:
                collected.append(record)
            progress.show(f"{tally.traces} traces, {sum(tally.violations.values())} violations")
    except KeyboardInterrupt:
        progress.end()
        if stream is not None and output is not None:
            _keep_earlier(stream, done)
            stream.close()
            if resume:
                output.with_name(output.name + ".part").replace(output)
        hint = f"{output} keeps them; --resume goes on from there" if output else "-o keeps what was checked"
        click.echo(f"stopped after {tally.traces} traces: {hint}", err=True)
        sys.exit(130)
    finally:
        progress.end()
        told.end()
        closing.close()
        if stream is not None:
            stream.close()
    if stream is not None and resume and output is not None:
        output.with_name(output.name + ".part").replace(output)
    if extracts is not None and output is not None:
        _write_rules(extracts, output / "rules" if folder_out else output.with_name(output.name + ".rules"))
    least = frozenset(SEVERITIES[SEVERITIES.index(fail_on) if fail_on else 0 :])
    if junit_file:
        _write(junit_file, junit(collected, least))
    if sarif_file:
        _write(sarif_file, json.dumps(sarif(collected), indent=1) + "\n")
    if not quiet:
        for line in overview(tally):
            click.echo(line)
        if spent:
            cost = f", ${spent['usd']:.4f}" if spent["usd"] else ""
            click.echo(
                f"judged with {spent['calls']:.0f} calls, {spent['input_tokens']:.0f} tokens read, "
                f"{spent['output_tokens']:.0f} written{cost}, {spent['seconds']:.0f} s of calls"
            )
    bad = sum(count for severity, count in tally.violations.items() if severity in least) if fail_on else 0
    skipped = tally.skipped(required=not fail_on_skipped)
    if skipped:
        click.echo(f"not evaluated, so the check fails: {', '.join(skipped)}", err=True)
    sys.exit(1 if bad or skipped or not tally.traces else 0)


def _evaluators(chosen: tuple[str, ...]) -> list[str]:
    """The names of the evaluators that were asked for, in their order; all of them by default."""
    from truespec.compliance.evaluators.registry import EVALUATORS

    known = list(EVALUATORS)
    names = [name.strip() for entry in chosen for name in entry.split(",") if name.strip()]
    for name in names:
        if name not in known and name != "all":
            raise UsageError(f"no evaluator {name!r}; there are {', '.join(known)}")
    return known if not names or "all" in names else [name for name in known if name in names]


def _write_rules(extracts: Any, folder: Path) -> None:
    """The extracted rules, a file for each distinct prompt with its tools, to read and to use again."""
    from truespec.extraction.write import to_yaml

    folder.mkdir(parents=True, exist_ok=True)
    for key, policy in extracts.policies.items():
        head = [f"Extracted by {extracts.name}"]
        head += [f"Not extracted: {name}: {' '.join(why.split())}" for name, why in policy.lost.items()]
        _write(folder / f"{key}.yml", to_yaml(policy.extraction, head))


def _beside(output: Path | None, folder: bool) -> Path | None:
    if output is None:
        return None
    return output / "calls.sqlite" if folder else output.with_name(output.name + ".calls.sqlite")


def _judging(
    closing: ExitStack,
    model: str | None,
    extractor: str | None,
    evaluators: list[str],
    ledger_file: Path | None,
    settings: Any,
    budget: int,
    concurrency: int,
    structured: bool,
) -> tuple[Any, Any]:
    """The judge with its models and ledger open, and the extractor, if any is wanted."""
    from truespec.compliance.evaluators.registry import EVALUATORS
    from truespec.executors.evaluate import Judging
    from truespec.models.registry import open_model
    from truespec.store.calls import CallLedger

    if extractor == "self":
        if model is None:
            raise UsageError("--extractor self: which model? name it with --model")
        extractor = model
    models = {name: open_model(name) for name in dict.fromkeys(filter(None, (model, extractor)))}
    for opened in models.values():
        closing.callback(opened.close)
    if ledger_file is None:
        ledger_file = Path(closing.enter_context(tempfile.TemporaryDirectory())) / "calls.sqlite"
    ledger_file.parent.mkdir(parents=True, exist_ok=True)
    ledger = closing.enter_context(CallLedger(ledger_file))
    asked = tuple(EVALUATORS[name] for name in evaluators) if model is not None else ()
    judging = Judging(models, ledger, model or "", asked, settings, budget, concurrency, structured)
    if extractor is None:
        return judging, None
    from truespec.executors.extract import Extractor

    wanted = [EVALUATORS[name].category for name in evaluators]
    extracts = Extractor(models, ledger, extractor, settings, concurrency, budget, wanted, structured)
    return replace(judging, specs=extracts.specs), extracts


def _keep_earlier(stream: TextIO, left: Mapping[str, dict[str, Any]]) -> None:
    """Write the artifacts of an earlier run that this one has not come to."""
    stream.writelines(_lines(left))


def _lines(records: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    for record in records.values():
        yield json.dumps(record, separators=(",", ":"), default=str) + "\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="backslashreplace")
    part.replace(path)


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)[:80].lstrip(".") or "trace"


@trace.command()
@click.argument("run", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the pages.",
)
@click.option(
    "--traces",
    "paths",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Where the traces lie; by default, the files that the artifacts name.",
)
@click.option(
    "--redact", type=click.Choice(["all", *PATTERNS]), multiple=True, help="Hide values of this kind."
)
@click.option(
    "--pages",
    type=click.Choice(["findings", "all"]),
    default="findings",
    show_default=True,
    help="Which traces get a page of their own.",
)
@click.option("--quiet", is_flag=True, help="No progress.")
def report(
    run: Path, output: Path, paths: tuple[Path, ...], redact: tuple[str, ...], pages: str, quiet: bool
) -> None:
    """Tables and figures of a run, and a page per trace with each violation at its message.

    RUN is what `trace check -o` has written: a JSONL file or a folder of artifacts. The pages are
    self-contained: no script, no external address.
    """
    from truespec.reports.trace_pages import write_report

    artifacts = artifacts_of(run)
    sources = paths or tuple(
        path
        for name in dict.fromkeys(one["source"]["file"] for one in artifacts)
        if (path := on_disk(Path(name)))
    )
    kinds = tuple(PATTERNS) if "all" in redact else redact
    found = (item for item in traces_of(sources, None, None) if isinstance(item, Trace))
    progress = Progress(quiet)
    try:
        count = write_report(
            artifacts,
            found,
            output,
            Redactor(kinds) if kinds else None,
            every=pages == "all",
            written=lambda done: progress.show(f"{done} pages"),
        )
    except KeyboardInterrupt:
        progress.end()
        click.echo(f"stopped: the pages in {output} are incomplete; run the command again", err=True)
        sys.exit(130)
    progress.end()
    click.echo(f"{output / 'index.html'}: {len(artifacts)} traces, {count} pages")


trace.add_command(analyze)
trace.add_command(select)
