"""`truespec rules`: compile rules, prove what they mean to each other, and say what a change changed."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from truespec.cli.common import Seconds
from truespec.cli.lazy import Group
from truespec.cli.progress import Progress
from truespec.cli.rule_options import FILES, SECONDS, TOOLS, TYPES, toolbox_of
from truespec.cli.rules_words import explain, list_, show, test, verify
from truespec.cli.trace_options import RULE_OPTIONS
from truespec.executors.rulefiles import load_rule_files
from truespec.rules import formula as f
from truespec.rules import predicate as p
from truespec.rules.compare import Toolbox, automaton
from truespec.rules.difference import changes
from truespec.rules.joint import conflicts
from truespec.rules.language import load_file
from truespec.rules.review import review
from truespec.rules.rule import Rule
from truespec.untrusted.outputs import check_apart


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def rules() -> None:
    """Rules: compile them, compare them, see what changed."""


for command in (list_, show, explain, test, verify):
    rules.add_command(command)


def _refuse_mistakes(files: tuple[Path, ...], toolbox: Toolbox) -> None:
    """Exit 1 where files speak of tools, arguments or types that there are not, each with its line."""
    from truespec.rules.language import file_text
    from truespec.rules.toolcheck import mistakes

    if toolbox.tools is None:
        return
    found = [
        f"{file}, {one}" for file in files for one in mistakes(file_text(file), toolbox.tools, file.name)
    ]
    for mistake in found:
        click.echo(mistake, err=True)
    if found:
        click.echo(f"{len(found)} conditions do not fit the tools; nothing was compared", err=True)
        sys.exit(1)


@rules.command("compile")
@FILES
@RULE_OPTIONS[0]
@RULE_OPTIONS[1]
@RULE_OPTIONS[2]
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output."
)
def compile_(
    named: tuple[Path, ...],
    files: tuple[Path, ...],
    packs: tuple[str, ...],
    settings: tuple[str, ...],
    output: Path | None,
) -> None:
    """Compile rules to monitors and write them as JSON: predicates, obligations, size of the automaton.

    Exit 0, or 2 with the rule and the field that is wrong.
    """
    check_apart(output, (*named, *files))
    loaded, _ = load_rule_files((*named, *files), packs, settings)
    text = json.dumps([_compiled(rule) for rule in loaded], indent=1, ensure_ascii=False) + "\n"
    if output is None or str(output) == "-":
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _compiled(rule: Rule) -> dict[str, Any]:
    record = rule.summary()
    if rule.formal is None:
        return record
    formal = rule.formal
    made = automaton(rule)
    record["monitor"] = {
        "predicates": [p.show(predicate) for predicate in formal.predicates],
        "over": p.show(formal.over),
        "bind": dict(formal.bind),
        "obligations": [
            {"when": None if o.when is None else p.show(o.when), "require": f.show(o.require)}
            for o in formal.obligations
        ],
        "states": None if made is None else len(made.accepting),
    }
    return record


@rules.command("check")
@FILES
@RULE_OPTIONS[0]
@RULE_OPTIONS[1]
@RULE_OPTIONS[2]
@TOOLS
@TYPES
@SECONDS
@click.option(
    "--budget", type=Seconds(), default=50.0, show_default=True, help="Seconds for all questions together."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(
    named: tuple[Path, ...],
    files: tuple[Path, ...],
    packs: tuple[str, ...],
    settings: tuple[str, ...],
    tools: Path | None,
    types: Path | None,
    timeout: float,
    budget: float,
    as_json: bool,
) -> None:
    """Prove which rules imply, equal or contradict which others, and which can never be kept or broken.

    Rules are compared over sequences of events. What is not proved is reported as unknown, with the reason.
    With --tools, conditions on unknown tools, on arguments that a tool does not take, and on values of
    another type are refused, each with its line. Last come minimal sets of rules that no conversation can
    keep together, though each two of them can be kept. Exit 1 then, or when a rule is unsatisfiable or
    vacuous or rules contradict each other, else 0.
    """
    loaded, _ = load_rule_files((*named, *files), packs, settings)
    toolbox = toolbox_of(tools, types)
    _refuse_mistakes((*named, *files), toolbox)
    progress = Progress()
    began = time.monotonic()
    reviewed = review(loaded, toolbox, timeout, budget * 0.6, progress.show)
    states = reviewed.states
    relations = [
        {
            "left": pair.left,
            "right": pair.right,
            "relation": pair.relation.relation,
            "conflict": pair.conflict,
            "reason": pair.relation.reason,
            "left_only": list(pair.relation.left_only),
            "right_only": list(pair.relation.right_only),
        }
        for pair in reviewed.pairs
    ]
    ill = {name: state for name, state in states.items() if state.status in ("unsatisfiable", "vacuous")}
    clashes = [one for one in relations if one["relation"] == "contradictory"]
    progress.show("all rules together")
    joint = conflicts(loaded, toolbox, timeout, max(0.0, budget - (time.monotonic() - began)))
    progress.end()
    sets = [one for one in joint.found if len(one.rules) > 2]
    if as_json:
        record = {
            "rules": {name: {"status": s.status, "reason": s.reason} for name, s in states.items()},
            "pairs": relations,
            "sets": [{"rules": list(one.rules), "blocks": one.about or None} for one in sets],
            "sets_undecided": joint.undecided or None,
        }
        click.echo(json.dumps(record, indent=1, ensure_ascii=False))
    else:
        words = {
            "equal": "means the same as",
            "stronger": "implies",
            "weaker": "is implied by",
            "contradictory": "contradicts",
        }
        for name, state in states.items():
            if state.status != "sound":
                click.echo(f"{name}: {state.status}{': ' + state.reason if state.reason else ''}")
        for one in relations:
            if one["relation"] in words:
                click.echo(f"{one['left']} {words[str(one['relation'])]} {one['right']}")
            elif one["relation"] == "unknown":
                click.echo(f"{one['left']} and {one['right']}: unknown: {one['reason']}")
        decided = sum(one["relation"] != "unknown" for one in relations)
        for conflict_ in sets:
            what = f"nothing that starts {conflict_.about}" if conflict_.about else "no conversation"
            click.echo(
                f"contradictory together: {', '.join(conflict_.rules)}: {what} can be where all are kept"
            )
        if joint.undecided:
            click.echo(f"sets of three and more rules: not all decided: {joint.undecided}")
        click.echo(f"{len(loaded)} rules, {len(relations)} pairs, {decided} decided")
    sys.exit(1 if ill or clashes or sets else 0)


@rules.command("extract")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--model", help="The extractor; without one, only argument rules are read off the schemas.")
@click.option(
    "--second-model",
    help="Who formalises each rule again; the same model by default, by another prompt.",
)
@click.option(
    "--prompt", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The system prompt."
)
@TOOLS
@TYPES
@click.option(
    "--join",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="As in trace check.",
)
@click.option(
    "--categories",
    default="output,transition,forbidden_edge,argument",
    show_default=True,
    help="What to extract.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A rule file, or a folder where prompts differ."
)
@click.option(
    "--scenarios",
    "scenario_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL of conversations that keep and break each rule, to test the agent with.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSON: what went where, and why.",
)
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A rule file by hand for the same prompt: print precision, recall and formal agreement.",
)
@click.option(
    "--ledger", "ledger_file", type=click.Path(dir_okay=False, path_type=Path), help="Where replies are kept."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 512), default=8, show_default=True, help="Calls at once."
)
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the extractor.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="The longest reply.")
@click.option(
    "--structured",
    is_flag=True,
    help="Ask the server to hold replies to a JSON Schema (llama.cpp and servers like it).",
)
def extract_(
    paths: tuple[Path, ...],
    model: str | None,
    second_model: str | None,
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
) -> None:
    """Extract rules from a system prompt and tools, each with its quote.

    Give --prompt and --tools, or PATHS of traces: each distinct prompt with its tools is read once. A rule
    whose quote is not found in its source is dropped. A formal part is kept where it passes three checks:
    a conversation was found that keeps it and one that breaks it; the rule is formalised a second time, and
    the two formal parts are proved equal; conversations read without the formula are judged as it says. All
    other rules are left to a judge, with the conversations on which a check failed.

    Exit 0, or 1 when a category could not be extracted.
    """
    from truespec.cli.extract import run_extract

    sys.exit(
        run_extract(
            paths,
            model,
            prompt,
            tools,
            types,
            folder,
            categories,
            output,
            scenario_file,
            report_file,
            against,
            ledger_file,
            concurrency,
            temperature,
            max_tokens,
            structured,
            second_model,
        )
    )


@rules.command("diff")
@click.argument("old", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@TOOLS
@TYPES
@SECONDS
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def diff(old: Path, new: Path, tools: Path | None, types: Path | None, timeout: float, as_json: bool) -> None:
    """Say which rules of NEW are stronger, weaker, equal or different, compared with OLD, by their ids.

    Exit 0 when nothing changed in meaning, 1 when something did, 3 when that was not decided.
    """
    toolbox = toolbox_of(tools, types)
    found = list(changes(load_file(old), load_file(new), toolbox, timeout))
    if as_json:
        click.echo(json.dumps([change.to_json() for change in found], indent=1, ensure_ascii=False))
    else:
        for change in found:
            click.echo("\n".join(change.lines()))
    kinds = {change.change for change in found}
    sys.exit(3 if "unknown" in kinds else 1 if kinds - {"equal"} else 0)
