"""The scorer of trace compliance, found by entry point and run by Inspect on an agent with a real tool."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import needs
from truespec.verdict import TruespecError

RULES = """
- {id: ask-first, text: Ask before you book., severity: critical, category: transition, quote: Ask first.,
   formal: {template: precedence, a: {message: user, text: {words: ["yes"]}}, b: {call: book}}}
"""
KIND = "- {id: kind, text: Be kind., kind: semantic, category: output}\n"


@pytest.fixture(scope="module", autouse=True)
def _inspect() -> None:
    """Loaded by the tests that need it: every process that collects this file would wait a second for it."""
    needs.module("inspect_ai")


def reply(messages: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
    """Books at once, then ends."""
    from inspect_ai.model import ModelOutput, ModelUsage

    if messages[-1].role == "tool":
        output = ModelOutput.from_content("mockllm/model", "Booked.")
    else:
        output = ModelOutput.for_tool_call("mockllm/model", "book", {"seat": "12A"})
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model
    from inspect_ai.solver import generate, system_message, use_tools
    from inspect_ai.tool import Tool, tool

    from truespec.inspect_compliance import compliance

    @tool
    def book() -> Tool:
        async def execute(seat: str) -> str:
            """Book a seat.

            Args:
                seat: The seat.
            """
            return f"booked {seat}"

        return execute

    folder = tmp_path_factory.mktemp("inspect")
    (folder / "policy.yml").write_text(RULES)
    (folder / "kind.yml").write_text(KIND)
    samples = [Sample(id="asks", input="yes, book it"), Sample(id="does-not", input="book it")]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=[system_message("Ask first."), use_tools(book()), generate()],
        scorer=compliance(rules=str(folder / "policy.yml")),
    )
    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    return log, folder


def test_kept_and_broken_rules_are_scored(ran: Any) -> None:
    log, _ = ran
    assert log.status == "success", log.error
    found = {sample.id: sample.scores["compliance"] for sample in log.samples}
    assert found["asks"].value == 1.0
    assert found["does-not"].value < 1.0
    assert "critical: ask-first at message 2: Ask before you book." in found["does-not"].explanation
    record = found["does-not"].metadata["artifact"]
    assert record["results"][1]["violations"][0]["quote"]
    assert record["aggregate"]["score"] == found["does-not"].value * 100


def test_what_needs_a_judge_is_unscored_and_said(ran: Any) -> None:
    from inspect_ai import score

    from truespec.inspect_compliance import compliance

    log, folder = ran
    again: Any = score(log, compliance(rules=str(folder / "kind.yml")), display="none", action="append")
    names = [name for name in again.samples[0].scores if name != "compliance"]
    (name,) = names
    one = again.samples[0].scores[name]
    assert one.value != one.value  # not a number: excluded from the mean
    assert "not evaluated: kind" in one.explanation


def test_a_required_rule_that_is_not_evaluated_leaves_a_sample_unscored(ran: Any) -> None:
    from inspect_ai import score

    from truespec.inspect_compliance import compliance

    log, folder = ran
    writes = "- {id: w, text: t, required: true, formal: {template: absence, a: {call: {type: write}}}}\n"
    (folder / "both.yml").write_text(RULES.lstrip() + writes)
    before = set(log.samples[0].scores)
    again: Any = score(log, compliance(rules=str(folder / "both.yml")), display="none", action="append")
    (name,) = set(again.samples[0].scores) - before
    one = again.samples[0].scores[name]
    assert one.value != one.value
    assert "not evaluated: w" in one.explanation


def test_the_entry_point_offers_the_scorer() -> None:
    import truespec.inspect_entry as entry
    from truespec.inspect_compliance import compliance

    assert entry.compliance is compliance


def test_rules_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    from truespec.inspect_compliance import compliance

    (tmp_path / "r.yml").write_text("- {id: x}")
    with pytest.raises(TruespecError):
        compliance(rules=str(tmp_path / "r.yml"))
    with pytest.raises(TruespecError):
        compliance(packs="nonesuch")


def test_what_of_a_message_is_not_read_is_noted() -> None:
    from inspect_ai.model import ModelName
    from inspect_ai.solver import TaskState

    from truespec.inspect_compliance import trace_of
    from truespec.traces.importers.parts import Notes

    later = SimpleNamespace(model_dump=lambda **_: {"role": "assistant", "content": [{"type": "hologram"}]})
    state: Any = TaskState(ModelName("mockllm/model"), "s", 1, "hi", [])
    state.messages = [later]
    notes = Notes()
    trace_of(state, notes=notes)
    assert notes.ledger.problems == [("message 0", "an item of the type 'hologram' is not read")]
