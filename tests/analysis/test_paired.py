"""Two versions of an agent on the same tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from truespec.analysis.corpus import row_of
from truespec.analysis.paired import compare
from truespec.cli.trace import trace as command
from truespec.verdict import UsageError


def artifact(
    task: str | None, model: str, reward: float, broken: bool, domain: str = "shop"
) -> dict[str, Any]:
    violation = {
        "rule_id": "r", "kind": "r", "message_index": 1, "quote": "q", "severity": "high",
        "effect": "none", "root": None,
    }  # fmt: skip
    result = {
        "evaluator": "output_spec", "tier": "critical", "weight": 3, "status": "fail" if broken else "pass",
        "score": 40.0 if broken else 100.0, "reasoning": "", "violations": [violation] if broken else [],
    }  # fmt: skip
    return {
        "key": f"{task}{model}",
        "trace_id": f"{task}-{model}",
        "source": {"format": "openai", "file": "f", "sha256": "0", "position": "1"},
        "model": model,
        "domain": domain,
        "task_id": task,
        "prompt_sha256": None,
        "outcome": {"reward": reward, "parts": {}, "ended": None},
        "rules": [{"id": "r", "category": "output", "text": "t", "quote": None, "kind": "deterministic",
                   "force": "mandatory", "severity": "high"}],
        "results": [result],
        "aggregate": {"score": result["score"], "partial": None, "cap": None, "included": ["output_spec"]},
        "checks": [],
        "messages": 3,
    }  # fmt: skip


def runs(tasks: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The older model keeps the rule on every task, the newer one, of another name, on none."""
    names = [str(number) for number in range(tasks)]
    return [artifact(n, "opus", 1.0, False) for n in names], [artifact(n, "sonnet", 0.0, True) for n in names]


def write(path: Path, artifacts: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in artifacts))
    return str(path)


def test_models_of_other_names_are_compared_on_their_common_tasks(tmp_path: Path) -> None:
    old, new = runs(10)
    old.append(artifact("other", "opus", 1.0, False))
    new.append(artifact(None, "sonnet", 1.0, False))
    first, second = write(tmp_path / "a.jsonl", old), write(tmp_path / "b.jsonl", new)
    shown = CliRunner().invoke(command, ["compare", first, second, "--by", "task", "--fail-on", "worse"])
    assert shown.exit_code == 1, shown.output
    assert "10 common tasks; 1 only in" in shown.output
    assert "1 traces without a task left out" in shown.output
    assert "worse: aggregate score, outcome, breaks a mandatory rule, r" in shown.output
    assert CliRunner().invoke(command, ["compare", first, second]).exit_code == 0
    back = CliRunner().invoke(command, ["compare", second, first, "--fail-on", "worse", "--json"])
    assert back.exit_code == 0, back.output
    record = json.loads(back.stdout)
    assert record["tasks"] == {"common": 10, "only_old": 0, "only_new": 1}
    assert record["worse"] == []
    assert record["measures"][0]["better"] == 10
    assert record["measures"][0]["difference"] == 60.0


def test_the_exact_test_is_the_binomial_one() -> None:
    old, new = runs(10)
    found = compare([row_of(one) for one in old], [row_of(one) for one in new])
    assert found.kinds[0].p == 2 * 0.5**10
    assert found.measures[0].p == 3 * 2 * 0.5**10  # by Holm, of three measures


def test_few_tasks_are_told_and_nothing_is_called_worse(tmp_path: Path) -> None:
    old, new = runs(3)
    first, second = write(tmp_path / "a.jsonl", old), write(tmp_path / "b.jsonl", new)
    shown = CliRunner().invoke(command, ["compare", first, second, "--fail-on", "worse"])
    assert shown.exit_code == 0
    assert "only 3 common tasks" in shown.output


def test_a_task_with_many_traces_counts_once() -> None:
    old, new = runs(2)
    new += [artifact("0", "sonnet", 0.0, False) for _ in range(8)]
    found = compare([row_of(one) for one in old], [row_of(one) for one in new])
    assert found.measures[2].now == pytest.approx((1 / 9 + 1) / 2)


def test_runs_without_a_common_task_are_refused_and_the_tasks_named() -> None:
    old, _ = runs(2)
    other = [artifact("9", "sonnet", 1.0, False), artifact("0", "sonnet", 1.0, False, "airline")]
    with pytest.raises(UsageError, match=r"no common task.*0 \(shop\).*0 \(airline\), 9 \(shop\)"):
        compare([row_of(one) for one in old], [row_of(one) for one in other])


def test_a_rule_that_is_no_longer_evaluated_is_not_kept(tmp_path: Path) -> None:
    old, new = ([artifact(str(n), model, 1.0, False) for n in range(10)] for model in ("opus", "sonnet"))
    for one in old:
        one["checks"] = [{"rule_id": "r", "status": "pass", "violations": 0, "activations": 1}]
    for one in new[:4]:
        one["checks"] = [{"rule_id": "r", "status": "not_evaluated", "violations": 0, "activations": 0}]
    for one in new[4:]:
        one["checks"] = old[0]["checks"]
    first, second = write(tmp_path / "a.jsonl", old), write(tmp_path / "b.jsonl", new)
    shown = CliRunner().invoke(command, ["compare", first, second, "--fail-on", "worse"])
    assert shown.exit_code == 1, shown.output
    assert "b.jsonl on 4 tasks, and in the other run it is" in shown.output
    back = CliRunner().invoke(command, ["compare", second, first, "--fail-on", "worse", "--json"])
    assert back.exit_code == 0, back.output
    assert json.loads(back.stdout)["not_evaluated"] == {"old": {"r": 4}, "new": {}}
