"""`truespec rules list | show | explain | test | verify`: rules for people who read and write them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from truespec.cli.common import echo
from truespec.cli.rule_options import FILES, SECONDS, TOOLS, TYPES, toolbox_of
from truespec.cli.trace_options import RULE_OPTIONS
from truespec.executors.rulefiles import load_rule_files
from truespec.rules.compare import Toolbox, compare, examples
from truespec.rules.language import file_text, load_file, load_rules
from truespec.rules.packs import pack_names, pack_text
from truespec.rules.rule import Rule
from truespec.rules.sets import set_names, set_text
from truespec.rules.witness import describe
from truespec.rules.words import in_english
from truespec.rules.yaml_place import listed
from truespec.rules.yaml_text import load_yaml
from truespec.traces.joins import kinds_in, schemas_named
from truespec.untrusted.outputs import check_apart
from truespec.verdict import UsageError


@click.command("list")
@click.option(
    "--examples", "shown", is_flag=True, help="Each rule with a run that keeps and one that breaks it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_(as_json: bool, shown: bool) -> None:
    """What is built in: packs for any agent, and rule sets for the agents of tau2.

    Exit code: 0.
    """
    found: list[dict[str, Any]] = []
    for kind, names, text_of in (("pack", pack_names(), pack_text), ("set", set_names(), set_text)):
        for name in names:
            text = text_of(name)
            value = load_yaml(text, name)
            parameters = value.get("parameters") or {} if isinstance(value, dict) else {}
            found.append(
                {
                    "name": name,
                    "kind": kind,
                    "about": _head(text),
                    "rules": [rule.id for rule in load_rules(text, name)],
                    "parameters": parameters,
                    **({"examples": _runs(load_rules(text, name))} if shown else {}),
                }
            )
    if as_json:
        echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    for one in found:
        parameters = f"  [{', '.join(one['parameters'])}]" if one["parameters"] else ""
        echo(f"{one['kind']:4} {one['name']:22} {len(one['rules']):3} rules  {one['about']}{parameters}")
        for rule, runs in one.get("examples", {}).items():
            echo("\n".join(f"     {line}" for line in _run_lines(rule, runs)))


EXAMPLE_SECONDS = 3.0
"""The limit for the search for one run."""


def _runs(rules: Sequence[Rule]) -> dict[str, dict[str, list[str]]]:
    """For each rule, a shortest run that keeps it and one that breaks it; both empty for a judge's rule."""
    found = {}
    for rule in rules:
        runs = examples(rule, seconds=EXAMPLE_SECONDS)
        found[rule.id] = {
            word: [describe(event) for event in run]
            for word, run in zip(("kept", "broken"), runs, strict=True)
        }
    return found


def _run_lines(rule: str, runs: dict[str, list[str]]) -> list[str]:
    """The example runs of a rule, in lines."""
    if not any(runs.values()):
        return [f"{rule}: a judge reads it, or no run was found"]
    shown = (f"  {word:7}{' → '.join(run) if run else 'no run was found'}" for word, run in runs.items())
    return [f"{rule}:", *shown]


def _head(text: str) -> str:
    """The first sentence of the comment that opens a file."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    return " ".join(lines).split(". ")[0].rstrip(".") + "."


@click.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print the file of a pack or a rule set: its rules, its parameters with their defaults, and its notes.

    Comments after the file show, for each rule, a shortest run that keeps it and one that breaks it.

    Exit code: 0, 2 for an unknown name.
    """
    known = [*pack_names(), *set_names()]
    if name not in known:
        raise UsageError(f"no pack or rule set {name!r}{listed(name, known)}")
    text = (set_text(name) if name in set_names() else pack_text(name)).rstrip("\n")
    echo(text)
    echo("\n# Examples, found by search and replayed:")
    for rule, runs in _runs(load_rules(text, name)).items():
        echo("\n".join(f"# {line}" for line in _run_lines(rule, runs)))


@click.command("explain")
@FILES
@RULE_OPTIONS[0]
@RULE_OPTIONS[1]
@RULE_OPTIONS[2]
@TOOLS
@TYPES
@SECONDS
@click.option(
    "--scenarios",
    "scenario_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="JSONL of conversations that keep and break each rule, to test the agent with.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per rule.")
def explain(
    named: tuple[Path, ...],
    files: tuple[Path, ...],
    packs: tuple[str, ...],
    settings: tuple[str, ...],
    tools: Path | None,
    types: Path | None,
    timeout: float,
    scenario_file: Path | None,
    as_json: bool,
) -> None:
    """Say in plain English what each rule's monitor checks, and show runs that keep and break it.

    The English is made from the formula, not from the rule's text: where the two say different things, the
    rule is wrong. The runs are shortest sequences of events, over the agent's own tools where --tools names
    them; each was replayed. --scenarios writes them as conversations, with arguments that fit the tools'
    schemas: the monitor finds in each what it promises.

    Exit code: 0, 2 with the rule and the field that is wrong.
    """
    check_apart(scenario_file, (*named, *files, tools, types))
    loaded, _ = load_rule_files((*named, *files), packs, settings)
    toolbox = toolbox_of(tools, types)
    for number, rule in enumerate(loaded):
        kept, broken = examples(rule, toolbox, timeout)
        record: dict[str, Any] = {
            "id": rule.id,
            "text": rule.text,
            "kind": rule.kind,
            "english": in_english(rule),
            "kept": [describe(event) for event in kept],
            "broken": [describe(event) for event in broken],
        }
        echo(json.dumps(record, ensure_ascii=False) if as_json else _explained(record, number))
    if scenario_file is not None:
        _write_scenarios(loaded, toolbox, timeout, scenario_file)


def _write_scenarios(rules: Sequence[Rule], toolbox: Toolbox, timeout: float, path: Path) -> None:
    """A conversation that keeps each rule and one that breaks it, as JSONL; says what was not found."""
    from truespec.extraction.examples import find_examples, scenario
    from truespec.traces.record import to_line

    missing: list[str] = []
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for rule in rules:
            if rule.formal is None:
                missing.append(f"{rule.id}: a judge reads it")
                continue
            found = find_examples(rule, toolbox, timeout)
            for expected, trace in (("keeps", found.keeps), ("breaks", found.breaks)):
                if trace is None:
                    missing.append(f"{rule.id}: no conversation that {expected} it was found")
                    continue
                file.write(to_line(scenario(rule, trace, expected)) + "\n")
                count += 1
    click.echo(f"{count} scenarios in {path}", err=True)
    for line in missing:
        click.echo(f"no scenario for {line}", err=True)


def _explained(record: dict[str, Any], number: int) -> str:
    lines = ["" if number else None, f"{record['id']}: {record['text']}", f"  checks   {record['english']}"]
    if record["kind"] == "deterministic":
        for key in ("kept", "broken"):
            run = " → ".join(record[key]) if record[key] else "no run was found"
            lines.append(f"  {key:8} {run}")
    return "\n".join(line for line in lines if line is not None)


@click.command("test")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@TOOLS
@TYPES
@click.option("--json", "as_json", is_flag=True, help="One JSON object per example.")
def test(files: tuple[Path, ...], tools: Path | None, types: Path | None, as_json: bool) -> None:
    """Run the examples of rule files: under 'kept' conversations that keep a rule, under 'broken' others.

    Exit code: 0 when every example is as given, 1 when one is not, 3 when one could not be evaluated, 2 for a
    file that cannot be read.
    """
    from truespec.rules.given import examples_of, run

    kinds = kinds_in(types) if types is not None and tools is None else None
    there = schemas_named(kinds) if kinds is not None else toolbox_of(tools, types).tools
    outcomes, silent = [], []
    for path in files:
        found = examples_of(file_text(path), path.name, there)
        outcomes += [(path, run(example)) for example in found]
        tested = {example.rule.id for example in found}
        silent += [rule.id for rule in load_file(path) if rule.formal is not None and rule.id not in tested]
    for path, outcome in outcomes:
        example = outcome.example
        said = "kept" if example.keeps else "broken"
        if as_json:
            record = {
                "file": str(path),
                "rule": example.rule.id,
                "example": f"{said} {example.number}",
                "status": outcome.status,
            }
            echo(json.dumps({**record, "detail": outcome.detail or None}, ensure_ascii=False))
        elif outcome.status != "as given":
            place = f"{path}: {example.rule.id}, {said} {example.number}"
            echo(f"{outcome.status:13} {place}: {outcome.detail}")
    if not as_json:
        right = sum(outcome.status == "as given" for _, outcome in outcomes)
        echo(f"{len(outcomes)} examples, {right} as given")
        if silent:
            echo(f"without an example: {', '.join(silent)}")
    statuses = {outcome.status for _, outcome in outcomes}
    sys.exit(1 if "wrong" in statuses else 3 if "not evaluated" in statuses else 0)


@click.command("verify")
@click.argument("candidates", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("reference", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@TOOLS
@TYPES
@SECONDS
@click.option("--json", "as_json", is_flag=True, help="One JSON object per rule.")
def verify(
    candidates: Path, reference: Path, tools: Path | None, types: Path | None, timeout: float, as_json: bool
) -> None:
    """Do the rules of CANDIDATES mean what the rules of REFERENCE with the same ids mean?

    Each pair is equivalent (proved), refuted with a run that keeps one and breaks the other, or unknown with
    the reason. A rule that only one file has is named.

    Exit code: 0 all equivalent, 1 one is refuted or missing, 3 one is unknown.
    """
    toolbox = toolbox_of(tools, types)
    wanted = {rule.id: rule for rule in load_file(reference)}
    given = {rule.id: rule for rule in load_file(candidates)}
    answers = []
    for name in [*wanted, *(name for name in given if name not in wanted)]:
        record = _verified(name, wanted.get(name), given.get(name), toolbox, timeout)
        answers.append(record["answer"])
        echo(json.dumps(record, ensure_ascii=False) if as_json else _answered(record))
    if not as_json:
        echo(f"{len(answers)} rules, {answers.count('equivalent')} equivalent")
    sys.exit(1 if {"refuted", "missing", "added"} & set(answers) else 3 if "unknown" in answers else 0)


def _verified(
    name: str, wanted: Rule | None, given: Rule | None, toolbox: Any, timeout: float
) -> dict[str, Any]:
    record: dict[str, Any] = {"id": name, "answer": "unknown", "relation": None, "reason": None}
    if wanted is None or given is None:
        return {**record, "answer": "added" if wanted is None else "missing"}
    found = compare(given, wanted, toolbox, timeout)
    if found.relation == "equal":
        return {**record, "answer": "equivalent"}
    if found.relation == "unknown":
        return {**record, "reason": found.reason}
    return {
        **record,
        "answer": "refuted",
        "relation": found.relation,
        "candidate_only": list(found.left_only),
        "reference_only": list(found.right_only),
    }


def _answered(record: dict[str, Any]) -> str:
    relation = f" ({record['relation']})" if record["relation"] else ""
    reason = f": {record['reason']}" if record["reason"] else ""
    lines = [f"{record['answer']:10} {record['id']}{relation}{reason}"]
    for key, what in (
        ("candidate_only", "keeps the candidate, breaks the reference"),
        ("reference_only", "keeps the reference, breaks the candidate"),
    ):
        if record.get(key):
            lines.append(f"  {what}: {' → '.join(record[key])}")
    return "\n".join(lines)
