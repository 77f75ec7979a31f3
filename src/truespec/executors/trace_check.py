"""A check of traces from start to end: rules, judges, artifacts, and what the run amounts to.

The command line turns its options into a `CheckRequest`; everything after that is here.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truespec.compliance.baseline import Accepted, Baseline, read_baseline
from truespec.compliance.evaluators.registry import BY_CATEGORY, EVALUATORS
from truespec.compliance.run import NAMED, Tally
from truespec.compliance.scoring import DEFAULT, Scoring, read_scoring
from truespec.executors.artifact_file import ArtifactFile, Rendered, beside, write_whole
from truespec.executors.rulefiles import load_rule_files
from truespec.executors.trace_input import joins_of, sources_of, traces_of
from truespec.executors.traces import Checked, check_side_by_side, checking_of
from truespec.executors.whole_files import Reading
from truespec.rules.language import file_text
from truespec.rules.rule import SEVERITIES
from truespec.rules.ruleset import RuleSet
from truespec.rules.yaml_text import load_yaml
from truespec.traces.files import Problem
from truespec.traces.joins import Joins
from truespec.traces.redact import Hiding, Redactor
from truespec.traces.trace import Trace
from truespec.untrusted.outputs import check_apart, check_distinct
from truespec.untrusted.unpack import Budget
from truespec.verdict import UsageError

if TYPE_CHECKING:
    from truespec.compliance.final_state import FinalStates
    from truespec.executors.evaluate import Judging
    from truespec.executors.extract import Extractor

REDACTED_FIELDS = frozenset(("results", "rules", "checks", "aggregate", "failed_calls", "outcome", "judged"))
"""The fields of an artifact that hold text of the trace."""
SPENT = ("calls", "input_tokens", "output_tokens", "usd", "seconds")
"""What judges cost, by the names in an artifact."""


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """Which rules are checked."""

    files: tuple[Path, ...]
    packs: tuple[str, ...]
    settings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joining:
    """What completes traces that hold no tools, prompt or tool types."""

    folder: Path | None
    tools: Path | None
    prompt: Path | None
    types: Path | None


@dataclass(frozen=True, slots=True)
class StateChoice:
    """How final states are decided by replaying calls on a model of the environment."""

    worlds: tuple[str, ...] = ()
    """Models of the user's own, each as `DOMAIN=MODULE:NAME`."""
    reference: bool = False
    """Whether the reference actions of a task say what should hold."""

    def states(self, folder: Path | None, predicted: bool) -> FinalStates | None:
        """What checks final states, whether or not some are predicted; `UsageError` for a model that is none.

        None where nothing says what should hold.
        """
        if not (predicted or self.reference or self.worlds):
            return None
        from truespec.compliance.final_state import FinalStates
        from truespec.worlds.registry import Worlds

        given = {}
        for entry in self.worlds:
            name, equals, place = entry.partition("=")
            if not equals or not name or ":" not in place:
                raise UsageError(f"--world {entry!r}: expected DOMAIN=MODULE:NAME")
            given[name] = place
        worlds = Worlds(folder, given)
        for name in given:
            worlds.world(name)
        return FinalStates(worlds, self.reference)


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Who judges what monitors cannot check, and how the model is asked."""

    model: str | None
    chosen: tuple[str, ...]
    extractor: str | None
    ledger_file: Path | None
    concurrency: int
    temperature: float
    structured: bool
    max_tokens: int | None
    budget: int


@dataclass(frozen=True, slots=True)
class Gate:
    """The summary for continuous integration."""

    fail_on: str | None
    fail_on_skipped: bool
    junit_file: Path | None
    sarif_file: Path | None
    baseline_file: Path | None

    @property
    def least(self) -> frozenset[str]:
        """The severities that fail the check; all where none is named."""
        return frozenset(SEVERITIES[SEVERITIES.index(self.fail_on) if self.fail_on else 0 :])


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Everything that a check is asked for."""

    paths: tuple[Path, ...]
    rules: RuleChoice
    joining: Joining
    judges: JudgeChoice
    gate: Gate
    output: Path | None = None
    form: str | None = None
    resume: bool = False
    scoring_file: Path | None = None
    hiding: Hiding = field(default_factory=Hiding)
    jobs: int | None = None
    compact: bool = False
    executor: str = "local"
    state: StateChoice = field(default_factory=StateChoice)


@dataclass
class CheckOutcome:
    """What a check amounts to."""

    tally: Tally = field(default_factory=Tally)
    spent: dict[str, float] = field(default_factory=dict)
    """What judges cost; empty where nobody was asked."""
    skipped: list[str] = field(default_factory=list)
    """Rules that were not evaluated and fail the check for it."""
    unread: int = 0
    """Problems with files of a known format: what could not be read was held against no rule."""
    gone: list[Accepted] = field(default_factory=list)
    """Accepted violations that no longer occur."""
    failing: list[str] = field(default_factory=list)
    """The first violations that fail the check, each with its trace and message."""
    failed: bool = False
    """Whether the gate fails."""

    def add_spent(self, judged: Mapping[str, Any]) -> None:
        """Count what the judges of one artifact cost."""
        for name in SPENT:
            self.spent[name] = self.spent.get(name, 0.0) + (judged[name] or 0)

    def record(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            **self.tally.record(),
            "judges": self.spent or None,
            "skipped": self.skipped,
            "unread": self.unread,
            "gone": [one.fingerprint for one in self.gone],
            "failed": self.failed,
        }


class Stopped(Exception):
    """The check was interrupted; what was checked is kept."""

    def __init__(self, traces: int) -> None:
        super().__init__(traces)
        self.traces = traces


def run_check(
    request: CheckRequest,
    tell: Callable[[Problem], None],
    note: Callable[[str], None],
    progress: Callable[[Tally], None],
) -> CheckOutcome:
    """Check traces, write what was asked for, and say whether the gate fails.

    `tell` gets what could not be read, `note` sentences for the user, `progress` the counts after each trace.
    Raises `Stopped` after an interruption, `UsageError` for a request that makes no sense.
    """
    _check_outputs(request)
    rules, scoring, key = _rules(request)
    judges = request.judges
    asks = judges.model is not None or judges.extractor is not None
    if judges.model is not None and judges.extractor is None and all(rule.formal for rule in rules):
        note("no semantic rules for --model to judge: give some with --rules, or name an --extractor")
    if asks:
        asked = (judges.model, judges.extractor, judges.temperature, judges.max_tokens, judges.budget)
        key = ":".join(str(part) for part in (key, *asked))
    outcome = CheckOutcome()
    gate = request.gate
    baseline = read_baseline(gate.baseline_file) if gate.baseline_file else Baseline()
    collected: list[dict[str, Any]] = []

    def problem(found: Problem) -> None:
        outcome.tally.problems += 1
        outcome.unread += not found.foreign
        tell(found)

    joining = request.joining
    states = request.state.states(joining.folder, predicted=judges.extractor is not None)
    if request.state.reference or request.state.worlds:
        key = f"{key}:{','.join(request.state.worlds)}:{request.state.reference}"
    joins = joins_of(joining.folder, joining.tools, joining.prompt, joining.types)
    with ExitStack() as closing:
        judging, extracts = _judging(closing, request) if asks else (None, None)
        output = ArtifactFile(request.output, request.resume, request.compact)
        closing.callback(output.close)
        hidden: dict[tuple[str, str], Redactor] = {}
        collects = bool(gate.junit_file or gate.sarif_file)
        whole = request.hiding or request.compact or baseline.entries or collects
        renders = request.output is not None and not whole
        checked = _checked(
            request, RuleSet(rules), key, judging, output, problem, scoring, states, hidden, joins, renders
        )
        try:
            for record, new in checked:
                if isinstance(record, Rendered):
                    outcome.tally.merge(record.tally)
                    output.write_rendered(record)
                    progress(outcome.tally)
                    continue
                if judging is not None and new:
                    outcome.add_spent(record["judged"])
                if request.hiding:
                    redactor = hidden.pop(_place(record["source"]), None) or request.hiding.redactor()
                    fields = record.keys() & REDACTED_FIELDS
                    record |= {name: redactor.value(record[name]) for name in fields}
                baseline.mark(record)
                outcome.tally.add(record)
                output.write(record, new)
                if collects:
                    collected.append(record)
                progress(outcome.tally)
        except KeyboardInterrupt:
            output.stop()
            raise Stopped(outcome.tally.traces) from None
        output.end()
        if extracts is not None and request.output and (folder := beside(request.output, "rules")):
            _write_rules(extracts, folder)
    outcome.gone = baseline.gone()
    _conclude(gate, outcome, collected)
    return outcome


def _check_outputs(request: CheckRequest) -> None:
    """Raise `UsageError` where something would be written over what is read."""
    gate, joining = request.gate, request.joining
    read = (*request.paths, *request.rules.files, joining.tools, joining.prompt, joining.types)
    check_distinct(request.output, gate.junit_file, gate.sarif_file, request.judges.ledger_file)
    for output in (request.output, gate.junit_file, gate.sarif_file):
        if str(output) == "-":
            raise UsageError("standard output holds the table: name a file, or /dev/stdout and --quiet")
        check_apart(output, (*read, request.scoring_file, gate.baseline_file))


def _learning(
    stream: Iterator[Trace | Problem], hiding: Hiding, hidden: dict[tuple[str, str], Redactor]
) -> Iterator[Trace | Problem]:
    """The same traces; for each, a redactor that knows what is hidden in it."""
    for item in stream:
        if isinstance(item, Trace):
            redactor = hiding.redactor()
            redactor.learn(item)
            hidden[item.source.sha256, str(item.source.position)] = redactor
        yield item


def _with_state(item: Trace | Problem, states: FinalStates) -> Trace | Problem:
    """The trace with the records of its database that an extractor needs, where it holds no initial state."""
    from truespec.extraction.ask import initial_state_of

    if isinstance(item, Problem) or initial_state_of(item) is not None:
        return item
    shown = states.worlds.slice(item)
    return replace(item, metadata={**item.metadata, "initial_state": shown}) if shown else item


def _place(source: Mapping[str, Any]) -> tuple[str, str]:
    return source["sha256"], str(source["position"])


def _rules(request: CheckRequest) -> tuple[list[Any], Scoring, str]:
    """The rules, how they are scored, and a key of both."""
    choice, chosen = request.rules, request.judges.chosen
    packs = choice.packs
    if not choice.files and not packs and request.judges.extractor is None:
        packs = ("all",)
    rules, key = load_rule_files(choice.files, packs, choice.settings) if choice.files or packs else ([], "")
    scoring = DEFAULT
    if request.scoring_file:
        text = file_text(request.scoring_file)
        scoring = read_scoring(load_yaml(text, request.scoring_file.name))
        key = f"{key}:{text}"
    wanted = _evaluators(chosen)
    if chosen:
        rules = [rule for rule in rules if BY_CATEGORY[rule.category].name in wanted]
        key = f"{key}:{','.join(wanted)}"
    return rules, scoring, key


def _checked(
    request: CheckRequest,
    rules: RuleSet,
    key: str,
    judging: Judging | None,
    output: ArtifactFile,
    problem: Callable[[Problem], None],
    scoring: Scoring,
    states: FinalStates | None,
    hidden: dict[tuple[str, str], Redactor],
    joins: Joins | None,
    renders: bool,
) -> Iterator[Checked]:
    """Each artifact, and whether it is new; `hidden` gets the redactors that have to learn from traces."""
    jobs, executor = request.jobs or len(os.sched_getaffinity(0)), checking_of(request.executor)
    reading, budget = Reading(request.form, joins), Budget()
    asked = (rules, key, output.earlier, problem, scoring, states)
    if judging is None and executor is None and jobs > 1 and not request.hiding:
        # Nothing here has to see the traces, so the workers read the files.
        sources = sources_of(request.paths, reading, budget, request.output, whole=True)
        return check_side_by_side(sources, *asked, jobs=jobs, reading=reading, budget=budget, renders=renders)
    stream = traces_of(request.paths, request.form, joins, request.output)
    if request.hiding:
        stream = _learning(stream, request.hiding, hidden)
    if judging is None:
        return check_side_by_side(stream, *asked, jobs=jobs, executor=executor)
    from truespec.executors.evaluate import check_judged

    if request.judges.extractor is not None and states is not None:
        known = states
        stream = (_with_state(item, known) for item in stream)
    return check_judged(stream, rules, key, judging, output.earlier, problem, scoring, states)


def _conclude(gate: Gate, outcome: CheckOutcome, collected: list[dict[str, Any]]) -> None:
    """Write the reports for CI and decide whether the gate fails."""
    if gate.junit_file or gate.sarif_file:
        from truespec.compliance.export import junit, sarif
    if gate.junit_file:
        write_whole(gate.junit_file, junit(collected, gate.least))
    if gate.sarif_file:
        write_whole(gate.sarif_file, json.dumps(sarif(collected), indent=1) + "\n")
    tally = outcome.tally
    outcome.failing = [words for severity, words in tally.named if gate.fail_on and severity in gate.least]
    del outcome.failing[NAMED:]
    bad = gate.fail_on and any(tally.violations[one] > tally.accepted[one] for one in gate.least)
    outcome.skipped = tally.skipped(required=not gate.fail_on_skipped)
    unread = gate.fail_on_skipped and outcome.unread
    outcome.failed = bool(bad or outcome.skipped or unread or not tally.traces)


def _evaluators(chosen: tuple[str, ...]) -> list[str]:
    """The names of the evaluators that were asked for, in their order; all of them by default."""
    known = list(EVALUATORS)
    names = [name.strip() for entry in chosen for name in entry.split(",") if name.strip()]
    for name in names:
        if name not in known and name != "all":
            raise UsageError(f"no evaluator {name!r}; there are {', '.join(known)}")
    return known if not names or "all" in names else [name for name in known if name in names]


def _write_rules(extracts: Extractor, folder: Path) -> None:
    """The extracted rules, a file for each distinct prompt with its tools, to read and to use again."""
    from truespec.extraction.write import to_yaml

    folder.mkdir(parents=True, exist_ok=True)
    for key, policy in extracts.policies.items():
        head = [f"Extracted by {extracts.name}"]
        head += [f"Not extracted: {name}: {' '.join(why.split())}" for name, why in policy.lost.items()]
        write_whole(folder / f"{key}.yml", to_yaml(policy.extraction, head))


def _judging(closing: ExitStack, request: CheckRequest) -> tuple[Judging, Extractor | None]:
    """The judge with its models and ledger open, and the extractor, if any is wanted."""
    from truespec.executors.evaluate import Judging
    from truespec.executors.extract import Extractor
    from truespec.models.call import Settings
    from truespec.models.registry import open_model
    from truespec.store.calls import CallLedger

    choice = request.judges
    extractor, model = choice.extractor, choice.model
    if extractor == "self":
        if model is None:
            raise UsageError("--extractor self: which model? name it with --model")
        extractor = model
    models = {name: open_model(name) for name in dict.fromkeys(filter(None, (model, extractor)))}
    for opened in models.values():
        closing.callback(opened.close)
    ledger_file = choice.ledger_file
    if ledger_file is None and request.output is not None:
        ledger_file = beside(request.output, "calls.sqlite")
    if ledger_file is None:
        ledger_file = Path(closing.enter_context(tempfile.TemporaryDirectory())) / "calls.sqlite"
    ledger_file.parent.mkdir(parents=True, exist_ok=True)
    ledger = closing.enter_context(CallLedger(ledger_file))
    evaluators = _evaluators(choice.chosen)
    asked = tuple(EVALUATORS[name] for name in evaluators) if model is not None else ()
    settings = Settings(choice.temperature, None, choice.max_tokens)
    judging = Judging(
        models, ledger, model or "", asked, settings, choice.budget, choice.concurrency, choice.structured
    )
    if request.hiding:
        judging = replace(judging, hide=lambda trace: request.hiding.redactor().trace(trace))
    if extractor is None:
        return judging, None
    wanted = [EVALUATORS[name].category for name in evaluators]
    extracts = Extractor(
        models, ledger, extractor, settings, choice.concurrency, choice.budget, wanted, choice.structured
    )
    return replace(judging, specs=extracts.specs), extracts
