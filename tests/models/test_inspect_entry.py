"""`inspect eval truespec/DOMAIN`: tasks and scorers by entry point, driven by Inspect's own mock model."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import needs
from truespec.benchmark import bundled

pytestmark = pytest.mark.slow  # an evaluation is run once for all of them

RIGHT = {one.task.statement: one.task.oracle for one in bundled.tasks("regex")}
SEEN: list[Any] = []


@pytest.fixture(scope="module", autouse=True)
def _inspect() -> None:
    """Loaded by the tests that need it: every process that collects this file would wait a second for it."""
    needs.module("inspect_ai")


def reply(messages: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
    """The oracle itself, in brackets; a broken pattern; a wrong one; none at all: by turns."""
    SEEN.append((messages, tools, config))
    prompt = messages[-1].text
    text = "Fine.\n```\n3\n```"
    if "## Specification" not in prompt:
        statement = prompt.split("## Statement\n\n")[1].strip()
        number = list(RIGHT).index(statement)
        text = [f"```\n(?:{RIGHT[statement]})\n```", "```\nnot[it\n```", "```\nz+\n```", "no idea"][
            number % 4
        ]
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect_eval(
        "truespec/regex",
        model=model,
        limit=8,
        task_args={"judge": "self", "timeout": 20},
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
    )
    return log


def samples(log: Any) -> list[Any]:
    """In the order of the tasks; Inspect sorts them by name."""
    order = [one.task.id for one in bundled.tasks("regex")]
    return sorted(log.samples, key=lambda sample: order.index(sample.id))


def test_answers_are_verified(log: Any) -> None:
    assert log.status == "success", log.error
    values = [sample.scores["verified"].value for sample in samples(log)]
    assert values == ["C", "I", "I", "I"] * 2
    verdicts = [sample.scores["verified"].metadata["verdict"]["answer"] for sample in samples(log)]
    assert verdicts == ["equivalent", "invalid", "refuted", "invalid"] * 2
    metrics = {score.name: score.metrics["accuracy"].value for score in log.results.scores}
    assert metrics["verified"] == 0.25


def test_the_explanation_holds_the_counterexample(log: Any) -> None:
    said = [sample.scores["verified"].explanation for sample in samples(log)]
    assert said[0] == "equivalent"
    assert "; counterexample {" in said[2]
    assert said[2].endswith(
        ("the oracle gives true, the answer false", "the oracle gives false, the answer true")
    )


def test_false_acceptances_and_rejections_are_metrics_of_the_judges(log: Any) -> None:
    found = {score.name: score.metrics for score in log.results.scores}
    # The judge accepts all that it is asked about: of four answers, one is right and two are wrong.
    for judge in ("formalization_judge", "equivalence_judge"):
        assert found[judge]["far"].value == 1.0
        assert found[judge]["frr"].value == 0.0
    assert "far" not in found["verified"]
    kept = samples(log)[1].scores["formalization_judge"].metadata
    assert (kept["verdict"], kept["judgement"]) == ("invalid", "accept")


def test_judges_are_asked_by_statement_and_in_both_orders(log: Any) -> None:
    judged = [sample.scores["formalization_judge"].value for sample in samples(log)]
    assert judged == ["C", "C", "C", "N"] * 2
    assert samples(log)[0].scores["equivalence_judge"].metadata["scores"] == [3, 3]
    prompts = [messages[-1].text for messages, _, _ in SEEN]
    assert sum("Specification A" in prompt for prompt in prompts) == 2 * 6


def test_settings_are_those_of_the_paper(log: Any) -> None:
    for messages, tools, config in SEEN:
        assert (config.temperature, config.reasoning_effort) == (1.0, "medium")
        assert not tools
        assert messages[0].role == "system"
    assert "`{n,m}`" in SEEN[0][0][0].text, "braces of the prompt survive"


def test_every_domain_has_a_task_and_the_entry_point_names_them() -> None:
    import truespec.inspect_entry as entry

    project = tomllib.loads((Path(needs.ROOT) / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["entry-points"]["inspect_ai"] == {"truespec": entry.__name__}
    for name in bundled.domains():
        made = getattr(entry, name)()
        assert len(made.dataset) == len(bundled.tasks(name))


def test_a_canned_model_needs_no_network(tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import get_model

    import truespec.inspect_entry as entry

    made = entry.temporal(judge="self")
    canned = get_model("canned/model", answer="G F nothing", score=0)
    log: Any
    (log,) = inspect_eval(made, model=canned, limit=1, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    scores = log.samples[0].scores
    assert scores["verified"].value == "I"
    assert scores["formalization_judge"].metadata["scores"] == [0]
