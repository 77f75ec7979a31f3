"""Judges whose error rates are known get those rates back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from compliance import judges
from truespec.cli.judge import judge as command
from truespec.compliance.calibration import Trial, calibration_rules, evaluator_of, trials
from truespec.executors.calibrate import calibrate_traces
from truespec.executors.evaluate import Judging
from truespec.faults.registry import KINDS
from truespec.judges.judgement import Judgement
from truespec.metrics.calibration import Calibration, Item, calibrate, corrected_violations
from truespec.metrics.proportion import Proportion
from truespec.models.call import Call
from truespec.models.function import FunctionModel
from truespec.store.calls import CallLedger
from truespec.traces import Message, Source, ToolCall, ToolSchema, Trace
from truespec.traces.record import to_record
from truespec.verdict import Answer

ORDER = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
TOOLS = (
    ToolSchema("find_user_id_by_email", {"type": "object"}, kind="read"),
    ToolSchema("get_order", ORDER, kind="read"),
    ToolSchema("get_shipment", ORDER, kind="read"),
    ToolSchema("cancel_order", ORDER, kind="write"),
)


def conversation(number: int) -> Trace:
    order = f"W{1000 + number}"

    def call(tool: str, place: int, **arguments: str) -> list[Message]:
        made = ToolCall(tool, arguments, f"c{place}")
        return [Message("assistant", None, (made,)), Message("tool", f"{tool}: fine", call_id=f"c{place}")]

    messages = (
        Message("user", f"Please cancel order {order}, I am ann@example.org."),
        *call("find_user_id_by_email", 1, email="ann@example.org"),
        *call("get_order", 2, order_id=order),
        *call("get_shipment", 4, order_id=order),
        Message("assistant", f"Shall I cancel {order}?"),
        Message("user", "Yes, please."),
        *call("cancel_order", 3, order_id=order),
        Message("assistant", "It is cancelled now."),
    )
    return Trace(f"t{number}", messages, Source("test", "f", "0", str(number)), domain="shop", tools=TOOLS)


TRACES = [conversation(number) for number in range(220)]


def chance(*parts: object) -> float:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:12], 16) / 16**12


class Oracle:
    """A judge that knows the truth and errs as often as it is told, at random but always alike."""

    def __init__(self, found: list[Trial], far: float, frr: float, astray: float = 0.0) -> None:
        self.trials = {trial.fault.faulty.id: trial for trial in found}
        self.far, self.frr, self.astray = far, frr, astray

    def __call__(self, call: Call) -> str:
        name = call.subject.split("/")[1]
        items = judges.ITEM.findall(call.prompt)
        shown = re.findall(r'<message index="(\d+)"[^>]*>\n(?:<call[^>]*>\n)?([^<\n]{4,})', call.prompt)
        trial = self.trials.get(name)
        listed = []
        # What it wrongly sees in the clean twin, it sees in the faulty one too.
        if chance("frr", name.split("~")[0]) < self.frr:
            listed += [judges.violation(item, 0, shown[0][1]) for item in items]
        if trial is not None and chance("far", name) >= self.far:
            place = min(trial.fault.places)
            if chance("astray", name) < self.astray:
                place = next(i for i in range(1, len(shown)) if i not in trial.fault.places)
            quote = next(text for index, text in shown if int(index) == place)
            listed.append(judges.violation(min(trial.ids), place, quote))
        return judges.answer(100 - 4 * len(listed), *listed)


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[[Callable[[Call], str], list[Trial]], list[Item]]]:
    with CallLedger(tmp_path / "calls.sqlite") as ledger:

        def run(function: Callable[[Call], str], found: list[Trial]) -> list[Item]:
            name = f"judge {len(ledger)}"  # no judge hears what another one said
            judging = Judging({name: FunctionModel(name, function)}, ledger, name)
            return calibrate_traces(iter(found), judging)

        yield run


def only(found: list[Calibration], category: str) -> Calibration:
    (one,) = [c for c in found if c.category == category and not c.domain]
    return one


@pytest.mark.parametrize(
    ("kind", "far", "frr"),
    [("text_with_call", 0.25, 0.1), ("drop_confirmation", 0.4, 0.0), ("invent_argument", 0.0, 0.3)],
)
def test_known_error_rates_are_found_again(
    kind: str, far: float, frr: float, ask: Callable[[Callable[[Call], str], list[Trial]], list[Item]]
) -> None:
    found = list(trials(TRACES, [kind], most=200))
    assert len(found) == 200
    rates = only(calibrate(ask(Oracle(found, far, frr, astray=0.2), found)), kind)
    assert far in rates.far.wilson()  # type: ignore[operator]
    assert frr in rates.frr.wilson()  # type: ignore[operator]
    assert 0.8 in rates.located.wilson()  # type: ignore[operator]
    assert rates.far.total == rates.frr.total == 200
    assert rates.kappa is not None
    assert rates.kappa.value == pytest.approx(1 - far - frr, abs=0.12)
    # The share of broken traces behind what this judge would report of a mix.
    for share in (0.2, 0.6):
        passed = round(1000 * (share * far + (1 - share) * (1 - frr)))
        corrected = corrected_violations(Proportion(passed, 1000), rates)
        assert corrected is not None
        assert corrected[1] <= share <= corrected[2]


def test_a_perfect_judge_is_trusted_and_one_that_accepts_all_is_not(
    ask: Callable[[Callable[[Call], str], list[Trial]], list[Item]],
) -> None:
    found = list(trials(TRACES, ["skip_step", "corrupt_argument", "wrong_refusal"], most=40))
    good = calibrate(ask(Oracle(found, 0, 0), found))
    assert {c.trust for c in good} == {"yes"}
    assert all(c.kappa is not None and c.kappa.value == 1 for c in good)
    lenient = calibrate(ask(judges.perfect, found))
    assert {c.trust for c in lenient} == {"no"}
    assert all(c.far.value == 1 and c.frr.value == 0 for c in lenient)
    silent = calibrate(ask(judges.silent, found[:4]))
    assert all(c.far.value is None and c.malformed.value == 1 for c in silent)
    assert {c.trust for c in silent} == {"more data"}


def test_what_a_judge_says_of_both_twins_is_no_merit(
    ask: Callable[[Callable[[Call], str], list[Trial]], list[Item]],
) -> None:
    found = list(trials(TRACES, ["text_with_call"], most=20))
    rates = only(calibrate(ask(Oracle(found, 1.0, 1.0), found)), "text_with_call")
    assert rates.far.value == 1.0
    assert rates.frr.value == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_fault_has_a_rule_that_it_breaks(kind: str) -> None:
    (trial, *_) = list(trials(TRACES[:3], [kind]))
    assert trial.ids
    assert trial.evaluator.name == evaluator_of(kind)
    assert trial.ids <= {rule.id for rule in trial.evaluator.items(trial.faulty)}
    assert not trial.evaluator.missing(trial.faulty)


def test_calibration_rules_are_all_for_judges() -> None:
    assert all(rule.formal is None for rule in calibration_rules())


def test_traces_that_break_the_rule_already_are_passed_over() -> None:
    loud = replace(
        TRACES[0], messages=(*TRACES[0].messages, Message("assistant", "Hm.", (ToolCall("get_order", {}),)))
    )
    assert list(trials([loud], ["text_with_call"])) == []
    assert len(list(trials([loud], ["drop_confirmation"]))) == 1


def test_the_command_prints_rates_and_corrects_what_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(to_record(t)) + "\n" for t in TRACES[:8]))
    out = tmp_path / "c.json"
    artifact = {
        "key": "k",
        "judged": {"model": "python:judges:picky"},
        "rules": [{"id": "x", "category": "output"}],
        "checks": [{"rule_id": "x", "status": "fail", "by": "judge"}],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(artifact) + "\n")
    parts = ["calibrate", str(tmp_path / "t.jsonl"), "--model", "python:judges:picky", "-o", str(out)]
    parts += ["--faults", "text_with_call,wrong_refusal", "--apply", str(tmp_path / "a.jsonl")]
    done = CliRunner().invoke(command, parts)
    assert done.exit_code == 0, done.output
    assert "text_with_call" in done.output
    record = json.loads(out.read_text())
    assert {one["category"] for one in record["rates"]} == {"text_with_call", "wrong_refusal", None}
    assert record["evaluators"][0]["category"] == "output_spec"
    assert record["corrected"][0]["judged"] == 1.0
    assert (tmp_path / "c.json.calls.sqlite").exists()


def test_benchmark_judges_are_calibrated_on_formal_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    out = tmp_path / "c.json"
    parts = ["calibrate", "--model", "python:judges:always_three", "--domain", "regex", "--limit", "3"]
    done = CliRunner().invoke(command, [*parts, "-o", str(out)])
    assert done.exit_code == 0, done.output
    for one in json.loads(out.read_text())["rates"]:
        assert one["far"]["value"] == 1.0
        assert one["frr"]["value"] == 0.0
        assert one["far"]["total"] > 3
        assert one["trust"] == "no"
    assert CliRunner().invoke(command, ["calibrate"]).exit_code != 0


def test_undecided_pairs_count_for_nothing() -> None:
    item = Item("j", "c", "d", Answer.UNKNOWN, Judgement.ACCEPT)
    (rates, _) = calibrate([item])
    assert rates.far.total == rates.frr.total == 0
    assert rates.kappa is None
